"""The basic flow, the revision flow and the cancel flow, over a real workspace, engine and agent."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan import PlanStatus
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "app.py").write_text('def greet(name):\n    return "Hello " + name\n')
    (folder / "README.md").write_text("# Hello\n\nSay Hello.\n")
    return folder


@pytest.fixture
def person(qtbot: QtBot, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    found = Person(qtbot, workspace, tmp_path / "window.ini")
    yield found
    found.leave()


def keep_picture(person: Person, name: str) -> None:
    if folder := os.environ.get("TANDEM_PICTURES"):
        person.picture(Path(folder) / f"{name}.png")


@pytest.mark.req("S0-72")
def test_plan_is_made_reviewed_implemented_and_undone_with_the_mouse(person: Person, workspace: Path) -> None:
    before = walk(workspace)
    person.click("segmented-mode-plan")
    person.ask("/replace Hello Goodbye")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    assert person.operations == ["README.md", "app.py"]
    assert walk(workspace) == before
    keep_picture(person, "reviewing")
    person.click("plan-action-execute_plan")
    person.wait(lambda: person.sees("approval-implement"))
    keep_picture(person, "approval-sheet")
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    keep_picture(person, "completed")
    assert (workspace / "README.md").read_text() == "# Goodbye\n\nSay Goodbye.\n"
    person.press(Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    person.wait(lambda: person.sees("undo-confirm"))
    keep_picture(person, "undo-sheet")
    person.click("undo-confirm")
    person.wait(lambda: (workspace / "README.md").read_text() == "# Hello\n\nSay Hello.\n")
    assert walk(workspace) == before
    keep_picture(person, "undone")


@pytest.mark.req("S0-73")
def test_plan_sent_back_comes_again_as_the_next_revision(person: Person, workspace: Path) -> None:
    before = walk(workspace)
    person.click("segmented-mode-plan")
    person.ask("/replace Hello Goodbye")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    person.click("plan-action-request_revision")
    person.wait(lambda: person.sees("rework-feedback"))
    person.click("rework-feedback")
    person.type("/replace Goodbye Farewell")
    person.click("rework-send")
    person.wait(lambda: not person.place.is_working)
    person.wait(lambda: person.status is PlanStatus.PROPOSED and person.revision >= 2)
    keep_picture(person, "revised")
    assert walk(workspace) == before


@pytest.mark.req("S0-74")
def test_cancelled_plan_leaves_nothing_and_a_new_one_can_begin(person: Person, workspace: Path) -> None:
    before = walk(workspace)
    person.click("segmented-mode-plan")
    person.ask("/replace Hello Goodbye")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    person.click("plan-action-cancel")
    person.wait(lambda: person.sees("confirm-sure"))
    person.click("confirm-sure")
    person.wait(lambda: person.status is PlanStatus.CANCELLED)
    assert walk(workspace) == before
    person.click("new-plan")
    person.ask("/replace Say Tell")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    assert person.operations == ["README.md"]


def test_whole_flow_works_without_a_mouse(person: Person, workspace: Path) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    shift = Qt.KeyboardModifier.ShiftModifier
    person.type_into_composer("/plan")
    person.wait(lambda: person.place.plan_mode)
    person.type_into_composer("/replace Hello Goodbye")
    person.wait(lambda: person.status is PlanStatus.PROPOSED and not person.place.is_working)
    person.press(Qt.Key.Key_I, control | shift)
    person.wait(lambda: person.sees("approval-implement"))
    person.tab_to("approval-implement")
    person.press(Qt.Key.Key_Space)
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    assert "Goodbye" in (workspace / "README.md").read_text()


def test_conversation_and_plan_are_there_again_after_a_restart(
    person: Person, qtbot: QtBot, workspace: Path, tmp_path: Path
) -> None:
    person.click("segmented-mode-plan")
    person.ask("/replace Hello Goodbye")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    said = [entry.text for entry in person.place.workroom.entries(person.place.session_id)]
    person.leave()
    again = Person(qtbot, workspace, tmp_path / "window.ini")
    again.wait(lambda: again.status is PlanStatus.PROPOSED)
    assert [entry.text for entry in again.place.workroom.entries(again.place.session_id)] == said
    assert again.place.plan_mode
    again.leave()
