"""A list of cards of different heights with lazily created content."""

from collections.abc import Callable

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QPainter, QPaintEvent, QRegion, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.models.operations import OperationRow, StagedOperationsModel
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_delegate import OperationDelegate, Pointing, notes_height
from tandem_desktop.ui.plan.row_geometry import GAP, MARGIN, ROW, RowGeometry
from tandem_desktop.ui.plan.viewed import SeenOperations
from tandem_desktop.ui.theme.theme import Theme


class TouchedRows:
    """Gathers until the list has worked out its places anew."""

    def __init__(self) -> None:
        self._rows: set[int] = set()
        self._all = False

    def note(self, first: int, last: int) -> None:
        if first == last:
            self._rows.add(first)
        else:
            self._all = True

    def note_all(self) -> None:
        self._all = True

    def take(self, before: RowGeometry, now: RowGeometry) -> set[int] | None:
        """The rows, with what came to the end of the list; nothing where all have to be painted."""
        rows, everything = self._rows, self._all or not now.continues(before)
        self._rows, self._all = set(), False
        return None if everything else rows | set(range(before.count, now.count))


_TURN_MS = 40
_MOST = 200


class TurningRows(QObject):
    """Knows which rows turn, and how far; `paint` is asked to paint one of them again."""

    def __init__(self, paint: Callable[[int], None], parent: QObject) -> None:
        super().__init__(parent)
        self._paint = paint
        self._rows: tuple[int, ...] = ()
        self.degrees = 0
        self._timer = QTimer(self, interval=_TURN_MS)
        self._timer.timeout.connect(self._turn_on)

    def follow(self, model: StagedOperationsModel, *, still: bool) -> None:
        """What is under way now; nothing turns where things should keep still."""
        self._rows = tuple(row for row in model.exceptional()[:_MOST] if model.row(row).is_under_way)
        if not self._rows or still:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def _turn_on(self) -> None:
        self.degrees = (self.degrees + 12) % 360
        for row in self._rows:
            self._paint(row)


_KEPT_CONTENTS = 24
_SEEN_MS = 200
_BOTTOM = 6
Index = QModelIndex | QPersistentModelIndex


