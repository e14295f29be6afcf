"""The operation list: layout, painting, selection and keys."""

from collections.abc import Callable, Iterator, Sequence
from html import escape

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QMenu, QToolTip, QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.keys import LETTERS
from tandem_desktop.ui.models.operations import Index, OperationRow, StagedOperationsModel
from tandem_desktop.ui.plan.change_steps import ChangeSteps
from tandem_desktop.ui.plan.choices import is_editable
from tandem_desktop.ui.plan.comments import CommentSpot
from tandem_desktop.ui.plan.expanded_contents import BOTTOM, ExpandedContents
from tandem_desktop.ui.plan.list_pointer import ListPointer
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_delegate import OperationDelegate, TurningRows, notes_height
from tandem_desktop.ui.plan.row_geometry import GAP, MARGIN, ROW, RowGeometry, TouchedRows, Zone
from tandem_desktop.ui.plan.viewed import SeenOperations
from tandem_desktop.ui.theme.theme import Theme

_SEEN_MS = 200
_STEPS = {
    Qt.Key.Key_Up: QAbstractItemView.CursorAction.MoveUp,
    Qt.Key.Key_Down: QAbstractItemView.CursorAction.MoveDown,
    Qt.Key.Key_PageUp: QAbstractItemView.CursorAction.MovePageUp,
    Qt.Key.Key_PageDown: QAbstractItemView.CursorAction.MovePageDown,
    Qt.Key.Key_Home: QAbstractItemView.CursorAction.MoveHome,
    Qt.Key.Key_End: QAbstractItemView.CursorAction.MoveEnd,
}


