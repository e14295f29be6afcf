"""Positions of operation rows and within them."""

from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum
from itertools import accumulate

from PySide6.QtCore import QRect

from tandem_desktop.ui.theme.theme import Theme

ROW, GAP, MARGIN, PADDING = 32, 0, 0, 12
_HANDLE, _BOX, _BUTTON, _SPACE = 10, 16, 20, 10
TAG = 16


class Zone(StrEnum):
    """The clickable parts of a row."""

    HANDLE = "handle"
    BOX = "box"
    REMOVE = "remove"
    EXPANDER = "expander"
    MERGE = "merge"
    """The band that says a file drifted."""
    BODY = "body"


class RowZones:
    """The parts of one row's first line, left to right."""

    def __init__(self, theme: Theme, line: QRect, *, movable: bool, removable: bool) -> None:
        px, middle = theme.px, line.center().y() + 1
        x = line.left() + px(PADDING)
        self.handle = QRect(x, middle - px(8), px(_HANDLE), px(16)) if movable else QRect()
        x += px(_HANDLE) + px(_SPACE) if movable else 0
        self.box = QRect(x, middle - px(8), px(_BOX), px(16))
        x += px(_BOX) + px(_SPACE)
        self.tag = QRect(x, middle - px(10), px(TAG), px(20))
        x += px(TAG) + px(_SPACE)
        right = line.right() - px(8)
        self.expander = QRect(right - px(_BUTTON) + 1, middle - px(10), px(_BUTTON), px(20))
        right = self.expander.left() - px(2)
        self.remove = QRect()
        if removable:
            self.remove = QRect(right - px(_BUTTON) + 1, middle - px(10), px(_BUTTON), px(20))
            right = self.remove.left() - px(4)
        self.middle = QRect(x, line.top(), max(0, right - x), line.height())

    def at(self, x: int, y: int) -> Zone:
        grow = 6
        for zone, rect in (
            (Zone.HANDLE, self.handle),
            (Zone.BOX, self.box),
            (Zone.REMOVE, self.remove),
            (Zone.EXPANDER, self.expander),
        ):
            if not rect.isNull() and rect.adjusted(-grow, -grow, grow, grow).contains(x, y):
                return zone
        return Zone.BODY


class RowGeometry:
    """Tops and heights of ten thousand rows, of which only a few are higher than one line.

    Looking one up costs the logarithm of the number of higher rows, and nothing is kept for the others.
    """

    def __init__(self, count: int, row: int, gap: int, margin: int, extras: Sequence[tuple[int, int]] = ()) -> None:
        self.count, self.row, self.gap, self.margin = count, row, gap, margin
        self._rows = [number for number, _ in extras]
        self._extras = dict(extras)
        self._sums = [0, *accumulate(extra for _, extra in extras)]

    def top(self, row: int) -> int:
        before = bisect_right(self._rows, row - 1)
        return self.margin + row * (self.row + self.gap) + self._sums[before]

    def height(self, row: int) -> int:
        return self.row + self._extras.get(row, 0)

    def continues(self, before: "RowGeometry") -> bool:
        """Whether every row of `before` keeps its place and rows were only added at the end."""
        mine, theirs = (self.row, self.gap, self.margin), (before.row, before.gap, before.margin)
        return mine == theirs and self._extras == before._extras and self.count >= before.count

    @property
    def total(self) -> int:
        return self.top(self.count) - (self.gap if self.count else 0) + self.margin

    def at(self, y: int) -> int:
        """The row at or before `y`, -1 above the first one."""
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            if self.top(middle) <= y:
                low = middle + 1
            else:
                high = middle
        return low - 1


class TouchedRows:
    """Collects rows to repaint until the next layout."""

    def __init__(self) -> None:
        self._rows: set[int] = set()
        self._all = False

    def note(self, first: int, last: int) -> None:
        if first == last:
            self._rows.add(first)
        else:
            self._all = True

    def note_all(self) -> None:
        self._all = True

    def take(self, before: RowGeometry, now: RowGeometry) -> set[int] | None:
        """The rows to repaint, including new ones at the end; None if all have to be."""
        rows, everything = self._rows, self._all or not now.continues(before)
        self._rows, self._all = set(), False
        return None if everything else rows | set(range(before.count, now.count))
