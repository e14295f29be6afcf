"""Whole orchestrations: what is done, told and stored when it goes well, when it does not, and when it is stopped."""

import json
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.advisors.orchestrator import GivenApproval, PlanOrchestrator, RememberedAdvice
from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain import events
from tandem_desktop.domain.errors import NoAnswerError, SidecarError, SidecarTimeoutError
from tandem_desktop.domain.events import TandemEvent
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.plan_steps import StepStatus
from tandem_desktop.domain.reflection import (
    Assessment,
    Orchestration,
    OrchestrationOutcome,
    OrchestrationStage,
    Reflection,
)
from tandem_desktop.services.engine import Engine
from tandem_desktop.settings import Settings
from tests.support.advisors import ScriptedAdvisor
from tests.support.orchestrations import (
    WillingPerson,
    a_generator,
    a_plan,
    adjustment,
    an_orchestrator,
    bash,
    reflection,
    write,
)
from tests.support.tree_walker import walk

BAD, GOOD = "exit 3", "echo fine > made.txt"
FAILING = a_plan(
    write("s1", "one.txt"), bash("s2", BAD, blocked_by=["s1"]), write("s3", "three.txt", blocked_by=["s2"])
)
DONE = reflection(assessment="COMPLETE")
MEND = adjustment("MODIFY", "s2", tool_input={"command": GOOD})


@pytest.fixture
def told(engine: Engine) -> list[TandemEvent]:
    heard: list[TandemEvent] = []
    engine.events.subscribe(heard.append)
    return heard


def types(told: list[TandemEvent]) -> list[str]:
    """Of the events of S4-17 and of the orchestration itself."""
    return [e.type for e in told if e.type.startswith(("plan_execution", "plan_step", "reflection", "adjustment"))]


def stages(told: list[TandemEvent]) -> list[OrchestrationStage]:
    return [event.stage for event in told if isinstance(event, events.OrchestrationMoved)]


@pytest.mark.req("S4-12", "S4-12b", "S4-17", "S4-24")
async def test_a_task_whose_plan_works_is_done_and_told_step_by_step(
    engine: Engine, root: Path, told: list[TandemEvent]
) -> None:
    plan = a_plan({"description": "Think about it"}, write("s1", "one.txt"), bash("s2", GOOD, blocked_by=["s1"]))
    ended = await an_orchestrator(engine, ScriptedAdvisor(generator=[plan], reflector=[DONE])).run("Make one.txt")
    assert (ended.outcome, ended.cycles, ended.problem) == (OrchestrationOutcome.COMPLETED, 0, "")
    assert ended.plan is not None
    assert ended.plan.status is PlanStatus.COMPLETED
    assert (root / "one.txt").read_text() == "new\n"
    assert types(told) == [
        "plan_execution_start",
        "plan_step_ready",
        "plan_step_complete",
        "plan_step_complete",
        "plan_step_ready",
        "plan_step_complete",
        "reflection_complete",
        "plan_execution_complete",
    ]
    ready = [event.step_ids for event in told if isinstance(event, events.PlanStepReady)]
    assert [len(each) for each in ready] == [2, 1]  # what became ready at once is told at once
    assert stages(told) == [
        OrchestrationStage.GENERATING,
        OrchestrationStage.AWAITING_APPROVAL,
        OrchestrationStage.EXECUTING,
        OrchestrationStage.REFLECTING,
    ]
    assert isinstance(told[0], events.OrchestrationStarted)
    assert isinstance(told[-1], events.OrchestrationEnded)


@pytest.mark.req("S4-05")
async def test_a_step_that_is_only_thought_about_is_ready_and_complete_and_runs_nothing(
    engine: Engine, told: list[TandemEvent]
) -> None:
    plan = a_plan({"id": "t", "description": "Think"}, write("s1", "one.txt", blocked_by=["t"]))
    ended = await an_orchestrator(engine, ScriptedAdvisor(generator=[plan], reflector=[DONE])).run("x")
    done = [(e.step_id, e.status) for e in told if isinstance(e, events.PlanStepCompleted)]
    assert done == [("t", StepStatus.COMPLETED), ("s1", StepStatus.COMPLETED)]
    assert ended.plan is not None
    assert [step.id for step in ended.plan.steps if step.changes_nothing] == ["t"]


