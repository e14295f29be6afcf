"""rebase: the plan for the files as they are now, or the questions only a person can answer."""

import re
from collections.abc import Iterator
from typing import Any

from tandem_desktop.cli.answers import Answer, count
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.inputs import read_input
from tandem_desktop.cli.lines import Line, Shown, Span, Tone
from tandem_desktop.cli.proposing import proposed
from tandem_desktop.domain.errors import BadInputError, RebaseConflictError
from tandem_desktop.review.conflicts import Choice, Conflict, Resolution, Take
from tandem_desktop.review.suggestion import suggestion
from tandem_desktop.review.three_way import Lines, Region
from tandem_desktop.staging.text import Document

_REGIONS = re.compile(r"(?P<path>.+):(?P<numbers>[1-9]\d{0,8}(?:,[1-9]\d{0,8})*)", re.DOTALL)


def rebase(call: Call) -> Answer:
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
        return Answer(answer.data, same, answer.next)
    return answer


def answers(call: Call, in_conflict: set[str]) -> tuple[Resolution, ...]:
    """What was said with --take and --resolved, one answer for each path."""
    whole: dict[str, Choice] = {}
    modes: dict[str, Take] = {}
    regions: dict[str, dict[int, Choice]] = {}
    for word, named in call.arguments.take:
        way, (path, numbers) = _way(word), _place(named, in_conflict)
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


def _questions(call: Call, refusal: RebaseConflictError, conflicts: tuple[Conflict, ...]) -> Answer:
    data = {**call.known, "conflicts": [conflict(each) for each in conflicts]}
    lines: list[Line] = [
        f"{count(len(conflicts), 'path')} changed on disk where the plan changes it; nothing was saved."
    ]
    for each in conflicts:
        lines += ["", *_told(each)]
    return Answer(data, lines, exit_code=refusal.exit_code, failure=refusal)


def _told(found: Conflict) -> Iterator[Line]:
    yield (Span(found.path, Tone.STRONG), f" {found.reason} ({', '.join(found.operations)})")
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
                yield (Span(f"    {name:>8} │ ", Tone.QUIET), Span(Shown(text), tone))
        suggested = suggestion(region)
        if suggested is not None:
            for text in _shown(Document.of(suggested).lines):
                yield (Span("     perhaps │ ", Tone.QUIET), Span(Shown(text), Tone.PLACE))


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
