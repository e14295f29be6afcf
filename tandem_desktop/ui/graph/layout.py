"""Layered graph layout.

Layers by longest path, order within a layer by barycentre sweeps, heights pulled towards neighbours. Lines that pass
layers get a place of their own there, so that no card lies on a line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


def without_shortcuts(waits_for: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Transitive reduction: the same order with the fewest edges. The graph has no cycles."""
    bit = {name: 1 << position for position, name in enumerate(waits_for)}
    behind: dict[str, int] = {}
    """All direct and indirect dependencies of a name, as a bit set."""
    for name in waits_for:
        waiting = [name]
        while waiting:
            top = waiting[-1]
            missing = [each for each in waits_for[top] if each not in behind]
            if missing:
                waiting += missing
                continue
            behind[top] = 0
            for each in waits_for[top]:
                behind[top] |= bit[each] | behind[each]
            waiting.pop()
    return {
        name: tuple(
            each
            for each in dict.fromkeys(blockers)
            if not any(other != each and behind[other] & bit[each] for other in blockers)
        )
        for name, blockers in waits_for.items()
    }


_SWEEPS = 8
_PULLS = 6
_COLUMN = 10
"""Cards per column where there are no dependencies."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Measures:
    """Sizes of a drawing, in its own units."""

    width: float = 204
    height: float = 54
    between: float = 20
    across: float = 56
    line: float = 14
    """The height of an edge that passes through a layer."""


@dataclass(frozen=True, slots=True)
class Box:
    """One card: its name and its place."""

    name: str
    layer: int
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Route:
    """A line from what must be first to what waits for it, by way of `points`."""

    start: str
    end: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Positions of all cards and edges; begins at 0, 0."""

    boxes: tuple[Box, ...] = ()
    routes: tuple[Route, ...] = ()
    width: float = 0
    height: float = 0

    def box(self, name: str) -> Box | None:
        return next((box for box in self.boxes if box.name == name), None)


def lay_out(waits_for: Mapping[str, Sequence[str]], measures: Measures | None = None) -> Drawing:
    """Place every name; `waits_for` has no cycles, unknown names in it are ignored."""
    sizes = measures or Measures()
    known = {name: [each for each in blockers if each in waits_for] for name, blockers in waits_for.items()}
    reduced = without_shortcuts(known)
    if not any(reduced.values()):
        return _columns(tuple(reduced), sizes)
    return _Layers(reduced, sizes).drawing()


def _columns(names: tuple[str, ...], sizes: Measures) -> Drawing:
    """Without dependencies: in order, column by column."""
    boxes = tuple(
        Box(
            name,
            position // _COLUMN,
            position // _COLUMN * (sizes.width + sizes.between),
            position % _COLUMN * (sizes.height + sizes.between),
            sizes.width,
            sizes.height,
        )
        for position, name in enumerate(names)
    )
    return Drawing(boxes, (), *_extent(boxes))


def _extent(boxes: Sequence[Box]) -> Point:
    return max((box.x + box.width for box in boxes), default=0), max((box.y + box.height for box in boxes), default=0)


