from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QListView
from pytestqt.modeltest import ModelTester

from tandem_desktop.ui.keys import KEYS, PLAN, WINDOW
from tandem_desktop.ui.models.keys import KeysModel
from tests.ui.window.driver import Person


def test_no_key_of_the_window_does_two_things() -> None:
    keys = Counter(key for line in KEYS if line.group in (WINDOW, PLAN) for key in line.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def test_page_of_keys_is_searched_by_what_a_key_does_and_by_the_key(qtmodeltester: ModelTester) -> None:
    model = KeysModel()
    qtmodeltester.check(model)
    for words, expected in (("undo", "Undo the last run"), ("f7", "Next change"), ("zoom", "")):
        model.search(words)
        shown = [model.index(row).data() for row in range(model.rowCount())]
        assert any(expected in each for each in shown) if expected else shown == []


def test_keys_that_are_listed_for_the_window_are_the_ones_that_are_bound(window: Person) -> None:
    bound = {
        shortcut.toString()
        for action in window.window.findChildren(QAction)
        for shortcut in action.shortcuts()
        if action.objectName().startswith("action-")
    }
    listed = {QKeySequence(key).toString() for line in KEYS if line.group in (WINDOW, PLAN) for key in line.keys}
    numbered = {f"Ctrl+{number}" for number in range(1, 10)}
    assert bound == (listed - {""} - {QKeySequence("…").toString()}) | numbered


@pytest.mark.parametrize("key", [Qt.Key.Key_F1, Qt.Key.Key_Question])
def test_page_of_keys_opens_by_key_and_escape_leaves_it(window: Person, key: Qt.Key) -> None:
    window.window.top.theme_button.setFocus()
    window.press(key)
    window.wait(lambda: window.sees("keys-search"))
    window.type("undo last")
    listed = window.find("keys-list")
    assert isinstance(listed, QListView)
    assert listed.model().rowCount() == 2
    window.press(Qt.Key.Key_Escape)
    window.press(Qt.Key.Key_Escape)
    window.wait(lambda: not window.sees("keys-sheet"))


def test_question_mark_in_a_message_is_a_question_mark(window: Person) -> None:
    window.click("composer-text")
    window.type("why?")
    assert window.place.chat.composer.text == "why?"
    assert not window.sees("keys-sheet")


@pytest.mark.setting("single_letter_keys")
def test_setting_turns_single_letters_off_everywhere(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text("single_letter_keys = false\n")
    person: Person = request.getfixturevalue("window")
    person.ask("/replace Hello Goodbye")
    person.wait(lambda: len(person.operations) == 2)
    listed = person.place.panel.operations.list
    listed.setFocus()
    person.press(Qt.Key.Key_Home)
    person.press(Qt.Key.Key_J)
    assert listed.currentIndex().row() == 0
    person.press(Qt.Key.Key_Down)
    assert listed.currentIndex().row() == 1
