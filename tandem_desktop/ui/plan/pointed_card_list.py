"""Cards under the mouse: what is pointed at, what is clicked, and a card that is dragged to another place."""

from html import escape

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip

from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.card_list import CardList
from tandem_desktop.ui.plan.operation_delegate import Pointing, paint_drop_line
from tandem_desktop.ui.plan.row_geometry import GAP, ROW, Zone
from tandem_desktop.ui.words import tr

_SCROLL_MS = 16


class PointedCardList(CardList):
    """Turns presses and moves into zones and into a wish for another order; what a click means is for others."""

    reorder_requested = Signal(object)
    """Every operation id in the wanted order."""
    zone_clicked = Signal(int, object)
    """A row and the `Zone` of it."""

    _hovered: tuple[int, Zone | None] = (-1, None)
    _pressed: tuple[int, Zone, QPoint] | None = None
    _dragged: tuple[int, int, int] | None = None
    """Row, where it was taken, and where the mouse is."""

    def watch_the_mouse(self) -> None:
        self.viewport().setMouseTracking(True)
        self._scroller = QTimer(self, interval=_SCROLL_MS)
        self._scroller.timeout.connect(self._scroll_while_dragging)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        row = self._row_at(point)
        if event.button() is not Qt.MouseButton.LeftButton or row < 0:
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        zone = self._zone_at(row, point)
        self._pressed = (row, zone, point)
        self._set_current(row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._dragged is not None:
            row, taken, _ = self._dragged
            self._dragged = (row, taken, point.y())
            self.viewport().update()
            return
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            row, zone, start = self._pressed
            far = (point - start).manhattanLength() >= QApplication.startDragDistance()
            if zone is Zone.HANDLE and far:
                self._dragged = (row, start.y() - self._card(row).top(), point.y())
                self._scroller.start()
                self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
                self.viewport().update()
            return
        self._hover(point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            self._drop()
            return
        pressed, self._pressed = self._pressed, None
        if pressed is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        point = event.position().toPoint()
        row = self._row_at(point)
        if row == pressed[0] and self._zone_at(row, point) is pressed[1]:
            self.zone_clicked.emit(row, pressed[1])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # The second press of a fast pair is a press like any other: two boxes ticked quickly are two ticks.
        self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._set_hovered(-1, None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self._hover(event.position().toPoint())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self._row_at(event.pos())
            text = self._tip(row, self._zone_at(row, event.pos())) if row >= 0 else ""
            # Escaped: a tool tip would otherwise take an agent's words for markup.
            QToolTip.showText(event.globalPos(), f"<qt>{escape(text)}</qt>" if text else "", self)
            return True
        return bool(super().viewportEvent(event))

    def _zone_at(self, row: int, point: QPoint) -> Zone:
        if row < 0:
            return Zone.BODY
        shown = self.operations().row(row)
        note = self._delegate.note_at(self._card(row), shown, point.y()) if shown.drift else None
        if note is not None and note.link and self._editable:
            return Zone.MERGE
        zones = self._delegate.zones(self._line(row), shown, editable=self._editable, movable=self._movable())
        zone = zones.at(point.x(), point.y())
        return Zone.BODY if zone is Zone.BOX and shown.running else zone

    def _movable(self) -> bool:
        return self._editable and self.operations().is_plan_order

    def _pointing(self, row: int) -> Pointing:
        hovered = self._hovered[0] == row and self._dragged is None
        return Pointing(
            hovered=hovered,
            zone=self._hovered[1] if hovered else None,
            current=self.currentIndex().row() == row,
            focused=self.hasFocus(),
            editable=self._editable,
            movable=self._movable(),
            turn=self._turning.degrees,
            lifted=self._dragged is not None and self._dragged[0] == row,
        )

    def _hover(self, point: QPoint) -> None:
        row = self._row_at(point)
        zone = self._zone_at(row, point) if row >= 0 else None
        self._set_hovered(row, zone)
        shapes = {Zone.HANDLE: Qt.CursorShape.OpenHandCursor, Zone.BODY: Qt.CursorShape.ArrowCursor}
        shape = shapes.get(zone, Qt.CursorShape.PointingHandCursor) if zone else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def _set_hovered(self, row: int, zone: Zone | None) -> None:
        if (row, zone) == self._hovered:
            return
        before, self._hovered = self._hovered[0], (row, zone)
        for each in {before, row} - {-1}:
            if each < self._places.count:
                self.viewport().update(self._line(each))

    def _drop(self) -> None:
        assert self._dragged is not None
        row, before = self._dragged[0], self._drop_row()
        self._end_drag()
        if before not in (row, row + 1):
            self.reorder_requested.emit(self.operations().order_after_moving(row, before))

    def _end_drag(self) -> None:
        self._dragged = self._pressed = None
        self._scroller.stop()
        self.viewport().unsetCursor()
        self.viewport().update()

    def _drop_row(self) -> int:
        """Before which row the dragged one would go."""
        assert self._dragged is not None
        _, taken, mouse = self._dragged
        middle = mouse - taken + self._theme.px(ROW) // 2 + self.verticalOffset()
        at = self._places.at(middle)
        if at < 0:
            return 0
        return at + 1 if middle > self._places.top(at) + self._places.height(at) // 2 else at

    def _scroll_while_dragging(self) -> None:
        if self._dragged is None:
            return
        mouse, edge, bar = self._dragged[2], self._theme.px(40), self.verticalScrollBar()
        if mouse < edge:
            bar.setValue(bar.value() - (edge - mouse) // 3)
        elif mouse > self.viewport().height() - edge:
            bar.setValue(bar.value() + (mouse - self.viewport().height() + edge) // 3)

    def _paint_over(self, painter: QPainter) -> None:
        if self._dragged is None:
            return
        row, taken, mouse = self._dragged
        before = self._drop_row()
        left, right = self._card(row).left(), self._card(row).right()
        gap = self._theme.px(GAP) // 2
        last = self._places.count - 1
        y = self._card(before).top() - gap if before <= last else self._card(last).bottom() + gap
        paint_drop_line(painter, self._theme, left, right, y)
        painter.setOpacity(0.92)
        card = QRect(left, mouse - taken, self._card_width(), self._theme.px(ROW))
        self._delegate.paint_row(painter, card, self.operations().row(row), Pointing(current=True, focused=True))
        painter.setOpacity(1)

    def _tip(self, row: int, zone: Zone) -> str:
        shown = self.operations().row(row)
        words = {
            Zone.HANDLE: tr("Drag to change the order (Alt+↑, Alt+↓)"),
            Zone.BOX: tr("Viewed (Space)"),
            Zone.REMOVE: tr("Keep this operation (x)") if shown.dropped else tr("Drop this operation (x)"),
            Zone.MERGE: tr("See the file from three sides (m)"),
            Zone.EXPANDER: tr("Close (←)") if shown.expanded else tr("Open (→)"),
        }.get(zone)
        if words is not None:
            return words
        agent = wording.agent_words(shown.operation)
        lines = [
            wording.title(shown.operation),
            *(tr("The agent says: {agent}", agent=agent) for _ in range(bool(agent))),
        ]
        return " · ".join((*lines, *(wording.flag_explanation(flag) for flag in shown.view.flags)))

    def _let_go(self) -> bool:
        if self._dragged is None:
            return False
        self._end_drag()
        return True
