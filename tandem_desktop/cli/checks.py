"""The check and needed commands."""

from collections.abc import Iterator
from typing import Any

from tandem_desktop.checks.catalog import CheckList
from tandem_desktop.checks.evidence import CheckEvidence, Evidence
from tandem_desktop.checks.needed import JudgedPart
from tandem_desktop.cli.console import Line, Span, Tone, named, sentence
from tandem_desktop.cli.formatting import command_text
from tandem_desktop.cli.main import CommandContext, CommandResult, count
from tandem_desktop.cli.plans import proposed
from tandem_desktop.cli.runs import watched
from tandem_desktop.domain.errors import ChecksNotAcceptedError
from tandem_desktop.domain.events import AffectedTestsFinished, CheckFinished, TandemEvent
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.paths import ROOT, shown
from tandem_desktop.services.needed import NeededParts

_MOST_NAMED = 20
_STOPPING = "Stopping the checks; nothing of them is kept."


def check(call: CommandContext) -> CommandResult:
    plan_id, given, checks = call.plan_id(), call.arguments, call.engine.checks
    refused = _accepted(call, plan_id)
    if refused is not None:
        return refused
    unsubscribe = call.engine.events.subscribe(lambda event: _tell(call, event))
    try:
        with watched(call, 0, stopping=_STOPPING) as control:
            found = checks.run(
                plan_id,
                given.revision,
                only=tuple(given.only),
                timeout_s=given.timeout and max(1, round(given.timeout)),
                again=given.again,
                control=control,
            )
    finally:
        unsubscribe()
    evidence = found.evidence
    lines: list[Line] = [(Span(plan_id, Tone.STRONG), f"  r{found.revision}  {evidence.summary}")]
    for each in evidence.checks:
        lines += ["", *_check(each)]
    lines += _diagnostics(evidence)
    following = call.command("show", plan_id, "--diff")
    return CommandResult(found.as_json(), lines, next=following, exit_code=1 if evidence.is_worse else 0)


ATTENTION = "This says where to look, not what is right: a change that no check covers is noticed by nothing."


def needed(call: CommandContext) -> CommandResult:
    plan_id, given, service = call.plan_id(), call.arguments, call.engine.needed
    refused = _accepted(call, plan_id)
    if refused is not None:
        return refused
    only = tuple(given.only)
    timeout_s = given.timeout and max(1, round(given.timeout))
    judged: list[JudgedPart] = []

    def told(part: JudgedPart, total: int) -> None:
        judged.append(part)
        if not call.console.as_json:
            call.console.remark((Span(f"{len(judged)}/{total} ", Tone.QUIET), *_judged(part)))

    with watched(call, 0, stopping=_STOPPING) as control:
        found = service.find(plan_id, only=only, timeout_s=timeout_s, control=control, on_part=told)
        data = {
            "plan_id": plan_id,
            "revision": found.revision,
            "checked_by": list(found.checks),
            "without_result": list(found.without_result),
            "parts": [_part_json(each) for each in found.parts],
            "attention_only": ATTENTION,
        }
        if given.shrink:
            call.known.update(data)
            answer = proposed(call, service.shrink(found, only=only, timeout_s=timeout_s, control=control))
            lines = [*answer.lines, *_not_asked(found), Span(ATTENTION, Tone.WARNING)]
            return CommandResult({**data, **answer.data}, lines, next=answer.next)
    strays = len(found.strays)
    lines = [
        (
            Span(plan_id, Tone.STRONG),
            f"  r{found.revision}  of {count(len(found.parts), 'part')} nothing notices {strays}",
        ),
        *(_judged(each) for each in found.parts),
        *_not_asked(found),
        Span(ATTENTION, Tone.WARNING),
    ]
    following = call.command("needed", plan_id, "--shrink") if strays else call.command("show", plan_id, "--diff")
    return CommandResult(data, lines, next=following)


def _not_asked(found: NeededParts) -> Iterator[Span]:
    if found.without_result:
        names = ", ".join(map(shown, found.without_result))
        yield Span(f"Not asked, since it has no whole result with the plan: {names}", Tone.WARNING)


def _judged(found: JudgedPart) -> tuple[Span | str, ...]:
    word, tone = ("needed", Tone.ADDED) if found.is_needed else ("nothing notices", Tone.WARNING)
    name = found.part.operation + (f":{found.part.hunk}" if found.part.hunk else "")
    why = Span(sentence(f"  {found.why}" if found.why else ""), Tone.QUIET)
    return (Span(f"{name:<8} ", Tone.STRONG), Span(f"{word:<15} ", tone), named(found.part.place), why)


