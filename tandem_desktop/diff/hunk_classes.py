"""The classes of changes that are proved to be mechanical, and the lines they have."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from tandem_desktop.diff.hunks import Hunk

Span = tuple[int, int]
"""The first and the end, which is excluded."""


class ChangeClass(StrEnum):
    """What a change is proved to be."""

    FORMAT = "format"
    """The same syntax tree."""
    COMMENT = "comment"
    """The same syntax tree; comments differ that no tool acts on."""
    MOVE = "move"
    """The same bytes, removed at one place and added at another."""
    RENAME = "rename"
    """One identifier has another name, everywhere."""


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Lines `old` that give way to lines `new`; zero-based, ends excluded."""

    hunk: int
    old: Span
    new: Span

    @property
    def count(self) -> int:
        return self.old[1] - self.old[0] + self.new[1] - self.new[0]

    def holds(self, other: "ChangedLines") -> bool:
        """Whether all lines of another change are among these."""
        is_old = self.old[0] <= other.old[0] <= other.old[1] <= self.old[1]
        return is_old and self.new[0] <= other.new[0] <= other.new[1] <= self.new[1]


@dataclass(frozen=True, slots=True)
class ProvedChange:
    """Changed lines of one hunk, and what they are proved to be."""

    lines: ChangedLines
    kind: ChangeClass
    path: str = ""
    """Of a move: the other place. Of a rename: the old and the new name."""
    line: int = 0
    """The first line at the other place, one-based."""


ALONE = frozenset({ChangeClass.FORMAT, ChangeClass.COMMENT})
"""What is proved of a file by itself; the others hold only together with other changes of the plan."""


def changed_lines(hunks: Iterable[Hunk]) -> Iterator[ChangedLines]:
    """Every run of removed and added lines."""
    for hunk in hunks:
        old = hunk.old_start - (1 if hunk.old_count else 0)
        new = hunk.new_start - (1 if hunk.new_count else 0)
        removed = added = 0
        for line in hunk.lines:
            if line.kind == " ":
                if removed or added:
                    yield ChangedLines(hunk.n, (old, old + removed), (new, new + added))
                    old, new, removed, added = old + removed, new + added, 0, 0
                old, new = old + 1, new + 1
            elif line.kind == "-":
                removed += 1
            else:
                added += 1
        if removed or added:
            yield ChangedLines(hunk.n, (old, old + removed), (new, new + added))


def numbered_lines(hunk: Hunk) -> Iterator[tuple[str, int, bytes]]:
    """Removed and added lines with their zero-based numbers, each on its own side."""
    old = hunk.old_start - (1 if hunk.old_count else 0)
    new = hunk.new_start - (1 if hunk.new_count else 0)
    for line in hunk.lines:
        if line.kind != " ":
            yield line.kind, old if line.kind == "-" else new, line.raw
        old, new = old + (line.kind != "+"), new + (line.kind != "-")


def is_within(changes: Iterable[ChangedLines], parts: Iterable[ChangedLines]) -> bool:
    """Whether each part lies within one of these changes, and no line is in two parts."""
    wholes: dict[int, list[ChangedLines]] = {}
    for change in changes:
        wholes.setdefault(change.hunk, []).append(change)
    lines: set[tuple[bool, int]] = set()
    for part in parts:
        own = [*((True, line) for line in range(*part.old)), *((False, line) for line in range(*part.new))]
        if not own or not lines.isdisjoint(own) or not any(each.holds(part) for each in wholes.get(part.hunk, ())):
            return False
        lines.update(own)
    return True


def left_of(changes: Iterable[ChangedLines], taken: Iterable[ChangedLines]) -> Iterator[ChangedLines]:
    """What of these changes is not taken, in order; each of `taken` lies within one of them."""
    every = [*taken]
    for change in changes:
        own = sorted((each for each in every if change.holds(each)), key=lambda each: (each.old, each.new))
        if not own:
            yield change
            continue
        olds = [*_gaps(change.old, sorted(each.old for each in own))]
        news = [*_gaps(change.new, sorted(each.new for each in own))]
        if len(olds) == len(news) == 1:
            yield ChangedLines(change.hunk, olds[0], news[0])
            continue
        yield from (ChangedLines(change.hunk, span, (change.new[0], change.new[0])) for span in olds)
        yield from (ChangedLines(change.hunk, (change.old[1], change.old[1]), span) for span in news)


def _gaps(span: Span, taken: Iterable[Span]) -> Iterator[Span]:
    at = span[0]
    for start, end in taken:
        if start > at and end > start:
            yield at, start
        at = max(at, end) if end > start else at
    if at < span[1]:
        yield at, span[1]


def class_of(hunk: Hunk, proved: Iterable[ProvedChange]) -> str:
    """The class of a hunk all of whose changes are proved; `mechanical` where they have several; else empty."""
    own = [each for each in proved if each.lines.hunk == hunk.n]
    if sum(each.lines.count for each in own) < hunk.added + hunk.removed:
        return ""
    kinds = {each.kind for each in own}
    if kinds == {ChangeClass.FORMAT, ChangeClass.COMMENT}:
        return ChangeClass.COMMENT.value
    return next(iter(kinds)).value if len(kinds) == 1 else "mechanical"
