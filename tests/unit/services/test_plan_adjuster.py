"""The six adjustments: what each makes of a plan, and that no sequence of them leaves one that makes no sense."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import StepRefusedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.plan_steps import THINK, ExecutionPlan, ExecutionStep, StepStatus
from tandem_desktop.domain.reflection import AdjustmentAction, StepAdjustment
from tandem_desktop.services.reflector import PlanAdjuster
from tests.support.builders import PLAN_ID

NAMES = ("s1", "s2", "s3", "s4")
ADJUSTER = PlanAdjuster(max_steps=8)


def a_step(name: str, *blocked_by: str, status: StepStatus = StepStatus.PENDING) -> ExecutionStep:
    return ExecutionStep(
        id=name,
        tool="bash",
        tool_input={"command": f"do {name}", "timeout_s": 60},
        operation=OperationId(name),
        blocked_by=blocked_by,
        status=status,
    )


def a_plan(*steps: ExecutionStep) -> ExecutionPlan:
    chosen = steps or (a_step("s1"), a_step("s2", "s1").mark_failed("exit code 1"), a_step("s3", "s2"))
    return ExecutionPlan(plan_id=PLAN_ID, revision=1, title="A plan", status=PlanStatus.FAILED, steps=chosen)


def an_adjustment(action: AdjustmentAction, step: str = "s2", **fields: Any) -> StepAdjustment:
    new = {"tool": "bash", "tool_input": {"command": "new"}} if action not in ("RETRY", "SKIP") else {}
    if action is AdjustmentAction.MODIFY:
        new = {"tool_input": {"command": "new"}}
    return StepAdjustment.model_validate({"action": action, "step_id": step, "reason": "Because", **new, **fields})


def names(plan: ExecutionPlan) -> list[str]:
    return [step.id for step in plan.steps]


@pytest.mark.req("S4-10")
def test_modify_changes_what_it_names_of_the_input_and_nothing_else() -> None:
    step = ADJUSTER.apply(a_plan(), an_adjustment(AdjustmentAction.MODIFY)).step("s2")
    assert step.tool_input == {"command": "new", "timeout_s": 60}
    assert (step.operation, step.status, step.blocked_by) == (None, StepStatus.FAILED, ("s1",))


@pytest.mark.req("S4-10")
def test_retry_makes_a_failed_step_pending_with_the_reviewed_input() -> None:
    step = ADJUSTER.apply(a_plan(), an_adjustment(AdjustmentAction.RETRY)).step("s2")
    assert (step.status, step.error, step.operation) == (StepStatus.PENDING, None, "s2")


@pytest.mark.req("S4-10")
def test_retry_takes_a_new_input() -> None:
    retry = an_adjustment(AdjustmentAction.RETRY, tool_input={"timeout_s": 900})
    step = ADJUSTER.apply(a_plan(), retry).step("s2")
    assert (step.tool_input, step.operation) == ({"command": "do s2", "timeout_s": 900}, None)
    assert step.status is StepStatus.PENDING


@pytest.mark.req("S4-10")
def test_skip_leaves_a_step_out_and_lets_the_rest_go_on() -> None:
    plan = ADJUSTER.apply(a_plan(), an_adjustment(AdjustmentAction.SKIP))
    assert plan.step("s2").status is StepStatus.SKIPPED
    assert plan.step("s3").blocked_by == ("s1",)


@pytest.mark.req("S4-10")
def test_what_is_done_cannot_be_skipped() -> None:
    plan = a_plan(a_step("s2", status=StepStatus.COMPLETED))
    with pytest.raises(StepRefusedError, match="done"):
        ADJUSTER.apply(plan, an_adjustment(AdjustmentAction.SKIP))


@pytest.mark.req("S4-10")
def test_added_before_it_waits_for_the_same_and_the_step_waits_for_it() -> None:
    plan = ADJUSTER.apply(a_plan(), an_adjustment(AdjustmentAction.ADD_BEFORE))
    assert names(plan) == ["s1", "a1", "s2", "s3"]
    assert (plan.step("a1").blocked_by, plan.step("s2").blocked_by) == (("s1",), ("s1", "a1"))
    assert plan.step("a1").tool_input == {"command": "new"}


@pytest.mark.req("S4-10")
def test_added_after_it_waits_for_the_step() -> None:
    plan = ADJUSTER.apply(a_plan(), an_adjustment(AdjustmentAction.ADD_AFTER))
    assert names(plan) == ["s1", "s2", "a1", "s3"]
    assert plan.step("a1").blocked_by == ("s2",)


@pytest.mark.req("S4-10")
def test_replaced_it_keeps_its_name_and_place_and_nothing_else() -> None:
    replace = an_adjustment(AdjustmentAction.REPLACE, tool="write", tool_input={"path": "x", "content": "y"})
    plan = ADJUSTER.apply(a_plan(), replace)
    step = plan.step("s2")
    assert names(plan) == ["s1", "s2", "s3"]
    assert (step.tool, step.tool_input, step.operation) == ("write", {"path": "x", "content": "y"}, None)
    assert (step.status, plan.step("s3").blocked_by) == (StepStatus.PENDING, ("s2",))


@pytest.mark.req("S4-11")
def test_an_adjustment_that_cannot_be_made_is_left_out_with_the_reason_and_the_others_are_made() -> None:
    unknown = an_adjustment(AdjustmentAction.SKIP, "s9")
    made = ADJUSTER.adjust(a_plan(), (unknown, an_adjustment(AdjustmentAction.RETRY)))
    assert [reason for _, reason in made.left_out] == [f"{PLAN_ID} r1 has no step s9."]
    assert made.plan.step("s2").status is StepStatus.PENDING


@pytest.mark.req("S4-21", "S4-26")
def test_a_tool_nobody_has_is_refused() -> None:
    with pytest.raises(StepRefusedError, match="teleport"):
        ADJUSTER.apply(a_plan(), an_adjustment(AdjustmentAction.REPLACE, tool="teleport"))


@pytest.mark.req("S4-26")
def test_a_plan_does_not_grow_past_its_limit() -> None:
    grown = ADJUSTER.adjust(a_plan(), [an_adjustment(AdjustmentAction.ADD_AFTER)] * 9)
    assert (len(grown.plan.steps), len(grown.left_out)) == (8, 4)


def test_what_was_only_skipped_because_of_a_failure_waits_again() -> None:
    plan = a_plan(a_step("s1", status=StepStatus.COMPLETED), a_step("s2").mark_skipped(), a_step("s3").mark_cancelled())
    made = ADJUSTER.adjust(plan, ())
    assert [step.status.value for step in made.plan.steps] == ["completed", "pending", "pending"]


def test_a_note_can_be_left_out_but_not_changed() -> None:
    plan = a_plan(ExecutionStep(id="s2", tool="think"))
    assert ADJUSTER.apply(plan, an_adjustment(AdjustmentAction.SKIP)).step("s2").status is StepStatus.SKIPPED
    with pytest.raises(StepRefusedError):
        ADJUSTER.apply(plan, an_adjustment(AdjustmentAction.MODIFY))


@st.composite
def plans(draw: st.DrawFn) -> ExecutionPlan:
    steps: list[ExecutionStep] = []
    for position, name in enumerate(NAMES):
        blockers = draw(st.lists(st.sampled_from(NAMES[:position]), unique=True)) if position else []
        steps.append(a_step(name, *blockers, status=draw(st.sampled_from(StepStatus))))
    return a_plan(*steps)


ADJUSTMENTS = st.lists(
    st.builds(an_adjustment, st.sampled_from(AdjustmentAction), st.sampled_from((*NAMES, "a1", "a2", "s9"))),
    max_size=8,
)


@pytest.mark.req("S4-10", "S4-11", "S4-18", "S4-22")
@given(plans(), ADJUSTMENTS)
def test_no_adjustments_change_the_old_plan_or_leave_a_new_one_that_makes_no_sense(
    plan: ExecutionPlan, adjustments: list[StepAdjustment]
) -> None:
    before = plan.model_dump_json()
    made = ADJUSTER.adjust(plan, adjustments)
    assert plan.model_dump_json() == before
    assert len(made.applied) + len(made.left_out) == len(adjustments)
    steps = made.plan.steps
    assert len({step.id for step in steps}) == len(steps) <= 8
    assert [step.id for step in steps if step.id in NAMES] == list(NAMES)
    skipped = {step.id for step in steps if step.status is StepStatus.SKIPPED}
    seen: set[str] = set()
    for step in steps:
        assert seen.issuperset(step.blocked_by)  # so there is no circle either
        if step.id not in skipped:
            assert not skipped.intersection(step.blocked_by)
        seen.add(step.id)
    done = {step.id for step in plan.steps if step.status is StepStatus.COMPLETED}
    retried = {a.step_id for a in made.applied if a.action in (AdjustmentAction.RETRY, AdjustmentAction.REPLACE)}
    assert all(made.plan.step(name).status is StepStatus.COMPLETED for name in done - retried)


def test_an_unknown_step_is_named() -> None:
    with pytest.raises(UnknownOperationError):
        ADJUSTER.apply(a_plan(), an_adjustment(AdjustmentAction.RETRY, "s9"))


def test_modify_with_another_tool_takes_nothing_over_from_the_old_input() -> None:
    other = an_adjustment(AdjustmentAction.MODIFY, tool="write", tool_input={"path": "a", "content": "b"})
    step = ADJUSTER.apply(a_plan(), other).step("s2")
    assert (step.tool, step.tool_input) == ("write", {"path": "a", "content": "b"})


@pytest.mark.parametrize(("said", "kept"), [("Better", "Better"), ("", "As it was")])
def test_modify_keeps_the_description_unless_it_brings_one(said: str, kept: str) -> None:
    plan = a_plan(a_step("s2").model_copy(update={"description": "As it was"}))
    step = ADJUSTER.apply(plan, an_adjustment(AdjustmentAction.MODIFY, description=said)).step("s2")
    assert (step.tool, step.description) == ("bash", kept)


@pytest.mark.parametrize("action", [AdjustmentAction.REPLACE, AdjustmentAction.ADD_BEFORE, AdjustmentAction.ADD_AFTER])
@pytest.mark.parametrize(("said", "told"), [("Better", "Better"), ("", "Because")])
def test_new_step_is_told_by_its_description_or_else_by_the_reason_for_it(
    action: AdjustmentAction, said: str, told: str
) -> None:
    plan = ADJUSTER.apply(a_plan(a_step("s2")), an_adjustment(action, description=said))
    new = next(step for step in plan.steps if step.operation is None)
    assert (new.tool, new.tool_input, new.description) == ("bash", {"command": "new"}, told)


def test_step_that_is_only_thought_about_can_be_added() -> None:
    thought = an_adjustment(AdjustmentAction.ADD_AFTER, tool=THINK, tool_input={}, description="Is it enough?")
    new = ADJUSTER.apply(a_plan(), thought).step("a1")
    assert (new.tool, new.tool_input) == (THINK, {})


def test_each_added_step_has_a_name_of_its_own() -> None:
    plan = a_plan()
    for _ in range(3):
        plan = ADJUSTER.apply(plan, an_adjustment(AdjustmentAction.ADD_AFTER))
    assert sorted(names(plan)) == ["a1", "a2", "a3", "s1", "s2", "s3"]
