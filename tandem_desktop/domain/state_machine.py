"""The one machine of a session: which state a plan is in, what may happen next, and what is done on the way."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import assert_never

from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.domain.plan_context import PlanAction, PlanContext, act
from tandem_desktop.domain.plan_events import EventKind, PlanEvent


class PlanState(StrEnum):
    """Where the session's plan is."""

    IDLE = "IDLE"
    DRAFTING = "DRAFTING"
    AWAITING_APPROVAL = "AWAITING_APPROVAL"
    REVIEWING = "REVIEWING"
    EXECUTING = "EXECUTING"
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class Transition:
    """Where an event leads, and its own actions on the way."""

    target: PlanState
    actions: tuple[PlanAction, ...] = ()


@dataclass(frozen=True, slots=True)
class Hook:
    """Actions of entering or leaving a state; with `across`, only when the state at the other end is one of these."""

    actions: tuple[PlanAction, ...]
    across: frozenset[PlanState] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted event: from where, to where, and every action in order (exit, transition, entry)."""

    previous: PlanState
    state: PlanState
    actions: tuple[PlanAction, ...]


_A, _E, _S = PlanAction, EventKind, PlanState

_DECISIONS: Mapping[EventKind, Transition] = {
    _E.EXECUTE_PLAN: Transition(_S.EXECUTING, (_A.SET_EXECUTING,)),
    _E.REQUEST_REVISION: Transition(_S.DRAFTING, (_A.QUEUE_REVISION, _A.INCREMENT_REVISION)),
    _E.REJECT_PLAN: Transition(_S.CANCELLED, (_A.CLEAR_STAGING,)),
    _E.CANCEL: Transition(_S.CANCELLED, (_A.CLEAR_PLAN,)),
}
# What arrives during review was not seen: it makes a revision, and the approval has to be given anew.
_UNSEEN = Transition(_S.REVIEWING, (_A.ADD_OPERATION, _A.INCREMENT_REVISION, _A.REARM_APPROVAL))
_RUN_CUT_SHORT: Mapping[EventKind, Transition] = {
    _E.EXECUTION_FAILED: Transition(_S.FAILED, (_A.RECORD_RESULTS, _A.CLEAR_STAGING)),
    _E.CANCEL: Transition(_S.CANCELLED, (_A.STOP_EXECUTION, _A.APPLY_FAILURE_POLICY, _A.RECORD_RESULTS, _A.NOTIFY_AI)),
}
_AFTER_AN_END: Mapping[EventKind, Transition] = {
    _E.START_PLANNING: Transition(_S.DRAFTING, (_A.INITIALIZE_PLAN,)),
    _E.RESET: Transition(_S.IDLE),
}

TRANSITIONS: Mapping[PlanState, Mapping[EventKind, Transition]] = MappingProxyType(
    {
        _S.IDLE: {_E.START_PLANNING: Transition(_S.DRAFTING, (_A.INITIALIZE_PLAN, _A.SET_TASK))},
        _S.DRAFTING: {
            _E.PLAN_CREATED: Transition(_S.AWAITING_APPROVAL, (_A.SET_PLAN_ID, _A.INCREMENT_REVISION)),
            _E.PLAN_UPDATED: Transition(_S.DRAFTING, (_A.UPDATE_PLAN, _A.INCREMENT_REVISION)),
            _E.FINISH_DRAFTING: Transition(_S.AWAITING_APPROVAL, (_A.FINALIZE_PLAN,)),
            _E.OPERATION_STAGED: Transition(_S.DRAFTING, (_A.ADD_OPERATION,)),
            _E.CANCEL: Transition(_S.CANCELLED, (_A.CLEAR_PLAN,)),
        },
        _S.AWAITING_APPROVAL: {
            **_DECISIONS,
            _E.OPERATION_STAGED: _UNSEEN,
            _E.USER_REVIEWING: Transition(_S.REVIEWING),
        },
        _S.REVIEWING: {**_DECISIONS, _E.OPERATION_STAGED: _UNSEEN},
        _S.EXECUTING: {
            **_RUN_CUT_SHORT,
            _E.PLAN_EXECUTED: Transition(_S.COMPLETED, (_A.RECORD_RESULTS, _A.CLEAR_STAGING)),
            _E.PAUSE: Transition(_S.PAUSED, (_A.PAUSE_EXECUTION,)),
        },
        _S.PAUSED: {**_RUN_CUT_SHORT, _E.RESUME: Transition(_S.EXECUTING, (_A.RESUME_EXECUTION,))},
        _S.COMPLETED: _AFTER_AN_END,
        _S.FAILED: _AFTER_AN_END,
        _S.CANCELLED: _AFTER_AN_END,
    }
)
"""The whole truth: what is not listed is refused."""

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
        _S.COMPLETED: (Hook((_A.RESET_PLAN,)),),
        _S.FAILED: (Hook((_A.RESET_PLAN,)),),
        _S.CANCELLED: (Hook((_A.RESET_PLAN,)),),
    }
)


class PlanStateMachine:
    """Answer what is allowed and move accordingly. It performs no action itself and refuses what is not listed."""

    def __init__(self, state: PlanState = PlanState.IDLE, context: PlanContext | None = None) -> None:
        self._state = state
        self._context = context or PlanContext()

    @property
    def state(self) -> PlanState:
        return self._state

    @property
    def context(self) -> PlanContext:
        return self._context

    def can(self, kind: EventKind) -> bool:
        return kind in TRANSITIONS[self._state]

    def send(self, event: PlanEvent) -> Step:
        """Move, and say what is to be done.

        Raises:
            InvalidTransitionError: the table does not list this event here; nothing has changed.
        """
        transition = TRANSITIONS[self._state].get(event.kind)
        if transition is None:
            raise _refusal(self._state, event.kind)
        step = Step(self._state, transition.target, _actions(self._state, transition))
        context = self._context
        for action in step.actions:
            context = act(action, context, event)
        self._state, self._context = transition.target, context
        return step


def restore(status: PlanStatus) -> PlanState:
    """The state of a plan that is loaded from the store, without any event."""
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
        case PlanStatus.CANCELLED | PlanStatus.EXPIRED | PlanStatus.SUPERSEDED:
            return PlanState.CANCELLED
        case _:
            assert_never(status)


def _actions(source: PlanState, transition: Transition) -> tuple[PlanAction, ...]:
    """Each action once, at its last place; staying in a state neither leaves nor enters it."""
    target = transition.target
    if source is target:
        return transition.actions
    named = (*_hooked(EXIT[source], target), *transition.actions, *_hooked(ENTRY[target], source))
    return tuple(action for position, action in enumerate(named) if action not in named[position + 1 :])


def _hooked(hooks: tuple[Hook, ...], other: PlanState) -> list[PlanAction]:
    return [action for hook in hooks if hook.across is None or other in hook.across for action in hook.actions]


def _refusal(state: PlanState, kind: EventKind) -> InvalidTransitionError:
    allowed = ", ".join(sorted(_words(each) for each in TRANSITIONS[state]))
    return InvalidTransitionError(
        f"The plan is {_words(state)}, so '{_words(kind)}' is not possible now.",
        next=f"Possible now: {allowed}.",
    )


def _words(name: str) -> str:
    return name.lower().replace("_", " ")
