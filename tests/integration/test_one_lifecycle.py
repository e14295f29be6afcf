"""The one state machine moves every plan: each stored status is one that the table led to."""

import asyncio
import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.api.approvals import Approvals
from tandem_desktop.api.plans import PlanQueries
from tandem_desktop.api.schema import ApprovalRequest
from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.events import PlanMoved, TandemEvent
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.state_machine import PlanStateMachine
from tests.support.command_line import CommandLine, a_workspace, write

MOVED = re.compile(r"plan (\S+): (\w+), state \w+, status (\w+)")


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


@pytest.fixture
def steps(caplog: pytest.LogCaptureFixture) -> Callable[[str], list[str]]:
    """The statuses to which the machine has led a plan."""
    caplog.set_level(logging.INFO, "tandem_desktop.services.lifecycle_actions")

    def found(plan_id: str) -> list[str]:
        told = (MOVED.search(record.getMessage()) for record in caplog.records)
        return [each[3] for each in told if each is not None and each[1] == plan_id]

    return found


@pytest.mark.req("S0-95")
def test_every_call_that_moves_a_plan_goes_through_the_machine(
    tandem: CommandLine, steps: Callable[[str], list[str]]
) -> None:
    plan_id = tandem.propose(write("a.txt", "a\n"))["plan_id"]

    def status() -> str:
        return str(tandem.answer("show", plan_id)["plan"]["status"])

    seen = [status()]
    tandem.answer("reject", plan_id, "--feedback", "Another name")
    seen.append(status())
    tandem.answer("restore", plan_id, "1")
    seen.append(status())
    tandem.approve(plan_id)
    seen.append(status())
    run = tandem.answer("apply", plan_id)["run_id"]
    seen.append(status())
    tandem.answer("undo", run)
    seen.append(status())
    tandem.answer("cancel", plan_id)
    seen.append(status())
    assert seen == ["proposed", "rejected", "proposed", "approved", "completed", "undone", "cancelled"]
    led = iter(steps(plan_id))
    assert all(each in led for each in seen)


@pytest.mark.req("S0-95")
def test_a_decision_over_the_api_goes_through_the_machine(tandem: CommandLine) -> None:
    proposed = tandem.propose(write("a.txt", "a\n"))
    engine = build_engine(tandem.workspace)
    told: list[TandemEvent] = []
    engine.events.subscribe(told.append)
    plan_id = PlanId(proposed["plan_id"])
    meta = engine.plans.meta(plan_id)

    async def decide() -> None:
        asked = ApprovalRequest(session_id=meta.session_id, plan_id=plan_id, approved=True, digest=proposed["digest"])
        async for _ in await Approvals(engine, PlanQueries(engine)).decide(asked):
            pass

    asyncio.run(decide())
    engine.close()
    moved = [event.status for event in told if isinstance(event, PlanMoved) and event.plan_id == plan_id]
    assert moved == [PlanStatus.APPROVED, PlanStatus.EXECUTING, PlanStatus.COMPLETED]
    stored = engine.plans.meta(plan_id)
    assert PlanStateMachine.restore(stored).status is stored.status is PlanStatus.COMPLETED
