"""The plan lifecycle: states, events, context and transitions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Literal, assert_never

from pydantic import Field

from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.ids import OperationId, PlanId, RunId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Origin, PlanMeta, PlanStatus
from tandem_desktop.domain.runs import OperationResult

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


class PlanAction(StrEnum):
    """What a transition does, by name; the sender of the event performs it."""

    INITIALIZE_PLAN = "initializePlan"
    SET_TASK = "setTask"
    CREATE_PLAN_DOCUMENT = "createPlanDocument"
    SET_PLAN_ID = "setPlanId"
    INCREMENT_REVISION = "incrementRevision"
    UPDATE_PLAN = "updatePlan"
    FINALIZE_PLAN = "finalizePlan"
    CLEAR_PLAN = "clearPlan"
    ADD_OPERATION = "addOperation"
    REARM_APPROVAL = "rearmApproval"
    SHOW_EXECUTION_PLAN_PANEL = "showExecutionPlanPanel"
    ENABLE_DIFF_VIEWER = "enableDiffViewer"
    RECORD_APPROVAL = "recordApproval"
    RECORD_DECISION = "recordDecision"
    QUEUE_REVISION = "queueRevision"
    SET_EXECUTING = "setExecuting"
    CLEAR_EXECUTING = "clearExecuting"
    EXECUTE_ALL_OPERATIONS = "executeAllOperations"
    PAUSE_EXECUTION = "pauseExecution"
    RESUME_EXECUTION = "resumeExecution"
    STOP_EXECUTION = "stopExecution"
    APPLY_FAILURE_POLICY = "applyFailurePolicy"
    MARK_TIMED_OUT = "markTimedOut"
    MARK_SUPERSEDED = "markSuperseded"
    RECORD_RESULTS = "recordResults"
    CLEAR_STAGING = "clearStaging"
    SHOW_SUCCESS = "showSuccess"
    SHOW_FAILURE = "showFailure"
    NOTIFY_AI = "notifyAI"
    RESET_PLAN = "resetPlan"


@dataclass(frozen=True, slots=True)
class PlanContext:
    """The plan as the machine knows it. Operations are known by id; the staging store or the revision holds them."""

    plan_id: PlanId | None = None
    revision: int = 0
    operations: tuple[OperationId, ...] = ()
    execution_results: tuple[OperationResult, ...] = ()
    task: str | None = None
    feedback: str | None = None
    """What the person wants changed, until a revision answers it."""
    rejections: int = 0
    """How often the person rejected the plan with feedback."""
    approved: bool = False
    executing: bool = False
    rolled_back: bool = False
    timed_out: bool = False
    """Whether the plan expired, or its run stalled."""
    superseded: bool = False


Update = Callable[[PlanContext, PlanEvent], PlanContext]


def act(action: PlanAction, context: PlanContext, event: PlanEvent) -> PlanContext:
    """The context after `action`. Actions with effects outside the machine leave it unchanged."""
    update = UPDATES.get(action)
    return context if update is None else update(context, event)


def _initialize(_: PlanContext, event: PlanEvent) -> PlanContext:
    return PlanContext(task=event.task if isinstance(event, StartPlanning) else None)


def _set_task(context: PlanContext, event: PlanEvent) -> PlanContext:
    return replace(context, task=event.task) if isinstance(event, StartPlanning) else context


def _set_plan_id(context: PlanContext, event: PlanEvent) -> PlanContext:
    return replace(context, plan_id=event.plan_id) if isinstance(event, PlanCreated) else context


def _increment_revision(context: PlanContext, event: PlanEvent) -> PlanContext:
    """The store's number where it is known; a queued revision counts when it is stored."""
    if isinstance(event, RequestRevision):
        return context
    number = event.revision if isinstance(event, PlanCreated | PlanUpdated | StageOperation) else None
    return replace(context, revision=number or context.revision + 1, feedback=None)


