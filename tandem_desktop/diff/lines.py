"""Line diff (patience anchors, then the shortest edit between them) and the changed characters within a line."""

import operator
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import compress, count, pairwise
from typing import Any, NamedTuple

MAXIMUM_EDITS = 64
"""Work and memory of one search grow with the square of this."""

MAXIMUM_SEARCHES = 512
"""Searches in one comparison, about two seconds. What is left then counts as replaced as a whole."""

Matches = list[tuple[int, int]]
Frontiers = list[dict[int, int]]
Point = tuple[int, int]


class SearchBudget:
    """The searches that one comparison may still make."""

    def __init__(self, searches: int = MAXIMUM_SEARCHES) -> None:
        self._left = searches

    def take(self) -> bool:
        """Whether one more is allowed."""
        self._left -= 1
        return self._left >= 0


def common_subsequence(one: Sequence[bytes], other: Sequence[bytes], budget: SearchBudget | None = None) -> Matches:
    """Equal lines of both lists, in order: a longest common subsequence if at most MAXIMUM_EDITS edits lie between.

    Beyond that many edits, the first half of the path that got furthest is kept, and the search starts again at its
    end. Each search gets at least half of MAXIMUM_EDITS lines further, so the work grows with the number of lines.
    When the budget is spent, the matches found so far are the answer.
    """
    budget = budget or SearchBudget()
    matches: Matches = []
    start, is_complete = (0, 0), False
    while not is_complete and budget.take():
        frontiers, end, is_complete = _search(one, other, start)
        levels = _walk_back(frontiers, start, end)
        if not is_complete:
            del levels[MAXIMUM_EDITS // 2 + 1 :]
        start = levels[-1][0]
        matches.extend(match for _, snake in levels for match in snake)
    return matches


def _search(one: Sequence[bytes], other: Sequence[bytes], start: Point) -> tuple[Frontiers, Point, bool]:
    """Myers' greedy search from a point: its frontiers, the furthest point, and whether that is the end of both."""
    frontiers: Frontiers = []
    furthest = {1: 0}
    left, top = start
    width, height = len(one) - left, len(other) - top
    for edits in range(min(width + height, MAXIMUM_EDITS) + 1):
        frontiers.append(furthest.copy())
        for diagonal in range(-edits, edits + 1, 2):
            x = _step(furthest, diagonal, edits)
            y = x - diagonal
            while x < width and y < height and one[left + x] == other[top + y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= width and y >= height:
                return frontiers, (len(one), len(other)), True
    inside = [(x, x - d) for d, x in furthest.items() if (d + edits) % 2 == 0 and x <= width and x - d <= height]
    x, y = max(inside, key=sum)
    return frontiers, (left + x, top + y), False


def _step(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """Where the search enters a diagonal: from above (an insertion) or from the left (a deletion)."""
    if diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return furthest[diagonal + 1]
    return furthest[diagonal - 1] + 1


def _walk_back(frontiers: Frontiers, start: Point, end: Point) -> list[tuple[Point, Matches]]:
    """The path to `end`, edit by edit: the point reached after each number of edits, and the matches before it."""
    (left, top), (x, y) = start, (end[0] - start[0], end[1] - start[1])
    levels: list[tuple[Point, Matches]] = []
    for edits in range(len(frontiers) - 1, -1, -1):
        furthest, diagonal = frontiers[edits], x - y
        entry = _step(furthest, diagonal, edits)
        levels.append(
            ((left + x, top + y), [(left + i, top + i - diagonal) for i in range(max(entry, diagonal, 0), x)])
        )
        came_down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
        x, y = (entry, entry - diagonal - 1) if came_down else (entry - 1, entry - diagonal)
    return levels[::-1]


MAXIMUM_DEPTH = 32
"""Anchors inside anchors inside anchors: beyond this a hostile file would cost quadratic time."""
MAXIMUM_SLIDE = 100
SAMPLED_FROM = 512
SAMPLED_LENGTHS = frozenset(range(16, 4096, 4))
"""Of a large content only lines of these lengths are tried as anchors of the whole; shorter ones are seldom unique."""
TRUSTED_RUN = 8
"""A sampled anchor counts only inside an equal run this long: a line that moved alone must not hold the whole apart."""

_NEAR = 12
"""So many lines are compared one by one: most equal runs between many edits end there, and a slice costs more."""

Lines = Sequence[bytes]
Stretch = tuple[int, int, int, int]
Run = tuple[int, int, int]


class LineChange(NamedTuple):
    """Lines `old_start:old_end` of the one became `new_start:new_end` of the other; zero-based, ends excluded."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def changes(before: Lines, after: Lines) -> tuple[LineChange, ...]:
    """Every changed stretch, in order. What lies between two stretches is equal on both sides, byte for byte."""
    found = sorted(_patience(before, after))
    return tuple(_slid(before, after, found))


def _patience(before: Lines, after: Lines) -> Iterator[LineChange]:
    waiting: list[tuple[Stretch, int]] = [((0, len(before), 0, len(after)), 0)]
    budget = SearchBudget()
    while waiting:
        stretch, depth = waiting.pop()
        old, old_end, new, new_end = _trimmed(before, after, stretch)
        if old == old_end or new == new_end:
            if old < old_end or new < new_end:
                yield LineChange(old, old_end, new, new_end)
            continue
        if old_end - old == 1 == new_end - new:  # they differ, or they would be trimmed
            yield LineChange(old, old_end, new, new_end)
            continue
        old_lines, new_lines = before[old:old_end], after[new:new_end]
        is_large = min(len(old_lines), len(new_lines)) >= SAMPLED_FROM
        if not is_large and set(old_lines).isdisjoint(new_lines):
            yield LineChange(old, old_end, new, new_end)
            continue
        runs: list[Run] = []
        if is_large and depth == 0:
            runs = _anchored_runs(old_lines, new_lines, is_sampled=True)
        if not runs and depth < MAXIMUM_DEPTH:
            runs = _anchored_runs(old_lines, new_lines)
        if not runs:
            yield from _without_anchors(old_lines, new_lines, old, new, budget)
            continue
        for a, b, c, d in _between(runs, len(old_lines), len(new_lines)):
            if a == b or c == d:
                yield LineChange(old + a, old + b, new + c, new + d)
            else:
                waiting.append(((old + a, old + b, new + c, new + d), depth + 1))


def _anchored_runs(before: Lines, after: Lines, *, is_sampled: bool = False) -> list[Run]:
    """Equal runs around a line that is unique on both sides; of those that cross, the heavier chain."""
    only_in_new = _unique_lines(after, is_sampled).get
    runs: list[Run] = []
    run_end = 0
    for line, old in _unique_lines(before, is_sampled).items():
        if old < run_end:
            continue
        new = only_in_new(line)
        if new is None:
            continue
        size = _equal_run(before, old, len(before), after, new, len(after))
        back = _equal_run_backwards(before, max(0, old - MAXIMUM_SLIDE), old, after, max(0, new - MAXIMUM_SLIDE), new)
        run_end = old + size
        if not is_sampled or size + back >= TRUSTED_RUN:
            runs.append((old - back, new - back, size + back))
    if all(one[1] < other[1] for one, other in pairwise(runs)):
        return runs
    return _heaviest_chain(runs)


def _unique_lines(lines: Lines, is_sampled: bool) -> dict[bytes, int]:
    """Lines that occur once, with their places, in order. A sample by length keeps all copies of a line or none."""
    numbers: Sequence[int] = range(len(lines))
    if is_sampled:
        chosen = list(map(SAMPLED_LENGTHS.__contains__, map(len, lines)))
        numbers, lines = list(compress(numbers, chosen)), list(compress(lines, chosen))
    last = dict(zip(lines, numbers, strict=True))
    if len(last) == len(lines):
        return last
    first = dict(zip(reversed(lines), reversed(numbers), strict=True))
    # In C: half of a large comparison with many edits would go into a loop here.
    return dict(compress(last.items(), map(operator.eq, last.values(), map(first.__getitem__, last))))


def _heaviest_chain(runs: list[Run]) -> list[Run]:
    """Runs in order on both sides with the most lines between them; patience sorting with weights."""
    starts: list[int] = []
    weights: list[int] = []
    heads: list[int] = []
    previous: list[int] = []
    for index, (old, new, size) in enumerate(runs):
        place = bisect_left(starts, new)
        weight = size
        if place:
            before_old, before_new, before_size = runs[heads[place - 1]]
            overlap = max(before_old + before_size - old, before_new + before_size - new, 0)
            weight += weights[place - 1] - min(overlap, size)
        previous.append(heads[place - 1] if place else -1)
        beaten = place
        while beaten < len(weights) and weights[beaten] <= weight:
            beaten += 1
        starts[place:beaten] = [new]
        weights[place:beaten] = [weight]
        heads[place:beaten] = [index]
    chain: list[Run] = []
    index = heads[-1]
    while index >= 0:
        chain.append(runs[index])
        index = previous[index]
    return chain[::-1]


def _between(runs: list[Run], old_length: int, new_length: int) -> Iterator[Stretch]:
    old = new = 0
    for run_old, run_new, size in [*runs, (old_length, new_length, 0)]:
        # The tails of two runs may claim the same ordinary lines; the first to come keeps them.
        overlap = max(old - run_old, new - run_new, 0)
        if overlap and overlap >= size:
            continue
        if run_old + overlap > old or run_new + overlap > new:
            yield (old, run_old + overlap, new, run_new + overlap)
        old, new = run_old + size, run_new + size


def _without_anchors(
    old_lines: Lines, new_lines: Lines, old: int, new: int, budget: SearchBudget
) -> Iterator[LineChange]:
    # Lines missing on the other side cannot match, so leaving them out changes no answer and saves most of the work.
    in_old, in_new = set(old_lines), set(new_lines)
    old_kept = [i for i, line in enumerate(old_lines) if line in in_new]
    new_kept = [i for i, line in enumerate(new_lines) if line in in_old]
    one, other = [old_lines[i] for i in old_kept], [new_lines[i] for i in new_kept]
    matches = common_subsequence(one, other, budget)
    next_old = next_new = 0
    ends = [(old_kept[i], new_kept[j]) for i, j in matches]
    for match_old, match_new in [*ends, (len(old_lines), len(new_lines))]:
        if match_old > next_old or match_new > next_new:
            yield LineChange(old + next_old, old + match_old, new + next_new, new + match_new)
        next_old, next_new = match_old + 1, match_new + 1


def _trimmed(before: Lines, after: Lines, stretch: Stretch) -> Stretch:
    old, old_end, new, new_end = stretch
    head = _equal_run(before, old, old_end, after, new, new_end)
    old, new = old + head, new + head
    tail = _equal_run_backwards(before, old, old_end, after, new, new_end)
    return (old, old_end - tail, new, new_end - tail)


def _equal_run(before: Lines, old: int, old_end: int, after: Lines, new: int, new_end: int) -> int:
    """How many lines from here on are equal: the first one by one, then slices compared in C, in growing steps."""
    length = old_end - old if old_end - old < new_end - new else new_end - new
    limit = old + length
    start, near = old, old + (length if length < _NEAR else _NEAR)
    while old < near:
        if before[old] != after[new]:
            return old - start
        old, new = old + 1, new + 1
    step = 16
    while old < limit:
        size = min(step, limit - old)
        one, other = before[old : old + size], after[new : new + size]
        if one != other:
            return old - start + next(compress(count(), map(operator.ne, one, other)))
        old, new, step = old + size, new + size, min(step * 2, 65536)
    return old - start


def _equal_run_backwards(before: Lines, old: int, old_end: int, after: Lines, new: int, new_end: int) -> int:
    length = old_end - old if old_end - old < new_end - new else new_end - new
    limit = old_end - length
    start, near = old_end, old_end - (length if length < _NEAR else _NEAR)
    while old_end > near:
        if before[old_end - 1] != after[new_end - 1]:
            return start - old_end
        old_end, new_end = old_end - 1, new_end - 1
    step = 16
    while old_end > limit:
        size = min(step, old_end - limit)
        one, other = before[old_end - size : old_end], after[new_end - size : new_end]
        if one != other:
            return start - old_end + next(compress(count(), map(operator.ne, reversed(one), reversed(other))))
        old_end, new_end, step = old_end - size, new_end - size, min(step * 2, 65536)
    return start - old_end


def _slid(before: Lines, after: Lines, found: list[LineChange]) -> Iterator[LineChange]:
    """A pure insertion or deletion often fits in several places; take the one that reads as a whole block."""
    previous_old = previous_new = 0
    for number, change in enumerate(found):
        following = found[number + 1] if number + 1 < len(found) else None
        next_old = following.old_start if following else len(before) + 1
        next_new = following.new_start if following else len(after) + 1
        shift = 0
        if change.old_start == change.old_end:
            if _may_slide(after, change.new_start, change.new_end):
                shift = _best_shift(after, change.new_start, change.new_end, previous_new, next_new)
        elif change.new_start == change.new_end and _may_slide(before, change.old_start, change.old_end):
            shift = _best_shift(before, change.old_start, change.old_end, previous_old, next_old)
        moved = change
        if shift:
            moved = LineChange(
                *(n + shift for n in (change.old_start, change.old_end, change.new_start, change.new_end))
            )
        yield moved
        previous_old, previous_new = moved.old_end + 1, moved.new_end + 1


def _may_slide(lines: Lines, start: int, end: int) -> bool:
    """Whether the line before or after the block `start:end` is one that it could take the place of."""
    return lines[start - 1] == lines[end - 1] or (end < len(lines) and lines[start] == lines[end])


def _best_shift(lines: Lines, start: int, end: int, floor: int, ceiling: int) -> int:
    """How far to move the block `start:end`, keeping one equal line to each neighbour."""
    shifts = [0]
    up = down = 0
    while start - up > floor and up < MAXIMUM_SLIDE and lines[start - up - 1] == lines[end - up - 1]:
        up += 1
        shifts.append(-up)
    while end + down + 1 < ceiling and down < MAXIMUM_SLIDE and lines[start + down] == lines[end + down]:
        down += 1
        shifts.append(down)
    if len(shifts) == 1:
        return 0
    return min(shifts, key=lambda shift: (*_awkwardness(lines, start + shift), -shift))


def _awkwardness(lines: Lines, start: int) -> tuple[int, int]:
    first = lines[start]
    if not first.strip():
        return (1, 0)
    follows_a_gap = start == 0 or not lines[start - 1].strip()
    return (0 if follows_a_gap else 2, len(first) - len(first.lstrip()))


MAXIMUM_CHARACTERS = 2_000
"""Longer pairs are marked as a whole."""
TIME_LIMIT_S = 0.05

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class IntralineChange:
    """Half-open ranges of the characters that differ."""

    old: tuple[Range, ...]
    new: tuple[Range, ...]


def intraline(old: str, new: str) -> IntralineChange:
    """Compare a removed line with the line that replaced it."""
    if old == new:
        return IntralineChange((), ())
    if len(old) + len(new) > MAXIMUM_CHARACTERS:
        return IntralineChange(_whole(old), _whole(new))
    matcher: Any = import_module("diff_match_patch").diff_match_patch()  # untyped, and takes 50 ms to import
    matcher.Diff_Timeout = TIME_LIMIT_S
    parts = matcher.diff_main(old, new, False)
    matcher.diff_cleanupSemantic(parts)
    return IntralineChange(
        _ranges(parts, matcher.DIFF_DELETE, matcher.DIFF_INSERT),
        _ranges(parts, matcher.DIFF_INSERT, matcher.DIFF_DELETE),
    )


def _whole(text: str) -> tuple[Range, ...]:
    return ((0, len(text)),) if text else ()


def _ranges(parts: list[tuple[int, str]], marked: int, absent: int) -> tuple[Range, ...]:
    ranges: list[Range] = []
    position = 0
    for kind, text in parts:
        if kind == absent:
            continue
        if kind == marked:
            ranges.append((position, position + len(text)))
        position += len(text)
    return tuple(ranges)
