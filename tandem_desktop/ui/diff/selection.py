"""The selection in a diff."""

from collections.abc import Iterator
from typing import NamedTuple

from tandem_desktop.ui.diff.rows import DiffRow, DiffRows, RowKind

_BYTES = -1
"""The number of the fold that hides bytes."""


class TextPosition(NamedTuple):
    """A row and a character of its line."""

    row: int
    column: int


class Selection(NamedTuple):
    """From `anchor` to `head`, on one side or, in one column, on both."""

    anchor: TextPosition
    head: TextPosition
    is_old: bool | None = None

    @property
    def first(self) -> TextPosition:
        return min(self.anchor, self.head)

    @property
    def last(self) -> TextPosition:
        return max(self.anchor, self.head)

    def columns(self, row: int, length: int) -> tuple[int, int] | None:
        """Which characters of a row are selected; one more than there are if its newline is too."""
        first, last = self.first, self.last
        if not first.row <= row <= last.row or first == last:
            return None
        start = first.column if row == first.row else 0
        end = last.column if row == last.row else length + 1
        return (start, end) if end > start else None


def line_of(row: DiffRow, is_old: bool | None) -> tuple[bool, int] | None:
    """The line a row shows on a side; in one column, the one it has."""
    if row.kind is not RowKind.LINE:
        return None
    if is_old is None:
        if row.new is not None:
            return False, row.new
        return (True, row.old) if row.old is not None else None
    line = row.old if is_old else row.new
    return None if line is None else (is_old, line)


def selected_text(rows: DiffRows, selection: Selection) -> str:
    """As shown: hidden characters are copied as tokens, so that they stay visible. Folded lines are included."""
    return "\n".join(_selected_lines(rows, selection))


def _selected_lines(rows: DiffRows, selection: Selection) -> Iterator[str]:
    for index in range(selection.first.row, selection.last.row + 1):
        row = rows.row(index)
        if row.kind is RowKind.FOLD and row.number != _BYTES:
            takes_old = selection.is_old or (selection.is_old is None and row.new is None)
            side, start = (rows.diff.old, row.old) if takes_old else (rows.diff.new, row.new)
            if start is not None:
                yield from (line.removesuffix("␍") for line in side.lines(start, start + row.lines))
        line = line_of(row, selection.is_old)
        if line is None:
            continue
        text = (rows.diff.old if line[0] else rows.diff.new).line(line[1])
        marked = selection.columns(index, len(text))
        if marked:
            yield text[marked[0] : marked[1]].removesuffix("␍")


def marked_lines(rows: DiffRows, selection: Selection) -> tuple[bool, int, int] | None:
    """Old or not, and the first and last line of a selection, one-based."""
    selected = (rows.row(index) for index in range(selection.first.row, selection.last.row + 1))
    lines = [line for row in selected if (line := line_of(row, selection.is_old)) is not None]
    is_old = bool(lines) and all(line[0] for line in lines)
    numbers = [number + 1 for side, number in lines if side == is_old]
    return (is_old, min(numbers), max(numbers)) if numbers else None


def marked_changes(
    rows: DiffRows, selection: Selection | None, current: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Added and removed lines of a selection, or the current line and its counterpart; one-based on their own side."""
    if selection is None:
        row = rows.row(current) if current >= 0 else None
        if row is None or row.kind is not RowKind.LINE or not row.is_change:
            return (), ()
        old, new = row.pair or (row.old, row.new)
        return () if new is None else (new + 1,), () if old is None else (old + 1,)
    side = selection.is_old
    selected = (rows.row(index) for index in range(selection.first.row, selection.last.row + 1))
    changed = [row for row in selected if row.kind is RowKind.LINE and row.is_change]
    added = tuple(row.new + 1 for row in changed if row.new is not None and side is not True)
    removed = tuple(row.old + 1 for row in changed if row.old is not None and side is not False)
    return added, removed
