"""The list a person reviews: painted cards for any number of operations, opened ones with their content inside."""

from collections.abc import Callable
from html import escape

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QToolTip, QWidget

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.models.staged_operations_model import OperationRow, StagedOperationsModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_delegate import OperationDelegate, Pointing, paint_drop_line
from tandem_desktop.ui.plan.row_geometry import GAP, MARGIN, ROW, RowPlaces, Zone
from tandem_desktop.ui.plan.row_notes import notes_height
from tandem_desktop.ui.theme.theme import Theme

_KEPT_CONTENTS = 24
_TURN_MS = 40
_SCROLL_MS = 16
_BOTTOM = 6
Index = QModelIndex | QPersistentModelIndex


class OperationList(QListView):
    """Cards in execution order. Marks and opens by itself; asks for everything that changes the plan.

    A list view for screen readers and for its selection; places and painting are its own, because Qt's would ask ten
    thousand rows for their size whenever one is opened.
    """

    remove_requested = Signal(object)
    """A tuple of operation ids."""
    reorder_requested = Signal(object)
    """Every operation id in the wanted order."""
    drop_requested = Signal(str, int)
    """An operation and one of its hunks."""
    comment_requested = Signal(str, int, int)
    """An operation, a hunk and a line."""
    open_requested = Signal(str, int)
    """A path and a line, for the person's editor."""
    implement_requested = Signal()
    filter_requested = Signal()
    leave_requested = Signal()

    def __init__(
        self,
        model: StagedOperationsModel,
        theme: Theme,
        make_content: Callable[[OperationRow], OperationContent],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._delegate = OperationDelegate(theme, self)
        self._make_content = make_content
        self._places = RowPlaces(0, 1, 0, 0)
        self._contents: dict[OperationId, OperationContent] = {}
        self._heights: dict[OperationId, int] = {}
        self._hovered: tuple[int, Zone | None] = (-1, None)
        self._pressed: tuple[int, Zone, QPoint] | None = None
        self._dragged: tuple[int, int, int] | None = None
        """Row, where it was taken, and where the mouse is."""
        self._turn = 0
        self._remembered: OperationId | None = None
        self._editable = True
        self.single_letters = True

        self.setObjectName("operation-list")
        self.setAccessibleName("Operations")
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QAbstractItemView.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self.viewport().setMouseTracking(True)
        self._turner = QTimer(self, interval=_TURN_MS)
        self._turner.timeout.connect(self._turn_on)
        self._scroller = QTimer(self, interval=_SCROLL_MS)
        self._scroller.timeout.connect(self._scroll_while_dragging)
        self._layout_timer = QTimer(self, interval=0, singleShot=True)
        self._layout_timer.timeout.connect(self.lay_out)
        theme.changed.connect(self._theme_changed)
        self.setModel(model)
        model.modelAboutToBeReset.connect(self._remember_current)
        model.modelReset.connect(self._find_current_again)

    def operations(self) -> StagedOperationsModel:
        model = self.model()
        assert isinstance(model, StagedOperationsModel)
        return model

    def set_editable(self, editable: bool) -> None:
        """Whether operations can be removed and moved; looking is always possible."""
        self._editable = editable
        self.viewport().update()

    def current_row(self) -> OperationRow | None:
        index = self.currentIndex()
        return self.operations().row(index.row()) if index.isValid() else None

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

    # Geometry

    def lay_out(self) -> None:
        """Work the places out anew; the first row in sight stays where it is."""
        self._layout_timer.stop()
        model, theme = self.operations(), self._theme
        anchor = self._places.at(self.verticalOffset() + 1) if self._places.count else -1
        offset = self._places.top(anchor) - self.verticalOffset() if anchor >= 0 else 0
        width = self._card_width()
        extras = []
        for number in model.exceptional():
            row = model.row(number)
            extra = notes_height(theme, row, width)
            if row.expanded:
                extra += self._content_height(row) + theme.px(_BOTTOM)
            if extra:
                extras.append((number, extra))
        self._places = RowPlaces(model.rowCount(), theme.px(ROW), theme.px(GAP), theme.px(MARGIN), extras)
        for operation_id in [each for each in self._contents if each not in model.expanded]:
            self._discard(operation_id)
        self.updateGeometries()
        if 0 <= anchor < self._places.count and offset:
            self.verticalScrollBar().setValue(self._places.top(anchor) - offset)
        self._animate()
        self.viewport().update()

    def updateGeometries(self) -> None:
        bar, page = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(page)
        bar.setSingleStep(self._theme.px(ROW))
        bar.setRange(0, max(0, self._places.total - page))
        QAbstractItemView.updateGeometries(self)
        self._place_contents()

    def doItemsLayout(self) -> None:
        QAbstractItemView.doItemsLayout(self)

    def visualRect(self, index: Index) -> QRect:
        if not index.isValid() or index.row() >= self._places.count:
            return QRect()
        return self._card(index.row())

    def indexAt(self, point: QPoint) -> QModelIndex:
        row = self._row_at(point)
        return self.model().index(row, 0) if row >= 0 else QModelIndex()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        if not index.isValid() or index.row() >= self._places.count:
            return
        margin, page = self._theme.px(GAP), self.viewport().height()
        top = self._places.top(index.row()) - margin
        bottom = top + self._places.height(index.row()) + 2 * margin
        bar = self.verticalScrollBar()
        if hint is QAbstractItemView.ScrollHint.PositionAtTop or top < bar.value() or bottom - top > page:
            bar.setValue(top)
        elif bottom > bar.value() + page:
            bar.setValue(bottom - page)

    def horizontalOffset(self) -> int:
        return 0

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def isIndexHidden(self, index: Index) -> bool:
        return False

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Only one operation is current; there is nothing to drag a frame around."""

    def visualRegionForSelection(self, selection: object) -> QRegion:
        return QRegion(self.visualRect(self.currentIndex()))

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        count = self._places.count
        if not count:
            return QModelIndex()
        actions = QAbstractItemView.CursorAction
        at = self.currentIndex().row()
        page = max(1, self.viewport().height() // (self._theme.px(ROW) + self._theme.px(GAP)) - 1)
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

    # What happens to the model

    def dataChanged(self, top_left: Index, bottom_right: Index, roles: object = ()) -> None:
        self._later()

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:
        QAbstractItemView.rowsInserted(self, parent, start, end)
        self._later()

    def reset(self) -> None:
        super().reset()
        self._later()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._layout_timer.isActive():
            self.lay_out()
        painter = QPainter(self.viewport())
        model, top = self.operations(), self.verticalOffset()
        first = max(0, self._places.at(top + event.rect().top()))
        for number in range(first, self._places.count):
            card = self._card(number)
            if card.top() > event.rect().bottom():
                break
            if self._dragged is not None and self._dragged[0] == number:
                painter.setOpacity(0.35)
            self._delegate.paint_row(painter, card, model.row(number), self._pointing(number))
            painter.setOpacity(1)
        if self._dragged is not None:
            self._paint_dragged(painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._heights.clear()
        self.lay_out()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._place_contents()
        self.viewport().update()

    # Mouse

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
            self._clicked(row, pressed[1])

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

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._key(event):
            event.accept()
        else:
            super().keyPressEvent(event)

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
        if letter in ("j", "k"):
            action = actions.MoveDown if letter == "j" else actions.MoveUp
            index = self.moveCursor(action, Qt.KeyboardModifier.NoModifier)
            if index.isValid():
                self._select(index.row())
            return True
        if letter in ("n", "p"):
            self.go_to_change(letter == "n")
            return True
        if letter == "x":
            return self._remove(row)
        if letter in ("v", "w") and row is not None and (content := self._contents.get(row.operation.id)):
            content.toggle_layout() if letter == "v" else content.toggle_whitespace()
            return True
        return False

    # Within

    def _later(self) -> None:
        self._layout_timer.start()

    def _card_width(self) -> int:
        return max(1, self.viewport().width() - 2 * self._theme.px(MARGIN))

    def _card(self, row: int) -> QRect:
        top = self._places.top(row) - self.verticalOffset()
        return QRect(self._theme.px(MARGIN), top, self._card_width(), self._places.height(row))

    def _row_at(self, point: QPoint) -> int:
        row = self._places.at(point.y() + self.verticalOffset())
        return row if row >= 0 and self._card(row).contains(point) else -1

    def _line(self, row: int) -> QRect:
        card = self._card(row)
        return QRect(card.left(), card.top(), card.width(), self._theme.px(ROW))

    def _zone_at(self, row: int, point: QPoint) -> Zone:
        if row < 0:
            return Zone.BODY
        shown = self.operations().row(row)
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
            turn=self._turn,
        )

    def _content_height(self, row: OperationRow) -> int:
        operation_id, width = row.operation.id, self._card_width() - 2
        content = self._contents.get(operation_id)
        if content is not None:
            self._heights[operation_id] = content.wanted_height(width, self.viewport().height())
        elif operation_id not in self._heights:
            self._heights[operation_id] = OperationContent.estimated_height(
                row, self._theme, width, self.viewport().height()
            )
        return self._heights[operation_id]

    def _place_contents(self) -> None:
        """Content lives only where it can be seen, and some more that was seen a moment ago."""
        if self.model() is None:
            return
        model, page = self.operations(), self.viewport().height()
        in_sight: set[OperationId] = set()
        grown = False
        for number in range(max(0, self._places.at(self.verticalOffset())), self._places.count):
            card = self._card(number)
            if card.top() > page:
                break
            row = model.row(number)
            if not row.expanded:
                continue
            in_sight.add(row.operation.id)
            content = self._contents.pop(row.operation.id, None)
            if content is None:
                content = self._made(row)
                grown = grown or content.wanted_height(card.width() - 2, page) != self._heights.get(row.operation.id)
            self._contents[row.operation.id] = content
            content.show_row(row)
            top = card.top() + self._theme.px(ROW) + notes_height(self._theme, row, card.width())
            height = card.bottom() - self._theme.px(_BOTTOM) - top + 1
            content.setGeometry(card.left() + 1, top, card.width() - 2, max(1, height))
            content.show()
        for operation_id, content in tuple(self._contents.items()):
            if operation_id not in in_sight:
                content.hide()
                if len(self._contents) > _KEPT_CONTENTS and not _has_focus(content):
                    self._discard(operation_id)
        if grown:
            self._later()

    def _made(self, row: OperationRow) -> OperationContent:
        content = self._make_content(row)
        content.setParent(self.viewport())
        content.height_changed.connect(self._later)
        operation_id = row.operation.id
        content.left_behind.connect(lambda forward: self._leave_content(operation_id, forward))
        content.drop_requested.connect(lambda hunk: self.drop_requested.emit(operation_id, hunk))
        content.comment_requested.connect(lambda hunk, line: self.comment_requested.emit(operation_id, hunk, line))
        content.open_requested.connect(self.open_requested)
        return content

    def _leave_content(self, operation_id: OperationId, forward: bool) -> None:
        row = self.operations().row_of(operation_id)
        if row >= 0:
            self._set_current(row)
            self.go_to_change(forward)

    def _discard(self, operation_id: OperationId) -> None:
        content = self._contents.pop(operation_id)
        if _has_focus(content):
            self.setFocus()
        content.forget()
        content.hide()
        content.deleteLater()

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

    def _set_current(self, row: int) -> None:
        index = self.model().index(row, 0)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.viewport().update()

    def _select(self, row: int) -> None:
        self._set_current(row)
        if self._layout_timer.isActive():
            self.lay_out()
        self.scrollTo(self.model().index(row, 0))

    def _clicked(self, row: int, zone: Zone) -> None:
        shown = self.operations().row(row)
        match zone:
            case Zone.BOX:
                self._toggle_viewed(shown)
            case Zone.REMOVE:
                self._remove(shown)
            case Zone.HANDLE:
                pass
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

    def _let_go(self) -> bool:
        if self._dragged is None:
            return False
        self._end_drag()
        return True

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

    def _paint_dragged(self, painter: QPainter) -> None:
        assert self._dragged is not None
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
            Zone.HANDLE: "Drag to change the order (Alt+↑, Alt+↓)",
            Zone.BOX: "Viewed (Space)",
            Zone.REMOVE: "Remove this operation from the plan (x)",
            Zone.EXPANDER: "Close (←)" if shown.expanded else "Open (→)",
        }.get(zone)
        if words is not None:
            return words
        agent = wording.agent_words(shown.operation)
        lines = [wording.title(shown.operation), *(f"The agent says: {agent}" for _ in range(bool(agent)))]
        return " · ".join((*lines, *(wording.flag_explanation(flag) for flag in shown.view.flags)))

    def _animate(self) -> None:
        model = self.operations()
        is_running = any(
            (result := model.row(number).result) is not None and result.status is ResultStatus.RUNNING
            for number in model.exceptional()[:200]
        )
        if is_running and not self._theme.reduced_motion:
            if not self._turner.isActive():
                self._turner.start()
        else:
            self._turner.stop()

    def _turn_on(self) -> None:
        self._turn = (self._turn + 12) % 360
        self.viewport().update()

    def _theme_changed(self) -> None:
        self._heights.clear()
        self._later()

    def _remember_current(self) -> None:
        row = self.current_row()
        self._remembered = row.operation.id if row is not None else self._remembered

    def _find_current_again(self) -> None:
        row = self.operations().row_of(self._remembered) if self._remembered is not None else -1
        if row >= 0:
            self._set_current(row)


def _has_focus(content: OperationContent) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and content.isAncestorOf(focused)
