"""Buttons of a sheet are whole at every width."""

from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, ButtonRow, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.labels import plain_label


def test_note_goes_above_and_buttons_into_more_rows_where_there_is_no_room(qtbot: QtBot, theme: Theme) -> None:
    buttons = [QuietButton(theme, "Back to review"), Button(theme, "Send as rework"), PrimaryButton(theme, "Implement")]
    note = plain_label("Tick the box to go on", wrap=True)
    host = QWidget()
    qtbot.addWidget(host)
    layout = QVBoxLayout(host)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(ButtonRow(theme, buttons, note))
    host.show()

    def rows(width: int) -> list[int]:
        host.resize(width, layout.totalHeightForWidth(width))
        QApplication.processEvents()
        assert all(each.width() == each.sizeHint().width() for each in buttons)
        assert all(host.rect().contains(each.geometry()) for each in (note, *buttons))
        return [each.geometry().center().y() // 20 for each in (note, *buttons)]

    wide, narrow, narrowest = rows(620), rows(400), rows(280)
    assert len(set(wide)) == 1
    assert narrow[0] < narrow[1] == narrow[2] == narrow[3]
    assert narrowest[0] < narrowest[1] < narrowest[3]
    buttons[1].hide()
    assert rows(280)[1] == rows(280)[3]
