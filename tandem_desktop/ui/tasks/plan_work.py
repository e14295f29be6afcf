"""The tasks and operations of the plan on screen: the window's board, which follows the engine's by its events."""

from collections.abc import Iterable
from datetime import UTC, datetime

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.execution import OperationResult, ResultStatus
from tandem_desktop.domain.ids import OperationId, PlanId, TaskId
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.domain.tasks import PlanTask, TaskProgress, TaskStatus
from tandem_desktop.events.events import OperationFinished, OperationStarted, RunFinished, RunStarted, TandemEvent
from tandem_desktop.events.task_events import TaskCompleted, TaskFailed, TasksListed, TaskStarted, TaskUpdated
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.tasks.suggested_order import SuggestedOrder, suggest_order
from tandem_desktop.tasks.task_board import TaskBoard


def _now() -> datetime:
    return datetime.now(UTC)


_NO_TASKS = TaskBoard(PlanId(""), _now)
_RUNS = (PlanStatus.EXECUTING, PlanStatus.PAUSED)
_OPEN = (PlanStatus.PROPOSED, PlanStatus.APPROVED, PlanStatus.NEEDS_REVIEW)


class PlanWork(QObject):
    """Takes pages and events in and tells what moved. The store stays the truth: a page replaces everything."""

    changed = Signal()
    """Other tasks or operations."""
    task_moved = Signal(str)
    operation_moved = Signal(str)
    rested = Signal()
    """The run has ended."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan_id: PlanId | None = None
        self._run_id = ""
        self._board = _NO_TASKS
        self._views: tuple[OperationView, ...] = ()
        self._by_id: dict[OperationId, OperationView] = {}
        self._by_task: dict[TaskId | None, tuple[OperationView, ...]] = {}
        self._results: dict[OperationId, OperationResult] = {}
        self._words: dict[TaskId, str] = {}
        self._page: PlanPage | None = None
        self.is_running = False
        self.has_run = False

    # Values in

    def clear(self) -> None:
        """No plan is open."""
        self._plan_id, self._run_id, self._page = None, "", None
        self._set((), (), ())
        self.is_running = self.has_run = False
        self.changed.emit()

    def show_page(self, page: PlanPage, results: Iterable[OperationResult]) -> None:
        """A revision as it stands; what would be done with the person's choices."""
        if page.version.plan_id != self._plan_id:
            self._words = {}
        self._plan_id, self._run_id = page.version.plan_id, page.meta.execution_session or ""
        self._page = page
        self.is_running = page.meta.status in _RUNS
        self._set(page.tasks, page.left or page.views, results)
        self.has_run = self.is_running or bool(page.results)
        self.changed.emit()

    def follow(self, event: TandemEvent) -> None:
        """One event; those of other plans and runs are nothing here."""
        match event:
            case RunStarted() if event.plan_id == self._plan_id:
                self._begin(event.run_id)
            case OperationStarted() if event.run_id == self._run_id and not self._has_ended(event.operation_id):
                self._result(OperationResult(id=event.operation_id, status=ResultStatus.RUNNING))
            case OperationFinished() if event.run_id == self._run_id:
                self._result(event.result)
            case TaskUpdated() if event.is_agents_word and event.plan_id == self._plan_id:
                self._words[event.task_id] = " ".join(f"{event.status.value.replace('_', ' ')}. {event.note}".split())
                self._moved(self._board.follow(event))
            case TaskStarted() | TaskUpdated() | TaskCompleted() | TaskFailed() | TasksListed():
                if event.plan_id == self._plan_id:
                    self._moved(self._board.follow(event))
            case RunFinished() if event.run_id == self._run_id:
                self.is_running = False
                self.rested.emit()

    # What is shown

    @property
    def tasks(self) -> tuple[PlanTask, ...]:
        """Each after those it waits for."""
        return self._board.get_tasks_in_order()

    @property
    def views(self) -> tuple[OperationView, ...]:
        """Every operation in plan order."""
        return self._views

    @property
    def is_any_under_way(self) -> bool:
        return bool(self.progress.in_progress)

    @property
    def progress(self) -> TaskProgress:
        return self._board.get_task_progress()

    def task(self, task_id: TaskId) -> PlanTask:
        return self._board.get_task(task_id)

    def blocks(self, task_id: TaskId) -> tuple[PlanTask, ...]:
        """Who waits for a task."""
        return tuple(map(self.task, self._board.get_task(task_id).blocks))

    def blockers(self, task_id: TaskId) -> tuple[PlanTask, ...]:
        """What a task waits for."""
        return tuple(map(self.task, self._board.get_task(task_id).blocked_by))

    def views_of(self, task_id: TaskId | None) -> tuple[OperationView, ...]:
        """The operations of a task in plan order; of none, those that belong to no task."""
        return self._by_task.get(task_id, ())

    def view(self, operation_id: OperationId) -> OperationView:
        return self._by_id[operation_id]

    def task_of(self, view: OperationView) -> TaskId | None:
        return view.operation.task if view.operation.task in self._board else None

    def status(self, operation_id: OperationId) -> ResultStatus:
        found = self._results.get(operation_id)
        return found.status if found is not None else ResultStatus.PENDING

    def error(self, operation_id: OperationId) -> str:
        found = self._results.get(operation_id)
        return (found.error or "") if found is not None else ""

    def agents_words(self, task_id: TaskId) -> str:
        """What the agent last said about a task; nothing on disk has."""
        return self._words.get(task_id, "")

    @property
    def order(self) -> tuple[OperationId, ...]:
        """Every operation of the revision as the person wants them to stand, dropped ones among them."""
        return tuple(view.operation.id for view in self._page.views) if self._page is not None else ()

    @property
    def may_be_reordered(self) -> bool:
        page = self._page
        if page is None or page.meta.status not in _OPEN or page.version.revision != page.meta.revision:
            return False
        return len(page.views) > 1

    def suggested_order(self) -> SuggestedOrder | None:
        """A better order, where the plan waits for a decision and there is one."""
        page = self._page
        if page is None or not self.may_be_reordered:
            return None
        operations = [view.operation for view in page.views]
        return suggest_order(operations, page.tasks, [operation.id for operation in page.version.operations])

    def first_failed(self) -> PlanTask | None:
        return next((task for task in self.tasks if task.status is TaskStatus.FAILED), None)

    # How it moves

    def _set(
        self, tasks: Iterable[PlanTask], views: tuple[OperationView, ...], results: Iterable[OperationResult]
    ) -> None:
        self._board = TaskBoard(self._plan_id, _now, tasks) if self._plan_id is not None else _NO_TASKS
        self._views = views
        self._by_id = {view.operation.id: view for view in views}
        grouped: dict[TaskId | None, list[OperationView]] = {}
        for view in views:
            grouped.setdefault(self.task_of(view), []).append(view)
        self._by_task = {name: tuple(found) for name, found in grouped.items()}
        self._results = {result.id: result for result in results}

    def _begin(self, run_id: str) -> None:
        self._run_id, self._results = run_id, {}
        self.is_running = self.has_run = True
        self._board.begin()
        self.changed.emit()

    def _result(self, result: OperationResult) -> None:
        self._results[result.id] = result
        self.operation_moved.emit(result.id)

    def _has_ended(self, operation_id: OperationId) -> bool:
        return self.status(operation_id) not in (ResultStatus.PENDING, ResultStatus.RUNNING)

    def _moved(self, tasks: Iterable[TaskId]) -> None:
        for task_id in tasks:
            self.task_moved.emit(task_id)
