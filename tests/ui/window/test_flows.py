"""The basic flow, the revision flow and the cancel flow, each with the mouse and each without it."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan_states import PlanState, PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
README = "# Goodbye\n\nSay Goodbye.\n"


def is_reviewing(person: Person) -> bool:
    return person.status is PlanStatus.PROPOSED and not person.place.turns.is_any


def results(person: Person) -> list[ResultStatus]:
    page = person.place.panel.page
    assert page is not None
    return [result.status for result in page.results]


@pytest.mark.req("S0-29", "S0-41", "S0-72", "S3-44")
def test_the_ten_steps_of_the_basic_flow_with_the_mouse(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    assert window.place.plan_mode
    window.click("composer-text")
    window.type("/replace Hello Goodbye ")
    window.click("composer-send")
    assert window.state is PlanState.DRAFTING
    window.wait(lambda: is_reviewing(window))
    assert window.operations == ["README.md", "app.py"]
    window.click_operation(0)
    window.wait(lambda: len(window.reads()) == 1)
    assert walk(workspace) == before
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    assert walk(workspace) == before
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    assert results(window) == [ResultStatus.COMPLETED] * 2
    assert (workspace / "README.md").read_text() == README
    assert window.states == [PlanState.DRAFTING, PlanState.REVIEWING, PlanState.EXECUTING, PlanState.COMPLETED]
    window.click("rating")
    window.wait(lambda: window.find("rating").accessibleName() == "Your rating: 3 of 5, good")
    window.click("new-plan")
    assert window.state is PlanState.IDLE
    window.click("composer-text")
    window.type("/replace Say Tell ")
    window.click("composer-send")
    assert window.state is PlanState.DRAFTING
    window.wait(lambda: is_reviewing(window))


@pytest.mark.req("S0-72", "S0-84")
def test_the_ten_steps_of_the_basic_flow_without_a_mouse(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.type_into_composer("/replace Hello Goodbye")
    assert window.state is PlanState.DRAFTING
    window.wait(lambda: is_reviewing(window))
    window.go_to("operation-list")
    window.press(Qt.Key.Key_Down)
    window.press(Qt.Key.Key_Right)
    window.wait(lambda: len(window.reads()) == 2)
    assert walk(workspace) == before
    window.press(Qt.Key.Key_Return, CONTROL)
    window.wait(lambda: window.sees("approval-implement"))
    assert walk(workspace) == before
    window.tab_to("approval-implement")
    window.press(Qt.Key.Key_Space)
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    assert results(window) == [ResultStatus.COMPLETED] * 2
    assert (workspace / "README.md").read_text() == README
    assert window.states == [PlanState.DRAFTING, PlanState.REVIEWING, PlanState.EXECUTING, PlanState.COMPLETED]
    window.press(Qt.Key.Key_N, CONTROL)
    assert window.state is PlanState.IDLE
    window.type_into_composer("/replace Say Tell")
    assert window.state is PlanState.DRAFTING
    window.wait(lambda: is_reviewing(window))


def test_run_is_taken_back_to_the_last_byte(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: is_reviewing(window))
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    assert walk(workspace) != before
    window.press(Qt.Key.Key_U, CONTROL | ALT)
    window.wait(lambda: window.sees("undo-confirm"))
    window.click("undo-confirm")
    window.wait(lambda: (workspace / "README.md").read_text() != README)
    window.wait(lambda: walk(workspace) == before)


@pytest.mark.req("S0-73")
def test_plan_sent_back_comes_again_as_the_next_revision_with_the_mouse(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: is_reviewing(window))
    assert (window.revision, window.state) == (1, PlanState.REVIEWING)
    window.click("plan-action-request_revision")
    window.wait(lambda: window.sees("rework-feedback"))
    window.click("rework-feedback")
    window.type("/replace Goodbye Farewell")
    window.click("rework-send")
    window.wait(lambda: window.revision == 2 and is_reviewing(window))
    assert window.states == [PlanState.DRAFTING, PlanState.REVIEWING, PlanState.DRAFTING, PlanState.REVIEWING]
    assert "Farewell" in window.proposed("README.md")
    assert walk(workspace) == before


@pytest.mark.req("S0-73")
def test_plan_sent_back_comes_again_as_the_next_revision_without_a_mouse(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.type_into_composer("/replace Hello Goodbye")
    window.wait(lambda: is_reviewing(window))
    window.press(Qt.Key.Key_R, CONTROL | SHIFT)
    window.wait(lambda: window.sees("rework-send"))
    window.press(Qt.Key.Key_Return, CONTROL)
    assert window.sees("rework-refusal")  # an empty one is refused
    window.type("/replace Goodbye Farewell")
    window.wait(lambda: window.sees("rework-send"))
    window.press(Qt.Key.Key_Return, CONTROL)
    window.wait(lambda: window.revision == 2 and is_reviewing(window))
    assert window.states == [PlanState.DRAFTING, PlanState.REVIEWING, PlanState.DRAFTING, PlanState.REVIEWING]
    assert "Farewell" in window.proposed("README.md")
    assert walk(workspace) == before


@pytest.mark.req("S0-43", "S0-74")
def test_cancelled_plan_leaves_nothing_and_a_new_one_can_begin_with_the_mouse(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: is_reviewing(window))
    window.click("plan-action-cancel")
    window.wait(lambda: window.sees("confirm-sure"))
    window.click("confirm-sure")
    window.wait(lambda: window.state is PlanState.CANCELLED)
    assert walk(workspace) == before
    window.ask("/replace Say Tell")
    window.wait(lambda: is_reviewing(window))
    assert window.operations == ["README.md"]
    assert "Hello" in window.proposed("README.md")


@pytest.mark.req("S0-74")
def test_cancelled_plan_leaves_nothing_and_a_new_one_can_begin_without_a_mouse(window: Person, workspace: Path) -> None:
    before = walk(workspace)
    window.type_into_composer("/replace Hello Goodbye")
    window.wait(lambda: is_reviewing(window))
    window.command("cancel the plan")
    window.wait(lambda: window.sees("confirm-sure"))
    window.tab_to("confirm-sure")
    window.press(Qt.Key.Key_Space)
    window.wait(lambda: window.state is PlanState.CANCELLED)
    assert walk(workspace) == before
    window.type_into_composer("/replace Say Tell")
    window.wait(lambda: is_reviewing(window))
    assert window.operations == ["README.md"]
    assert "Hello" in window.proposed("README.md")


def test_conversation_and_plan_are_there_again_after_a_restart(
    window: Person, qtbot: QtBot, workspace: Path, tmp_path: Path
) -> None:
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    said = [entry.text for entry in window.place.background.chat.entries(window.place.session_id)]
    window.leave()
    again = Person(qtbot, workspace, tmp_path / "window.ini")
    again.wait(lambda: again.status is PlanStatus.PROPOSED)
    assert [entry.text for entry in again.place.background.chat.entries(again.place.session_id)] == said
    assert again.place.plan_mode
    again.leave()