def _queue_revision(context: PlanContext, event: PlanEvent) -> PlanContext:
    if not isinstance(event, RequestRevision):
        return context
    return replace(context, feedback=event.feedback, rejections=context.rejections + 1, approved=False)


def _add_operation(context: PlanContext, event: PlanEvent) -> PlanContext:
    if not isinstance(event, StageOperation) or event.operation.id in context.operations:
        return context
    return replace(context, operations=(*context.operations, event.operation.id))


def _record_results(context: PlanContext, event: PlanEvent) -> PlanContext:
    if not isinstance(event, RunEnd):
        return context
    return replace(context, execution_results=event.results, rolled_back=event.rolled_back, timed_out=False)


def _always(**fields: object) -> Update:
    return lambda context, _: replace(context, **fields)  # type: ignore[arg-type]  # names are checked by the tests


UPDATES: Mapping[PlanAction, Update] = MappingProxyType(
    {
        PlanAction.INITIALIZE_PLAN: _initialize,
        PlanAction.SET_TASK: _set_task,
        PlanAction.SET_PLAN_ID: _set_plan_id,
        PlanAction.INCREMENT_REVISION: _increment_revision,
        PlanAction.UPDATE_PLAN: _always(timed_out=False),
        PlanAction.REARM_APPROVAL: _always(approved=False),
        PlanAction.RECORD_APPROVAL: _always(approved=True, feedback=None),
        PlanAction.QUEUE_REVISION: _queue_revision,
        PlanAction.ADD_OPERATION: _add_operation,
        PlanAction.RECORD_RESULTS: _record_results,
        PlanAction.SET_EXECUTING: _always(executing=True, approved=False, timed_out=False),
        PlanAction.CLEAR_EXECUTING: _always(executing=False),
        PlanAction.MARK_TIMED_OUT: _always(timed_out=True),
        PlanAction.MARK_SUPERSEDED: _always(superseded=True),
        PlanAction.CLEAR_STAGING: _always(operations=()),
        PlanAction.CLEAR_PLAN: lambda _context, _event: PlanContext(),
        PlanAction.RESET_PLAN: lambda _context, _event: PlanContext(),
    }
)


MAX_REJECTIONS = 3
"""After this many rejections with feedback only a person may change the plan."""
BY_AGENT = frozenset({Origin.AGENT, Origin.REWORK, Origin.ADJUSTMENT})


class PlanState(StrEnum):
    """The states of a plan."""

    IDLE = "IDLE"
    DRAFTING = "DRAFTING"
    AWAITING_APPROVAL = "AWAITING_APPROVAL"
    REVIEWING = "REVIEWING"
    EXECUTING = "EXECUTING"
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    UNDONE = "UNDONE"
    CANCELLED = "CANCELLED"


class Guard(StrEnum):
    """A condition on the context, said as the reason for which an event is refused."""

    APPROVED = "the plan is not approved"
    EXPIRED = "only a plan that expired can be taken up again"
    LAST_REJECTION = "the plan may be sent back again"
    AGENT_MAY_REVISE = "the plan was sent back too often; only a person may change it"


@dataclass(frozen=True, slots=True)
class Transition:
    """The target of an event, its own actions, and the condition under which it is taken."""

    target: PlanState
    actions: tuple[PlanAction, ...] = ()
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class Hook:
    """Actions of entering or leaving a state; with `across`, only from or to one of these states."""

    actions: tuple[PlanAction, ...]
    across: frozenset[PlanState] | None = None


@dataclass(frozen=True, slots=True)
class TransitionStep:
    """An accepted event: the states before and after, and every action in order (exit, transition, entry)."""

    previous: PlanState
    state: PlanState
    actions: tuple[PlanAction, ...]


_A, _E, _G, _S = PlanAction, EventKind, Guard, PlanState
_Rows = Mapping[EventKind, tuple[Transition, ...]]

