"""Which changed lines of a diff were on screen."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from PySide6.QtCore import QRect

from tandem_desktop.ui.diff.model import FileDiff, StretchKind
from tandem_desktop.ui.diff.options import DiffDisplay
from tandem_desktop.ui.diff.painter import VisibleRow
from tandem_desktop.ui.diff.rows import DiffRow, RowKind
from tandem_desktop.ui.diff.selection import line_of


class SeenLines:
    """Ranges of visible lines of one side, zero-based."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, first: int, last: int) -> None:
        """Record these lines and all between them as seen."""
        left = bisect_left(self._ends, first - 1)
        right = bisect_right(self._starts, last + 1)
        if left < right:
            first, last = min(first, self._starts[left]), max(last, self._ends[right - 1])
        self._starts[left:right], self._ends[left:right] = [first], [last]

    def covers(self, first: int, last: int) -> bool:
        """Whether each of these lines was seen."""
        at = bisect_right(self._starts, first) - 1
        return last < first or (at >= 0 and self._ends[at] >= last)


class SeenChanges:
    """Which changed lines of both sides were on screen, whole."""

    def __init__(self) -> None:
        self._old, self._new = SeenLines(), SeenLines()
        self.count = 0
        """At least as many lines as were seen; quick to know."""
        self._parts: dict[tuple[bool, int], SeenLines] = {}

    def knows(self, is_old: bool, line: int) -> bool:
        return (self._old if is_old else self._new).covers(line, line)

    def add(self, is_old: bool, first: int, last: int) -> None:
        """Record whole lines."""
        lines = self._old if is_old else self._new
        if not lines.covers(first, last):
            self.count += last - first + 1
            lines.add(first, last)

    def add_part(self, key: tuple[bool, int], first: int, last: int, end: int) -> None:
        """Record parts `first` to `last` of a line that has `end` of them: visual lines, or cells."""
        if first == 0 and last >= end - 1:
            self.add(*key, key[1])
            return
        parts = self._parts.setdefault(key, SeenLines())
        parts.add(first, last)
        if parts.covers(0, end - 1):
            del self._parts[key]
            self.add(*key, key[1])

    def forget_parts(self) -> None:
        """Lines are laid out anew: what was seen of some is counted in other units."""
        self._parts.clear()

    def unseen(self, diff: FileDiff) -> int:
        """How many changes have a line that was never in sight."""
        return sum(
            not self._old.covers(stretch.old_start, stretch.old_end - 1)
            or not self._new.covers(stretch.new_start, stretch.new_end - 1)
            for stretch in diff.stretches
            if stretch.kind is StretchKind.CHANGE
        )

    def note(self, display: DiffDisplay, visible: Iterable[VisibleRow], region: QRect, slack: int) -> None:
        """Record the changed lines among visible rows, or the parts of them that lie in `region`."""
        top, bottom, panes = region.top(), region.bottom() + 1, display.panes
        for _, row, area in visible:
            if not row.is_change:
                continue
            is_whole = area.top() >= top - slack and area.bottom() + 1 <= bottom + slack
            if row.kind is RowKind.FOLD:
                if is_whole and not display.rows.hides_space(row):
                    self._note_fold(display, row)
                continue
            for pane in panes.panes:
                key = line_of(row, pane.is_old)
                if key is None or self.knows(*key):
                    continue
                shown = display.shown(row, pane)
                if shown is None or shown.styled.cut:
                    continue
                if display.wraps:
                    first = max(0, -(-(top - slack - area.top()) // panes.line))
                    last = min(len(shown.starts), (bottom + slack - area.top()) // panes.line) - 1
                    if last >= first:
                        self.add_part(key, first, last, len(shown.starts))
                elif is_whole:
                    left = int(display.scrolled / panes.cell)
                    self.add_part(key, left, left + int(pane.text_width / panes.cell), max(1, shown.styled.width))

    def _note_fold(self, display: DiffDisplay, row: DiffRow) -> None:
        proof = display.rows.proof(row)
        if proof is not None:
            ranges = [(True, *proof.lines.old), (False, *proof.lines.new)]
        else:
            sides = ((True, row.old), (False, row.new))
            ranges = [(is_old, line, line + row.lines) for is_old, line in sides if line is not None]
        for is_old, first, end in ranges:
            if end > first:
                self.add(is_old, first, end - 1)
