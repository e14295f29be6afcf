"""A table of changes: rows of marked cells that wrap, are never cut, and know whether they were on screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from tandem_desktop.ui.diff.seen import SeenLines
from tandem_desktop.ui.theme.theme import Theme

_PAD, _ROOM = 8, 4
_WRAP = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
_SLACK = 3
"""Pixels of a cell that may be covered although it counts as seen: the room around its letters."""
_GROUNDS = {
    "added": "added",
    "removed": "removed",
    "added-strong": "added_strong",
    "removed-strong": "removed_strong",
    "risk": "risk_surface",
    "heading": "panel",
    "number": "panel",
}
_INKS = {
    "muted": "muted",
    "number": "muted",
    "heading": "muted",
    "risk": "risk",
    "gone": "removed_ink",
    "came": "added_ink",
}

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class TableCell:
    """A text as it is shown, and how: the name of a ground or an ink."""

    text: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One row; a heading spans all columns. `spoken` is what a screen reader says of it."""

    cells: tuple[TableCell, ...]
    is_heading: bool = False
    is_change: bool = True
    spoken: str = ""
    tone: str = ""


class ChangeModel(QAbstractTableModel):
    """The rows of a table of changes."""

    def __init__(self, theme: Theme, titles: Sequence[str], rows: Sequence[ChangeRow]) -> None:
        super().__init__()
        self._theme = theme
        self.titles, self.rows = tuple(titles), tuple(rows)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own default
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own default
        return 0 if parent.isValid() else len(self.titles)

    def cell(self, row: int, column: int) -> TableCell:
        cells = self.rows[row].cells
        return cells[column] if column < len(cells) else TableCell()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(index.row(), index.column()).text
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return self.spoken(index.row()) if index.column() == 0 else self.cell(index.row(), index.column()).text
        return None

    def spoken(self, row: int) -> str:
        found = self.rows[row]
        return found.spoken or ", ".join(cell.text for cell in found.cells if cell.text)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None


class _CellPainter(QStyledItemDelegate):
    """Wraps where it must and elides nothing."""

    def __init__(self, table: "ChangeTable") -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, model = self._table.theme, self._table.changes
        row, cell = model.rows[index.row()], model.cell(index.row(), index.column())
        ground = _GROUNDS.get(cell.tone) or _GROUNDS.get(row.tone) or "surface"
        painter.save()
        painter.fillRect(option.rect, theme.color(ground))
        if index.row() == self._table.currentIndex().row() and self._table.hasFocus():
            painter.fillRect(
                QRect(option.rect.left(), option.rect.top(), 2, option.rect.height()), theme.color("focus")
            )
            if not cell.tone and not row.tone:
                painter.fillRect(option.rect.adjusted(2, 0, 0, 0), theme.color("selection"))
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        painter.setFont(self._table.font_of(row))
        painter.setPen(theme.color(_INKS.get(cell.tone) or "text"))
        pad, room = theme.px(_PAD), theme.px(_ROOM)
        wrapped = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        wrapped.setWrapMode(_WRAP)
        painter.drawText(option.rect.adjusted(pad, room, -pad, 0).toRectF(), cell.text, wrapped)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._table.columnWidth(index.column()), self._table.rowHeight(index.row()))


