"""The states of a plan, stored and moving, and the one table of its transitions. Imports nothing heavy."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import assert_never

STALE_AFTER_DAYS = 30
"""After so many days without a decision a plan expires, unless the settings say otherwise."""
GATEWAY_STALE_AFTER_DAYS = 7


class PlanStatus(StrEnum):
    """Where a stored plan stands."""

    DRAFT = "draft"
    PROPOSED = "proposed"
    APPROVED = "approved"
    EXECUTING = "executing"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    UNDONE = "undone"
    REJECTED = "rejected"
    NEEDS_REVIEW = "needs_review"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    STALLED = "stalled"
    SUPERSEDED = "superseded"

    @property
    def label(self) -> str:
        """The status as it is shown everywhere: the command line, the window, and in the front matter as its value."""
        return "Interrupted" if self is PlanStatus.STALLED else self.value.replace("_", " ").capitalize()


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


def has_ended(status: PlanStatus) -> bool:
    """Whether a session whose plan is stored so may start another."""
    return state_of(status) in ENDED


def is_running(status: PlanStatus) -> bool:
    """True if a run of the plan is in progress, or was when it was interrupted."""
    return state_of(status) in RUNNING


def is_open(status: PlanStatus) -> bool:
    """Whether the person can still decide about the plan: it can be changed, commented on and cancelled."""
    return not is_running(status) and EventKind.CANCEL in TRANSITIONS[state_of(status)]


def may_expire(status: PlanStatus) -> bool:
    """Whether the plan waits for the person or the agent, so that time or an alternative can end it."""
    return EventKind.EXPIRE in TRANSITIONS[state_of(status)]


WAITING = "waiting_plan_approval"
"""A person has to decide; nothing goes on until then."""

_PHASES = {
    PlanStatus.DRAFT: "planning",
    PlanStatus.PROPOSED: WAITING,
    PlanStatus.NEEDS_REVIEW: WAITING,
    PlanStatus.REJECTED: "qualification",
    PlanStatus.APPROVED: "approved",
    PlanStatus.EXECUTING: "executing",
    PlanStatus.PAUSED: "executing",
    PlanStatus.STALLED: "executing",
}


def phase_of(status: PlanStatus) -> str:
    """The phase of a plan; a rejected plan is qualified again, one that has ended is done."""
    return _PHASES.get(status, "done")
