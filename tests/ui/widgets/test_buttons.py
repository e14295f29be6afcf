"""Buttons say what they do, show where the keyboard is, and can be pressed without a mouse."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import (
    DECIDES,
    Button,
    DangerButton,
    IconButton,
    LinkButton,
    PrimaryButton,
    QuietButton,
)
from tandem_desktop.ui.widgets.chips import Chip

KINDS = {
    "plain": lambda theme: Button(theme, "Rework", "1 comment"),
    "primary": lambda theme: PrimaryButton(theme, "Implement", "Ctrl+⏎"),
    "quiet": lambda theme: QuietButton(theme, "Cancel"),
    "danger": lambda theme: DangerButton(theme, "Roll back", icon_name="undo"),
    "icon": lambda theme: IconButton(theme, "stop", "Stop the agent", key="Esc"),
    "link": lambda theme: LinkButton(theme, "See merge"),
    "chip": lambda theme: Chip(theme, "app/auth.py", "file", removable=True),
}


@pytest.fixture(params=KINDS)
def button(request: pytest.FixtureRequest, theme: Theme, qtbot: QtBot) -> QAbstractButton:
    made = KINDS[request.param](theme)
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_space_presses_it(button: QAbstractButton, qtbot: QtBot) -> None:
    button.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_Space)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_presses_it(button: QAbstractButton, qtbot: QtBot, key: Qt.Key) -> None:
    button.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, key)


def test_enter_presses_no_button_that_decides(button: QAbstractButton, qtbot: QtBot) -> None:
    button.setProperty(DECIDES, True)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.assertNotEmitted(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_Return)
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_Space)


def test_a_click_presses_it(button: QAbstractButton, qtbot: QtBot) -> None:
    with qtbot.waitSignal(button.clicked):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())


def test_it_has_a_name_for_those_who_listen(button: QAbstractButton) -> None:
    assert button.accessibleName()
    assert button.objectName()


def test_a_ring_shows_where_the_keyboard_is(button: QAbstractButton, theme: Theme, qtbot: QtBot) -> None:
    button.clearFocus()
    without = button.grab().toImage()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(button.hasFocus)
    ring = button.grab().toImage()
    assert ring != without
    middle = ring.pixelColor(ring.width() // 2, 0)
    assert _near(middle, theme.color("focus"))


def test_a_click_leaves_no_ring(button: QAbstractButton, theme: Theme, qtbot: QtBot) -> None:
    button.clearFocus()
    button.setFocus(Qt.FocusReason.MouseFocusReason)
    clicked = button.grab().toImage()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    button.clearFocus()
    assert clicked == button.grab().toImage()


def test_it_grows_with_the_zoom(button: QAbstractButton, theme: Theme) -> None:
    before = button.sizeHint()
    theme.set_zoom(2)
    assert button.sizeHint().height() >= 2 * before.height() - 4
    assert button.sizeHint().width() > 1.7 * before.width()


def test_all_its_words_fit(theme: Theme, qtbot: QtBot) -> None:
    short, long = Button(theme, "Implement"), Button(theme, "Implement", "Ctrl+⏎")
    for each in (short, long):
        qtbot.addWidget(each)
    assert long.sizeHint().width() > short.sizeHint().width()
    assert long.minimumSizeHint() == long.sizeHint()


def test_the_fill_of_the_primary_button_is_the_accent_until_it_is_disabled(theme: Theme, qtbot: QtBot) -> None:
    made = PrimaryButton(theme, "Implement")
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    assert _ground(made).name() == theme.tokens.accent
    made.setEnabled(False)
    assert _ground(made).name() == theme.tokens.selection


def test_a_mnemonic_mark_is_not_shown(theme: Theme, qtbot: QtBot) -> None:
    made = Button(theme, "Keep && go")
    qtbot.addWidget(made)
    assert made.accessibleName() == "Keep & go"


def test_delete_and_the_cross_ask_for_a_chip_to_go(theme: Theme, qtbot: QtBot) -> None:
    chip = Chip(theme, "app/auth.py", removable=True)
    qtbot.addWidget(chip)
    chip.resize(chip.sizeHint())
    chip.show()
    with qtbot.waitSignal(chip.removed), qtbot.assertNotEmitted(chip.clicked):
        qtbot.keyClick(chip, Qt.Key.Key_Delete)
    cross = chip.rect().center()
    cross.setX(chip.width() - theme.px(12))
    with qtbot.waitSignal(chip.removed), qtbot.assertNotEmitted(chip.clicked):
        qtbot.mouseClick(chip, Qt.MouseButton.LeftButton, pos=cross)


def test_markup_in_a_chips_words_is_not_read(theme: Theme, qtbot: QtBot) -> None:
    chip = Chip(theme, "<img src=x>.py")
    qtbot.addWidget(chip)
    assert "<img" not in chip.toolTip()
    assert "&lt;img src=x&gt;.py" in chip.toolTip()


def _ground(widget: QWidget) -> QColor:
    picture: QImage = widget.grab().toImage()
    return picture.pixelColor(4, picture.height() // 2)


def _near(one: QColor, other: QColor) -> bool:
    return sum(abs(a - b) for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)) < 60
