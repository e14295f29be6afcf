"""A change that is proved to be mechanical is folded to a line that says what it is, and opens like any fold."""

import pytest

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines, ProvedChange, changed_lines
from tandem_desktop.ui.diff.model import FileDiff, build_file_diff
from tandem_desktop.ui.diff.painter import fold_text
from tandem_desktop.ui.diff.rows import DiffRow, DiffRows, RowKind

BEFORE = b"f(1,2)\n" + b"x\n" * 9 + b"y = 1\n"
AFTER = b"f(\n    1,\n    2\n)\n" + b"x\n" * 9 + b"y = 2\n"


@pytest.fixture
def diff() -> FileDiff:
    return build_file_diff("a.py", BEFORE, AFTER)


def folds(rows: DiffRows) -> list[DiffRow]:
    found = [rows.row(index) for index in range(len(rows))]
    return [row for row in found if row.kind is RowKind.FOLD and row.is_change]


def format_only(diff: FileDiff) -> ProvedChange:
    return ProvedChange(next(iter(changed_lines(diff.hunks))), ChangeClass.FORMAT)


@pytest.mark.parametrize("is_split", [True, False])
def test_proved_change_is_one_row_and_the_other_stays(diff: FileDiff, is_split: bool) -> None:
    rows = DiffRows(diff, is_split=is_split, proved=(format_only(diff),))

    (fold,) = folds(rows)

    assert fold_text(rows, fold) == "≡ Format only · 4 lines"
    assert rows.proof(fold) == format_only(diff)
    shown = [rows.row(index) for index in range(len(rows))]
    changed = [(row.old, row.new) for row in shown if row.kind is RowKind.LINE and row.is_change]
    assert changed == ([(10, 13)] if is_split else [(10, None), (None, 13)])


@pytest.mark.parametrize("is_split", [True, False])
def test_opened_fold_shows_every_line(diff: FileDiff, is_split: bool) -> None:
    proved = (format_only(diff),)
    (fold,) = folds(DiffRows(diff, is_split=is_split, proved=proved))

    rows = DiffRows(diff, is_split=is_split, proved=proved, unfolded=frozenset({fold.number}))

    assert not folds(rows)
    shown = [rows.row(index) for index in range(len(rows))]
    assert {row.new for row in shown if row.is_change and row.new is not None} == {0, 1, 2, 3, 13}


def test_move_tells_where_it_went_and_where_it_came_from() -> None:
    diff = build_file_diff("a.py", b"a\nb\nc\nd\n", b"a\nd\ne\nf\n")
    (gone, come) = changed_lines(diff.hunks)
    proved = (
        ProvedChange(ChangedLines(1, gone.old, (1, 1)), ChangeClass.MOVE, "b.py", 7),
        ProvedChange(ChangedLines(1, (4, 4), come.new), ChangeClass.MOVE, "c.py", 1_200),
    )
    rows = DiffRows(diff, is_split=False, proved=proved)

    words = [fold_text(rows, fold) for fold in folds(rows)]

    assert words == ["≡ Moved to b.py:7 · 2 lines", "≡ Moved from c.py:1,200 · 2 lines"]


def test_move_that_stands_beside_another_change_is_not_folded_away_with_it() -> None:
    diff = build_file_diff("a.py", b"a\nb\nc\n", b"x\ny\nz\n")
    half = ProvedChange(ChangedLines(1, (0, 3), (0, 0)), ChangeClass.MOVE, "b.py", 1)

    assert not folds(DiffRows(diff, is_split=True, proved=(half,)))
    (fold,) = folds(DiffRows(diff, is_split=False, proved=(half,)))
    assert (fold.old, fold.new, fold.lines) == (0, None, 3)


def test_few_proved_lines_within_another_change_are_dimmed_and_many_are_folded() -> None:
    comments = b"# words\n" * 6
    diff = build_file_diff("a.py", b"a\n", b"a\n# word\nb\n" + comments + b"c\n")
    few, many = ChangedLines(1, (1, 1), (1, 2)), ChangedLines(1, (1, 1), (3, 9))
    rows = DiffRows(diff, is_split=False, proved=tuple(ProvedChange(each, ChangeClass.COMMENT) for each in (few, many)))

    assert [fold_text(rows, fold) for fold in folds(rows)] == ["≡ Comments only · 6 lines"]
    assert [rows.is_quiet(False, line) for line in (1, 2, 3)] == [True, False, True]
    assert rows.row_of(new=1) is not None


def test_rename_tells_the_names() -> None:
    diff = build_file_diff("a.py", b"a\n", b"b\n")
    (lines,) = changed_lines(diff.hunks)
    rows = DiffRows(diff, is_split=True, proved=(ProvedChange(lines, ChangeClass.RENAME, "one → other", 7),))

    assert [fold_text(rows, fold) for fold in folds(rows)] == ["≡ Renamed one → other · 1 line"]
