"""All published events."""

from typing import Annotated, Literal

from tandem_desktop.domain.agent_protocol import (
    AgentUpdate,
    CardContent,
    ChatEntry,
    PermissionRequest,
    PermissionVerdict,
    StopReason,
)
from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.ids import OperationId, PlanId, RequestId, RunId, SessionId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.perspectives import ChapoPerspective, DevoPerspective, KodaPerspective, Role
from tandem_desktop.domain.plan_states import EventKind, PlanAction, PlanState, PlanStatus
from tandem_desktop.domain.plan_steps import AdvisedPlan, StepStatus
from tandem_desktop.domain.questions import AgentQuestion, QuestionAction
from tandem_desktop.domain.reflection import AdjustmentAction, Assessment, OrchestrationOutcome, OrchestrationStage
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, RunKind, RunStatus
from tandem_desktop.domain.tasks import TaskStatus, TrackedTask


class PlanExecutionStarted(Frozen):
    """An orchestrated plan is being executed."""

    type: Literal["plan_execution_start"] = "plan_execution_start"
    plan_id: PlanId
    revision: int
    steps: int


class PlanStepReady(Frozen):
    """Steps became ready; all that became ready at once are in one event."""

    type: Literal["plan_step_ready"] = "plan_step_ready"
    plan_id: PlanId
    revision: int
    step_ids: tuple[str, ...]


class PlanStepCompleted(Frozen):
    """A step ended, successfully or not."""

    type: Literal["plan_step_complete"] = "plan_step_complete"
    plan_id: PlanId
    revision: int
    step_id: str
    status: StepStatus
    error: str | None = None


class ReflectionCompleted(Frozen):
    """A run was reflected on; the reflection is stored with the run."""

    type: Literal["reflection_complete"] = "reflection_complete"
    plan_id: PlanId
    run_id: RunId
    assessment: Assessment
    adjustments: int


class AdjustmentApplied(Frozen):
    """An accepted adjustment is part of a new revision, which needs its own approval."""

    type: Literal["adjustment_applied"] = "adjustment_applied"
    plan_id: PlanId
    revision: int
    number: int
    action: AdjustmentAction
    step_id: str


class PlanExecutionCompleted(Frozen):
    """An orchestrated plan ended, after this many adjustments."""

    type: Literal["plan_execution_complete"] = "plan_execution_complete"
    plan_id: PlanId
    revision: int
    status: PlanStatus
    cycles: int


class OrchestrationStarted(Frozen):
    """An orchestration of a task began."""

    type: Literal["orchestration_started"] = "orchestration_started"
    task: str
    session_id: SessionId | None = None


class OrchestrationMoved(Frozen):
    """An orchestration entered its next stage."""

    type: Literal["orchestration_moved"] = "orchestration_moved"
    stage: OrchestrationStage
    plan_id: PlanId | None = None
    cycle: int = 0
    session_id: SessionId | None = None


class OrchestrationEnded(Frozen):
    """An orchestration ended; `problem` says why if the outcome alone does not."""

    type: Literal["orchestration_ended"] = "orchestration_ended"
    plan_id: PlanId | None = None
    outcome: OrchestrationOutcome
    cycles: int = 0
    problem: str = ""
    session_id: SessionId | None = None


class PlanningStarted(Frozen):
    """Plan mode begins for a task; its perspectives are asked next."""

    type: Literal["plan_start"] = "plan_start"
    session_id: SessionId
    task: str
    qualification: str = ""
    """The first qualification of the task, as text."""


class PerspectiveStarted(Frozen):
    """A perspective was requested."""

    type: Literal["perspective_start"] = "perspective_start"
    session_id: SessionId
    agent: Role
    spoken_by: str = ""


class PerspectiveMoved(Frozen):
    """Progress of a perspective, as text."""

    type: Literal["perspective_moved"] = "perspective_moved"
    session_id: SessionId
    agent: Role
    doing: str


