"""Moves the record of a stored plan by the lifecycle table."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Origin, PlanMeta, PlanVersion, Rejection
from tandem_desktop.domain.plan_states import (
    IN_REVIEW,
    EventKind,
    PlanAction,
    PlanState,
    PlanStatus,
    TransitionStep,
    state_of,
)
from tandem_desktop.domain.state_machine import (
    Approve,
    ExecutePlan,
    FinishDrafting,
    PlanEvent,
    PlanStateMachine,
    PlanUpdated,
    RejectPlan,
    RequestRevision,
    RunEnd,
    StageOperation,
)


def advance(meta: PlanMeta, event: PlanEvent) -> tuple[PlanMeta, TransitionStep]:
    """The record after the event, and the step with its actions.

    Raises:
        InvalidTransitionError: the table does not allow it; the message names the plan and the next step.
    """
    machine = PlanStateMachine.restore(meta)
    try:
        step = machine.send(event)
    except InvalidTransitionError:
        raise refusal(meta, event.kind) from None
    record = meta
    for action in step.actions:
        update = _RECORDED.get(action)
        record = record if update is None else update(record, event)
    return record.model_copy(update={"status": machine.status}), step


def revision_events(
    meta: PlanMeta, version: PlanVersion, staged: StagedOperation | None = None
) -> tuple[PlanEvent, ...]:
    """The events by which a revision follows on the record; `staged` is the first operation the person has not seen."""
    revision, state = meta.revision + 1, state_of(meta.status)
    if state in IN_REVIEW and staged is not None and version.origin is Origin.AGENT:
        return (StageOperation(operation=staged, revision=revision),)
    updated = PlanUpdated(revision=revision, origin=version.origin)
    return (updated, FinishDrafting()) if state is PlanState.DRAFTING else (updated,)


def can(meta: PlanMeta, kind: EventKind) -> bool:
    """True if the person can request this event now."""
    return PlanStateMachine.restore(meta).can(kind)


def check(meta: PlanMeta, event: PlanEvent) -> None:
    """Refuse what the table does not allow, before work is done for it.

    Raises:
        InvalidTransitionError: as `advance`.
    """
    advance(meta, event)


def refuse_agent(meta: PlanMeta) -> None:
    """Refuse an agent's work on a plan that only a person may change.

    Raises:
        InvalidTransitionError: the plan was sent back too often.
    """
    if meta.status is PlanStatus.NEEDS_REVIEW:
        raise refusal(meta, EventKind.PLAN_UPDATED)


def refusal(meta: PlanMeta, kind: EventKind) -> InvalidTransitionError:
    """Why an event is not possible for this plan, with what is."""
    if meta.status is PlanStatus.NEEDS_REVIEW and kind in (EventKind.PLAN_UPDATED, EventKind.OPERATION_STAGED):
        message = f"{meta.plan_id} was rejected {len(meta.rejections)} times; an agent may not revise it any more."
    else:
        message = f"{meta.plan_id} is {str(meta.status).replace('_', ' ')}; it cannot {_ASKED[kind]}."
    return InvalidTransitionError(message, next=_NEXT[meta.status].format(plan=meta.plan_id))


def follow_up(meta: PlanMeta, agent: str) -> PlanMeta:
    """Record which agent got the result of the run first."""
    return meta if meta.executor_model else meta.model_copy(update={"executor_model": agent})


def _record_approval(meta: PlanMeta, event: PlanEvent) -> PlanMeta:
    """Notes of an approval that led to no run are kept: no agent has read them yet."""
    if not isinstance(event, Approve):
        return meta
    return meta.model_copy(update={"approval_notes": _with_unread_notes(meta, event.notes), "approved_at": event.at})


def _queue_revision(meta: PlanMeta, event: PlanEvent) -> PlanMeta:
    if not isinstance(event, RequestRevision) or event.at is None:
        return meta
    feedback = _with_unread_notes(meta, event.feedback)
    rejection = Rejection(revision=meta.revision, feedback=feedback, at=event.at)
    return meta.model_copy(update={"rejections": (*meta.rejections, rejection), "approval_notes": ""})


def _record_decision(meta: PlanMeta, event: PlanEvent) -> PlanMeta:
    if not isinstance(event, RejectPlan) or event.at is None:
        return meta
    rejection = Rejection(revision=meta.revision, feedback="", at=event.at)
    return meta.model_copy(update={"rejections": (*meta.rejections, rejection)})


def _set_executing(meta: PlanMeta, event: PlanEvent) -> PlanMeta:
    if not isinstance(event, ExecutePlan):
        return meta  # a paused run goes on
    return meta.model_copy(
        update={
            "execution_session": event.run_id,
            "execution_started_at": event.at,
            "execution_ended_at": None,
            "executor_model": "",
            "result_summary": "",
        }
    )


def _record_results(meta: PlanMeta, event: PlanEvent) -> PlanMeta:
    if not isinstance(event, RunEnd):
        return meta
    return meta.model_copy(update={"execution_ended_at": event.at, "result_summary": event.summary})


def _with_unread_notes(meta: PlanMeta, text: str) -> str:
    """The text after the notes of the last approval, if no run has begun with it."""
    approved, started = meta.approved_at, meta.execution_started_at
    notes = meta.approval_notes if approved is not None and (started is None or started < approved) else ""
    return "\n\n".join(dict.fromkeys(each for each in (notes, text) if each.strip()))


_RECORDED: Mapping[PlanAction, Callable[[PlanMeta, PlanEvent], PlanMeta]] = MappingProxyType(
    {
        PlanAction.RECORD_APPROVAL: _record_approval,
        PlanAction.RECORD_DECISION: _record_decision,
        PlanAction.QUEUE_REVISION: _queue_revision,
        PlanAction.SET_EXECUTING: _set_executing,
        PlanAction.RECORD_RESULTS: _record_results,
    }
)
"""The actions that change the stored record."""

_ASKED = {
    EventKind.START_PLANNING: "be started",
    EventKind.PLAN_CREATED: "be created again",
    EventKind.PLAN_UPDATED: "be revised",
    EventKind.FINISH_DRAFTING: "be proposed",
    EventKind.OPERATION_STAGED: "be revised",
    EventKind.USER_REVIEWING: "be reviewed",
    EventKind.APPROVE: "be approved",
    EventKind.EXECUTE_PLAN: "be executed",
    EventKind.PLAN_EXECUTED: "end as completed",
    EventKind.REJECT_PLAN: "be rejected",
    EventKind.REQUEST_REVISION: "be rejected",
    EventKind.CANCEL: "be cancelled",
    EventKind.PAUSE: "be paused",
    EventKind.RESUME: "be resumed",
    EventKind.EXECUTION_FAILED: "end as failed",
    EventKind.STALL: "be marked as stalled",
    EventKind.EXPIRE: "expire",
    EventKind.SUPERSEDE: "be superseded",
    EventKind.RUN_UNDONE: "be marked as undone",
    EventKind.RUN_REDONE: "be marked as redone",
    EventKind.RESET: "be put away",
}
_SHOW = "Look at it with: tandem show {plan}"
_SETTLE = "Let the run end, or settle it with: tandem recover"
_REVISE = "Wait for a new revision, or bring one back with: tandem restore {plan} REVISION"
_STEP_IN = (
    "Approve it as it is after: tandem show {plan}, change it yourself with: tandem drop {plan} OP, "
    "or end it with: tandem cancel {plan}"
)
_TRY_AGAIN = (
    "Approve it again after: tandem show {plan}, send it back with: tandem reject {plan} --feedback TEXT, "
    "or end it with: tandem cancel {plan}"
)
_BRANCH = "Take it up again as a plan of its own with: tandem branch {plan}, or propose a new one."
_NEXT = {
    PlanStatus.DRAFT: _SHOW,
    PlanStatus.PROPOSED: _SHOW,
    PlanStatus.APPROVED: _SHOW,
    PlanStatus.FAILED: _TRY_AGAIN,
    PlanStatus.UNDONE: _TRY_AGAIN,
    PlanStatus.EXECUTING: _SETTLE,
    PlanStatus.PAUSED: _SETTLE,
    PlanStatus.STALLED: _SETTLE,
    PlanStatus.REJECTED: _REVISE,
    PlanStatus.NEEDS_REVIEW: _STEP_IN,
    PlanStatus.EXPIRED: _REVISE,
    PlanStatus.COMPLETED: "Repeat its run with: tandem redo RUN, or make a new revision.",
    PlanStatus.CANCELLED: _BRANCH,
    PlanStatus.SUPERSEDED: _BRANCH,
}
