"""Mouse input of the operation list: hovering, clicking, dragging and tool tips."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication

from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.operation_delegate import Pointing, paint_drop_line
from tandem_desktop.ui.plan.row_geometry import GAP, ROW, Zone

if TYPE_CHECKING:
    from tandem_desktop.ui.plan.operation_list import OperationList

_SCROLL_MS = 16
_CURSORS = {Zone.HANDLE: Qt.CursorShape.OpenHandCursor, Zone.BODY: Qt.CursorShape.ArrowCursor}


class ListPointer:
    """Handles the mouse events of one operation list."""

    def __init__(self, view: "OperationList") -> None:
        self._view = view
        self._hovered: tuple[int, Zone | None] = (-1, None)
        self._pressed: tuple[int, Zone, QPoint] | None = None
        self._dragged: tuple[int, int, int] | None = None
        """Row, the pointer's offset within it, and the pointer's y."""
        self._scroller = QTimer(view, interval=_SCROLL_MS)
        self._scroller.timeout.connect(self._scroll_while_dragging)
        view.viewport().setMouseTracking(True)

    def press(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        row = self._view.row_at(point)
        if event.button() is not Qt.MouseButton.LeftButton or row < 0:
            return
        self._view.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._view.select_to(row)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._view.toggle_selected(row)
        else:
            self._pressed = (row, self._zone_at(row, point), point)
            self._view.set_current(row)

    def move(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._dragged is not None:
            row, offset, _ = self._dragged
            self._dragged = (row, offset, point.y())
            self._view.viewport().update()
        elif self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            row, zone, start = self._pressed
            if zone is Zone.HANDLE and (point - start).manhattanLength() >= QApplication.startDragDistance():
                self._dragged = (row, start.y() - self._view.line(row).top(), point.y())
                self._scroller.start()
                self._view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
                self._view.viewport().update()
        else:
            self.hover(point)

    def release(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            self._drop()
            return
        pressed, self._pressed = self._pressed, None
        if pressed is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        point = event.position().toPoint()
        row = self._view.row_at(point)
        if row == pressed[0] and self._zone_at(row, point) is pressed[1]:
            self._view.click(row, pressed[1])

    def hover(self, point: QPoint) -> None:
        row = self._view.row_at(point)
        zone = self._zone_at(row, point) if row >= 0 else None
        self._set_hovered(row, zone)
        shape = _CURSORS.get(zone, Qt.CursorShape.PointingHandCursor) if zone else Qt.CursorShape.ArrowCursor
        self._view.viewport().setCursor(shape)

    def leave(self) -> None:
        self._set_hovered(-1, None)

    def cancel_drag(self) -> bool:
        """False where nothing was dragged."""
        if self._dragged is None:
            return False
        self._end_drag()
        return True

    def tip(self, point: QPoint) -> str:
        """The tool tip at a point."""
        row = self._view.row_at(point)
        if row < 0:
            return ""
        shown = self._view.operations().row(row)
        tip = {
            Zone.HANDLE: tr("Drag to change the order (Alt+↑, Alt+↓)"),
            Zone.BOX: tr("Viewed (Space)"),
            Zone.REMOVE: tr("Keep this operation (x)") if shown.dropped else tr("Drop this operation (x)"),
            Zone.MERGE: tr("See the file from three sides (m)"),
            Zone.EXPANDER: tr("Close (←)") if shown.expanded else tr("Open (→)"),
        }.get(self._zone_at(row, point))
        if tip is not None:
            return tip
        agent = wording.agent_reason(shown.operation)
        lines = [
            wording.title(shown.operation),
            *(tr("The agent says: {agent}", agent=agent) for _ in range(bool(agent))),
        ]
        return " · ".join((*lines, *(wording.flag_reason(shown.view, flag) for flag in shown.view.flags)))

    def pointing(self, row: int, turn: int) -> Pointing:
        """How a row is painted."""
        hovered = self._hovered[0] == row and self._dragged is None
        return Pointing(
            hovered=hovered,
            zone=self._hovered[1] if hovered else None,
            current=self._view.currentIndex().row() == row,
            selected=self._view.is_selected(row),
            focused=self._view.hasFocus(),
            editable=self._view.is_editable,
            movable=self._view.is_movable,
            turn=turn,
            lifted=self._dragged is not None and self._dragged[0] == row,
        )

    def paint_dragged(self, painter: QPainter) -> None:
        """The dragged row and the place it would go to, above the cards."""
        if self._dragged is None:
            return
        view, (row, offset, mouse) = self._view, self._dragged
        before, last = self._drop_row(), view.places.count - 1
        card, gap = view.card(row), view.theme.px(GAP) // 2
        y = view.card(before).top() - gap if before <= last else view.card(last).bottom() + gap
        paint_drop_line(painter, view.theme, card.left(), card.right(), y)
        painter.setOpacity(0.92)
        lifted = QRect(card.left(), mouse - offset, view.card_width(), view.theme.px(ROW))
        view.row_delegate.paint_row(painter, lifted, view.operations().row(row), Pointing(current=True, focused=True))
        painter.setOpacity(1)

    def _zone_at(self, row: int, point: QPoint) -> Zone:
        if row < 0:
            return Zone.BODY
        view, shown = self._view, self._view.operations().row(row)
        is_below = shown.drift and not view.line(row).contains(point)
        note = view.row_delegate.note_at(view.card(row), shown, point.y()) if is_below else None
        if note is not None and note.link and view.is_editable:
            return Zone.MERGE
        zones = view.row_delegate.zones(view.line(row), shown, editable=view.is_editable, movable=view.is_movable)
        zone = zones.at(point.x(), point.y())
        return Zone.BODY if zone is Zone.BOX and shown.running else zone

    def _set_hovered(self, row: int, zone: Zone | None) -> None:
        if (row, zone) == self._hovered:
            return
        before, self._hovered = self._hovered[0], (row, zone)
        for each in {before, row} - {-1}:
            if each < self._view.places.count:
                self._view.viewport().update(self._view.line(each))

    def _drop(self) -> None:
        assert self._dragged is not None
        row, before = self._dragged[0], self._drop_row()
        self._end_drag()
        if before not in (row, row + 1):
            self._view.reorder_requested.emit(self._view.operations().order_after_moving(row, before))

    def _end_drag(self) -> None:
        self._dragged = self._pressed = None
        self._scroller.stop()
        self._view.viewport().unsetCursor()
        self._view.viewport().update()

    def _drop_row(self) -> int:
        """The row before which the dragged one would go."""
        assert self._dragged is not None
        _, offset, mouse = self._dragged
        places = self._view.places
        middle = mouse - offset + self._view.theme.px(ROW) // 2 + self._view.verticalOffset()
        at = places.at(middle)
        if at < 0:
            return 0
        return at + 1 if middle > places.top(at) + places.height(at) // 2 else at

    def _scroll_while_dragging(self) -> None:
        if self._dragged is None:
            return
        mouse, edge, bar = self._dragged[2], self._view.theme.px(40), self._view.verticalScrollBar()
        height = self._view.viewport().height()
        if mouse < edge:
            bar.setValue(bar.value() - (edge - mouse) // 3)
        elif mouse > height - edge:
            bar.setValue(bar.value() + (mouse - height + edge) // 3)
