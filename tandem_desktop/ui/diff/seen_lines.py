"""Which lines of a comparison have been on screen, kept as stretches so that a million lines cost nothing."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from tandem_desktop.ui.diff.diff_rows import Row, RowKind
from tandem_desktop.ui.diff.file_diff import FileDiff, StretchKind


class SeenLines:
    """Stretches of one side; lines are counted from zero."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, first: int, last: int) -> None:
        """These lines and all between them were in sight."""
        left = bisect_left(self._ends, first - 1)
        right = bisect_right(self._starts, last + 1)
        if left < right:
            first, last = min(first, self._starts[left]), max(last, self._ends[right - 1])
        self._starts[left:right], self._ends[left:right] = [first], [last]

    def covers(self, first: int, last: int) -> bool:
        """Whether each of these lines was in sight at some time."""
        at = bisect_right(self._starts, first) - 1
        return last < first or (at >= 0 and self._ends[at] >= last)


class SeenChanges:
    """Both sides of one comparison."""

    def __init__(self) -> None:
        self._old, self._new = SeenLines(), SeenLines()

    def note(self, rows: Iterable[Row]) -> None:
        """These rows, one below the other, are in sight."""
        lines = [row for row in rows if row.kind is RowKind.LINE]
        for seen, numbers in (
            (self._old, [row.old for row in lines if row.old is not None]),
            (self._new, [row.new for row in lines if row.new is not None]),
        ):
            if numbers:
                seen.add(numbers[0], numbers[-1])

    def unseen(self, diff: FileDiff) -> int:
        """How many changes have a line that was never in sight."""
        return sum(
            not self._old.covers(stretch.old_start, stretch.old_end - 1)
            or not self._new.covers(stretch.new_start, stretch.new_end - 1)
            for stretch in diff.stretches
            if stretch.kind is StretchKind.CHANGE
        )