class ChangeTable(QTableView):
    """Shows the rows of a model; the last column takes what is left where `stretches`."""

    all_seen = Signal()
    """Every changed cell was on screen, whole."""
    opened = Signal()
    reveal_requested = Signal(QRect)
    """The place of the current row, to be brought on screen."""
    passed_end = Signal(bool)
    """There is no further row in this direction."""

    def __init__(
        self,
        theme: Theme,
        model: ChangeModel,
        name: str,
        *,
        widest: int,
        stretches: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.theme, self.changes = theme, model
        self._widest, self._stretches = widest, stretches
        self._parts: dict[tuple[int, int], SeenLines] = {}
        self._unseen = {
            (at, column)
            for at, row in enumerate(model.rows)
            if row.is_change
            for column in range(1 if row.is_heading else len(row.cells))
            if model.cell(at, column).text
        }
        self.is_opened = False
        self.setObjectName("change-table")
        self.setAccessibleName(name)
        self.setModel(model)
        self.setItemDelegate(_CellPainter(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(1)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setMinimumSectionSize(1)
        for at, row in enumerate(model.rows):
            if row.is_heading:
                self.setSpan(at, 0, 1, max(1, len(model.titles)))
        self._fit()

    @property
    def is_seen(self) -> bool:
        return not self._unseen

    def font_of(self, row: ChangeRow) -> QFont:
        return self.theme.ui_font(bold=True) if row.is_heading else self.theme.code_font()

    def wanted_height(self, width: int) -> int:
        if width != self.width():
            self._fit(width)
        header = self.horizontalHeader().sizeHint().height()
        bar = self.horizontalScrollBar().sizeHint().height() if self._total_width() > width else 0
        return header + sum(self.rowHeight(at) for at in range(len(self.changes.rows))) + bar + 2

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        super().scrollTo(index, hint)
        if index.isValid():
            self.reveal_requested.emit(self.visualRect(index))

    def step(self, forward: bool) -> bool:
        """Go to the next changed row; False if there is none."""
        at, rows = self.currentIndex().row(), self.changes.rows
        places = range(at + 1, len(rows)) if forward else range(at - 1, -1, -1)
        found = next((place for place in places if rows[place].is_change and not rows[place].is_heading), None)
        if found is not None:
            self.setCurrentIndex(self.changes.index(found, 0))
        return found is not None

    def enter(self, forward: bool) -> None:
        """Go to the first changed row, or the last one."""
        self.setCurrentIndex(QModelIndex() if forward else self.changes.index(len(self.changes.rows) - 1, 0))
        if forward:
            self.step(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted({index.row() for index in self.selectedIndexes()})
            text = "\n".join("\t".join(cell.text for cell in self.changes.rows[row].cells) for row in rows)
            QGuiApplication.clipboard().setText(text)
            event.accept()
        elif event.text().strip() or event.key() == Qt.Key.Key_Escape:
            event.ignore()  # letters are commands of the list
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Disabled: letters are commands."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        region = self.viewport().visibleRegion().boundingRect()
        if region.isEmpty():
            return
        if not self.is_opened:
            self.is_opened = True
            self.opened.emit()
        if self._unseen:
            self._note_seen(region)
            if not self._unseen:
                self.all_seen.emit()

    def _note_seen(self, region: QRect) -> None:
        first, slack = max(0, self.rowAt(region.top())), self.theme.px(_SLACK)
        for row in range(first, len(self.changes.rows)):
            if self.rowViewportPosition(row) > region.bottom():
                break
            for column in range(len(self.changes.titles)):
                if (row, column) not in self._unseen:
                    continue
                area = self.visualRect(self.changes.index(row, column))
                shown = area & region
                if shown.isEmpty() or shown.width() < area.width() - 2 * slack:
                    continue
                parts = self._parts.setdefault((row, column), SeenLines())
                parts.add(shown.top() - area.top(), shown.bottom() - area.top())
                if parts.covers(slack, area.height() - 1 - slack):
                    self._unseen.discard((row, column))
                    del self._parts[row, column]

    def _total_width(self) -> int:
        return sum(self.columnWidth(column) for column in range(len(self.changes.titles)))

    def _fit(self, width: int = 0) -> None:
        """Columns as wide as their texts up to a limit, rows as high as their wrapped texts."""
        theme, rows, titles = self.theme, self.changes.rows, self.changes.titles
        self._parts.clear()
        code, room = QFontMetricsF(theme.code_font()), 2 * theme.px(_PAD)
        total = max(theme.px(240), (width or self.width()) - theme.px(14))
        cell = code.horizontalAdvance("m")
        most = min(total, round(self._widest * cell) + room)
        advances = [
            [ceil(code.horizontalAdvance(line.text)) if not row.is_heading else 0 for line in row.cells] for row in rows
        ]
        header = QFontMetricsF(self.horizontalHeader().font())
        widths = [ceil(header.horizontalAdvance(title)) + theme.px(18) for title in titles]
        for each in advances:
            for column, advance in enumerate(each):
                widths[column] = max(widths[column], min(most, advance + room + 1))
        if self._stretches and widths:
            left = total - sum(widths[:-1])
            widths[-1] = max(left, theme.px(160))
        for column, wide in enumerate(widths):
            self.setColumnWidth(column, min(wide, total))
        self._fit_rows(advances, total)

    def _fit_rows(self, advances: list[list[int]], total: int) -> None:
        theme, pad = self.theme, 2 * self.theme.px(_PAD)
        height, titles = ceil(QFontMetricsF(theme.code_font()).height()), ceil(QFontMetricsF(theme.ui_font()).height())
        for at, row in enumerate(self.changes.rows):
            lines, line = 1, height
            if row.is_heading:
                words = QFontMetricsF(self.font_of(row)).horizontalAdvance(row.cells[0].text)
                lines, line = max(1, ceil(words * 1.1 / max(1, min(total, self._total_width()) - pad))), titles
            for column, advance in enumerate(advances[at]):
                inner = self.columnWidth(column) - pad
                if advance > inner:
                    lines = max(lines, _lines(row.cells[column].text, theme.code_font(), inner))
            self.setRowHeight(at, lines * line + 2 * theme.px(_ROOM))


def _lines(text: str, font: QFont, width: int) -> int:
    """How many lines a text takes when it wraps."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(_WRAP)
    layout.setTextOption(option)
    layout.beginLayout()
    count = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        count += 1
    layout.endLayout()
    return max(1, count)
