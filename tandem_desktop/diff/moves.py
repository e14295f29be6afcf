"""Finds files, definitions and paragraphs that a plan removes at one place and adds, byte for byte, at another."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines, ProvedChange, Span
from tandem_desktop.diff.lines import changes as line_changes
from tandem_desktop.diff.text import split_lines

_FEWEST_LINES = 3
_MOST_LINES = 400_000
"""Changed lines of a plan beyond which no moves are looked for."""
_MOST_PAIRS = 10_000
"""Files that go times files that come beyond which they are not compared."""
_TELLING = re.compile(rb"(?:\w\W*){6}")
_PROSE = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc"})
_Place = tuple[int, int]
"""The number of a file and a line of one of its sides."""


@dataclass(frozen=True)
class MovableFile:
    """Both sides of a file of the plan, and the lines that change."""

    path: str
    before: bytes
    after: bytes
    changes: tuple[ChangedLines, ...]

    @cached_property
    def old(self) -> list[bytes]:
        return split_lines(self.before)

    @cached_property
    def new(self) -> list[bytes]:
        return split_lines(self.after)

    @property
    def is_prose(self) -> bool:
        return PurePosixPath(self.path).suffix.lower() in _PROSE


@dataclass(frozen=True, slots=True)
class _Block:
    """Equal lines: removed from one file, added to another or the same."""

    source: int
    old: Span
    target: int
    new: Span


Definitions = Mapping[Span, str]
"""Lines of each definition, and the name of the class it is in."""
FindDefinitions = Callable[[Sequence[tuple[str, bytes]]], Sequence[Definitions]]
"""The definitions of each of these files, by path and content."""


def moves(files: Sequence[MovableFile], find: FindDefinitions) -> dict[int, tuple[ProvedChange, ...]]:
    """What moved, by the number of the file: each move once where it went from and once where it came to."""
    if sum(change.count for file in files for change in file.changes) > _MOST_LINES:
        return {}
    found: dict[int, list[ProvedChange]] = {}
    claimed = _Claims()
    for block in _moved_files(files):
        _take(files, block, claimed, found)
    unique = _once_on_both_sides(files)
    blocks = [*_blocks(files, unique)]
    sides = {(each.source, True) for each in blocks} | {(each.target, False) for each in blocks}
    wanted = sorted(side for side in sides if not files[side[0]].is_prose)
    contents = [(files[at].path, files[at].before if is_old else files[at].after) for at, is_old in wanted]
    units = dict(zip(wanted, find(contents), strict=True)) if contents else {}
    for block in blocks:
        source, target = files[block.source], files[block.target]
        defined = units.get((block.source, True), {}), units.get((block.target, False), {})
        kept = _whole_units(source, target, block, *defined)
        if (
            kept is None
            or claimed.has_any(block.source, True, kept.old)
            or claimed.has_any(block.target, False, kept.new)
        ):
            continue
        if not any(line in unique for line in source.old[slice(*kept.old)]):
            continue  # what is left of the block is elsewhere as well
        _take(files, kept, claimed, found)
    return {number: tuple(each) for number, each in found.items()}


def _take(
    files: Sequence[MovableFile], block: "_Block", claimed: "_Claims", found: dict[int, list[ProvedChange]]
) -> None:
    """Record a move, once where it went from and once where it came to."""
    source, target = files[block.source], files[block.target]
    gone = _within(source.changes, block.old, is_old=True)
    come = _within(target.changes, block.new, is_old=False)
    if gone is None or come is None:
        return
    old = claimed.claim(block.source, True, block.old, gone.old, source.old)
    new = claimed.claim(block.target, False, block.new, come.new, target.new)
    gone_lines = ChangedLines(gone.hunk, old, (gone.new[0], gone.new[0]))
    come_lines = ChangedLines(come.hunk, (come.old[1], come.old[1]), new)
    to, since = block.new[0] + 1, block.old[0] + 1
    found.setdefault(block.source, []).append(ProvedChange(gone_lines, ChangeClass.MOVE, target.path, to))
    found.setdefault(block.target, []).append(ProvedChange(come_lines, ChangeClass.MOVE, source.path, since))


def _moved_files(files: Sequence[MovableFile]) -> "Iterator[_Block]":
    """The equal lines, in order, of a file that goes and one of the same kind that comes and has most of its lines."""
    kinds: dict[str, tuple[list[int], list[int]]] = {}
    for number, file in enumerate(files):
        if bool(file.before) != bool(file.after):
            kinds.setdefault(PurePosixPath(file.path).suffix, ([], []))[not file.before].append(number)
    for gone, come in kinds.values():
        if not gone or not come or len(gone) * len(come) > _MOST_PAIRS:
            continue
        telling = {number: _telling_lines(files[number]) for number in (*gone, *come)}
        alike = ((len(telling[one] & telling[other]), one, other) for one in gone for other in come)
        taken: set[int] = set()
        for shared, one, other in sorted(alike, key=lambda each: (-each[0], each[1:])):
            most = max(len(telling[one]), len(telling[other]))
            if shared and shared * 2 >= most and one not in taken and other not in taken:
                taken |= {one, other}
                yield from _equal_blocks(files, one, other)


def _telling_lines(file: MovableFile) -> frozenset[bytes]:
    return frozenset(line for line in (file.old or file.new) if _TELLING.search(line))


def _equal_blocks(files: Sequence[MovableFile], source: int, target: int) -> "Iterator[_Block]":
    old, new = files[source].old, files[target].new
    at = other = 0
    for change in (*line_changes(old, new), None):
        end, end_there = (change.old_start, change.new_start) if change is not None else (len(old), len(new))
        if end - at >= _FEWEST_LINES:
            yield _Block(source, (at, end), target, (other, end_there))
        if change is not None:
            at, other = change.old_end, change.new_end


class _Claims:
    """Lines that belong to a move already."""

    def __init__(self) -> None:
        self._lines: set[tuple[int, bool, int]] = set()

    def has_any(self, number: int, is_old: bool, span: Span) -> bool:
        return any((number, is_old, line) in self._lines for line in range(*span))

    def claim(self, number: int, is_old: bool, span: Span, around: Span, lines: Sequence[bytes]) -> Span:
        """Claim lines with the empty ones beside them that change as well."""
        first, last = span
        while first > around[0] and not lines[first - 1].strip() and (number, is_old, first - 1) not in self._lines:
            first -= 1
        while last < around[1] and not lines[last].strip() and (number, is_old, last) not in self._lines:
            last += 1
        self._lines.update((number, is_old, line) for line in range(first, last))
        return first, last


def _once_on_both_sides(files: Sequence[MovableFile]) -> dict[bytes, tuple[_Place, _Place]]:
    """Lines that are removed once and added once in the whole plan, with both places."""
    sides = []
    for is_old in (True, False):
        texts = ((file.old if is_old else file.new) for file in files)
        sides.append(
            _once([(at, line, text[line]) for at, text in enumerate(texts) for line in _lines(files[at], is_old)])
        )
    removed, added = sides
    return {text: (place, added[text]) for text, place in removed.items() if text in added}


def _blocks(files: Sequence[MovableFile], unique: Mapping[bytes, tuple[_Place, _Place]]) -> Iterator[_Block]:
    """Runs of equal lines around a line that is removed once and added once in the whole plan."""
    used: set[_Place] = set()
    runs = {
        is_old: {
            (number, line): each.old if is_old else each.new
            for number, file in enumerate(files)
            for each in file.changes
            for line in range(*(each.old if is_old else each.new))
        }
        for is_old in (True, False)
    }
    for (source, line), (target, other) in unique.values():
        if (source, line) in used:
            continue
        old, new = files[source].old, files[target].new
        (first, last), (start, end) = runs[True][source, line], runs[False][target, other]
        up = down = 0
        while line - up > first and other - up > start and old[line - up - 1] == new[other - up - 1]:
            up += 1
        while line + down + 1 < last and other + down + 1 < end and old[line + down + 1] == new[other + down + 1]:
            down += 1
        used.update((source, each) for each in range(line - up, line + down + 1))
        if up + down + 1 >= _FEWEST_LINES:
            yield _Block(source, (line - up, line + down + 1), target, (other - up, other + down + 1))


def _lines(file: MovableFile, is_old: bool) -> Iterator[int]:
    for change in file.changes:
        yield from range(*(change.old if is_old else change.new))


def _once(lines: list[tuple[int, int, bytes]]) -> dict[bytes, _Place]:
    """Lines with something to say that are there exactly once."""
    found: dict[bytes, _Place | None] = {}
    for number, line, text in lines:
        if text in found:
            found[text] = None
        elif _TELLING.search(text):
            found[text] = (number, line)
    return {text: place for text, place in found.items() if place is not None}


def _whole_units(
    source: MovableFile, target: MovableFile, block: _Block, old: Definitions, new: Definitions
) -> _Block | None:
    """The part of a block that is whole definitions on both sides; all of it in prose."""
    if source.is_prose and target.is_prose:
        telling = sum(bool(line.strip()) for line in source.old[slice(*block.old)])
        return block if telling >= _FEWEST_LINES else None
    shift = block.new[0] - block.old[0]
    there = {(start - shift, end - shift): name for (start, end), name in new.items()}
    inside = sorted(
        span
        for span, name in old.items()
        if block.old[0] <= span[0] and span[1] <= block.old[1] and there.get(span) == name
    )
    chosen: list[Span] = []
    for span in inside:
        if chosen and span[1] <= chosen[-1][1]:
            continue  # a method of a class that moves as a whole
        if chosen and any(line.strip() for line in source.old[chosen[-1][1] : span[0]]):
            if chosen[-1][1] - chosen[0][0] >= span[1] - span[0]:
                break
            chosen = []
        chosen.append(span)
    if not chosen or chosen[-1][1] - chosen[0][0] < _FEWEST_LINES:
        return None
    first, last = chosen[0][0], chosen[-1][1]
    return _Block(block.source, (first, last), block.target, (first + shift, last + shift))


def _within(changes: Sequence[ChangedLines], span: Span, *, is_old: bool) -> ChangedLines | None:
    for change in changes:
        start, end = change.old if is_old else change.new
        if start <= span[0] and span[1] <= end:
            return change
    return None
