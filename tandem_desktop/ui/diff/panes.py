"""Pane geometry of split and unified diffs."""

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QFontMetrics, QFontMetricsF

from tandem_desktop.ui.diff.rows import DiffRow
from tandem_desktop.ui.i18n import later, tr, tr_marked
from tandem_desktop.ui.theme.theme import Theme

READABLE = 80
"""Characters each of two panes has to show; a narrower view has one."""
MORE_LABEL = later("10 more")
_WORTH_MORE = 24
"""A fold of fewer lines is opened whole or not at all."""


class Pane(NamedTuple):
    """One column of text with the numbers before it. `is_old` is None where both sides share the pane."""

    is_old: bool | None
    left: int
    right: int
    sign: int
    text: int

    @property
    def text_width(self) -> int:
        return self.right - self.text


@dataclass(frozen=True, slots=True)
class Panes:
    """All measures of a view at one width and zoom."""

    panes: tuple[Pane, ...]
    width: int
    number: int
    """How wide one column of numbers is."""
    cell: float
    line: int
    header: int
    ascent: int
    """From the top of a line to the baseline."""
    word_top: float
    """From the top of a line to the ascent of its font."""

    def at(self, x: int) -> Pane:
        return next((pane for pane in self.panes if x < pane.right), self.panes[-1])

    def numbers(self, pane: Pane) -> int:
        """How wide all number columns of a pane are."""
        return self.number * (2 if pane.is_old is None else 1)

    def columns(self) -> int:
        """How many cells fit into the narrowest pane."""
        return max(8, self.characters - 1)

    @property
    def characters(self) -> int:
        """How many characters the narrowest pane shows."""
        return int(min(pane.text_width for pane in self.panes) / self.cell)


def panes_for(theme: Theme, width: int, largest_number: int, *, is_split: bool) -> Panes:
    metrics = QFontMetricsF(theme.code_font())
    cell = metrics.horizontalAdvance("m" * 100) / 100
    line = max(theme.px(20), ceil(metrics.height()) + theme.px(2))
    number = max(theme.px(44), round(cell * len(str(largest_number))) + theme.px(20))
    sign, gap = theme.px(5), theme.px(18)
    if is_split:
        middle = width // 2
        made = tuple(
            Pane(is_old, left, right, left + number + sign, left + number + gap)
            for is_old, left, right in ((True, 0, middle), (False, middle + 1, width))
        )
    else:
        made = (Pane(None, 0, width, 2 * number + sign, 2 * number + gap),)
    base = round((line - metrics.height()) / 2 + metrics.ascent())
    return Panes(made, width, number, cell, line, theme.px(32), base, base - metrics.ascent())


@dataclass(frozen=True, slots=True)
class HeaderButton:
    """One of the actions in the bar above a change."""

    name: str
    label: str
    area: QRect


def more_area(theme: Theme, bar: QRect, row: DiffRow) -> QRect:
    """The area of a fold's "10 more" button; empty for a short fold."""
    if row.is_change or row.number < 0 or row.lines <= _WORTH_MORE:
        return QRect()
    width = QFontMetrics(theme.ui_font(-1)).horizontalAdvance(tr_marked(MORE_LABEL)) + theme.px(24)
    return QRect(bar.right() + 1 - width, bar.top(), width, bar.height())


def header_buttons(theme: Theme, bar: QRect, *, is_dropped: bool, offers: frozenset[str]) -> tuple[HeaderButton, ...]:
    """The available buttons of a hunk's bar, aligned right; the current state is ticked."""
    metrics = QFontMetrics(theme.ui_font(-1))
    labels = (
        ("keep", tr("Keep") if is_dropped else tr("Keep ✓")),
        ("comment", tr("Comment")),
        ("drop", tr("Dropped ✓") if is_dropped else tr("Drop change")),
    )
    right = bar.right() + 1 - theme.px(12)
    made: list[HeaderButton] = []
    for name, label in labels:
        if name not in offers:
            continue
        size = QSize(metrics.horizontalAdvance(label) + theme.px(16), theme.px(22))
        corner = QPoint(right - size.width(), bar.top() + (bar.height() - size.height()) // 2)
        made.append(HeaderButton(name, label, QRect(corner, size)))
        right -= size.width() + theme.px(8)
    return tuple(reversed(made))
