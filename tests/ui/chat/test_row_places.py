from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.ui.chat.transcript import TranscriptGeometry

ROWS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 300)), min_size=1, max_size=40)


def placed(rows: list[tuple[int, int]]) -> TranscriptGeometry:
    places = TranscriptGeometry(below=16)
    for at, (gap, height) in enumerate(rows):
        places.insert(at, gap, height)
    return places


@given(ROWS)
def test_rows_follow_one_another_with_their_gaps(rows: list[tuple[int, int]]) -> None:
    places, end = placed(rows), 0
    for at, (gap, height) in enumerate(rows):
        assert places.top(at) == end + gap
        end = places.top(at) + height
    assert places.end == end + 16


@given(ROWS, st.integers(0, 5000), st.integers(10, 800))
def test_every_row_in_sight_is_near(rows: list[tuple[int, int]], edge: int, height: int) -> None:
    places = placed(rows)
    near = places.near(edge, height)
    for at in range(len(rows)):
        top = places.top(at)
        if top < edge + height and top + places.height(at) > edge:
            assert at in near


@given(ROWS, st.data())
def test_an_anchor_stays_in_sight_when_rows_above_it_change(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    places = placed(rows)
    edge = data.draw(st.integers(0, places.end - 1))
    anchor = places.anchor(edge)
    assert places.edge(anchor) == edge
    if 0 < anchor[0] < len(rows):
        before = places.height(0)
        assert places.learn(0, before + 7)
        assert places.edge(anchor) == edge + 7
