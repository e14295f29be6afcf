"""The runs tab: timeline and run details."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.execution.run_store import DoneOperation
from tandem_desktop.execution.undo import UndoPart
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.runs import ChangedRow, RunChangesModel, RunsModel
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.plan.undo_sheet import UndoRequest
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import EmptyState
from tandem_desktop.ui.widgets.buttons import Button, ButtonRow, QuietButton
from tandem_desktop.ui.widgets.labels import ElidedLabel
from tandem_desktop.ui.widgets.progress import paint_status_mark


class RunDetail(QWidget):
    """The changes of the selected run, with undo for a part."""

    requested = Signal(object)
    """A `UndoRequest` of a part."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("run-detail")
        self._run_id = RunId("")
        self._status: RunStatus | None = None
        self._undoable = False
        self.model = RunChangesModel(self)
        self.heading = ElidedLabel(theme, token="muted", bold=True, points_delta=-2)
        self.list = QListView()
        self.list.setObjectName("run-changes")
        self.list.setAccessibleName(tr("What this run changed"))
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setFont(theme.code_font())
        self.operation = QuietButton(theme, tr("Undo this operation…"))
        self.operation.setObjectName("runs-undo-operation")
        self.file = QuietButton(theme, tr("Undo this file…"))
        self.file.setObjectName("runs-undo-file")
        self.operation.clicked.connect(self._undo_operation)
        self.file.clicked.connect(self._undo_file)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, (12, 8, 12, 12), 8)
        layout.addWidget(ButtonRow(theme, (self.operation, self.file), self.heading))
        layout.addWidget(self.list, 1)
        self.list.selectionModel().currentChanged.connect(self._enable)
        self._enable()

    def follow(self, run: ListedRun) -> bool:
        """Show a run; True if its changes have to be loaded."""
        run_id = run.record.run_id
        is_another = (run_id, run.status) != (self._run_id, self._status)
        self._run_id, self._status, self._undoable = run_id, run.status, run.undoable
        if is_another:
            self.model.show(())
            self.heading.setText(tr("What this run changed"))
        self._enable()
        return is_another

    def show_changes(self, run_id: RunId, operations: tuple[DoneOperation, ...]) -> None:
        if run_id != self._run_id:
            return
        self.model.show(operations)
        paths = len({change.path for operation in operations for change in operation.files})
        count = tr_n("{n} path", "{n} paths", paths) if paths else tr("nothing that is still there")
        self.heading.setText(tr("What this run changed: {count}", count=count))
        if operations:
            self.list.setCurrentIndex(self.model.index(0))
        self._enable()

    def _row(self) -> ChangedRow | None:
        return self.model.row(self.list.currentIndex().row())

    def _enable(self) -> None:
        row = self._row()
        self.operation.setEnabled(self._undoable and row is not None and row.operation is not None)
        self.file.setEnabled(self._undoable and row is not None and row.path is not None)

    def _undo_operation(self) -> None:
        row = self._row()
        if row is not None and row.operation is not None:
            self.requested.emit(UndoRequest(self._run_id, UndoPart(operation=row.operation)))

    def _undo_file(self) -> None:
        row = self._row()
        if row is not None and row.path is not None:
            self.requested.emit(UndoRequest(self._run_id, UndoPart(path=row.path)))


_ROW, _DAY, _TIME = 56, 30, 48
_MARKS = {
    RunStatus.RUNNING: "running",
    RunStatus.COMPLETED: "done",
    RunStatus.FAILED: "failed",
    RunStatus.CANCELLED: "skipped",
    RunStatus.INTERRUPTED: "failed",
    RunStatus.UNDONE: "skipped",
}


