"""Checks in the window: nothing of a list runs that is not the one on screen."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.command_line import CommandLine, write
from tests.ui.window.driver import Person


def test_a_list_that_changes_between_drawing_and_the_click_is_shown_anew_and_not_accepted(
    workspace: Path, capsys: pytest.CaptureFixture[str], open_window: Callable[..., Person]
) -> None:
    CommandLine(workspace, capsys).propose(write("new.txt", "new\n"))
    listed = workspace / ".tandem" / "checks.toml"
    listed.write_text('[[check]]\nname = "tests"\ncommand = "true"\n')
    person = open_window()
    person.wait(lambda: bool(person.place.plans.plans))
    person.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    person.wait(lambda: person.sees("banner-show-commands"))
    person.click("banner-show-commands")
    person.wait(lambda: person.sees("checks-commands"))
    assert person.find("checks-commands").toPlainText() == "$ true"  # type: ignore[attr-defined]
    person.wait(lambda: person.sees("banner-accept-checks"))
    listed.write_text('[[check]]\nname = "tests"\ncommand = "touch evil"\n')
    person.click("banner-accept-checks")
    person.wait(lambda: person.sees("checks-commands"))
    assert person.find("checks-commands").toPlainText() == "$ touch evil"  # type: ignore[attr-defined]
    assert not person.place.background.engine.checks.offered().is_accepted
    assert not (workspace / "evil").exists()
