"""Where the rows of a long conversation are, those nobody has measured yet by a guess."""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from operator import add


class RowPlaces:
    """Heights and the gaps above them, in pixels. Knows no widgets."""

    def __init__(self, below: int = 0) -> None:
        self._heights: list[int] = []
        self._gaps: list[int] = []
        self._measured: list[bool] = []
        self._below = below
        self._known_tops: list[int] = []
        """Empty when a height or a gap has changed since."""

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def are_all_measured(self) -> bool:
        return all(self._measured)

    @property
    def end(self) -> int:
        return self._tops()[-1]

    def insert(self, at: int, gap: int, guess: int) -> None:
        self._heights.insert(at, guess)
        self._gaps.insert(at, gap)
        self._measured.insert(at, False)
        self._known_tops = []

    def remove(self, at: int) -> None:
        del self._heights[at], self._gaps[at], self._measured[at]
        self._known_tops = []

    def set_gap(self, at: int, gap: int) -> None:
        self._gaps[at] = gap
        self._known_tops = []

    def forget(self, at: int) -> None:
        """The row may be of another height now; until it is measured the old one serves as a guess."""
        self._measured[at] = False

    def forget_all(self) -> None:
        self._measured = [False] * len(self._measured)

    def is_measured(self, at: int) -> bool:
        return self._measured[at]

    def learn(self, at: int, height: int) -> bool:
        """Take a measured height; whether it differs from what was thought."""
        self._measured[at] = True
        if height == self._heights[at]:
            return False
        self._heights[at] = height
        self._known_tops = []
        return True

    def height(self, at: int) -> int:
        return self._heights[at]

    def top(self, at: int) -> int:
        """Where the row itself begins, below its gap."""
        return self._tops()[at] + self._gaps[at]

    def anchor(self, edge: int) -> tuple[int, int]:
        """The row at the upper edge, and how much of it is above the edge."""
        tops = self._tops()
        at = max(bisect_right(tops, edge) - 1, 0)
        return at, edge - tops[at]

    def edge(self, anchor: tuple[int, int]) -> int:
        """Where the upper edge has to be for the anchor to stay where it was."""
        tops = self._tops()
        return tops[min(anchor[0], len(tops) - 1)] + anchor[1]

    def near(self, edge: int, height: int) -> range:
        """The rows in sight of a view of this height, and those half as far beyond."""
        tops = self._tops()
        first = max(bisect_right(tops, edge - height // 2) - 1, 0)
        return range(first, min(bisect_left(tops, edge + height + height // 2), len(self._heights)))

    def _tops(self) -> list[int]:
        """Where each row begins, its gap included, and where the last one ends."""
        if not self._known_tops:
            self._known_tops = list(accumulate(map(add, self._gaps, self._heights), initial=0))
            self._known_tops[-1] += self._below
        return self._known_tops
