"""Parts of a plan that a person recognises, and how they stand."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import OperationId, TaskId


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


class PlanTask(Frozen):
    """One part of the work, with what must be finished before it."""

    id: TaskId
    subject: str
    description: str = ""
    agent: str = ""
    priority: TaskPriority = TaskPriority.NORMAL
    blocked_by: tuple[TaskId, ...] = ()
    status: TaskStatus = TaskStatus.PENDING
    progress: Annotated[int, Field(ge=0, le=100)] = 0
    started_at: datetime | None = None
    completed_at: datetime | None = None


class TaskMapping(Frozen):
    """The operations that carry out one task."""

    task_id: TaskId
    operation_ids: tuple[OperationId, ...] = ()
    status: TaskStatus = TaskStatus.PENDING
