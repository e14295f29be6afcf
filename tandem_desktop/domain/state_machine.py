"""The plan lifecycle: its events, its context, and the machine that moves by the table in `plan_states`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Literal, assert_never

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.ids import OperationId, PlanId, RunId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Origin, PlanMeta
from tandem_desktop.domain.plan_states import (
    ENTRY,
    EXIT,
    TRANSITIONS,
    EventKind,
    Guard,
    Hook,
    PlanAction,
    PlanState,
    PlanStatus,
    Transition,
    TransitionStep,
    state_of,
)
from tandem_desktop.domain.runs import OperationResult

RevisionNumber = Annotated[int, Field(ge=1)]


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
