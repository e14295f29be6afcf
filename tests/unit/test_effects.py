"""A choice in the settings changes what the engine does."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import ApprovalError
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.services.engine import Engine
from tandem_desktop.settings import Settings
from tandem_desktop.storage import syscalls
from tests.support.clocks import Clock

MIB = 1024**2


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine_with(memory_path: Path, clock: Clock) -> Iterator[Callable[..., Engine]]:
    root = memory_path / "project"
    root.mkdir()
    made: list[Engine] = []

    def build(**chosen: object) -> Engine:
        settings = Settings.model_validate(chosen)
        made.append(build_engine(root, state=memory_path / "state", clock=clock, settings=settings))
        return made[-1]

    yield build
    for each in made:
        each.close()


def approved(engine: Engine, tool: str, **args: object) -> str:
    plan = {"title": "A plan", "steps": [{"description": "?", "tool": tool, "args": args}]}
    version = engine.proposals.propose(json.dumps(plan).encode())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    return version.plan_id


@pytest.mark.setting("approval_hours")
@pytest.mark.parametrize(("hours", "holds"), [(2, False), (4, True)])
def test_an_approval_can_be_used_as_long_as_the_settings_say(
    engine_with: Callable[..., Engine], clock: Clock, hours: int, holds: bool
) -> None:
    engine = engine_with(approval_hours=hours)
    plan_id = approved(engine, "write", path="a.txt", content="a\n")
    clock.forward(hours=3)
    if holds:
        assert engine.runs.apply(plan_id).record.status is RunStatus.COMPLETED
    else:
        with pytest.raises(ApprovalError):
            engine.runs.apply(plan_id)


@pytest.mark.setting("executor_timeout_minutes")
@pytest.mark.parametrize(("minutes", "status"), [(5, PlanStatus.STALLED), (20, PlanStatus.EXECUTING)])
def test_a_run_that_was_cut_off_counts_as_stalled_after_the_minutes_of_the_settings(
    engine_with: Callable[..., Engine], clock: Clock, minutes: int, status: PlanStatus
) -> None:
    engine = engine_with(executor_timeout_minutes=minutes)
    plan_id = approved(engine, "write", path="a.txt", content="a\n")

    def cut(call: str, what: str) -> None:
        if what == "a.txt":
            raise KeyboardInterrupt

    with syscalls.gated(cut), pytest.raises(KeyboardInterrupt):
        engine.runs.apply(plan_id)
    clock.forward(minutes=10)
    later = engine_with(executor_timeout_minutes=minutes)
    assert later.runs.interrupted()
    assert later.plans.meta(plan_id).status is status


@pytest.mark.setting("command_budget_bytes")
@pytest.mark.parametrize(("budget", "status"), [(MIB, RunStatus.FAILED), (4 * MIB, RunStatus.COMPLETED)])
def test_a_command_may_write_as_much_as_the_settings_say(
    engine_with: Callable[..., Engine], budget: int, status: RunStatus
) -> None:
    engine = engine_with(command_budget_bytes=budget)
    plan_id = approved(engine, "bash", command="head -c 2000000 /dev/zero > big")
    assert engine.runs.apply(plan_id).record.status is status
