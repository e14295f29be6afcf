"""A notebook is compared cell by cell, and what its cells do not show is counted."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff.notebooks import NotebookDiff, notebook_diff
from tests.support.file_samples import NOTEBOOK_AFTER, NOTEBOOK_BEFORE, a_cell, a_notebook


def compared(before: bytes, after: bytes) -> NotebookDiff:
    found = notebook_diff(before, after)
    assert found is not None
    return found


def test_changed_cells_show_source_and_output_and_the_rest_is_counted() -> None:
    found = compared(NOTEBOOK_BEFORE, NOTEBOOK_AFTER)
    assert [(cell.old_number, cell.new_number) for cell in found.cells] == [(1, 1), (2, 2), (None, 3)]
    assert [line.text for line in found.cells[0].source] == [
        "frame = pd.read_csv('people.csv')",
        "frame = pd.read_csv('data/people.csv')",
    ]
    assert [(line.is_old, line.text) for line in found.cells[1].outputs] == [(True, "4500.0"), (False, "4650.0")]
    assert found.folded == {"execution_count": 3, "metadata": 1}


def test_picture_in_an_output_differs_by_its_digest() -> None:
    sides = [a_cell("a", "plot()") for _ in range(2)]
    for cell, data in zip(sides, ("AAAA", "BBBB"), strict=True):
        cell["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": {"image/png": data}}]
    (cell,) = compared(a_notebook(sides[0]), a_notebook(sides[1])).cells
    assert [line.text.partition(", sha256")[0] for line in cell.outputs] == ["image/png, 3 bytes"] * 2


def test_notebook_that_is_only_written_otherwise_says_so() -> None:
    assert compared(NOTEBOOK_BEFORE, json.dumps(json.loads(NOTEBOOK_BEFORE)).encode()).is_formatting_only


def test_what_is_no_notebook_is_none() -> None:
    for content in (b"{", b"[]", b'{"cells": 3}', b'{"cells": [1]}', b'{"cells": [], "cells": []}', b"\xff"):
        assert notebook_diff(NOTEBOOK_BEFORE, content) is None


_VALUES = st.recursive(
    st.none() | st.integers(0, 2) | st.text("ab\n", max_size=3), lambda inner: st.lists(inner, max_size=2)
)
_CELLS = st.lists(
    st.fixed_dictionaries(
        {"cell_type": st.sampled_from(["code", "markdown"]), "source": _VALUES},
        optional={"metadata": _VALUES, "execution_count": _VALUES, "id": _VALUES, "outputs": _VALUES},
    ),
    max_size=3,
)


@given(_CELLS, _CELLS)
def test_every_difference_is_shown_or_counted(old: list[dict[str, object]], new: list[dict[str, object]]) -> None:
    found = notebook_diff(a_notebook(*old), a_notebook(*new))
    if found is not None:
        assert (old != new) == bool(found.cells or found.folded)


@given(st.binary(max_size=100))
def test_no_content_makes_it_fail(content: bytes) -> None:
    notebook_diff(content, NOTEBOOK_AFTER)
    notebook_diff(NOTEBOOK_BEFORE, content)
