"""The drawing of what waits for what: layers, few crossings, nothing on top of anything, and fast."""

import random
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.ui.graph.layout import Drawing, Measures, lay_out, without_shortcuts
from tandem_desktop.ui.graph.view import Way, moved

SAMPLE = {"1": (), "2": ("1",), "3": ("1",), "4": ("2", "3")}


def layers(drawing: Drawing) -> dict[str, int]:
    return {box.name: box.layer for box in drawing.boxes}


def overlapping(drawing: Drawing) -> list[tuple[str, str]]:
    return [
        (one.name, other.name)
        for one, other in combinations(drawing.boxes, 2)
        if abs(one.x - other.x) < one.width and abs(one.y - other.y) < one.height
    ]


def a_graph(count: int, seed: int) -> dict[str, tuple[str, ...]]:
    chance = random.Random(seed)
    return {
        str(number): tuple(str(each) for each in chance.sample(range(number), k=min(number, chance.randint(0, 3))))
        for number in range(count)
    }


@pytest.mark.req("S0-87")
def test_what_waits_stands_right_of_what_it_waits_for_and_independent_ones_below_each_other() -> None:
    drawing = lay_out(SAMPLE)
    assert layers(drawing) == {"1": 0, "2": 1, "3": 1, "4": 2}
    two, three = drawing.box("2"), drawing.box("3")
    assert two is not None
    assert three is not None
    assert (two.x, two.y < three.y) == (three.x, True)
    assert {(route.start, route.end) for route in drawing.routes} == {("1", "2"), ("1", "3"), ("2", "4"), ("3", "4")}


def test_a_line_begins_at_the_right_edge_of_its_start_and_ends_at_the_left_edge_of_its_end() -> None:
    drawing = lay_out(SAMPLE)
    for route in drawing.routes:
        start, end = drawing.box(route.start), drawing.box(route.end)
        assert start is not None
        assert end is not None
        assert route.points[0] == (start.x + start.width, start.middle)
        assert route.points[-1] == (end.x, end.middle)


def test_a_long_line_passes_beside_the_cards_between() -> None:
    drawing = lay_out({"a": (), "b": ("a",), "c": ("b",), "d": ("a",), "e": ("c", "d")})
    long = next(route for route in drawing.routes if (route.start, route.end) == ("d", "e"))
    assert len(long.points) == 4
    for box in drawing.boxes:
        if box.layer == 2:
            assert not box.y < long.points[1][1] < box.y + box.height


def test_what_is_said_by_others_already_is_not_drawn() -> None:
    assert without_shortcuts({"a": (), "b": ("a",), "c": ("a", "b")}) == {"a": (), "b": ("a",), "c": ("b",)}


def test_lines_that_need_not_cross_do_not_cross() -> None:
    drawing = lay_out({"a": (), "b": (), "c": (), "x": ("c",), "y": ("b",), "z": ("a",)})
    ends = [(route.points[0][1], route.points[-1][1]) for route in drawing.routes]
    assert all((one[0] - other[0]) * (one[1] - other[1]) > 0 for one, other in combinations(ends, 2))


def test_where_nothing_waits_the_order_runs_down_columns() -> None:
    drawing = lay_out({str(number): () for number in range(23)})
    assert [box.layer for box in drawing.boxes] == [0] * 10 + [1] * 10 + [2] * 3
    assert all(one.y < other.y for one, other in pairwise(drawing.boxes[:10]))
    assert drawing.routes == ()


def test_nothing_is_a_drawing_of_nothing() -> None:
    assert lay_out({}) == Drawing()


def test_names_nobody_has_are_left_out() -> None:
    assert lay_out({"a": ("gone",), "b": ("a",)}).routes[0].start == "a"


@settings(max_examples=30, deadline=None)
@given(count=st.integers(1, 60), seed=st.integers(0, 10_000))
def test_no_two_cards_overlap_and_every_line_goes_right(count: int, seed: int) -> None:
    drawing = lay_out(a_graph(count, seed), Measures())
    assert overlapping(drawing) == []
    assert len(drawing.boxes) == count
    assert min(box.y for box in drawing.boxes) >= 0
    for route in drawing.routes:
        assert all(one[0] <= other[0] for one, other in pairwise(route.points))


def test_two_hundred_cards_and_a_chain_of_two_thousand_are_laid_out() -> None:
    assert len(lay_out(a_graph(200, 7)).boxes) == 200
    chain = {str(number): (str(number - 1),) if number else () for number in range(2_000)}
    assert max(layers(lay_out(chain)).values()) == 1_999


def test_arrow_keys_follow_lines_and_stay_where_there_is_nothing() -> None:
    drawing = lay_out(SAMPLE)
    assert moved(drawing, "", Way.RIGHT) == "1"
    assert moved(drawing, "1", Way.RIGHT) in ("2", "3")
    assert moved(drawing, "2", Way.DOWN) == "3"
    assert moved(drawing, "3", Way.UP) == "2"
    assert moved(drawing, "3", Way.RIGHT) == "4"
    assert moved(drawing, "4", Way.RIGHT) == "4"
    assert moved(drawing, "2", Way.LEFT) == "1"
    assert moved(drawing, "1", Way.LEFT) == "1"


def test_an_arrow_key_reaches_the_next_layer_also_without_a_line() -> None:
    drawing = lay_out({"a": (), "b": ("a",), "alone": ()})
    assert moved(drawing, "alone", Way.RIGHT) == "b"
