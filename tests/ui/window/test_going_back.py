"""A person goes back to one of their messages: files, conversation or both, with a look at it first."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.chat.entries import PersonBubble
from tests.ui.window.driver import Person

BEFORE = "# Hello\n\nSay Hello.\n"


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody whose plan was carried out."""
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    window.wait(lambda: "Goodbye" in (window.workspace / "README.md").read_text())
    return window


def look_back(person: Person) -> None:
    """Point at the first message and press the button that appears beside it."""
    bubble = next(each for each in person.window.findChildren(PersonBubble) if each.isVisible())
    centre = QPointF(bubble.rect().center())
    QApplication.sendEvent(bubble, QEnterEvent(centre, centre, QPointF(bubble.mapToGlobal(centre))))
    person.click("message-back")
    person.wait(lambda: person.sees("back-stay"))


def shown(person: Person) -> list[str]:
    return [row.words() for row in person.place.chat.model.rows]


def test_both_undoes_the_runs_and_folds_what_was_said_since(person: Person, workspace: Path) -> None:
    said = len(shown(person))
    look_back(person)
    sheet = person.place.panel.sheets.back
    assert "1 run will be undone, with 2 paths" in sheet.files.text()
    assert "README.md" in sheet.files.text()
    person.click("back-go")
    person.wait(lambda: (workspace / "README.md").read_text() == BEFORE)
    person.wait(lambda: any(words.endswith("entries set aside") for words in shown(person)))
    assert shown(person)[0] == "You: /replace Hello Goodbye"
    assert len(shown(person)) < said
    person.click("set-aside-fold")
    person.wait(lambda: person.find("set-aside").height() > 40)


def test_conversation_only_leaves_the_files(person: Person, workspace: Path) -> None:
    look_back(person)
    person.click("segmented-go-back-chat")
    assert person.place.panel.sheets.back.files.text() == "The files stay as they are."
    person.click("back-go")
    person.wait(lambda: any("set aside" in words for words in shown(person)))
    assert "Goodbye" in (workspace / "README.md").read_text()


def test_files_only_leaves_the_conversation_and_is_reached_by_the_palette(person: Person, workspace: Path) -> None:
    person.command("go back to your")
    person.wait(lambda: person.sees("back-stay"))
    person.click("segmented-go-back-files")
    person.click("back-go")
    person.wait(lambda: (workspace / "README.md").read_text() == BEFORE)
    assert not any("set aside" in words for words in shown(person))


def test_edit_in_the_way_is_named_and_nothing_goes_back(person: Person, workspace: Path) -> None:
    (workspace / "README.md").write_text("# Goodbye, all\n\nSay nothing.\n")
    look_back(person)
    sheet = person.place.panel.sheets.back
    assert "README.md" in sheet.files.text()
    assert "cannot go back" in sheet.files.text()
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert "all" in (workspace / "README.md").read_text()
