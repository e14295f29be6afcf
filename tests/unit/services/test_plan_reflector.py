"""What a reflector is told, what it may say, and what is said in its place when it cannot answer."""

import pytest

from tandem_desktop.domain.errors import BadInputError, NoAnswerError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.plan_steps import ExecutionPlan, ExecutionStep
from tandem_desktop.domain.reflection import Assessment, PlanSnapshot, ReflectionResult
from tandem_desktop.services.reflector import PlanReflector, check, reflection_prompt
from tests.support.advisors import ScriptedAdvisor
from tests.support.builders import A_MOMENT, PLAN_ID

STEPS = (
    ExecutionStep(id="s1", tool="write", tool_input={"path": "a.txt"}, description="Write a").mark_completed(),
    ExecutionStep(id="s2", tool="bash", tool_input={"command": "make test"}, description="Test").mark_failed(
        "exit code 2", "x" * 10_000 + "\nE: no such file"
    ),
    ExecutionStep(id="s3", tool="bash", blocked_by=("s2",)).mark_skipped("s2 failed"),
)
PLAN = ExecutionPlan(plan_id=PLAN_ID, revision=1, title="Tests", status=PlanStatus.FAILED, steps=STEPS)
SNAPSHOT = PlanSnapshot(plan=PLAN, run_id=RunId("RUN-00000001"), cycle=0, taken_at=A_MOMENT)


@pytest.mark.req("S4-07")
def test_the_prompt_holds_step_results_failed_steps_and_the_status() -> None:
    words = reflection_prompt(PLAN)
    assert "Its status: failed." in words
    assert "- s1 [completed] write {'path': 'a.txt'}: Write a" in words
    assert "- s3 [skipped] bash {}, waits for s2" in words
    assert "s2: exit code 2\nIts output, the end of it:" in words
    assert words.endswith("E: no such file")
    assert len(words) < 6_000


@pytest.mark.req("S4-07", "S4-19")
async def test_the_answer_is_a_reflection_with_who_gave_it() -> None:
    said = {
        "assessment": "NEEDS_ADJUSTMENT",
        "reasoning": "There is no Makefile.",
        "adjustments": [{"action": "SKIP", "step_id": "s2", "reason": "No tests"}],
    }
    advisor = ScriptedAdvisor(reflector=[said])
    found = await PlanReflector(advisor).reflect(SNAPSHOT)
    assert (found.result.assessment, found.result.reasoning) == (Assessment.NEEDS_ADJUSTMENT, "There is no Makefile.")
    assert (found.result.adjustments[0].step_id, found.agent) == ("s2", "scripted")
    assert advisor.asked[0].tool == "submit_reflection"
    assert "ADD_BEFORE" in advisor.asked[0].prompt


@pytest.mark.req("S4-09")
async def test_a_model_that_fails_leaves_the_assessment_unknown_with_the_reason() -> None:
    found = await PlanReflector(ScriptedAdvisor(reflector=[NoAnswerError("It said nothing.")])).reflect(SNAPSHOT)
    assert (found.result.assessment, found.result.adjustments, found.agent) == (Assessment.UNKNOWN, (), "")
    assert "It said nothing." in found.result.reasoning


@pytest.mark.req("S4-26")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"assessment": "COMPLETE", "reasoning": "Fine"}, "s2 failed"),
        (
            {
                "assessment": "OFF_TRACK",
                "reasoning": "x",
                "adjustments": [{"action": "SKIP", "step_id": "s9", "reason": "x"}],
            },
            "no step 's9'",
        ),
    ],
)
def test_an_answer_that_contradicts_the_run_is_refused_in_words(said: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        check(ReflectionResult.model_validate(said), PLAN)
    assert words in refusal.value.message
