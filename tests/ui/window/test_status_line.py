"""The status line says what is on disk of the plan on screen, and nothing of another one."""

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt

from tandem_desktop.domain.plan_states import PlanStatus
from tests.ui.window.conftest import REPLACE
from tests.ui.window.driver import Person

CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def said(person: Person) -> str:
    return str(person.find("status-disk").property("text"))


def test_status_line_follows_the_plan_on_screen_through_run_restart_and_undo(
    open_window: Callable[..., Person], workspace: Path
) -> None:
    person = open_window()
    assert said(person) == ""
    person.ask("/replace Hello Goodbye")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    assert said(person) == "Nothing of this plan is on disk"
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")
    person.wait(lambda: said(person) == "This plan is on disk")
    person.press(Qt.Key.Key_N, CONTROL)
    assert said(person) == "", "nothing is said of the plan that was left"
    assert person.find("status-encoding").property("text") == "", "nor of its files"
    person.press(Qt.Key.Key_1, CONTROL)
    person.wait(lambda: said(person) == "This plan is on disk")
    person.leave()
    again = open_window()
    again.wait(lambda: said(again) == "This plan is on disk")
    again.press(Qt.Key.Key_U, CONTROL | ALT)
    again.wait(lambda: again.sees("undo-confirm"))
    again.click("undo-confirm")
    again.wait(lambda: said(again) == "Undone: nothing of this plan is on disk")
    shutil.rmtree(workspace)
    again.wait(lambda: said(again) == f"This folder is gone: {workspace}")


def test_in_a_folder_that_is_gone_no_message_is_lost_and_nothing_can_be_approved_until_it_is_back(
    open_window: Callable[..., Person], workspace: Path, tmp_path: Path, quick_agent: None
) -> None:
    person = open_window()
    person.ask(REPLACE)
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    listed = [row.title for row in person.place.plans.entries]
    workspace.rename(tmp_path / "away")
    person.wait(lambda: said(person) == f"This folder is gone: {workspace}")
    assert person.place.panel.refusal == said(person)
    person.press(Qt.Key.Key_I, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert not person.sees("approval-implement")
    person.ask("One more thing")
    assert person.place.chat.composer.text == "One more thing"
    assert [row.title for row in person.place.plans.entries] == listed
    (tmp_path / "away").rename(workspace)
    person.wait(lambda: not person.place.panel.refusal)
    person.press(Qt.Key.Key_I, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    person.wait(lambda: person.sees("approval-implement"))