class PerspectiveCompleted(Frozen):
    """A perspective was submitted."""

    type: Literal["perspective_complete"] = "perspective_complete"
    session_id: SessionId
    agent: Role
    perspective: Annotated[ChapoPerspective | KodaPerspective | DevoPerspective, Field(discriminator="agent")]


class PerspectiveFailed(Frozen):
    """A perspective is missing; planning continues without it."""

    type: Literal["perspective_failed"] = "perspective_failed"
    session_id: SessionId
    agent: Role
    reason: str


class SynthesisStarted(Frozen):
    """The perspectives are being combined into tasks."""

    type: Literal["synthesis_started"] = "synthesis_started"
    session_id: SessionId


class SynthesisEnded(Frozen):
    """The tasks are ready, or `problem` says why not."""

    type: Literal["synthesis_ended"] = "synthesis_ended"
    session_id: SessionId
    tasks: tuple[str, ...] = ()
    """Their subjects, in order."""
    problem: str = ""


class TaskDelegated(Frozen):
    """A task is passed to the agent that plans it."""

    type: Literal["task_delegated"] = "task_delegated"
    session_id: SessionId
    task_id: str
    subject: str
    agent: str
    spoken_by: str = ""


class PlanReady(Frozen):
    """All tasks are planned and wait for a person's decision."""

    type: Literal["plan_ready"] = "plan_ready"
    session_id: SessionId
    plan_id: PlanId
    revision: int
    plan: AdvisedPlan


class PlanApprovalRequested(Frozen):
    """A person has to decide; nothing continues until then."""

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
    """A revision has a task that its plan did not have."""

    type: Literal["task_created"] = "task_created"
    plan_id: PlanId
    task: TrackedTask


class TaskUpdated(Frozen):
    """The status of a task changed, or its agent reported on it."""

    type: Literal["task_update"] = "task_update"
    plan_id: PlanId
    task_id: TaskId
    status: TaskStatus
    progress: int = 0
    active_form: str = ""
    note: str = ""
    is_agents_word: bool = False
    """True if only the agent reports it, without an effect on disk."""


class TaskStarted(Frozen):
    """The first operation of a task is being executed."""

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
    """An operation of a task failed; the tasks that depend on it are skipped."""

    type: Literal["task_failed"] = "task_failed"
    plan_id: PlanId
    task_id: TaskId
    error: str = ""


class TasksListed(Frozen):
    """All tasks of a plan with their status: sent after a revision, and after a run."""

    type: Literal["tasks_list"] = "tasks_list"
    plan_id: PlanId
    tasks: tuple[TrackedTask, ...]


TaskNews = TaskUpdated | TaskStarted | TaskCompleted | TaskFailed


def task_news(task: TrackedTask) -> TaskNews:
    """The event for a task's new status."""
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
    """The person sent a message and the agent is working."""

    type: Literal["turn_started"] = "turn_started"
    session_id: SessionId
    text: str


class AgentUpdated(Frozen):
    """The agent sent an update."""

    type: Literal["agent_heard"] = "agent_heard"
    session_id: SessionId
    update: AgentUpdate


class TurnEnded(Frozen):
    """The agent's turn ended; `problem` says why if it ended badly."""

    type: Literal["turn_ended"] = "turn_ended"
    session_id: SessionId
    stop_reason: StopReason | None = None
    problem: str = ""
    details: tuple[str, ...] = ()
    """The last lines of the agent's stderr, and what to do."""
    problem_kind: str = ""
    """The kind of the error."""
    plan_id: PlanId | None = None
    left_out: tuple[str, ...] = ()
    """What the agent left that no plan carries, a sentence for each: a pipe, a file that is too large, …"""
    changed_on_disk: tuple[str, ...] | None = None
    """Paths that changed on disk during the turn of an unconfined agent; None where nothing was looked at."""


class PermissionAsked(Frozen):
    """A person has to answer a request before the agent can continue; `card` is what it would change, from the disk."""

    type: Literal["permission_asked"] = "permission_asked"
    session_id: SessionId
    request: PermissionRequest
    card: CardContent | None = None
    """What its card says about files."""


