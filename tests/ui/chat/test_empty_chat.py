"""What the conversation shows before anything was said."""

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.chat.empty_chat import STARTS, EmptyChat
from tandem_desktop.ui.theme.theme import Theme


def test_folder_without_files_is_offered_a_start_and_as_many_examples_as_there_is_room_for(
    theme: Theme, qtbot: QtBot
) -> None:
    empty = EmptyChat(theme)
    qtbot.addWidget(empty)
    empty.resize(500, 120 + 2 * 64)
    empty.show()
    empty.show_beginning(has_files=False, has_recipes=True)
    offered = [each for each in empty.findChildren(QAbstractButton) if each.isVisible()]
    assert [each.objectName() for each in offered] == ["example-1", "example-2"]
    with qtbot.waitSignal(empty.chosen) as chosen:
        offered[0].click()
    assert chosen.args == [STARTS[0].text]


def test_look_can_change_after_examples_were_taken_away(theme: Theme, qtbot: QtBot) -> None:
    empty = EmptyChat(theme)
    qtbot.addWidget(empty)
    empty.show_beginning(has_files=False, has_recipes=True)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    with qtbot.capture_exceptions() as problems:
        theme.set_zoom(1.5)
    assert problems == []
