"""A table is compared row by row and cell by cell, and what its cells do not tell is counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff.tables import MOST_ROWS, TableDiff, table_diff


def compared(before: bytes, after: bytes, path: str = "a.csv") -> TableDiff:
    found = table_diff(path, before, after)
    assert found is not None
    return found


def changed(found: TableDiff) -> list[tuple[tuple[str, ...] | None, tuple[str, ...] | None]]:
    return [(row.old, row.new) for row in found.rows if row is not None and row.is_change]


def test_changed_rows_stand_beside_each_other_and_others_are_added_or_removed() -> None:
    before = b"id,name\n1,a\n2,b\n3,c\n4,d\n5,e\n"
    after = b"id,name\n1,a\n2,B\n4,d\n4a,x\n5,e\n"
    found = compared(before, after)
    assert changed(found) == [(("2", "b"), ("2", "B")), (("3", "c"), None), (None, ("4a", "x"))]
    assert found.header == ("id", "name")
    assert [found.count(kind) for kind in ("changed", "added", "removed")] == [1, 1, 1]
    assert found.reformatted == 0


@pytest.mark.parametrize(
    ("path", "content"),
    [("a.csv", b"id;name\n1;a, b\n"), ("a.tsv", b"id\tname\n1\ta, b\n"), ("a.csv", b"id|name\n1|a, b\n")],
)
def test_delimiter_is_found_in_the_first_line(path: str, content: bytes) -> None:
    assert changed(compared(b"", content, path)) == [(None, ("id", "name")), (None, ("1", "a, b"))]


@pytest.mark.parametrize(
    "after",
    [
        b'id,name\n1,"a"\n2,b\n',
        b"id,name\r\n1,a\r\n2,b\r\n",
        b"id,name\n1,a\n2,b",
        b"\xef\xbb\xbfid,name\n1,a\n2,b\n",
    ],
)
def test_difference_in_quotes_or_line_ends_is_formatting_and_counted(after: bytes) -> None:
    found = compared(b"id,name\n1,a\n2,b\n", after)
    assert found.is_formatting_only
    assert found.reformatted > 0


def test_changed_row_that_is_quoted_otherwise_too_is_counted() -> None:
    assert compared(b"id,name\n1,a\n", b'id,name\n1,"b"\n').reformatted == 1


@pytest.mark.parametrize("content", [b'a,b\n1,"open\n', b"a,b\n\0,1\n", b"a,b\n" + b"x" * 600 + b",1\n"])
def test_what_is_no_table_is_none(content: bytes) -> None:
    assert table_diff("a.csv", b"a,b\n1,2\n", content) is None


def test_file_with_one_column_is_no_table() -> None:
    assert table_diff("a.csv", b"one\n", b"one column\nonly\n") is None


def test_change_of_very_many_rows_is_no_table() -> None:
    rows = b"".join(b"%d,%d\n" % (n, n) for n in range(MOST_ROWS + 1))
    assert table_diff("a.csv", b"", b"a,b\n" + rows) is None


_CELL = st.text(alphabet='ab,"\n\r é\u202e1', max_size=4)
_FILES = st.one_of(
    st.binary(max_size=80),
    st.lists(st.lists(_CELL, min_size=2, max_size=3), max_size=5).map(
        lambda rows: "".join(",".join(row) + "\n" for row in rows).encode()
    ),
)


@given(_FILES, _FILES)
def test_every_difference_is_a_changed_row_or_counted_as_formatting(before: bytes, after: bytes) -> None:
    found = table_diff("a.csv", before, after)
    if found is not None:
        assert (before != after) == bool(changed(found) or found.reformatted)
        for old, new in changed(found):
            assert old != new
