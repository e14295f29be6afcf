"""Follows the draft or run of the shown plan."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.domain.events import (
    CommandPrinted,
    OperationFinished,
    OperationStaged,
    OperationStarted,
    OperationUnstaged,
    RunFinished,
    RunPaused,
    RunResumed,
    RunStarted,
    StagingCleared,
    TandemEvent,
)
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.review.operation_view import OperationView, Totals
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.i18n import tr, tr_table
from tandem_desktop.ui.models.operations import StagedOperationsModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.footer import PlanFooter
from tandem_desktop.ui.plan.header import PlanHeader, PlanTabs
from tandem_desktop.ui.plan.operations_tab import OperationsTab
from tandem_desktop.ui.plan.page_text import OPEN
from tandem_desktop.ui.plan.runs_tab import RunsTab
from tandem_desktop.ui.widgets.labels import announce

_RUNS = (PlanStatus.EXECUTING, PlanStatus.PAUSED)
_SUM_MS = 150
_STAYS = ("tasks", "graph")
"""Tabs that show the run's progress too; the panel does not switch away from them."""
_IF_ONE_FAILS = tr_table(
    {
        "rollback": "If an operation fails, everything is rolled back.",
        "stop": "If an operation fails, the run stops there.",
        "continue": "If an operation fails, the others go on.",
    }
)


class ProgressFollower:
    """Shows draft and run events in the given widgets of the panel."""

    def __init__(
        self,
        host: QWidget,
        model: StagedOperationsModel,
        header: PlanHeader,
        tabs: PlanTabs,
        operations: OperationsTab,
        runs: RunsTab,
        footer: PlanFooter,
    ) -> None:
        self._host = host
        self._model = model
        self._header = header
        self._tabs = tabs
        self._operations = operations
        self._runs = runs
        self._footer = footer
        self._run_id: RunId | None = None
        self._running: PlanId | None = None
        self._draft = ""
        self._summing = QTimer(host, interval=_SUM_MS, singleShot=True)
        self._summing.timeout.connect(self._sum_up)

    def begin_draft(self, title: str) -> None:
        """A plan is being drafted; its operations arrive one by one."""
        self._draft = title
        self._header.show_draft(title, Totals.of(()))

    def is_stale(self, page: PlanPage) -> bool:
        """Whether a page is older than the run being followed."""
        return page.version.plan_id == self._running and page.meta.status in OPEN

    def live_results(self, page: PlanPage) -> tuple[OperationResult, ...]:
        """Keep results from events during a run; the record has them only when it has ended."""
        is_live = page.version.plan_id == self._running and page.meta.status in _RUNS
        return self._model.results if is_live else tuple(map(_settled, page.results))

    def show_page(self, page: PlanPage) -> None:
        """Catch up with the run of a plan that is opened now."""
        self._summing.stop()
        running = page.meta.status in _RUNS
        if not running:
            self._running = None
        self._run_id = page.meta.execution_session
        self._runs.show_progress(running)
        if running:
            self._header.show_progress(self._model.reached, self._model.total)
            self._header.show_paused(page.meta.status is PlanStatus.PAUSED)

    def follow(self, event: TandemEvent, plan_id: PlanId | None, *, is_drafting: bool) -> bool:
        """Show one event; whether a run of the plan on screen has begun with it."""
        match event:
            case OperationStaged() if plan_id is None and is_drafting:
                self._model.put(_drafted(event))
                self._sum_up_soon()
            case OperationUnstaged() if plan_id is None:
                self._model.remove(event.operation_id)
            case StagingCleared() if plan_id is None:
                self._model.clear()
            case RunStarted() if event.plan_id == plan_id:
                self._run_started(event)
                return True
            case OperationStarted() if event.run_id == self._run_id and not self._model.has_ended(event.operation_id):
                self._result(OperationResult(id=event.operation_id, status=ResultStatus.RUNNING))
                self._runs.follow(event.operation_id)
            case CommandPrinted() if self._run_id is not None:
                self._printed(event)
            case OperationFinished() if event.run_id == self._run_id:
                self._result(event.result)
            case RunPaused() | RunResumed() if event.run_id == self._run_id:
                self._header.show_paused(isinstance(event, RunPaused))
            case RunFinished() if event.run_id == self._run_id:
                self._run_finished(event)
            case _:
                pass
        return False

    def _sum_up_soon(self) -> None:
        """Update at once, then at most once per interval."""
        if not self._summing.isActive():
            self._sum_up()
            self._summing.start()

    def _sum_up(self) -> None:
        """Update totals once for many events."""
        if self._model.running:
            self._header.show_progress(self._model.reached, self._model.total)
        elif self._model.total:
            self._header.show_draft(self._draft, Totals.of(self._model.views()))

    def _run_started(self, event: RunStarted) -> None:
        self._run_id, self._running = event.run_id, event.plan_id
        self._model.begin_run()
        self._operations.result.hide()
        self._operations.list.set_editable(False)
        self._header.show_running(True)
        self._header.show_progress(0, self._model.total)
        self._runs.show_progress(True)
        self._tabs.offer("runs", True)
        if self._tabs.current not in _STAYS:
            self._tabs.show_tab("runs")
        self._footer.say(_IF_ONE_FAILS[event.on_failure])

    def _result(self, result: OperationResult) -> None:
        self._model.set_result(result)
        self._sum_up_soon()

    def _printed(self, event: CommandPrinted) -> None:
        if self._model.is_under_way(event.operation_id):
            status = ResultStatus.RUNNING
            self._model.set_result(OperationResult(id=event.operation_id, status=status, output=event.tail))

    def _run_finished(self, event: RunFinished) -> None:
        self._running = None
        self._header.show_running(False)
        self._footer.say(event.summary)
        focused = QApplication.focusWidget()
        if self._tabs.current not in _STAYS:
            self._tabs.show_tab("operations")
        if focused is not None and self._runs.isAncestorOf(focused):
            self._operations.list.setFocus()
        if self._tabs.current == "runs":
            self._tabs.show_tab("operations")
        announce(self._host, tr("The run: {status}", status=wording.RUNS[event.status]), urgent=True)


def _drafted(event: OperationStaged) -> OperationView:
    """A provisional view of an operation while its plan is drafted."""
    counted = None if event.added is None or event.removed is None else (event.added, event.removed)
    return OperationView(event.operation, (), (), counted=counted)


def _settled(result: OperationResult) -> OperationResult:
    """Mark operations that did not run as cancelled, and the command that was cut off as failed."""
    if result.status is ResultStatus.RUNNING:
        cut_off = tr("The command was cut off while it ran.")
        return result.model_copy(update={"status": ResultStatus.FAILED, "error": cut_off})
    is_pending = result.status is ResultStatus.PENDING
    return result.model_copy(update={"status": ResultStatus.CANCELLED}) if is_pending else result
