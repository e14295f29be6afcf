"""Rows of a diff: alignment, folding and heights."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from itertools import accumulate, groupby
from types import MappingProxyType
from typing import NamedTuple

from tandem_desktop.diff.hunk_classes import ALONE, ProvedChange
from tandem_desktop.diff.text import EMPTY_LINES
from tandem_desktop.ui.diff.model import DiffStretch, FileDiff, StretchKind
from tandem_desktop.ui.i18n import later

LARGEST_TABLE = 900
"""Cells of the table that is filled for one change; beyond it lines stand side by side in their order."""
_PART = re.compile(r"\w+|[^\w\s]")

Pairs = tuple[tuple[int | None, int | None], ...]


def align(old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Every line of both sides once, in order; all lines of the shorter side have a partner."""
    if len(old) > len(new):
        return tuple((b, a) for a, b in align(new, old))
    spare = len(new) - len(old)
    if not old or not spare or len(old) * (spare + 1) > LARGEST_TABLE:
        return (*((i, i) for i in range(len(old))), *((None, j) for j in range(len(old), len(new))))
    skips = _best_skips([_parts(line) for line in old], [_parts(line) for line in new], spare)
    pairs: list[tuple[int | None, int | None]] = []
    j = 0
    for i, place in enumerate(skips):
        pairs.extend((None, skipped) for skipped in range(j, i + place))
        pairs.append((i, i + place))
        j = i + place + 1
    return (*pairs, *((None, skipped) for skipped in range(j, len(new))))


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """From nothing in common (0) to the same words (1)."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def _parts(line: str) -> frozenset[str]:
    return frozenset(_PART.findall(line[:400]))


def _best_skips(old: list[frozenset[str]], new: list[frozenset[str]], spare: int) -> list[int]:
    """For each old line, how many new lines were passed over before its partner."""
    best = [0.0] * (spare + 1)
    choices: list[list[int]] = []
    for i, line in enumerate(old):
        row: list[float] = []
        chosen: list[int] = []
        leading, leader = -1.0, 0
        for skip in range(spare + 1):
            if best[skip] > leading:
                leading, leader = best[skip], skip
            row.append(leading + similarity(line, new[i + skip]))
            chosen.append(leader)
        best = row
        choices.append(chosen)
    skip = max(range(spare + 1), key=lambda at: best[at])
    skips: list[int] = []
    for chosen in reversed(choices):
        skips.append(skip)
        skip = chosen[skip]
    return skips[::-1]


FOLDED_FROM = 3
"""Fewer lines than this are shown instead of folded: a fold takes a row itself."""
PART_FOLDED_FROM = 6
"""Proved lines within a change that is not proved are dimmed instead of folded if they are fewer."""
ALIGNED_UP_TO = 400
_MOST_ROWS = 1 << 32
_ALIGNMENTS_KEPT = 2_000


class RowKind(Enum):
    """What a whole row is."""

    NOTE = auto()
    FOLD = auto()
    HEADER = auto()
    LINE = auto()
    COMMENT = auto()


class CellKind(StrEnum):
    """What one side of a line is; the value is the sign beside it."""

    CONTEXT = " "
    ADDED = "+"
    REMOVED = "−"
    FILLER = ""


class DiffRow(NamedTuple):
    """One row. `old` and `new` are zero-based lines; in a fold, the first line hidden."""

    kind: RowKind
    hunk: int = 0
    old: int | None = None
    new: int | None = None
    is_change: bool = False
    number: int = 0
    """Which of the notes, folds or comments this is."""
    lines: int = 0
    """How many lines a fold hides."""
    pair: tuple[int, int] | None = None
    """The removed and the added line that belong together."""

    @property
    def left(self) -> CellKind:
        if not self.is_change:
            return CellKind.CONTEXT
        return CellKind.FILLER if self.old is None else CellKind.REMOVED

    @property
    def right(self) -> CellKind:
        if not self.is_change:
            return CellKind.CONTEXT
        return CellKind.FILLER if self.new is None else CellKind.ADDED


@dataclass(frozen=True, slots=True)
class InlineComment:
    """A comment shown under its line."""

    line: int
    """Counted from one; on the new side, unless `is_old`."""
    text: str
    author: str = later("You")
    is_old: bool = False
    room: int = 0
    """Pixels that stay free for the editor of a comment, instead of the text."""


class Around(NamedTuple):
    """How many lines are shown at the ends of a gap: of every gap, and additional ones of some."""

    every: int = 0
    more: Mapping[int, int] = MappingProxyType({})

    def of(self, number: int) -> int:
        return self.every + self.more.get(number, 0)


_NOTHING_MORE = Around()


class _Block(NamedTuple):
    """Consecutive rows of one origin."""

    kind: RowKind
    rows: int
    stretch: DiffStretch | None
    number: int
    skip: int = 0
    """Rows of the stretch that stand in blocks before this one."""


class DiffRows:
    """Rows are created on access; only their positions are computed beforehand."""

    def __init__(
        self,
        diff: FileDiff,
        *,
        is_split: bool,
        unfolded: frozenset[int] = frozenset(),
        comments: Sequence[InlineComment] = (),
        around: Around = _NOTHING_MORE,
        proved: Sequence[ProvedChange] = (),
        ignores_space: bool = False,
    ) -> None:
        self.diff = diff
        self.proved = tuple(proved)
        self._by_hunk: dict[int, list[ProvedChange]] = {}
        for each in self.proved:
            self._by_hunk.setdefault(each.lines.hunk, []).append(each)
        self._proofs: dict[int, ProvedChange] = {}
        """The folds of proved changes, by their number."""
        self._quiet = frozenset(
            (is_old, line)
            for each in self.proved
            for is_old, span in ((True, each.lines.old), (False, each.lines.new))
            for line in range(*span)
        )
        self._spaces: set[DiffStretch] = set()
        """The changes that are folded because they differ only in white space."""
        self._hidden: set[int] = set()
        """The folds of these, by their number."""
        self._stretches = tuple(self._cut_at_space()) if ignores_space else diff.stretches
        self.is_split = is_split
        self.unfolded = unfolded
        self.comments = tuple(comments)
        self._around = around
        self._alignments: dict[DiffStretch, Pairs] = {}
        self._blocks: list[_Block] = []
        self._starts: list[int] = []
        self._headers: list[int] = []
        self.special: list[tuple[int, RowKind]] = []
        """Rows that are no lines, in order."""
        self._count = 0
        for block in self._commented(self._made()):
            self._append(block)

    def __len__(self) -> int:
        return self._count

    def row(self, index: int) -> DiffRow:
        place = bisect_right(self._starts, index) - 1
        kind, _, stretch, number, skip = self._blocks[place]
        offset = index - self._starts[place] + skip
        if stretch is None:
            hunk = number if kind is RowKind.HEADER else 0
            return DiffRow(kind, hunk=hunk, number=number)
        if kind is RowKind.FOLD:
            return _folded(stretch, number)
        if stretch.kind is not StretchKind.CHANGE:
            return DiffRow(kind, stretch.hunk, stretch.old_start + offset, stretch.new_start + offset)
        return self._changed(stretch, offset)

    def proof(self, row: DiffRow) -> ProvedChange | None:
        """What the change is proved to be that a fold hides."""
        return self._proofs.get(row.number) if row.kind is RowKind.FOLD and row.is_change else None

    def hides_space(self, row: DiffRow) -> bool:
        """Whether a fold hides changes of white space: nothing is proved of them, and they are not on screen."""
        return row.kind is RowKind.FOLD and row.number in self._hidden

    def is_quiet(self, is_old: bool, line: int) -> bool:
        """Whether a changed line is proved to be mechanical."""
        return (is_old, line) in self._quiet

    def row_of(self, *, old: int | None = None, new: int | None = None) -> int | None:
        """Where a line of one side stands, or the fold that hides it."""
        line = new if new is not None else old
        if line is None:
            return None
        for place, block in enumerate(self._blocks):
            stretch = block.stretch
            if stretch is None:
                continue
            start, end = (
                (stretch.new_start, stretch.new_end) if new is not None else (stretch.old_start, stretch.old_end)
            )
            if not start <= line < end:
                continue
            if block.kind is RowKind.FOLD:
                return self._starts[place]
            offset = self._offset_in(stretch, old, new)
            if offset is not None and 0 <= offset - block.skip < block.rows:
                return self._starts[place] + offset - block.skip
        return None

    def header(self, hunk: int) -> int | None:
        """The row of a hunk's bar."""
        return self._headers[hunk - 1] if 0 < hunk <= len(self._headers) else None

    def hunk_at(self, index: int) -> int:
        """The hunk whose bar is at or above this row; 0 above the first."""
        return bisect_right(self._headers, index)

    def changed_ranges(self) -> Iterator[tuple[int, int, bool, bool]]:
        """First row, end, whether something is removed there, whether added: for the overview."""
        for start, block in zip(self._starts, self._blocks, strict=True):
            stretch = block.stretch
            if block.kind is not RowKind.LINE or stretch is None or stretch.kind is not StretchKind.CHANGE:
                continue
            removed = stretch.old_end - stretch.old_start
            added = stretch.new_end - stretch.new_start
            if self.is_split:
                yield start, start + block.rows, removed > 0, added > 0
                continue
            middle = start + max(0, removed - block.skip)
            if removed > block.skip:
                yield start, min(middle, start + block.rows), True, False
            if middle < start + block.rows:
                yield middle, start + block.rows, False, True

    def _made(self) -> Iterator[_Block]:
        yield from (_Block(RowKind.NOTE, 1, None, number) for number in range(len(self.diff.notes)))
        if self.diff.is_binary and -1 not in self.unfolded:
            if self.diff.hunks:
                yield _Block(RowKind.FOLD, 1, DiffStretch(StretchKind.GAP, 0, 0, 0, 0, 0), -1)
            return
        hunk = 0
        for number, stretch in enumerate(self._stretches):
            old, new = stretch.old_end - stretch.old_start, stretch.new_end - stretch.new_start
            # A line or two above the first change are not worth a fold; they read as part of it.
            leads_in = number == 0 and stretch.kind is StretchKind.GAP and old < FOLDED_FROM and bool(self.diff.hunks)
            if stretch.hunk > hunk or leads_in:
                hunk = max(stretch.hunk, 1)
                yield _Block(RowKind.HEADER, 1, None, hunk)
            if stretch.kind is StretchKind.GAP and number not in self.unfolded:
                yield from self._gap(number, stretch)
            elif stretch.kind is StretchKind.CHANGE:
                yield from self._change(number, stretch, max(old, new) if self.is_split else old + new)
            else:
                yield _Block(RowKind.LINE, max(old, new), stretch, number)

    def _change(self, number: int, stretch: DiffStretch, rows: int) -> Iterator[_Block]:
        """Changed lines; what is proved to be mechanical is folded, and many empty ones in a row to their number."""
        if found := [each for each in self._by_hunk.get(stretch.hunk, ()) if _is_within(each, stretch)]:
            yield from self._proved_change(number, stretch, rows, found)
            return
        if stretch in self._spaces and (name := -2 - number * _MOST_ROWS) not in self.unfolded:
            self._hidden.add(name)
            yield _Block(RowKind.FOLD, 1, stretch, name)
            return
        old, new = self.diff.old, self.diff.new
        if not (
            new.has_blank_run(stretch.new_start, stretch.new_end)
            or old.has_blank_run(stretch.old_start, stretch.old_end)
        ):
            yield _Block(RowKind.LINE, rows, stretch, number)
            return
        done = 0
        for is_blank, run in groupby(range(rows), key=lambda offset: self._is_blank(stretch, offset)):
            offsets = [*run]
            if is_blank is None or len(offsets) < EMPTY_LINES:
                continue
            first, last = self._changed(stretch, offsets[0]), self._changed(stretch, offsets[-1])
            blank = stretch._replace(
                old_start=first.old or 0,
                old_end=0 if last.old is None else last.old + 1,
                new_start=first.new or 0,
                new_end=0 if last.new is None else last.new + 1,
            )
            name = -2 - offsets[0] - number * _MOST_ROWS
            if name in self.unfolded:
                continue
            if offsets[0] > done:
                yield _Block(RowKind.LINE, offsets[0] - done, stretch, number, done)
            yield _Block(RowKind.FOLD, 1, blank, name)
            done = offsets[-1] + 1
        if done < rows:
            yield _Block(RowKind.LINE, rows - done, stretch, number, done)

    def _cut_at_space(self) -> Iterator[DiffStretch]:
        """The stretches, with changes of white space apart; a change that is proved to be mechanical stays whole."""
        for stretch in self.diff.stretches:
            parts = self.diff.by_white_space.get(stretch, ())
            if not parts or any(_is_within(each, stretch) for each in self._by_hunk.get(stretch.hunk, ())):
                yield stretch
                continue
            for part, is_space in parts:
                yield part
                if is_space:
                    self._spaces.add(part)

    def _proved_change(
        self, number: int, stretch: DiffStretch, rows: int, proved: Sequence[ProvedChange]
    ) -> Iterator[_Block]:
        done = 0
        for found, run in groupby(range(rows), key=lambda offset: self._proof_at(stretch, offset, proved)):
            offsets = [*run]
            name = -2 - offsets[0] - number * _MOST_ROWS
            if found is None or name in self.unfolded or not self._is_whole(stretch, offsets, found):
                continue
            if found.kind in ALONE and len(offsets) < min(rows, PART_FOLDED_FROM):
                continue
            if offsets[0] > done:
                yield _Block(RowKind.LINE, offsets[0] - done, stretch, number, done)
            self._proofs[name] = found
            (old, old_end), (new, new_end) = found.lines.old, found.lines.new
            hidden = stretch._replace(old_start=old, old_end=old_end, new_start=new, new_end=new_end)
            yield _Block(RowKind.FOLD, 1, hidden, name)
            done = offsets[-1] + 1
        if done < rows:
            yield _Block(RowKind.LINE, rows - done, stretch, number, done)

    def _is_whole(self, stretch: DiffStretch, offsets: Sequence[int], proof: ProvedChange) -> bool:
        """Whether these rows hold all lines of a proved change: side by side some can stand against others."""
        rows = [self._changed(stretch, offset) for offset in offsets]
        return sum((row.old is not None) + (row.new is not None) for row in rows) == proof.lines.count

    def _proof_at(self, stretch: DiffStretch, offset: int, proved: Sequence[ProvedChange]) -> ProvedChange | None:
        """The proved change that holds all of a row."""
        row = self._changed(stretch, offset)
        for each in proved:
            (old, old_end), (new, new_end) = each.lines.old, each.lines.new
            is_old = row.old is None or old <= row.old < old_end
            if is_old and (row.new is None or new <= row.new < new_end):
                return each
        return None

    def _is_blank(self, stretch: DiffStretch, offset: int) -> tuple[bool, bool] | None:
        """On which sides a changed row has an empty line; None if there is text in it."""
        row = self._changed(stretch, offset)
        is_old, is_new = row.old is not None, row.new is not None
        if row.old is not None and not self.diff.old.is_blank(row.old):
            return None
        if row.new is not None and not self.diff.new.is_blank(row.new):
            return None
        return is_old, is_new

    def _gap(self, number: int, gap: DiffStretch) -> Iterator[_Block]:
        """Some lines next to each change, and a fold between them where there are enough to be worth one."""
        length, shown = gap.old_end - gap.old_start, self._around.of(number)
        head = 0 if number == 0 else min(shown, length)
        tail = 0 if number == len(self._stretches) - 1 else min(shown, length)
        if length - head - tail < FOLDED_FROM:
            yield _Block(RowKind.LINE, length, gap, number)
            return
        first, rest = _cut(gap, head)
        folded, last = _cut(rest, length - head - tail)
        if head:
            yield _Block(RowKind.LINE, head, first, number)
        yield _Block(RowKind.FOLD, 1, folded, number)
        if tail:
            yield _Block(RowKind.LINE, tail, last, number)

    def _commented(self, blocks: Iterator[_Block]) -> Iterator[_Block]:
        """Cut a block after each line that is commented on."""
        if not self.comments:
            yield from blocks
            return
        for block in blocks:
            stretch = block.stretch
            if block.kind is not RowKind.LINE or stretch is None:
                yield block
                continue
            done, end = block.skip, block.skip + block.rows
            for offset, number in sorted(self._comments_in(stretch)):
                if not block.skip <= offset < end:
                    continue
                if offset + 1 > done:
                    yield block._replace(rows=offset + 1 - done, skip=done)
                    done = offset + 1
                yield _Block(RowKind.COMMENT, 1, None, number)
            if done < end:
                yield block._replace(rows=end - done, skip=done)

    def _comments_in(self, stretch: DiffStretch) -> Iterator[tuple[int, int]]:
        for number, comment in enumerate(self.comments):
            line = comment.line - 1
            start, end = (
                (stretch.old_start, stretch.old_end) if comment.is_old else (stretch.new_start, stretch.new_end)
            )
            if not start <= line < end:
                continue
            offset = self._offset_in(stretch, line if comment.is_old else None, None if comment.is_old else line)
            if offset is not None:
                yield offset, number

    def _append(self, block: _Block) -> None:
        if block.kind is not RowKind.LINE:
            self.special.append((self._count, block.kind))
        if block.kind is RowKind.HEADER:
            self._headers.append(self._count)
        self._starts.append(self._count)
        self._blocks.append(block)
        self._count += block.rows

    def _changed(self, stretch: DiffStretch, offset: int) -> DiffRow:
        _, hunk, old_start, old_end, new_start, new_end = stretch
        removed, added = old_end - old_start, new_end - new_start
        pairs = self._aligned(stretch)
        if self.is_split:
            if pairs is not None:
                old, new = pairs[offset]
            else:
                old, new = offset if offset < removed else None, offset if offset < added else None
        elif offset < removed:
            old, new = offset, None
        else:
            old, new = None, offset - removed
        one = old if old is not None else _partner(pairs, 1, new, removed)
        other = new if new is not None else _partner(pairs, 0, old, added)
        return DiffRow(
            RowKind.LINE,
            hunk,
            None if old is None else old_start + old,
            None if new is None else new_start + new,
            is_change=True,
            pair=None if one is None or other is None else (old_start + one, new_start + other),
        )

    def _offset_in(self, stretch: DiffStretch, old: int | None, new: int | None) -> int | None:
        """The row of a stretch that shows a line."""
        if stretch.kind is not StretchKind.CHANGE:
            return new - stretch.new_start if new is not None else (old or 0) - stretch.old_start
        pairs = self._aligned(stretch)
        at = new - stretch.new_start if new is not None else (old or 0) - stretch.old_start
        if not self.is_split:
            return at + (stretch.old_end - stretch.old_start if new is not None else 0)
        if pairs is None:
            return at
        side = 1 if new is not None else 0
        return next((offset for offset, pair in enumerate(pairs) if pair[side] == at), None)

    def _aligned(self, stretch: DiffStretch) -> Pairs | None:
        """None where lines pair up in order."""
        old, new = stretch.old_end - stretch.old_start, stretch.new_end - stretch.new_start
        if not old or not new or old == new or max(old, new) >= ALIGNED_UP_TO:
            return None
        pairs = self._alignments.get(stretch)
        if pairs is None:
            pairs = align(
                [*self.diff.old.lines(stretch.old_start, stretch.old_end)],
                [*self.diff.new.lines(stretch.new_start, stretch.new_end)],
            )
            if len(self._alignments) > _ALIGNMENTS_KEPT:
                self._alignments.clear()
            self._alignments[stretch] = pairs
        return pairs