class PermissionAnswered(Frozen):
    """A request was answered."""

    type: Literal["permission_answered"] = "permission_answered"
    session_id: SessionId
    request_id: RequestId
    verdict: PermissionVerdict
    reason: str = ""


class QuestionAsked(Frozen):
    """An agent asks the person a question and waits for the answer."""

    type: Literal["question_asked"] = "question_asked"
    session_id: SessionId
    question: AgentQuestion


class QuestionAnswered(Frozen):
    """A question of an agent was answered, declined or withdrawn."""

    type: Literal["question_answered"] = "question_answered"
    session_id: SessionId
    question_id: RequestId
    action: QuestionAction
    reason: str = ""
    """Why there is no answer."""
    answers: tuple[str, ...] = ()
    """What the person answered, for the conversation; it is not told over HTTP."""


class QuestionCompleted(Frozen):
    """What was begun at the address of a question has ended, says the agent."""

    type: Literal["question_completed"] = "question_completed"
    session_id: SessionId
    question_id: RequestId


class AgentProgramChanged(Frozen):
    """The program of an agent is another one than at its last start; said before it starts, and it starts."""

    type: Literal["agent_program_changed"] = "agent_program_changed"
    session_id: SessionId
    agent: str
    text: str
    """What differs, as a sentence."""


class ChangesWaiting(Frozen):
    """Plan mode is off, and the agent changed something no card had shown; it waits as a plan."""

    type: Literal["changes_waiting"] = "changes_waiting"
    session_id: SessionId
    plan_id: PlanId


class ChatGrew(Frozen):
    """An entry of a conversation is new, or has changed."""

    type: Literal["chat_grew"] = "chat_grew"
    session_id: SessionId
    entry: ChatEntry


class OperationStaged(Frozen):
    """An operation of an agent was staged, or replaces the one with its id."""

    type: Literal["operation_staged"] = "operation_staged"
    session_id: SessionId
    plan_id: PlanId | None = None
    operation: StagedOperation
    added: int | None = None
    removed: int | None = None
    """Lines added and removed; None for binary content, or if too long to count live."""


class OperationUnstaged(Frozen):
    """A staged operation was removed before it became part of a plan."""

    type: Literal["operation_unstaged"] = "operation_unstaged"
    session_id: SessionId
    operation_id: OperationId


class StagingCleared(Frozen):
    """The staging was cleared."""

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
    """The number of its tasks; each new one has its own event."""


class PlanApproved(Frozen):
    """A person approved exactly this digest."""

    type: Literal["plan_approved"] = "plan_approved"
    plan_id: PlanId
    revision: int
    digest: str


class PlanRejected(Frozen):
    """A person rejected the plan; `status` says whether the agent may try again."""

    type: Literal["plan_rejected"] = "plan_rejected"
    plan_id: PlanId
    revision: int
    reason: str
    status: PlanStatus
    qualification: str = ""
    """The new qualification of the task, with the person's feedback."""
    said: str = ""
    """What the person wrote: their message, and each comment after its place."""


class PlanCancelled(Frozen):
    """The plan was cancelled."""

    type: Literal["plan_cancelled"] = "plan_cancelled"
    plan_id: PlanId


class PlanSuperseded(Frozen):
    """An alternative to the plan was applied."""

    type: Literal["plan_superseded"] = "plan_superseded"
    plan_id: PlanId
    by: PlanId


class PlanMoved(Frozen):
    """A plan moved in its lifecycle; the session and the window perform their actions."""

    type: Literal["plan_moved"] = "plan_moved"
    plan_id: PlanId | None
    """None while a session drafts and no plan is stored."""
    session_id: SessionId
    event: EventKind
    state: PlanState
    status: PlanStatus
    actions: tuple[PlanAction, ...] = ()


class PlanExpired(Frozen):
    """The plan expired without a decision."""

    type: Literal["plan_expired"] = "plan_expired"
    plan_id: PlanId


