"""All published events."""

from typing import Annotated, Literal

from pydantic import Field

from tandem_desktop.domain.agent_protocol import (
    AgentUpdate,
    ChatEntry,
    PermissionRequest,
    PermissionVerdict,
    StopReason,
)
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.ids import OperationId, PlanId, RequestId, RunId, SessionId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.perspectives import ChapoPerspective, DevoPerspective, KodaPerspective, Role
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.domain.plan_steps import AdvisedPlan, StepStatus
from tandem_desktop.domain.reflection import AdjustmentAction, Assessment, OrchestrationOutcome, OrchestrationStage
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, RunKind, RunStatus
from tandem_desktop.domain.state_machine import EventKind, PlanAction, PlanState
from tandem_desktop.domain.tasks import TaskStatus, TrackedTask


class PlanExecutionStarted(Frozen):
    """An orchestrated plan is being carried out."""

    type: Literal["plan_execution_start"] = "plan_execution_start"
    plan_id: PlanId
    revision: int
    steps: int


class PlanStepReady(Frozen):
    """Steps wait for nothing any more; all that became ready at once are told at once."""

    type: Literal["plan_step_ready"] = "plan_step_ready"
    plan_id: PlanId
    revision: int
    step_ids: tuple[str, ...]


class PlanStepCompleted(Frozen):
    """A step came to its end, well or not."""

    type: Literal["plan_step_complete"] = "plan_step_complete"
    plan_id: PlanId
    revision: int
    step_id: str
    status: StepStatus
    error: str | None = None


class ReflectionCompleted(Frozen):
    """Somebody looked back at a run; what was found is kept with the run."""

    type: Literal["reflection_complete"] = "reflection_complete"
    plan_id: PlanId
    run_id: RunId
    assessment: Assessment
    adjustments: int


class AdjustmentApplied(Frozen):
    """An adjustment a person accepted is part of a new revision, which waits for its own approval."""

    type: Literal["adjustment_applied"] = "adjustment_applied"
    plan_id: PlanId
    revision: int
    number: int
    action: AdjustmentAction
    step_id: str


class PlanExecutionCompleted(Frozen):
    """An orchestrated plan came to rest, after this many adjustments."""

    type: Literal["plan_execution_complete"] = "plan_execution_complete"
    plan_id: PlanId
    revision: int
    status: PlanStatus
    cycles: int


class OrchestrationStarted(Frozen):
    """A task is to be taken from a plan to its end."""

    type: Literal["orchestration_started"] = "orchestration_started"
    task: str


class OrchestrationMoved(Frozen):
    """An orchestration has come to its next stage."""

    type: Literal["orchestration_moved"] = "orchestration_moved"
    stage: OrchestrationStage
    plan_id: PlanId | None = None
    cycle: int = 0


class OrchestrationEnded(Frozen):
    """An orchestration is over; `problem` says why where the outcome alone does not."""

    type: Literal["orchestration_ended"] = "orchestration_ended"
    plan_id: PlanId | None = None
    outcome: OrchestrationOutcome
    cycles: int = 0
    problem: str = ""


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
    agent: Role
    spoken_by: str = ""


class PerspectiveMoved(Frozen):
    """What a voice is doing just now, in words."""

    type: Literal["perspective_moved"] = "perspective_moved"
    session_id: SessionId
    agent: Role
    doing: str


class PerspectiveCompleted(Frozen):
    """A voice has said what it thinks."""

    type: Literal["perspective_complete"] = "perspective_complete"
    session_id: SessionId
    agent: Role
    perspective: Annotated[ChapoPerspective | KodaPerspective | DevoPerspective, Field(discriminator="agent")]


class PerspectiveFailed(Frozen):
    """A voice had nothing to say; the plan goes on without it."""

    type: Literal["perspective_failed"] = "perspective_failed"
    session_id: SessionId
    agent: Role
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


class TaskCreated(Frozen):
    """A revision brought a task that its plan did not have."""

    type: Literal["task_created"] = "task_created"
    plan_id: PlanId
    task: TrackedTask


class TaskUpdated(Frozen):
    """A task came further, was skipped or taken back; or its agent says something about it."""

    type: Literal["task_update"] = "task_update"
    plan_id: PlanId
    task_id: TaskId
    status: TaskStatus
    progress: int = 0
    active_form: str = ""
    note: str = ""
    is_agents_word: bool = False
    """The agent says so; nothing on disk has."""


class TaskStarted(Frozen):
    """The first operation of a task is being carried out."""

    type: Literal["task_started"] = "task_started"
    plan_id: PlanId
    task_id: TaskId
    agent: str = ""
    active_form: str = ""


class TaskCompleted(Frozen):
    """Every operation of a task is on disk and was verified."""

    type: Literal["task_completed"] = "task_completed"
    plan_id: PlanId
    task_id: TaskId
    result: str | None = None


class TaskFailed(Frozen):
    """An operation of a task could not be carried out; whatever waits for the task is skipped."""

    type: Literal["task_failed"] = "task_failed"
    plan_id: PlanId
    task_id: TaskId
    error: str = ""


class TasksListed(Frozen):
    """All tasks of a plan as they stand: when a revision brought them, and when their run has ended."""

    type: Literal["tasks_list"] = "tasks_list"
    plan_id: PlanId
    tasks: tuple[TrackedTask, ...]


TaskNews = TaskUpdated | TaskStarted | TaskCompleted | TaskFailed


def task_news(task: TrackedTask) -> TaskNews:
    """The one event for a task that has just come to stand as it does."""
    plan_id, task_id = task.plan_id, task.id
    if task.status is TaskStatus.IN_PROGRESS and not task.progress:
        return TaskStarted(plan_id=plan_id, task_id=task_id, agent=task.agent, active_form=task.active_form)
    if task.status is TaskStatus.COMPLETED:
        return TaskCompleted(plan_id=plan_id, task_id=task_id, result=task.result)
    if task.status is TaskStatus.FAILED:
        return TaskFailed(plan_id=plan_id, task_id=task_id, error=task.error or "")
    return TaskUpdated(
        plan_id=plan_id,
        task_id=task_id,
        status=task.status,
        progress=task.progress,
        active_form=task.active_form,
        note=task.error or task.result or "",
    )


class TurnStarted(Frozen):
    """The person spoke and the agent is at work."""

    type: Literal["turn_started"] = "turn_started"
    session_id: SessionId
    text: str


class AgentUpdated(Frozen):
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
    verdict: PermissionVerdict
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
    | AgentUpdated
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
