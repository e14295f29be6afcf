"""The parts every pane is made of do what they say."""

from typing import TypeVar

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner, Card, EmptyState
from tandem_desktop.ui.widgets.buttons import IconButton, LinkButton
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.inputs import SearchField
from tandem_desktop.ui.widgets.labels import Badge, ElidedLabel, KeyHint, plain_label, plain_tooltip
from tandem_desktop.ui.widgets.progress import ProgressLine, StatusMark
from tandem_desktop.ui.widgets.toast import Toast

Kind = TypeVar("Kind", bound=QWidget)
MODES = (("immediate", "Immediate"), ("plan", "Plan mode"))


def test_arrow_keys_move_the_choice_and_it_is_told(theme: Theme, qtbot: QtBot) -> None:
    switch = _shown(Segmented(theme, MODES, "Mode"), qtbot)
    first = switch.findChild(QWidget, "segmented-mode-immediate")
    first.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(switch.chosen) as told:
        qtbot.keyClick(first, Qt.Key.Key_Right)
    assert told.args == ["plan"]
    assert switch.current == "plan"


def test_a_click_anywhere_on_a_choice_takes_it(theme: Theme, qtbot: QtBot) -> None:
    switch = _shown(Segmented(theme, MODES, "Mode"), qtbot)
    second = switch.findChild(QWidget, "segmented-mode-plan")
    edge = second.rect().center()
    edge.setX(second.width() - 3)
    with qtbot.waitSignal(switch.chosen):
        qtbot.mouseClick(second, Qt.MouseButton.LeftButton, pos=edge)
    assert switch.current == "plan"


def test_a_choice_shown_by_the_program_is_not_told(theme: Theme, qtbot: QtBot) -> None:
    switch = _shown(Segmented(theme, MODES, "Mode"), qtbot)
    with qtbot.assertNotEmitted(switch.chosen):
        switch.set_current("plan")
    assert switch.current == "plan"


def test_a_long_line_gives_way_in_the_middle_and_says_the_whole_in_its_tip(theme: Theme, qtbot: QtBot) -> None:
    label = _shown(ElidedLabel(theme, "beginning " + "x" * 300 + " end"), qtbot)
    label.resize(200, 20)
    assert label.shown_text.startswith("begin")
    assert label.shown_text.endswith("end")
    assert "…" in label.shown_text
    assert "x" * 300 in label.toolTip()
    label.resize(label.sizeHint())
    assert label.shown_text == label.text()
    assert label.toolTip() == ""


def test_words_are_data_in_labels_and_tips(theme: Theme, qtbot: QtBot) -> None:
    label = plain_label("<b>bold</b>")
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert plain_tooltip("<b>&") == '<p style="white-space: pre-wrap">&lt;b&gt;&amp;</p>'


def test_a_banner_asks_for_what_was_pressed(theme: Theme, qtbot: QtBot) -> None:
    banner = _shown(Banner(theme, "risk", "The file changed on disk.", (("merge", "See merge"),)), qtbot)
    link = banner.findChild(LinkButton, "banner-merge")
    with qtbot.waitSignal(banner.requested) as asked:
        qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    assert asked.args == ["merge"]


def test_a_banner_with_other_words_has_only_their_actions(theme: Theme, qtbot: QtBot) -> None:
    banner = _shown(Banner(theme, "risk", "Drifted.", (("merge", "See merge"),)), qtbot)
    banner.set_message("error", "Stopped.", (("restart", "Restart"),))
    seen = [link.text() for link in banner.findChildren(LinkButton) if link.isVisible()]
    assert seen == ["Restart"]
    assert (banner.text, banner.accessibleName(), banner.property("role")) == ("Stopped.", "Stopped.", "banner-error")


def test_long_words_in_a_banner_wrap_and_none_are_cut(theme: Theme, qtbot: QtBot) -> None:
    holder = QWidget()
    column = QVBoxLayout(holder)
    banner = Banner(theme, "info", "many words " * 40, (("show", "Show"),))
    column.addWidget(banner)
    column.addStretch()
    holder.resize(320, 700)
    _shown(holder, qtbot)
    label = banner._words
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
    assert banner.height() < 400


