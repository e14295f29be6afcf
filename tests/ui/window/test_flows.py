"""The basic flow, the revision flow and the cancel flow, over a real workspace, engine and agent."""

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan import PlanStatus
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person


def keep_picture(person: Person, name: str) -> None:
    if folder := os.environ.get("TANDEM_PICTURES"):
        person.picture(Path(folder) / f"{name}.png")


@pytest.mark.req("S0-72")
def test_plan_is_made_reviewed_implemented_and_undone_with_the_mouse(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.click("segmented-mode-plan")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    assert window.operations == ["README.md", "app.py"]
    assert walk(workspace) == before
    keep_picture(window, "reviewing")
    window.click("plan-action-execute_plan")
    window.wait(lambda: window.sees("approval-implement"))
    keep_picture(window, "approval-sheet")
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    keep_picture(window, "completed")
    assert (workspace / "README.md").read_text() == "# Goodbye\n\nSay Goodbye.\n"
    window.press(Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    window.wait(lambda: window.sees("undo-confirm"))
    keep_picture(window, "undo-sheet")
    window.click("undo-confirm")
    window.wait(lambda: (workspace / "README.md").read_text() == "# Hello\n\nSay Hello.\n")
    assert walk(workspace) == before
    keep_picture(window, "undone")


@pytest.mark.req("S0-73")
def test_plan_sent_back_comes_again_as_the_next_revision(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.click("segmented-mode-plan")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.click("plan-action-request_revision")
    window.wait(lambda: window.sees("rework-feedback"))
    window.click("rework-feedback")
    window.type("/replace Goodbye Farewell")
    window.click("rework-send")
    window.wait(lambda: not window.place.is_working)
    window.wait(lambda: window.status is PlanStatus.PROPOSED and window.revision >= 2)
    keep_picture(window, "revised")
    assert walk(workspace) == before


@pytest.mark.req("S0-74")
def test_cancelled_plan_leaves_nothing_and_a_new_one_can_begin(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.click("segmented-mode-plan")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.click("plan-action-cancel")
    window.wait(lambda: window.sees("confirm-sure"))
    window.click("confirm-sure")
    window.wait(lambda: window.status is PlanStatus.CANCELLED)
    assert walk(workspace) == before
    window.click("new-plan")
    window.ask("/replace Say Tell")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    assert window.operations == ["README.md"]


def test_whole_flow_works_without_a_mouse(window: Person, workspace: Path) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    shift = Qt.KeyboardModifier.ShiftModifier
    window.type_into_composer("/plan")
    window.wait(lambda: window.place.plan_mode)
    window.type_into_composer("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED and not window.place.is_working)
    window.press(Qt.Key.Key_I, control | shift)
    window.wait(lambda: window.sees("approval-implement"))
    window.tab_to("approval-implement")
    window.press(Qt.Key.Key_Space)
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    assert "Goodbye" in (workspace / "README.md").read_text()


def test_conversation_and_plan_are_there_again_after_a_restart(
    window: Person, qtbot: QtBot, workspace: Path, tmp_path: Path
) -> None:
    window.click("segmented-mode-plan")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    said = [entry.text for entry in window.place.workroom.entries(window.place.session_id)]
    window.leave()
    again = Person(qtbot, workspace, tmp_path / "window.ini")
    again.wait(lambda: again.status is PlanStatus.PROPOSED)
    assert [entry.text for entry in again.place.workroom.entries(again.place.session_id)] == said
    assert again.place.plan_mode
    again.leave()