class RunsTimeline(QListView):
    """Keys are emitted as signals."""

    entered_row = Signal()
    undo_pressed = Signal()
    back_pressed = Signal()

    def __init__(self, theme: Theme, model: RunsModel) -> None:
        super().__init__()
        self.single_letters = True
        self.setObjectName("runs-list")
        self.setAccessibleName(tr("Runs"))
        self.setModel(model)
        self.setItemDelegate(_RunDelegate(theme, self))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.doubleClicked.connect(self.entered_row)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_row.emit()
        elif self.single_letters and event.text() == "u":
            self.undo_pressed.emit()
        elif self.single_letters and event.text() == "b":
            self.back_pressed.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Disabled: letters are commands."""


class _RunDelegate(QStyledItemDelegate):
    """Draws a run on the timeline, with a heading where a day begins."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, self._theme.px(_ROW + (_DAY if index.data(RunsModel.DayRole) else 0)))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme, px = self._theme, self._theme.px
        place: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = place.left() + px(24)
        is_first, is_last = index.row() == 0, index.row() == index.model().rowCount() - 1
        day = index.data(RunsModel.DayRole)
        top = place.top()
        if day:
            painter.setFont(theme.ui_font(-2, bold=True))
            painter.setPen(theme.color("muted"))
            words = QRect(place.left() + px(14 if is_first else 44), top, place.width() - px(56), px(_DAY))
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, day)
            top += px(_DAY)
        middle = top + px(_ROW) / 2
        painter.setPen(QPen(theme.color("line"), 2))
        painter.drawLine(
            QPointF(line, middle if is_first else place.top()), QPointF(line, middle if is_last else place.bottom() + 1)
        )
        self._card(painter, QRect(place.left() + px(44), top, place.width() - px(56), px(_ROW)), option.state, index)
        run: ListedRun = index.data(RunsModel.RunRole)
        side = px(16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("panel"))
        painter.drawEllipse(QPointF(line, middle), side / 2 + px(3), side / 2 + px(3))
        paint_status_mark(painter, theme, _MARKS[run.status], QRectF(line - side / 2, middle - side / 2, side, side))
        painter.restore()

    def _card(
        self, painter: QPainter, room: QRect, state: QStyle.StateFlag, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme, px = self._theme, self._theme.px
        card = room.adjusted(0, px(4), 0, -px(4))
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        current = bool(state & QStyle.StateFlag.State_Selected)
        painter.setBrush(theme.color("raised" if current else "panel"))
        edge = "focus" if focused else "line_strong" if current else "line"
        painter.setPen(QPen(theme.color(edge), 2 if focused else 1))
        painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
        left, middle, right = card.left() + px(14), card.center().y(), card.right() - px(14)
        small = theme.ui_font(-1)
        painter.setFont(small)
        painter.setPen(theme.color("muted"))
        time = QRect(right - px(_TIME), middle - px(19), px(_TIME), px(18))
        painter.drawText(
            time, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, index.data(RunsModel.TimeRole)
        )
        for text, font, token, top, width in (
            (index.data(), theme.ui_font(bold=True), "text", middle - px(19), time.left() - left - px(8)),
            (index.data(RunsModel.DetailRole), small, "muted", middle + px(1), right - left),
        ):
            painter.setFont(font)
            painter.setPen(theme.color(token))
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRect(left, top, width, px(18)), Qt.AlignmentFlag.AlignVCenter, shown)


_FOLLOW_MS = 80
_HEADING = 150
"""Below this width the heading is hidden, so that no button is cut."""