# The third rejection leaves the plan with the person; before that the agent drafts again.
_SENT_BACK = (
    Transition(_S.REVIEWING, (_A.REARM_APPROVAL, _A.QUEUE_REVISION), _G.LAST_REJECTION),
    Transition(_S.DRAFTING, (_A.REARM_APPROVAL, _A.QUEUE_REVISION, _A.INCREMENT_REVISION), _G.AGENT_MAY_REVISE),
)
# A new revision has not been seen: the approval has to be given again.
_REVISED = (_A.UPDATE_PLAN, _A.INCREMENT_REVISION, _A.REARM_APPROVAL)
_UNSEEN = Transition(_S.REVIEWING, (_A.ADD_OPERATION, _A.INCREMENT_REVISION, _A.REARM_APPROVAL), _G.AGENT_MAY_REVISE)
_TIMED_OUT: _Rows = {
    _E.EXPIRE: (Transition(_S.CANCELLED, (_A.REARM_APPROVAL, _A.MARK_TIMED_OUT)),),
    _E.SUPERSEDE: (Transition(_S.CANCELLED, (_A.REARM_APPROVAL, _A.MARK_SUPERSEDED)),),
}
_DECISIONS: _Rows = {
    **_TIMED_OUT,
    _E.EXECUTE_PLAN: (Transition(_S.EXECUTING, (_A.SET_EXECUTING,), _G.APPROVED),),
    _E.REQUEST_REVISION: _SENT_BACK,
    _E.REJECT_PLAN: (Transition(_S.CANCELLED, (_A.REARM_APPROVAL, _A.CLEAR_STAGING)),),
    _E.CANCEL: (Transition(_S.CANCELLED, (_A.REARM_APPROVAL, _A.CLEAR_PLAN)),),
    _E.OPERATION_STAGED: (_UNSEEN,),
    _E.PLAN_UPDATED: (Transition(_S.AWAITING_APPROVAL, _REVISED, _G.AGENT_MAY_REVISE),),
}
_RUN_ENDS: _Rows = {
    _E.PLAN_EXECUTED: (Transition(_S.COMPLETED, (_A.RECORD_RESULTS, _A.CLEAR_STAGING)),),
    _E.EXECUTION_FAILED: (Transition(_S.FAILED, (_A.RECORD_RESULTS, _A.CLEAR_STAGING)),),
    _E.CANCEL: (
        Transition(_S.CANCELLED, (_A.STOP_EXECUTION, _A.APPLY_FAILURE_POLICY, _A.RECORD_RESULTS, _A.NOTIFY_AI)),
    ),
    _E.STALL: (Transition(_S.PAUSED, (_A.MARK_TIMED_OUT,)),),
}
_AFTER_AN_END: _Rows = {
    _E.START_PLANNING: (Transition(_S.DRAFTING, (_A.RESET_PLAN, _A.INITIALIZE_PLAN)),),
    _E.RESET: (Transition(_S.IDLE, (_A.RESET_PLAN,)),),
}
# The files are as before: the plan can be approved again, reworked or given up.
_NOT_ON_DISK: _Rows = {
    **_AFTER_AN_END,
    _E.APPROVE: (Transition(_S.AWAITING_APPROVAL, (_A.RECORD_APPROVAL,)),),
    _E.REQUEST_REVISION: _SENT_BACK,
    _E.PLAN_UPDATED: (Transition(_S.AWAITING_APPROVAL, _REVISED),),
    _E.CANCEL: (Transition(_S.CANCELLED, (_A.CLEAR_PLAN,)),),
}

