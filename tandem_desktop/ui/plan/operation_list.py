"""The operation list: selection, mouse, keys and dragging."""

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QToolTip, QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.keys import LETTERS
from tandem_desktop.ui.models.operations import OperationRow, StagedOperationsModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.card_list import CardList
from tandem_desktop.ui.plan.choices import is_editable
from tandem_desktop.ui.plan.comments import CommentSpot
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_delegate import Pointing, paint_drop_line
from tandem_desktop.ui.plan.row_geometry import GAP, ROW, Zone
from tandem_desktop.ui.theme.theme import Theme

_SCROLL_MS = 16


class OperationList(CardList):
    """Cards in execution order. Marks and opens by itself; asks for everything that changes the plan."""

    reorder_requested = Signal(object)
    """Every operation id in the wanted order."""
    zone_clicked = Signal(int, object)
    """A row and the `Zone` of it."""
    _hovered: tuple[int, Zone | None] = (-1, None)
    _pressed: tuple[int, Zone, QPoint] | None = None
    _dragged: tuple[int, int, int] | None = None
    """Row, where it was taken, and where the mouse is."""
    remove_requested = Signal(object)
    """A tuple of operation ids."""
    implement_requested = Signal()
    edit_requested = Signal(str)
    """An operation whose proposed file the person wants to edit."""
    theirs_requested = Signal(str)
    """An edited operation whose proposed version is wanted again."""
    merge_requested = Signal(str)
    """An operation whose file drifted."""
    filter_requested = Signal()

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

    def __init__(
        self,
        model: StagedOperationsModel,
        theme: Theme,
        make_content: Callable[[OperationRow], OperationContent],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(model, theme, make_content, parent)
        self.single_letters = True
        self.setObjectName("operation-list")
        self.setAccessibleName(tr("Operations"))
        self.watch_the_mouse()
        self.zone_clicked.connect(self._clicked)
        self.left_behind.connect(self._leave_content)

    def set_editable(self, editable: bool) -> None:
        """Whether operations can be dropped and moved; looking is always possible."""
        if editable != self._editable:
            self._editable = editable
            self._later()
        self.viewport().update()

    def go_to(self, operation_id: OperationId, *, open_it: bool = False) -> None:
        """Make it the current operation and bring it into sight."""
        row = self.operations().row_of(operation_id)
        if row < 0:
            return
        if open_it:
            self.operations().set_expanded(operation_id, True)
            self.lay_out()
        self._select(row)

    def go_to_change(self, forward: bool) -> bool:
        """The next or previous change, on into the next operation that has one; False where there is none left."""
        row = self.current_row()
        content = self._contents.get(row.operation.id) if row is not None and row.expanded else None
        if content is not None and content.go_to_change(forward):
            return True
        model = self.operations()
        at = self.currentIndex().row()
        candidates = range(at + 1, model.rowCount()) if forward else range(at - 1, -1, -1)
        if at >= 0 and row is not None and not row.expanded and row.view.hunks:
            candidates = range(at, model.rowCount()) if forward else range(at, -1, -1)
        for number in candidates:
            found = model.row(number)
            if found.view.hunks:
                self.go_to(found.operation.id, open_it=True)
                self.viewport().repaint()
                if (content := self._contents.get(found.operation.id)) is not None:
                    content.enter(forward)
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._key(event):
            event.accept()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.menu()
        if not menu.isEmpty():
            menu.popup(event.globalPos())

    def menu(self) -> QMenu:
        """Everything that can be done with the current operation, for those who know no keys yet."""
        menu = QMenu(self)
        menu.setObjectName("operation-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        row = self.current_row()
        if row is None:
            return menu
        path = row.operation.to or row.operation.path
        menu.addAction(
            tr("Close") + "\tLeft" if row.expanded else tr("Open") + "\tRight", lambda: self._toggle_expanded(row)
        )
        if not row.running:
            words = tr("Not viewed") + "\tSpace" if row.viewed else tr("Viewed") + "\tSpace"
            menu.addAction(words, lambda: self._toggle_viewed(row))
        if path is not None:
            menu.addSeparator()
            menu.addAction(tr("Open in editor") + "\tO", lambda: self.open_requested.emit(path, 1))
            menu.addAction(tr("Copy the path"), lambda: QApplication.clipboard().setText(path))
        elif (text := row.operation.call_text) is not None:
            menu.addSeparator()
            menu.addAction(tr("Copy the command"), lambda: QApplication.clipboard().setText(text))
        if self._editable and not row.running:
            menu.addSeparator()
            if is_editable(row.operation):
                menu.addAction(tr("Edit…") + "\tE", lambda: self._edit(row))
            if row.part is not None and row.part.edited is not None:
                menu.addAction(tr("Keep the agent's version"), lambda: self.theirs_requested.emit(row.operation.id))
            if row.drift and row.operation.path is not None:
                menu.addAction(tr("See merge") + "\tM", lambda: self.merge_requested.emit(row.operation.id))
            words = tr("Keep this operation") + "\tX" if row.dropped else tr("Drop this operation") + "\tX"
            menu.addAction(words, lambda: self._remove(row))
        if self._movable() and not row.running:
            menu.addAction(tr("Earlier") + "\tAlt+Up", lambda: self._move_current(-1))
            menu.addAction(tr("Later") + "\tAlt+Down", lambda: self._move_current(1))
        return menu

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands here; the filter is for searching."""

    def _key(self, event: QKeyEvent) -> bool:
        key, control = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and control:
            self.implement_requested.emit()
            return True
        if control and key == Qt.Key.Key_F:
            self.filter_requested.emit()
            return True
        if alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return self._move_current(-1 if key == Qt.Key.Key_Up else 1)
        if key == Qt.Key.Key_F7:
            return self.go_to_change(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or True
        if control or alt:
            return False
        if key == Qt.Key.Key_Escape:
            return self._let_go()
        return self._plain_key(Qt.Key(key), event.text())

    def _plain_key(self, key: Qt.Key, letter: str) -> bool:
        row = self.current_row()
        if key == Qt.Key.Key_Space:
            if row is not None and not row.running:
                self._toggle_viewed(row)
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if row is not None:
                self._toggle_expanded(row)
            return True
        if key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            if row is not None and row.expanded is (key == Qt.Key.Key_Left):
                self._toggle_expanded(row)
            return True
        if key == Qt.Key.Key_Delete:
            return self._remove(row)
        return self.single_letters and self._letter(letter, row)

    def _letter(self, letter: str, row: OperationRow | None) -> bool:
        actions = QAbstractItemView.CursorAction
        match LETTERS.get(letter):
            case "next-operation" | "previous-operation" as step:
                action = actions.MoveDown if step == "next-operation" else actions.MoveUp
                index = self.moveCursor(action, Qt.KeyboardModifier.NoModifier)
                if index.isValid():
                    self._select(index.row())
                return True
            case "next-change" | "previous-change" as step:
                self.go_to_change(step == "next-change")
                return True
            case "drop":
                return self._remove(row)
            case "comment":
                return self._comment(row)
            case "edit":
                return self._edit(self._focused_row() or row)
            case "merge" if row is not None and row.drift and self._editable:
                self.merge_requested.emit(row.operation.id)
                return True
            case "open-file" if row is not None and (path := row.operation.to or row.operation.path) is not None:
                self.open_requested.emit(path, 1)
                return True
            case "split" | "whitespace" | "whole-file" as what:
                content = self._contents.get(row.operation.id) if row is not None else None
                if content is not None:
                    content.toggle(what)
                return content is not None
        return False

    def _comment(self, row: OperationRow | None) -> bool:
        """Open the operation and begin a comment on the whole of it."""
        if row is None or not self._editable or row.running:
            return True
        self.go_to(row.operation.id, open_it=True)
        self.viewport().repaint()
        if (content := self._contents.get(row.operation.id)) is not None:
            content.comment()
        return True

    def _edit(self, row: OperationRow | None) -> bool:
        may = row is not None and self._editable and not row.running and not row.dropped
        if row is not None and may and is_editable(row.operation):
            self.edit_requested.emit(row.operation.id)
        return True

    def _focused_row(self) -> OperationRow | None:
        """The operation whose opened content has the keyboard."""
        focused = QApplication.focusWidget()
        for operation_id, content in self._contents.items():
            if focused is not None and content.isAncestorOf(focused):
                return self.operations().row(self.operations().row_of(operation_id))
        return None

    def comment_again(self, operation_id: OperationId, spot: CommentSpot, words: str) -> None:
        """Open the operation with words that could not be kept."""
        self.go_to(operation_id, open_it=True)
        self.viewport().repaint()
        if (content := self._contents.get(operation_id)) is not None:
            content.comments.write_again(spot, words)

    def _leave_content(self, operation_id: OperationId, forward: bool) -> None:
        row = self.operations().row_of(operation_id)
        if row >= 0:
            self._set_current(row)
            self.go_to_change(forward)

    def _clicked(self, row: int, zone: Zone) -> None:
        shown = self.operations().row(row)
        match zone:
            case Zone.BOX:
                self._toggle_viewed(shown)
            case Zone.REMOVE:
                self._remove(shown)
            case Zone.HANDLE:
                pass
            case Zone.MERGE:
                self.merge_requested.emit(shown.operation.id)
            case Zone.EXPANDER | Zone.BODY:
                self._toggle_expanded(shown)

    def _toggle_viewed(self, row: OperationRow) -> None:
        model = self.operations()
        model.set_viewed((row.operation.id,), not row.viewed)
        if not row.viewed and row.expanded and not row.view.flags:
            model.set_expanded(row.operation.id, False)

    def _toggle_expanded(self, row: OperationRow) -> None:
        self.operations().set_expanded(row.operation.id, not row.expanded)

    def _remove(self, row: OperationRow | None) -> bool:
        if row is not None and self._editable and not row.running:
            self.remove_requested.emit((row.operation.id,))
        return True

    def _move_current(self, step: int) -> bool:
        row = self.currentIndex().row()
        target = row + step
        if row >= 0 and self._movable() and not self.operations().running and 0 <= target < self._places.count:
            before = target + 1 if step > 0 else target
            self.reorder_requested.emit(self.operations().order_after_moving(row, before))
        return True