@pytest.mark.req("S4-12", "S4-17", "S4-20", "S4-24")
async def test_a_failed_step_is_reflected_on_and_the_adjusted_plan_is_approved_anew(
    engine: Engine, root: Path, told: list[TandemEvent]
) -> None:
    person = WillingPerson()
    advisor = ScriptedAdvisor(generator=[FAILING], reflector=[reflection(MEND), DONE])
    ended = await an_orchestrator(engine, advisor, person).run("Do it")
    assert (ended.outcome, ended.cycles) == (OrchestrationOutcome.COMPLETED, 1)
    assert (root / "made.txt").read_text() == "fine\n"
    assert [version.origin for version in person.shown] == [Origin.AGENT, Origin.ADJUSTMENT]
    assert person.shown[0].approval_hash != person.shown[1].approval_hash
    order = list(dict.fromkeys(types(told)))
    assert order == [
        "plan_execution_start",
        "plan_step_ready",
        "plan_step_complete",
        "reflection_complete",
        "adjustment_applied",
        "plan_execution_complete",
    ]
    (applied,) = [event for event in told if isinstance(event, events.AdjustmentApplied)]
    assert (applied.revision, applied.number, applied.step_id) == (2, 1, "s2")
    (rested,) = [event for event in told if isinstance(event, events.PlanExecutionCompleted)]
    assert (rested.status, rested.cycles, rested.revision) == (PlanStatus.COMPLETED, 1, 2)


@pytest.mark.req("S4-12", "S4-24")
async def test_several_cycles_of_reflection_lead_to_the_end(engine: Engine, root: Path) -> None:
    mends = [
        reflection(adjustment("MODIFY", "s2", tool_input={"command": "exit 4"})),
        reflection(adjustment("ADD_BEFORE", "s2", tool="write", tool_input={"path": "two.txt", "content": "2\n"})),
        reflection(adjustment("SKIP", "s2")),
    ]
    ended = await an_orchestrator(engine, ScriptedAdvisor(generator=[FAILING], reflector=[*mends, DONE])).run("Do it")
    assert (ended.outcome, ended.cycles) == (OrchestrationOutcome.COMPLETED, 3)
    assert sorted(path.name for path in root.iterdir() if path.is_file()) == ["one.txt", "three.txt", "two.txt"]
    origins = [version.origin.value for version in engine.plans.revisions(ended.plan.plan_id if ended.plan else "")]  # type: ignore[arg-type] # there is one
    assert origins == ["agent", "adjustment", "adjustment", "adjustment"]


@pytest.mark.setting("max_reflection_cycles")
@pytest.mark.req("S4-12", "S4-26")
async def test_at_the_most_cycles_it_stops_and_the_plan_is_failed(root: Path, memory_path: Path) -> None:
    engine = build_engine(root, state=memory_path / "state", settings=Settings(max_reflection_cycles=1))
    again = reflection(adjustment("MODIFY", "s2", tool_input={"command": "exit 4"}))
    before = walk(root)
    ended = await an_orchestrator(engine, ScriptedAdvisor(generator=[FAILING], reflector=[again, again])).run("x")
    engine.close()
    assert (ended.outcome, ended.cycles) == (OrchestrationOutcome.MAX_CYCLES, 1)
    assert ended.plan is not None
    assert ended.plan.status is PlanStatus.FAILED
    assert walk(root) == before


@pytest.mark.setting("reflection")
@pytest.mark.req("S4-25")
@pytest.mark.parametrize(("when", "asked"), [("off", 0), ("unless_simple", 0), ("after_failure", 1)])
async def test_reflection_can_be_off_altogether_or_for_simple_tasks(
    root: Path, memory_path: Path, when: str, asked: int
) -> None:
    settings = Settings.model_validate({"reflection": when})
    engine = build_engine(root, state=memory_path / "state", settings=settings)
    advisor = ScriptedAdvisor(generator=[a_plan(bash("s1", BAD))], reflector=[reflection(assessment="FAILED")])
    ended = await an_orchestrator(engine, advisor).run("x")
    engine.close()
    assert ended.outcome is OrchestrationOutcome.FAILED
    assert sum(question.role == "reflector" for question in advisor.asked) == asked


