"""What was in sight is remembered exactly, in whatever order one looked."""

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.diff.canvas import SeenLines
from tandem_desktop.ui.diff.model import build_file_diff
from tandem_desktop.ui.diff.view import DiffView

stretches = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)))


@given(stretches, st.integers(0, 70), st.integers(0, 10))
def test_lines_are_covered_exactly_when_each_of_them_was_seen(
    looks: list[tuple[int, int]], first: int, more: int
) -> None:
    seen, truth = SeenLines(), set[int]()
    for start, length in looks:
        seen.add(start, start + length)
        truth |= set(range(start, start + length + 1))
    assert seen.covers(first, first + more) == (set(range(first, first + more + 1)) <= truth)


def test_change_below_the_fold_is_unseen_until_one_scrolls_there(qtbot: QtBot, view: DiffView) -> None:
    before = "".join(f"line {n}\n" for n in range(400))
    after = before.replace("line 3\n", "LINE 3\n").replace("line 390\n", "LINE 390\n")
    view.show_diff(build_file_diff("a.txt", before.encode(), after.encode()))
    view.unfold_all()
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
    view.unfold_all()
    assert view.folded_regions == 0
