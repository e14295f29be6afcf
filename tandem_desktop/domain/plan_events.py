"""What someone may ask the plan's machine to do, each request with exactly what it needs to carry."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from tandem_desktop.domain.execution import OperationResult
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import StagedOperation

RevisionNumber = Annotated[int, Field(ge=1)]


class EventKind(StrEnum):
    """Every request the machine knows by name."""

    START_PLANNING = "START_PLANNING"
    PLAN_CREATED = "PLAN_CREATED"
    PLAN_UPDATED = "PLAN_UPDATED"
    FINISH_DRAFTING = "FINISH_DRAFTING"
    OPERATION_STAGED = "OPERATION_STAGED"
    USER_REVIEWING = "USER_REVIEWING"
    EXECUTE_PLAN = "EXECUTE_PLAN"
    PLAN_EXECUTED = "PLAN_EXECUTED"
    REJECT_PLAN = "REJECT_PLAN"
    REQUEST_REVISION = "REQUEST_REVISION"
    CANCEL = "CANCEL"
    PAUSE = "PAUSE"
    RESUME = "RESUME"
    EXECUTION_FAILED = "EXECUTION_FAILED"
    RESET = "RESET"


class StartPlanning(Frozen):
    """The first task after Plan mode was turned on."""

    kind: Literal[EventKind.START_PLANNING] = EventKind.START_PLANNING
    task: str


class PlanCreated(Frozen):
    """A proposal was stored; `revision` is the number the store gave it, where it is known."""

    kind: Literal[EventKind.PLAN_CREATED] = EventKind.PLAN_CREATED
    plan_id: PlanId
    revision: RevisionNumber | None = None


class PlanUpdated(Frozen):
    """The draft was stored again under a new number."""

    kind: Literal[EventKind.PLAN_UPDATED] = EventKind.PLAN_UPDATED
    revision: RevisionNumber


class FinishDrafting(Frozen):
    """The agent has nothing more to propose."""

    kind: Literal[EventKind.FINISH_DRAFTING] = EventKind.FINISH_DRAFTING


class OperationStaged(Frozen):
    """One more operation; during review it makes a revision, whose number is carried where it is known."""

    kind: Literal[EventKind.OPERATION_STAGED] = EventKind.OPERATION_STAGED
    operation: StagedOperation
    revision: RevisionNumber | None = None


class UserReviewing(Frozen):
    """The person began to read."""

    kind: Literal[EventKind.USER_REVIEWING] = EventKind.USER_REVIEWING


class ExecutePlan(Frozen):
    """The person approved; run it."""

    kind: Literal[EventKind.EXECUTE_PLAN] = EventKind.EXECUTE_PLAN


class PlanExecuted(Frozen):
    """The run reached its end."""

    kind: Literal[EventKind.PLAN_EXECUTED] = EventKind.PLAN_EXECUTED
    results: tuple[OperationResult, ...] = ()


class RejectPlan(Frozen):
    """A no without feedback."""

    kind: Literal[EventKind.REJECT_PLAN] = EventKind.REJECT_PLAN


class RequestRevision(Frozen):
    """A no with feedback: try again."""

    kind: Literal[EventKind.REQUEST_REVISION] = EventKind.REQUEST_REVISION
    feedback: str


class Cancel(Frozen):
    """Stop; results are those of a run cut short, where there was one."""

    kind: Literal[EventKind.CANCEL] = EventKind.CANCEL
    results: tuple[OperationResult, ...] = ()
    rolled_back: bool = False


class Pause(Frozen):
    """The run waits before its next publish."""

    kind: Literal[EventKind.PAUSE] = EventKind.PAUSE


class Resume(Frozen):
    """The run goes on."""

    kind: Literal[EventKind.RESUME] = EventKind.RESUME


class ExecutionFailed(Frozen):
    """The run ended with a failure; `rolled_back` says whether the tree is as before."""

    kind: Literal[EventKind.EXECUTION_FAILED] = EventKind.EXECUTION_FAILED
    results: tuple[OperationResult, ...] = ()
    rolled_back: bool = False


class Reset(Frozen):
    """Forget the plan that ended."""

    kind: Literal[EventKind.RESET] = EventKind.RESET


PlanEvent = Annotated[
    StartPlanning
    | PlanCreated
    | PlanUpdated
    | FinishDrafting
    | OperationStaged
    | UserReviewing
    | ExecutePlan
    | PlanExecuted
    | RejectPlan
    | RequestRevision
    | Cancel
    | Pause
    | Resume
    | ExecutionFailed
    | Reset,
    Field(discriminator="kind"),
]
