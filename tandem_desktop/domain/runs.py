"""Run requests, results and records."""

from dataclasses import dataclass
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
    """What a run does: apply a plan, undo a run or redo it."""

    APPLY = "apply"
    UNDO = "undo"
    REDO = "redo"


class RunStatus(StrEnum):
    """The status of a run."""

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
    """The result of one operation, with the error if it failed."""

    id: OperationId
    status: ResultStatus
    error: str | None = None
    exit_code: int | None = None
    output: str | None = None


class OtherChange(Frozen):
    """A path that another program changed during a run."""

    path: str
    change: Literal["modified", "deleted", "created", "mode", "type"]


class RunRecord(Frozen):
    """The readable record of a run, stored beside the plans."""

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
    """A partial undo; its run is not completely undone."""
    also: tuple[RunId, ...] = ()
    """Later runs that were undone together with `of`."""
    summary: str = ""
    meanwhile: tuple[OtherChange, ...] = ()
    """Concurrent changes by other programs in the folders of the run."""


class ExecutionRecord(Frozen):
    """The audit record: the approval and its outcome."""

    timestamp: datetime
    approval: str | None
    """The approved digest, taken from the approval; None if none was needed."""
    run_id: RunId
    results: tuple[OperationResult, ...]


def is_undoable(record: RunRecord, *, has_journal: bool) -> bool:
    """True if a run left changes that can be undone."""
    if record.status is RunStatus.COMPLETED:
        return has_journal
    left_work = record.status in (RunStatus.FAILED, RunStatus.CANCELLED) and not record.rolled_back
    return left_work and has_journal


@dataclass(frozen=True, slots=True)
class RunResult:
    """The record of a run that ended, and its results."""

    record: RunRecord
    results: tuple[OperationResult, ...]

    @property
    def succeeded(self) -> bool:
        return self.record.status is RunStatus.COMPLETED
