"""Changes of white space alone can be folded to their number; nothing hidden so counts as seen."""

import pytest
from PySide6.QtCore import QRect
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.diff.model import FileDiff, build_file_diff
from tandem_desktop.ui.diff.options import DiffOptions
from tandem_desktop.ui.diff.painter import fold_text
from tandem_desktop.ui.diff.rows import DiffRows, RowKind
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.theme.theme import Theme

BEFORE = b"if a:\n    one()\n    two()\nend\n"
AFTER = b"if b:\n\tone( )\n\tthree()\nend\n"


def shown(
    diff: FileDiff, *, is_split: bool, opened: frozenset[int] = frozenset()
) -> tuple[list[str], set[int], set[int]]:
    """The folds, and the changed lines of both sides that have rows."""
    rows = DiffRows(diff, is_split=is_split, ignores_space=True, unfolded=opened)
    every = [rows.row(index) for index in range(len(rows))]
    changed = [row for row in every if row.kind is RowKind.LINE and row.is_change]
    folds = [fold_text(rows, row) for row in every if row.kind is RowKind.FOLD]
    return (
        folds,
        {row.old for row in changed if row.old is not None},
        {row.new for row in changed if row.new is not None},
    )


@pytest.mark.parametrize("is_split", [True, False])
def test_only_lines_that_differ_in_white_space_alone_are_hidden(is_split: bool) -> None:
    folds, old, new = shown(build_file_diff("a.py", BEFORE, AFTER), is_split=is_split)

    assert folds == ["⋯ White space only · 1 line hidden"]
    assert (old, new) == ({0, 2}, {0, 2})


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"a b\n", b"a\xc2\xa0b\n"), (b"ab\n", b"a\xe2\x80\x8bb\n"), (b"a\n", b"\na\n"), (b"\xff\n", b"\xff \n\0")],
    ids=["no-break space", "zero width space", "an empty line", "bytes"],
)
def test_what_is_no_plain_white_space_within_a_line_is_never_hidden(before: bytes, after: bytes) -> None:
    folds, *_ = shown(build_file_diff("a.py", before, after), is_split=False)

    assert not [fold for fold in folds if "White space" in fold]


def test_hidden_white_space_counts_as_seen_only_once_it_was_opened(qtbot: QtBot, theme: Theme) -> None:
    view = DiffView(theme)
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show_diff(build_file_diff("a.py", BEFORE, AFTER))
    view.set_options(DiffOptions(ignores_space=True))
    with qtbot.waitExposed(view):
        view.show()
    view.repaint(QRect(0, 0, 900, 400))
    assert view.unseen_changes == 1

    (fold,) = (index for index, kind in view.rows.special if kind is RowKind.FOLD)
    view.unfold_row(fold)
    view.repaint()
    assert view.unseen_changes == 0


def test_a_new_window_does_not_ignore_white_space() -> None:
    assert not DiffOptions.remembered({"ignores_space": True}).ignores_space
