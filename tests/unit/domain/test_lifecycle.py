"""A stored plan moves only as the table says, and each step is a new value."""

from datetime import timedelta

import pytest

from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.lifecycle import advance, follow_up
from tandem_desktop.domain.plan import Origin, PlanMeta, Rejection
from tandem_desktop.domain.plan_states import PlanStatus, has_ended, is_open, is_running, may_expire
from tandem_desktop.domain.state_machine import (
    Approve,
    Cancel,
    ExecutePlan,
    ExecutionFailed,
    Expire,
    FinishDrafting,
    MarkRedone,
    MarkUndone,
    Pause,
    PlanEvent,
    PlanExecuted,
    PlanUpdated,
    RejectPlan,
    RequestRevision,
    Resume,
    Stall,
    Supersede,
)
from tests.support.builders import A_MOMENT, PLAN_ID, a_meta

RUN = RunId("RUN-00000001")
LATER = A_MOMENT + timedelta(minutes=9)
S = PlanStatus
NOT_ON_DISK = {S.FAILED, S.UNDONE}
WAITS = {S.PROPOSED, S.APPROVED, S.NEEDS_REVIEW}
RUNS = {S.EXECUTING, S.PAUSED, S.STALLED}

STEPS: dict[str, tuple[PlanEvent, PlanStatus, set[PlanStatus]]] = {
    "approve": (Approve(at=LATER), S.APPROVED, WAITS | NOT_ON_DISK),
    "send back": (RequestRevision(feedback="no", at=LATER), S.REJECTED, {S.PROPOSED, S.APPROVED} | NOT_ON_DISK),
    "reject": (RejectPlan(at=LATER), S.CANCELLED, WAITS),
    "cancel": (Cancel(at=LATER), S.CANCELLED, {S.DRAFT, S.REJECTED} | WAITS | NOT_ON_DISK | RUNS),
    "execute": (ExecutePlan(run_id=RUN, at=LATER), S.EXECUTING, {S.APPROVED}),
    "pause": (Pause(), S.PAUSED, {S.EXECUTING}),
    "resume": (Resume(), S.EXECUTING, {S.PAUSED, S.STALLED}),
    "stall": (Stall(), S.STALLED, RUNS),
    "complete": (PlanExecuted(at=LATER), S.COMPLETED, RUNS),
    "fail": (ExecutionFailed(at=LATER), S.FAILED, RUNS),
    "undo": (MarkUndone(), S.UNDONE, {S.COMPLETED, S.FAILED}),
    "redo": (MarkRedone(), S.COMPLETED, {S.UNDONE}),
    "expire": (Expire(), S.EXPIRED, {S.DRAFT, S.REJECTED} | WAITS),
    "supersede": (Supersede(), S.SUPERSEDED, {S.DRAFT, S.REJECTED} | WAITS),
    "revise": (
        PlanUpdated(revision=2, origin=Origin.PERSON),
        S.PROPOSED,
        WAITS | NOT_ON_DISK | {S.COMPLETED, S.EXPIRED},
    ),
}


def a_plan(status: PlanStatus) -> PlanMeta:
    rejection = Rejection(revision=1, feedback="no", at=A_MOMENT)
    rejections = {S.REJECTED: (rejection,), S.NEEDS_REVIEW: (rejection,) * 3}.get(status, ())
    return a_meta(status=status, rejections=rejections)


def after(meta: PlanMeta, *events: PlanEvent) -> PlanMeta:
    for event in events:
        meta, _ = advance(meta, event)
    return meta


@pytest.mark.req("S3-05", "S3-30", "S4-15")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("status", list(PlanStatus))
def test_each_step_is_possible_from_exactly_these_statuses(step: str, status: PlanStatus) -> None:
    event, reached, allowed = STEPS[step]
    meta = a_plan(status)
    if status in allowed:
        assert after(meta, event).status is reached
    elif step == "revise" and status in (S.DRAFT, S.REJECTED):
        assert after(meta, event, FinishDrafting()).status is S.PROPOSED
    else:
        with pytest.raises(InvalidTransitionError) as refusal:
            advance(meta, event)
        assert refusal.value.message.startswith(f"{PLAN_ID} is {status.replace('_', ' ')}; it cannot ")
        assert refusal.value.next
        assert "{" not in refusal.value.next
    assert meta == a_plan(status)


@pytest.mark.req("S3-05", "S4-15")
def test_every_status_can_be_reached_and_only_cancelled_and_superseded_are_final() -> None:
    follows = {s: {reached for _, reached, allowed in STEPS.values() if s in allowed} for s in PlanStatus}
    follows[S.DRAFT].add(S.PROPOSED)
    assert {status for status, next_ones in follows.items() if not next_ones} == {S.CANCELLED, S.SUPERSEDED}
    seen = {S.DRAFT}
    while more := {reached for status in seen for reached in follows[status]} - seen:
        seen |= more
    assert seen | {S.NEEDS_REVIEW} == set(PlanStatus)


