"""Three contents as rows of a picture: lines that stand beside each other, folds, and a head for every conflict."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import zip_longest

from tandem_desktop.review.three_way import Meeting, Stretch

CONTEXT = 3
_WORTH_FOLDING = 4


class Column(IntEnum):
    """Whose content stands there."""

    BASE = 0
    DISK = 1
    PROPOSED = 2


@dataclass(frozen=True, slots=True)
class MergeRow:
    """One row. `cells` holds the line of each column, from zero, where it has one."""

    meeting: Meeting
    cells: tuple[int | None, int | None, int | None] = (None, None, None)
    region: int = 0
    is_head: bool = False
    """The line above a conflict that says how it stands."""
    folded: int = 0
    """How many unchanged lines are folded here."""
    stretch: int = 0

    def shown(self, column: Column) -> bool:
        return self.cells[column] is not None


def merge_rows(
    stretches: Sequence[Stretch], opened: Collection[int] = (), *, stacked: bool = False
) -> tuple[MergeRow, ...]:
    """All rows; `opened` names stretches of unchanged lines that are shown whole.

    Stacked, each row has one cell: the base's lines, then the disk's, then the proposed ones.
    """
    rows: list[MergeRow] = []
    for number, stretch in enumerate(stretches):
        if stretch.meeting is Meeting.SAME:
            is_last = number == len(stretches) - 1
            rows.extend(_same(stretch, number, number in opened, is_first=not number, is_last=is_last, stacked=stacked))
            continue
        if stretch.meeting is Meeting.CONFLICT:
            rows.append(MergeRow(stretch.meeting, region=stretch.region, is_head=True, stretch=number))
        rows.extend(_stacked(stretch, number) if stacked else _beside(stretch, number))
    return tuple(rows)


def _same(
    stretch: Stretch, number: int, is_open: bool, *, is_first: bool, is_last: bool, stacked: bool
) -> Iterator[MergeRow]:
    length = len(stretch.base)
    above, below = 0 if is_first else CONTEXT, 0 if is_last else CONTEXT
    hidden = length - above - below
    folds = not is_open and hidden >= _WORTH_FOLDING
    for at in range(length):
        if folds and above <= at < length - below:
            if at == above:
                yield MergeRow(Meeting.SAME, folded=hidden, stretch=number)
            continue
        lines = (stretch.base[at], stretch.disk[at], stretch.proposed[at])
        yield MergeRow(Meeting.SAME, (None, lines[1], None) if stacked else lines, stretch=number)


def _beside(stretch: Stretch, number: int) -> Iterator[MergeRow]:
    for cells in zip_longest(stretch.base, stretch.disk, stretch.proposed):
        yield MergeRow(stretch.meeting, cells, stretch.region, stretch=number)


def _stacked(stretch: Stretch, number: int) -> Iterator[MergeRow]:
    wanted = {
        Meeting.DISK: (Column.BASE, Column.DISK),
        Meeting.PROPOSED: (Column.BASE, Column.PROPOSED),
        Meeting.BOTH: (Column.BASE, Column.PROPOSED),
    }.get(stretch.meeting, tuple(Column))
    for column in wanted:
        for line in (stretch.base, stretch.disk, stretch.proposed)[column]:
            cells: list[int | None] = [None, None, None]
            cells[column] = line
            yield MergeRow(stretch.meeting, (cells[0], cells[1], cells[2]), stretch.region, stretch=number)
