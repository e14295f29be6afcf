"""Cards and lines as they lie on the drawing; they paint and know nothing of plans."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem, QStyleOptionGraphicsItem, QWidget

from tandem_desktop.ui.graph.graph_cards import Card
from tandem_desktop.ui.graph.layered_layout import Box, Route
from tandem_desktop.ui.plan.inks import Inks
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_focus_ring
from tandem_desktop.ui.widgets.status_mark import paint_status_mark

_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_INKS = {"failed": "removed_ink", "skipped": "risk", "running": "link"}
_EDGES = {"failed": "removed_strong", "running": "accent", "done": "added_strong"}


class CardItem(QGraphicsItem):
    """One task or operation. The state is a mark, a word and, last, a colour."""

    def __init__(self, theme: Theme, inks: Inks, box: Box, card: Card) -> None:
        super().__init__()
        self._theme = theme
        self._inks = inks
        self.box = box
        self.card = card
        self.is_current = False
        self.has_keyboard = False
        self.turn = 0
        self.setPos(box.x, box.y)
        self.setZValue(1)
        self.setToolTip("")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def boundingRect(self) -> QRectF:
        return QRectF(-4, -4, self.box.width + 8, self.box.height + 8)

    def show_card(self, card: Card) -> None:
        self.card = card
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        px, card = self._theme.px, self.card
        whole = QRectF(0, 0, self.box.width, self.box.height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self._inks.color("raised" if self._theme.is_dark else "panel"))
        painter.setPen(QPen(self._inks.color("line_strong" if self.is_current else _EDGES.get(card.mark, "line")), 1))
        painter.drawRoundedRect(whole.adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
        if self.is_current and self.has_keyboard:
            paint_focus_ring(painter, self._theme, whole.adjusted(-3, -3, 3, 3), radius=10)
        side = px(18)
        mark = QRectF(whole.right() - px(10) - side, px(10), side, side)
        paint_status_mark(painter, self._theme, card.mark, mark, self.turn)
        room = QRectF(px(12), px(8), mark.left() - px(18), px(20))
        title = self._theme.code_font() if card.is_code else self._theme.ui_font(bold=True)
        mode = Qt.TextElideMode.ElideMiddle if card.is_code else Qt.TextElideMode.ElideRight
        self._text(painter, room, card.title, title, "text", mode)
        room = QRectF(px(12), px(29), whole.width() - px(24), px(18))
        ink = _INKS.get(card.mark, "muted")
        self._text(painter, room, card.detail, self._theme.ui_font(-2), ink, Qt.TextElideMode.ElideRight)

    def _text(
        self, painter: QPainter, room: QRectF, text: str, font: QFont, token: str, mode: Qt.TextElideMode
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._inks.color(token))
        painter.drawText(room, _LEFT, QFontMetrics(font).elidedText(text, mode, int(room.width())))


class LineItem(QGraphicsPathItem):
    """From what must be first to what waits for it."""

    def __init__(self, theme: Theme, route: Route) -> None:
        super().__init__(_path(route))
        self.route = route
        self._theme = theme
        self.mark(False)

    def mark(self, is_near: bool) -> None:
        """Lines of the card that is looked at stand out."""
        self.setPen(QPen(self._theme.color("accent" if is_near else "line_strong"), 2 if is_near else 1.4))
        self.setZValue(0.5 if is_near else 0)


def _path(route: Route) -> QPainterPath:
    (x, y), *rest = route.points
    path = QPainterPath()
    path.moveTo(x, y)
    for to_x, to_y in rest:
        middle = (x + to_x) / 2
        path.cubicTo(middle, y, middle, to_y, to_x, to_y)
        x, y = to_x, to_y
    return path
