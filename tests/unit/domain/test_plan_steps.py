"""Plans as they are carried out are values: every step forward is a new one, and the old one stays what it was."""

from collections.abc import Callable

import pytest

from tandem_desktop.domain.errors import UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan import Note
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.plan_steps import THINK, ExecutionPlan, ExecutionStep, StepStatus
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tests.support.builders import a_command, a_version, a_write


def a_plan(*results: OperationResult) -> ExecutionPlan:
    version = a_version(
        a_write("one.txt", id="s1"),
        a_command("make test", id="s2", blocked_by=("s1",)),
        a_write("two.txt", id="s3", blocked_by=("s2",)),
    ).model_copy(update={"notes": (Note(step="n1", tool=THINK, description="Think first"),)})
    return ExecutionPlan.of(version, PlanStatus.APPROVED, results)


def came(step: str, status: ResultStatus, error: str | None = None) -> OperationResult:
    return OperationResult(id=OperationId(step), status=status, error=error, output="last line")


@pytest.mark.req("S4-14")
def test_a_revision_becomes_steps_with_their_tools_inputs_and_dependencies() -> None:
    note, first, second, third = a_plan().steps
    assert (note.id, note.tool, note.changes_nothing) == ("n1", THINK, True)
    assert (first.tool, first.tool_input, first.operation) == ("write", {"path": "one.txt"}, "s1")
    assert (second.tool, second.tool_input["command"], second.blocked_by) == ("bash", "make test", ("s1",))
    assert (third.blocked_by, third.status) == (("s2",), StepStatus.PENDING)


@pytest.mark.req("S4-05", "S4-14")
def test_only_steps_whose_blockers_are_completed_are_ready() -> None:
    plan = a_plan()
    assert [step.id for step in plan.ready()] == ["n1", "s1"]
    later = plan.with_result(came("s1", ResultStatus.COMPLETED))
    assert [step.id for step in later.ready()] == ["n1", "s2"]
    failed = later.with_result(came("s2", ResultStatus.FAILED, "exit code 2"))
    assert [step.id for step in failed.ready()] == ["n1"]
    assert [(step.id, step.error, step.output) for step in failed.failed()] == [("s2", "exit code 2", "last line")]


@pytest.mark.req("S4-16")
@pytest.mark.parametrize(
    ("result", "status"),
    [
        (ResultStatus.COMPLETED, StepStatus.COMPLETED),
        (ResultStatus.FAILED, StepStatus.FAILED),
        (ResultStatus.SKIPPED, StepStatus.SKIPPED),
        (ResultStatus.CANCELLED, StepStatus.CANCELLED),
        (ResultStatus.RUNNING, StepStatus.RUNNING),
        (ResultStatus.PENDING, StepStatus.PENDING),
        (ResultStatus.ROLLED_BACK, StepStatus.PENDING),
    ],
)
def test_what_came_of_an_operation_says_where_its_step_stands(result: ResultStatus, status: StepStatus) -> None:
    assert a_plan(came("s1", result)).step("s1").status is status


@pytest.mark.req("S4-18")
@pytest.mark.parametrize(
    ("marked", "status"),
    [
        (ExecutionPlan.mark_completed, PlanStatus.COMPLETED),
        (ExecutionPlan.mark_failed, PlanStatus.FAILED),
        (ExecutionPlan.mark_cancelled, PlanStatus.CANCELLED),
    ],
)
def test_marking_a_plan_makes_another_plan(
    marked: Callable[[ExecutionPlan], ExecutionPlan], status: PlanStatus
) -> None:
    plan = a_plan()
    assert marked(plan).status is status
    assert plan.status is PlanStatus.APPROVED


@pytest.mark.req("S4-18", "S4-16")
def test_marking_a_step_makes_another_step() -> None:
    step = ExecutionStep(id="s1", tool="bash")
    marked = (step.mark_running(), step.mark_completed("ok"), step.mark_failed("no"), step.mark_skipped("why"))
    assert [each.status.value for each in marked] == ["running", "completed", "failed", "skipped"]
    assert step.mark_cancelled().status is StepStatus.CANCELLED
    assert marked[2].reopened() == step == ExecutionStep(id="s1", tool="bash")


def test_a_step_the_plan_does_not_have_is_named() -> None:
    with pytest.raises(UnknownOperationError) as refusal:
        a_plan().step("s9")
    assert "s9" in refusal.value.message
    assert "s1" in refusal.value.next
