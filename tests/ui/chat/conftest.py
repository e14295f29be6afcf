"""A dressed application and a pane on an offscreen screen."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.theme import style
from tandem_desktop.ui.theme.theme import Theme


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(name="dark")
    style.install(qapp, made)
    yield made
    made.deleteLater()
    qapp.setStyleSheet("")


@pytest.fixture
def pane(qtbot: QtBot, theme: Theme) -> ChatPane:
    made = ChatPane(theme)
    qtbot.addWidget(made)
    made.resize(452, 828)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    made.focus_composer()
    return made
