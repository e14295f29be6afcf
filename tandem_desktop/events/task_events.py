"""What happens to the tasks of a plan: each change is told once, by the one of these that says it best."""

from typing import Literal

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId, TaskId
from tandem_desktop.domain.tasks import TaskStatus, TrackedTask


class TaskCreated(Frozen):
    """A revision brought a task that its plan did not have."""

    type: Literal["task_created"] = "task_created"
    plan_id: PlanId
    task: TrackedTask


class TaskUpdated(Frozen):
    """A task came further, was skipped or taken back; or its agent says something about it."""

    type: Literal["task_update"] = "task_update"
    plan_id: PlanId
    task_id: TaskId
    status: TaskStatus
    progress: int = 0
    active_form: str = ""
    note: str = ""
    is_agents_word: bool = False
    """The agent says so; nothing on disk has."""


class TaskStarted(Frozen):
    """The first operation of a task is being carried out."""

    type: Literal["task_started"] = "task_started"
    plan_id: PlanId
    task_id: TaskId
    agent: str = ""
    active_form: str = ""


class TaskCompleted(Frozen):
    """Every operation of a task is on disk and was verified."""

    type: Literal["task_completed"] = "task_completed"
    plan_id: PlanId
    task_id: TaskId
    result: str | None = None


class TaskFailed(Frozen):
    """An operation of a task could not be carried out; whatever waits for the task is skipped."""

    type: Literal["task_failed"] = "task_failed"
    plan_id: PlanId
    task_id: TaskId
    error: str = ""


class TasksListed(Frozen):
    """All tasks of a plan as they stand: when a revision brought them, and when their run has ended."""

    type: Literal["tasks_list"] = "tasks_list"
    plan_id: PlanId
    tasks: tuple[TrackedTask, ...]


TaskNews = TaskUpdated | TaskStarted | TaskCompleted | TaskFailed


def task_news(task: TrackedTask) -> TaskNews:
    """The one event for a task that has just come to stand as it does."""
    plan_id, task_id = task.plan_id, task.id
    if task.status is TaskStatus.IN_PROGRESS and not task.progress:
        return TaskStarted(plan_id=plan_id, task_id=task_id, agent=task.agent, active_form=task.active_form)
    if task.status is TaskStatus.COMPLETED:
        return TaskCompleted(plan_id=plan_id, task_id=task_id, result=task.result)
    if task.status is TaskStatus.FAILED:
        return TaskFailed(plan_id=plan_id, task_id=task_id, error=task.error or "")
    return TaskUpdated(
        plan_id=plan_id,
        task_id=task_id,
        status=task.status,
        progress=task.progress,
        active_form=task.active_form,
        note=task.error or task.result or "",
    )