def test_progress_is_said_in_words_and_as_a_share(theme: Theme, qtbot: QtBot) -> None:
    progress = _shown(ProgressLine(theme), qtbot)
    progress.set_progress(4, 7, "4 of 7 viewed")
    assert (progress.line.value(), progress.line.maximum(), progress.words) == (4, 7, "4 of 7 viewed")
    picture = progress.line.grab().toImage()
    middle = picture.height() // 2
    assert picture.pixelColor(round(picture.width() * 3 / 7), middle).name() == theme.tokens.ok
    assert picture.pixelColor(round(picture.width() * 5 / 7), middle).name() == theme.tokens.line


def test_nothing_of_nothing_is_an_empty_line(theme: Theme, qtbot: QtBot) -> None:
    progress = _shown(ProgressLine(theme), qtbot)
    progress.set_progress(0, 0, "Nothing to view")
    assert progress.line.value() == 0


def test_an_empty_place_offers_its_one_action(theme: Theme, qtbot: QtBot) -> None:
    place = _shown(EmptyState(theme, "plan", "No plan yet", "Ask for a change.", "New plan"), qtbot)
    with qtbot.waitSignal(place.requested):
        qtbot.mouseClick(place.button, Qt.MouseButton.LeftButton)
    place.set_words("plan", "No plan yet")
    assert not place.button.isVisible()


def test_escape_empties_the_search_and_then_leaves_it(theme: Theme, qtbot: QtBot) -> None:
    field = _shown(SearchField(theme, "Search plans"), qtbot)
    qtbot.keyClicks(field, "limit")
    with qtbot.assertNotEmitted(field.left):
        qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    with qtbot.waitSignal(field.left):
        qtbot.keyClick(field, Qt.Key.Key_Escape)


def test_enter_steps_on_and_shift_enter_steps_back(theme: Theme, qtbot: QtBot) -> None:
    field = _shown(SearchField(theme, "Search plans"), qtbot)
    with qtbot.waitSignal(field.next_requested), qtbot.assertNotEmitted(field.previous_requested):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    with qtbot.waitSignal(field.previous_requested):
        qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)


def test_the_count_leaves_room_for_the_words(theme: Theme, qtbot: QtBot) -> None:
    field = _shown(SearchField(theme, "Search"), qtbot)
    field.setText("limit")
    before = field.textMargins().right()
    field.set_count("3 of 12")
    assert field.textMargins().right() > before
    assert field.accessibleDescription() == "3 of 12"


def test_a_toast_is_announced_and_never_takes_the_keyboard(theme: Theme, qtbot: QtBot) -> None:
    window, field = _window_with_a_field(qtbot)
    toast = Toast(theme, window)
    with qtbot.waitSignal(toast.announced) as heard:
        toast.say("Revision 3 was applied: 5 files.", tone="ok", action="Undo")
    assert heard.args == ["Revision 3 was applied: 5 files."]
    assert toast.isVisible()
    assert field.hasFocus()
    assert window.rect().contains(toast.geometry())


def test_a_toast_spells_out_names_that_look_like_others(theme: Theme, qtbot: QtBot) -> None:
    window, _ = _window_with_a_field(qtbot)
    toast = Toast(theme, window)
    toast.say("m\u0430in.py was changed\u202e on disk.")
    assert toast.text == "m⟨U+0430⟩in.py was changed⟨U+202E⟩ on disk."


def test_a_toast_is_as_wide_after_the_window_was_resized_as_before(theme: Theme, qtbot: QtBot) -> None:
    window, _ = _window_with_a_field(qtbot)
    window.resize(900, 600)
    toast = Toast(theme, window)
    toast.say("A patch lies in no project, and does not fit its own folder. " * 3, stays=0)
    wide = toast.width()
    assert wide > 500
    window.resize(1000, 600)
    qtbot.waitUntil(lambda: toast.geometry().center().x() >= 495)
    assert toast.width() == wide