TRANSITIONS: Mapping[PlanState, _Rows] = MappingProxyType(
    {
        _S.IDLE: {_E.START_PLANNING: (Transition(_S.DRAFTING, (_A.INITIALIZE_PLAN, _A.SET_TASK)),)},
        _S.DRAFTING: {
            **_TIMED_OUT,
            _E.PLAN_CREATED: (Transition(_S.AWAITING_APPROVAL, (_A.SET_PLAN_ID, _A.INCREMENT_REVISION)),),
            _E.PLAN_UPDATED: (Transition(_S.DRAFTING, (_A.UPDATE_PLAN, _A.INCREMENT_REVISION)),),
            _E.FINISH_DRAFTING: (Transition(_S.AWAITING_APPROVAL, (_A.FINALIZE_PLAN,)),),
            _E.OPERATION_STAGED: (Transition(_S.DRAFTING, (_A.ADD_OPERATION,)),),
            _E.CANCEL: (Transition(_S.CANCELLED, (_A.CLEAR_PLAN,)),),
        },
        _S.AWAITING_APPROVAL: {
            **_DECISIONS,
            _E.APPROVE: (Transition(_S.AWAITING_APPROVAL, (_A.RECORD_APPROVAL,)),),
            _E.USER_REVIEWING: (Transition(_S.REVIEWING),),
        },
        _S.REVIEWING: {**_DECISIONS, _E.APPROVE: (Transition(_S.REVIEWING, (_A.RECORD_APPROVAL,)),)},
        _S.EXECUTING: {**_RUN_ENDS, _E.PAUSE: (Transition(_S.PAUSED, (_A.PAUSE_EXECUTION,)),)},
        _S.PAUSED: {**_RUN_ENDS, _E.RESUME: (Transition(_S.EXECUTING, (_A.RESUME_EXECUTION,)),)},
        _S.COMPLETED: {
            **_AFTER_AN_END,
            _E.PLAN_UPDATED: (Transition(_S.AWAITING_APPROVAL, _REVISED),),
            _E.RUN_UNDONE: (Transition(_S.UNDONE),),
        },
        _S.FAILED: {**_NOT_ON_DISK, _E.RUN_UNDONE: (Transition(_S.UNDONE),)},
        _S.UNDONE: {**_NOT_ON_DISK, _E.RUN_REDONE: (Transition(_S.COMPLETED),)},
        _S.CANCELLED: {
            **_AFTER_AN_END,
            _E.PLAN_UPDATED: (Transition(_S.AWAITING_APPROVAL, _REVISED, _G.EXPIRED),),
        },
    }
)
"""Every transition there is: what is not listed is refused. Of several the first whose guard holds is taken."""

_DECIDED = frozenset({_S.DRAFTING, _S.EXECUTING, _S.CANCELLED})

ENTRY: Mapping[PlanState, tuple[Hook, ...]] = MappingProxyType(
    {
        _S.IDLE: (Hook((_A.CLEAR_STAGING,)),),
        _S.DRAFTING: (Hook((_A.CREATE_PLAN_DOCUMENT,)),),
        _S.AWAITING_APPROVAL: (Hook((_A.SHOW_EXECUTION_PLAN_PANEL,)),),
        _S.REVIEWING: (Hook((_A.ENABLE_DIFF_VIEWER,)),),
        _S.EXECUTING: (
            Hook((_A.SET_EXECUTING,)),
            Hook((_A.EXECUTE_ALL_OPERATIONS,), across=frozenset({_S.AWAITING_APPROVAL, _S.REVIEWING})),
        ),
        _S.PAUSED: (),
        _S.COMPLETED: (Hook((_A.SHOW_SUCCESS, _A.NOTIFY_AI)),),
        _S.FAILED: (Hook((_A.SHOW_FAILURE, _A.NOTIFY_AI)),),
        _S.UNDONE: (Hook((_A.NOTIFY_AI,)),),
        _S.CANCELLED: (Hook((_A.CLEAR_STAGING,)),),
    }
)

