"""Every line is in exactly one row or in one fold, whatever the contents and however they are looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.ui.diff.model import build_file_diff
from tandem_desktop.ui.diff.options import title_of
from tandem_desktop.ui.diff.painter import fold_text
from tandem_desktop.ui.diff.rows import CellKind, DiffRows, InlineComment, RowKind, align
from tandem_desktop.ui.diff.seen import SeenLines
from tests.ui.diff.samples import AUTH_AFTER, AUTH_BEFORE, a_long_edit

CONTENTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"if x:\n", b"    y = 1\n", b"\n", b"end"]), max_size=40).map(
    b"".join
)


def shown_lines(rows: DiffRows) -> tuple[list[int], list[int]]:
    old: list[int] = []
    new: list[int] = []
    for index in range(len(rows)):
        row = rows.row(index)
        if row.kind is RowKind.FOLD:
            assert row.is_change or (row.old is not None and row.new is not None)
            old.extend([] if row.old is None else range(row.old, row.old + row.lines))
            new.extend([] if row.new is None else range(row.new, row.new + row.lines))
        elif row.kind is RowKind.LINE:
            old.extend([] if row.old is None else [row.old])
            new.extend([] if row.new is None else [row.new])
    return old, new


@given(before=CONTENTS, after=CONTENTS, is_split=st.booleans(), unfolded=st.frozensets(st.integers(0, 5)))
def test_lines_shown_and_lines_folded_are_all_lines(
    before: bytes, after: bytes, is_split: bool, unfolded: frozenset[int]
) -> None:
    diff = build_file_diff("a.py", before, after)
    rows = DiffRows(diff, is_split=is_split, unfolded=unfolded)
    old, new = shown_lines(rows)
    assert sorted(old) == list(range(len(diff.old)))
    assert sorted(new) == list(range(len(diff.new)))
    assert (old, new) == (sorted(old), sorted(new))


@given(before=CONTENTS, after=CONTENTS, is_split=st.booleans())
def test_a_row_can_be_found_by_its_line(before: bytes, after: bytes, is_split: bool) -> None:
    rows = DiffRows(build_file_diff("a.py", before, after), is_split=is_split)
    for index in range(len(rows)):
        row = rows.row(index)
        if row.kind is RowKind.LINE and row.new is not None:
            assert rows.row_of(new=row.new) == index
        if row.kind is RowKind.LINE and row.old is not None:
            found = rows.row_of(old=row.old)
            assert found is not None
            assert rows.row(found).old == row.old


@given(before=CONTENTS, after=CONTENTS, is_split=st.booleans(), line=st.integers(1, 10))
def test_a_comment_moves_no_line(before: bytes, after: bytes, is_split: bool, line: int) -> None:
    diff = build_file_diff("a.py", before, after)
    plain = DiffRows(diff, is_split=is_split)
    commented = DiffRows(diff, is_split=is_split, comments=[InlineComment(line, "why")])
    assert shown_lines(commented) == shown_lines(plain)
    assert len(commented) - len(plain) in (0, 1)


def test_a_changed_line_stands_beside_the_line_it_resembles() -> None:
    assert align(["def login(body):"], ["@limited", "def login(body, request):"]) == ((None, 0), (0, 1))
    assert align(["one two", "three four"], ["three four five"]) == ((0, None), (1, 0))


@given(st.lists(st.text(max_size=8), max_size=9), st.lists(st.text(max_size=8), max_size=9))
def test_aligning_keeps_all_lines_in_order(old: list[str], new: list[str]) -> None:
    pairs = align(old, new)
    assert [a for a, _ in pairs if a is not None] == list(range(len(old)))
    assert [b for _, b in pairs if b is not None] == list(range(len(new)))
    assert len(pairs) == max(len(old), len(new))


def test_sides_of_a_row_are_told_apart() -> None:
    rows = DiffRows(build_file_diff("a", b"a\nb\n", b"a\nc\nd\n"), is_split=True)
    cells = [(rows.row(index).left, rows.row(index).right) for index in range(1, len(rows))]
    assert cells == [
        (CellKind.CONTEXT, CellKind.CONTEXT),
        (CellKind.REMOVED, CellKind.ADDED),
        (CellKind.FILLER, CellKind.ADDED),
    ]


def test_removed_lines_stand_above_added_ones_in_one_column() -> None:
    rows = DiffRows(build_file_diff("a", b"a\nb\n", b"c\nd\n"), is_split=False)
    assert [(rows.row(index).old, rows.row(index).new) for index in range(1, 5)] == [
        (0, None),
        (1, None),
        (None, 0),
        (None, 1),
    ]
    assert rows.row(1).pair == rows.row(3).pair == (0, 0)


@pytest.mark.parametrize(
    ("before", "after", "titles"),
    [(AUTH_BEFORE, AUTH_AFTER, ["login()", "end()"]), (*a_long_edit(), ["number_3()", "number_31()", "number_50()"])],
)
def test_a_change_is_named_after_what_it_lies_in(before: bytes, after: bytes, titles: list[str]) -> None:
    diff = build_file_diff("a.py", before, after)
    assert [title_of("a.py", hunk, diff.new) for hunk in diff.hunks] == titles


def test_a_change_outside_any_function_has_no_name() -> None:
    diff = build_file_diff("a.py", b"import a\nx = 1\n", b"import a\nx = 2\n")
    assert title_of("a.py", diff.hunks[0], diff.new) == ""


def test_prose_is_named_after_its_heading() -> None:
    diff = build_file_diff("a.md", b"# Use\n\none\n", b"# Use\n\ntwo\n")
    assert title_of("a.md", diff.hunks[0], diff.new) == "Use"


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


def test_many_empty_lines_are_one_row_with_their_number_and_unfold() -> None:
    before, after = b"one\ntwo\n", b"one\n" + b"\n" * 400 + b"run()\n" + b"two\n"
    diff = build_file_diff("a.py", before, after)
    for is_split in (True, False):
        rows = DiffRows(diff, is_split=is_split)
        folds = [index for index in range(len(rows)) if rows.row(index).kind is RowKind.FOLD]
        assert [fold_text(rows, rows.row(index)) for index in folds] == ["⟨¶×400⟩ 400 empty lines added"]
        assert len(rows) < 10
        assert rows.row_of(new=200) == folds[0]
        payload = rows.row_of(new=401)
        assert payload is not None
        assert diff.new.line(rows.row(payload).new or 0) == "run()"
        opened = DiffRows(diff, is_split=is_split, unfolded=frozenset({rows.row(folds[0]).number}))
        assert len(opened) == len(rows) + 399


@given(
    st.lists(st.sampled_from(["", " ", "a", "b", "\t"]), max_size=30),
    st.lists(st.sampled_from(["", "a", "c"]), max_size=30),
)
def test_every_line_has_its_row_or_its_fold_however_many_are_empty(old: list[str], new: list[str]) -> None:
    diff = build_file_diff("a", "\n".join(old).encode(), "\n".join(new).encode())
    for is_split in (True, False):
        rows = DiffRows(diff, is_split=is_split)
        shown = {"old": set[int](), "new": set[int]()}
        for index in range(len(rows)):
            row = rows.row(index)
            for side, first in (("old", row.old), ("new", row.new)):
                if first is not None and row.kind in (RowKind.LINE, RowKind.FOLD):
                    shown[side].update(range(first, first + max(1, row.lines)))
        assert shown == {"old": set(range(len(diff.old))), "new": set(range(len(diff.new)))}
        for line in range(len(diff.new)):
            assert rows.row_of(new=line) is not None
