"""What was on screen is there again: after a restart, after a crash, beside another window."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan_states import PlanStatus
from tests.ui.window.driver import Person

Open = Callable[[], Person]


@pytest.fixture
def open_window(
    qtbot: QtBot, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], Person]]:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    opened: list[Person] = []

    def make() -> Person:
        opened.append(Person(qtbot, workspace, tmp_path / f"window-{len(opened)}.ini"))
        return opened[-1]

    yield make
    for person in opened:
        if person.window.controller is not None:
            person.leave()


def a_plan(person: Person, words: str = "/replace Hello Goodbye") -> None:
    person.ask(words)
    person.wait(lambda: person.status is PlanStatus.PROPOSED and bool(person.place.plans.plans))


def view_and_open(person: Person) -> None:
    person.place.panel.operations.list.setFocus()
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Space)
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Right)


def test_draft_marks_and_opened_rows_come_back_and_the_plan_still_waits(open_window: Open) -> None:
    first = open_window()
    a_plan(first)
    view_and_open(first)
    first.click("composer-text")
    first.type("and then also")
    model = first.place.panel.model
    before = (model.viewed, model.expanded)
    assert all(before)
    first.leave()
    again = open_window()
    again.wait(lambda: again.status is PlanStatus.PROPOSED)
    model = again.place.panel.model
    assert (model.viewed, model.expanded) == before
    assert again.place.chat.composer.text == "and then also"
    again.wait(lambda: again.sees("plan-card-view") and again.sees("plan-action-approve"))


def test_crash_loses_nothing_that_was_on_screen_for_a_moment(open_window: Open) -> None:
    first = open_window()
    a_plan(first)
    first.click("composer-text")
    first.type("half a thou")
    state = first.place.state
    first.wait(lambda: "half a thou" in str(state.get("drafts")))
    state.close()  # as the end of the process would; nobody says goodbye
    again = open_window()
    again.wait(lambda: again.status is PlanStatus.PROPOSED)
    assert again.place.chat.composer.text == "half a thou"


def test_each_conversation_keeps_its_own_draft(open_window: Open) -> None:
    person = open_window()
    a_plan(person)
    person.click("composer-text")
    person.type("for the plan")
    person.click("new-plan")
    assert person.place.chat.composer.text == ""
    person.type("for a new one")
    person.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    person.wait(lambda: person.place.chat.composer.text == "for the plan")
    person.click("new-plan")
    assert person.place.chat.composer.text == "for a new one"


def test_two_windows_on_one_workspace_see_each_others_plans_and_keep_their_own_drafts(open_window: Open) -> None:
    first, second = open_window(), open_window()
    first.place.chat.composer.edit.setFocus()
    first.type("mine")
    second.click("composer-text")
    a_plan(second)
    second.type("yours")
    first.wait(lambda: [plan.title for plan in first.place.plans.plans] == ["/replace Hello Goodbye"])
    assert first.place.chat.composer.text == "mine"
    assert first.place.session_id != second.place.session_id
    first.leave()
    second.leave()
    texts = {open_window().place.chat.composer.text for _ in range(2)}
    assert texts == {"mine", "yours"}
