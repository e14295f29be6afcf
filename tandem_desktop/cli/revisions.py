"""The rebase, include and rehearse commands."""

import re
from collections.abc import Iterator
from typing import Any

from tandem_desktop.cli import json_output
from tandem_desktop.cli.console import EscapedText, Line, Span, Tone, UsageError, named, sentence
from tandem_desktop.cli.formatting import command_text, documents, git_lines, in_full, summary_table
from tandem_desktop.cli.main import CommandContext, CommandResult, count, read_input
from tandem_desktop.cli.plans import proposed
from tandem_desktop.cli.runs import watched
from tandem_desktop.diff.text import Document
from tandem_desktop.diff.three_way import Lines, Region, suggestion
from tandem_desktop.domain.errors import BadInputError, RebaseConflictError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.rehearsal.results import Rehearsal, RehearsedCommand, why_not_recordable
from tandem_desktop.review.conflicts import Choice, Conflict, Resolution, Take
from tandem_desktop.services.rehearsals import RehearsedEffects

_REGIONS = lazy_pattern(r"(?P<path>.+):(?P<numbers>[1-9]\d{0,8}(?:,[1-9]\d{0,8})*)", re.DOTALL)


def rebase(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    rebases = call.engine.rebases
    before = call.engine.plans.latest_revision(plan_id)
    resolutions = answers(call, {conflict.path for conflict in rebases.preview(plan_id).conflicts})
    try:
        version = rebases.rebase(plan_id, resolutions)
    except RebaseConflictError as refusal:
        return _questions(call, refusal, rebases.preview(plan_id, resolutions).conflicts)
    answer = proposed(call, version)
    if version.revision == before:
        same = ["Nothing has drifted: the plan fits the files as they are; it stays as it was.", *answer.lines]
        return CommandResult(answer.data, same, answer.next)
    return answer


def include(call: CommandContext) -> CommandResult:
    from tandem_desktop.sessions.manager import AgentSessions  # only a plan of an agent leaves files out

    sessions = AgentSessions(call.engine, call.engine.settings, call.engine.clock)
    return proposed(call, sessions.include(call.plan_id(), call.arguments.globs))


def answers(call: CommandContext, in_conflict: set[str]) -> tuple[Resolution, ...]:
    """What was said with --take and --resolved, one answer for each path."""
    whole: dict[str, Choice] = {}
    modes: dict[str, Take] = {}
    regions: dict[str, dict[int, Choice]] = {}
    for word, given in call.arguments.take:
        way, (path, numbers) = _way(word), _place(given, in_conflict)
        if numbers:
            regions.setdefault(path, {}).update(dict.fromkeys(numbers, way))
        else:
            whole[path] = modes[path] = way
    for name, path in call.arguments.resolved:
        whole[path] = read_input(name, "the file as it shall be", call.console)
    return tuple(
        Resolution(path, whole.get(path), regions.get(path, {}), modes.get(path))
        for path in dict.fromkeys((*whole, *regions))
    )


def conflict(found: Conflict) -> dict[str, Any]:
    """A conflict as scripts read it."""
    modes = found.modes
    return {
        "path": found.path,
        "change": found.change.value,
        "reason": found.reason,
        "operations": list(found.operations),
        "ways": sorted(Take if found.regions else found.ways),
        "modes": modes and {"base": _octal(modes.base), "disk": _octal(modes.disk), "proposed": _octal(modes.proposed)},
        "regions": [_region(region) for region in found.regions],
    }


def _region(found: Region) -> dict[str, Any]:
    suggested = suggestion(found)
    return {
        "n": found.n,
        "base": _shown(found.base),
        "disk": _shown(found.disk),
        "proposed": _shown(found.proposed),
        "at": {"base": found.base_at, "disk": found.disk_at, "proposed": found.proposed_at},
        "suggestion": None if suggested is None else _shown(Document.of(suggested).lines),
    }


def _questions(call: CommandContext, refusal: RebaseConflictError, conflicts: tuple[Conflict, ...]) -> CommandResult:
    data = {**call.known, "conflicts": [conflict(each) for each in conflicts]}
    lines: list[Line] = [
        f"{count(len(conflicts), 'path')} changed on disk where the plan changes it; nothing was saved."
    ]
    for each in conflicts:
        lines += ["", *_told(each)]
    return CommandResult(data, lines, exit_code=refusal.exit_code, failure=refusal)


def _told(found: Conflict) -> Iterator[Line]:
    yield (Span(named(found.path), Tone.STRONG), f" {found.reason} ({', '.join(found.operations)})")
    if found.modes is not None:
        sides = (("disk", found.modes.disk), ("proposed", found.modes.proposed))
        yield "  mode: " + ", ".join(f"{name} {_octal(mode)}" for name, mode in sides)
    for region in found.regions:
        yield (Span(f"  region {region.n}", Tone.PLACE), f"  line {region.base_at} of what the plan was made for")
        for name, lines, tone in (
            ("base", region.base, Tone.QUIET),
            ("disk", region.disk, Tone.REMOVED),
            ("proposed", region.proposed, Tone.ADDED),
        ):
            for text in _shown(lines):
                yield (Span(f"    {name:>8} │ ", Tone.QUIET), Span(EscapedText(text), tone))
        suggested = suggestion(region)
        if suggested is not None:
            for text in _shown(Document.of(suggested).lines):
                yield (Span("     perhaps │ ", Tone.QUIET), Span(EscapedText(text), Tone.PLACE))


def _shown(lines: Lines) -> list[str]:
    document = Document.of(b"".join(lines))
    return [document.display(line) for line in document.lines]


def _octal(mode: int | None) -> str | None:
    return None if mode is None else f"{mode:04o}"


def _way(word: str) -> Take:
    try:
        return Take(word)
    except ValueError:
        raise BadInputError(
            f"{word} is no way to resolve a conflict.", next=f"Take one of: {', '.join(Take)}."
        ) from None


def _place(text: str, in_conflict: set[str]) -> tuple[str, tuple[int, ...]]:
    """`PATH` or `PATH:1,3`; a path that is spelled like that itself comes first."""
    found = None if text in in_conflict else _REGIONS.fullmatch(text)
    if found is None:
        return text, ()
    return found["path"], tuple(int(number) for number in found["numbers"].split(","))


def rehearse(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    given = call.arguments
    if given.record is not None and given.revision is not None:
        raise UsageError("--record works on the latest revision.", next=call.command("rehearse", plan_id, "--record"))
    rehearsals = call.engine.rehearsals
    network = given.network or call.engine.settings.rehearse_with_network
    with watched(call, 0, stopping="Stopping the rehearsal; nothing of it is kept.") as control:
        found = rehearsals.rehearse(plan_id, given.revision, network=network, once=given.once, control=control)
    effects = rehearsals.effects(found)
    data = json_output.rehearsal(found, {name: each.git for name, each in effects.items()})
    if given.record is not None:
        call.known.update(data)
        answer = proposed(call, rehearsals.record(found, tuple(map(OperationId, given.record))))
        return CommandResult({**data, **answer.data}, answer.lines, next=answer.next)
    lines = _heading(found)
    for command in found.commands:
        lines += ["", *_command(call, command, effects[command.id])]
    return CommandResult(data, lines, next=_following(call, found))


def _heading(found: Rehearsal) -> list[Line]:
    network = "with" if found.network else "without"
    lines: list[Line] = [
        (Span(found.plan_id, Tone.STRONG), f"  r{found.revision}  rehearsed {network} a network; no file was touched."),
    ]
    if not found.commands:
        lines.append("It has no commands: what it does is what tandem show tells.")
    for problem in found.problems:
        lines.append((Span(f"! {problem.step} does not apply: ", Tone.WARNING), sentence(problem.reason)))
    return lines


def _command(call: CommandContext, command: RehearsedCommand, effects: RehearsedEffects) -> Iterator[Line]:
    yield (Span(command.id, Tone.STRONG), "  ", *_outcome(command))
    yield from command_text(command.call.command)
    for doubt in command.doubts:
        yield (Span("      ! cannot be previewed: ", Tone.WARNING), sentence(doubt))
    if call.arguments.diff:
        for view in effects.views:
            yield from in_full(view, documents(view, call.engine.objects))
    else:
        yield from summary_table(effects.views)
    yield from (f"  {line}" for line in git_lines(effects.git, "in the repository"))
    if not command.effects and command.exit_code is not None:
        yield "  changes no file in the workspace"


def _outcome(command: RehearsedCommand) -> tuple[Span | str, ...]:
    if command.exit_code is None:
        return (Span("was not run", Tone.WARNING),)
    tone = Tone.FAILED if command.error else Tone.ADDED
    return (Span(f"exit code {command.exit_code}", tone), f"  {command.seconds:.1f} s")


def _following(call: CommandContext, found: Rehearsal) -> str:
    recordable = [command.id for command in found.commands if not why_not_recordable(command)]
    if recordable and call.arguments.revision is None:
        again = call.command("rehearse", found.plan_id, "--record")
        return f"Apply what was recorded instead of running it again: {again}"
    return call.command("show", found.plan_id, "--diff")