class OperationList(QListView):
    """Cards in execution order. Changes to the plan are requested by signals.

    Layout and painting do not use Qt's: QListView would ask every row for its size each time one is expanded.
    """

    drop_requested = Signal(str, int)
    """An operation and one of its hunks."""
    keep_requested = Signal(str, int)
    lines_requested = Signal(str, object, object)
    """An operation, and added and removed lines of it to drop or keep."""
    commented = Signal(str, object, str)
    """An operation, a `CommentSpot` in it, and the text."""
    comment_edited = Signal(str, str)
    comment_removed = Signal(str)
    open_requested = Signal(str, int)
    """A path and a line to open in the editor."""
    reorder_requested = Signal(object)
    """Every operation id in the wanted order."""
    dropped_changed = Signal(object, bool)
    """A tuple of operation ids, and whether they are dropped or kept."""
    implement_requested = Signal()
    edit_requested = Signal(str)
    """An operation whose proposed file is to be edited."""
    theirs_requested = Signal(str)
    """An edited operation whose proposed version is to be restored."""
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
        super().__init__(parent)
        self.theme = theme
        self.row_delegate = OperationDelegate(theme, self)
        self.places = RowGeometry(0, 1, 0, 0)
        self.contents = ExpandedContents(self, make_content)
        self.steps = ChangeSteps(self)
        self.single_letters = True
        """Whether the single-letter keys are active; a setting turns them off."""
        self.is_editable = True
        """Whether operations can be dropped, moved and commented on."""
        self._pointer = ListPointer(self)
        self._touched = TouchedRows()
        self._remembered: OperationId | None = None
        self._selected_before: frozenset[OperationId] = frozenset()
        self._selection_start = -1
        """The row from which Shift extends the selection."""
        self._kept: OperationId | None = None
        """The operation that keeps its place in the next layout."""
        self.setObjectName("operation-list")
        self.setAccessibleName(tr("Operations"))
        self.setItemDelegate(self.row_delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QAbstractItemView.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self._turning = TurningRows(lambda row: self.viewport().update(self.line(row)), self)
        self._layout_timer = QTimer(self, interval=0, singleShot=True)
        self._layout_timer.timeout.connect(self._update_layout)
        self._seen_timer = QTimer(self, interval=_SEEN_MS, singleShot=True)
        self._seen_timer.timeout.connect(self._note_seen)
        self.seen = SeenOperations()
        theme.changed.connect(self._theme_changed)
        self.setModel(model)
        model.modelAboutToBeReset.connect(self._remember_current)
        model.modelReset.connect(self._find_current_again)

    def operations(self) -> StagedOperationsModel:
        model = self.model()
        assert isinstance(model, StagedOperationsModel)
        return model

    def current_row(self) -> OperationRow | None:
        index = self.currentIndex()
        return self.operations().row(index.row()) if index.isValid() else None

    def selected_rows(self) -> tuple[OperationRow, ...]:
        """The selected operations, or the current one where no more are."""
        numbers = sorted(index.row() for index in self.selectionModel().selectedRows())
        current = self.current_row()
        return tuple(map(self.operations().row, numbers)) or ((current,) if current is not None else ())

    def is_selected(self, row: int) -> bool:
        return bool(self.selectionModel().isSelected(self.model().index(row, 0)))

    def lay_out(self, kept: OperationId | None = None, shift: int = 0) -> None:
        """Recompute the layout; the first visible row stays where it is, or the given one except for `shift`."""
        self._touched.note_all()
        self._kept = kept or self._kept
        self._update_layout(shift)

    def _update_layout(self, shift: int = 0) -> None:
        if not self.updatesEnabled():  # the theme is changing: contents that were made now would be styled twice
            self._layout_timer.start()
            return
        self._layout_timer.stop()
        before, self.places = self.places, self._measured()
        self.contents.drop_collapsed()
        self._keep_in_sight(before, shift)
        self._turning.follow(self.operations(), reduced_motion=self.theme.reduced_motion)
        if (rows := self._touched.take(before, self.places)) is None:
            self.viewport().update()
            return
        for row in rows:
            self.viewport().update(self.card(row))

    def _keep_in_sight(self, before: RowGeometry, shift: int) -> None:
        offset, (given, self._kept) = self.verticalOffset(), (self._kept, None)
        row = self._anchor_row(before, self.operations().row_of(given) if given is not None else -1)
        wanted = offset + shift
        if 0 <= row < self.places.count and offset:  # a row that was folded shows its line where its line was
            above = max(before.top(row) - offset, self.places.row - self.places.height(row))
            wanted = self.places.top(row) - above + shift
        self._set_range()
        self.verticalScrollBar().setValue(wanted)
        self.updateGeometries()

    def _anchor_row(self, before: RowGeometry, given: int) -> int:
        """The given row if it is in sight, else the first whose line is, or the one that fills the page."""
        offset, page = self.verticalOffset(), self.viewport().height()
        if 0 <= given < before.count and offset - before.height(given) < before.top(given) < offset + page:
            return given
        first = before.at(offset - 1) + 1
        return first if first < before.count and before.top(first) < offset + page else first - 1

    def _measured(self) -> RowGeometry:
        model, theme = self.operations(), self.theme
        width = self.card_width()
        extras = []
        for number in model.exceptional():
            row = model.row(number)
            extra = notes_height(theme, row, width)
            if row.expanded:
                extra += self.contents.height(row) + theme.px(BOTTOM)
            if extra:
                extras.append((number, extra))
        return RowGeometry(model.rowCount(), theme.px(ROW), theme.px(GAP), theme.px(MARGIN), extras)

    def _set_range(self) -> None:
        bar, page = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(page)
        bar.setSingleStep(self.theme.px(ROW))
        bar.setRange(0, max(0, self.places.total - page))

    def updateGeometries(self) -> None:
        self._set_range()
        QAbstractItemView.updateGeometries(self)
        self._place_contents()

    def doItemsLayout(self) -> None:
        QAbstractItemView.doItemsLayout(self)

    def visualRect(self, index: Index) -> QRect:
        if not index.isValid() or index.row() >= self.places.count:
            return QRect()
        return self.card(index.row())

    def indexAt(self, point: QPoint) -> QModelIndex:
        row = self.row_at(point)
        return self.model().index(row, 0) if row >= 0 else QModelIndex()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        if not index.isValid() or index.row() >= self.places.count:
            return
        margin, page = self.theme.px(GAP), self.viewport().height()
        top = self.places.top(index.row()) - margin
        bottom = top + self.places.height(index.row()) + 2 * margin
        bar = self.verticalScrollBar()
        if hint is QAbstractItemView.ScrollHint.PositionAtTop or top < bar.value() or bottom - top > page:
            bar.setValue(top)
        elif bottom > bar.value() + page:
            bar.setValue(bottom - page)

    def page_height(self) -> int:
        """How much of the plan is on screen at once."""
        return self.viewport().height()

    def reading_area(self) -> tuple[int, int]:
        """Top and bottom of what shows contents: below the line that stays at the top of the page."""
        return self.theme.px(ROW), self.viewport().height()

    def scroll_by(self, pixels: int) -> None:
        self.verticalScrollBar().setValue(self.verticalOffset() + pixels)

    def reveal(self, operation_id: OperationId, top: int, bottom: int, at_top: bool) -> None:
        """Scroll to a part of an expanded content, given from its top."""
        if self._layout_timer.isActive():
            self.lay_out(operation_id)
        if not 0 <= (number := self.operations().row_of(operation_id)) < self.places.count:
            return
        begin, (first, last), margin = self.contents.top(number), self.reading_area(), self.theme.px(MARGIN)
        above, below = begin + top - first, begin + bottom - last
        if at_top and (above < 0 or below + (last - first) // 3 > 0):
            self.scroll_by(above - 2 * margin)
        elif above < 0:
            self.scroll_by(above)
        elif below + margin > 0:
            self.scroll_by(min(above, below + margin))

    def horizontalOffset(self) -> int:
        return 0

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def isIndexHidden(self, index: Index) -> bool:
        return False

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """No rubber band: rows are selected by click and key."""

    def visualRegionForSelection(self, selection: object) -> QRegion:
        return QRegion(self.visualRect(self.currentIndex()))

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        count = self.places.count
        if not count:
            return QModelIndex()
        actions = QAbstractItemView.CursorAction
        at = self.currentIndex().row()
        page = max(1, self.viewport().height() // (self.theme.px(ROW) + self.theme.px(GAP)) - 1)
        steps = {
            actions.MoveUp: -1,
            actions.MovePrevious: -1,
            actions.MoveDown: 1,
            actions.MoveNext: 1,
            actions.MovePageUp: -page,
            actions.MovePageDown: page,
            actions.MoveHome: -count,
            actions.MoveEnd: count,
        }
        target = 0 if at < 0 else at + steps.get(action, 0)
        return self.model().index(min(count - 1, max(0, target)), 0)

    def dataChanged(self, top_left: Index, bottom_right: Index, roles: object = ()) -> None:
        self._touched.note(top_left.row(), bottom_right.row())
        self.lay_out_later()

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:
        QAbstractItemView.rowsInserted(self, parent, start, end)
        self.lay_out_later()

    def reset(self) -> None:
        # Immediately: positions of removed rows must not be used, not even by Qt's own reset.
        self.lay_out()
        super().reset()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._layout_timer.isActive():
            self._update_layout()
        painter = QPainter(self.viewport())
        model, top = self.operations(), self.verticalOffset()
        first = max(0, self.places.at(top + event.rect().top()))
        for number in range(first, self.places.count):
            card = self.card(number)
            if card.top() > event.rect().bottom():
                break
            pointing = self._pointer.pointing(number, self._turning.degrees)
            painter.setOpacity(0.35 if pointing.lifted else 1)
            self.row_delegate.paint_row(painter, card, model.row(number), pointing)
            if (line := self.line(number)).top() > card.top():
                painter.fillRect(line, self.palette().base())
                self.row_delegate.paint_row(painter, line, model.row(number), pointing)
        painter.setOpacity(1)
        self._pointer.paint_dragged(painter)
        painter.end()
        self._seen_timer.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.contents.forget_heights()
        self.lay_out()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.lay_out()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._place_contents()
        self.viewport().update()

    def _place_contents(self) -> None:
        if self._is_laid_out():
            self.contents.place()

    def _note_seen(self) -> None:
        """Rows that stay visible for a moment count as seen, contents as far as they were on screen."""
        if not self._is_laid_out():
            return
        for number in self.rows_in_sight():
            row = self.operations().row(number)
            self.seen.note(row, self.contents.get(row.operation.id) if row.expanded else None)

    def _is_laid_out(self) -> bool:
        return self.isVisible() and self.updatesEnabled() and self.places.count <= self.operations().rowCount()

    def lay_out_later(self, kept: OperationId | None = None) -> None:
        # Two lists show one model; the hidden one is laid out when it is shown.
        if self.isVisible():
            self._kept = kept or self._kept
            self._layout_timer.start()

    def card_width(self) -> int:
        return max(1, self.viewport().width() - 2 * self.theme.px(MARGIN))

    def card(self, row: int) -> QRect:
        top = self.places.top(row) - self.verticalOffset()
        return QRect(self.theme.px(MARGIN), top, self.card_width(), self.places.height(row))

    def row_at(self, point: QPoint) -> int:
        row = self.places.at(point.y() + self.verticalOffset())
        return row if row >= 0 and self.card(row).contains(point) else -1

    def line(self, row: int) -> QRect:
        """The line of a row: above its content, and at the top of the page while the content is being read."""
        card, height = self.card(row), self.theme.px(ROW)
        top = max(card.top(), min(0, card.bottom() + 1 - height))
        return QRect(card.left(), top, card.width(), height)

    def rows_in_sight(self) -> Iterator[int]:
        page = self.viewport().height()
        for number in range(max(0, self.places.at(self.verticalOffset())), self.places.count):
            if self.card(number).top() > page:
                break
            yield number

    def set_current(self, row: int) -> None:
        index = self.model().index(row, 0)
        self._selection_start = row
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if index.isValid():
            self.contents.find_in(row)
        self.viewport().update()

    def select_to(self, row: int) -> None:
        """Select from where the selection began to a row, which becomes the current one."""
        first, last = sorted((max(0, self._selection_start), row))
        flags = QItemSelectionModel.SelectionFlag
        model, selection = self.model(), self.selectionModel()
        selection.setCurrentIndex(model.index(row, 0), flags.NoUpdate)
        selection.select(QItemSelection(model.index(first, 0), model.index(last, 0)), flags.ClearAndSelect)
        self.viewport().update()

    def toggle_selected(self, row: int) -> None:
        """Add a row to the selection, or take it out."""
        self._selection_start = row
        self.selectionModel().setCurrentIndex(self.model().index(row, 0), QItemSelectionModel.SelectionFlag.Toggle)
        self.viewport().update()

    def selectAll(self) -> None:
        if count := self.operations().rowCount():
            whole = QItemSelection(self.model().index(0, 0), self.model().index(count - 1, 0))
            self.selectionModel().select(whole, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self._selection_start = 0
            self.viewport().update()

    def _select(self, row: int, *, extends: bool = False) -> None:
        if extends:
            self.select_to(row)
        else:
            self.set_current(row)
        if self._layout_timer.isActive():
            self.lay_out()
        self.scrollTo(self.model().index(row, 0))

    def _theme_changed(self) -> None:
        self.contents.rebuild()
        self._touched.note_all()
        self.lay_out_later()

    def _remember_current(self) -> None:
        row = self.current_row()
        self._remembered = row.operation.id if row is not None else self._remembered
        self._selected_before = frozenset(each.operation.id for each in self.selected_rows())

    def _find_current_again(self) -> None:
        model = self.operations()
        row = model.row_of(self._remembered) if self._remembered is not None else -1
        if row >= 0:
            self.set_current(row)
        again = [number for number in map(model.row_of, self._selected_before) if number >= 0]
        if len(again) > 1:
            selection = QItemSelection()
            for number in again:
                selection.select(model.index(number), model.index(number))
            self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # The second press of a fast pair counts as a press: two boxes ticked quickly are two ticks.
        self._pointer.press(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._pointer.leave()

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self._pointer.hover(event.position().toPoint())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self._pointer.tip(event.pos())
            # Escaped: a tool tip would otherwise interpret the agent's text as markup.
            QToolTip.showText(event.globalPos(), f"<qt>{escape(text)}</qt>" if text else "", self)
            return True
        return bool(super().viewportEvent(event))

    def set_editable(self, editable: bool) -> None:
        """Whether operations can be dropped and moved."""
        if editable != self.is_editable:
            self.is_editable = editable
            self.lay_out_later()
        self.viewport().update()

    @property
    def is_movable(self) -> bool:
        return self.is_editable and self.operations().is_plan_order

    def go_to(self, operation_id: OperationId, *, open_it: bool = False) -> None:
        """Make it the current operation and scroll to it."""
        row = self.operations().row_of(operation_id)
        if row < 0:
            return
        if open_it:
            self.operations().set_expanded(operation_id, True)
            self.lay_out()
        self._select(row)

    def focusNextPrevChild(self, forward: bool) -> bool:
        has_moved = super().focusNextPrevChild(forward)
        self.contents.show_focused()
        return has_moved

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._key(event):
            event.accept()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            row = self.row_at(event.pos())
            if row < 0:
                self.setCurrentIndex(QModelIndex())
            elif not self.is_selected(row):
                self.set_current(row)
        menu = self.menu()
        if not menu.isEmpty():
            menu.popup(event.globalPos())

    def menu(self) -> QMenu:
        """All actions for the current operation, with their keys."""
        menu = QMenu(self)
        menu.setObjectName("operation-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        selected, row = self.selected_rows(), self.current_row()
        if len(selected) > 1:
            self._add_bulk_actions(menu, selected)
            return menu
        if row is None:
            return menu
        path = row.operation.to or row.operation.path
        menu.addAction(
            tr("Close") + "\tLeft" if row.expanded else tr("Open") + "\tRight", lambda: self._toggle_expanded(row)
        )
        if not row.running:
            words = tr("Not viewed") + "\tSpace" if row.viewed else tr("Viewed") + "\tSpace"
            menu.addAction(words, lambda: self._toggle_viewed((row,)))
        content = self.contents.get(row.operation.id)
        if content is not None and content.viewer is not None:
            words = tr("Show as something else than lines") if content.viewer.shows_lines else tr("Show as lines")
            menu.addAction(f"{words}\tB", content.viewer.toggle)
        if path is not None:
            menu.addSeparator()
            menu.addAction(tr("Open in editor") + "\tO", lambda: self.open_requested.emit(path, 1))
            menu.addAction(tr("Copy the path"), lambda: QApplication.clipboard().setText(path))
        elif (text := row.operation.call_text) is not None:
            menu.addSeparator()
            menu.addAction(tr("Copy the command"), lambda: QApplication.clipboard().setText(text))
        if self.is_editable and not row.running:
            menu.addSeparator()
            if is_editable(row.operation):
                menu.addAction(tr("Edit…") + "\tE", lambda: self._edit(row))
            if row.part is not None and row.part.edited is not None:
                menu.addAction(tr("Keep the agent's version"), lambda: self.theirs_requested.emit(row.operation.id))
            if row.drift and row.operation.path is not None:
                menu.addAction(tr("See merge") + "\tM", lambda: self.merge_requested.emit(row.operation.id))
            words = tr("Keep this operation") + "\tX" if row.dropped else tr("Drop this operation") + "\tX"
            menu.addAction(words, lambda: self._remove((row,)))
        if self.is_movable and not row.running:
            menu.addAction(tr("Earlier") + "\tAlt+Up", lambda: self._move_current(-1))
            menu.addAction(tr("Later") + "\tAlt+Down", lambda: self._move_current(1))
        return menu

    def _add_bulk_actions(self, menu: QMenu, rows: tuple[OperationRow, ...]) -> None:
        """What can be done with several operations at once."""
        count = len(rows)
        if not self.operations().running:
            viewed = tr_n("Mark {n} as viewed", "Mark {n} as viewed", count)
            not_viewed = tr_n("Mark {n} as not viewed", "Mark {n} as not viewed", count)
            words = not_viewed if all(row.viewed for row in rows) else viewed
            menu.addAction(words + "\tSpace", lambda: self._toggle_viewed(rows))
        if self.is_editable and not self.operations().running:
            drop = tr_n("Drop {n} operation", "Drop {n} operations", count)
            keep = tr_n("Keep {n} operation", "Keep {n} operations", count)
            menu.addAction((keep if all(row.dropped for row in rows) else drop) + "\tX", lambda: self._remove(rows))
        paths = [path for row in rows if (path := row.operation.to or row.operation.path) is not None]
        if paths:
            menu.addSeparator()
            menu.addAction(tr("Copy the paths"), lambda: QApplication.clipboard().setText("\n".join(paths)))

    def keyboardSearch(self, search: str) -> None:
        """Disabled: letters are commands."""

    def _key(self, event: QKeyEvent) -> bool:
        key, control = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and control:
            self.implement_requested.emit()
            return True
        if control and key == Qt.Key.Key_F:
            self.filter_requested.emit()
            return True
        if control and key == Qt.Key.Key_A:
            self.selectAll()
            return True
        if not (control or alt) and key in _STEPS and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            index = self.moveCursor(_STEPS[Qt.Key(key)], Qt.KeyboardModifier.NoModifier)
            if index.isValid():
                self._select(index.row(), extends=True)
            return True
        if alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return self._move_current(-1 if key == Qt.Key.Key_Up else 1)
        if key == Qt.Key.Key_F7:
            return self.steps.to_change(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or True
        if control or alt:
            return False
        if key == Qt.Key.Key_Escape:
            return self._pointer.cancel_drag() or self._select_only_current()
        return self._plain_key(Qt.Key(key), event.text())

    def _plain_key(self, key: Qt.Key, letter: str) -> bool:
        row = self.current_row()
        if key == Qt.Key.Key_Space:
            if row is not None and not row.running:
                self._view_and_go_on(row)
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
            return self._remove(self.selected_rows())
        if key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self._turn_page(1 if key == Qt.Key.Key_PageDown else -1)
            return True
        return self.single_letters and self._letter(letter, row)

    def _turn_page(self, direction: int) -> None:
        """Scroll by a page; the operation at its top is the current one, at the ends the first or last."""
        before, last = self.verticalOffset(), self.places.count - 1
        self.scroll_by(direction * (self.page_height() - 2 * self.theme.px(ROW)))
        row = max(0, self.places.at(self.verticalOffset() + self.theme.px(MARGIN)))
        if last >= 0:
            self.set_current(row if self.verticalOffset() != before else max(0, direction * last))

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
                self.steps.to_change(step == "next-change")
                return True
            case "next-important" | "previous-important" as step:
                self.steps.to_what_matters(step == "next-important")
                return True
            case "drop":
                return self._remove(self.selected_rows())
            case "comment":
                return self._comment(row)
            case "edit":
                return self._edit(self.row_of_focus() or row)
            case "merge" if row is not None and row.drift and self.is_editable:
                self.merge_requested.emit(row.operation.id)
                return True
            case "open-file" if row is not None and (path := row.operation.to or row.operation.path) is not None:
                self.open_requested.emit(path, 1)
                return True
            case "split" | "whitespace" | "ignore-space" | "whole-file" | "as-lines" as what:
                row = self.row_of_focus() or row
                content = self.contents.get(row.operation.id) if row is not None else None
                if content is not None:
                    content.toggle(what)
                return content is not None
        return False

    def _comment(self, row: OperationRow | None) -> bool:
        """Open the operation and begin a comment on the whole of it."""
        if row is None or not self.is_editable or row.running:
            return True
        self.go_to(row.operation.id, open_it=True)
        self.viewport().repaint()
        if (content := self.contents.get(row.operation.id)) is not None:
            content.comment()
        return True

    def _edit(self, row: OperationRow | None) -> bool:
        may = row is not None and self.is_editable and not row.running and not row.dropped
        if row is not None and may and is_editable(row.operation):
            self.edit_requested.emit(row.operation.id)
        return True

    def row_of_focus(self) -> OperationRow | None:
        """The operation whose expanded content has the keyboard focus."""
        focused = self.contents.focused()
        return self.operations().row(self.operations().row_of(focused)) if focused is not None else None

    def comment_again(self, operation_id: OperationId, spot: CommentSpot, words: str) -> None:
        """Open the operation with the text of a comment that could not be stored."""
        self.go_to(operation_id, open_it=True)
        self.viewport().repaint()
        if (content := self.contents.get(operation_id)) is not None:
            content.comments.write_again(spot, words)

    def leave_content(self, operation_id: OperationId, forward: bool) -> None:
        row = self.operations().row_of(operation_id)
        if row >= 0:
            self.set_current(row)
            self.steps.to_change(forward)

    def click(self, row: int, zone: Zone) -> None:
        shown = self.operations().row(row)
        match zone:
            case Zone.BOX:
                self._toggle_viewed((shown,))
            case Zone.REMOVE:
                self._remove((shown,))
            case Zone.HANDLE:
                pass
            case Zone.MERGE:
                self.merge_requested.emit(shown.operation.id)
            case Zone.EXPANDER | Zone.BODY:
                self._toggle_expanded(shown)

    def _view_and_go_on(self, row: OperationRow) -> None:
        """Mark what is selected; after a single operation the next one is current, opened if this one was."""
        rows, was_open, at = self.selected_rows(), row.expanded, self.currentIndex().row()
        self._toggle_viewed(rows)
        if len(rows) > 1 or row.viewed or at + 1 >= self.operations().rowCount():
            return
        at = self.operations().row_of(row.operation.id)
        following = self.operations().row(at + 1)
        self.go_to(following.operation.id, open_it=was_open and bool(following.view.hunks))

    def _toggle_viewed(self, rows: Sequence[OperationRow]) -> None:
        """Mark all as viewed, or as not viewed where all are."""
        model, viewed = self.operations(), not all(row.viewed for row in rows)
        model.set_viewed([row.operation.id for row in rows], viewed)
        for row in rows if viewed else ():
            if row.expanded and not row.view.flags:
                model.set_expanded(row.operation.id, False)

    def _select_only_current(self) -> bool:
        is_more = len(self.selectionModel().selectedRows()) > 1
        if is_more:
            self.set_current(self.currentIndex().row())
        return is_more

    def _toggle_expanded(self, row: OperationRow) -> None:
        self.operations().set_expanded(row.operation.id, not row.expanded)

    def _remove(self, rows: Sequence[OperationRow]) -> bool:
        self.set_dropped([row.operation.id for row in rows], not all(row.dropped for row in rows))
        return True

    def set_dropped(self, operations: Sequence[OperationId], dropped: bool) -> None:
        if operations and self.is_editable and not self.operations().running:
            self.dropped_changed.emit(tuple(operations), dropped)

    def _move_current(self, step: int) -> bool:
        row = self.currentIndex().row()
        target = row + step
        if row >= 0 and self.is_movable and not self.operations().running and 0 <= target < self.places.count:
            before = target + 1 if step > 0 else target
            self.reorder_requested.emit(self.operations().order_after_moving(row, before))
        return True