EXIT: Mapping[PlanState, tuple[Hook, ...]] = MappingProxyType(
    {
        _S.IDLE: (Hook((_A.INITIALIZE_PLAN,)),),
        _S.DRAFTING: (Hook((_A.FINALIZE_PLAN,), across=frozenset({_S.AWAITING_APPROVAL})),),
        _S.AWAITING_APPROVAL: (Hook((_A.RECORD_DECISION,), across=_DECIDED),),
        _S.REVIEWING: (Hook((_A.RECORD_DECISION,), across=_DECIDED),),
        _S.EXECUTING: (
            Hook((_A.CLEAR_EXECUTING,)),
            Hook((_A.CLEAR_STAGING,), across=frozenset({_S.COMPLETED})),
        ),
        _S.PAUSED: (),
        _S.COMPLETED: (),
        _S.FAILED: (),
        _S.UNDONE: (),
        _S.CANCELLED: (),
    }
)

RUNNING = frozenset({_S.EXECUTING, _S.PAUSED})
"""A run of the plan is under way, or was when it was cut off."""
ENDED = frozenset(state for state, rows in TRANSITIONS.items() if _E.RESET in rows)
"""A session whose plan is in one of these states may start another."""
IN_REVIEW = frozenset({_S.AWAITING_APPROVAL, _S.REVIEWING})
"""The plan waits for the person's decision."""


class PlanStateMachine:
    """Checks events against the table and moves. Performs no action itself."""

    def __init__(self, state: PlanState = PlanState.IDLE, context: PlanContext | None = None) -> None:
        self._state = state
        self._context = context or PlanContext()

    @classmethod
    def restore(cls, meta: PlanMeta) -> "PlanStateMachine":
        """The machine of a stored plan."""
        return cls(state_of(meta.status), _context_of(meta))

    @property
    def state(self) -> PlanState:
        return self._state

    @property
    def context(self) -> PlanContext:
        return self._context

    @property
    def status(self) -> PlanStatus:
        """How a plan in this state is stored. An idle session has no plan; its next one starts as a draft."""
        return _stored_status(self._state, self._context)

    def can(self, kind: EventKind) -> bool:
        """Whether the person can ask for this now. Implement asks for APPROVE; the run then sends EXECUTE_PLAN."""
        rows = TRANSITIONS[self._state].get(kind, ())
        return any(_holds(row.guard, self._context, None) for row in rows)

    def send(self, event: PlanEvent) -> TransitionStep:
        """Move, and return what is to be done.

        Raises:
            InvalidTransitionError: the table does not list this event here, or its guard fails; nothing has changed.
        """
        rows = TRANSITIONS[self._state].get(event.kind, ())
        transition = next((row for row in rows if _holds(row.guard, self._context, event)), None)
        if transition is None:
            raise _refusal(self._state, event.kind, rows)
        step = TransitionStep(self._state, transition.target, _actions(self._state, transition))
        context = self._context
        for action in step.actions:
            context = act(action, context, event)
        self._state, self._context = transition.target, context
        return step


def state_of(status: PlanStatus) -> PlanState:
    """The state a stored status stands for."""
    match status:
        case PlanStatus.DRAFT | PlanStatus.REJECTED:
            return PlanState.DRAFTING
        case PlanStatus.PROPOSED | PlanStatus.APPROVED:
            return PlanState.AWAITING_APPROVAL
        case PlanStatus.NEEDS_REVIEW:
            return PlanState.REVIEWING
        case PlanStatus.EXECUTING:
            return PlanState.EXECUTING
        case PlanStatus.PAUSED | PlanStatus.STALLED:
            return PlanState.PAUSED
        case PlanStatus.COMPLETED:
            return PlanState.COMPLETED
        case PlanStatus.FAILED:
            return PlanState.FAILED
        case PlanStatus.UNDONE:
            return PlanState.UNDONE
        case PlanStatus.CANCELLED | PlanStatus.EXPIRED | PlanStatus.SUPERSEDED:
            return PlanState.CANCELLED
        case _:
            assert_never(status)


