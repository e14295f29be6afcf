"""Suggests a better order of operations.

Dependents come after their dependencies; the operations of a task stay together; higher priority comes first. It is
only a suggestion: accepting it is a reordering by the person, with a new digest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.tasks import PlanTask, TaskPriority

_URGENCY = {priority: rank for rank, priority in enumerate(TaskPriority)}
_REASONS = 3
_LARGEST = 300
"""Maximum number of operations for a suggestion."""


@dataclass(frozen=True, slots=True)
class SuggestedOrder:
    """Every operation once, and the reasons as sentences, the most important first."""

    order: tuple[OperationId, ...]
    reasons: tuple[str, ...]
    by: str = ""
    """Display name of the agent that suggested it; empty for Tandem."""


def suggest_order(
    operations: Sequence[StagedOperation], tasks: Sequence[PlanTask], planned: Sequence[OperationId] = ()
) -> SuggestedOrder | None:
    """A better order, or None. `planned` is an order that is known to apply.

    Dependencies and operations on the same path keep their order. So does a command relative to everything that is not
    of an independent task: it may read any earlier result.
    """
    known = {task.id: task for task in tasks}
    if not known or len(operations) > _LARGEST:
        return None
    place = {name: position for position, name in enumerate(planned or [each.id for each in operations])}
    order = _chosen(operations, known, _bound(sorted(operations, key=lambda each: place[each.id])))
    if len(order) < len(operations) or order == tuple(each.id for each in operations):
        return None
    reasons = tuple(_reasons(operations, order, known))[:_REASONS]
    return SuggestedOrder(order, reasons) if reasons else None


def refuse_impossible(order: Sequence[OperationId], operations: Sequence[StagedOperation]) -> None:
    """Raises BadInputError: the order does not name each operation once, or puts one before what it must follow."""
    if sorted(order) != sorted(each.id for each in operations):
        names = ", ".join(each.id for each in operations)
        raise BadInputError("The order does not name each operation once.", next=f"Name exactly these: {names}.")
    place = {name: position for position, name in enumerate(order)}
    for name, waits in _bound(operations).items():
        for other in waits:
            if place[other] > place[name]:
                raise BadInputError(
                    f"{name} cannot come before {other}: it waits for it, touches the same path, or is a command that "
                    f"may see what the other does.",
                    step=name,
                    next=f"Put {other} before {name}.",
                )


def _bound(operations: Sequence[StagedOperation]) -> dict[OperationId, set[OperationId]]:
    """The operations that must precede each operation."""
    ids = {each.id for each in operations}
    return {
        operation.id: {each for each in operation.blocked_by if each in ids}
        | {each.id for each in operations[:position] if _must_stay_behind(operation, each)}
        for position, operation in enumerate(operations)
    }


def _must_stay_behind(later: StagedOperation, earlier: StagedOperation) -> bool:
    if any(_touch(one, other) for one in later.paths for other in earlier.paths):
        return True
    if not (later.is_run or earlier.is_run):
        return False
    return later.task is None or earlier.task is None or later.task == earlier.task


def _touch(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _chosen(
    operations: Sequence[StagedOperation], known: dict[TaskId, PlanTask], behind: dict[OperationId, set[OperationId]]
) -> tuple[OperationId, ...]:
    """Order greedily: continue the current task, then the most urgent, then the original order."""
    place = {each.id: position for position, each in enumerate(operations)}
    by_id = {each.id: each for each in operations}
    order: list[OperationId] = []
    current: TaskId | None = None

    def rank(name: OperationId) -> tuple[bool, int, int]:
        task = by_id[name].task
        urgency = _URGENCY[known[task].priority] if task in known else _URGENCY[TaskPriority.NORMAL]
        return task is None or task != current, urgency, place[name]

    while ready := [name for name, waits in behind.items() if not waits]:
        following = min(ready, key=rank)
        order.append(following)
        current = by_id[following].task
        del behind[following]
        for waits in behind.values():
            waits.discard(following)
    return tuple(order)


def _reasons(
    operations: Sequence[StagedOperation], order: tuple[OperationId, ...], known: dict[TaskId, PlanTask]
) -> Iterator[str]:
    by_id = {each.id: each for each in operations}
    before = [each.id for each in operations]
    place = {name: position for position, name in enumerate(before)}
    for operation in operations:
        late = [each for each in operation.blocked_by if place.get(each, -1) > place[operation.id]]
        if late:
            yield f"{operation.id} waits for {late[0]}, which comes first now."
    old = _runs([by_id[name].task for name in before])
    new = _runs([by_id[name].task for name in order])
    yield from _urgent(old, new, known)
    for task_id, task in known.items():
        if new.count(task_id) < old.count(task_id):
            count = sum(each.task == task_id for each in operations)
            yield f"The {count} operations of “{task.subject}” stay together."


def _runs(tasks: Sequence[TaskId | None]) -> list[TaskId | None]:
    """Tasks in execution order, repeated for each visit."""
    return [task for position, task in enumerate(tasks) if position == 0 or task != tasks[position - 1]]


def _urgent(old: list[TaskId | None], new: list[TaskId | None], known: dict[TaskId, PlanTask]) -> Iterator[str]:
    for task_id in dict.fromkeys(new):
        if task_id not in known or task_id not in old:
            continue
        task = known[task_id]
        passed = [
            known[each]
            for each in dict.fromkeys(old[: old.index(task_id)])
            if each in known
            and new.index(each) > new.index(task_id)
            and _URGENCY[known[each].priority] > _URGENCY[task.priority]
        ]
        if passed:
            yield f"“{task.subject}” is of {task.priority.value} priority and comes before “{passed[0].subject}”."
