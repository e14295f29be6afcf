"""Where a stored plan may go from where it stands; every step is a new value, or a sentence that says why not."""

from datetime import datetime
from typing import Any

from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.plan import Origin, PlanMeta, PlanStatus, Rejection

MAX_REJECTIONS = 3
"""After this many a person must step in."""

_S = PlanStatus

FOLLOWS: dict[PlanStatus, frozenset[PlanStatus]] = {
    _S.DRAFT: frozenset({_S.PROPOSED, _S.APPROVED, _S.CANCELLED, _S.EXPIRED, _S.SUPERSEDED}),
    _S.PROPOSED: frozenset(
        {_S.PROPOSED, _S.APPROVED, _S.REJECTED, _S.NEEDS_REVIEW, _S.CANCELLED, _S.EXPIRED, _S.SUPERSEDED}
    ),
    _S.APPROVED: frozenset(
        {
            *(_S.PROPOSED, _S.APPROVED, _S.EXECUTING, _S.REJECTED, _S.NEEDS_REVIEW),
            *(_S.CANCELLED, _S.EXPIRED, _S.SUPERSEDED),
        }
    ),
    _S.EXECUTING: frozenset({_S.PAUSED, _S.COMPLETED, _S.FAILED, _S.CANCELLED, _S.STALLED}),
    _S.PAUSED: frozenset({_S.EXECUTING, _S.COMPLETED, _S.FAILED, _S.CANCELLED, _S.STALLED}),
    _S.STALLED: frozenset({_S.EXECUTING, _S.COMPLETED, _S.FAILED, _S.CANCELLED}),
    _S.REJECTED: frozenset({_S.PROPOSED, _S.CANCELLED, _S.EXPIRED, _S.SUPERSEDED}),
    _S.NEEDS_REVIEW: frozenset({_S.PROPOSED, _S.APPROVED, _S.CANCELLED, _S.EXPIRED, _S.SUPERSEDED}),
    _S.COMPLETED: frozenset({_S.PROPOSED}),
    _S.FAILED: frozenset({_S.PROPOSED, _S.APPROVED}),
    _S.EXPIRED: frozenset({_S.PROPOSED}),
    _S.CANCELLED: frozenset(),
    _S.SUPERSEDED: frozenset(),
}
"""The whole truth: what is not listed is refused. A new revision leads back to proposed."""

ENDED = frozenset({_S.COMPLETED, _S.FAILED, _S.CANCELLED, _S.EXPIRED, _S.SUPERSEDED})
"""A session whose plan stands here may begin another."""

RUNNING = frozenset({_S.EXECUTING, _S.PAUSED, _S.STALLED})
"""A run holds the plan, or held it when it was cut off."""


def approve(meta: PlanMeta, notes: str = "", now: datetime | None = None) -> PlanMeta:
    """Be approved with these words, and with those of an approval that led to no run: nobody has heard them yet."""
    return _move(meta, _S.APPROVED, "be approved", approval_notes=_with_unheard(meta, notes), approved_at=now)


def reject(meta: PlanMeta, feedback: str, now: datetime) -> PlanMeta:
    """Send the plan back with a reason, or, without one, put an end to it."""
    status, notes = _S.CANCELLED, meta.approval_notes
    if feedback.strip():
        feedback, notes = _with_unheard(meta, feedback), ""
        with_reason = sum(1 for rejection in meta.rejections if rejection.feedback.strip()) + 1
        status = _S.REJECTED if with_reason < MAX_REJECTIONS else _S.NEEDS_REVIEW
    if meta.status not in (_S.PROPOSED, _S.APPROVED):
        raise _refused(meta, "be rejected")
    rejection = Rejection(revision=meta.revision, feedback=feedback, at=now)
    return _move(meta, status, "be rejected", rejections=(*meta.rejections, rejection), approval_notes=notes)


def cancel(meta: PlanMeta) -> PlanMeta:
    """Put an end to a plan that is not running; a run is stopped by its executor."""
    if meta.status in RUNNING:
        raise _refused(meta, "be cancelled")
    return _move(meta, _S.CANCELLED, "be cancelled")


def start(meta: PlanMeta, run_id: RunId, now: datetime) -> PlanMeta:
    """Begin a run; who follows up on its result is not known yet."""
    if meta.status is not _S.APPROVED:
        raise _refused(meta, "be executed")
    return _move(
        meta,
        _S.EXECUTING,
        "be executed",
        execution_session=run_id,
        execution_started_at=now,
        execution_ended_at=None,
        executor_model="",
        result_summary="",
    )