@pytest.mark.setting("reflection_after_success")
@pytest.mark.req("S4-12", "S4-25", "S4-29")
@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({}, 1),
        ({"reflection_after_success": "always"}, 1),
        ({"reflection_after_success": "off"}, 0),
        ({"reflection": "off"}, 0),
        ({"reflection": "unless_simple"}, 0),
    ],
)
async def test_a_run_that_completed_is_reflected_on_unless_that_is_off(
    root: Path, memory_path: Path, fields: dict[str, str], asked: int
) -> None:
    engine = build_engine(root, state=memory_path / "state", settings=Settings.model_validate(fields))
    advisor = ScriptedAdvisor(generator=[a_plan(write("s1", "a"))], reflector=[DONE])
    ended = await an_orchestrator(engine, advisor).run("x")
    engine.close()
    assert (ended.outcome, ended.problem) == (OrchestrationOutcome.COMPLETED, "")
    assert sum(question.role == "reflector" for question in advisor.asked) == asked


@pytest.mark.req("S4-12")
@pytest.mark.parametrize("said", [reflection(MEND), NoAnswerError("Nothing was said.")])
async def test_whatever_is_said_of_a_run_that_completed_it_stays_completed_and_the_objection_is_told(
    engine: Engine, said: Any
) -> None:
    advisor = ScriptedAdvisor(generator=[a_plan(write("s1", "a"), bash("s2", "true"))], reflector=[said])
    ended = await an_orchestrator(engine, advisor).run("x")
    assert ended.outcome is OrchestrationOutcome.COMPLETED
    assert ended.problem.startswith("The run completed. Looking back at it (")
    assert ended.plan is not None
    assert ended.plan.status is PlanStatus.COMPLETED
    assert ended.reflection is not None


@pytest.mark.req("S4-03", "S4-24")
@pytest.mark.parametrize(
    "said", [[SidecarTimeoutError("The model did not answer.")], [{"steps": "no"}, {"title": 1}, {"nonsense": True}]]
)
async def test_without_a_plan_from_the_model_there_is_a_basic_one_that_says_so_and_runs_nothing(
    engine: Engine, said: list[Any], told: list[TandemEvent]
) -> None:
    person = WillingPerson()
    ended = await an_orchestrator(engine, ScriptedAdvisor(generator=said), person).run("Do the thing")
    assert (ended.outcome, ended.stage, person.shown) == (
        OrchestrationOutcome.WAITING,
        OrchestrationStage.GENERATING,
        [],
    )
    assert ended.plan is not None
    version = engine.plans.revision(ended.plan.plan_id)
    assert (version.title, version.operations, version.notes[0].tool) == ("Do the thing", (), "think")
    assert "No plan in steps could be made" in version.warnings[0]
    assert types(told) == []


@pytest.mark.req("S4-09", "S4-24")
@pytest.mark.parametrize("said", [[SidecarError("The model broke.")], [{"assessment": "FINE"}, {}, {"reasoning": ""}]])
async def test_a_reflector_that_cannot_answer_ends_it_as_unknown_and_the_reason_is_said(
    engine: Engine, root: Path, said: list[Any]
) -> None:
    before = walk(root)
    advisor = ScriptedAdvisor(generator=[FAILING], reflector=said)
    ended = await an_orchestrator(engine, advisor).run("Do it")
    assert ended.outcome is OrchestrationOutcome.UNKNOWN
    assert ended.reflection is not None
    assert (ended.reflection.assessment, ended.reflection.adjustments) == (Assessment.UNKNOWN, ())
    assert "No agent could say" in ended.problem
    assert ended.plan is not None
    assert (ended.plan.status, len(engine.plans.revisions(ended.plan.plan_id))) == (PlanStatus.FAILED, 1)
    assert walk(root) == before


