"""gc: end what waited too long, put away what ended long ago, remove bytes nobody needs."""

from tandem_desktop.cli.answers import Answer, count
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Line, Span, Tone, table


def gc(call: Call) -> Answer:
    call.engine.runs.refuse_if_interrupted()
    expired = call.engine.expiry.expire()
    call.known["expired"] = list(expired)
    put_away = call.engine.retention.put_away()
    collected = call.engine.retention.collect()
    data = {
        "expired": list(expired),
        "archived": list(put_away.archived),
        "removed": list(put_away.removed),
        "objects": collected.objects,
        "bytes": collected.size,
    }
    lines: list[Line] = []
    for words, plans in (
        ("expired: nobody decided in time", expired),
        ("put away into .tandem/archive", put_away.archived),
        ("removed from the archive", put_away.removed),
    ):
        if plans:
            lines.append(f"{count(len(plans), 'plan')} {words}:")
            lines += table((Span(plan_id, Tone.STRONG),) for plan_id in plans)
    if collected.objects:
        lines.append(f"{count(collected.objects, 'stored file')} removed, {collected.size:,} bytes.")
    return Answer(data, lines or ["There is nothing to put away."], next=call.command("list"))
