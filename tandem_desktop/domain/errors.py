"""All errors that Tandem raises, as one tree with exit codes and next steps.

TandemError
├─ UnexpectedError      a bug
├─ BadInputError        UnknownToolError · NotInstalledError · malformed arguments, unknown names, malformed plans
├─ PolicyError          ToolDeniedError · UserAbortError · ChecksNotAcceptedError
├─ StagingError         StepRefusedError · UnknownOperationError · OutsideWorkspaceError
├─ PlanError            InvalidTransitionError · StaleRevisionError · PlanModifiedError · PlanNotFoundError
│                       · PlanDamagedError · BundleError · RunNotFoundError · RebaseConflictError
├─ ApprovalError        ApprovalMissingError · ApprovalDriftError · NotApprovableError
├─ ExecutionError       PreflightError · OperationError · RollbackError · JournalError · BusyError
│                       · InterruptedRunError · UndoConflictError
├─ TaskError            TaskCycleError
├─ ShadowError          ShadowBusyError
├─ GitError             git is missing or cannot read the repository
├─ SidecarError         SidecarLaunchError · SidecarProtocolError · SidecarExitedError · SidecarTimeoutError
│                       · LoginNeededError · NoModelError · ModelError · NoAnswerError
└─ StorageError         the disk said no

Every error is a sentence a person can act on: what, where (`path`, `step`), and the next thing to do (`next`).
"""

from typing import ClassVar


class TandemError(Exception):
    """A deliberate refusal or failure, with its facts as attributes."""

    kind: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 3

    def __init__(self, message: str, *, path: str | None = None, step: str | None = None, next: str = "") -> None:  # noqa: A002 - the name the JSON contract gives it
        super().__init__(message)
        self.message = message
        self.path = path
        self.step = step
        self.next = next

    def as_object(self) -> dict[str, str | None]:
        """The `error` of every JSON answer."""
        return {
            "kind": self.kind,
            "message": self.message,
            "path": self.path,
            "step": self.step,
            "next": self.next,
        }


class UnexpectedError(TandemError):
    """A bug."""

    kind = "bug"
    exit_code = 1


class BadInputError(TandemError):
    """The arguments or the given plan are invalid."""

    kind = "bad_input"
    exit_code = 2


class UnknownToolError(BadInputError):
    """A step wants a tool Tandem does not have."""

    def __init__(self, message: str, tool: str, *, step: str | None = None, next: str = "") -> None:  # noqa: A002 - as in TandemError
        super().__init__(message, step=step, next=next)
        self.tool = tool


class NotInstalledError(BadInputError):
    """An optional part of Tandem (an extra of its package) is missing."""

    def __init__(self, part: str, extra: str, *, otherwise: str = "") -> None:
        install = f'Install it with: pip install "tandem-desktop[{extra}]"'
        super().__init__(f"{part} is not installed.", next=f"{install}. {otherwise}" if otherwise else install)


class PolicyError(TandemError):
    """A policy refuses it."""

    kind = "policy"


class ToolDeniedError(PolicyError):
    """The tool may not be used here."""

    kind = "tool_denied"


class UserAbortError(PolicyError):
    """The person stopped it."""

    kind = "aborted"
    exit_code = 4


class ChecksNotAcceptedError(PolicyError):
    """The person has not accepted this list of checks; nothing of it was run."""

    kind = "checks_not_accepted"


class StagingError(TandemError):
    """An operation cannot be staged."""

    kind = "staging"


class StepRefusedError(StagingError):
    """A step does not apply to the workspace as it stands."""

    kind = "step_refused"


class UnknownOperationError(StagingError):
    """No operation has this name."""

    kind = "unknown_operation"
    exit_code = 2


class OutsideWorkspaceError(StagingError):
    """A path leaves the workspace, or is one Tandem never writes."""

    kind = "path_refused"


class PlanError(TandemError):
    """A plan does not allow the request."""

    kind = "plan"


class InvalidTransitionError(PlanError):
    """The plan is not in a state that allows this."""

    kind = "invalid_transition"


class StaleRevisionError(PlanError):
    """A newer revision was saved concurrently."""

    kind = "stale_revision"

    def __init__(self, plan_id: str, *, expected: int, found: int) -> None:
        super().__init__(
            f"{plan_id} has a newer revision (yours was written against r{expected}, the latest is r{found}).",
            next=f"Look at it with: tandem show {plan_id}",
        )
        self.expected = expected
        self.found = found


class PlanModifiedError(PlanError):
    """The record changed between reading and writing."""

    kind = "plan_modified"

    def __init__(self, plan_id: str, *, expected: int, found: int) -> None:
        super().__init__(
            f"Plan was modified concurrently (expected v{expected}, found v{found}): {plan_id}.",
            next="Read the plan again and repeat the change.",
        )
        self.expected = expected
        self.found = found


