"""Run requests, results and records."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.ids import OperationId, PlanId, RunId


class FailurePolicy(StrEnum):
    """What happens to the rest when one operation fails."""

    ROLLBACK = "rollback"
    STOP = "stop"
    CONTINUE = "continue"


class RunKind(StrEnum):
    """What gave the run its warrant."""

    APPLY = "apply"
    UNDO = "undo"
    REDO = "redo"


class RunStatus(StrEnum):
    """How a run ended, or that it did not."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    UNDONE = "undone"


class ResultStatus(StrEnum):
    """How one operation ended."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    ROLLED_BACK = "rolled_back"
    CANCELLED = "cancelled"


class OperationResult(Frozen):
    """How one operation ended, in words where it failed."""

    id: OperationId
    status: ResultStatus
    error: str | None = None
    exit_code: int | None = None
    output: str | None = None


class OtherChange(Frozen):
    """A path that somebody else changed while a run went on."""

    path: str
    change: Literal["modified", "deleted", "created", "mode", "type"]


class RunRecord(Frozen):
    """The people's copy of a run, beside the plans."""

    format: int = 1
    run_id: RunId
    kind: RunKind
    of: RunId | None = None
    plan_id: PlanId
    revision: int
    digest: str
    on_failure: FailurePolicy
    status: RunStatus
    rolled_back: bool = False
    started_at: datetime
    ended_at: datetime | None = None
    undone_by: RunId | None = None
    partial: bool = False
    """An undo of a part; the run it belongs to is not wholly undone."""
    also: tuple[RunId, ...] = ()
    """Later runs that were taken back together with `of`."""
    summary: str = ""
    meanwhile: tuple[OtherChange, ...] = ()
    """What else changed while it ran, as far as its folders tell."""


class ExecutionRecord(Frozen):
    """What stands in the audit: the approval and what came of it."""

    timestamp: datetime
    approval: str | None
    """The digest that was approved, as the audit has it from the approval itself; none where none was needed."""
    run_id: RunId
    results: tuple[OperationResult, ...]