class DiskTouched(Frozen):
    """Files changed on disk at the paths of a waiting plan; it may have drifted."""

    type: Literal["disk_touched"] = "disk_touched"
    plan_id: PlanId


class RunStarted(Frozen):
    """A run started."""

    type: Literal["run_started"] = "run_started"
    run_id: RunId
    plan_id: PlanId
    revision: int
    run_kind: RunKind
    on_failure: FailurePolicy
    operations: int


class OperationStarted(Frozen):
    """An operation is being executed."""

    type: Literal["operation_started"] = "operation_started"
    run_id: RunId
    operation_id: OperationId


class CommandPrinted(Frozen):
    """A running command printed output; the last part of it."""

    type: Literal["command_printed"] = "command_printed"
    operation_id: OperationId
    tail: str


class OperationFinished(Frozen):
    """An operation ended, successfully or not."""

    type: Literal["operation_finished"] = "operation_finished"
    run_id: RunId
    result: OperationResult


class RunPaused(Frozen):
    """The run is paused before its next operation."""

    type: Literal["run_paused"] = "run_paused"
    run_id: RunId


class RunResumed(Frozen):
    """The run continues after a pause."""

    type: Literal["run_resumed"] = "run_resumed"
    run_id: RunId


class RunFinished(Frozen):
    """The run ended; `rolled_back` says whether the tree is as before."""

    type: Literal["run_finished"] = "run_finished"
    run_id: RunId
    plan_id: PlanId
    status: RunStatus
    rolled_back: bool = False
    summary: str = ""


class RunUndone(Frozen):
    """Another run undid this one."""

    type: Literal["run_undone"] = "run_undone"
    run_id: RunId
    undone_by: RunId


class RehearsalStarted(Frozen):
    """A revision is being rehearsed in a temporary shadow."""

    type: Literal["rehearsal_started"] = "rehearsal_started"
    plan_id: PlanId
    revision: int


class CommandSaid(Frozen):
    """A rehearsed command printed output."""

    type: Literal["command_said"] = "command_said"
    plan_id: PlanId
    operation_id: OperationId
    text: str


class CommandRehearsed(Frozen):
    """A rehearsed command ended. Whether it is repeatable is known when the rehearsal has finished."""

    type: Literal["command_rehearsed"] = "command_rehearsed"
    plan_id: PlanId
    operation_id: OperationId
    exit_code: int | None
    seconds: float
    effects: int
    error: str | None = None


class ChecksStarted(Frozen):
    """The checks of a revision are being run in temporary shadows."""

    type: Literal["checks_started"] = "checks_started"
    plan_id: PlanId
    revision: int
    total: int
    """How many runs there are: each check without and with the plan."""


class CheckFinished(Frozen):
    """One run of a check has ended, or its stored result was taken."""

    type: Literal["check_finished"] = "check_finished"
    plan_id: PlanId
    revision: int
    check: str
    with_plan: bool
    exit_code: int | None
    problem: str = ""
    done: int
    total: int


class AffectedTestsFinished(Frozen):
    """The tests that a plan touches have run ahead of the others; what counts is the whole run of their check."""

    type: Literal["affected_tests_finished"] = "affected_tests_finished"
    plan_id: PlanId
    revision: int
    check: str
    passed: int
    failed: int
    names: tuple[str, ...]
    """Those that failed, at most twenty; some may have failed before."""


class ChecksEnded(Frozen):
    """No check of the revision runs any longer."""

    type: Literal["checks_ended"] = "checks_ended"
    plan_id: PlanId
    revision: int


TandemEvent = Annotated[
    TurnStarted
    | AgentUpdated
    | TurnEnded
    | PermissionAsked
    | PermissionAnswered
    | QuestionAsked
    | QuestionAnswered
    | QuestionCompleted
    | AgentProgramChanged
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
    | ChecksStarted
    | CheckFinished
    | AffectedTestsFinished
    | ChecksEnded
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
