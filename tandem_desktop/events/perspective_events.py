"""What is told while several minds look at a task, until its plan is ready."""

from typing import Annotated, Literal

from pydantic import Field

from tandem_desktop.domain.advised_plan import AdvisedPlan
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.perspectives import ChapoPerspective, DevoPerspective, KodaPerspective, Voice


class PlanningStarted(Frozen):
    """Plan mode begins for a task; its voices are asked next."""

    type: Literal["plan_start"] = "plan_start"
    session_id: SessionId
    task: str
    qualification: str = ""
    """The first look at it, in words."""


class PerspectiveStarted(Frozen):
    """A voice was asked."""

    type: Literal["perspective_start"] = "perspective_start"
    session_id: SessionId
    agent: Voice
    spoken_by: str = ""


class PerspectiveMoved(Frozen):
    """What a voice is doing just now, in words."""

    type: Literal["perspective_moved"] = "perspective_moved"
    session_id: SessionId
    agent: Voice
    doing: str


class PerspectiveCompleted(Frozen):
    """A voice has said what it thinks."""

    type: Literal["perspective_complete"] = "perspective_complete"
    session_id: SessionId
    agent: Voice
    perspective: Annotated[ChapoPerspective | KodaPerspective | DevoPerspective, Field(discriminator="agent")]


class PerspectiveFailed(Frozen):
    """A voice had nothing to say; the plan goes on without it."""

    type: Literal["perspective_failed"] = "perspective_failed"
    session_id: SessionId
    agent: Voice
    reason: str


class SynthesisStarted(Frozen):
    """What was said is being put together into tasks."""

    type: Literal["synthesis_started"] = "synthesis_started"
    session_id: SessionId


class SynthesisEnded(Frozen):
    """The tasks are there, or `problem` says why not."""

    type: Literal["synthesis_ended"] = "synthesis_ended"
    session_id: SessionId
    tasks: tuple[str, ...] = ()
    """Their subjects, in order."""
    problem: str = ""


class TaskDelegated(Frozen):
    """A task goes to the agent that plans it."""

    type: Literal["task_delegated"] = "task_delegated"
    session_id: SessionId
    task_id: str
    subject: str
    agent: str
    spoken_by: str = ""


class PlanReady(Frozen):
    """Everything that was to be planned is planned, and waits for a person."""

    type: Literal["plan_ready"] = "plan_ready"
    session_id: SessionId
    plan_id: PlanId
    revision: int
    plan: AdvisedPlan


class PlanApprovalRequested(Frozen):
    """A person has to decide about it; until then nothing goes on."""

    type: Literal["plan_approval_request"] = "plan_approval_request"
    session_id: SessionId
    plan_id: PlanId
    revision: int
    plan: AdvisedPlan


PlanningEvent = (
    PlanningStarted
    | PerspectiveStarted
    | PerspectiveMoved
    | PerspectiveCompleted
    | PerspectiveFailed
    | SynthesisStarted
    | SynthesisEnded
    | TaskDelegated
    | PlanReady
    | PlanApprovalRequested
)
