"""The diff driven as a person drives it: with keys and the pointer."""

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.diff.model import build_file_diff
from tandem_desktop.ui.diff.options import Whitespace
from tandem_desktop.ui.diff.panes import header_buttons
from tandem_desktop.ui.diff.rows import InlineComment, RowKind
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.theme.theme import Theme
from tests.support.unfolded import unfold_all
from tests.ui.diff.samples import AUTH_AFTER, AUTH_BEFORE, a_long_edit

NONE, SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def auth(view: DiffView) -> DiffView:
    view.show_diff(build_file_diff("app/routes/auth.py", AUTH_BEFORE, AUTH_AFTER))
    return view


def press(qtbot: QtBot, view: DiffView, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    qtbot.keyClick(view, key, modifier)


def row_with(view: DiffView, kind: RowKind, nth: int = 0) -> int:
    return [index for index in range(len(view.rows)) if view.rows.row(index).kind is kind][nth]


def line_row(view: DiffView, line: int) -> int:
    found = view.rows.row_of(new=line - 1)
    assert found is not None
    return found


def letter(view: DiffView, row: int, column: int, pane: int = -1) -> QPoint:
    """The left edge of a character in the viewport."""
    panes = view.display.panes
    x = panes.panes[pane].text + column * panes.cell - view.horizontalScrollBar().value()
    return QPoint(round(x), view.row_area(row).center().y())


def color_at(view: DiffView, place: QPoint) -> QColor:
    return view.viewport().grab().toImage().pixelColor(place)


def test_v_changes_between_two_columns_and_one(qtbot: QtBot, auth: DiffView) -> None:
    assert auth.is_split
    press(qtbot, auth, Qt.Key.Key_V)
    assert not auth.is_split
    press(qtbot, auth, Qt.Key.Key_V)
    assert auth.is_split


def test_two_columns_show_eighty_characters_each_and_a_narrower_view_has_one(qtbot: QtBot, auth: DiffView) -> None:
    auth.resize(1200, 400)
    assert not auth.is_split
    auth.resize(1500, 400)
    assert auth.is_split
    assert auth.display.panes.characters >= 80


def test_new_and_deleted_files_take_the_whole_width(view: DiffView) -> None:
    for before, after in ((b"", b"a = 1\n"), (b"a = 1\n", b"")):
        view.show_diff(build_file_diff("a.py", before, after))
        assert not view.is_split
    view.show_diff(build_file_diff("a.py", b"a = 1\n", b"a = 2\n"))
    assert view.is_split


def test_n_and_p_go_from_change_to_change_and_on_past_the_ends(qtbot: QtBot, auth: DiffView) -> None:
    for expected in (1, 2):
        press(qtbot, auth, Qt.Key.Key_N)
        assert auth.current_hunk == expected
    with qtbot.waitSignal(auth.passed_end) as past:
        press(qtbot, auth, Qt.Key.Key_N)
    assert past.args == [1]
    press(qtbot, auth, Qt.Key.Key_P)
    assert auth.current_hunk == 1
    with qtbot.waitSignal(auth.passed_end) as past:
        press(qtbot, auth, Qt.Key.Key_P)
    assert past.args == [-1]


def test_f7_goes_to_the_next_change_and_shift_f7_back(qtbot: QtBot, auth: DiffView) -> None:
    press(qtbot, auth, Qt.Key.Key_F7)
    press(qtbot, auth, Qt.Key.Key_F7)
    assert auth.current_hunk == 2
    press(qtbot, auth, Qt.Key.Key_F7, SHIFT)
    assert auth.current_hunk == 1


def test_the_change_gone_to_is_in_sight(qtbot: QtBot, view: DiffView) -> None:
    before, after = a_long_edit()
    view.show_diff(build_file_diff("a.py", before, after))
    unfold_all(view)
    press(qtbot, view, Qt.Key.Key_N)
    press(qtbot, view, Qt.Key.Key_N)
    assert view.viewport().rect().contains(view.row_area(view.display.current))
    assert view.row_text(view.display.current) == "Change 2 of 3 number_31()"


def test_letters_do_nothing_when_a_person_turned_them_off(qtbot: QtBot, auth: DiffView) -> None:
    auth.single_letters = False
    press(qtbot, auth, Qt.Key.Key_V)
    press(qtbot, auth, Qt.Key.Key_N)
    assert (auth.is_split, auth.current_hunk) == (True, 0)


def test_a_click_opens_a_fold(qtbot: QtBot, auth: DiffView) -> None:
    fold = row_with(auth, RowKind.FOLD)
    rows, hidden = len(auth.rows), auth.rows.row(fold).lines
    qtbot.mouseClick(auth.viewport(), Qt.MouseButton.LeftButton, pos=auth.row_area(fold).center())
    assert len(auth.rows) == rows + hidden - 1
    assert auth.rows.row(fold).kind is RowKind.LINE


def test_enter_opens_the_fold_one_is_at(qtbot: QtBot, auth: DiffView) -> None:
    press(qtbot, auth, Qt.Key.Key_Home, CONTROL)
    assert auth.rows.row(0).kind is RowKind.FOLD
    press(qtbot, auth, Qt.Key.Key_Return)
    assert auth.rows.row(0).kind is RowKind.LINE


@pytest.mark.parametrize("name", ["drop", "keep"])
def test_a_button_in_the_bar_asks_for_its_change(qtbot: QtBot, auth: DiffView, theme: Theme, name: str) -> None:
    header = row_with(auth, RowKind.HEADER, 1)
    auth.position.reveal(header)
    offers = frozenset({"drop", "keep"})
    auth.set_offers(offers)
    buttons = header_buttons(theme, auth.row_area(header), is_dropped=False, offers=offers)
    button = next(each for each in buttons if each.name == name)
    signal = auth.drop_requested if name == "drop" else auth.keep_requested
    with qtbot.waitSignal(signal) as asked:
        qtbot.mouseClick(auth.viewport(), Qt.MouseButton.LeftButton, pos=button.area.center())
    assert asked.args == [2]


def test_what_is_not_offered_is_neither_in_the_bar_nor_on_a_key_nor_in_the_menu(qtbot: QtBot, auth: DiffView) -> None:
    auth.set_offers(())
    press(qtbot, auth, Qt.Key.Key_N)
    with qtbot.assertNotEmitted(auth.drop_requested), qtbot.assertNotEmitted(auth.comment_requested):
        press(qtbot, auth, Qt.Key.Key_X)
        press(qtbot, auth, Qt.Key.Key_C)
    words = " ".join(action.text() for action in auth.menu().actions())
    assert "Drop" not in words
    assert "Comment" not in words


def test_x_asks_to_drop_and_when_dropped_to_keep(qtbot: QtBot, auth: DiffView) -> None:
    press(qtbot, auth, Qt.Key.Key_N)
    with qtbot.waitSignal(auth.drop_requested) as asked:
        press(qtbot, auth, Qt.Key.Key_X)
    assert asked.args == [1]
    auth.set_dropped([1])
    with qtbot.waitSignal(auth.keep_requested) as asked:
        press(qtbot, auth, Qt.Key.Key_X)
    assert asked.args == [1]


def test_c_asks_for_a_comment_on_the_line_one_is_at(qtbot: QtBot, auth: DiffView) -> None:
    auth.set_current(line_row(auth, 23))
    with qtbot.waitSignal(auth.comment_requested) as asked:
        press(qtbot, auth, Qt.Key.Key_C)
    assert asked.args == [False, 23, 23]


def test_c_on_a_bar_means_the_first_changed_line(qtbot: QtBot, auth: DiffView) -> None:
    press(qtbot, auth, Qt.Key.Key_N)
    with qtbot.waitSignal(auth.comment_requested) as asked:
        press(qtbot, auth, Qt.Key.Key_C)
    assert asked.args == [False, 20, 20]


def test_a_click_on_a_line_number_asks_for_a_comment(qtbot: QtBot, auth: DiffView) -> None:
    pane = auth.display.panes.panes[1]
    place = QPoint(pane.left + 8, auth.row_area(line_row(auth, 21)).center().y())
    with qtbot.waitSignal(auth.comment_requested) as asked:
        qtbot.mouseClick(auth.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert asked.args == [False, 21, 21]


def test_o_asks_to_open_the_file_at_the_line(qtbot: QtBot, auth: DiffView) -> None:
    auth.set_current(line_row(auth, 22))
    with qtbot.waitSignal(auth.open_requested) as asked:
        press(qtbot, auth, Qt.Key.Key_O)
    assert asked.args == ["app/routes/auth.py", 22]


def test_text_dragged_over_is_copied_without_numbers_and_signs(qtbot: QtBot, auth: DiffView) -> None:
    first, last = line_row(auth, 20), line_row(auth, 21)
    qtbot.mousePress(auth.viewport(), Qt.MouseButton.LeftButton, pos=letter(auth, first, 1))
    qtbot.mouseMove(auth.viewport(), letter(auth, last, 9))
    qtbot.mouseRelease(auth.viewport(), Qt.MouseButton.LeftButton, pos=letter(auth, last, 9))
    press(qtbot, auth, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "limited(lambda s: s.login_rate)\nasync def"


def test_a_selection_stays_on_the_side_where_it_began(qtbot: QtBot, auth: DiffView) -> None:
    first, last = line_row(auth, 19), line_row(auth, 22)
    qtbot.mousePress(auth.viewport(), Qt.MouseButton.LeftButton, pos=letter(auth, first, 0, pane=0))
    qtbot.mouseMove(auth.viewport(), letter(auth, last, 8, pane=1))
    qtbot.mouseRelease(auth.viewport(), Qt.MouseButton.LeftButton, pos=letter(auth, last, 8, pane=1))
    assert auth.selected_text().split("\n")[:2] == ['@router.post("/login")', "async def login(body: Login):"]


def test_lines_are_selected_with_shift_and_arrows(qtbot: QtBot, auth: DiffView) -> None:
    auth.set_current(line_row(auth, 20))
    press(qtbot, auth, Qt.Key.Key_Down, SHIFT)
    press(qtbot, auth, Qt.Key.Key_C, CONTROL)
    expected = "@limited(lambda s: s.login_rate)\nasync def login(body: Login, request: Request):"
    assert QGuiApplication.clipboard().text() == expected


def test_all_selected_is_the_whole_new_text_folded_lines_too(qtbot: QtBot, auth: DiffView) -> None:
    press(qtbot, auth, Qt.Key.Key_A, CONTROL)
    assert auth.selected_text() + "\n" == AUTH_AFTER.decode()


def test_search_counts_marks_and_walks_round(qtbot: QtBot, auth: DiffView) -> None:
    press(qtbot, auth, Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(auth.search.bar.field, "login")
    assert auth.search.bar._count.text() == "1 of 7"
    qtbot.keyClick(auth.search.bar.field, Qt.Key.Key_Return, SHIFT)
    assert auth.search.bar._count.text() == "7 of 7"
    qtbot.keyClick(auth.search.bar.field, Qt.Key.Key_F3)
    assert auth.search.bar._count.text() == "1 of 7"


def test_searching_opens_the_fold_that_hides_the_place(qtbot: QtBot, auth: DiffView) -> None:
    assert auth.search.set_text("password") == 1
    assert auth.rows.row(auth.display.current).new == 12


def test_escape_leaves_the_search_and_gives_the_keys_back(qtbot: QtBot, auth: DiffView) -> None:
    press(qtbot, auth, Qt.Key.Key_F, CONTROL)
    qtbot.keyClick(auth.search.bar.field, Qt.Key.Key_Escape)
    assert not auth.search.bar.isVisible()
    assert auth.hasFocus()


def test_w_goes_through_the_ways_to_show_white_space(qtbot: QtBot, auth: DiffView) -> None:
    seen = []
    for _ in range(3):
        press(qtbot, auth, Qt.Key.Key_W)
        seen.append(auth.whitespace)
    assert seen == [Whitespace.ALL, Whitespace.NONE, Whitespace.CHANGED]


def test_alt_z_wraps_long_lines_and_nothing_is_left_to_scroll_sideways(qtbot: QtBot, view: DiffView) -> None:
    view.show_diff(build_file_diff("a.txt", b"", b"word " * 100 + b"\nend\n"))
    assert view.horizontalScrollBar().maximum() > 0
    row = line_row(view, 1)
    before = view.row_area(row).height()
    press(qtbot, view, Qt.Key.Key_Z, ALT)
    assert view.horizontalScrollBar().maximum() == 0
    assert view.row_area(row).height() >= 3 * before


def test_a_cut_line_says_how_much_is_missing_and_a_click_shows_it(qtbot: QtBot, view: DiffView) -> None:
    view.show_diff(build_file_diff("a.js", b"x\n", b"0123456789" * 100_000 + b"\n"))
    row = line_row(view, 1)
    pane = view.display.panes.panes[-1]
    line = view.display.shown(view.rows.row(row), pane)
    assert line is not None
    assert line.end_text == "⋯ 995,000 more"
    chip = view.painter.text.end_area(view.display, pane, line, view.row_area(row))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=chip.center())
    opened = view.display.shown(view.rows.row(row), pane)
    assert opened is not None
    assert (len(opened.styled.text), opened.end_text) == (1_000_000, "")
    view.horizontalScrollBar().setValue(view.horizontalScrollBar().maximum())
    view.viewport().repaint()


def test_enter_opens_a_cut_line_on_both_sides(qtbot: QtBot, view: DiffView) -> None:
    text = b"0123456789" * 1000
    view.show_diff(build_file_diff("a.js", text + b"a\n", text + b"b\n"))
    view.set_current(line_row(view, 1))
    press(qtbot, view, Qt.Key.Key_Return)
    assert [view.display.styles.line(is_old, 0).cut for is_old in (True, False)] == [0, 0]


def test_removed_lines_are_tinted_on_the_left_and_added_on_the_right(auth: DiffView, theme: Theme) -> None:
    row = line_row(auth, 21)
    old, new = auth.display.panes.panes
    y = auth.row_area(row).top() + 1
    assert color_at(auth, QPoint(old.right - 4, y)) == theme.color("removed")
    assert color_at(auth, QPoint(new.right - 4, y)) == theme.color("added")


def test_a_dropped_change_is_veiled(auth: DiffView, theme: Theme) -> None:
    place = QPoint(auth.display.panes.panes[1].right - 4, auth.row_area(line_row(auth, 21)).top() + 1)
    auth.set_dropped([1])
    assert color_at(auth, place) != theme.color("added")


def test_a_comment_stands_under_its_line(auth: DiffView) -> None:
    auth.set_comments([InlineComment(21, "Why?")])
    row = row_with(auth, RowKind.COMMENT)
    assert auth.rows.row(row - 1).new == 20
    assert auth.row_text(row) == "You on line 21: Why?"


def test_a_small_diff_asks_for_its_own_height_and_a_large_one_for_no_more_than_allowed(view: DiffView) -> None:
    view.show_diff(build_file_diff("a.txt", b"a\n", b"b\n"))
    small = view.sizeHint().height()
    before, after = a_long_edit()
    view.show_diff(build_file_diff("a.py", before, after))
    unfold_all(view)
    assert small < 80
    assert view.sizeHint().height() == 480
    assert view.full_height > 4_000


def test_the_overview_leads_to_where_it_is_clicked(qtbot: QtBot, view: DiffView) -> None:
    before, after = a_long_edit()
    view.show_diff(build_file_diff("a.py", before, after))
    unfold_all(view)
    ruler = view._ruler
    assert ruler.isVisible()
    assert len({token for _, _, token in ruler.marks}) == 2
    qtbot.mouseClick(ruler, Qt.MouseButton.LeftButton, pos=QPoint(4, ruler.height() - 2))
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_changing_the_columns_keeps_the_line_at_the_top(qtbot: QtBot, view: DiffView) -> None:
    before, after = a_long_edit()
    view.show_diff(build_file_diff("a.py", before, after))
    unfold_all(view)
    view.go_to_line(300)
    view.verticalScrollBar().setValue(view.heights.top(line_row(view, 295)))
    press(qtbot, view, Qt.Key.Key_V)
    top = view.row_at(0)
    assert top is not None
    assert view.rows.row(top).new == 294


def test_the_whole_change_can_be_read_as_text(auth: DiffView) -> None:
    text = auth.as_text()
    assert "-async def login(body: Login):\n+@limited(lambda s: s.login_rate)" in text
    assert auth.accessibleName() == "Changes in app/routes/auth.py"


def test_text_that_is_read_follows_a_comparison_that_arrives_later(auth: DiffView) -> None:
    auth.read_as_text()
    auth.show_diff(build_file_diff("a.txt", b"Hello\n", b"Goodbye\n"))
    text = auth.findChild(QPlainTextEdit, "diff-as-text")
    assert text is not None
    assert "Goodbye" in text.toPlainText()


def test_the_menu_offers_what_the_keys_do(auth: DiffView) -> None:
    auth.go_to_change(1)
    words = [action.text().split("\t")[0] for action in auth.menu().actions() if action.text()]
    assert words[:3] == ["Drop this change", "Comment", "Copy"]
    assert {"Open in editor", "Search", "One column", "Wrap long lines"} <= set(words)
    menu = {action.text().split("\t")[0]: action for action in auth.menu().actions()}
    menu["Next change"].trigger()
    assert auth.current_hunk == 2
    menu["Previous change"].trigger()
    assert auth.current_hunk == 1


def test_keys_that_mean_nothing_here_are_left_to_the_window(qtbot: QtBot, auth: DiffView) -> None:
    for key in (Qt.Key.Key_Space, Qt.Key.Key_J, Qt.Key.Key_Escape):
        event = QKeyEvent(QKeyEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
        QCoreApplication.sendEvent(auth, event)
        assert not event.isAccepted()


def test_another_theme_and_zoom_change_colours_and_heights_at_once(auth: DiffView, theme: Theme) -> None:
    height = auth.row_area(line_row(auth, 21)).height()
    theme.set_theme("light")
    theme.set_zoom(2.0)
    row = line_row(auth, 21)
    auth.position.reveal(row)
    pane = auth.display.panes.panes[-1]
    assert auth.row_area(row).height() == 2 * height
    assert color_at(auth, QPoint(pane.right - 4, auth.row_area(row).top() + 3)) == theme.color("added")


def test_words_stand_above_the_lines(view: DiffView) -> None:
    view.show_diff(build_file_diff("a.txt", b"a\nb\n", b"a\r\nb\r\n"))
    assert view.row_text(0) == "Line endings change from LF to CRLF (2 lines). Nothing else changes."


def test_bytes_are_shown_when_a_person_asks(qtbot: QtBot, view: DiffView) -> None:
    view.show_diff(build_file_diff("a.bin", b"\0one\n", b"\0two\n"))
    press(qtbot, view, Qt.Key.Key_End, CONTROL)
    press(qtbot, view, Qt.Key.Key_Return)
    assert "added 1 ␀two" in view.row_text(len(view.rows) - 1)


def test_change_below_the_fold_is_unseen_until_one_scrolls_there(qtbot: QtBot, view: DiffView) -> None:
    before = "".join(f"line {n}\n" for n in range(400))
    after = before.replace("line 3\n", "LINE 3\n").replace("line 390\n", "LINE 390\n")
    view.show_diff(build_file_diff("a.txt", before.encode(), after.encode()))
    unfold_all(view)
    view.viewport().repaint()
    assert view.unseen_changes == 1
    qtbot.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    view.viewport().repaint()
    assert view.unseen_changes == 0


def test_folded_regions_are_counted_until_they_are_opened(view: DiffView) -> None:
    before = "".join(f"line {n}\n" for n in range(400))
    after = before.replace("line 200\n", "LINE 200\n")
    view.show_diff(build_file_diff("a.txt", before.encode(), after.encode()))
    assert view.folded_regions == 2
    unfold_all(view)
    assert view.folded_regions == 0
