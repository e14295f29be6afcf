"""The tasks of runs under way in this process, moved by the operations of the run."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime

from tandem_desktop.domain.execution import OperationResult, ResultStatus, RunRecord
from tandem_desktop.domain.ids import OperationId, RunId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.tasks import SETTLED, ExecutedTool, PlannedToolCall, PlanTask, TaskStatus, TrackedTask
from tandem_desktop.tasks.task_board import TaskBoard
from tandem_desktop.tasks.task_mapper import TaskMapper

_UNSETTLED = frozenset({ResultStatus.PENDING, ResultStatus.RUNNING})


class RunTasks:
    """One board per run that has tasks. Each call answers with the tasks that moved, for its caller to announce."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._live: dict[RunId, LiveTasks] = {}

    def begin(self, run_id: RunId, version: PlanVersion) -> None:
        if version.tasks:
            board = TaskBoard(version.plan_id, self._clock, standing(version, (), None))
            with self._lock:
                self._live[run_id] = LiveTasks(version, board)

    def of(self, version: PlanVersion) -> TaskBoard | None:
        """The board of a revision that runs now."""
        with self._lock:
            return next((each.board for each in self._live.values() if each.is_of(version)), None)

    def started(self, run_id: RunId, operation: OperationId) -> list[TrackedTask]:
        live = self._live.get(run_id)
        return live.started(operation) if live is not None else []

    def finished(self, run_id: RunId, result: OperationResult) -> list[TrackedTask]:
        live = self._live.get(run_id)
        return live.finished(result) if live is not None else []

    def end(self, run_id: RunId) -> "LiveTasks | None":
        """Forget a run that has ended; what was known of its tasks."""
        with self._lock:
            return self._live.pop(run_id, None)


class LiveTasks:
    """The tasks of one run while it goes on. Called from one thread at a time, as events are."""

    def __init__(self, version: PlanVersion, board: TaskBoard) -> None:
        self.version = version
        self.board = board
        self._mapper = TaskMapper(version.operations)
        self._tools = {operation.id: _tool(operation) for operation in version.operations}
        self._done = Counter[TaskId]()
        self._told = {task.id: _place(task) for task in board.get_tasks()}

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


def standing(
    version: PlanVersion, results: tuple[OperationResult, ...], record: RunRecord | None
) -> Iterable[PlanTask]:
    """The tasks of a revision, each where the results of its operations put it."""
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
