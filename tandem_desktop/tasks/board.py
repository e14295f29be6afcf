"""Task status while a plan is made and executed."""

import threading
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Any

from tandem_desktop.domain.errors import TaskError
from tandem_desktop.domain.events import TaskCompleted, TaskFailed, TaskNews, TasksListed, TaskStarted
from tandem_desktop.domain.ids import PlanId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.domain.tasks import (
    SETTLED,
    ExecutedTool,
    PlanTask,
    TaskPriority,
    TaskProgress,
    TaskStatus,
    TrackedTask,
)
from tandem_desktop.tasks.graph import TaskGraph, status_of

_URGENCY = {priority: rank for rank, priority in enumerate(TaskPriority)}


class TaskBoard:
    """The tasks of a plan and their status. Thread-safe.

    A failure skips all tasks that depend on the failed one, directly or indirectly. The window has its own board that
    replays the engine's by its events (`follow`).
    """

    def __init__(self, plan_id: PlanId, clock: Callable[[], datetime], tasks: Iterable[PlanTask] = ()) -> None:
        """Add the tasks of an existing plan.

        Raises:
            TaskError: two share an id, or one waits for an unknown id.
            TaskCycleError: tasks wait for each other in a circle.
        """
        self.plan_id = plan_id
        self._clock = clock
        self._lock = threading.RLock()
        self._tasks: dict[TaskId, TrackedTask] = {}
        self._graph: TaskGraph[TaskId] = TaskGraph(())
        self._lay_out({task.id: task for task in tasks}.values())

    def create_task(self, task: PlanTask) -> TrackedTask:
        """Add a task.

        Raises:
            TaskError: there is one of this id, or it waits for an unknown id.
        """
        with self._lock:
            self._lay_out([*self._tasks.values(), task])
            return self.get_task(task.id)

    def get_task(self, task_id: TaskId) -> TrackedTask:
        """One task.

        Raises:
            TaskError: there is none of this id.
        """
        with self._lock:
            found = self._tasks.get(task_id)
        if found is None:
            raise TaskError(f"There is nothing called '{task_id}'.", step=task_id, next="Use an id that the plan has.")
        return found

    def __contains__(self, task_id: object) -> bool:
        return task_id in self._tasks

    def get_tasks(self) -> tuple[TrackedTask, ...]:
        """Every task, in the order they were added."""
        return self._chosen(tuple(self._tasks))

    def get_tasks_in_order(self) -> tuple[TrackedTask, ...]:
        """Every task, each after those it waits for."""
        return self._chosen(self._graph.order)

    def get_ready_tasks(self) -> tuple[TrackedTask, ...]:
        """Tasks that may begin now, the most urgent first: pending, and all dependencies completed."""
        with self._lock:
            completed = [task.id for task in self._tasks.values() if task.status is TaskStatus.COMPLETED]
            begun = [task.id for task in self._tasks.values() if task.status is not TaskStatus.PENDING]
            ready = self._chosen(self._graph.ready(completed, started=begun))
        return tuple(sorted(ready, key=lambda task: _URGENCY[task.priority]))

    def get_next_task(self) -> TrackedTask | None:
        """The task that may begin next, if any."""
        return next(iter(self.get_ready_tasks()), None)

    def get_tasks_by_status(self, status: TaskStatus) -> tuple[TrackedTask, ...]:
        return tuple(task for task in self.get_tasks() if task.status is status)

    def get_tasks_by_agent(self, agent: str) -> tuple[TrackedTask, ...]:
        return tuple(task for task in self.get_tasks() if task.agent == agent)

    def update_task_status(
        self,
        task_id: TaskId,
        status: TaskStatus,
        *,
        progress: int | None = None,
        active_form: str | None = None,
        result: str | None = None,
        error: str | None = None,
    ) -> TrackedTask:
        """Set the status of a task; if it failed, skip the tasks that depend on it.

        Raises:
            TaskError: there is none of this id, or its progress is not between 0 and 100.
        """
        if progress is not None and not 0 <= progress <= 100:
            raise TaskError(f"'{task_id}' cannot be {progress} % done.", step=task_id, next="Give 0 to 100.")
        with self._lock:
            task = self.get_task(task_id)
            told = {"progress": progress, "active_form": active_form, "result": result, "error": error}
            changes: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
            changes |= {"status": status, **self._times(task, status)}
            if status is TaskStatus.COMPLETED:
                changes["progress"] = 100
            self._change(task_id, changes)
            if status is TaskStatus.FAILED:
                self.skip_blocked_tasks(task_id)
            return self.get_task(task_id)

    def add_task_dependency(self, task_id: TaskId, blocked_by: TaskId) -> TrackedTask:
        """Add a dependency between two tasks.

        Raises:
            TaskError: one of them does not exist, or the task has begun.
            TaskCycleError: the other one waits for this one.
        """
        with self._lock:
            task, _ = self.get_task(task_id), self.get_task(blocked_by)
            if blocked_by in task.blocked_by:
                return task
            if task.status is not TaskStatus.PENDING:
                raise TaskError(
                    f"'{task_id}' is {task.status.value.replace('_', ' ')}; it can wait for nothing more.",
                    step=task_id,
                    next="Let a task wait only before it begins.",
                )
            changed = task.model_copy(update={"blocked_by": (*task.blocked_by, blocked_by)})
            self._lay_out({**self._tasks, task_id: changed}.values())
            return self.get_task(task_id)

    def add_executed_tool(self, task_id: TaskId, tool: ExecutedTool) -> TrackedTask:
        """Record an action for a task."""
        with self._lock:
            self._change(task_id, {"tools_executed": (*self.get_task(task_id).tools_executed, tool)})
            return self.get_task(task_id)

    def skip_blocked_tasks(self, failed_task_id: TaskId) -> tuple[TaskId, ...]:
        """Skip pending tasks that depend on a task that will not be completed; returns the skipped ones."""
        with self._lock:
            waiting = self._graph.dependents(failed_task_id)
            skipped = tuple(each for each in waiting if self._tasks[each].status is TaskStatus.PENDING)
            for task_id in skipped:
                reason = f"It waits for '{failed_task_id}', which was not completed."
                self._change(task_id, {"status": TaskStatus.SKIPPED, "error": reason, "completed_at": self._clock()})
            return skipped

    def are_all_tasks_completed(self) -> bool:
        """True if there are tasks and all are completed; skipped is not completed."""
        progress = self.get_task_progress()
        return progress.completed == progress.total > 0

    def get_task_progress(self) -> TaskProgress:
        with self._lock:
            return TaskProgress.of(self._tasks.values())

    def begin(self) -> None:
        """Reset every task at the start of a run."""
        with self._lock:
            for task_id in self._tasks:
                self._change(task_id, {"status": TaskStatus.PENDING, "progress": 0, "error": None, "result": None})

    def follow(self, event: TaskNews | TasksListed) -> tuple[TaskId, ...]:
        """Apply an event of another board; returns the affected tasks.

        An agent's own statements about a task change nothing.
        """
        with self._lock:
            if isinstance(event, TasksListed):
                listed = tuple(task for task in event.tasks if task.id in self._tasks)
                self._tasks |= {task.id: task for task in listed}
                return tuple(task.id for task in listed)
            if event.task_id not in self._tasks:
                return ()
            self._change(event.task_id, _announced(event))
            return (event.task_id,)

    def _lay_out(self, tasks: Collection[PlanTask]) -> None:
        graph = TaskGraph(tasks)
        self._graph, self._tasks = graph, {task.id: self._tracked(task, graph.blocks(task.id)) for task in tasks}

    def _tracked(self, task: PlanTask, blocks: tuple[TaskId, ...]) -> TrackedTask:
        """The task with its spinner text and creation time filled in."""
        fields = dict(task) | {"plan_id": self.plan_id, "blocks": blocks}
        fields["active_form"] = task.active_form or f"{task.subject}…"
        fields["created_at"] = task.created_at or self._clock()
        return TrackedTask.model_construct(**fields)  # validated on input

    def _times(self, task: PlanTask, status: TaskStatus) -> dict[str, datetime | None]:
        if status is TaskStatus.PENDING:
            return {"started_at": None, "completed_at": None}
        began = task.started_at or (None if status is TaskStatus.SKIPPED else self._clock())
        ended = (task.completed_at or self._clock()) if status in SETTLED else None
        return {"started_at": began, "completed_at": ended}

    def _change(self, task_id: TaskId, changes: dict[str, Any]) -> None:
        self._tasks[task_id] = self._tasks[task_id].model_copy(update=changes)

    def _chosen(self, names: tuple[TaskId, ...]) -> tuple[TrackedTask, ...]:
        with self._lock:
            return tuple(self.get_task(name) for name in names)


def _announced(event: TaskNews) -> dict[str, Any]:
    match event:
        case TaskStarted():
            return {"status": TaskStatus.IN_PROGRESS, "progress": 0}
        case TaskCompleted():
            return {"status": TaskStatus.COMPLETED, "progress": 100, "result": event.result}
        case TaskFailed():
            return {"status": TaskStatus.FAILED, "error": event.error}
        case _ if event.is_agents_word:
            return {}
        case _:
            return {"status": event.status, "progress": event.progress, "error": event.note or None}


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