@pytest.mark.req("S4-08")
@pytest.mark.parametrize("assessment", ["FAILED", "ON_TRACK", "OFF_TRACK"])
async def test_a_reflection_without_anything_to_change_ends_it(engine: Engine, assessment: str) -> None:
    advisor = ScriptedAdvisor(generator=[FAILING], reflector=[reflection(assessment=assessment)])
    ended = await an_orchestrator(engine, advisor).run("Do it")
    assert (ended.outcome, ended.problem) == (OrchestrationOutcome.FAILED, "The command is wrong.")


async def test_a_plan_nobody_approves_waits_as_it_is(engine: Engine) -> None:
    ended = await an_orchestrator(engine, ScriptedAdvisor(generator=[FAILING]), WillingPerson(patience=0)).run("x")
    assert (ended.outcome, ended.stage) == (OrchestrationOutcome.WAITING, OrchestrationStage.AWAITING_APPROVAL)
    assert ended.plan is not None
    assert ended.plan.status is PlanStatus.PROPOSED


async def test_another_digest_than_the_one_shown_runs_nothing(engine: Engine, root: Path) -> None:
    class Mistaken(WillingPerson):
        async def approve(self, version: Any) -> GivenApproval | None:
            return GivenApproval("0" * 64)

    ended = await an_orchestrator(engine, ScriptedAdvisor(generator=[FAILING]), Mistaken()).run("x")
    assert ended.outcome is OrchestrationOutcome.FAILED
    assert "not the digest" in ended.problem
    assert not (root / "one.txt").exists()


@pytest.mark.req("S4-13", "S4-24")
async def test_stopped_while_the_plan_is_made_there_is_no_plan(engine: Engine) -> None:
    conducting: list[PlanOrchestrator] = []
    advisor = ScriptedAdvisor(generator=[lambda: conducting[0].abort()])
    conducting.append(an_orchestrator(engine, advisor))
    ended = await conducting[0].run("x")
    assert (ended.outcome, ended.stage, ended.plan) == (
        OrchestrationOutcome.ABORTED,
        OrchestrationStage.GENERATING,
        None,
    )
    assert engine.plans.list().plans == ()


@pytest.mark.req("S4-13")
async def test_stopped_before_the_approval_the_plan_waits(engine: Engine, root: Path) -> None:
    person = WillingPerson()
    conducting = an_orchestrator(engine, ScriptedAdvisor(generator=[FAILING]), person)
    person.before = conducting.abort
    ended = await conducting.run("x")
    assert (ended.outcome, ended.plan.status if ended.plan else None) == (
        OrchestrationOutcome.ABORTED,
        PlanStatus.CANCELLED,
    )
    assert not (root / "one.txt").exists()


@pytest.mark.req("S4-13", "S4-24")
async def test_stopped_while_it_runs_everything_is_put_back_and_the_plan_is_cancelled(
    engine: Engine, root: Path
) -> None:
    before = walk(root)
    conducting = an_orchestrator(engine, ScriptedAdvisor(generator=[FAILING]))

    def stop(event: TandemEvent) -> None:
        if isinstance(event, events.OperationFinished):
            conducting.abort()

    engine.events.subscribe(stop)
    ended = await conducting.run("x")
    assert (ended.outcome, ended.stage) == (OrchestrationOutcome.ABORTED, OrchestrationStage.EXECUTING)
    assert ended.plan is not None
    assert ended.plan.status is PlanStatus.CANCELLED
    assert walk(root) == before


@pytest.mark.req("S4-13", "S4-24")
async def test_stopped_while_it_is_reflected_on_the_failed_plan_stays_as_it_is(engine: Engine) -> None:
    conducting: list[PlanOrchestrator] = []
    advisor = ScriptedAdvisor(generator=[FAILING], reflector=[lambda: conducting[0].abort()])
    conducting.append(an_orchestrator(engine, advisor))
    ended = await conducting[0].run("x")
    assert (ended.outcome, ended.stage, ended.reflection) == (
        OrchestrationOutcome.ABORTED,
        OrchestrationStage.REFLECTING,
        None,
    )
    assert ended.plan is not None
    assert ended.plan.status is PlanStatus.FAILED


