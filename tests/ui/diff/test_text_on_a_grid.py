"""Characters, cells and rows: the arithmetic below the painting."""

from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.ui.diff.rows import CHUNK, RowHeights
from tandem_desktop.ui.diff.styles import cells_of, character_at, pieces, wrap

TEXTS = st.text(alphabet="ab \t世é🎉אב", max_size=60)


def test_a_tab_goes_to_the_next_stop_and_a_wide_character_takes_two_cells() -> None:
    assert list(cells_of("a\tb世c")) == [0, 1, 4, 5, 7, 8]


def test_an_accent_takes_no_cell_of_its_own() -> None:
    assert list(cells_of("e\u0301x")) == [0, 1, 1, 2]


@given(TEXTS)
def test_pieces_join_to_the_text(text: str) -> None:
    assert "".join(text[a:b] for a, b in pieces(text, 0, len(text))) == text


@given(TEXTS, st.integers(0, 60))
def test_a_place_on_a_character_finds_that_character(text: str, at: int) -> None:
    cells = cells_of(text)
    if at < len(text) and cells[at + 1] > cells[at]:
        assert character_at(cells, cells[at]) == at


@given(TEXTS, st.integers(8, 30))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    cells = cells_of(text)
    starts = wrap(text, cells, width)
    ends = (*starts[1:], len(text))
    assert "".join(text[a:b] for a, b in zip(starts, ends, strict=True)) == text
    assert all(cells[b] - cells[a] <= width for a, b in zip(starts, ends, strict=True))


@given(
    st.integers(1, 400),
    st.dictionaries(st.integers(0, 399), st.integers(20, 60), max_size=20),
    st.lists(st.integers(0, 3), min_size=400, max_size=400),
    st.lists(st.integers(0, 399), max_size=4),
)
def test_rows_follow_each_other_without_gap_or_overlap(
    count: int, special: dict[int, int], wrapped: list[int], seen: list[int]
) -> None:
    ordered = sorted((row, height) for row, height in special.items() if row < count)
    heights = RowHeights(count, 20, ordered, lambda first, end: [20 * lines for lines in wrapped[first:end]])
    for row in seen:
        heights.measure(row, row)
    for row in range(count):
        assert heights.top(row) + heights.height(row) == heights.top(row + 1)
        assert heights.row_at(heights.top(row)) == row
        assert heights.row_at(heights.top(row + 1) - 1) == row


def test_only_what_comes_into_sight_is_measured() -> None:
    asked: list[tuple[int, int]] = []

    def measure(first: int, end: int) -> list[int]:
        asked.append((first, end))
        return [0] * (end - first)

    heights = RowHeights(1_000_000, 20, (), measure)
    heights.measure(500_000, 500_040)
    assert asked == [(500_000 // CHUNK * CHUNK, 500_000 // CHUNK * CHUNK + CHUNK)]
