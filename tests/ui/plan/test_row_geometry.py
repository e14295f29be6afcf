from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.ui.plan.row_geometry import RowGeometry, TouchedRows


@given(st.integers(1, 60), st.dictionaries(st.integers(0, 59), st.integers(1, 500), max_size=8), st.integers(0, 40_000))
def test_every_place_belongs_to_the_row_that_covers_it(count: int, extras: dict[int, int], y: int) -> None:
    higher = sorted((row, extra) for row, extra in extras.items() if row < count)
    places = RowGeometry(count, 36, 8, 12, higher)
    tops, top = [], 12
    for row in range(count):
        tops.append(top)
        assert places.top(row) == top
        assert places.height(row) == 36 + dict(higher).get(row, 0)
        top += places.height(row) + 8
    assert places.total == top - 8 + 12
    assert places.at(y) == sum(each <= y for each in tops) - 1


def test_only_rows_that_changed_or_came_are_painted_while_the_others_stand_still() -> None:
    touched = TouchedRows()
    before = RowGeometry(100, 36, 8, 12, [(4, 20)])
    touched.note(7, 7)
    assert touched.take(before, RowGeometry(102, 36, 8, 12, [(4, 20)])) == {7, 100, 101}
    assert touched.take(before, before) == set()
    touched.note(7, 7)
    assert touched.take(before, RowGeometry(100, 36, 8, 12, [(3, 20)])) is None
    touched.note(0, 99)
    assert touched.take(before, before) is None
