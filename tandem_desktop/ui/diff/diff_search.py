"""Find text in a comparison: every line of the new side once, and the lines that are removed."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from tandem_desktop.ui.diff.file_diff import FileDiff, StretchKind
from tandem_desktop.ui.diff.side import Side

MOST_FOUND = 100_000


class Match(NamedTuple):
    """Where the text stands: a zero-based line of one side, characters `start:end` of what is shown of it."""

    is_old: bool
    line: int
    start: int
    end: int


class DiffSearch:
    """One text searched in one comparison. A text without capitals finds both cases."""

    def __init__(self, diff: FileDiff, text: str) -> None:
        self.text = text
        self.matches: tuple[Match, ...] = tuple(_in_order(diff, text)) if text else ()
        self._by_line: dict[tuple[bool, int], list[tuple[int, int]]] = {}
        for match in self.matches:
            self._by_line.setdefault((match.is_old, match.line), []).append((match.start, match.end))

    def __len__(self) -> int:
        return len(self.matches)

    def in_line(self, is_old: bool, line: int) -> list[tuple[int, int]]:
        return self._by_line.get((is_old, line), [])


def _in_order(diff: FileDiff, text: str) -> Iterator[Match]:
    """As the eye meets them: removed lines of a change before the added ones."""
    pattern = re.compile(re.escape(text), 0 if text != text.lower() else re.IGNORECASE)
    old, new = _found(diff.old, pattern, True), _found(diff.new, pattern, False)
    removed = [(s.old_start, s.old_end, s.new_start) for s in diff.stretches if s.kind is StretchKind.CHANGE]
    starts = [start for start, _, _ in removed]
    keyed: list[tuple[int, int, Match]] = [(match.line, 1, match) for match in new]
    for match in old:
        place = bisect_right(starts, match.line) - 1
        if place >= 0 and match.line < removed[place][1]:
            keyed.append((removed[place][2], 0, match))
    keyed.sort()
    yield from (match for _, _, match in keyed[:MOST_FOUND])


def _found(side: Side, pattern: re.Pattern[str], is_old: bool) -> Iterator[Match]:
    text = side.text
    starts: list[int] | None = None
    for count, found in enumerate(pattern.finditer(text)):
        if count >= MOST_FOUND:
            return
        if starts is None:
            starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        line = bisect_right(starts, found.start()) - 1
        yield Match(is_old, line, found.start() - starts[line], found.end() - starts[line])
