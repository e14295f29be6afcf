"""What a person does with a plan besides implementing it: take parts out, look back, compare, change their mind."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.settings_io import SETTINGS_FILE, config_directory, load_settings
from tests.ui.window.conftest import REPLACE
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody with a plan to review."""
    window.ask(REPLACE)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    return window


def test_dropped_operation_waits_beside_the_revision_and_implementing_saves_it_as_the_next(
    person: Person, workspace: Path
) -> None:
    first = person.place.panel.page
    assert first is not None
    person.place.panel.operations.list.setFocus()
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_X)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    page = person.place.panel.page
    assert page is not None
    assert page.draft is not None
    assert person.revision == 1
    assert page.draft.digest not in ("", first.digest)
    assert "Goodbye" not in (workspace / "README.md").read_text()
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-implement"))
    saved = person.place.panel.page
    assert saved is not None
    assert (saved.version.revision, saved.version.origin) == (2, Origin.PERSON)
    assert saved.digest == page.draft.digest
    left = person.operations
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    written = [name for name in ("README.md", "app.py") if "Goodbye" in (workspace / name).read_text()]
    assert written == left
    assert len(left) == 1


def test_choices_are_there_again_after_a_restart_and_can_all_be_taken_back(
    person: Person, qtbot: QtBot, workspace: Path, tmp_path: Path
) -> None:
    person.place.panel.operations.list.setFocus()
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_X)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    person.leave()
    again = Person(qtbot, workspace, tmp_path / "window.ini")
    again.wait(lambda: bool(again.place.panel.page and again.place.panel.page.draft))
    again.click("banner-keep-all")
    again.wait(lambda: bool(again.place.panel.page and not again.place.panel.page.draft))
    assert again.revision == 1
    again.leave()


def test_file_changed_on_disk_is_told_by_itself_and_keeps_the_plan_from_being_implemented(
    person: Person, workspace: Path
) -> None:
    assert person.sees("plan-action-approve")
    (workspace / "README.md").write_text("# Hello\n\nMine.\n")
    person.wait(lambda: person.sees("banner-rebase"))
    assert not person.sees("plan-action-approve")
    assert "1 file drifted" in person.find("status-drift").property("text")
    (workspace / "README.md").write_text("# Hello\n\nSay Hello.\n")
    person.wait(lambda: person.sees("plan-action-approve"))
    assert not person.sees("status-drift")


def test_palette_finds_an_action_by_a_few_letters(person: Person) -> None:
    person.press(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    person.wait(lambda: person.sees("palette-search"))
    person.type("newpl")
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: person.place.panel.page is None)
    assert not person.sees("command-palette")


def test_zoom_and_theme_change_by_key_and_are_remembered(person: Person) -> None:
    zoom = person.theme.zoom
    person.press(Qt.Key.Key_Equal, Qt.KeyboardModifier.ControlModifier)
    assert person.theme.zoom > zoom
    person.click("icon-button-theme")
    assert person.theme.name != "dark"
    assert load_settings(config_directory() / SETTINGS_FILE).settings.theme == person.theme.name
