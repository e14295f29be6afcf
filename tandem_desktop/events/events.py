"""Every fact worth telling, in the past tense, as one union of values; the store stays the truth."""

from typing import Annotated, Literal

from pydantic import Field

from tandem_desktop.domain.agents import AgentUpdate, PermissionRequest, StopReason, Verdict
from tandem_desktop.domain.chat import ChatEntry
from tandem_desktop.domain.execution import FailurePolicy, OperationResult, RunKind, RunStatus
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import OperationId, PlanId, RequestId, RunId, SessionId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.domain.plan_context import PlanAction
from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.domain.state_machine import PlanState
from tandem_desktop.events.orchestration_events import AdjustmentApplied as AdjustmentApplied
from tandem_desktop.events.orchestration_events import OrchestrationEnded as OrchestrationEnded
from tandem_desktop.events.orchestration_events import OrchestrationMoved as OrchestrationMoved
from tandem_desktop.events.orchestration_events import OrchestrationStarted as OrchestrationStarted
from tandem_desktop.events.orchestration_events import PlanExecutionCompleted as PlanExecutionCompleted
from tandem_desktop.events.orchestration_events import PlanExecutionStarted as PlanExecutionStarted
from tandem_desktop.events.orchestration_events import PlanStepCompleted as PlanStepCompleted
from tandem_desktop.events.orchestration_events import PlanStepReady as PlanStepReady
from tandem_desktop.events.orchestration_events import ReflectionCompleted as ReflectionCompleted
from tandem_desktop.events.perspective_events import PlanningEvent
from tandem_desktop.events.task_events import (
    TaskCompleted,
    TaskCreated,
    TaskFailed,
    TasksListed,
    TaskStarted,
    TaskUpdated,
)


class TurnStarted(Frozen):
    """The person spoke and the agent is at work."""

    type: Literal["turn_started"] = "turn_started"
    session_id: SessionId
    text: str


class AgentHeard(Frozen):
    """The agent said or did something."""

    type: Literal["agent_heard"] = "agent_heard"
    session_id: SessionId
    update: AgentUpdate


class TurnEnded(Frozen):
    """The agent has come to an end, or was brought to one; `problem` says why it is not a good one."""

    type: Literal["turn_ended"] = "turn_ended"
    session_id: SessionId
    stop_reason: StopReason | None = None
    problem: str = ""
    details: tuple[str, ...] = ()
    """The agent's last words on its error output, and what to do."""
    plan_id: PlanId | None = None


class PermissionAsked(Frozen):
    """A person has to answer before the agent can go on with this."""

    type: Literal["permission_asked"] = "permission_asked"
    session_id: SessionId
    request: PermissionRequest


class PermissionAnswered(Frozen):
    """A request got its one answer."""

    type: Literal["permission_answered"] = "permission_answered"
    session_id: SessionId
    request_id: RequestId
    verdict: Verdict
    reason: str = ""


class ChangesWaiting(Frozen):
    """Plan mode is off, and the agent changed something no card had shown; it waits as a plan of its own."""

    type: Literal["changes_waiting"] = "changes_waiting"
    session_id: SessionId
    plan_id: PlanId


class ChatGrew(Frozen):
    """An entry of a conversation is new, or has changed."""

    type: Literal["chat_grew"] = "chat_grew"
    session_id: SessionId
    entry: ChatEntry


class OperationStaged(Frozen):
    """An operation of an agent was staged, or takes the place of the one with its id."""

    type: Literal["operation_staged"] = "operation_staged"
    session_id: SessionId
    plan_id: PlanId | None = None
    operation: StagedOperation
    added: int | None = None
    removed: int | None = None
    """How many lines; None where it is no text, or so long that counting waits for the plan."""


class OperationUnstaged(Frozen):
    """An operation was taken out before it became part of a plan."""

    type: Literal["operation_unstaged"] = "operation_unstaged"
    session_id: SessionId
    operation_id: OperationId


class StagingCleared(Frozen):
    """Everything staged was drained."""

    type: Literal["staging_cleared"] = "staging_cleared"
    session_id: SessionId
    operation_ids: tuple[OperationId, ...]


class PlanProposed(Frozen):
    """A revision was stored and can be reviewed."""

    type: Literal["plan_proposed"] = "plan_proposed"
    plan_id: PlanId
    revision: int
    digest: str
    tasks: int = 0
    """How many it has; each new one is told by itself."""


class PlanApproved(Frozen):
    """A person approved exactly this digest."""

    type: Literal["plan_approved"] = "plan_approved"
    plan_id: PlanId
    revision: int
    digest: str


class PlanRejected(Frozen):
    """A person said no; `status` says whether the agent may try again."""

    type: Literal["plan_rejected"] = "plan_rejected"
    plan_id: PlanId
    revision: int
    reason: str
    status: PlanStatus
    qualification: str = ""
    """The task looked at anew, with what the person said."""