class CardList(QListView):
    """A list view for screen readers and for its selection.

    Places and painting are its own, because Qt's would ask ten thousand rows for their size whenever one is opened.
    """

    drop_requested = Signal(str, int)
    """An operation and one of its hunks that is not wanted."""
    keep_requested = Signal(str, int)
    lines_requested = Signal(str, object, object)
    """An operation, and added and removed lines of it to leave out or take again."""
    commented = Signal(str, object, str)
    """An operation, a `CommentSpot` in it, and the person's words."""
    comment_edited = Signal(str, str)
    comment_removed = Signal(str)
    open_requested = Signal(str, int)
    """A path and a line, for the person's editor."""
    left_behind = Signal(str, bool)
    """An operation whose last change (True) or first one the person went past."""

    _editable = True
    """Whether the plan can be changed here; looking is always possible."""

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
        self._places = RowGeometry(0, 1, 0, 0)
        self._contents: dict[OperationId, OperationContent] = {}
        self._heights: dict[OperationId, int] = {}
        self._touched = TouchedRows()
        self._remembered: OperationId | None = None
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QAbstractItemView.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self._turning = TurningRows(lambda row: self.viewport().update(self._line(row)), self)
        self._layout_timer = QTimer(self, interval=0, singleShot=True)
        self._layout_timer.timeout.connect(self._take_up)
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

    def lay_out(self) -> None:
        """Work the places out anew; the first row in sight stays where it is."""
        self._touched.note_all()
        self._take_up()

    def _take_up(self) -> None:
        self._layout_timer.stop()
        before, self._places = self._places, self._worked_out()
        for operation_id in [each for each in self._contents if each not in self.operations().expanded]:
            self._put_away(operation_id)
        self._keep_in_sight(before)
        self._turning.follow(self.operations(), still=self._theme.reduced_motion)
        rows = self._touched.take(before, self._places)
        if rows is None:
            self.viewport().update()
            return
        for row in rows:
            self.viewport().update(self._card(row))

    def _keep_in_sight(self, before: RowGeometry) -> None:
        offset = self.verticalOffset()
        anchor = before.at(offset + 1) if before.count else -1
        above = before.top(anchor) - offset if anchor >= 0 else 0
        self.updateGeometries()
        if 0 <= anchor < self._places.count and above:
            self.verticalScrollBar().setValue(self._places.top(anchor) - above)

    def _worked_out(self) -> RowGeometry:
        model, theme = self.operations(), self._theme
        width = self._card_width()
        extras = []
        for number in model.exceptional():
            row = model.row(number)
            extra = notes_height(theme, row, width)
            if row.expanded:
                extra += self._content_height(row) + theme.px(_BOTTOM)
            if extra:
                extras.append((number, extra))
        return RowGeometry(model.rowCount(), theme.px(ROW), theme.px(GAP), theme.px(MARGIN), extras)

    def keep_unfinished(self) -> None:
        """Words that are being written somewhere in the list become drafts."""
        for content in tuple(self._contents.values()):
            content.comments.keep_unfinished()

    def forget_contents(self) -> None:
        for content in self._contents.values():
            content.forget()

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

    def dataChanged(self, top_left: Index, bottom_right: Index, roles: object = ()) -> None:
        self._touched.note(top_left.row(), bottom_right.row())
        self._later()

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:
        QAbstractItemView.rowsInserted(self, parent, start, end)
        self._later()

    def reset(self) -> None:
        # At once: places of rows that are gone must not be looked at, not even by Qt's own reset.
        self.lay_out()
        super().reset()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._layout_timer.isActive():
            self._take_up()
        painter = QPainter(self.viewport())
        model, top = self.operations(), self.verticalOffset()
        first = max(0, self._places.at(top + event.rect().top()))
        for number in range(first, self._places.count):
            card = self._card(number)
            if card.top() > event.rect().bottom():
                break
            pointing = self._pointing(number)
            painter.setOpacity(0.35 if pointing.lifted else 1)
            self._delegate.paint_row(painter, card, model.row(number), pointing)
        painter.setOpacity(1)
        self._paint_over(painter)
        painter.end()
        self._seen_timer.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._heights.clear()
        self.lay_out()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.lay_out()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        # What stays in sight is moved, contents with it; only what comes into sight is painted.
        self.viewport().scroll(0, dy)
        self._place_contents()

    def _note_seen(self) -> None:
        """Whatever stands still in sight for a moment has been seen."""
        if not self.isVisible() or self._places.count > self.operations().rowCount():
            return
        model, page = self.operations(), self.viewport().height()
        for number in range(max(0, self._places.at(self.verticalOffset())), self._places.count):
            if self._card(number).top() > page:
                break
            row = model.row(number)
            self.seen.note(row, self._contents.get(row.operation.id) if row.expanded else None)

    def _pointing(self, row: int) -> Pointing:
        return Pointing(current=self.currentIndex().row() == row, focused=self.hasFocus(), turn=self._turning.degrees)

    def _paint_over(self, painter: QPainter) -> None:
        """Whatever lies above the cards."""

    def _later(self) -> None:
        # Two lists show one model; the one nobody sees waits until somebody does.
        if self.isVisible():
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

    def _set_current(self, row: int) -> None:
        index = self.model().index(row, 0)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.viewport().update()

    def _select(self, row: int) -> None:
        self._set_current(row)
        if self._layout_timer.isActive():
            self.lay_out()
        self.scrollTo(self.model().index(row, 0))

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
        if not self.isVisible() or self._places.count > self.operations().rowCount():
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
            content.show_row(row, is_decidable=self._editable and not row.running)
            top = card.top() + self._theme.px(ROW) + notes_height(self._theme, row, card.width())
            height = card.bottom() - self._theme.px(_BOTTOM) - top + 1
            content.setGeometry(card.left() + 1, top, card.width() - 2, max(1, height))
            content.show()
        for operation_id, content in tuple(self._contents.items()):
            if operation_id not in in_sight:
                content.hide()
                if len(self._contents) > _KEPT_CONTENTS and not _has_focus(content):
                    self._put_away(operation_id)
        if grown:
            self._later()

    def _made(self, row: OperationRow) -> OperationContent:
        content = self._make_content(row)
        content.setParent(self.viewport())
        content.height_changed.connect(self._later)
        operation_id = row.operation.id
        content.left_behind.connect(lambda forward: self.left_behind.emit(operation_id, forward))
        content.drop_requested.connect(lambda hunk: self.drop_requested.emit(operation_id, hunk))
        content.keep_requested.connect(lambda hunk: self.keep_requested.emit(operation_id, hunk))
        content.lines_requested.connect(lambda *lines: self.lines_requested.emit(operation_id, *lines))
        content.commented.connect(lambda *what: self.commented.emit(operation_id, *what))
        content.comment_edited.connect(self.comment_edited)
        content.comment_removed.connect(self.comment_removed)
        content.open_requested.connect(self.open_requested)
        return content

    def _put_away(self, operation_id: OperationId) -> None:
        """Content that is no longer looked at; words being written in it are kept as a draft."""
        content = self._contents.pop(operation_id)
        if _has_focus(content):
            self.setFocus()
        content.comments.keep_unfinished()
        content.forget()
        content.hide()
        content.deleteLater()

    def _theme_changed(self) -> None:
        # Fonts and margins are given when content is made, so it is made again at the new size.
        for operation_id in [each for each, content in self._contents.items() if not content.comments.is_writing]:
            self._put_away(operation_id)
        self._heights.clear()
        self._touched.note_all()
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
