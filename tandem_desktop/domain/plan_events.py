"""The events of the plan's state machine, each with the data it carries."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from tandem_desktop.domain.execution import OperationResult
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Origin

RevisionNumber = Annotated[int, Field(ge=1)]


class EventKind(StrEnum):
    """The events by name."""

    START_PLANNING = "START_PLANNING"
    PLAN_CREATED = "PLAN_CREATED"
    PLAN_UPDATED = "PLAN_UPDATED"
    FINISH_DRAFTING = "FINISH_DRAFTING"
    OPERATION_STAGED = "OPERATION_STAGED"
    USER_REVIEWING = "USER_REVIEWING"
    APPROVE = "APPROVE"
    EXECUTE_PLAN = "EXECUTE_PLAN"
    PLAN_EXECUTED = "PLAN_EXECUTED"
    REJECT_PLAN = "REJECT_PLAN"
    REQUEST_REVISION = "REQUEST_REVISION"
    CANCEL = "CANCEL"
    PAUSE = "PAUSE"
    RESUME = "RESUME"
    EXECUTION_FAILED = "EXECUTION_FAILED"
    STALL = "STALL"
    EXPIRE = "EXPIRE"
    SUPERSEDE = "SUPERSEDE"
    RUN_UNDONE = "RUN_UNDONE"
    RUN_REDONE = "RUN_REDONE"
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
    """A revision was stored; `origin` says who made it."""

    kind: Literal[EventKind.PLAN_UPDATED] = EventKind.PLAN_UPDATED
    revision: RevisionNumber
    origin: Origin = Origin.AGENT


class FinishDrafting(Frozen):
    """The agent has nothing more to propose."""

    kind: Literal[EventKind.FINISH_DRAFTING] = EventKind.FINISH_DRAFTING


class StageOperation(Frozen):
    """One more operation; during review it makes a revision, whose number is carried where it is known."""

    kind: Literal[EventKind.OPERATION_STAGED] = EventKind.OPERATION_STAGED
    operation: StagedOperation
    revision: RevisionNumber | None = None


class UserReviewing(Frozen):
    """The person began to read."""

    kind: Literal[EventKind.USER_REVIEWING] = EventKind.USER_REVIEWING


class Approve(Frozen):
    """The person approved the latest revision, with these notes for the agent."""

    kind: Literal[EventKind.APPROVE] = EventKind.APPROVE
    notes: str = ""
    at: datetime | None = None


class ExecutePlan(Frozen):
    """A run of the approved revision begins."""

    kind: Literal[EventKind.EXECUTE_PLAN] = EventKind.EXECUTE_PLAN
    run_id: RunId | None = None
    at: datetime | None = None


class RunEnd(Frozen):
    """How a run ended; `rolled_back` says whether the tree is as before."""

    results: tuple[OperationResult, ...] = ()
    rolled_back: bool = False
    summary: str = ""
    at: datetime | None = None


class PlanExecuted(RunEnd):
    """The run reached its end."""

    kind: Literal[EventKind.PLAN_EXECUTED] = EventKind.PLAN_EXECUTED


class ExecutionFailed(RunEnd):
    """The run ended with a failure."""

    kind: Literal[EventKind.EXECUTION_FAILED] = EventKind.EXECUTION_FAILED


class Cancel(RunEnd):
    """The person ended the plan, or stopped its run; only then there are results."""

    kind: Literal[EventKind.CANCEL] = EventKind.CANCEL


class RejectPlan(Frozen):
    """The person rejected the plan without feedback."""

    kind: Literal[EventKind.REJECT_PLAN] = EventKind.REJECT_PLAN
    at: datetime | None = None


class RequestRevision(Frozen):
    """The person rejected the plan with feedback: the agent tries again."""

    kind: Literal[EventKind.REQUEST_REVISION] = EventKind.REQUEST_REVISION
    feedback: str
    at: datetime | None = None


class Pause(Frozen):
    """The run waits before its next operation."""

    kind: Literal[EventKind.PAUSE] = EventKind.PAUSE


class Resume(Frozen):
    """The run goes on."""

    kind: Literal[EventKind.RESUME] = EventKind.RESUME


class Stall(Frozen):
    """The run was cut off and is past its time limit."""

    kind: Literal[EventKind.STALL] = EventKind.STALL


class Expire(Frozen):
    """The plan waited too long for a decision."""

    kind: Literal[EventKind.EXPIRE] = EventKind.EXPIRE


class Supersede(Frozen):
    """An alternative to the plan was applied."""

    kind: Literal[EventKind.SUPERSEDE] = EventKind.SUPERSEDE


class MarkUndone(Frozen):
    """The plan's run was undone."""

    kind: Literal[EventKind.RUN_UNDONE] = EventKind.RUN_UNDONE


class MarkRedone(Frozen):
    """The plan's run was undone and then done again."""

    kind: Literal[EventKind.RUN_REDONE] = EventKind.RUN_REDONE


class Reset(Frozen):
    """Forget the plan that ended."""

    kind: Literal[EventKind.RESET] = EventKind.RESET


PlanEvent = Annotated[
    StartPlanning
    | PlanCreated
    | PlanUpdated
    | FinishDrafting
    | StageOperation
    | UserReviewing
    | Approve
    | ExecutePlan
    | PlanExecuted
    | RejectPlan
    | RequestRevision
    | Cancel
    | Pause
    | Resume
    | ExecutionFailed
    | Stall
    | Expire
    | Supersede
    | MarkUndone
    | MarkRedone
    | Reset,
    Field(discriminator="kind"),
]
