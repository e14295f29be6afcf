"""The gc, stats, rate, audit and selftest commands."""

from collections.abc import Iterator

from tandem_desktop.approval.audit_log import AuditReport
from tandem_desktop.cli.console import Line, Span, Tone, sentence, table
from tandem_desktop.cli.main import CommandContext, CommandResult, count
from tandem_desktop.services.statistics import Metric, PlanFigures, plan_figures


def gc(call: CommandContext) -> CommandResult:
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
        ("expired: no decision in time", expired),
        ("archived in .tandem/archive", put_away.archived),
        ("removed from the archive", put_away.removed),
    ):
        if plans:
            lines.append(f"{count(len(plans), 'plan')} {words}:")
            lines += table((Span(plan_id, Tone.STRONG),) for plan_id in plans)
    if collected.objects:
        lines.append(f"{count(collected.objects, 'stored file')} removed, {collected.size:,} bytes.")
    return CommandResult(data, lines or ["There is nothing to archive."], next=call.command("list"))


_WORDS = {
    "completion_rate": ("Plans that were carried out, of those that ended", "{:.0%}"),
    "revisions_per_plan": ("Revisions per plan, a person's own left out", "{:.1f}"),
    "operation_success_rate": ("Operations that did what was approved", "{:.0%}"),
    "satisfaction": ("What people thought of them, from 1 to 5", "{:.1f}"),
    "seconds_for_ten_operations": ("Ten operations take", "{:.1f} s"),
}


def stats(call: CommandContext) -> CommandResult:
    figures = plan_figures(call.engine)
    data = {
        "plans": figures.plans,
        "by_status": {status.value: number for status, number in figures.by_status},
        "ended": figures.ended,
        "completed": figures.completed,
        "proposals": figures.proposals,
        "operations": figures.operations,
        "operations_done": figures.operations_done,
        "runs": figures.runs,
        "undone": figures.undone,
        "rated": len(figures.ratings),
        "metrics": [
            {"name": each.name, "value": each.value, "aim": each.aim, "target": each.target, "met": each.is_met}
            for each in figures.metrics
        ],
        "tool_gaps": [{"tool": tool, "count": number} for tool, number in figures.tool_gaps],
        "would_block": [{"tool": tool, "count": number} for tool, number in figures.would_block],
    }
    return CommandResult(data, _lines(figures), next=call.command("list"))


def rate(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    meta = call.engine.decisions.rate(plan_id, call.arguments.rating)
    data = {"plan_id": plan_id, "rating": meta.rating}
    return CommandResult(
        data, [(Span(plan_id, Tone.STRONG), f" is rated {meta.rating} of 5.")], next=call.command("stats")
    )


def _lines(figures: PlanFigures) -> list[Line]:
    if not figures.plans:
        return ["There are no plans here yet, so there is nothing to count."]
    states = ", ".join(f"{number:,} {status.value.replace('_', ' ')}" for status, number in figures.by_status)
    lines: list[Line] = [
        f"{figures.plans:,} plans: {states}",
        f"{figures.runs:,} runs, {figures.undone:,} undone; {figures.operations_done:,} of {figures.operations:,} "
        f"operations done",
        *table(_row(each) for each in figures.metrics),
    ]
    if figures.tool_gaps:
        lines.append("Tools that were wanted and are not there:")
        lines += table((tool, f"{number:,} ×") for tool, number in figures.tool_gaps[:20])
    if figures.would_block:
        lines.append("Calls that the guard would have blocked:")
        lines += table((tool, f"{number:,} ×") for tool, number in figures.would_block[:20])
    return lines


def _row(metric: Metric) -> tuple[str | Span, ...]:
    words, form = _WORDS[metric.name]
    aim = f"aim: {metric.aim} {form.format(metric.target)}"
    if metric.value is None:
        return words, "nothing to count yet", aim
    tone = Tone.STRONG if metric.is_met else Tone.WARNING
    return words, Span(form.format(metric.value), tone), aim


_MOST_MISSING = 20


def audit_verify(call: CommandContext) -> CommandResult:
    report = call.engine.audit_check.verify()
    data = {
        "ok": report.ok,
        "records": report.records,
        "first_bad": report.first_bad,
        "missing": list(report.missing),
        "elsewhere": list(report.elsewhere),
        "unbegun": list(report.unbegun),
    }
    lines: list[Line] = [(Span("! ", Tone.WARNING), words) for words in _unexplained(report)]
    if report.ok:
        words = f"The audit holds: {count(report.records, 'record')}, none changed and none missing."
        return CommandResult(data, [words, *lines], next=call.command("list"))
    if report.first_bad is not None:
        words = f"The audit is broken: record {report.first_bad} was changed, or is missing."
    else:
        number = len(report.missing)
        are = "is" if number == 1 else "are"
        words = f"The audit is broken: {count(number, 'record')} of what happened here {are} missing."
    path = call.engine.locations.audit
    following = f"Compare {path} with a backup; approvals and undo do not depend on it."
    told = [Span(words, Tone.FAILED), *report.missing[:_MOST_MISSING], *lines]
    return CommandResult(data, told, next=following, exit_code=1)


def _unexplained(report: AuditReport) -> Iterator[str]:
    """What is said of runs that are known in one place only."""
    if report.elsewhere:
        named = _named(report.elsewhere)
        yield f"Listed in this workspace, and not recorded here: {named}. They were made with another state folder."
    if report.unbegun:
        named = _named(report.unbegun)
        yield f"Used an approval and left nothing else: {named}. Cut off before it began, or its records were removed."


def _named(runs: tuple[str, ...]) -> str:
    return ", ".join(runs[:_MOST_MISSING]) + (", …" if len(runs) > _MOST_MISSING else "")


def audit_guard(call: CommandContext) -> CommandResult:
    """Each call of a guarded tool that was blocked or only logged, oldest first."""
    found = call.engine.guarded_calls.entries()
    calls = [{name: entry.get(name) for name in _GUARDED} for entry in found]
    rows = (
        (
            str(each["at"] or "")[:_SECONDS],
            Span(str(each["tool"]), Tone.STRONG),
            "blocked" if each["blocked"] else "would have been blocked",
            str(each["title"] or ""),
        )
        for each in calls
    )
    lines: list[Line] = list(table(rows))
    return CommandResult(
        {"calls": calls}, lines or ["No call of a guarded tool was blocked here."], next=call.command("stats")
    )


_GUARDED = ("at", "tool", "blocked", "title", "paths", "plan_mode", "session_id", "reason")
_SECONDS = len("2026-01-01T00:00:00")


def selftest(call: CommandContext) -> CommandResult:
    """Run the self-test and print its report."""
    from tandem_desktop.selftest.run import run_selftest

    report = run_selftest(
        lambda root, state: call.build_engine(root, state=state),
        full=call.arguments.full,
        report=lambda line: call.console.remark(sentence(line)),
    )
    data = {
        "plans": report.plans,
        "approved_applied": report.approved_applied,
        "applied_verified": report.applied_verified,
        "undone_before": report.undone_before,
    }
    lines = [f"{count(report.plans, 'plan')} taken through propose, approve, apply and undo.", *report.lines()]
    if report.passed:
        return CommandResult(data, lines, next=call.command("propose", "FILE"))
    return CommandResult(data, lines, next="Look for what stands in the way: tandem doctor", exit_code=1)
