"""Know where every row of a long view stands without having measured them all."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

CHUNK = 128

Measure = Callable[[int, int], Sequence[int]]
"""How many pixels each row of a range takes beyond its height without wrapping."""


class RowHeights:
    """Rows of one height, some that are taller, and, when lines wrap, what each needs beyond that.

    Wrapped rows are measured chunk by chunk as they come into sight; until then they count as one line.
    """

    def __init__(
        self, count: int, line: int, special: Sequence[tuple[int, int]] = (), measure: Measure | None = None
    ) -> None:
        self.count = count
        self._line = line
        self._places = [row for row, _ in special]
        self._special = dict(special)
        self._more = [0, *accumulate(height - line for _, height in special)]
        self._measure = measure
        self._chunks: dict[int, list[int]] = {}
        self._known: list[int] = []
        self._sums: list[int] = [0]

    @property
    def total(self) -> int:
        return self.top(self.count)

    def top(self, row: int) -> int:
        """The first pixel of a row; of the one after the last, the end of all."""
        return row * self._line + self._more[bisect_left(self._places, row)] + self._wrapped_above(row)

    def height(self, row: int) -> int:
        base = self._special.get(row, self._line)
        chunk = self._chunks.get(row // CHUNK)
        return base + (chunk[row % CHUNK + 1] - chunk[row % CHUNK] if chunk else 0)

    def row_at(self, y: int) -> int:
        if not self.count:
            return 0
        return max(0, min(self.count - 1, bisect_right(range(self.count), y, key=self.top) - 1))

    def measure(self, first: int, last: int) -> bool:
        """Make sure that these rows are measured; whether any place changed."""
        if self._measure is None or not self.count:
            return False
        changed = False
        for chunk in range(max(0, first) // CHUNK, min(last, self.count - 1) // CHUNK + 1):
            if chunk not in self._chunks:
                begin = chunk * CHUNK
                extra = self._measure(begin, min(begin + CHUNK, self.count))
                self._chunks[chunk] = [0, *accumulate(extra)]
                changed = changed or any(extra)
                place = bisect_left(self._known, chunk)
                self._known.insert(place, chunk)
                self._sums = [0, *accumulate(self._chunks[each][-1] for each in self._known)]
        return changed

    def _wrapped_above(self, row: int) -> int:
        if not self._known:
            return 0
        chunk, place = divmod(row, CHUNK)
        above = self._sums[bisect_left(self._known, chunk)]
        partial = self._chunks.get(chunk)
        return above + (partial[min(place, len(partial) - 1)] if partial else 0)