def test_the_groups_of_statuses_come_from_the_table() -> None:
    assert {s for s in S if has_ended(s)} == NOT_ON_DISK | {S.COMPLETED, S.CANCELLED, S.EXPIRED, S.SUPERSEDED}
    assert {s for s in S if is_running(s)} == RUNS
    assert {s for s in S if is_open(s)} == WAITS | NOT_ON_DISK | {S.DRAFT, S.REJECTED}
    assert {s for s in S if may_expire(s)} == WAITS | {S.DRAFT, S.REJECTED}


@pytest.mark.req("S3-30")
def test_what_happens_to_a_plan_is_recorded() -> None:
    approved = after(a_meta(), Approve())
    running = after(approved, ExecutePlan(run_id=RUN, at=A_MOMENT))
    assert (running.execution_session, running.execution_started_at) == (RUN, A_MOMENT)
    done = after(running, PlanExecuted(summary="2 of 2", at=LATER))
    assert (done.status, done.result_summary, done.execution_ended_at) == (S.COMPLETED, "2 of 2", LATER)
    followed = follow_up(follow_up(done, "goose"), "another")
    assert (done.executor_model, followed.executor_model, followed.status) == ("", "goose", S.COMPLETED)
    again = after(followed, PlanUpdated(revision=2), Approve(), ExecutePlan(run_id=RUN, at=LATER))
    assert again.executor_model == ""
    assert (approved.execution_session, running.execution_ended_at) == (None, None)


def test_a_second_run_forgets_how_the_first_one_ended() -> None:
    failed = after(
        a_meta(), Approve(), ExecutePlan(run_id=RUN, at=A_MOMENT), ExecutionFailed(summary="no", at=A_MOMENT)
    )
    again = after(failed, Approve(), ExecutePlan(run_id=RunId("RUN-00000002"), at=LATER))
    assert (again.result_summary, again.execution_ended_at, again.execution_session) == ("", None, "RUN-00000002")


@pytest.mark.req("S3-30")
def test_notes_of_an_approval_that_was_not_used_go_with_the_next_one() -> None:
    meta = after(a_meta(), Approve(notes="Mind the tests.", at=A_MOMENT))
    meta = after(meta, PlanUpdated(revision=2, origin=Origin.REBASE))
    meta = after(meta, Approve(notes="Be brief.", at=A_MOMENT + timedelta(hours=1)))
    assert meta.approval_notes == "Mind the tests.\n\nBe brief."
    meta = after(meta, ExecutePlan(run_id=RUN, at=A_MOMENT + timedelta(hours=2)), ExecutionFailed(at=LATER))
    assert after(meta, Approve(notes="Again.", at=A_MOMENT + timedelta(hours=4))).approval_notes == "Again."


def test_notes_of_an_approval_that_was_not_used_go_back_with_the_plan() -> None:
    meta = after(a_meta(), Approve(notes="Mind the tests.", at=A_MOMENT))
    meta = after(meta, RequestRevision(feedback="Not yet.", at=A_MOMENT))
    assert (meta.rejections[-1].feedback, meta.approval_notes) == ("Mind the tests.\n\nNot yet.", "")


def test_the_third_rejection_leaves_the_plan_to_the_person() -> None:
    meta = a_meta()
    statuses = []
    for number in (1, 2, 3):
        meta = after(meta, RequestRevision(feedback=f"reason {number}", at=LATER))
        statuses.append(meta.status)
        if number < 3:
            meta = after(meta, PlanUpdated(revision=number + 1, origin=Origin.REWORK), FinishDrafting())
    assert statuses == [S.REJECTED, S.REJECTED, S.NEEDS_REVIEW]
    assert [(r.feedback, r.at) for r in meta.rejections] == [(f"reason {n}", LATER) for n in (1, 2, 3)]
    for origin in (Origin.AGENT, Origin.REWORK, Origin.ADJUSTMENT):
        with pytest.raises(InvalidTransitionError, match="was rejected 3 times"):
            advance(meta, PlanUpdated(revision=4, origin=origin))
    assert after(meta, PlanUpdated(revision=4, origin=Origin.REBASE)).status is S.PROPOSED
    by_person = after(meta, PlanUpdated(revision=4, origin=Origin.PERSON))
    assert by_person.status is S.PROPOSED
    assert after(by_person, RequestRevision(feedback="still no", at=LATER)).status is S.NEEDS_REVIEW
