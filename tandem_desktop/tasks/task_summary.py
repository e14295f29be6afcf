"""How a run went in terms of its tasks, in a few words for the end of a sentence."""

from collections.abc import Iterable

from tandem_desktop.domain.execution import OperationResult, ResultStatus
from tandem_desktop.domain.ids import TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.tasks import TaskStatus
from tandem_desktop.tasks.task_mapper import status_of


def succeeded(done: int, total: int) -> str:
    """`5/5 tasks succeeded`."""
    return f"{done}/{total} {'task' if total == 1 else 'tasks'} succeeded"


def tasks_told(operations: Iterable[StagedOperation], results: Iterable[OperationResult]) -> str:
    """` (5/5 tasks succeeded)`, counting the tasks that have operations; nothing where there are none."""
    statuses: dict[TaskId, list[ResultStatus]] = {}
    ended = {result.id: result.status for result in results}
    for operation in operations:
        if operation.task is not None:
            statuses.setdefault(operation.task, []).append(ended.get(operation.id, ResultStatus.PENDING))
    if not statuses:
        return ""
    done = sum(status_of(each) is TaskStatus.COMPLETED for each in statuses.values())
    return f" ({succeeded(done, len(statuses))})"
