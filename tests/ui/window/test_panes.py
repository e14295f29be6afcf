"""Panes that are shown, hidden and remembered."""

from collections.abc import Callable

from PySide6.QtCore import Qt

from tests.ui.window.driver import Person

CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def test_one_key_gives_the_plan_the_whole_window_and_brings_the_panes_back(
    open_window: Callable[..., Person],
) -> None:
    person = open_window()
    window = person.window
    rail, chat, panel = window.rail, person.place.chat, person.place.panel
    chat.composer.edit.setFocus()
    person.press(Qt.Key.Key_F9)
    assert not rail.isVisible()
    assert not chat.isVisible()
    person.wait(lambda: panel.width() > window.width() - 20)
    assert panel.isAncestorOf(person.focus())
    person.press(Qt.Key.Key_F9)
    assert rail.isVisible()
    assert chat.isVisible()
    person.press(Qt.Key.Key_B, CONTROL | ALT)
    assert not chat.isVisible()
    assert rail.isVisible()
    window.resize(1024, 700)
    assert not rail.isVisible(), "narrow: hidden until asked for"
    for button, pane in ((window.top.rail_button, rail), (window.top.chat_button, chat)):
        assert button.isVisible()
        button.click()
        assert pane.isVisible()
    person.wait(lambda: panel.width() > 400)
    person.press(Qt.Key.Key_F9)
    person.press(Qt.Key.Key_N, CONTROL)
    assert chat.isVisible(), "a new plan begins in the conversation"
