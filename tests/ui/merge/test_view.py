"""Three contents as rows: nothing is lost, what is unchanged is folded, a conflict has a head."""

from tandem_desktop.diff.three_way import Meeting, aligned
from tandem_desktop.ui.merge.view import Column, merge_rows

BASE = [b"%d\n" % n for n in range(40)]
DISK = [*BASE[:20], b"mine\n", b"mine too\n", *BASE[21:]]
PROPOSED = [*BASE[:20], b"theirs\n", *BASE[21:]]


def test_opened_folds_show_every_line_of_each_column_in_order() -> None:
    stretches = tuple(aligned(BASE, DISK, PROPOSED))
    rows = merge_rows(stretches, opened=range(len(stretches)))
    for column, content in ((Column.BASE, BASE), (Column.DISK, DISK), (Column.PROPOSED, PROPOSED)):
        assert [row.cells[column] for row in rows if row.shown(column)] == list(range(len(content)))


def test_unchanged_lines_far_from_a_conflict_are_folded_and_counted() -> None:
    rows = merge_rows(tuple(aligned(BASE, DISK, PROPOSED)))
    assert [row.folded for row in rows if row.folded] == [17, 16]
    assert [row.region for row in rows if row.is_head] == [1]


def test_stacked_rows_hold_one_line_each_and_all_three_sides_of_a_conflict() -> None:
    rows = merge_rows(tuple(aligned(BASE, DISK, PROPOSED)), stacked=True)
    conflict = [row for row in rows if row.meeting is Meeting.CONFLICT and not row.is_head]
    assert [sum(map(row.shown, Column)) for row in conflict] == [1, 1, 1, 1]
    assert [next(c for c in Column if row.shown(c)) for row in conflict] == [
        Column.BASE,
        Column.DISK,
        Column.DISK,
        Column.PROPOSED,
    ]
