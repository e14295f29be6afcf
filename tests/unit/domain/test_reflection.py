"""What a reflector may say, and what a person says to it."""

import pytest
from pydantic import ValidationError

from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.plan_steps import ExecutionPlan
from tandem_desktop.domain.reflection import (
    AdjustmentAction,
    AdjustmentVerdict,
    Assessment,
    Judged,
    PlanSnapshot,
    Reflection,
    ReflectionResult,
    StepAdjustment,
)
from tests.support.builders import A_MOMENT, PLAN_ID, a_version, a_write

RUN = RunId("RUN-00000001")


def a_reflection(*adjustments: StepAdjustment) -> Reflection:
    plan = ExecutionPlan.of(a_version(a_write()), PlanStatus.FAILED)
    return Reflection(
        plan_id=PLAN_ID,
        run_id=RUN,
        snapshot=PlanSnapshot(plan=plan, run_id=RUN, cycle=0, taken_at=A_MOMENT),
        assessment=Assessment.NEEDS_ADJUSTMENT,
        reasoning="It needs another try.",
        adjustments=tuple(Judged(adjustment=each) for each in adjustments),
        at=A_MOMENT,
    )


@pytest.mark.req("S4-08")
def test_complete_and_failed_end_the_work_and_the_other_assessments_do_not() -> None:
    assert {each for each in Assessment if each.is_terminal} == {
        Assessment.COMPLETE,
        Assessment.FAILED,
        Assessment.UNKNOWN,
    }
    assert {"ON_TRACK", "NEEDS_ADJUSTMENT", "OFF_TRACK"} <= {each.value for each in Assessment}


@pytest.mark.req("S4-07", "S4-14")
def test_a_reflection_result_carries_assessment_reasoning_and_adjustments() -> None:
    said = {
        "assessment": "NEEDS_ADJUSTMENT",
        "reasoning": "The test needs more time.",
        "adjustments": [{"action": "MODIFY", "step_id": "s1", "reason": "Slow", "tool_input": {"timeout_s": 900}}],
    }
    found = ReflectionResult.model_validate(said)
    assert found.assessment is Assessment.NEEDS_ADJUSTMENT
    assert found.adjustments[0].action is AdjustmentAction.MODIFY


@pytest.mark.req("S4-09")
def test_no_answer_is_unknown_and_never_on_track() -> None:
    found = ReflectionResult.unknown("The model did not answer.")
    assert (found.assessment, found.adjustments) == (Assessment.UNKNOWN, ())
    assert found.assessment.is_terminal


@pytest.mark.req("S4-10", "S4-26")
@pytest.mark.parametrize("action", ["MODIFY", "ADD_BEFORE", "ADD_AFTER", "REPLACE"])
def test_an_adjustment_that_brings_something_new_says_what(action: str) -> None:
    with pytest.raises(ValidationError):
        StepAdjustment.model_validate({"action": action, "step_id": "s1", "reason": "x"})


@pytest.mark.req("S4-23", "S4-18")
def test_a_person_decides_about_each_adjustment_and_the_record_before_stays() -> None:
    skip = StepAdjustment(action=AdjustmentAction.SKIP, step_id="s1", reason="Not needed")
    retry = StepAdjustment(action=AdjustmentAction.RETRY, step_id="s1", reason="Try again")
    asked = a_reflection(skip, retry)
    decided = asked.judged(1, AdjustmentVerdict.REJECTED).judged(2, AdjustmentVerdict.ACCEPTED)
    assert (decided.numbers(AdjustmentVerdict.ACCEPTED), decided.numbers(AdjustmentVerdict.REJECTED)) == ((2,), (1,))
    assert asked.numbers(AdjustmentVerdict.OPEN) == (1, 2)
