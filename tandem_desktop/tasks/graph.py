"""Task dependencies, and the mapping of operations to tasks."""

import heapq
import threading
from collections.abc import Collection, Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Generic, Protocol, TypeVar

from tandem_desktop.domain.errors import TaskCycleError, TaskError
from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.domain.tasks import TaskMapping, TaskStatus

NodeId = TypeVar("NodeId", bound=str)
_Id = TypeVar("_Id", bound=str, covariant=True)

_LONGEST_TOLD = 12
"""A longer cycle is shown by its beginning and end."""


class Dependent(Protocol[_Id]):
    """An item with an id and dependencies: a task, or an operation."""

    @property
    def id(self) -> _Id: ...

    @property
    def blocked_by(self) -> tuple[_Id, ...]: ...


class TaskGraph(Generic[NodeId]):
    """A validated dependency graph.

    Results keep the order the items were given in, as far as the dependencies allow.
    """

    def __init__(self, items: Iterable[Dependent[NodeId]]) -> None:
        """Check and order the items.

        Raises:
            TaskError: two items share an id, or one waits for an unknown id.
            TaskCycleError: items wait for each other in a circle.
        """
        self._blocked_by: dict[NodeId, tuple[NodeId, ...]] = {}
        for item in items:
            if item.id in self._blocked_by:
                raise TaskError(
                    f"Two items are called '{item.id}'.", step=item.id, next="Give each of them an id of its own."
                )
            self._blocked_by[item.id] = item.blocked_by
        self._blocks: dict[NodeId, list[NodeId]] = {name: [] for name in self._blocked_by}
        for name, blockers in self._blocked_by.items():
            for blocker in blockers:
                if blocker not in self._blocks:
                    raise TaskError(
                        f"'{name}' waits for '{blocker}', which does not exist.",
                        step=name,
                        next="Correct the id in blocked_by, or take it out.",
                    )
                self._blocks[blocker].append(name)
        self._position = {name: position for position, name in enumerate(self._blocked_by)}
        self._order = self._sorted()

    @property
    def order(self) -> tuple[NodeId, ...]:
        """All items, dependencies first; an order that is already valid is kept."""
        return self._order

    def ready(self, completed: Collection[NodeId], *, started: Collection[NodeId] = ()) -> tuple[NodeId, ...]:
        """Items that may begin now: not begun, and all dependencies completed."""
        done = frozenset(completed)
        begun = done.union(started)
        return tuple(
            name
            for name, blockers in self._blocked_by.items()
            if name not in begun and all(blocker in done for blocker in blockers)
        )

    def blocks(self, name: NodeId) -> tuple[NodeId, ...]:
        """Direct dependents of `name`."""
        return tuple(self._known(name))

    def dependents(self, *names: NodeId) -> tuple[NodeId, ...]:
        """All dependents of `names`, direct and indirect: what a failure skips."""
        found: set[NodeId] = set()
        waiting = [blocked for name in names for blocked in self._known(name)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(self._blocks[name])
        return tuple(sorted(found, key=self._position.__getitem__))

    def _known(self, name: NodeId) -> list[NodeId]:
        if name not in self._blocks:
            raise TaskError(f"There is nothing called '{name}'.", step=name, next="Use an id that the plan has.")
        return self._blocks[name]

    def _sorted(self) -> tuple[NodeId, ...]:
        sorter = TopologicalSorter(self._blocked_by)
        try:
            sorter.prepare()
        except CycleError as error:
            raise _circle(error.args[1]) from None
        order: list[NodeId] = []
        ready: list[tuple[int, NodeId]] = []
        while sorter.is_active():
            for name in sorter.get_ready():
                heapq.heappush(ready, (self._position[name], name))
            _, first = heapq.heappop(ready)
            order.append(first)
            sorter.done(first)
        return tuple(order)


def _circle(blockers_first: list[str]) -> TaskCycleError:
    first, *others = reversed(blockers_first)
    if len(others) > _LONGEST_TOLD:
        hidden = len(others) - _LONGEST_TOLD
        others = [*others[: _LONGEST_TOLD - 1], f"… {hidden} more …", others[-1]]
    told = ", which waits for ".join(f"'{name}'" for name in others) if others != [first] else "itself"
    return TaskCycleError(
        f"Dependencies go round in a circle: '{first}' waits for {told}.",
        step=first,
        next="Take one of these ids out of blocked_by.",
    )


class TaskMapper:
    """Maps operations to tasks. An operation belongs to at most one task. Thread-safe."""

    def __init__(self, operations: Iterable[StagedOperation] = ()) -> None:
        self._lock = threading.Lock()
        self._mappings: dict[TaskId, TaskMapping] = {}
        self._task_of: dict[OperationId, TaskId] = {}
        self._results: dict[OperationId, ResultStatus] = {}
        for operation in operations:
            if operation.task is not None:
                self.map_operation_to_task(operation.task, operation.id)

    def map_operation_to_task(self, task_id: TaskId, operation_id: OperationId) -> TaskMapping:
        """Add the operation to the task, and remove it from its previous one."""
        with self._lock:
            former = self._task_of.get(operation_id)
            if former is not None and former != task_id:
                remaining = tuple(each for each in self._mappings[former].operation_ids if each != operation_id)
                self._save(former, remaining)
            mapped = self._operations(task_id)
            self._task_of[operation_id] = task_id
            return self._save(task_id, mapped if former == task_id else (*mapped, operation_id))

    def get_task_operations(self, task_id: TaskId) -> tuple[OperationId, ...]:
        """The operations of a task in the order they were mapped; empty if there are none."""
        with self._lock:
            return self._operations(task_id)

    def get_operation_task(self, operation_id: OperationId) -> TaskId | None:
        with self._lock:
            return self._task_of.get(operation_id)

    def update_task_status(self, task_id: TaskId, results: Iterable[OperationResult]) -> TaskStatus:
        """Record operation results and return the status of the task.

        Earlier results are kept, so results may arrive one by one. Results of operations of another task count when
        that task is queried.
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
    """The status of a task from the statuses of its operations. A task without operations is pending."""
    seen = set(statuses)
    if seen <= {ResultStatus.PENDING}:
        return TaskStatus.PENDING
    if ResultStatus.FAILED in seen:
        return TaskStatus.FAILED
    if seen == {ResultStatus.COMPLETED}:
        return TaskStatus.COMPLETED
    if seen & {ResultStatus.PENDING, ResultStatus.RUNNING}:
        return TaskStatus.IN_PROGRESS
    # Ended without a failure, but something was skipped, cancelled or rolled back: not completed.
    return TaskStatus.SKIPPED
