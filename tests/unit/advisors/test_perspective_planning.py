"""From a task to a plan with several advisors: who is missing, who is delegated to, and stopping at every stage."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.agent_protocol import StopReason
from tandem_desktop.domain.errors import NoAnswerError, NotApprovableError
from tandem_desktop.domain.events import TandemEvent, TaskDelegated
from tandem_desktop.domain.plan_states import WAITING, PlanStatus, phase_of
from tandem_desktop.domain.plan_steps import AdvisedPlan
from tests.support.advised_workspace import TASK, AdvisedWorkspace, an_advised_workspace
from tests.support.perspective_scripts import PLAN
from tests.support.scripted_perspectives import GOOD, ScriptedPerspectives
from tests.support.tree_walker import walk

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
async def advised(tmp_path: Path) -> AsyncIterator[AdvisedWorkspace]:
    async with an_advised_workspace(tmp_path) as made:
        yield made


@pytest.mark.req("S2-11", "S2-14", "S2-16", "S2-28")
async def test_each_task_is_planned_in_turn_and_only_the_whole_can_be_approved(advised: AdvisedWorkspace) -> None:
    before = walk(advised.engine.locations.workspace)
    turn = await advised.planned(
        ScriptedPerspectives(), [advised.steps.write("b.txt", "b\n")], [advised.steps.write("c.txt", "c\n")]
    )
    version = turn.version
    assert version is not None
    assert walk(advised.engine.locations.workspace) == before
    assert [(operation.path, operation.task) for operation in version.operations] == [("b.txt", "t1"), ("c.txt", "t2")]
    assert (version.incomplete, version.title) == ("", "Typed sessions, deployed to staging")
    plans = advised.engine.plans
    first = plans.revision(version.plan_id, 1)
    assert first.incomplete == "Still to be planned: t2."
    told = [name for name in advised.types if name.startswith(("pl", "per", "syn", "task", "turn"))]
    assert told[0] == "turn_started"
    assert told[-3:] == ["plan_ready", "plan_approval_request", "turn_ended"]
    assert [name for name in told if name == "task_delegated"] == ["task_delegated"] * 2
    assert told.index("synthesis_ended") < told.index("task_delegated") < told.index("plan_proposed")
    kept = AdvisedPlan.of(version, plans.meta(version.plan_id))
    assert kept.phase == WAITING
    assert kept.chapo_perspective is not None
    assert kept.koda_perspective is not None
    assert kept.devo_perspective is not None
    assert {
        *("plan_id", "session_id", "status", "chapo_perspective", "koda_perspective", "devo_perspective", "summary"),
        *("tasks", "estimated_duration", "overall_risk", "created_at", "approved_at", "rejected_at"),
        "rejection_reason",
    } <= set(AdvisedPlan.model_fields)
    again = build_engine(advised.engine.locations.workspace, state=advised.engine.locations.state)
    assert again.plans.revision(version.plan_id).perspectives == version.perspectives
    again.close()


async def test_what_the_advisors_said_is_not_in_the_digest(advised: AdvisedWorkspace) -> None:
    turn = await advised.planned(ScriptedPerspectives(), [advised.steps.write("b.txt", "b\n")])
    assert turn.version is not None
    other = turn.version.model_copy(update={"perspectives": None})
    assert type(turn.version).model_validate(other.model_dump()).approval_hash == turn.version.approval_hash
    advised.engine.decisions.approve(turn.version.plan_id, turn.version.approval_hash)
    assert advised.engine.plans.meta(turn.version.plan_id).approved_at is not None


async def test_without_a_synthesis_the_task_is_planned_whole_and_says_what_is_missing(
    advised: AdvisedWorkspace,
) -> None:
    advisor = ScriptedPerspectives(
        {**GOOD, "devo": NoAnswerError("Devo was away."), "synthesis": NoAnswerError("A circle.")}
    )
    turn = await advised.planned(advisor, [advised.steps.write("b.txt", "b\n")])
    assert turn.version is not None
    assert turn.version.tasks == ()
    assert turn.version.perspectives is not None
    missing = [(each.part, each.reason) for each in turn.version.perspectives.missing]
    assert missing == [("devo", "Devo was away."), ("synthesis", "A circle.")]
    assert turn.version.title == TASK


async def test_when_nobody_can_be_heard_there_is_still_a_plan(advised: AdvisedWorkspace) -> None:
    turn = await advised.planned(ScriptedPerspectives({}), [advised.steps.write("b.txt", "b\n")])
    assert turn.version is not None
    assert turn.version.perspectives is not None
    assert [each.part for each in turn.version.perspectives.missing] == ["chapo", "koda", "devo", "synthesis"]


@pytest.mark.parametrize("stage", ["chapo", "koda", "devo", "synthesis"])
async def test_stopped_while_somebody_is_asked_there_is_no_plan_and_nobody_is_left_asked(
    advised: AdvisedWorkspace, stage: str
) -> None:
    advisor = ScriptedPerspectives(holding=stage)
    planning, working = advised.planning(advisor, [advised.steps.write("b.txt", "b\n")])
    await advisor.holds.wait()
    await planning.stop(5)
    turn = await working
    assert (turn.version, turn.stop_reason) == (None, StopReason.CANCELLED)
    assert (advisor.let_go, advisor.open) == ([stage], 0)
    assert advised.types[-1] == "turn_ended"
    assert advised.engine.plans.list().plans == ()


TASKS = (
    {"id": "t1", "subject": "Types", "agent": "koda"},
    {"id": "t2", "subject": "Service", "agent": "koda"},
    {"id": "t3", "subject": "Deploy", "agent": "devo", "blocked_by": ["t2"]},
    {"id": "t4", "subject": "Documents", "agent": "koda", "blocked_by": ["t1"]},
)


@pytest.mark.req("S2-24", "S2-25", "S2-26", "S2-28")
async def test_what_waits_for_a_task_that_could_not_be_planned_is_left_out_and_the_rest_is_planned(
    advised: AdvisedWorkspace,
) -> None:
    advisors = ScriptedPerspectives({**GOOD, "synthesis": {**PLAN, "tasks": TASKS}})
    refuses = [{"do": "refuse"}]
    turn = await advised.planned(
        advisors, [advised.steps.write("t1", "1\n")], refuses, [advised.steps.write("t4", "4\n")]
    )
    version = turn.version
    assert version is not None
    assert [(operation.path, operation.task) for operation in version.operations] == [("t1", "t1"), ("t4", "t4")]
    assert turn.stop_reason is StopReason.REFUSAL
    assert version.incomplete == "Still to be planned: t2, t3."
    with pytest.raises(NotApprovableError):
        advised.engine.decisions.approve(version.plan_id, version.approval_hash)
    assert [event.task_id for event in advised.told if isinstance(event, TaskDelegated)] == ["t1", "t2", "t4"]


async def test_stopped_in_the_second_task_what_the_first_planned_stays_and_cannot_be_approved(
    advised: AdvisedWorkspace,
) -> None:
    turns = [[advised.steps.write("b.txt", "b\n")], [advised.steps.say("Thinking."), {"do": "await_cancel"}]]
    second = asyncio.Event()

    def follow(event: TandemEvent) -> None:
        if event.type == "agent_heard":
            second.set()

    advised.engine.events.subscribe(follow)
    planning, working = advised.planning(ScriptedPerspectives(), *turns)
    await second.wait()
    await planning.stop(5)
    turn = await working
    assert turn.version is not None
    assert [operation.path for operation in turn.version.operations] == ["b.txt"]
    assert "cancelled" in turn.version.incomplete
    with pytest.raises(NotApprovableError):
        advised.engine.decisions.approve(turn.version.plan_id, turn.version.approval_hash)


@pytest.mark.req("S2-10", "S2-16")
def test_every_status_of_a_plan_has_a_phase() -> None:
    stored = {"draft", "approved", "rejected", "executing", "completed"}
    assert stored <= {status.value for status in PlanStatus}
    assert phase_of(PlanStatus.PROPOSED) == "waiting_plan_approval"
    assert phase_of(PlanStatus.REJECTED) == "qualification"
    assert {phase_of(status) for status in PlanStatus} == {
        *("planning", "waiting_plan_approval", "qualification", "approved", "executing", "done")
    }