def _folded(stretch: DiffStretch, number: int) -> DiffRow:
    """A fold of unchanged lines, or of empty ones that are added or removed."""
    old, new = stretch.old_end - stretch.old_start, stretch.new_end - stretch.new_start
    if stretch.kind is not StretchKind.CHANGE:
        return DiffRow(RowKind.FOLD, old=stretch.old_start, new=stretch.new_start, number=number, lines=old)
    return DiffRow(
        RowKind.FOLD,
        stretch.hunk,
        stretch.old_start if old else None,
        stretch.new_start if new else None,
        is_change=True,
        number=number,
        lines=max(old, new),
    )


def _is_within(proved: ProvedChange, stretch: DiffStretch) -> bool:
    (old, old_end), (new, new_end) = proved.lines.old, proved.lines.new
    is_old = stretch.old_start <= old and old_end <= stretch.old_end
    return is_old and stretch.new_start <= new and new_end <= stretch.new_end


def _cut(gap: DiffStretch, at: int) -> tuple[DiffStretch, DiffStretch]:
    """The first lines of unchanged ones, and the rest."""
    old, new = gap.old_start + at, gap.new_start + at
    return gap._replace(old_end=old, new_end=new), gap._replace(old_start=old, new_start=new)


def _partner(pairs: Pairs | None, side: int, line: int | None, limit: int) -> int | None:
    if pairs is None:
        return line if line is not None and line < limit else None
    return next((pair[1 - side] for pair in pairs if pair[side] == line), None)


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
