"""Every part of the window can be named, reached and read, in every pane, tab, sheet and popup, in every theme."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QRadioButton, QWidget

from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.shell.command_palette import CommandPalette
from tandem_desktop.ui.theme.tokens import THEMES, contrast, load_tokens
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier
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
    for _ in range(2):  # a field that holds words is emptied first
        if person.sees(shown):
            person.press(Qt.Key.Key_Escape)
    person.wait(lambda: not person.sees(shown))


def sheets(person: Person) -> tuple[tuple[str, Callable[[], None], str], ...]:
    """What lies over the window while a plan is reviewed: its name, how one gets there, and what is there then."""

    def edit() -> None:
        person.place.panel.operations.list.setFocus()
        person.press(Qt.Key.Key_Home)
        person.press(Qt.Key.Key_E)

    return (
        ("approval", lambda: person.press(Qt.Key.Key_I, CONTROL | SHIFT), "approval-back"),
        ("rework", lambda: person.press(Qt.Key.Key_R, CONTROL | SHIFT), "rework-back"),
        ("cancel", lambda: person.command("cancel the plan"), "confirm-back"),
        ("edit", edit, "edit-sheet"),
        ("palette", lambda: person.press(Qt.Key.Key_P, CONTROL | SHIFT), "palette-search"),
        ("keys", lambda: person.press(Qt.Key.Key_F1), "keys-search"),
        ("log", lambda: person.command("show the log"), "log-search"),
        ("about", lambda: person.command("about tandem"), "about-close"),
        ("what is new", lambda: person.command("what is new"), "news-close"),
        ("settings", lambda: person.command("settings"), "settings-close"),
        ("going back", lambda: person.command("go back to your last"), "back-sheet"),
    )


def places(person: Person) -> Iterator[str]:
    """Everything a person can bring on screen, one after the other, and its name."""
    yield "review"
    bar = person.place.panel.tabs.bar
    for number in range(bar.count()):
        bar.setFocus()
        person.press(Qt.Key.Key_Right if number else Qt.Key.Key_Home)
        yield f"tab {bar.tabText(bar.currentIndex())}"
    person.press(Qt.Key.Key_Home)
    for name, ask, shown in sheets(person):
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
        if takes_keyboard(each) and not name_of(each)
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


def test_tab_goes_through_all_of_a_sheet_and_stays_in_it(person: Person) -> None:
    missed: set[str] = set()
    for name, ask, shown in sheets(person):
        if name == "palette":
            continue  # one field and its list, which the arrows walk
        with sheet(person, ask, shown):
            top = next(each for each in person.window.findChildren(Sheet) if each.isVisible())
            stops = {each for each in top.card.findChildren(QWidget) if takes_keyboard(each)}
            reached: set[QWidget] = set()
            for _ in range(len(stops) + 1):
                # Where files are written Tab writes one; the way back leads on all the same.
                person.press(*((Qt.Key.Key_Backtab, SHIFT) if name == "edit" else (Qt.Key.Key_Tab, NONE)))
                reached.add(person.focus())
            assert reached <= set(top.findChildren(QWidget)), name
            missed |= {f"{name}: {type(each).__name__} {each.objectName()}" for each in stops - reached}
    assert missed == set()


def test_words_stand_out_from_their_ground_wherever_they_are_in_every_theme(person: Person) -> None:
    """Painted in one theme; what it wrote on which ground holds for every other one by the tokens."""
    seen = {pair: f"{place}: {words}" for place in places(person) for words, pair in painted(person.window)}
    faint = {where for pair, where in seen.items() if contrast(*pair) < LEAST_CONTRAST}
    worn = load_tokens(person.theme.name)
    named = {getattr(worn, name): name for name in reversed(worn.__slots__) if str(getattr(worn, name)).startswith("#")}
    pairs = {(named[ink], named[ground]): where for (ink, ground), where in seen.items() if {ink, ground} <= set(named)}
    assert len(pairs) >= 4  # otherwise nothing was looked at
    for name in THEMES:
        tokens = load_tokens(name)
        faint |= {
            f"{name}, {where}: {ink} on {ground}"
            for (ink, ground), where in pairs.items()
            if contrast(getattr(tokens, ink), getattr(tokens, ground)) < LEAST_CONTRAST
        }
    assert faint == set()


def painted(window: QWidget) -> Iterator[tuple[str, tuple[str, str]]]:
    """The words of every label in sight, and the colours in which they are really painted: theirs, and their ground."""
    above = [each for kind in (Sheet, CommandPalette) for each in window.findChildren(kind) if each.isVisible()]
    over = above[0] if above else window  # what is below is dimmed, or covered
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    for label in over.findChildren(QLabel):
        whole = label.visibleRegion().boundingRect() == label.rect()
        if label.isVisible() and label.isEnabled() and label.text().strip() and whole:
            spot = label.rect().translated(label.mapTo(window, label.rect().topLeft()))
            seen = Counter(memoryview(image.copy(spot & image.rect()).constBits()).cast("I"))
            colors = {f"#{pixel & 0xFFFFFF:06x}": count for pixel, count in seen.items()}
            if colors:
                ground = max(colors, key=lambda color: colors[color])
                yield label.text(), (max(colors, key=lambda color: contrast(color, ground)), ground)


def takes_keyboard(widget: QWidget) -> bool:
    takes = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
    is_other_choice = isinstance(widget, QRadioButton) and not widget.isChecked()  # arrows go there
    return bool(takes) and widget.isVisible() and widget.isEnabled() and not is_other_choice


def name_of(widget: QWidget) -> str:
    return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
