"""Every part of the window can be named, reached and read, in every pane, tab, sheet and popup, in every theme."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.ui.theme.tokens import THEMES, contrast
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEAST_CONTRAST = 4.5


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody with a plan to review."""
    window.click("segmented-mode-plan")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    return window


@contextmanager
def sheet(person: Person, ask: Callable[[], None], shown: str) -> Iterator[None]:
    ask()
    person.wait(lambda: person.sees(shown))
    yield
    person.press(Qt.Key.Key_Escape)


def places(person: Person) -> Iterator[str]:
    """Everything a person can bring on screen, one after the other, and its name."""
    yield "review"
    bar = person.place.panel.tabs.bar
    for number in range(bar.count()):
        bar.setFocus()
        person.press(Qt.Key.Key_Right if number else Qt.Key.Key_Home)
        yield f"tab {bar.tabText(bar.currentIndex())}"
    person.press(Qt.Key.Key_Home)
    sheets: tuple[tuple[str, Callable[[], None], str], ...] = (
        ("approval", lambda: person.press(Qt.Key.Key_I, CONTROL | SHIFT), "approval-back"),
        ("rework", lambda: person.press(Qt.Key.Key_R, CONTROL | SHIFT), "rework-back"),
        ("cancel", lambda: person.command("cancel the plan"), "confirm-back"),
        ("palette", lambda: person.press(Qt.Key.Key_P, CONTROL | SHIFT), "palette-search"),
        ("keys", lambda: person.press(Qt.Key.Key_F1), "toast"),
    )
    for name, ask, shown in sheets:
        if name == "keys":
            ask()
            yield name
            continue
        with sheet(person, ask, shown):
            yield name
    person.press(Qt.Key.Key_F, CONTROL)
    yield "filter"
    person.click("composer-text")
    person.type("/")
    yield "completion"


def widgets() -> list[QWidget]:
    return [each for each in QApplication.allWidgets() if each.isVisible()]


def test_everything_that_takes_the_keyboard_has_a_name_wherever_it_is(person: Person) -> None:
    nameless = {
        f"{place}: {type(each).__name__} {each.objectName()}"
        for place in places(person)
        for each in widgets()
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isEnabled() and not name_of(each)
    }
    assert nameless == set()


def test_every_label_shows_its_words_as_they_are_wherever_it_is(person: Person) -> None:
    rich = {
        f"{place}: {each.text()}"
        for place in places(person)
        for each in widgets()
        if isinstance(each, QLabel) and each.text() and each.textFormat() is not Qt.TextFormat.PlainText
    }
    assert rich == set()


def test_words_of_labels_stand_out_from_their_ground_in_every_theme(person: Person) -> None:
    faint: set[str] = set()
    for theme in THEMES:
        person.theme.set_theme(theme)
        faint |= {f"{theme}, review: {words}" for words in faint_labels(person.window)}
        with sheet(person, lambda: person.press(Qt.Key.Key_I, CONTROL | SHIFT), "approval-implement"):
            faint |= {f"{theme}, approval: {words}" for words in faint_labels(person.find("approval-sheet"))}
    assert faint == set()


def faint_labels(top: QWidget) -> set[str]:
    labels = [each for each in top.findChildren(QLabel) if each.isVisible() and each.isEnabled()]
    return {label.text() for label in labels if label.text().strip() and contrast(*inks(label)) < LEAST_CONTRAST}


def inks(label: QLabel) -> tuple[str, str]:
    """The colours in which a label is really painted: its ground, and what on it differs most from that."""
    image = label.window().grab(label.rect().translated(label.mapTo(label.window(), label.rect().topLeft()))).toImage()
    every = [image.pixelColor(x, y).name() for y in range(image.height()) for x in range(image.width())]
    ground = max(set(every), key=every.count)
    return max(set(every), key=lambda color: contrast(color, ground)), ground


def name_of(widget: QWidget) -> str:
    return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
