"""A person edits what is proposed: their version is shown, kept, written, or taken back for the agent's."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.models.operations import OperationRow, spoken
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "notes.txt").write_bytes(b"Hello\r\nsecond\r\nthird\n")
    (folder / "other.txt").write_text("Hello\n")
    return folder


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody with a plan, and the keyboard on the operation that changes the notes."""
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    listed = window.place.panel.operations.list
    listed.setFocus()
    listed.go_to(row(window).operation.id, open_it=True)
    window.wait(lambda: bool(window.reads()))
    return window


def row(person: Person) -> OperationRow:
    return person.place.panel.model.row(person.operations.index("notes.txt"))


def edit(person: Person, words: str) -> None:
    """Put words before the first line and save."""
    person.press(Qt.Key.Key_E)
    person.wait(lambda: person.focus().objectName() == "edit-file")
    person.type(words)
    person.press(Qt.Key.Key_Return)
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(lambda: bool(row(person).part and row(person).part.edited))  # type: ignore[union-attr]
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))


def shown(person: Person) -> str:
    person.wait(lambda: any(view.diff.path == "notes.txt" and view.diff.hunks for view in diffs(person)))
    return next(view for view in diffs(person) if view.diff.path == "notes.txt").diff.new.text


def diffs(person: Person) -> list[DiffView]:
    return [view for view in person.window.findChildren(DiffView) if view.isVisible()]


def test_own_version_is_shown_saved_as_the_persons_revision_and_written_with_every_other_byte_as_it_was(
    person: Person, workspace: Path
) -> None:
    edit(person, "mine")
    person.wait(lambda: shown(person).startswith("mine"))
    assert "edited by you" in spoken(row(person))
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-implement"))
    page = person.place.panel.page
    assert page is not None
    assert (page.version.revision, page.version.origin) == (2, Origin.PERSON)
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    assert (workspace / "notes.txt").read_bytes() == b"mine\r\nGoodbye\r\nsecond\r\nthird\n"


def test_agents_version_is_taken_again_from_the_menu(person: Person) -> None:
    edit(person, "mine")
    menu = person.place.panel.operations.list.menu()
    assert isinstance(menu, QMenu)
    next(each for each in menu.actions() if each.text() == "Keep the agent's version").trigger()
    person.wait(lambda: bool(person.place.panel.page and not person.place.panel.page.draft))
    person.wait(lambda: shown(person).startswith("Goodbye"))


def test_what_was_typed_is_not_lost_by_one_key(person: Person) -> None:
    person.press(Qt.Key.Key_E)
    person.wait(lambda: person.focus().objectName() == "edit-file")
    person.type("mine")
    person.press(Qt.Key.Key_Escape)
    assert person.sees("edit-back")
    assert "not saved" in person.place.panel.sheets.edit.refusal.text()
    person.press(Qt.Key.Key_Escape)
    person.wait(lambda: not person.sees("edit-sheet"))
    page = person.place.panel.page
    assert page is not None
    assert page.draft is None