def _context_of(meta: PlanMeta) -> PlanContext:
    with_feedback = [rejection.feedback for rejection in meta.rejections if rejection.feedback.strip()]
    is_sent_back = meta.status in (PlanStatus.REJECTED, PlanStatus.NEEDS_REVIEW)
    return PlanContext(
        plan_id=meta.plan_id,
        revision=meta.revision,
        feedback=(with_feedback or [""])[-1] if is_sent_back else None,
        rejections=max(len(with_feedback), MAX_REJECTIONS if meta.status is PlanStatus.NEEDS_REVIEW else 0),
        approved=meta.status is PlanStatus.APPROVED,
        executing=meta.status is PlanStatus.EXECUTING,
        timed_out=meta.status in (PlanStatus.EXPIRED, PlanStatus.STALLED),
        superseded=meta.status is PlanStatus.SUPERSEDED,
    )


def _stored_status(state: PlanState, context: PlanContext) -> PlanStatus:
    match state:
        case PlanState.IDLE:
            return PlanStatus.DRAFT
        case PlanState.DRAFTING:
            return PlanStatus.DRAFT if context.feedback is None else PlanStatus.REJECTED
        case PlanState.AWAITING_APPROVAL | PlanState.REVIEWING:
            if _needs_person(context):
                return PlanStatus.NEEDS_REVIEW
            return PlanStatus.APPROVED if context.approved else PlanStatus.PROPOSED
        case PlanState.EXECUTING:
            return PlanStatus.EXECUTING
        case PlanState.PAUSED:
            return PlanStatus.STALLED if context.timed_out else PlanStatus.PAUSED
        case PlanState.COMPLETED:
            return PlanStatus.COMPLETED
        case PlanState.FAILED:
            return PlanStatus.FAILED
        case PlanState.UNDONE:
            return PlanStatus.UNDONE
        case PlanState.CANCELLED:
            if context.superseded:
                return PlanStatus.SUPERSEDED
            return PlanStatus.EXPIRED if context.timed_out else PlanStatus.CANCELLED
        case _:
            assert_never(state)


def _needs_person(context: PlanContext) -> bool:
    return context.feedback is not None and context.rejections >= MAX_REJECTIONS


def _holds(guard: Guard | None, context: PlanContext, event: PlanEvent | None) -> bool:
    """True if the guard holds; without an event, checked for what a person could do."""
    match guard:
        case None:
            return True
        case Guard.APPROVED:
            return context.approved
        case Guard.EXPIRED:
            return context.timed_out
        case Guard.LAST_REJECTION:
            return not _needs_person(context) and context.rejections + 1 >= MAX_REJECTIONS
        case Guard.AGENT_MAY_REVISE:
            return not _needs_person(context) or (isinstance(event, PlanUpdated) and event.origin not in BY_AGENT)
        case _:
            assert_never(guard)


def _actions(source: PlanState, transition: Transition) -> tuple[PlanAction, ...]:
    """Each action once, at its last place; a transition within a state neither leaves nor enters it."""
    target = transition.target
    if source is target:
        return transition.actions
    named = (*_hooked(EXIT[source], target), *transition.actions, *_hooked(ENTRY[target], source))
    return tuple(action for position, action in enumerate(named) if action not in named[position + 1 :])


def _hooked(hooks: tuple[Hook, ...], other: PlanState) -> list[PlanAction]:
    return [action for hook in hooks if hook.across is None or other in hook.across for action in hook.actions]


def _refusal(state: PlanState, kind: EventKind, rows: tuple[Transition, ...]) -> InvalidTransitionError:
    because = f": {rows[-1].guard}" if rows else ""
    allowed = ", ".join(sorted(_words(each) for each in TRANSITIONS[state]))
    return InvalidTransitionError(
        f"The plan is {_words(state)}, so '{_words(kind)}' is not possible now{because}.",
        next=f"Possible now: {allowed}.",
    )


def _words(name: str) -> str:
    return name.lower().replace("_", " ")
