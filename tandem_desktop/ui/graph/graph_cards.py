"""What a drawing shows of a plan: a card for every task or operation, and what each waits for."""

from dataclasses import dataclass

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.tasks import task_words
from tandem_desktop.ui.tasks.plan_work import PlanWork
from tandem_desktop.ui.words import tr


@dataclass(frozen=True, slots=True)
class Card:
    """All that is drawn of one task or operation."""

    name: str
    title: str
    detail: str
    mark: str
    """A word of `status_mark.MARKS`."""
    spoken: str
    operation: OperationId | None
    """Where Enter and a click lead to."""
    is_code: bool = False


def task_waits(work: PlanWork) -> dict[str, tuple[str, ...]]:
    return {f"task {task.id}": tuple(f"task {each}" for each in task.blocked_by) for task in work.tasks}


def operation_waits(work: PlanWork) -> dict[str, tuple[str, ...]]:
    """What each operation waits for: as the plan says, and whoever last touched the same path."""
    last: dict[str, str] = {}
    found: dict[str, tuple[str, ...]] = {}
    for view in work.views:
        operation = view.operation
        touched = [last[path] for path in operation.paths if path in last]
        found[operation.id] = tuple(dict.fromkeys((*operation.blocked_by, *touched)))
        last |= dict.fromkeys(operation.paths, operation.id)
    return found


def task_card(work: PlanWork, task: PlanTask) -> Card:
    parts = (task.agent.upper(), task_words.status_word(task))
    detail = " · ".join(part for part in parts if part)
    if task.status is TaskStatus.FAILED and task.error:
        detail = f"{detail}: {task_words.remark(work, task)}"
    waits = task_words.named(work.blockers(task.id))
    blocked = task_words.named(work.blocks(task.id))
    spoken = ", ".join(
        part
        for part in (
            tr("Task {subject}", subject=task_words.subject(task)),
            task_words.status_word(task),
            tr("after {waits}", waits=waits) if waits else "",
            tr("before {blocked}", blocked=blocked) if blocked else "",
        )
        if part
    )
    operation = _worth_looking_at(work, task)
    return Card(
        f"task {task.id}",
        task_words.subject(task),
        task_words.in_one_line(detail),
        task_words.MARKS[task.status],
        spoken,
        operation,
    )


def operation_card(work: PlanWork, view: OperationView) -> Card:
    operation = view.operation
    status = work.status(operation.id)
    words = task_words.result_word(status) if work.has_run else tr("waiting")
    task = work.task_of(view)
    detail = f"{wording.kind_word(operation)} · {words}"
    if task is not None:
        detail = f"{detail} · {task_words.subject(work.task(task))}"
    _, name = wording.subject(operation)
    return Card(
        operation.id,
        name,
        detail,
        task_words.RESULT_MARKS[status],
        f"{wording.title(operation)}, {words}",
        operation.id,
        is_code=True,
    )


def _worth_looking_at(work: PlanWork, task: PlanTask) -> OperationId | None:
    """Of a task the operation that failed or is under way, otherwise its first."""
    views = work.views_of(task.id)
    wanted = {"failed": 0, "running": 1}
    ranked = sorted(views, key=lambda view: wanted.get(task_words.RESULT_MARKS[work.status(view.operation.id)], 2))
    return ranked[0].operation.id if ranked else None
