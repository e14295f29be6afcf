"""One table moves every plan: the command line, the API, the window and the store say the same of it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.events import PlanMoved, TandemEvent
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_states import EventKind, PlanAction, PlanState, PlanStatus
from tandem_desktop.services.engine import Engine
from tests.support.command_line import CommandLine, a_workspace, bash, killed_while_writing, write
from tests.support.tree_walker import walk

FAILS = bash("exit 7")


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


@pytest.fixture
def failed(tandem: CommandLine) -> dict[str, str]:
    """A plan whose run failed and was rolled back."""
    plan = tandem.propose(write("new.txt", "new\n"), FAILS)
    assert tandem("approve", plan["plan_id"], "--digest", plan["digest"]).code == 0
    applied = tandem("apply", plan["plan_id"], "--json")
    assert (applied.code, applied.data["rolled_back"]) == (4, True)
    return plan


def status(tandem: CommandLine, plan_id: str) -> set[str]:
    """What list, show, the record and the front matter say."""
    listed = next(each for each in tandem.answer("list")["plans"] if each["plan_id"] == plan_id)
    folder = tandem.workspace / ".tandem" / "plans" / plan_id
    page = max(folder.glob("r*.md")).read_text()
    front = next(line.partition(": ")[2] for line in page.splitlines() if line.startswith("status: "))
    record = json.loads((folder / "meta.json").read_text())["status"]
    return {listed["status"], tandem.answer("show", plan_id)["plan"]["status"], record, front}


def test_a_rolled_back_plan_can_be_approved_again(tandem: CommandLine, failed: dict[str, str]) -> None:
    assert status(tandem, failed["plan_id"]) == {"failed"}
    assert tandem("approve", failed["plan_id"], "--digest", failed["digest"]).code == 0
    assert status(tandem, failed["plan_id"]) == {"approved"}
    assert tandem("apply", failed["plan_id"], "--on-failure", "stop").code == 4
    assert (tandem.workspace / "new.txt").read_text() == "new\n"


def test_a_rolled_back_plan_can_be_sent_back(tandem: CommandLine, failed: dict[str, str]) -> None:
    assert tandem.answer("reject", failed["plan_id"], "--feedback", "Without the command.")["status"] == "rejected"
    assert status(tandem, failed["plan_id"]) == {"rejected"}
    assert tandem("apply", failed["plan_id"]).code == 3


def test_a_rolled_back_plan_can_be_cancelled(tandem: CommandLine, failed: dict[str, str]) -> None:
    assert tandem.answer("cancel", failed["plan_id"])["status"] == "cancelled"
    assert status(tandem, failed["plan_id"]) == {"cancelled"}


def test_an_undone_plan_says_so_everywhere_until_it_is_redone(tandem: CommandLine) -> None:
    plan = tandem.propose(write("new.txt", "new\n"))
    tandem("approve", plan["plan_id"], "--digest", plan["digest"])
    before = walk(tandem.workspace)
    run = tandem.answer("apply", plan["plan_id"])["run_id"]
    tandem.answer("undo", run)
    assert walk(tandem.workspace) == before
    assert status(tandem, plan["plan_id"]) == {"undone"}
    tandem.answer("redo", run)
    assert status(tandem, plan["plan_id"]) == {"completed"}
    tandem.answer("undo", run)
    assert tandem("approve", plan["plan_id"], "--digest", plan["digest"]).code == 0
    assert status(tandem, plan["plan_id"]) == {"approved"}


def test_a_plan_undone_by_an_older_version_is_shown_as_undone(tandem: CommandLine) -> None:
    plan = tandem.propose(write("new.txt", "new\n"))
    tandem("approve", plan["plan_id"], "--digest", plan["digest"])
    tandem.answer("undo", tandem.answer("apply", plan["plan_id"])["run_id"])
    record = tandem.workspace / ".tandem" / "plans" / plan["plan_id"] / "meta.json"
    record.write_text(record.read_text().replace('"undone"', '"completed"'))  # as 0.1.0 left it
    assert tandem.answer("show", plan["plan_id"])["plan"]["status"] == "undone"


@pytest.mark.req("S3-25")
def test_a_run_that_was_cut_off_is_listed_as_stalled_once_its_time_is_over(tandem: CommandLine) -> None:
    plan = tandem.propose(write("new.txt", "new\n"))
    tandem("approve", plan["plan_id"], "--digest", plan["digest"])
    killed_while_writing("new.txt", ["-C", str(tandem.workspace), "apply", plan["plan_id"]])
    assert tandem.answer("show", plan["plan_id"])["plan"]["status"] == "executing"
    late = datetime.now(UTC) + timedelta(minutes=31)
    engine = build_engine(tandem.workspace, clock=lambda: late)
    listed = next(each for each in engine.listing().plans if each.plan_id == plan["plan_id"])
    assert listed.status is PlanStatus.STALLED
    assert engine.meta(PlanId(plan["plan_id"])).status is PlanStatus.STALLED


def test_a_plan_that_waited_too_long_is_listed_as_expired(tandem: CommandLine) -> None:
    plan = tandem.propose(write("new.txt", "new\n"))
    late = datetime.now(UTC) + timedelta(days=31)
    engine = build_engine(tandem.workspace, clock=lambda: late)
    assert [each.status for each in engine.listing().plans] == [PlanStatus.EXPIRED]
    assert engine.meta(PlanId(plan["plan_id"])).status is PlanStatus.EXPIRED


@pytest.mark.req("S0-18", "S0-19", "S0-22", "S0-23", "S0-26")
def test_each_step_of_a_plan_is_published_with_its_state_and_actions(tmp_path: Path) -> None:
    engine = build_engine(a_workspace(tmp_path), state=tmp_path / "state")
    steps = moves(engine)
    version = engine.proposals.propose(json.dumps({"title": "T", "steps": [write("a.txt", "a\n")]}).encode())
    engine.decisions.reject(version.plan_id, "Shorter.")
    version = engine.proposals.restore(version.plan_id, 1)
    engine.decisions.approve(version.plan_id, version.approval_hash)
    run = engine.runs.apply(version.plan_id)
    engine.runs.undo(run.record.run_id)
    engine.decisions.cancel(version.plan_id)
    assert [(each.event, each.state) for each in steps] == [
        (EventKind.PLAN_CREATED, PlanState.AWAITING_APPROVAL),
        (EventKind.REQUEST_REVISION, PlanState.DRAFTING),
        (EventKind.PLAN_UPDATED, PlanState.DRAFTING),
        (EventKind.FINISH_DRAFTING, PlanState.AWAITING_APPROVAL),
        (EventKind.APPROVE, PlanState.AWAITING_APPROVAL),
        (EventKind.EXECUTE_PLAN, PlanState.EXECUTING),
        (EventKind.PLAN_EXECUTED, PlanState.COMPLETED),
        (EventKind.RUN_UNDONE, PlanState.UNDONE),
        (EventKind.CANCEL, PlanState.CANCELLED),
    ]
    assert PlanAction.EXECUTE_ALL_OPERATIONS in steps[5].actions
    assert {PlanAction.SHOW_SUCCESS, PlanAction.NOTIFY_AI, PlanAction.CLEAR_STAGING} <= set(steps[6].actions)


@pytest.mark.req("S0-16", "S0-21")
def test_an_action_that_re_arms_the_approval_withdraws_it_before_the_step_is_stored(tmp_path: Path) -> None:
    engine = build_engine(a_workspace(tmp_path), state=tmp_path / "state")
    version = engine.proposals.propose(json.dumps({"title": "T", "steps": [write("a.txt", "a\n")]}).encode())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    assert _approvals(engine)
    seen: list[bool] = []
    engine.events.subscribe(lambda _: seen.append(any(_approvals(engine))))
    engine.decisions.cancel(version.plan_id)
    assert seen
    assert not any(seen)


def moves(engine: Engine) -> list[PlanMoved]:
    found: list[PlanMoved] = []

    def hear(event: TandemEvent) -> None:
        if isinstance(event, PlanMoved):
            found.append(event)

    engine.events.subscribe(hear)
    return found


def _approvals(engine: Engine) -> list[Path]:
    return [each for each in engine.locations.approvals.rglob("*.json") if each.is_file()]
