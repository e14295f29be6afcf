"""How a line of the plans' list is drawn: a heading in small type, or a plan with its mark and where it stands."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from tandem_desktop.ui.models.plans_model import PlansModel, RailRow
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_ground

_HEADING, _PADDING, _DOT, _INDENT, _ABOVE, _BETWEEN = 36, 8, 8, 24, 8, 2
_STEP = 16
_MOST_LINES = 2


class RailDelegate(QStyledItemDelegate):
    """Titles and their words take up to two lines each; what is longer is marked as cut and whole in the tool tip."""

    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: RailRow = index.data(PlansModel.RowRole)
        px = self._theme.px
        if row.plan is None:
            return QSize(0, px(_HEADING))
        room = self._view.viewport().width() - px(_INDENT + self._below(row)) - px(_PADDING)
        height = sum(QFontMetrics(font).height() * len(lines) for lines, font, _ in self._texts(row, room))
        return QSize(0, height + px(2 * _ABOVE + _BETWEEN))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row: RailRow = index.data(PlansModel.RowRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect
        if row.plan is None:
            self._heading(painter, area, row)
        else:
            self._plan(painter, area, row, option.state)
        painter.restore()

    def _heading(self, painter: QPainter, area: QRect, row: RailRow) -> None:
        px = self._theme.px
        painter.setFont(self._theme.ui_font(-2, bold=True))
        painter.setPen(self._theme.color("muted"))
        words = area.adjusted(px(_PADDING), px(8), -px(_PADDING), 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, row.title)

    def _plan(self, painter: QPainter, area: QRect, row: RailRow, state: QStyle.StateFlag) -> None:
        theme, px = self._theme, self._theme.px
        ground = QRectF(area.adjusted(0, px(1), 0, -px(1)))
        if state & QStyle.StateFlag.State_Selected:
            edge = "focus" if self._view.hasFocus() else "line"
            paint_ground(painter, theme, ground, theme.color("raised"), theme.color(edge))
        elif state & QStyle.StateFlag.State_MouseOver:
            paint_ground(painter, theme, ground, theme.color("hover"), None)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(row.dot))
        first = QFontMetrics(theme.ui_font()).height()
        below = px(self._below(row))
        dot = QPointF(area.left() + below + px(_PADDING) + px(_DOT) / 2, area.top() + px(_ABOVE) + first / 2)
        painter.drawEllipse(dot, px(_DOT) / 2, px(_DOT) / 2)
        left, top = area.left() + below + px(_INDENT), area.top() + px(_ABOVE)
        room = area.width() - below - px(_INDENT) - px(_PADDING)
        for lines, font, token in self._texts(row, room):
            painter.setFont(font)
            painter.setPen(theme.color(token))
            for line in lines:
                height = QFontMetrics(font).height()
                painter.drawText(QRect(left, top, room, height), Qt.AlignmentFlag.AlignVCenter, line)
                top += height
            top += px(_BETWEEN)

    def _below(self, row: RailRow) -> int:
        return _STEP if row.is_below else 0

    def _texts(self, row: RailRow, room: int) -> tuple[tuple[list[str], QFont, str], ...]:
        title, words = self._theme.ui_font(), self._theme.ui_font(-2)
        return (
            (_wrapped(row.title, title, room), title, "text"),
            (_wrapped(row.subtitle, words, room), words, "muted"),
        )


def _wrapped(text: str, font: QFont, room: int) -> list[str]:
    """The text in at most two lines; the second one ends in a mark where there is more."""
    text = " ".join(text.split())
    layout = QTextLayout(text, font)
    layout.setTextOption(_ANYWHERE)
    layout.beginLayout()
    starts: list[int] = []
    while len(starts) < _MOST_LINES and (line := layout.createLine()).isValid():
        line.setLineWidth(max(room, 1))
        starts.append(line.textStart())
    layout.endLayout()
    if not starts:
        return [""]
    *whole, last = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [*whole, QFontMetrics(font).elidedText(last, Qt.TextElideMode.ElideRight, room)]


_ANYWHERE = QTextOption()
_ANYWHERE.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
