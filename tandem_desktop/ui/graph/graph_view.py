"""The drawing on screen: dragged, zoomed, walked through by arrow keys; Enter or a click asks for a diff."""

from collections.abc import Mapping

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsScene, QGraphicsView

from tandem_desktop.ui.graph.graph_cards import Card
from tandem_desktop.ui.graph.graph_items import CardItem, LineItem
from tandem_desktop.ui.graph.layered_layout import Drawing
from tandem_desktop.ui.graph.moving import Way, moved
from tandem_desktop.ui.plan.inks import Inks
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.words import tr

_EDGE = 24
_STEP = 1.2
_SMALLEST, _LARGEST = 0.1, 3.0
_READABLE = 0.6
"""No smaller than this by itself; the whole is one key away."""
_TURN_MS = 60
_WAYS = {
    Qt.Key.Key_Left: Way.LEFT,
    Qt.Key.Key_Right: Way.RIGHT,
    Qt.Key.Key_Up: Way.UP,
    Qt.Key.Key_Down: Way.DOWN,
}


class GraphView(QGraphicsView):
    """Shows a `Drawing` with its cards. Nothing in it can be moved or joined."""

    operation_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._inks = Inks(theme)
        self._drawing = Drawing()
        self._items: dict[str, CardItem] = {}
        self._lines: list[LineItem] = []
        self._current = ""
        self._fits = True
        self._pressed: QPoint | None = None
        self.setObjectName("graph-view")
        self.setAccessibleName(tr("Graph of what waits for what"))
        self.setScene(QGraphicsScene(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._turning = QTimer(self, interval=_TURN_MS)
        self._turning.timeout.connect(self._turn)
        theme.changed.connect(self._restyle)
        self._restyle()

    # Values in

    def show_drawing(self, drawing: Drawing, cards: Mapping[str, Card]) -> None:
        """Another drawing; the card that was current stays so where it is still there."""
        scene = self.scene()
        scene.clear()
        self._drawing = drawing
        self._items = {box.name: CardItem(self._theme, self._inks, box, cards[box.name]) for box in drawing.boxes}
        self._lines = [LineItem(self._theme, route) for route in drawing.routes]
        for item in (*self._lines, *self._items.values()):
            scene.addItem(item)
        edge = self._theme.px(_EDGE)
        self.setSceneRect(QRectF(0, 0, drawing.width, drawing.height).adjusted(-edge, -edge, edge, edge))
        self._point_at(self._current if self._current in self._items else next(iter(self._items), ""))
        if self._fits:
            self._begin()
        self._turn_or_rest()

    def show_card(self, card: Card) -> None:
        """The same place, other words."""
        item = self._items.get(card.name)
        if item is not None:
            item.show_card(card)
            self._turn_or_rest()

    # What is shown

    @property
    def current(self) -> str:
        return self._current

    @property
    def zoom(self) -> float:
        return self.transform().m11()

    @property
    def is_turning(self) -> bool:
        return self._turning.isActive()

    def picture(self, scale: float = 2.0) -> QImage:
        """The whole drawing, whatever is in sight."""
        whole = self.sceneRect()
        image = QImage(
            max(1, round(whole.width() * scale)), max(1, round(whole.height() * scale)), QImage.Format.Format_ARGB32
        )
        image.setDevicePixelRatio(scale)
        image.fill(self._theme.color("surface"))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.scene().render(painter, QRectF(0, 0, whole.width(), whole.height()), whole)
        painter.end()
        return image

    # What a person does

    def fit(self) -> None:
        """All of it in sight, never larger than life."""
        self._fits = True
        self._scale_to(min(self._fitting(), 1.0))
        self.centerOn(self.sceneRect().center())

    def zoom_by(self, factor: float) -> None:
        self._fits = False
        self._scale_to(self.zoom * factor)

    def zoom_in(self) -> None:
        self.zoom_by(_STEP)

    def zoom_out(self) -> None:
        self.zoom_by(1 / _STEP)

    def open_current(self) -> None:
        item = self._items.get(self._current)
        if item is not None and item.card.operation is not None:
            self.operation_requested.emit(item.card.operation)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _WAYS:
            self._go(moved(self._drawing, self._current, _WAYS[key]))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_current()
        elif key == Qt.Key.Key_Home:
            self._go(next(iter(self._items), ""))
        elif event.text() in ("+", "="):
            self.zoom_in()
        elif event.text() == "-":
            self.zoom_out()
        elif event.text() == "0":
            self.fit()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y()
        if turned:
            self.zoom_by(_STEP ** (turned / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        spot, pressed, self._pressed = event.position().toPoint(), self._pressed, None
        if pressed is None or (spot - pressed).manhattanLength() >= QApplication.startDragDistance():
            return
        item = self.itemAt(spot)
        if isinstance(item, CardItem) and event.button() is Qt.MouseButton.LeftButton:
            self._point_at(item.card.name)
            self.open_current()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._point_at(self._current)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point_at(self._current)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fits:
            self._begin()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._fits:
            self._begin()
        self._turn_or_rest()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._turning.stop()

    # How it moves

    def _go(self, name: str) -> None:
        self._point_at(name)
        item = self._items.get(name)
        if item is not None:
            self.ensureVisible(item, 40, 40)
            announce(self, item.card.spoken)

    def _point_at(self, name: str) -> None:
        self._current = name
        for each, item in self._items.items():
            item.is_current, item.has_keyboard = each == name, self.hasFocus()
            item.update()
        for line in self._lines:
            line.mark(self.hasFocus() and name in (line.route.start, line.route.end))
        found = self._items.get(name)
        self.setAccessibleDescription(found.card.spoken if found is not None else "")

    def _fitting(self) -> float:
        whole, room = self.sceneRect(), self.viewport().size()
        if not whole.width() or not whole.height():
            return 1.0
        return min(room.width() / whole.width(), room.height() / whole.height())

    def _begin(self) -> None:
        """As much as can be read, from where the work begins."""
        fitting = self._fitting()
        self._scale_to(min(1.0, max(fitting, _READABLE)))
        if fitting >= _READABLE:
            self.centerOn(self.sceneRect().center())
        else:
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().minimum())
            self.verticalScrollBar().setValue(self.verticalScrollBar().minimum())

    def _scale_to(self, zoom: float) -> None:
        zoom = min(_LARGEST, max(_SMALLEST, zoom))
        self.scale(zoom / self.zoom, zoom / self.zoom)

    def _restyle(self) -> None:
        self.setBackgroundBrush(self._theme.color("surface"))
        self.viewport().update()

    def _running(self) -> list[CardItem]:
        return [item for item in self._items.values() if item.card.mark == "running"]

    def _turn_or_rest(self) -> None:
        if self.isVisible() and not self._theme.reduced_motion and self._running():
            self._turning.start()
        else:
            self._turning.stop()

    def _turn(self) -> None:
        for item in self._running():
            item.turn = (item.turn + 20) % 360
            item.update()
