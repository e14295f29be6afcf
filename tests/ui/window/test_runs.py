"""While a plan runs the window shows how far it is, what a command prints, and obeys Pause and Stop."""

import json
from pathlib import Path

import pytest

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")

WAIT = "echo ready; while [ ! -e ../go ]; do sleep 0.05; done"


@pytest.fixture
def running(window: Person, workspace: Path) -> Person:
    """Somebody who has just implemented a plan whose command waits for a file beside the workspace."""
    steps = [
        {"id": "s1", "description": "new", "tool": "write", "args": {"path": "new.txt", "content": "new\n"}},
        {"id": "s2", "description": "wait", "tool": "bash", "args": {"command": f"cd {workspace}; {WAIT}"}},
        {"id": "s3", "description": "more", "tool": "write", "args": {"path": "more.txt", "content": "more\n"}},
    ]
    engine = window.place.background.engine
    version = engine.proposals.propose(json.dumps({"title": "Wait", "steps": steps}).encode())
    window.place.open_plan(version.plan_id)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.click("plan-action-approve")
    window.wait(lambda: window.find("approval-sheet").isVisible())
    window.click("acknowledge-s2")
    window.click("approval-implement")
    model = window.place.panel.model
    window.wait(lambda: any(each.output for each in model.results if each.status is ResultStatus.RUNNING))
    return window


def test_what_a_command_prints_is_shown_while_it_runs(running: Person, workspace: Path) -> None:
    panel = running.place.panel
    results = {each.id: each for each in panel.model.results}
    assert results["s1"].status is ResultStatus.COMPLETED
    assert (results["s2"].status, results["s2"].output) == (ResultStatus.RUNNING, "ready\n")
    assert panel.header.badge.text() == "Executing"
    assert panel.tabs.current == "runs"
    (workspace.parent / "go").touch()
    running.wait(lambda: running.status is PlanStatus.COMPLETED)
    assert panel.tabs.current == "operations"
    assert (workspace / "more.txt").read_text() == "more\n"


def test_paused_run_goes_no_further_until_it_is_told_to(running: Person, workspace: Path) -> None:
    panel = running.place.panel
    running.click("plan-pause")
    (workspace.parent / "go").touch()
    running.wait(lambda: panel.header.badge.text() == "Paused")
    assert not (workspace / "more.txt").exists()
    running.click("plan-pause")
    running.wait(lambda: running.status is PlanStatus.COMPLETED)
    assert (workspace / "more.txt").exists()


def test_stopped_run_is_rolled_back_and_says_so(running: Person, workspace: Path) -> None:
    running.click("plan-stop")
    running.wait(lambda: running.status in (PlanStatus.CANCELLED, PlanStatus.FAILED))
    assert not (workspace / "new.txt").exists()
    assert not (workspace / "more.txt").exists()
