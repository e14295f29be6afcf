"""The style sheet is filled from the theme, and re-filled when it changes."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QComboBox, QLabel
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.theme.style import install, set_role, stylesheet
from tandem_desktop.ui.theme.theme import THEMES, Theme


@pytest.fixture
def application(qapp: QApplication) -> QApplication:
    before = qapp.styleSheet(), qapp.palette(), qapp.font(), qapp.style().name()
    yield qapp
    qapp.setStyleSheet(before[0])
    qapp.setPalette(before[1])
    qapp.setFont(before[2])
    qapp.setStyle(before[3])


@pytest.mark.parametrize("name", THEMES)
def test_no_word_is_left_unfilled_and_every_picture_is_there(name: str, qtbot: QtBot) -> None:
    rules = stylesheet(Theme(name=name)).partition("*/")[2]
    assert "@" not in rules
    pictures = re.findall(r'url\("([^"]+)"\)', rules)
    assert pictures
    assert [picture for picture in pictures if not Path(picture).is_file()] == []


def test_lengths_follow_the_zoom(qtbot: QtBot) -> None:
    assert "border-radius: 10px" in stylesheet(Theme())
    assert "border-radius: 20px" in stylesheet(Theme(zoom=2))


def test_the_application_changes_its_clothes_with_the_theme(application: QApplication) -> None:
    theme = Theme()
    install(application, theme)
    theme.set_theme("light")
    theme.set_zoom(1.5)
    assert application.palette().color(QPalette.ColorRole.Window).name() == theme.tokens.surface
    assert application.font().pixelSize() == theme.ui_font().pixelSize()
    assert theme.tokens.risk_surface in application.styleSheet()


def test_a_role_given_later_is_worn_at_once(application: QApplication, qtbot: QtBot) -> None:
    theme = Theme()
    install(application, theme)
    label = QLabel("words")
    qtbot.addWidget(label)
    label.show()
    set_role(label, "muted")
    assert label.palette().color(QPalette.ColorRole.WindowText).name() == theme.tokens.muted


def test_a_label_of_code_shows_its_characters_one_by_one(application: QApplication, qtbot: QtBot) -> None:
    install(application, Theme())
    label = QLabel("a -> b")
    label.setProperty("role", "code")
    qtbot.addWidget(label)
    label.show()
    assert label.font().family() == "JetBrains Mono"
    assert QFontInfo(QApplication.font()).family() == "Inter"
    assert {tag.toString().data() for tag in label.font().featureTags()} >= {b"liga", b"calt"}


def test_drop_down_shows_its_last_entry(application: QApplication, qtbot: QtBot) -> None:
    install(application, Theme())
    box = QComboBox()
    box.addItems(["Plan order", "What matters first", "Risk first", "By path", "Largest first"])
    qtbot.addWidget(box)
    box.show()
    box.showPopup()
    last = box.view().visualRect(box.model().index(4, 0))
    assert box.view().viewport().rect().contains(last)