class PlanNotFoundError(PlanError):
    """No plan has this id in this workspace."""

    kind = "unknown_plan"
    exit_code = 2


class RunNotFoundError(PlanError):
    """No run has this id in this workspace."""

    kind = "unknown_run"
    exit_code = 2


class PlanDamagedError(PlanError):
    """A stored record cannot be read, or comes from a newer version."""

    kind = "plan_damaged"


class BundleError(PlanError):
    """A file is no valid plan bundle; nothing was imported."""

    kind = "bundle"

    def __init__(self, reason: str, *, next: str = "Ask for it again: tandem export PLAN") -> None:  # noqa: A002 - as in TandemError
        super().__init__(f"The bundle is refused: {reason}. Nothing was kept.", next=next)


class RebaseConflictError(PlanError):
    """The disk and the plan changed the same thing; a person has to decide. Nothing was saved."""

    kind = "rebase_conflict"


class ApprovalError(TandemError):
    """What would run is not what a person approved."""

    kind = "approval"


class ApprovalMissingError(ApprovalError):
    """There is no approval that may be used."""

    kind = "approval_missing"


class ApprovalDriftError(ApprovalError):
    """The plan differs from what was approved."""

    kind = "approval_drift"


class NotApprovableError(ApprovalError):
    """The revision is unfinished, or rests on files that have changed under it."""

    kind = "not_approvable"


class ExecutionError(TandemError):
    """A run failed."""

    kind = "execution"


class PreflightError(ExecutionError):
    """A check before the first write failed; nothing was written."""

    kind = "preflight"


class DriftError(PreflightError):
    """Files changed on disk since the plan was made."""

    kind = "drift"


class OperationError(ExecutionError):
    """One operation failed."""

    kind = "operation_failed"
    exit_code = 4


class RollbackError(ExecutionError):
    """A roll back could not restore every path."""

    kind = "rollback_incomplete"
    exit_code = 5


class JournalError(ExecutionError):
    """The journal cannot be read or written."""

    kind = "journal"
    exit_code = 5


class BusyError(ExecutionError):
    """Another run holds the workspace."""

    kind = "busy"


class InterruptedRunError(ExecutionError):
    """A run was interrupted; it must be settled first."""

    kind = "interrupted_run"
    exit_code = 5


class UndoConflictError(ExecutionError):
    """An undo has a conflict at every path named here; nothing was changed."""

    kind = "undo_conflict"

    def __init__(
        self,
        message: str,
        *,
        conflicts: tuple[tuple[str, str], ...],
        step: str | None = None,
        next: str = "",  # noqa: A002 - as in TandemError
    ) -> None:
        super().__init__(message, path=conflicts[0][0], step=step, next=next)
        self.conflicts = conflicts
        """Each path with the reason."""


class TaskError(TandemError):
    """Tasks or dependencies are invalid."""

    kind = "tasks"
    exit_code = 2


class TaskCycleError(TaskError):
    """Dependencies are circular."""

    kind = "cycle"


class StorageError(TandemError):
    """The disk refused."""

    kind = "storage"
    exit_code = 4


class GitError(TandemError):
    """git is not there, or cannot or must not read a repository."""

    kind = "git"


class ShadowError(TandemError):
    """The shadow cannot be opened, or is not what it must be; nothing runs without it."""

    kind = "shadow"
    exit_code = 4


class ShadowBusyError(ShadowError):
    """Another process or window works in the shadow."""

    kind = "busy"
    exit_code = 3


class SidecarError(TandemError):
    """The agent process failed; `stderr` holds its last lines."""

    kind = "agent"
    exit_code = 4

    def __init__(self, message: str, *, next: str = "", stderr: tuple[str, ...] = ()) -> None:  # noqa: A002 - as in TandemError
        super().__init__(message, next=next)
        self.stderr = stderr


class SidecarLaunchError(SidecarError):
    """The agent cannot be started."""

    kind = "agent_launch"


class SidecarProtocolError(SidecarError):
    """The agent sent an invalid message."""

    kind = "agent_protocol"


class SidecarExitedError(SidecarError):
    """The agent ended unexpectedly."""

    kind = "agent_exited"


class SidecarTimeoutError(SidecarError):
    """The agent did not answer in time."""

    kind = "agent_timeout"


class LoginNeededError(SidecarError):
    """The agent wants a login first."""

    kind = "agent_login"


class NoModelError(SidecarError):
    """The agent has no model to answer with."""

    kind = "agent_no_model"


class ModelError(SidecarError):
    """The model of the agent cannot be reached, or refused."""

    kind = "agent_model"


class NoAnswerError(SidecarError):
    """The agent submitted no usable answer."""

    kind = "agent_answer"
