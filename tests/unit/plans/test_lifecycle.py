"""A plan goes only where the table says, and every step is a new value."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.plan import Origin, PlanMeta, PlanStatus
from tandem_desktop.plans import lifecycle
from tests.support.builders import A_MOMENT, PLAN_ID, a_meta

RUN = RunId("RUN-00000001")
LATER = A_MOMENT + timedelta(minutes=9)
S = PlanStatus

STEPS: dict[str, tuple[Callable[[PlanMeta], PlanMeta], PlanStatus, set[PlanStatus]]] = {
    "approve": (lifecycle.approve, S.APPROVED, {S.DRAFT, S.PROPOSED, S.APPROVED, S.NEEDS_REVIEW, S.FAILED}),
    "reject": (lambda meta: lifecycle.reject(meta, "no", LATER), S.REJECTED, {S.PROPOSED, S.APPROVED}),
    "reject without a word": (lambda meta: lifecycle.reject(meta, " ", LATER), S.CANCELLED, {S.PROPOSED, S.APPROVED}),
    "cancel": (lifecycle.cancel, S.CANCELLED, {S.DRAFT, S.PROPOSED, S.APPROVED, S.REJECTED, S.NEEDS_REVIEW}),
    "start": (lambda meta: lifecycle.start(meta, RUN, LATER), S.EXECUTING, {S.APPROVED}),
    "pause": (lifecycle.pause, S.PAUSED, {S.EXECUTING}),
    "resume": (lifecycle.resume, S.EXECUTING, {S.PAUSED, S.STALLED}),
    "stall": (lifecycle.stall, S.STALLED, {S.EXECUTING, S.PAUSED}),
    "complete": (
        lambda m: lifecycle.finish(m, S.COMPLETED, "", LATER),
        S.COMPLETED,
        {S.EXECUTING, S.PAUSED, S.STALLED},
    ),
    "fail": (lambda m: lifecycle.finish(m, S.FAILED, "", LATER), S.FAILED, {S.EXECUTING, S.PAUSED, S.STALLED}),
    "stop": (lambda m: lifecycle.finish(m, S.CANCELLED, "", LATER), S.CANCELLED, {S.EXECUTING, S.PAUSED, S.STALLED}),
    "end as proposed": (lambda m: lifecycle.finish(m, S.PROPOSED, "", LATER), S.PROPOSED, set()),
    "expire": (lifecycle.expire, S.EXPIRED, {S.DRAFT, S.PROPOSED, S.APPROVED, S.REJECTED, S.NEEDS_REVIEW}),
    "supersede": (lifecycle.supersede, S.SUPERSEDED, {S.DRAFT, S.PROPOSED, S.APPROVED, S.REJECTED, S.NEEDS_REVIEW}),
    "revise": (
        lambda meta: lifecycle.revise(meta, Origin.PERSON),
        S.PROPOSED,
        {S.DRAFT, S.PROPOSED, S.APPROVED, S.REJECTED, S.NEEDS_REVIEW, S.COMPLETED, S.FAILED, S.EXPIRED},
    ),
}


@pytest.mark.req("S3-05", "S3-30", "S4-15")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("status", list(PlanStatus))
def test_each_step_is_possible_from_exactly_these_states(step: str, status: PlanStatus) -> None:
    take, reached, allowed = STEPS[step]
    meta = a_meta(status=status)
    if status in allowed:
        assert take(meta).status is reached
        assert reached in lifecycle.FOLLOWS[status]
    else:
        with pytest.raises(InvalidTransitionError) as refusal:
            take(meta)
        assert refusal.value.message.startswith(f"{PLAN_ID} is {status.replace('_', ' ')}; it cannot ")
        assert refusal.value.next
        assert "{" not in refusal.value.next
    assert meta == a_meta(status=status)


@pytest.mark.req("S3-05", "S4-15")
def test_every_status_has_its_place_and_only_two_are_final() -> None:
    assert set(lifecycle.FOLLOWS) == set(PlanStatus)
    assert {status for status, after in lifecycle.FOLLOWS.items() if not after} == {S.CANCELLED, S.SUPERSEDED}
    seen = {S.DRAFT}
    while more := {after for status in seen for after in lifecycle.FOLLOWS[status]} - seen:
        seen |= more
    assert seen == set(PlanStatus)


@pytest.mark.req("S3-30")
def test_the_whole_way_of_a_plan_is_written_down() -> None:
    approved = lifecycle.approve(a_meta())
    running = lifecycle.start(approved, RUN, A_MOMENT)
    assert (running.execution_session, running.execution_started_at) == (RUN, A_MOMENT)
    done = lifecycle.finish(running, S.COMPLETED, "2 of 2", LATER)
    assert (done.status, done.result_summary, done.execution_ended_at) == (S.COMPLETED, "2 of 2", LATER)
    followed = lifecycle.follow_up(lifecycle.follow_up(done, "goose"), "somebody later")
    assert (done.executor_model, followed.executor_model, followed.status) == ("", "goose", S.COMPLETED)
    assert lifecycle.start(lifecycle.approve(lifecycle.revise(followed, Origin.AGENT)), RUN, LATER).executor_model == ""
    assert (approved.execution_session, running.execution_ended_at) == (None, None)


def test_a_second_run_forgets_how_the_first_one_ended() -> None:
    failed = lifecycle.finish(lifecycle.start(lifecycle.approve(a_meta()), RUN, A_MOMENT), S.FAILED, "no", A_MOMENT)
    again = lifecycle.start(lifecycle.approve(failed), RunId("RUN-00000002"), LATER)
    assert (again.result_summary, again.execution_ended_at, again.execution_session) == ("", None, "RUN-00000002")


@pytest.mark.req("S3-16", "S3-30", "S3-31")
def test_notes_of_an_approval_that_was_not_used_go_with_the_next_one() -> None:
    meta = lifecycle.approve(a_meta(status=PlanStatus.PROPOSED), "Mind the tests.", A_MOMENT)
    meta = lifecycle.approve(lifecycle.revise(meta, Origin.REBASE), "Be brief.", A_MOMENT + timedelta(hours=1))
    assert meta.approval_notes == "Mind the tests.\n\nBe brief."
    meta = lifecycle.start(meta, RunId("RUN-00000001"), A_MOMENT + timedelta(hours=2))
    meta = lifecycle.finish(meta, PlanStatus.FAILED, "", A_MOMENT + timedelta(hours=3))
    assert lifecycle.approve(meta, "Again.", A_MOMENT + timedelta(hours=4)).approval_notes == "Again."


def test_notes_of_an_approval_that_was_not_used_go_back_with_the_plan() -> None:
    meta = lifecycle.approve(a_meta(status=PlanStatus.PROPOSED), "Mind the tests.", A_MOMENT)
    meta = lifecycle.reject(meta, "Not yet.", A_MOMENT)
    assert (meta.rejections[-1].feedback, meta.approval_notes) == ("Mind the tests.\n\nNot yet.", "")


def test_the_third_rejection_asks_for_a_person() -> None:
    meta = a_meta()
    statuses = []
    for number in (1, 2, 3):
        meta = lifecycle.reject(meta, f"reason {number}", LATER)
        statuses.append(meta.status)
        if number < 3:
            meta = lifecycle.revise(meta, Origin.REWORK)
    assert statuses == [S.REJECTED, S.REJECTED, S.NEEDS_REVIEW]
    assert [(r.feedback, r.at) for r in meta.rejections] == [(f"reason {n}", LATER) for n in (1, 2, 3)]
    for origin in (Origin.AGENT, Origin.REWORK, Origin.ADJUSTMENT):
        with pytest.raises(InvalidTransitionError, match="was rejected 3 times"):
            lifecycle.revise(meta, origin)
    assert lifecycle.revise(meta, Origin.PERSON).status is S.PROPOSED
    assert lifecycle.revise(meta, Origin.REBASE).status is S.PROPOSED
    assert lifecycle.reject(lifecycle.revise(meta, Origin.PERSON), "still no", LATER).status is S.NEEDS_REVIEW
