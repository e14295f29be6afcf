"""The life of a plan that several advisors looked at, function by function, and what is told of it over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tandem_desktop.api.events import told
from tandem_desktop.api.plans import PlanQueries
from tandem_desktop.domain.events import PlanRejected
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.plan_steps import AdvisedPlan
from tandem_desktop.review.choices import Drop
from tests.support.advised_workspace import AdvisedWorkspace, an_advised_workspace
from tests.support.perspective_scripts import CHAPO, KODA
from tests.support.scripted_perspectives import GOOD, ScriptedPerspectives

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
async def advised(tmp_path: Path) -> AsyncIterator[AdvisedWorkspace]:
    async with an_advised_workspace(tmp_path) as made:
        yield made


@pytest.mark.req("S2-14", "S2-16")
async def test_listeners_hear_every_advisor_and_the_plan_that_waits(advised: AdvisedWorkspace) -> None:
    turn = await advised.planned(ScriptedPerspectives(), [advised.steps.write("b.txt", "b\n")])
    assert turn.version is not None
    lines = [line for event in advised.told for line in told(event)]
    wanted = ("plan_start", "perspective_start", "perspective_complete", "plan_ready", "plan_approval_request")
    assert {name: sum(line["type"] == name for line in lines) for name in wanted} == {
        **dict.fromkeys(wanted, 1),
        "perspective_start": 3,
        "perspective_complete": 3,
    }
    by_type = {line["type"]: line for line in lines}
    assert by_type["plan_start"]["sessionId"] == turn.version.session_id
    koda = next(line for line in lines if line["type"] == "perspective_complete" and line["agent"] == "koda")
    assert koda["perspective"]["affectedFiles"] == KODA["affected_files"]
    waiting = by_type["plan_approval_request"]["plan"]
    assert (waiting["planId"], waiting["phase"]) == (turn.version.plan_id, "waiting_plan_approval")
    assert waiting["chapoPerspective"]["strategicAnalysis"] == CHAPO["strategic_analysis"]
    answer = PlanQueries(advised.engine).plan(turn.version.session_id).as_json()["plan"]
    assert (answer["phase"], answer["overallRisk"]) == ("waiting_plan_approval", "medium")
    assert answer["devoPerspective"]["rollbackStrategy"] == "git revert, then restart"


@pytest.mark.req("S2-21", "S2-23", "S2-31")
async def test_a_plan_is_made_approved_carried_out_and_found_again_with_those_before_it(
    advised: AdvisedWorkspace,
) -> None:
    plans, decisions = advised.engine.plans, advised.engine.decisions
    turn = await advised.planned(ScriptedPerspectives(), [advised.steps.write("b.txt", "b\n")])
    version = turn.version
    assert version is not None
    session_id, plan_id = version.session_id, version.plan_id
    assert plans.plan_of(session_id) == plan_id
    decisions.approve(plan_id, version.approval_hash)
    approved = AdvisedPlan.of(version, plans.meta(plan_id))
    assert (approved.status, approved.phase) == (PlanStatus.APPROVED, "approved")
    assert approved.approved_at is not None
    assert advised.engine.runs.apply(plan_id).record.plan_id == plan_id
    assert plans.meta(plan_id).status is PlanStatus.COMPLETED
    tasks = advised.engine.boards.board(plans.revision(plan_id)).get_tasks()
    assert [(task.id, task.status.value) for task in tasks] == [("t1", "completed"), ("t2", "pending")]
    await advised.planned_in(session_id, ScriptedPerspectives(GOOD), [advised.steps.write("c.txt", "c\n")])
    assert plans.plans_of(session_id)[0] == plan_id
    assert plans.plan_of(session_id) != plan_id
    assert plans.revision(plan_id).perspectives == version.perspectives


async def test_what_the_advisors_said_stays_with_the_revisions_a_person_makes(advised: AdvisedWorkspace) -> None:
    turns = [[advised.steps.write("b.txt", "b\n")], [advised.steps.write("c.txt", "c\n")]]
    turn = await advised.planned(ScriptedPerspectives(), *turns)
    assert turn.version is not None
    own = advised.engine.proposals.drop(turn.version.plan_id, [Drop.parse(turn.version.operations[0].id)])
    assert own.revision == turn.version.revision + 1
    assert own.perspectives == turn.version.perspectives
    assert [operation.task for operation in own.operations] == ["t2"]


@pytest.mark.req("S2-21", "S2-29")
async def test_a_rejection_keeps_reason_and_time_and_the_task_is_looked_at_anew(advised: AdvisedWorkspace) -> None:
    turn = await advised.planned(ScriptedPerspectives(), [advised.steps.write("b.txt", "b\n")])
    assert turn.version is not None
    plan_id = turn.version.plan_id
    advised.engine.decisions.reject(plan_id, "Leave production credentials alone")
    kept = AdvisedPlan.of(turn.version, advised.engine.plans.meta(plan_id))
    assert (kept.phase, kept.rejection_reason) == ("qualification", "Leave production credentials alone")
    assert kept.rejected_at is not None
    told = next(event for event in advised.told if isinstance(event, PlanRejected))
    assert "high risk" in told.qualification
    assert advised.engine.decisions.qualified(plan_id).plan_required