def _part_json(found: JudgedPart) -> dict[str, Any]:
    return {
        "operation": found.part.operation,
        "hunk": found.part.hunk or None,
        "place": found.part.place,
        "verdict": "needed" if found.is_needed else "nothing notices",
        "why": found.why,
    }


def _accepted(call: CommandContext, plan_id: PlanId) -> CommandResult | None:
    """Accept the list where that is asked for; otherwise the refusal to run one that is not accepted."""
    checks = call.engine.checks
    offered = checks.offered()
    if offered.is_accepted or not offered.list.checks:
        return None
    lines: list[Line] = [_whose(offered.list)]
    for each in offered.list.checks:
        where: tuple[str, ...] = ("  in ", named(each.cwd)) if each.cwd != ROOT else ()
        lines += [(Span(f"  {each.name}", Tone.STRONG), *where)]
        lines += command_text(each.command)
        if each.affected:
            lines += [Span("      and ahead of it, for the tests that a plan touches:", Tone.QUIET)]
            lines += command_text(each.affected)
        if each.runs:
            lines += [Span("      which runs:", Tone.QUIET), *command_text(each.runs)]
    if call.arguments.accept:
        checks.accept(offered.list.digest)
        for line in lines:
            call.console.remark(line)
        return None
    refusal = ChecksNotAcceptedError(
        "These checks have not been accepted; nothing was run.",
        next=f"Let them run, confined and without a network, from now on: {call.command('check', plan_id, '--accept')}",
    )
    data = {**call.known, **offered.list.as_json()}
    return CommandResult(data, lines, exit_code=refusal.exit_code, failure=refusal)


def _whose(found: CheckList) -> str:
    if found.is_found:
        return "Found from the files of this workspace; accepted once, they run for every plan:"
    return "Written in .tandem/checks.toml; accepted once, they run for every plan:"


def _tell(call: CommandContext, event: TandemEvent) -> None:
    if isinstance(event, AffectedTestsFinished) and not call.console.as_json:
        said = f"{event.check}, the tests that the plan touches: {event.passed} passed, {event.failed} failed"
        call.console.remark((Span("    ", Tone.QUIET), sentence(said)))
    if isinstance(event, CheckFinished) and not call.console.as_json:
        side = "with the plan" if event.with_plan else "without it"
        how = event.problem or f"exit code {event.exit_code}"
        call.console.remark(
            (Span(f"{event.done}/{event.total} ", Tone.QUIET), f"{event.check}, {side}: ", sentence(how))
        )


def _check(found: CheckEvidence) -> Iterator[Line]:
    bad = bool(found.new_failures or (found.problem and found.after.problem))
    yield (Span(found.name, Tone.FAILED if bad else Tone.STRONG), "  ", _sides(found))
    if found.problem:
        yield (Span("  ! ", Tone.WARNING), sentence(found.problem))
    for note in dict.fromkeys((*found.before.notes, *found.after.notes)):
        yield (Span("  ! ", Tone.WARNING), sentence(note))
    for title, names, tone in (
        ("new failure", found.new_failures, Tone.FAILED),
        ("fixed", found.fixed, Tone.ADDED),
        ("no longer run", found.gone, Tone.WARNING),
    ):
        for name in names[:_MOST_NAMED]:
            yield (Span(f"  {title}: ", tone), sentence(name))
        if len(names) > _MOST_NAMED:
            yield f"  … and {len(names) - _MOST_NAMED} more"


def _sides(found: CheckEvidence) -> str:
    def told(passed: int, failed: int, code: int | None, counts: bool) -> str:
        if counts:
            return f"{passed} passed, {failed} failed"
        return "no result" if code is None else f"exit code {code}"

    before, after = (
        told(len(side.passed), len(side.failed), side.exit, side.counts_tests) for side in (found.before, found.after)
    )
    return f"before: {before}; with the plan: {after}"


def _diagnostics(evidence: Evidence) -> Iterator[Line]:
    new = [each for each in evidence.diagnostics if each.new]
    if new:
        yield ""
    for each in new[:_MOST_NAMED]:
        tone = Tone.FAILED if each.severity == "error" else Tone.WARNING
        yield (
            Span(f"{each.severity} ", tone),
            named(each.path),
            f":{each.line} ",
            sentence(f"{each.code} "),
            sentence(each.message),
        )
    if len(new) > _MOST_NAMED:
        yield f"… and {len(new) - _MOST_NAMED} more"
    if old := len(evidence.diagnostics) - len(new):
        yield Span(f"Left out, because it was there before: {count(old, 'message')}.", Tone.QUIET)
