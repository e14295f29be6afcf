"""Every part of the window can be named, reached and read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan import PlanStatus
from tests.ui.window.driver import Person


@pytest.fixture
def person(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "README.md").write_text("# Hello\n")
    found = Person(qtbot, folder, tmp_path / "window.ini")
    found.click("segmented-mode-plan")
    found.ask("/replace Hello Goodbye")
    found.wait(lambda: found.status is PlanStatus.PROPOSED)
    yield found
    found.leave()


def widgets(person: Person) -> list[QWidget]:
    return [each for each in person.window.findChildren(QWidget) if each.isVisible()]


def test_everything_that_takes_the_keyboard_has_a_name(person: Person) -> None:
    nameless = [
        f"{type(each).__name__} {each.objectName()}"
        for each in widgets(person)
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isEnabled() and not name_of(each)
    ]
    assert nameless == []


def test_every_label_shows_its_words_as_they_are(person: Person) -> None:
    rich = [
        each.text()
        for each in widgets(person)
        if isinstance(each, QLabel) and each.text() and each.textFormat() is not Qt.TextFormat.PlainText
    ]
    assert rich == []


def name_of(widget: QWidget) -> str:
    return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