class RunsTab(QWidget):
    """The timeline of runs, with actions for the current one."""

    undo_requested = Signal(str)
    redo_requested = Signal(str)
    commit_requested = Signal(str)
    settle_requested = Signal()
    taking_back_requested = Signal(object)
    """A `UndoRequest` of a part, or with every run since."""
    run_chosen = Signal(str)
    """Run id; answered by `show_changes`."""
    view_requested = Signal(str, int)
    """Plan id and revision."""

    def __init__(self, theme: Theme, now: Callable[[], datetime], progress: OperationList) -> None:
        super().__init__()
        self.setObjectName("runs-tab")
        self.model = RunsModel(now, self)
        self.progress = progress
        self._followed = OperationId("")
        self.offers_commit = False
        """Whether the workspace is in a git repository."""
        self._newest: ListedRun | None = None
        """The newest run; while it is selected, the next new run is selected too."""
        self._following = QTimer(self, interval=_FOLLOW_MS, singleShot=True)
        self._following.timeout.connect(self._go_after)
        self.list = RunsTimeline(theme, self.model)
        self.list.entered_row.connect(self._view)
        self.list.undo_pressed.connect(self._undo)
        self.list.back_pressed.connect(self._go_back)
        self.detail = RunDetail(theme)
        self.detail.requested.connect(self.taking_back_requested)
        self.heading = ElidedLabel(
            theme, tr("Runs of this workspace"), token="muted", bold=True, points_delta=-2, least=_HEADING
        )
        self.heading.setMinimumWidth(1)
        self.empty = EmptyState(
            theme,
            "clock",
            tr("Nothing has been run yet"),
            tr("Every run stands here afterwards, and can be undone from here."),
        )
        self.view = QuietButton(theme, tr("View plan"))
        self.undo = Button(theme, tr("Undo…"), icon_name="undo")
        self.back = Button(theme, tr("Back to before…"))
        self.redo = Button(theme, tr("Redo"), icon_name="redo")
        self.commit = Button(theme, tr("Commit…"))
        self.settle = Button(theme, tr("Settle…"))
        for name, button, slot in (
            ("view", self.view, self._view),
            ("back", self.back, self._go_back),
            ("redo", self.redo, self._redo),
            ("undo", self.undo, self._undo),
            ("commit", self.commit, self._commit),
            ("settle", self.settle, self.settle_requested.emit),
        ):
            button.setObjectName(f"runs-{name}")
            button.clicked.connect(lambda _checked=False, slot=slot: slot())
        self._actions = QWidget()
        row = QVBoxLayout(self._actions)
        Spacing(theme, row, (12, 8, 12, 8), 8)
        row.addWidget(
            ButtonRow(theme, (self.view, self.redo, self.back, self.undo, self.commit, self.settle), self.heading)
        )
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addWidget(progress, 3)
        layout.addWidget(self._actions)
        layout.addWidget(self.list, 3)
        layout.addWidget(self.detail, 2)
        layout.addWidget(self.empty, 2)
        self.list.selectionModel().currentChanged.connect(self._enable)
        self.show_progress(False)
        self.show_runs(())

    def show_runs(self, runs: tuple[ListedRun, ...], titles: dict[str, str] | None = None) -> None:
        current = self._current()
        self.model.show(runs, titles)
        if runs:
            row = self.model.row_of(current.record.run_id) if current is not None and current is not self._newest else 0
            self.list.setCurrentIndex(self.model.index(max(0, row)))
        self._newest = runs[0] if runs else None
        self._arrange()
        self._enable()

    def show_changes(self, run_id: RunId, operations: tuple[DoneOperation, ...]) -> None:
        """Show the changes of the selected run."""
        self.detail.show_changes(run_id, operations)

    @property
    def has_content(self) -> bool:
        """Whether there was a run in this workspace, or one is under way."""
        return self.model.rowCount() > 0 or not self.progress.isHidden()

    def show_progress(self, running: bool) -> None:
        self.progress.setVisible(running)
        self._arrange()

    def follow(self, operation_id: OperationId) -> None:
        """Scroll the progress list to the running operation, unless it has the focus."""
        self._followed = operation_id
        if not self._following.isActive():
            self._following.start()

    def _go_after(self) -> None:
        if not self.progress.hasFocus() and self.progress.isVisible():
            self.progress.go_to(self._followed)

    def _arrange(self) -> None:
        has_runs, running = self.model.rowCount() > 0, not self.progress.isHidden()
        self.list.setVisible(has_runs and not running)
        self.detail.setVisible(has_runs and not running)
        self._actions.setVisible(has_runs and not running)
        self.empty.setVisible(not has_runs and not running)

    def _current(self) -> ListedRun | None:
        return self.model.run(self.list.currentIndex().row())

    def _enable(self) -> None:
        run = self._current()
        self.view.setEnabled(run is not None)
        self.undo.setEnabled(run is not None and run.undoable)
        self.commit.setVisible(self.offers_commit and run is not None and run.undoable)
        self.settle.setVisible(run is not None and run.status is RunStatus.INTERRUPTED)
        self.redo.setEnabled(run is not None and run.status is RunStatus.UNDONE)
        self.back.setEnabled(run is not None and self.model.can_go_back_to(self.list.currentIndex().row()))
        if run is not None and self.detail.follow(run):
            self.run_chosen.emit(run.record.run_id)

    def _view(self) -> None:
        if (run := self._current()) is not None:
            self.view_requested.emit(run.record.plan_id, run.record.revision)

    def _undo(self) -> None:
        run = self._current()
        if run is not None and run.undoable:
            self.undo_requested.emit(run.record.run_id)

    def _commit(self) -> None:
        run = self._current()
        if run is not None and self.commit.isVisible():
            self.commit_requested.emit(run.record.run_id)

    def _go_back(self) -> None:
        run = self._current()
        if run is not None and self.back.isEnabled():
            self.taking_back_requested.emit(UndoRequest(run.record.run_id, to_before=True))

    def _redo(self) -> None:
        run = self._current()
        if run is not None and run.status is RunStatus.UNDONE:
            self.redo_requested.emit(run.record.run_id)
