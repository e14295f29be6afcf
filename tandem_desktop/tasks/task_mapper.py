"""Which operations carry out which task, so that a task's status is a fact about its operations."""

import threading
from collections.abc import Iterable

from tandem_desktop.domain.execution import OperationResult, ResultStatus
from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.tasks import TaskMapping, TaskStatus


class TaskMapper:
    """Keep operations and tasks together. An operation belongs to one task at most; any thread may ask or tell."""

    def __init__(self, operations: Iterable[StagedOperation] = ()) -> None:
        self._lock = threading.Lock()
        self._mappings: dict[TaskId, TaskMapping] = {}
        self._task_of: dict[OperationId, TaskId] = {}
        self._results: dict[OperationId, ResultStatus] = {}
        for operation in operations:
            if operation.task is not None:
                self.map_operation_to_task(operation.task, operation.id)

    def map_operation_to_task(self, task_id: TaskId, operation_id: OperationId) -> TaskMapping:
        """Add the operation to the task, and take it out of the one it was in before."""
        with self._lock:
            former = self._task_of.get(operation_id)
            if former is not None and former != task_id:
                remaining = tuple(each for each in self._mappings[former].operation_ids if each != operation_id)
                self._save(former, remaining)
            mapped = self._operations(task_id)
            self._task_of[operation_id] = task_id
            return self._save(task_id, mapped if former == task_id else (*mapped, operation_id))

    def get_task_operations(self, task_id: TaskId) -> tuple[OperationId, ...]:
        """The operations of a task in the order they were mapped; none for a task nobody mapped to."""
        with self._lock:
            return self._operations(task_id)

    def get_operation_task(self, operation_id: OperationId) -> TaskId | None:
        with self._lock:
            return self._task_of.get(operation_id)

    def update_task_status(self, task_id: TaskId, results: Iterable[OperationResult]) -> TaskStatus:
        """Take in what became of operations, and answer how the task stands.

        Earlier results stay known, so results may arrive one by one. Results of operations that belong to another
        task count there the next time it is asked about.
        """
        with self._lock:
            for result in results:
                self._results[result.id] = result.status
            if task_id not in self._mappings:
                return TaskStatus.PENDING
            return self._save(task_id, self._operations(task_id)).status

    def _operations(self, task_id: TaskId) -> tuple[OperationId, ...]:
        mapping = self._mappings.get(task_id)
        return mapping.operation_ids if mapping else ()

    def _save(self, task_id: TaskId, operation_ids: tuple[OperationId, ...]) -> TaskMapping:
        status = status_of([self._results.get(each, ResultStatus.PENDING) for each in operation_ids])
        mapping = TaskMapping(task_id=task_id, operation_ids=operation_ids, status=status)
        self._mappings[task_id] = mapping
        return mapping


def status_of(statuses: Iterable[ResultStatus]) -> TaskStatus:
    """How a task stands whose operations stand like this. A task without operations is pending, never completed."""
    seen = set(statuses)
    if seen <= {ResultStatus.PENDING}:
        return TaskStatus.PENDING
    if ResultStatus.FAILED in seen:
        return TaskStatus.FAILED
    if seen == {ResultStatus.COMPLETED}:
        return TaskStatus.COMPLETED
    if seen & {ResultStatus.PENDING, ResultStatus.RUNNING}:
        return TaskStatus.IN_PROGRESS
    # Settled without a failure, but something was skipped, cancelled or rolled back: the task is not on disk.
    return TaskStatus.SKIPPED
