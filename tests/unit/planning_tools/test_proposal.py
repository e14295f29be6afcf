"""Steps with arguments are staged as they are; steps without stay words, in their place."""

from typing import Any

import pytest

from tandem_desktop.domain.errors import BadInputError, TaskCycleError
from tandem_desktop.planning_tools.arguments import Proposal, ProposePlan, checked, proposal_from
from tests.support.planning import a_step

WORDS = {"description": "Check it", "tool": "bash", "operation": "run", "target": "the tests", "risk": "Slow"}


def proposed(*steps: dict[str, Any], **fields: Any) -> Proposal:
    return proposal_from(checked(ProposePlan, {"title": "A change", "steps": list(steps), **fields}))


def document(proposal: Proposal) -> dict[str, Any]:
    assert proposal.plan is not None
    return proposal.plan.document()


@pytest.mark.req("S3-14")
def test_a_step_with_arguments_arrives_with_all_its_fields() -> None:
    step = a_step(id="notes", rationale="Asked for", risk="None", task="t1")
    proposal = proposed(step, tasks=[{"id": "t1", "subject": "Notes"}], context={"ticket": 7}, summary="In short.")
    plan = proposal.plan
    assert plan is not None
    assert plan.steps[0].model_dump(exclude_unset=True) == {**step, "blocked_by": ()}
    assert (plan.tasks[0].subject, plan.context, plan.summary) == ("Notes", {"ticket": 7}, "In short.")


@pytest.mark.req("S3-14")
def test_a_step_without_arguments_becomes_plan_text_with_its_number() -> None:
    found = document(proposed(a_step(), WORDS, a_step(args={"path": "b", "content": "x"}), summary="In short."))
    assert [step["id"] for step in found["steps"]] == ["s1", "s3"]
    assert found["summary"] == (
        "In short.\n\nSteps in words, not staged:\n\n2. Check it (bash: run the tests)\n   - Risk: Slow"
    )


def test_nobody_waits_for_words() -> None:
    found = document(proposed({**WORDS, "id": "look"}, a_step(id="a"), a_step(id="b", blocked_by=["look", "a"])))
    assert found["steps"][1]["blocked_by"] == ["a"]


@pytest.mark.req("S3-14")
def test_only_words_make_markdown_and_nothing_to_stage() -> None:
    proposal = proposed(WORDS)
    assert proposal.plan is None
    assert proposal.markdown.startswith("# A change\n\nSteps:\n\n1. Check it")


def test_a_name_by_position_gives_way_to_one_that_was_given() -> None:
    ids = [step["id"] for step in document(proposed(a_step(), a_step(id="s1")))["steps"]]
    assert ids[1] == "s1"
    assert len(set(ids)) == 2


@pytest.mark.parametrize(
    ("steps", "error", "told"),
    [
        ([a_step(args={"path": "a"})], BadInputError, "needs exactly one of `content` and `content_base64`"),
        ([a_step(args={"path": "a", "content": "x", "force": True})], BadInputError, "`args.force` is not known"),
        ([a_step(task="t9")], BadInputError, "belongs to the task 't9'"),
        ([a_step(id="a b")], BadInputError, "`id` must be 1 to 64 letters"),
        ([a_step(id="a", blocked_by=["b"]), a_step(id="b", blocked_by=["a"])], TaskCycleError, "in a circle"),
        ([{**WORDS, "tool": "read", "args": {"path": "a"}}], BadInputError, "no operations"),
    ],
)
def test_a_malformed_step_is_refused_before_it_reaches_the_desk(
    steps: list[dict[str, Any]], error: type[Exception], told: str
) -> None:
    with pytest.raises(error) as refusal:
        proposed(*steps)
    assert told in str(refusal.value)