def test_the_action_in_a_toast_is_asked_for_and_closes_it(theme: Theme, qtbot: QtBot) -> None:
    window, _ = _window_with_a_field(qtbot)
    toast = Toast(theme, window)
    asked: list[str] = []
    toast.say("Applied.", action="Undo", do=lambda: asked.append("undo"))
    qtbot.mouseClick(toast.findChild(LinkButton, "toast-action"), Qt.MouseButton.LeftButton)
    assert asked == ["undo"]
    assert not toast.isVisible()


def test_a_toast_goes_by_itself_but_not_while_the_keyboard_is_in_it(theme: Theme, qtbot: QtBot) -> None:
    window, field = _window_with_a_field(qtbot)
    toast = Toast(theme, window)
    toast.say("Applied.", action="Undo", stays=1)
    toast.findChild(LinkButton, "toast-action").setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(toast._timer.timeout):
        pass
    assert toast.isVisible()
    field.setFocus()
    qtbot.waitUntil(lambda: not toast.isVisible())


def test_a_running_mark_turns_only_in_sight_and_only_where_motion_is_welcome(theme: Theme, qtbot: QtBot) -> None:
    theme.set_reduced_motion(False)
    mark = _shown(StatusMark(theme, "running"), qtbot)
    assert mark._timer.isActive()
    theme.set_reduced_motion(True)
    assert not mark._timer.isActive()
    theme.set_reduced_motion(False)
    mark.hide()
    assert not mark._timer.isActive()
    mark.show()
    mark.set_state("done")
    assert not mark._timer.isActive()
    assert mark.accessibleName() == "Done"


def test_small_things_say_their_words(theme: Theme, qtbot: QtBot) -> None:
    badge = _shown(Badge(theme, "Reviewing", "risk"), qtbot)
    badge.set_state("Executing", "ok")
    assert (badge.text(), badge.accessibleName(), badge.tone) == ("Executing", "Executing", "ok")
    assert badge.grab().toImage().pixelColor(3, 10).name() == theme.tokens.added
    assert KeyHint(theme, "Ctrl+Shift+P").sizeHint().width() > KeyHint(theme, "n").sizeHint().width()


def test_a_card_wears_its_tone(theme: Theme, qtbot: QtBot) -> None:
    card = _shown(Card(theme, "risk"), qtbot)
    assert card.property("role") == "card-risk"
    card.set_tone("plain")
    assert card.property("role") == "card"


def _shown(widget: Kind, qtbot: QtBot) -> Kind:
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def _window_with_a_field(qtbot: QtBot) -> tuple[QWidget, QLineEdit]:
    window = QWidget()
    field = QLineEdit(window)
    QHBoxLayout(window).addWidget(field)
    window.resize(600, 300)
    _shown(window, qtbot)
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    return window, field


def test_toast_stands_at_the_foot_of_its_area_and_a_long_one_takes_more_lines(theme: Theme, qtbot: QtBot) -> None:
    window, _ = _window_with_a_field(qtbot)
    window.resize(900, 600)
    area = QRect(500, 40, 380, 400)
    toast = Toast(theme, window, lambda: area)
    toast.say("Taken back.")
    short = toast.geometry()
    toast.say("Every path is as it was before the run, to the last byte, mode and link. " * 3)
    assert area.contains(short)
    assert area.contains(toast.geometry())
    assert toast.height() > short.height()


def test_escape_dismisses_a_toast_and_gives_the_keyboard_back(theme: Theme, qtbot: QtBot) -> None:
    window, field = _window_with_a_field(qtbot)
    toast = Toast(theme, window)
    toast.say("Applied.")
    toast.first.setFocus()
    assert toast.has_keyboard
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not toast.isVisible()
    assert field.hasFocus()


def test_tooltip_is_read_to_a_screen_reader_without_markup(theme: Theme, qtbot: QtBot) -> None:
    button = IconButton(theme, "sun", "Light & dark")
    qtbot.addWidget(button)
    button.setAccessibleDescription("")
    described = QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Description)
    assert described == "Light & dark"
