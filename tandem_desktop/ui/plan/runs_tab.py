"""The run under way, operation by operation, and below it every run of the workspace with undo and redo."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.domain.execution import RunStatus
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.ui.models.runs_model import RunsModel
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.empty_state import EmptyState
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.status_mark import paint_status_mark

_ROW = 56
_FOLLOW_MS = 80
_MARKS = {
    RunStatus.RUNNING: "running",
    RunStatus.COMPLETED: "done",
    RunStatus.FAILED: "failed",
    RunStatus.CANCELLED: "skipped",
    RunStatus.INTERRUPTED: "failed",
    RunStatus.UNDONE: "skipped",
}


class RunsTab(QWidget):
    """Lists runs and asks for what can be done about the current one."""

    undo_requested = Signal(str)
    redo_requested = Signal(str)
    view_requested = Signal(str, int)
    """Plan id and revision."""

    def __init__(self, theme: Theme, now: Callable[[], datetime], progress: OperationList) -> None:
        super().__init__()
        self.setObjectName("runs-tab")
        self.model = RunsModel(now, self)
        self.progress = progress
        self._followed = OperationId("")
        self._following = QTimer(self, interval=_FOLLOW_MS, singleShot=True)
        self._following.timeout.connect(self._go_after)
        self.list = _RunList()
        self.list.setObjectName("runs-list")
        self.list.setAccessibleName("Runs")
        self.list.setModel(self.model)
        self.list.setItemDelegate(_RunDelegate(theme, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.entered_row.connect(self._view)
        self.list.undo_pressed.connect(self._undo)
        self.list.doubleClicked.connect(self._view)
        self.heading = plain_label("Runs of this workspace", "section")
        self.empty = EmptyState(
            theme, "clock", "Nothing has been run yet", "Every run stands here afterwards, and can be undone from here."
        )
        self.view = QuietButton(theme, "View plan")
        self.undo = Button(theme, "Undo…", icon_name="undo")
        self.redo = Button(theme, "Bring back", icon_name="redo")
        for name, button, slot in (
            ("view", self.view, self._view),
            ("redo", self.redo, self._redo),
            ("undo", self.undo, self._undo),
        ):
            button.setObjectName(f"runs-{name}")
            button.clicked.connect(lambda _checked=False, slot=slot: slot())
        self._actions = QWidget()
        row = QHBoxLayout(self._actions)
        Spacing(theme, row, (12, 8, 12, 8), 8)
        row.addWidget(self.heading, 1)
        for button in (self.view, self.redo, self.undo):
            row.addWidget(button)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addWidget(progress, 3)
        layout.addWidget(self._actions)
        layout.addWidget(self.list, 2)
        layout.addWidget(self.empty, 2)
        self.list.selectionModel().currentChanged.connect(self._enable)
        self.show_progress(False)
        self.show_runs(())

    def show_runs(self, runs: tuple[ListedRun, ...], titles: dict[str, str] | None = None) -> None:
        self.model.show(runs, titles)  # type: ignore[arg-type]
        if runs:
            self.list.setCurrentIndex(self.model.index(0))
        self._arrange()
        self._enable()

    def show_progress(self, running: bool) -> None:
        self.progress.setVisible(running)
        self._arrange()

    def follow(self, operation_id: OperationId) -> None:
        """Keep what is being done in sight, unless the person looks at something else in the list."""
        self._followed = operation_id
        if not self._following.isActive():
            self._following.start()

    def _go_after(self) -> None:
        if not self.progress.hasFocus() and self.progress.isVisible():
            self.progress.go_to(self._followed)

    def _arrange(self) -> None:
        has_runs, running = self.model.rowCount() > 0, not self.progress.isHidden()
        self.list.setVisible(has_runs and not running)
        self._actions.setVisible(has_runs and not running)
        self.empty.setVisible(not has_runs and not running)

    def _current(self) -> ListedRun | None:
        return self.model.run(self.list.currentIndex().row())

    def _enable(self) -> None:
        run = self._current()
        self.view.setEnabled(run is not None)
        self.undo.setEnabled(run is not None and run.undoable)
        self.redo.setEnabled(run is not None and run.status is RunStatus.UNDONE)

    def _view(self) -> None:
        if (run := self._current()) is not None:
            self.view_requested.emit(run.record.plan_id, run.record.revision)

    def _undo(self) -> None:
        run = self._current()
        if run is not None and run.undoable:
            self.undo_requested.emit(run.record.run_id)

    def _redo(self) -> None:
        run = self._current()
        if run is not None and run.status is RunStatus.UNDONE:
            self.redo_requested.emit(run.record.run_id)


class _RunList(QListView):
    entered_row = Signal()
    undo_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_row.emit()
        elif event.text() == "u":
            self.undo_pressed.emit()
        else:
            super().keyPressEvent(event)


class _RunDelegate(QStyledItemDelegate):
    """Two lines: what was run, and when and how it ended."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, self._theme.px(_ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme, px = self._theme, self._theme.px
        state: QStyle.StateFlag = option.state
        place: QRect = option.rect
        card = place.adjusted(px(12), px(4), -px(12), -px(4))
        run: ListedRun = index.data(RunsModel.RunRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        current = bool(state & QStyle.StateFlag.State_Selected)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        painter.setBrush(theme.color("raised" if current else "panel"))
        painter.setPen(QPen(theme.color("focus" if focused else "line"), 2 if focused else 1))
        painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
        side = px(16)
        mark = QRectF(card.left() + px(12), card.center().y() - side / 2, side, side)
        paint_status_mark(painter, theme, _MARKS[run.status], mark)
        left, width = card.left() + px(40), card.width() - px(52)
        middle = card.center().y()
        for text, font, token, top in (
            (index.data(), theme.ui_font(bold=True), "text", middle - px(19)),
            (index.data(RunsModel.DetailRole), theme.ui_font(-1), "muted", middle + px(1)),
        ):
            painter.setFont(font)
            painter.setPen(theme.color(token))
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRect(left, top, width, px(18)), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()
