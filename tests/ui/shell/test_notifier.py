import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.shell.notifier import FreedesktopMessages, Notifier


class Wall:
    """A desktop that shows messages, or does not."""

    def __init__(self, takes: bool = True) -> None:
        self.takes = takes
        self.shown: list[tuple[str, str]] = []

    def show(self, title: str, words: str) -> bool:
        self.shown.append((title, words))
        return self.takes


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


def test_words_of_a_plan_are_no_markup_and_no_option(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, heard = tmp_path / "bin" / "notify-send", tmp_path / "heard"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {heard}.part && mv {heard}.part {heard}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert FreedesktopMessages().show("--help", "<img src=x> & more")
    qtbot.waitUntil(heard.exists)
    assert heard.read_text().splitlines()[-3:] == ["--", "--help", "&lt;img src=x&gt; &amp; more"]


def test_missing_program_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not FreedesktopMessages().show("A plan waits", "")