class PlanCancelled(Frozen):
    """The plan was abandoned."""

    type: Literal["plan_cancelled"] = "plan_cancelled"
    plan_id: PlanId


class PlanSuperseded(Frozen):
    """It gave way to an alternative that was applied."""

    type: Literal["plan_superseded"] = "plan_superseded"
    plan_id: PlanId
    by: PlanId


class PlanMoved(Frozen):
    """A plan took a step of its lifecycle; the session and the window perform the actions that concern them."""

    type: Literal["plan_moved"] = "plan_moved"
    plan_id: PlanId | None
    """None while a session drafts and nothing is stored yet."""
    session_id: SessionId
    event: EventKind
    state: PlanState
    status: PlanStatus
    actions: tuple[PlanAction, ...] = ()


class PlanExpired(Frozen):
    """Nobody decided in time."""

    type: Literal["plan_expired"] = "plan_expired"
    plan_id: PlanId


class DiskTouched(Frozen):
    """Something happened on disk where a plan that waits would write; whether it drifted has to be looked at."""

    type: Literal["disk_touched"] = "disk_touched"
    plan_id: PlanId


class RunStarted(Frozen):
    """A warrant was accepted and the work begins."""

    type: Literal["run_started"] = "run_started"
    run_id: RunId
    plan_id: PlanId
    revision: int
    run_kind: RunKind
    on_failure: FailurePolicy
    operations: int


class OperationStarted(Frozen):
    """An operation is being carried out."""

    type: Literal["operation_started"] = "operation_started"
    run_id: RunId
    operation_id: OperationId


class CommandPrinted(Frozen):
    """A command that is running has printed more; the last of it."""

    type: Literal["command_printed"] = "command_printed"
    operation_id: OperationId
    tail: str


class OperationFinished(Frozen):
    """An operation ended, well or not."""

    type: Literal["operation_finished"] = "operation_finished"
    run_id: RunId
    result: OperationResult


class RunPaused(Frozen):
    """The run waits before its next operation."""

    type: Literal["run_paused"] = "run_paused"
    run_id: RunId


class RunResumed(Frozen):
    """The run goes on."""

    type: Literal["run_resumed"] = "run_resumed"
    run_id: RunId


class RunFinished(Frozen):
    """The run came to rest; `rolled_back` says whether the tree is as before."""

    type: Literal["run_finished"] = "run_finished"
    run_id: RunId
    plan_id: PlanId
    status: RunStatus
    rolled_back: bool = False
    summary: str = ""


class RunUndone(Frozen):
    """Another run took this one back."""

    type: Literal["run_undone"] = "run_undone"
    run_id: RunId
    undone_by: RunId


class RehearsalStarted(Frozen):
    """A revision is being played through in a throw-away shadow."""

    type: Literal["rehearsal_started"] = "rehearsal_started"
    plan_id: PlanId
    revision: int


class CommandSaid(Frozen):
    """A rehearsed command printed something."""

    type: Literal["command_said"] = "command_said"
    plan_id: PlanId
    operation_id: OperationId
    text: str


class CommandRehearsed(Frozen):
    """A rehearsed command came to its end. Whether it does the same again is known when the rehearsal has finished."""

    type: Literal["command_rehearsed"] = "command_rehearsed"
    plan_id: PlanId
    operation_id: OperationId
    exit_code: int | None
    seconds: float
    effects: int
    error: str | None = None


class RehearsalFinished(Frozen):
    """The rehearsal is over and its shadow is gone; `problem` says why it was cut short."""

    type: Literal["rehearsal_finished"] = "rehearsal_finished"
    plan_id: PlanId
    revision: int
    problem: str = ""


TandemEvent = Annotated[
    TurnStarted
    | AgentHeard
    | TurnEnded
    | PermissionAsked
    | PermissionAnswered
    | ChangesWaiting
    | ChatGrew
    | OperationStaged
    | OperationUnstaged
    | StagingCleared
    | PlanProposed
    | PlanApproved
    | PlanRejected
    | PlanCancelled
    | PlanSuperseded
    | PlanMoved
    | PlanExpired
    | DiskTouched
    | RunStarted
    | OperationStarted
    | CommandPrinted
    | OperationFinished
    | RunPaused
    | RunResumed
    | RunFinished
    | RunUndone
    | TaskCreated
    | TaskUpdated
    | TaskStarted
    | TaskCompleted
    | TaskFailed
    | TasksListed
    | RehearsalStarted
    | CommandSaid
    | CommandRehearsed
    | RehearsalFinished
    | PlanExecutionStarted
    | PlanStepReady
    | PlanStepCompleted
    | ReflectionCompleted
    | AdjustmentApplied
    | PlanExecutionCompleted
    | OrchestrationStarted
    | OrchestrationMoved
    | OrchestrationEnded
    | PlanningEvent,
    Field(discriminator="type"),
]
