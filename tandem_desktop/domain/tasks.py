"""Tasks of a plan and their status."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.ids import OperationId, PlanId, TaskId


class TaskStatus(StrEnum):
    """How far a task is."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class TaskPriority(StrEnum):
    """How much it matters."""

    CRITICAL = "critical"
    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"


SETTLED = frozenset({TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.SKIPPED})
"""The final statuses."""


class PlannedToolCall(Frozen):
    """What a task is going to do: one operation, and the tool it comes from."""

    tool: str
    operation_id: OperationId | None = None
    description: str = ""


class ExecutedTool(Frozen):
    """An action for a task, and how it ended."""

    tool: str
    operation_id: OperationId | None = None
    succeeded: bool
    error: str | None = None


class PlanTask(Frozen):
    """One part of the work, with what must be finished before it."""

    id: TaskId
    subject: str
    description: str = ""
    active_form: str = ""
    """Its spinner text while it is in progress, as "Updating the endpoint…"."""
    agent: str = ""
    """Who is asked to plan it and to follow up on it."""
    priority: TaskPriority = TaskPriority.NORMAL
    blocked_by: tuple[TaskId, ...] = ()
    status: TaskStatus = TaskStatus.PENDING
    progress: Annotated[int, Field(ge=0, le=100)] = 0
    tools_to_execute: tuple[PlannedToolCall, ...] = ()
    tools_executed: tuple[ExecutedTool, ...] = ()
    created_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    result: str | None = None
    error: str | None = None


class TrackedTask(PlanTask):
    """A task in its plan: where it belongs, and who waits for it."""

    plan_id: PlanId
    blocks: tuple[TaskId, ...] = ()


class TaskProgress(Frozen):
    """The number of tasks by status."""

    total: int
    pending: int
    in_progress: int
    completed: int
    failed: int
    skipped: int

    @classmethod
    def of(cls, tasks: Iterable[PlanTask]) -> "TaskProgress":
        counted = Counter(task.status for task in tasks)
        return cls(total=counted.total(), **{status.value: counted[status] for status in TaskStatus})

    @property
    def percent_complete(self) -> int:
        """Of all tasks, those that are completed; a plan without tasks has completed none."""
        return 100 * self.completed // self.total if self.total else 0


class TaskMapping(Frozen):
    """The operations that carry out one task."""

    task_id: TaskId
    operation_ids: tuple[OperationId, ...] = ()
    status: TaskStatus = TaskStatus.PENDING
