"""Every part of the window can be named, reached and read."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from tandem_desktop.domain.plan import PlanStatus
from tests.ui.window.driver import Person


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody with a plan to review."""
    window.click("segmented-mode-plan")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    return window


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