def pause(meta: PlanMeta) -> PlanMeta:
    return _move(meta, _S.PAUSED, "be paused")


def resume(meta: PlanMeta) -> PlanMeta:
    """Go on with the run that was paused or cut off."""
    if meta.status not in (_S.PAUSED, _S.STALLED):
        raise _refused(meta, "be resumed")
    return _move(meta, _S.EXECUTING, "be resumed")


def stall(meta: PlanMeta) -> PlanMeta:
    """Say that a run has been silent for too long; nothing else follows from the clock alone."""
    return _move(meta, _S.STALLED, "be marked as stalled")


def finish(meta: PlanMeta, status: PlanStatus, summary: str, now: datetime) -> PlanMeta:
    """Record how the run ended: completed, failed or cancelled."""
    if meta.status not in RUNNING or status not in (_S.COMPLETED, _S.FAILED, _S.CANCELLED):
        raise _refused(meta, f"end as {status}")
    return _move(meta, status, f"end as {status}", execution_ended_at=now, result_summary=summary)


def follow_up(meta: PlanMeta, who: str) -> PlanMeta:
    """Keep who was told the result of the run first; nothing else follows from it."""
    return meta if meta.executor_model else meta.model_copy(update={"executor_model": who})


def expire(meta: PlanMeta) -> PlanMeta:
    return _move(meta, _S.EXPIRED, "expire")


def supersede(meta: PlanMeta) -> PlanMeta:
    """Give way to an alternative that was applied."""
    return _move(meta, _S.SUPERSEDED, "be superseded")


def revise(meta: PlanMeta, origin: Origin) -> PlanMeta:
    """Be proposed again, as the new revision the store is about to count."""
    if origin in (Origin.AGENT, Origin.REWORK, Origin.ADJUSTMENT):
        refuse_agent(meta)
    return _move(meta, _S.PROPOSED, "be revised")


def refuse_agent(meta: PlanMeta) -> None:
    """Say so where only a person may go on with the plan, before an agent works on it for nothing."""
    if meta.status is _S.NEEDS_REVIEW:
        raise InvalidTransitionError(
            f"{meta.plan_id} was rejected {len(meta.rejections)} times; an agent may not revise it any more.",
            next=_STEP_IN.format(plan=meta.plan_id),
        )


def _with_unheard(meta: PlanMeta, words: str) -> str:
    """These words after the notes of the last approval, as long as no run has begun with it."""
    approved, started = meta.approved_at, meta.execution_started_at
    notes = meta.approval_notes if approved is not None and (started is None or started < approved) else ""
    return "\n\n".join(dict.fromkeys(each for each in (notes, words) if each.strip()))


def _move(meta: PlanMeta, status: PlanStatus, what: str, **fields: Any) -> PlanMeta:
    if status not in FOLLOWS[meta.status]:
        raise _refused(meta, what)
    return meta.model_copy(update={"status": status, **fields})


def _refused(meta: PlanMeta, what: str) -> InvalidTransitionError:
    words = str(meta.status).replace("_", " ")
    return InvalidTransitionError(
        f"{meta.plan_id} is {words}; it cannot {what}.", next=_NEXT[meta.status].format(plan=meta.plan_id)
    )


_LOOK = "Look at it with: tandem show {plan}"
_SETTLE = "Let the run end, or settle it with: tandem recover"
_REVISE = "Wait for a new revision, or bring one back with: tandem restore {plan} REVISION"
_STEP_IN = (
    "Approve it as it is after: tandem show {plan}, change it yourself with: tandem drop {plan} OP, "
    "or end it with: tandem cancel {plan}"
)
_AGAIN = "Take it up again as a plan of its own with: tandem branch {plan}, or propose a new one."
_NEXT = {
    _S.DRAFT: _LOOK,
    _S.PROPOSED: _LOOK,
    _S.APPROVED: _LOOK,
    _S.FAILED: _LOOK,
    _S.EXECUTING: _SETTLE,
    _S.PAUSED: _SETTLE,
    _S.STALLED: _SETTLE,
    _S.REJECTED: _REVISE,
    _S.NEEDS_REVIEW: _STEP_IN,
    _S.EXPIRED: _REVISE,
    _S.COMPLETED: "Repeat its run with: tandem redo RUN, or make a new revision.",
    _S.CANCELLED: _AGAIN,
    _S.SUPERSEDED: _AGAIN,
}
