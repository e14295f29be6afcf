"""The frame that is shown before anything is loaded."""

from pathlib import Path

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.window_frame import WindowFrame


def test_window_is_never_higher_than_the_screen_and_comes_back_on_it(qtbot: QtBot, tmp_path: Path) -> None:
    stored = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    first = WindowFrame("orders", stored)
    qtbot.addWidget(first)
    room = first.screen().availableGeometry()
    assert first.height() < room.height()
    first.setGeometry(3_000, 2_000, 5_000, 4_000)
    stored.setValue("geometry", first.saveGeometry())
    again = WindowFrame("orders", stored)
    qtbot.addWidget(again)
    assert again.height() < room.height()
    assert again.geometry().top() > room.top()
    assert again.geometry().bottom() <= room.bottom()
    assert room.left() <= again.geometry().left() < room.left() + 40
