"""What a person does with a plan besides implementing it: take parts out, look back, compare, change their mind."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tandem_desktop.domain.plan import Origin, PlanStatus
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody with a plan to review."""
    window.click("segmented-mode-plan")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    return window


def test_operation_taken_out_makes_a_revision_of_the_persons_own(person: Person, workspace: Path) -> None:
    before = walk(workspace)
    digest = person.place.panel.page.digest if person.place.panel.page else ""
    person.place.panel.operations.list.setFocus()
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_X)
    person.wait(lambda: person.revision == 2)
    page = person.place.panel.page
    assert page is not None
    assert page.version.origin is Origin.PERSON
    assert page.digest != digest
    assert len(person.operations) == 1
    assert walk(workspace) == before


def test_file_changed_meanwhile_keeps_the_plan_from_being_implemented(person: Person, workspace: Path) -> None:
    (workspace / "README.md").write_text("# Hello\n\nMine.\n")
    plan = person.place.panel.page
    assert plan is not None
    person.place.open_plan(plan.version.plan_id)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.drifted))
    assert not person.sees("plan-action-execute_plan")
    assert (workspace / "README.md").read_text() == "# Hello\n\nMine.\n"


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
    assert person.window._settings.value("theme") == person.theme.name
