"""How much of a file is shown around its changes, how that is chosen, and that a choice holds everywhere and stays."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.diff.model import build_file_diff
from tandem_desktop.ui.diff.options import WHOLE_FILE, DiffOptions, DiffPreferences
from tandem_desktop.ui.diff.panes import more_area
from tandem_desktop.ui.diff.rows import Around, DiffRows, RowKind
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.theme.theme import Theme
from tests.ui.diff.samples import a_long_edit
from tests.ui.diff.test_rows import shown_lines

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def long(view: DiffView) -> DiffView:
    view.show_diff(build_file_diff("app/long.py", *a_long_edit()))
    return view


def folds(view: DiffView) -> list[int]:
    rows = [view.rows.row(index) for index in range(len(view.rows))]
    return [row.lines for row in rows if row.kind is RowKind.FOLD]


@given(every=st.integers(0, 60), more=st.dictionaries(st.integers(0, 8), st.integers(0, 60)), is_split=st.booleans())
def test_lines_shown_and_lines_folded_are_all_lines_however_many_are_wanted(
    every: int, more: dict[int, int], is_split: bool
) -> None:
    diff = build_file_diff("a.py", *a_long_edit())
    old, new = shown_lines(DiffRows(diff, is_split=is_split, around=Around(every, more)))
    assert old == list(range(len(diff.old)))
    assert new == list(range(len(diff.new)))


def test_more_lines_around_changes_are_taken_from_the_folds_on_the_sides_that_have_a_change(long: DiffView) -> None:
    few = folds(long)
    long.set_context(10)
    # The first and the last fold lie beside one change only.
    assert folds(long) == [few[0] - 7, *(each - 14 for each in few[1:-1]), few[-1] - 7]


def test_f_shows_the_whole_file_and_only_the_changes_again(qtbot: QtBot, long: DiffView) -> None:
    few = folds(long)
    qtbot.keyClick(long, Qt.Key.Key_F)
    assert folds(long) == []
    qtbot.keyClick(long, Qt.Key.Key_F)
    assert folds(long) == few


def test_a_fold_opens_by_ten_lines_at_both_ends_by_pointer_and_by_key(qtbot: QtBot, long: DiffView) -> None:
    few = folds(long)
    second = [index for index in range(len(long.rows)) if long.rows.row(index).kind is RowKind.FOLD][1]
    long.set_current(second)
    place: QPoint = more_area(long.theme, long.row_area(second), long.rows.row(second)).center()
    qtbot.mouseClick(long.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert folds(long) == [few[0], few[1] - 20, *few[2:]]
    long.set_current(second + 10)
    qtbot.keyClick(long, Qt.Key.Key_Return, SHIFT)
    assert folds(long) == [few[0], few[1] - 40, *few[2:]]


def test_lines_pulled_over_in_the_numbers_are_commented_on_together(qtbot: QtBot, long: DiffView) -> None:
    long.go_to_change(1)
    line, pane = long.current_line, long.display.panes.panes[1]
    places = []
    for wanted in (line, line + 2):
        row = long.rows.row_of(new=wanted - 1)
        assert row is not None
        places.append(QPoint(pane.left + 8, long.row_area(row).center().y()))
    qtbot.mousePress(long.viewport(), Qt.MouseButton.LeftButton, pos=places[0])
    qtbot.mouseMove(long.viewport(), places[1])
    with qtbot.waitSignal(long.comment_requested) as asked:
        qtbot.mouseRelease(long.viewport(), Qt.MouseButton.LeftButton, pos=places[1])
    assert asked.args == [False, line, line + 2]


def test_git_applies_the_patch_that_is_copied(long: DiffView, tmp_path: Path) -> None:
    before, after = a_long_edit()
    file = tmp_path / "app" / "long.py"
    file.parent.mkdir()
    file.write_bytes(before)
    subprocess.run(["git", "apply", "-"], input=long.patch().encode(), cwd=tmp_path, check=True)
    assert file.read_bytes() == after
    assert long.patch(2).count("@@ ") == 1


def test_what_cannot_be_seen_does_not_leave_as_a_patch(view: DiffView) -> None:
    for after in (b"a\xe2\x80\xaeb\n", b"\x00\x01", b"caf\xe9\n"):
        view.show_diff(build_file_diff("a.txt", b"a\n", after))
        assert view.patch() == ""


def test_a_choice_in_one_diff_holds_in_the_others_and_is_kept(qtbot: QtBot, theme: Theme, view: DiffView) -> None:
    kept: list[dict[str, object]] = []
    preferences, other = DiffPreferences(keep=kept.append), DiffView(theme)
    qtbot.addWidget(other)
    for each in (view, other):
        preferences.changed.connect(each.set_options)
        each.layout_changed.connect(lambda each=each: preferences.update(each.options))
    view.show_diff(build_file_diff("a.py", b"a = 1\n", b"a = 2\n"))
    for key, modifier in (
        (Qt.Key.Key_V, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Z, Qt.KeyboardModifier.AltModifier),
    ):
        qtbot.keyClick(view, key, modifier)
    qtbot.keyClick(view, Qt.Key.Key_F)
    wanted = DiffOptions(splits=False, wraps=True, context=WHOLE_FILE)
    assert other.options == wanted
    assert DiffOptions.remembered(kept[-1]) == wanted


@pytest.mark.parametrize("kept", [None, [], {"context": "x"}, {"whitespace": "SOME"}, {"context": -4}])
def test_what_was_kept_and_cannot_be_understood_is_the_usual(kept: object) -> None:
    assert DiffOptions.remembered(kept) == DiffOptions()


def test_t_reads_the_change_as_text_and_escape_leads_back(qtbot: QtBot, long: DiffView) -> None:
    qtbot.keyClick(long, Qt.Key.Key_T)
    text = long.findChild(QPlainTextEdit, "diff-as-text")
    assert text is not None
    assert text.toPlainText() == long.as_text()
    assert text.hasFocus()
    qtbot.keyClick(text, Qt.Key.Key_Escape)
    assert text.isHidden()
    assert long.hasFocus()
