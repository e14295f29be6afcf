"""What the conversation shows before anything was said."""

from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.chat.empty_chat import EXAMPLES, EmptyChat
from tandem_desktop.ui.theme.theme import Theme


def test_look_can_change_after_examples_were_taken_away(theme: Theme, qtbot: QtBot) -> None:
    empty = EmptyChat(theme)
    qtbot.addWidget(empty)
    empty.set_examples(EXAMPLES[:1])
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    with qtbot.capture_exceptions() as problems:
        theme.set_zoom(1.5)
    assert problems == []
