"""The run under way, operation by operation, and below it every run of the workspace with undo and redo."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tandem_desktop.domain.execution import RunStatus
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.execution.run_changes import DoneOperation
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.ui.models.runs_model import RunsModel
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.run_detail import RunDetail
from tandem_desktop.ui.plan.runs_timeline import RunsTimeline
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.plan.taking_back import TakingBack
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.button_row import ButtonRow
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.empty_state import EmptyState
from tandem_desktop.ui.words import tr

_FOLLOW_MS = 80
_HEADING = 150
"""With less room for it the heading goes, so that no button is cut."""


class RunsTab(QWidget):
    """Lists runs and asks for what can be done about the current one."""

    undo_requested = Signal(str)
    redo_requested = Signal(str)
    taking_back_requested = Signal(object)
    """A `TakingBack` of a part, or with every run since."""
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
        self._newest: ListedRun | None = None
        """Whoever looks at the newest run goes on to the next; whoever chose another stays there."""
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
        self.redo = Button(theme, tr("Bring back"), icon_name="redo")
        for name, button, slot in (
            ("view", self.view, self._view),
            ("back", self.back, self._go_back),
            ("redo", self.redo, self._redo),
            ("undo", self.undo, self._undo),
        ):
            button.setObjectName(f"runs-{name}")
            button.clicked.connect(lambda _checked=False, slot=slot: slot())
        self._actions = QWidget()
        row = QVBoxLayout(self._actions)
        Spacing(theme, row, (12, 8, 12, 8), 8)
        row.addWidget(ButtonRow(theme, (self.view, self.redo, self.back, self.undo), self.heading))
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
        """What the chosen run did and left in place."""
        self.detail.show_changes(run_id, operations)

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
        self.detail.setVisible(has_runs and not running)
        self._actions.setVisible(has_runs and not running)
        self.empty.setVisible(not has_runs and not running)

    def _current(self) -> ListedRun | None:
        return self.model.run(self.list.currentIndex().row())

    def _enable(self) -> None:
        run = self._current()
        self.view.setEnabled(run is not None)
        self.undo.setEnabled(run is not None and run.undoable)
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

    def _go_back(self) -> None:
        run = self._current()
        if run is not None and self.back.isEnabled():
            self.taking_back_requested.emit(TakingBack(run.record.run_id, to_before=True))

    def _redo(self) -> None:
        run = self._current()
        if run is not None and run.status is RunStatus.UNDONE:
            self.redo_requested.emit(run.record.run_id)
