"""The graph view: cards, lines, keyboard navigation."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsItem,
    QGraphicsPathItem,
    QGraphicsScene,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QWidget,
)

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.graph.layout import Box, Drawing, Route
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.models import tasks
from tandem_desktop.ui.models.tasks import TaskProgressModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.operation_delegate import RowPaintCache
from tandem_desktop.ui.theme.style import paint_focus_ring
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import announce
from tandem_desktop.ui.widgets.progress import paint_status_mark


@dataclass(frozen=True, slots=True)
class GraphCard:
    """All that is drawn of one task or operation."""

    name: str
    title: str
    detail: str
    mark: str
    """A word of `status_mark.MARKS`."""
    spoken: str
    operation: OperationId | None
    """The operation that Enter and a click show."""
    is_code: bool = False


def task_waits(work: TaskProgressModel) -> dict[str, tuple[str, ...]]:
    return {f"task {task.id}": tuple(f"task {each}" for each in task.blocked_by) for task in work.tasks}


def operation_waits(work: TaskProgressModel) -> dict[str, tuple[str, ...]]:
    """The dependencies of each operation: those of the plan, and the previous operation on the same path."""
    last: dict[str, str] = {}
    found: dict[str, tuple[str, ...]] = {}
    for view in work.views:
        operation = view.operation
        touched = [last[path] for path in operation.paths if path in last]
        found[operation.id] = tuple(dict.fromkeys((*operation.blocked_by, *touched)))
        last |= dict.fromkeys(operation.paths, operation.id)
    return found


def task_card(work: TaskProgressModel, task: PlanTask) -> GraphCard:
    parts = (task.agent.upper(), tasks.status_word(task))
    detail = " · ".join(part for part in parts if part)
    if task.status is TaskStatus.FAILED and task.error:
        detail = f"{detail}: {tasks.remark(work, task)}"
    waits = tasks.named(work.blockers(task.id))
    blocked = tasks.named(work.blocks(task.id))
    spoken = ", ".join(
        part
        for part in (
            tr("Task {subject}", subject=tasks.subject(task)),
            tasks.status_word(task),
            tr("after {waits}", waits=waits) if waits else "",
            tr("before {blocked}", blocked=blocked) if blocked else "",
        )
        if part
    )
    operation = _worth_looking_at(work, task)
    return GraphCard(
        f"task {task.id}",
        tasks.subject(task),
        tasks.in_one_line(detail),
        tasks.MARKS[task.status],
        spoken,
        operation,
    )


def operation_card(work: TaskProgressModel, view: OperationView) -> GraphCard:
    operation = view.operation
    status = work.status(operation.id)
    words = tasks.result_word(status) if work.has_run else tr("waiting")
    task = work.task_of(view)
    detail = f"{wording.kind_word(operation)} · {words}"
    if task is not None:
        detail = f"{detail} · {tasks.subject(work.task(task))}"
    _, name = wording.subject(operation)
    return GraphCard(
        operation.id,
        name,
        detail,
        tasks.RESULT_MARKS[status],
        f"{wording.title(operation)}, {words}",
        operation.id,
        is_code=True,
    )


def _worth_looking_at(work: TaskProgressModel, task: PlanTask) -> OperationId | None:
    """The operation of a task that failed or is running, otherwise its first."""
    views = work.views_of(task.id)
    wanted = {"failed": 0, "running": 1}
    ranked = sorted(views, key=lambda view: wanted.get(tasks.RESULT_MARKS[work.status(view.operation.id)], 2))
    return ranked[0].operation.id if ranked else None


_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_INKS = {"failed": "removed_ink", "skipped": "risk", "running": "link"}
_EDGES = {"failed": "removed_strong", "running": "accent", "done": "added_strong"}


class CardItem(QGraphicsItem):
    """One task or operation. The state is a mark, a word and, last, a colour."""

    def __init__(self, theme: Theme, paint_cache: RowPaintCache, box: Box, card: GraphCard) -> None:
        super().__init__()
        self._theme = theme
        self._paint_cache = paint_cache
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

    def show_card(self, card: GraphCard) -> None:
        self.card = card
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        px, card = self._theme.px, self.card
        whole = QRectF(0, 0, self.box.width, self.box.height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self._paint_cache.color("raised" if self._theme.is_dark else "panel"))
        painter.setPen(
            QPen(self._paint_cache.color("line_strong" if self.is_current else _EDGES.get(card.mark, "line")), 1)
        )
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
        painter.setPen(self._paint_cache.color(token))
        painter.drawText(room, _LEFT, QFontMetrics(font).elidedText(text, mode, int(room.width())))


class LineItem(QGraphicsPathItem):
    """From what must be first to what waits for it."""

    def __init__(self, theme: Theme, route: Route) -> None:
        super().__init__(_path(route))
        self.route = route
        self._theme = theme
        self.mark(False)

    def mark(self, is_near: bool) -> None:
        """Highlight the edges of the current card."""
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


class Way(Enum):
    """Where an arrow key points."""

    LEFT = -1, 0
    RIGHT = 1, 0
    UP = 0, -1
    DOWN = 0, 1


def moved(drawing: Drawing, name: str, way: Way) -> str:
    """The name of the next card; the same where there is none. Without a card to begin from, the first."""
    box = drawing.box(name)
    if box is None:
        return drawing.boxes[0].name if drawing.boxes else ""
    across, down = way.value
    found = _across(drawing, box, across) if across else _along(drawing, box, down)
    return found.name if found is not None else name


def _across(drawing: Drawing, box: Box, across: int) -> Box | None:
    if across > 0:
        ends = {route.end for route in drawing.routes if route.start == box.name}
    else:
        ends = {route.start for route in drawing.routes if route.end == box.name}
    joined = [each for each in drawing.boxes if each.name in ends]
    beside = [each for each in drawing.boxes if (each.layer - box.layer) * across > 0]
    if not joined and beside:
        nearest = min(abs(each.layer - box.layer) for each in beside)
        joined = [each for each in beside if abs(each.layer - box.layer) == nearest]
    return min(joined, key=lambda each: (abs(each.middle - box.middle), each.y), default=None)


def _along(drawing: Drawing, box: Box, down: int) -> Box | None:
    same = [each for each in drawing.boxes if each.layer == box.layer and (each.y - box.y) * down > 0]
    return min(same, key=lambda each: abs(each.y - box.y), default=None)


_EDGE = 24
_STEP = 1.2
_SMALLEST, _LARGEST = 0.1, 3.0
_READABLE = 0.6
"""Minimum automatic zoom; a key shows everything."""
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
        self._paint_cache = RowPaintCache(theme)
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

    # Input

    def show_drawing(self, drawing: Drawing, cards: Mapping[str, GraphCard]) -> None:
        """Show another drawing; the current card stays current if it still exists."""
        scene = self.scene()
        scene.clear()
        self._drawing = drawing
        self._items = {
            box.name: CardItem(self._theme, self._paint_cache, box, cards[box.name]) for box in drawing.boxes
        }
        self._lines = [LineItem(self._theme, route) for route in drawing.routes]
        for item in (*self._lines, *self._items.values()):
            scene.addItem(item)
        edge = self._theme.px(_EDGE)
        self.setSceneRect(QRectF(0, 0, drawing.width, drawing.height).adjusted(-edge, -edge, edge, edge))
        self._point_at(self._current if self._current in self._items else next(iter(self._items), ""))
        if self._fits:
            self._begin()
        self._turn_or_rest()

    def show_card(self, card: GraphCard) -> None:
        """Update a card in place."""
        item = self._items.get(card.name)
        if item is not None:
            item.show_card(card)
            self._turn_or_rest()

    # Display

    @property
    def current(self) -> str:
        return self._current

    @property
    def zoom(self) -> float:
        return self.transform().m11()

    def picture(self, scale: float = 2.0) -> QImage:
        """The whole drawing as an image."""
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

    # Actions

    def fit(self) -> None:
        """Fit the whole drawing, without enlarging it."""
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

    # Navigation

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
        """Show as much as is readable, from the start."""
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
