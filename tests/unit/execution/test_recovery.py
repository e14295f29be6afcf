"""A plan that was left executing is found, described, and called stalled only after its time."""

from datetime import datetime, timedelta

import pytest

from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.execution.recovery import describe_progress, is_overdue
from tandem_desktop.storage.clock import Since
from tests.support.builders import A_MOMENT, a_meta

RUN = RunId("RUN-00000001")
LIMIT = timedelta(minutes=30)
RUNNING = a_meta(status=PlanStatus.EXECUTING, execution_session=RUN, execution_started_at=A_MOMENT)


def by(now: datetime) -> Since:
    return lambda moment: now - moment


@pytest.mark.req("S3-25", "S3-40")
def test_thirty_minutes_of_executing_make_a_plan_stalled_and_not_one_moment_less() -> None:
    just_before = A_MOMENT + LIMIT - timedelta(microseconds=1)
    assert not is_overdue(RUNNING, by(just_before))
    assert is_overdue(RUNNING, by(A_MOMENT + LIMIT))
    assert not is_overdue(RUNNING, by(A_MOMENT + LIMIT), timeout=2 * LIMIT)
    assert is_overdue(RUNNING, by(A_MOMENT), timeout=timedelta(0))


@pytest.mark.req("S3-25")
def test_a_clock_that_went_back_stalls_nothing() -> None:
    assert not is_overdue(RUNNING, by(A_MOMENT - timedelta(days=400)))


@pytest.mark.req("S3-25")
@pytest.mark.parametrize("status", [s for s in PlanStatus if s is not PlanStatus.EXECUTING])
def test_time_alone_moves_no_other_plan(status: PlanStatus) -> None:
    meta = RUNNING.model_copy(update={"status": status})
    assert not is_overdue(meta, by(A_MOMENT + timedelta(days=400)))


def test_a_plan_that_executes_since_nobody_knows_when_is_stalled() -> None:
    meta = RUNNING.model_copy(update={"execution_started_at": None})
    assert is_overdue(meta, by(A_MOMENT))


@pytest.mark.req("S3-24")
@pytest.mark.parametrize(
    ("elapsed", "words"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=2, minutes=59), "2 h ago"),
        (timedelta(hours=47), "47 h ago"),
        (timedelta(days=3), "3 days ago"),
    ],
)
def test_how_far_a_run_came_is_said_in_words(elapsed: timedelta, words: str) -> None:
    assert describe_progress(3, 9, A_MOMENT, A_MOMENT + elapsed) == f"steps 3 of 9, started {words}"
    assert describe_progress(3, 9, None, A_MOMENT) == "steps 3 of 9"