class _Layers:
    """Uses node numbers: cards first, then one dummy per layer an edge passes."""

    def __init__(self, waits_for: Mapping[str, Sequence[str]], sizes: Measures) -> None:
        self._sizes = sizes
        self._names = tuple(waits_for)
        number = {name: position for position, name in enumerate(self._names)}
        depth = _depths(waits_for)
        self._layer = [depth[name] for name in self._names]
        self._before: list[list[int]] = [[] for _ in self._names]
        self._after: list[list[int]] = [[] for _ in self._names]
        self._paths: list[tuple[int, int, list[int]]] = []
        for name, blockers in waits_for.items():
            for blocker in blockers:
                self._connect(number[blocker], number[name])
        self._rows: list[list[int]] = [[] for _ in range(max(self._layer) + 1)]
        for node, layer in enumerate(self._layer):
            self._rows[layer].append(node)
        self._y = [0.0] * len(self._layer)

    def drawing(self) -> Drawing:
        self._order()
        self._place()
        sizes = self._sizes
        boxes = tuple(
            Box(
                name,
                self._layer[node],
                self._x(self._layer[node]),
                self._y[node] - sizes.height / 2,
                sizes.width,
                sizes.height,
            )
            for node, name in enumerate(self._names)
        )
        return Drawing(boxes, tuple(self._routes()), *_extent(boxes))

    def _connect(self, start: int, end: int) -> None:
        passed: list[int] = []
        at = start
        for layer in range(self._layer[start] + 1, self._layer[end]):
            self._layer.append(layer)
            self._before.append([at])
            self._after.append([])
            self._after[at].append(len(self._layer) - 1)
            at = len(self._layer) - 1
            passed.append(at)
        self._after[at].append(end)
        self._before[end].append(at)
        self._paths.append((start, end, passed))

    def _order(self) -> None:
        """The best order tried, by number of crossings."""
        best, fewest = [list(row) for row in self._rows], self._crossings()
        for sweep in range(_SWEEPS):
            if fewest == 0:
                break
            forwards = sweep % 2 == 0
            rows = self._rows[1:] if forwards else self._rows[-2::-1]
            for row in rows:
                self._sort(row, self._before if forwards else self._after)
            found = self._crossings()
            if found < fewest:
                best, fewest = [list(row) for row in self._rows], found
        self._rows = best

    def _sort(self, row: list[int], neighbours: list[list[int]]) -> None:
        places = {node: place for each in self._rows for place, node in enumerate(each)}
        own = {node: place for place, node in enumerate(row)}

        def centre(node: int) -> float:
            near = neighbours[node]
            return sum(places[each] for each in near) / len(near) if near else own[node]

        row.sort(key=lambda node: (centre(node), own[node]))

    def _crossings(self) -> int:
        """Number of crossing edges between neighbouring layers."""
        places = {node: place for row in self._rows for place, node in enumerate(row)}
        return sum(
            _inversions([places[end] for node in row for end in sorted(self._after[node], key=places.__getitem__)])
            for row in self._rows
        )

    def _place(self) -> None:
        for row in self._rows:
            y = 0.0
            for node in row:
                y += self._room(node) / 2
                self._y[node] = y
                y += self._room(node) / 2
        for pull in range(_PULLS):
            forwards = pull % 2 == 0
            for row in self._rows if forwards else reversed(self._rows):
                self._pull(row, self._before if forwards else self._after)
        self._close_gaps()
        top = min(self._y[node] - self._tall(node) / 2 for row in self._rows for node in row)
        self._y = [y - top for y in self._y]

    def _close_gaps(self) -> None:
        """Narrow the bands that hold only edges; the order stays."""
        half, reached = self._sizes.height / 2, float("-inf")
        bands: list[tuple[float, float]] = []
        for y in sorted(self._y[node] for node in range(len(self._names))):
            spare = y - half - reached - 2 * self._sizes.between
            if spare > 0 and reached > float("-inf"):
                bands.append((reached, spare))
            reached = max(reached, y + half)
        moved = list(self._y)
        for start, spare in bands:
            band = spare + 2 * self._sizes.between
            for node, y in enumerate(self._y):
                if y > start:
                    moved[node] -= min(spare, (y - start) * spare / band)
        self._y = moved

    def _pull(self, row: list[int], neighbours: list[list[int]]) -> None:
        """Move each node towards the middle of its neighbours, as far as the nodes above and below allow."""
        wanted = [
            sum(self._y[each] for each in neighbours[node]) / len(neighbours[node])
            if neighbours[node]
            else self._y[node]
            for node in row
        ]
        down, up = list(wanted), list(wanted)
        for place in range(1, len(row)):
            down[place] = max(down[place], down[place - 1] + self._apart(row[place - 1], row[place]))
        for place in range(len(row) - 2, -1, -1):
            up[place] = min(up[place], up[place + 1] - self._apart(row[place], row[place + 1]))
        for place, node in enumerate(row):
            self._y[node] = (down[place] + up[place]) / 2

    def _apart(self, one: int, other: int) -> float:
        return (self._room(one) + self._room(other)) / 2

    def _tall(self, node: int) -> float:
        return self._sizes.height if node < len(self._names) else 0

    def _room(self, node: int) -> float:
        return self._sizes.height + self._sizes.between if node < len(self._names) else self._sizes.line

    def _x(self, layer: int) -> float:
        return layer * (self._sizes.width + self._sizes.across)

    def _routes(self) -> list[Route]:
        width, found = self._sizes.width, []
        for start, end, passed in self._paths:
            points: list[Point] = [(self._x(self._layer[start]) + width, self._y[start])]
            for node in passed:
                points += [
                    (self._x(self._layer[node]), self._y[node]),
                    (self._x(self._layer[node]) + width, self._y[node]),
                ]
            points.append((self._x(self._layer[end]), self._y[end]))
            found.append(Route(self._names[start], self._names[end], tuple(points)))
        return found


def _depths(waits_for: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The longest path to each node from one without dependencies."""
    depth: dict[str, int] = {}
    for name in waits_for:
        waiting = [name]
        while waiting:
            top = waiting[-1]
            missing = [each for each in waits_for[top] if each not in depth]
            if missing:
                waiting += missing
            else:
                depth[top] = 1 + max((depth[each] for each in waits_for[top]), default=-1)
                waiting.pop()
    return depth


def _inversions(places: list[int]) -> int:
    """Number of inversions, by merge sort."""
    if len(places) < 2:
        return 0
    half = len(places) // 2
    left, right = places[:half], places[half:]
    count = _inversions(left) + _inversions(right)
    left.sort()
    right.sort()
    at = 0
    for value in left:
        while at < len(right) and right[at] < value:
            at += 1
        count += at
    return count
