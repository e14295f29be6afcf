"""Perspectives become tasks with dependencies that make sense, in an order in which they can be done."""

from typing import Any

import pytest

from tandem_desktop.advisors.perspectives import MOST_TASKS, SynthesizedPlan, refuse_senseless, synthesize
from tandem_desktop.domain.advice import RiskLevel
from tandem_desktop.domain.errors import BadInputError, TaskCycleError, TaskError
from tandem_desktop.domain.perspectives import Perspectives
from tests.support.builders import SESSION_ID
from tests.support.perspective_scripts import PLAN
from tests.support.scripted_perspectives import GOOD, ScriptedPerspectives

FOUND = Perspectives(task="Refactor it").without("devo", "It was not there.")


def a_plan(*tasks: dict[str, Any]) -> dict[str, Any]:
    return {**PLAN, "tasks": list(tasks)}


def a_task(name: str, *blocked_by: str) -> dict[str, Any]:
    return {"id": name, "subject": f"Do {name}", "blocked_by": list(blocked_by)}


@pytest.mark.req("S2-09", "S2-11")
async def test_tasks_come_in_an_order_they_can_be_done_in_with_risk_duration_and_who_is_missing() -> None:
    plan = a_plan(a_task("t4", "t2", "t3"), a_task("t2", "t1"), a_task("t3", "t1"), a_task("t1"))
    synthesis, found = await synthesize(ScriptedPerspectives({**GOOD, "synthesis": plan}), FOUND, SESSION_ID)
    assert [task.id for task in synthesis.tasks] == ["t1", "t2", "t3", "t4"]
    assert synthesis.tasks[3].blocked_by == ("t2", "t3")
    assert (found.overall_risk, found.estimated_duration) == (RiskLevel.MEDIUM, "two hours")
    assert "- **t4** Do t4 (KODA, after t2, t3)" in synthesis.text
    assert "Without DEVO: It was not there." in synthesis.text


@pytest.mark.parametrize(
    ("tasks", "refusal", "words"),
    [
        ([], BadInputError, "is an empty list"),
        ([a_task("t1", "t2"), a_task("t2", "t1")], TaskCycleError, "round in a circle"),
        ([a_task("t1", "t9")], TaskError, "which does not exist"),
        ([a_task("t1"), a_task("t1")], TaskError, "Two items are called 't1'"),
        ([a_task("a b")], BadInputError, "is no id"),
        ([a_task(f"t{number}") for number in range(MOST_TASKS + 1)], BadInputError, "cannot be reviewed"),
    ],
)
def test_tasks_that_make_no_sense_are_refused_with_a_sentence(
    tasks: list[dict[str, Any]], refusal: type[Exception], words: str
) -> None:
    with pytest.raises(refusal, match=words):
        refuse_senseless(SynthesizedPlan.model_validate(a_plan(*tasks)))
