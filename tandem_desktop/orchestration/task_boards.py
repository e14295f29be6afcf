"""The tasks of stored plans, each standing where its operations put it; in a run they are told as they move."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime

from tandem_desktop.domain.errors import PlanError
from tandem_desktop.domain.execution import OperationResult, ResultStatus, RunKind, RunRecord
from tandem_desktop.domain.ids import OperationId, PlanId, RunId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.tasks import SETTLED, ExecutedTool, PlannedToolCall, PlanTask, TaskStatus, TrackedTask
from tandem_desktop.events.events import (
    OperationFinished,
    OperationStarted,
    PlanProposed,
    RunFinished,
    RunStarted,
    TandemEvent,
)
from tandem_desktop.events.stream import EventStream
from tandem_desktop.events.task_events import TaskCreated, TasksListed, task_news
from tandem_desktop.orchestration.plan_runs import PlanRuns
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.tasks.task_board import TaskBoard
from tandem_desktop.tasks.task_mapper import TaskMapper

_UNSETTLED = frozenset({ResultStatus.PENDING, ResultStatus.RUNNING})


class TaskBoards:
    """Lay out a board for a revision from what is stored, and keep the one of a plan that runs in this process."""

    def __init__(self, plans: PlanStore, runs: PlanRuns, events: EventStream, clock: Callable[[], datetime]) -> None:
        self._plans = plans
        self._runs = runs
        self._events = events
        self._clock = clock
        self._lock = threading.Lock()
        self._live: dict[RunId, _LiveTasks] = {}
        events.subscribe(self._on_event)

    def board(self, version: PlanVersion) -> TaskBoard:
        """The tasks of a revision. What nobody watched has the times of its run."""
        with self._lock:
            live = next((each for each in self._live.values() if each.is_of(version)), None)
        return live.board if live is not None else self._stored(version)

    def _stored(self, version: PlanVersion) -> TaskBoard:
        results = self._runs.results(version) if version.tasks else ()
        run_id = self._plans.meta(version.plan_id).execution_session if results else None
        record = self._runs.record(run_id) if run_id is not None else None
        return TaskBoard(version.plan_id, self._clock, _standing(version, results, record))

    def _on_event(self, event: TandemEvent) -> None:
        if isinstance(event, PlanProposed):
            if event.tasks:
                self._proposed(event)
        elif isinstance(event, RunStarted):
            self._began(event)
        elif isinstance(event, OperationStarted) and (live := self._running(event.run_id)):
            self._tell(live.started(event.operation_id))
        elif isinstance(event, OperationFinished) and (live := self._running(event.run_id)):
            self._tell(live.finished(event.result))
        elif isinstance(event, RunFinished):
            self._ended(event)

    def _running(self, run_id: RunId) -> "_LiveTasks | None":
        with self._lock:
            return self._live.get(run_id)

    def _began(self, event: RunStarted) -> None:
        if event.run_kind is not RunKind.APPLY:
            return
        version = self._plans.revision(event.plan_id, event.revision)
        if version.tasks:
            board = TaskBoard(version.plan_id, self._clock, _standing(version, (), None))
            with self._lock:
                self._live[event.run_id] = _LiveTasks(version, board)

    def _ended(self, event: RunFinished) -> None:
        """What was rolled back or never begun is known only now."""
        with self._lock:
            live = self._live.pop(event.run_id, None)
        if live is None:
            return
        try:
            stored = self._stored(live.version)
        except PlanError:  # deleted by hand while its run went on
            return
        told = {task.id: task.status for task in live.board.get_tasks()}
        self._tell(task for task in stored.get_tasks() if task.status is not told[task.id])
        self._list(stored)

    def _proposed(self, event: PlanProposed) -> None:
        """Tasks that the revision before did not have are new."""
        try:
            version = self._plans.revision(event.plan_id, event.revision)
            parent = version.parent_revision
            known = self._plans.revision(event.plan_id, parent).tasks if parent is not None else ()
            board = self._stored(version)
        except PlanError:  # deleted by hand meanwhile
            return
        before = {task.id for task in known}
        for task in board.get_tasks():
            if task.id not in before:
                self._events.publish(TaskCreated(plan_id=event.plan_id, task=task))
        if version.tasks != known:
            self._list(board)

    def _tell(self, moved: Iterable[TrackedTask]) -> None:
        for task in moved:
            self._events.publish(task_news(task))

    def _list(self, board: TaskBoard) -> None:
        self._events.publish(TasksListed(plan_id=board.plan_id, tasks=board.get_tasks_in_order()))


class _LiveTasks:
    """The tasks of one run while it goes on. Called from one thread at a time, as events are."""

    def __init__(self, version: PlanVersion, board: TaskBoard) -> None:
        self.version = version
        self.board = board
        self._mapper = TaskMapper(version.operations)
        self._tools = {operation.id: _tool(operation) for operation in version.operations}
        self._done = Counter[TaskId]()
        self._told = {task.id: _place(task) for task in board.get_tasks()}

    @property
    def plan_id(self) -> PlanId:
        return self.version.plan_id

    def is_of(self, version: PlanVersion) -> bool:
        return (self.version.plan_id, self.version.revision) == (version.plan_id, version.revision)

    def started(self, operation: OperationId) -> list[TrackedTask]:
        """The task that has begun with this operation, if one has."""
        task_id = self._mapper.get_operation_task(operation)
        if task_id is None or self.board.get_task(task_id).status is not TaskStatus.PENDING:
            return []
        return self._news(self.board.update_task_status(task_id, TaskStatus.IN_PROGRESS))

    def finished(self, result: OperationResult) -> list[TrackedTask]:
        """Every task that moved because of this result, its beginning included where nobody saw it."""
        task_id = self._mapper.get_operation_task(result.id)
        if task_id is None:
            return []
        begun = self.started(result.id) if result.status in _BEGUN else []
        if result.status in _BEGUN:
            self.board.add_executed_tool(task_id, _executed(self._tools[result.id], result))
        self._done[task_id] += 1
        status = self._mapper.update_task_status(task_id, [result])
        total = len(self._mapper.get_task_operations(task_id))
        task = self.board.update_task_status(
            task_id,
            status,
            progress=100 * min(self._done[task_id], total) // total,
            result=_summary(total, total) if status is TaskStatus.COMPLETED else None,
            error=result.error,
        )
        skipped = self.board.get_tasks_by_status(TaskStatus.SKIPPED) if status is TaskStatus.FAILED else ()
        return [*begun, *self._news(task, *skipped)]

    def _news(self, *tasks: TrackedTask) -> list[TrackedTask]:
        """Those that are not where they were when it was last told."""
        moved = [task for task in tasks if self._told[task.id] != _place(task)]
        self._told |= {task.id: _place(task) for task in moved}
        return moved


def _place(task: PlanTask) -> tuple[TaskStatus, int]:
    """Where a task stands, as far as it is worth telling: how far only while it is under way."""
    return task.status, task.progress if task.status is TaskStatus.IN_PROGRESS else 0


_BEGUN = frozenset({ResultStatus.COMPLETED, ResultStatus.FAILED})


def _standing(
    version: PlanVersion, results: tuple[OperationResult, ...], record: RunRecord | None
) -> Iterable[PlanTask]:
    mapper = TaskMapper(version.operations)
    operations = {operation.id: operation for operation in version.operations}
    by_id = {result.id: result for result in results}
    for task in version.tasks:
        mapped = mapper.get_task_operations(task.id)
        found = [by_id[each] for each in mapped if each in by_id]
        status = mapper.update_task_status(task.id, found)
        settled = [each for each in found if each.status not in _UNSETTLED]
        done = sum(each.status is ResultStatus.COMPLETED for each in found)
        yield task.model_copy(
            update={
                "status": status,
                "progress": 100 * len(settled) // len(mapped) if mapped else 0,
                "tools_to_execute": tuple(_tool(operations[each]) for each in mapped),
                "tools_executed": tuple(
                    _executed(_tool(operations[each.id]), each) for each in found if each.status in _BEGUN
                ),
                "created_at": task.created_at or version.created_at,
                "started_at": record.started_at if record and status is not TaskStatus.PENDING else None,
                "completed_at": record.ended_at if record and status in SETTLED else None,
                "result": _summary(done, len(mapped)) if status is TaskStatus.COMPLETED else None,
                "error": next((each.error for each in found if each.error), None),
            }
        )


def _summary(done: int, total: int) -> str:
    return f"{done} of {total} operations done."


def _tool(operation: StagedOperation) -> PlannedToolCall:
    tool = operation.tool or operation.kind.value
    return PlannedToolCall(tool=tool, operation_id=operation.id, description=operation.description)


def _executed(call: PlannedToolCall, result: OperationResult) -> ExecutedTool:
    is_good = result.status is ResultStatus.COMPLETED
    return ExecutedTool(tool=call.tool, operation_id=result.id, succeeded=is_good, error=result.error)
