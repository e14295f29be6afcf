"""The desktop is told what waits while nobody looks, and whoever presses the message has it before them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.shell.notifier import Answer, FreedesktopMessages, Notifier


class Wall:
    """A desktop that shows messages, or does not."""

    def __init__(self, takes: bool = True) -> None:
        self.takes = takes
        self.shown: list[tuple[str, str]] = []

    def show(self, title: str, words: str, pressed: Answer) -> bool:
        self.shown.append((title, words))
        self.press = pressed
        return self.takes

    def leave(self) -> None:
        """Nothing goes on here."""


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_desktop_is_told_while_the_window_is_not_in_front(window: QWidget, qtbot: QtBot) -> None:
    wall = Wall()
    other = QWidget()
    qtbot.addWidget(other)
    with qtbot.waitActive(other):
        other.show()
        other.activateWindow()
    Notifier(window, (wall,)).tell("A plan waits", "Rate limit")
    assert wall.shown == [("A plan waits", "Rate limit")]


def test_nobody_is_told_while_the_window_is_in_front_or_when_it_is_switched_off(window: QWidget, qtbot: QtBot) -> None:
    wall = Wall()
    notifier = Notifier(window, (wall,))
    with qtbot.waitActive(window):
        window.activateWindow()
    notifier.tell("A plan waits", "")
    window.hide()
    notifier.is_on = False
    notifier.tell("A plan waits", "")
    assert wall.shown == []


def test_next_way_is_taken_where_the_first_is_not_there(window: QWidget) -> None:
    window.hide()
    silent, wall, spare = Wall(takes=False), Wall(), Wall()
    Notifier(window, (silent, wall, spare)).tell("A plan waits", "")
    assert (len(wall.shown), len(spare.shown)) == (1, 0)


def test_whoever_presses_the_message_has_the_window_and_what_it_is_about(window: QWidget, qtbot: QtBot) -> None:
    wall, opened = Wall(), []
    window.hide()
    Notifier(window, (wall,)).tell("A plan waits", "", lambda: opened.append("PLAN-1"))
    with qtbot.waitActive(window):
        wall.press()
    assert opened == ["PLAN-1"]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "bin" / "notify-send"
    made.parent.mkdir()
    monkeypatch.setenv("PATH", f"{made.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return made


def speak(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def messages(qtbot: QtBot) -> Iterator[FreedesktopMessages]:
    made = FreedesktopMessages()
    yield made
    made.leave()


def test_words_of_a_plan_are_no_markup_and_no_option(
    messages: FreedesktopMessages, program: Path, qtbot: QtBot
) -> None:
    heard = program.parent / "heard"
    speak(program, f'printf "%s\\n" "$@" > {heard}.part && mv {heard}.part {heard}')
    assert messages.show("--help", "<img src=x> & more", pytest.fail)
    qtbot.waitUntil(heard.exists)
    assert heard.read_text().splitlines()[-3:] == ["--", "--help", "&lt;img src=x&gt; &amp; more"]


def test_message_that_was_pressed_says_so_and_one_that_went_away_does_not(
    messages: FreedesktopMessages, program: Path, qtbot: QtBot
) -> None:
    pressed: list[str] = []
    gone = program.parent / "gone"
    speak(program, f'case "$*" in *away*) touch {gone} ;; *) echo default ;; esac')
    messages.show("A plan waits", "away", lambda: pressed.append("away"))
    qtbot.waitUntil(gone.exists)
    qtbot.waitUntil(lambda: not messages.waits)
    messages.show("A plan waits", "", lambda: pressed.append("here"))
    qtbot.waitUntil(lambda: bool(pressed))
    assert pressed == ["here"]


def test_older_program_that_cannot_wait_is_asked_again_without(
    messages: FreedesktopMessages, program: Path, qtbot: QtBot
) -> None:
    heard = program.parent / "heard"
    speak(program, f'case "$*" in *--action*) exit 1 ;; *) touch {heard} ;; esac')
    messages.show("A plan waits", "", pytest.fail)
    qtbot.waitUntil(heard.exists)


def test_message_nobody_pressed_is_not_waited_for_when_the_window_leaves(
    messages: FreedesktopMessages, program: Path, qtbot: QtBot
) -> None:
    started = program.parent / "started"
    speak(program, f"touch {started}; exec sleep 600")
    messages.show("A plan waits", "", pytest.fail)
    qtbot.waitUntil(started.exists)
    assert messages.waits
    messages.leave()
    assert not messages.waits


def test_missing_program_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not FreedesktopMessages().show("A plan waits", "", pytest.fail)
