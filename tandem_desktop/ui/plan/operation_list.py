"""The list a person reviews: keys and clicks become marks, openings, and wishes to change the plan."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.keys import LETTERS
from tandem_desktop.ui.models.operation_row import OperationRow
from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel
from tandem_desktop.ui.plan.comment_area import CommentSpot
from tandem_desktop.ui.plan.editing import is_editable
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.pointed_card_list import PointedCardList
from tandem_desktop.ui.plan.row_geometry import Zone
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr


class OperationList(PointedCardList):
    """Cards in execution order. Marks and opens by itself; asks for everything that changes the plan."""

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
        elif (call := row.operation.call) is not None:
            menu.addSeparator()
            menu.addAction(tr("Copy the command"), lambda: QApplication.clipboard().setText(call.command))
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
