"""The life of a plan, seen from outside: every step of it is told, recorded, and leads to the log it came from."""

import json

import pytest

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.events import TandemEvent
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.services.engine import Engine
from tests.support.orchestrations import a_plan, bash, write


@pytest.fixture
def told(engine: Engine) -> list[str]:
    """What the stream says about plans and runs."""
    heard: list[str] = []

    def hear(event: TandemEvent) -> None:
        if event.type.startswith(("plan_", "run_")) and event.type != "plan_moved":
            heard.append(event.type)

    engine.events.subscribe(hear)
    return heard


def proposed(engine: Engine, command: str = "true") -> PlanVersion:
    return engine.proposals.propose(json.dumps(a_plan(write("s1", "a.txt"), bash("s2", command))).encode())


def approve(engine: Engine, version: PlanVersion) -> None:
    engine.decisions.approve(version.plan_id, version.approval_hash)


@pytest.mark.req("S3-37c", "S3-44")
def test_every_step_in_the_life_of_a_plan_is_told_once(engine: Engine, told: list[str]) -> None:
    version = proposed(engine)
    engine.decisions.reject(version.plan_id, "Smaller.")
    approve(engine, engine.proposals.restore(version.plan_id, 1))
    run = engine.runs.apply(version.plan_id)
    engine.runs.undo(run.record.run_id)
    engine.decisions.cancel(proposed(engine).plan_id)
    assert told == [
        *("plan_proposed", "plan_rejected", "plan_proposed", "plan_approved", "run_started", "run_finished"),
        *("run_undone", "run_finished", "plan_proposed", "plan_cancelled"),
    ]


@pytest.mark.req("S3-29")
@pytest.mark.parametrize(("command", "status"), [("true", PlanStatus.COMPLETED), ("exit 7", PlanStatus.FAILED)])
def test_the_result_stands_in_the_plan_with_the_way_to_its_log(
    engine: Engine, command: str, status: PlanStatus
) -> None:
    version = proposed(engine, command)
    approve(engine, version)
    engine.runs.apply(version.plan_id)
    meta = engine.plans.meta(version.plan_id)
    assert (meta.status, meta.execution_session is not None, meta.result_summary != "") == (status, True, True)
    page = (engine.locations.workspace / ".tandem" / "plans" / version.plan_id / "r001.md").read_text()
    assert f"execution_session: {meta.execution_session}" in page
    log = engine.locations.workspace / ".tandem" / "runs" / str(meta.execution_session) / "steps.jsonl"
    assert [json.loads(line)["step"] for line in log.read_text().splitlines()] == [1, 2]


@pytest.mark.req("S3-17")
def test_an_approval_only_sets_the_status_until_the_executor_is_called(engine: Engine) -> None:
    version = proposed(engine)
    approve(engine, version)
    assert engine.plans.meta(version.plan_id).status is PlanStatus.APPROVED
    assert not (engine.locations.workspace / "a.txt").exists()
    assert engine.runs.apply(version.plan_id).succeeded


@pytest.mark.req("S3-51")
def test_person_at_the_machine_approves_and_a_plan_cannot_ask_for_another(engine: Engine) -> None:
    plan = a_plan(write("s1", "a.txt"))
    with pytest.raises(BadInputError, match="approval_required_from"):
        engine.proposals.propose(json.dumps({**plan, "approval_required_from": "admin"}).encode())
    version = engine.proposals.propose(json.dumps(plan).encode())
    assert engine.decisions.approve(version.plan_id, version.approval_hash).approved_by == "user"
