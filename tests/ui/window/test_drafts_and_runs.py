"""What a person sees and can stop while an agent drafts and while a plan runs."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from tandem_desktop.app.main import main
from tandem_desktop.domain.plan_states import PlanState, PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path
from tests.support.command_line import bash, write
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A file that a command of the plan waits for."""
    return tmp_path / "gate"


@pytest.fixture
def person(open_window: Callable[..., Person], workspace: Path, gate: Path, tmp_path: Path) -> Iterator[Person]:
    """Somebody who opens a window on a plan of three: a file, a command that waits, a file."""
    waits = bash(f"while [ ! -e {gate} ]; do sleep 0.02; done")
    steps = [write("one.txt", "1\n"), waits, write("two.txt", "2\n")]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"title": "Two files and a wait", "steps": steps}))
    assert main(["-C", str(workspace), "propose", str(plan), "--json"]) == 0
    found = open_window()
    found.wait(lambda: bool(found.place.plans.plans))
    found.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    found.wait(lambda: found.status is PlanStatus.PROPOSED)
    yield found
    gate.touch()


def implement(person: Person) -> None:
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-back"))
    for box in (each for each in person.window.findChildren(QCheckBox) if each.isVisible()):
        person.click(box.objectName())
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")


def is_running(person: Person) -> bool:
    return ResultStatus.RUNNING in person.progress


def test_run_tells_where_it_is_and_waits_when_it_is_paused(person: Person, workspace: Path, gate: Path) -> None:
    implement(person)
    person.wait(lambda: is_running(person))
    assert person.state is PlanState.EXECUTING
    person.click("plan-pause")
    gate.touch()
    person.wait(lambda: person.stored_status is PlanStatus.PAUSED)
    assert not (workspace / "two.txt").exists()
    person.wait(lambda: person.find("plan-pause").text() == "Go on")
    assert person.state is PlanState.PAUSED
    person.click("plan-pause")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    assert (workspace / "two.txt").read_text() == "2\n"


@pytest.mark.req("S0-74")
def test_run_that_is_cancelled_leaves_the_files_as_before(person: Person, workspace: Path) -> None:
    before = walk(workspace)
    implement(person)
    person.wait(lambda: is_running(person))
    person.click("plan-stop")
    person.wait(lambda: person.state is PlanState.CANCELLED)
    assert walk(workspace) == before


def drafts(workspace: Path, *last: dict[str, Any]) -> dict[str, Any]:
    """An agent that writes two files, tells of both, and then does what is last."""
    steps = Steps(workspace)
    done = [
        step
        for number, name in enumerate(("one.txt", "two.txt"))
        for step in (
            steps.ask_to_write(f"call-{number}", name, "text\n"),
            steps.write(name, "text\n"),
            steps.ended(f"call-{number}"),
        )
    ]
    return {"turns": [[*done, *last]]}


@pytest.mark.req("S0-33", "S0-74")
def test_draft_is_seen_as_it_grows_and_is_gone_when_it_is_cancelled(
    open_window: Callable[..., Person], workspace: Path, programs: Path
) -> None:
    before = walk(workspace)
    put_on_path(programs, "opencode", drafts(workspace, {"do": "await_cancel"}))
    window = open_window("opencode")
    window.click("composer-text")
    window.type("Two files ")
    window.click("composer-send")
    window.wait(lambda: window.drafted == ["one.txt", "two.txt"])
    assert window.state is PlanState.DRAFTING
    window.click("plan-action-cancel")
    window.wait(lambda: window.sees("confirm-sure"))
    window.click("confirm-sure")
    window.wait(lambda: window.state is PlanState.IDLE and not window.place.turns.is_any)
    assert window.drafted == []
    assert walk(workspace) == before


@pytest.mark.req("S0-34", "S0-71")
def test_in_immediate_mode_a_card_asks_and_only_what_is_allowed_reaches_the_disk(
    open_window: Callable[..., Person], workspace: Path, programs: Path
) -> None:
    before = walk(workspace)
    put_on_path(programs, "opencode", drafts(workspace))
    window = open_window("opencode")
    window.click("segmented-mode-immediate")
    window.click("composer-text")
    window.type("Two files ")
    window.click("composer-send")
    window.wait(lambda: window.sees("permission-allow"))
    assert walk(workspace) == before
    window.click("permission-allow")
    window.wait(lambda: (workspace / "one.txt").exists())
    window.wait(lambda: window.sees("permission-skip"))
    window.click("permission-skip")
    window.wait(lambda: not window.place.turns.is_any)
    assert (workspace / "one.txt").read_text() == "text\n"
    assert not (workspace / "two.txt").exists()