@pytest.mark.req("S4-13", "S4-24")
async def test_stopped_before_adjustments_are_chosen_no_revision_is_made(engine: Engine) -> None:
    conducting: list[PlanOrchestrator] = []

    class Leaving(WillingPerson):
        async def choose(self, reflection: Reflection) -> tuple[int, ...] | None:
            conducting[0].abort()
            return None

    advisor = ScriptedAdvisor(generator=[FAILING], reflector=[reflection(MEND)])
    conducting.append(an_orchestrator(engine, advisor, Leaving()))
    ended = await conducting[0].run("x")
    assert ended.stage is OrchestrationStage.AWAITING_ADJUSTMENTS
    assert ended.plan is not None
    assert len(engine.plans.revisions(ended.plan.plan_id)) == 1


@pytest.mark.req("S4-04", "S4-15")
async def test_a_paused_orchestration_goes_on_when_it_is_resumed(engine: Engine, told: list[TandemEvent]) -> None:
    plan = a_plan(write("s1", "a"), bash("s2", GOOD))
    conducting = an_orchestrator(engine, ScriptedAdvisor(generator=[plan], reflector=[DONE]))

    def hear(event: TandemEvent) -> None:
        if isinstance(event, events.RunStarted):
            conducting.pause()
        elif isinstance(event, events.RunPaused):
            assert engine.plans.list().plans[0].status is PlanStatus.PAUSED
            conducting.resume()

    engine.events.subscribe(hear)
    ended = await conducting.run("x")
    assert ended.outcome is OrchestrationOutcome.COMPLETED
    assert {"run_paused", "run_resumed"} <= {event.type for event in told}


@pytest.mark.req("S4-24")
async def test_a_subscriber_that_throws_at_everything_corrupts_nothing(engine: Engine, root: Path) -> None:
    def throw(event: TandemEvent) -> None:
        raise RuntimeError(event.type)

    engine.events.subscribe(throw)
    advisor = ScriptedAdvisor(generator=[FAILING], reflector=[reflection(MEND), DONE])
    ended = await an_orchestrator(engine, advisor).run("Do it")
    assert (ended.outcome, ended.cycles) == (OrchestrationOutcome.COMPLETED, 1)
    assert (root / "made.txt").exists()
    assert engine.audit.verify().ok


@pytest.mark.req("S4-13")
async def test_something_nobody_foresaw_marks_the_plan_failed_and_is_said(engine: Engine) -> None:
    class Broken(WillingPerson):
        async def approve(self, version: Any) -> GivenApproval | None:
            raise KeyError("surprise")

    ended = await an_orchestrator(engine, ScriptedAdvisor(generator=[FAILING]), Broken()).run("x")
    assert ended.outcome is OrchestrationOutcome.FAILED
    assert "surprise" in ended.problem
    assert ended.plan is not None
    assert ended.plan.status is PlanStatus.FAILED


@pytest.mark.req("S4-26")
async def test_every_revision_reflection_and_adjustment_stands_in_the_audit(engine: Engine) -> None:
    advisor = ScriptedAdvisor(generator=[FAILING], reflector=[reflection(MEND, adjustment("SKIP", "s3"))])
    await an_orchestrator(engine, advisor).run("Do it")
    kinds = [record.kind for record in engine.audit.records()]
    assert kinds == ["revised", "approved", "executed", "reflected", "revised", "adjusted", "approved", "executed"]
    adjusted = next(record for record in engine.audit.records() if record.kind == "adjusted")
    assert [each["action"] for each in adjusted.body["accepted"]] == ["MODIFY", "SKIP"]
    assert engine.audit.verify().ok


@pytest.mark.req("S4-25")
async def test_the_same_question_is_asked_once(engine: Engine) -> None:

    advisor = ScriptedAdvisor(generator=[a_plan(write("s1", "one.txt"))])
    generator = a_generator(engine, RememberedAdvice(advisor))
    first, second = await generator.generate("Do it"), await generator.generate("Do it")
    assert len(advisor.asked) == 1
    assert first.plan_id != second.plan_id


def test_an_orchestration_can_be_written_down(engine: Engine) -> None:

    ended = Orchestration(task="x", outcome=OrchestrationOutcome.ABORTED, stage=OrchestrationStage.GENERATING)
    assert json.loads(ended.model_dump_json())["outcome"] == "aborted"
