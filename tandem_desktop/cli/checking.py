"""audit verify, selftest: Tandem checks itself and says what it found."""

from tandem_desktop.cli.answers import Answer, count
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Span, Tone, sentence


def audit_verify(call: Call) -> Answer:
    report = call.engine.audit.verify()
    data = {"ok": report.ok, "records": report.records, "first_bad": report.first_bad}
    if report.ok:
        words = f"The audit holds: {count(report.records, 'record')}, none changed and none missing."
        return Answer(data, [words], next=call.command("list"))
    words = f"The audit is broken: record {report.first_bad} was changed, or is missing."
    path = call.engine.locations.audit
    following = f"Compare {path} with a backup; approvals and undo do not depend on it."
    return Answer(data, [Span(words, Tone.FAILED)], next=following, exit_code=1)


def selftest(call: Call) -> Answer:
    """The report says what it found; this only prints it."""
    from tandem_desktop.cli.selftest import run_selftest

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
        return Answer(data, lines, next=call.command("propose", "FILE"))
    return Answer(data, lines, next="Look for what stands in the way: tandem doctor", exit_code=1)
