"""Arguments that do not fit are refused with the name of what is wrong."""

from typing import Any

import pytest

from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.planning_tools.arguments import (
    MOST_CHARACTERS,
    GetPlan,
    PresentPlan,
    ProposePlan,
    UpdateTask,
    checked,
)
from tests.support.planning import a_step


@pytest.mark.req("S1-22")
@pytest.mark.parametrize(
    ("model", "given", "told"),
    [
        (PresentPlan, {}, "`plan_content` is missing"),
        (PresentPlan, {"plan_content": " \n"}, "`plan_content` is empty"),
        (PresentPlan, {"plan_content": 3}, "`plan_content` must be text"),
        (PresentPlan, {"plan_content": ["# A"]}, "`plan_content` must be text"),
        (
            PresentPlan,
            {"plan_content": "x" * (MOST_CHARACTERS + 1)},
            "`plan_content` is longer than 524,288",
        ),
        (PresentPlan, {"plan_content": "# A", "approve": True}, "`approve` is not known"),
        (PresentPlan, {"plan_content": "\ud800"}, "half of a surrogate pair"),
        (ProposePlan, {"title": "A"}, "`steps` is missing"),
        (ProposePlan, {"title": "A", "steps": []}, "`steps` is an empty list"),
        (ProposePlan, {"title": "A", "steps": "all"}, "`steps` must be a list"),
        (ProposePlan, {"title": "A", "steps": ["all"]}, "`steps.1` must be an object"),
        (
            ProposePlan,
            {"title": "A", "steps": [a_step(), a_step(tool=" ")]},
            "`steps.2.tool` is empty",
        ),
        (ProposePlan, {"title": "A", "steps": [a_step(args="x")]}, "`steps.1.args` must be an object"),
        (ProposePlan, {"title": "A", "steps": [a_step(blocked_by=[1])]}, "`steps.1.blocked_by.1` must be text"),
        (ProposePlan, {"title": "A", "steps": [a_step(approved=True)]}, "`steps.1.approved` is not known"),
        (ProposePlan, {"title": "", "steps": [a_step()]}, "`title` is empty"),
        (
            ProposePlan,
            {"steps": [{}]},
            "missing; `steps.1.description` is missing; `steps.1.tool` is missing.",
        ),
        (ProposePlan, {"steps": [{}] * 9}, "`steps.2.tool` is missing, and 14 more."),
        (GetPlan, {"plan_id": None}, "`plan_id` is missing"),
        (UpdateTask, {"task_id": "t1", "status": "approved"}, "`status` must be one of 'pending', 'in_progress'"),
    ],
)
def test_refusal_names_the_argument(model: type[Frozen], given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        checked(model, given)
    assert told in refusal.value.message
    assert len(refusal.value.message) < 400


def test_null_means_not_given_here_and_in_every_step() -> None:
    plan = checked(ProposePlan, {"title": "A", "summary": None, "steps": [a_step(target=None, rationale=None)]})
    assert (plan.summary, plan.steps[0].target) == ("", "")


def test_null_inside_the_arguments_of_a_step_is_left_to_the_step() -> None:
    plan = checked(ProposePlan, {"title": "A", "steps": [a_step(args={"path": "a", "mode": None})]})
    assert plan.steps[0].args == {"path": "a", "mode": None}
