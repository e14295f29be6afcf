"""The change of a CSV or TSV file as rows and cells."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from tandem_desktop.diff.lines import changes
from tandem_desktop.diff.text import detect_encoding

LARGEST = 8 << 20
MOST_COLUMNS = 200
MOST_ROWS = 2_000
"""Rows that a table shows; a change of more is shown as lines."""
LONGEST_CELL = 500
_DELIMITERS = {".tsv": "\t", ".tab": "\t", ".csv": ",;\t|"}
_AROUND = 1
"""Unchanged rows that are shown at both sides of a change."""

Cells = tuple[str, ...]


class ComparedRow(NamedTuple):
    """A row before and after; None where there is none. Numbers count records from one, the header included."""

    old_number: int | None
    new_number: int | None
    old: Cells | None
    new: Cells | None

    @property
    def is_change(self) -> bool:
        return self.old != self.new


@dataclass(frozen=True)
class TableDiff:
    """The rows near a change, in order; `None` stands for unchanged rows that are left out."""

    header: Cells
    rows: tuple[ComparedRow | None, ...]
    columns: int
    reformatted: int
    """Changed records whose cells are the same, or that are not written in the plainest way."""

    @property
    def is_formatting_only(self) -> bool:
        return not any(row is not None and row.is_change for row in self.rows)

    def count(self, kind: str) -> int:
        """How many rows are `added`, `removed` or `changed`."""
        kinds = [_kind(row) for row in self.rows if row is not None and row.is_change]
        return kinds.count(kind)


def has_table(path: str) -> bool:
    """Whether a file of this name is a table."""
    return PurePosixPath(path.lower()).suffix in _DELIMITERS


def table_diff(path: str, before: bytes, after: bytes) -> TableDiff | None:
    """Compare two tables; None if one is no table, or too large for one."""
    if len(before) > LARGEST or len(after) > LARGEST or "binary" in (detect_encoding(before), detect_encoding(after)):
        return None
    texts = [content.decode(detect_encoding(content)).removeprefix("\ufeff") for content in (before, after)]
    delimiter = _delimiter(PurePosixPath(path.lower()).suffix, texts[1] or texts[0])
    try:
        old, new = (_records(text, delimiter) for text in texts)
    except csv.Error:
        return None
    wide = max((len(record.cells) for record in (*old, *new)), default=0)
    if not 2 <= wide <= MOST_COLUMNS:
        return None
    rows = [*_compared(old, new)]
    if sum(row is not None for row in rows) > MOST_ROWS or any(map(_is_too_long, rows)):
        return None
    starts = [(detect_encoding(content), content.startswith(b"\xef\xbb\xbf")) for content in (before, after) if content]
    reformatted = _reformatted(old, new, rows, delimiter) + (starts[0] != starts[-1])
    return TableDiff((new or old)[0].cells, tuple(rows), wide, reformatted)


class _Record(NamedTuple):
    cells: Cells
    raw: str


def _records(text: str, delimiter: str) -> list[_Record]:
    """Each record with the text it was read from; one record may span lines."""
    lines: list[str] = []

    def noted() -> Iterator[str]:
        for line in io.StringIO(text, newline="\n"):
            lines.append(line)
            yield line

    found: list[_Record] = []
    for cells in csv.reader(noted(), delimiter=delimiter, strict=True):
        found.append(_Record(tuple(cells), "".join(lines)))
        lines.clear()
    return found


def _delimiter(suffix: str, text: str) -> str:
    """The one that stands most often in the first line."""
    first = text.partition("\n")[0]
    return max(_DELIMITERS[suffix], key=first.count)


def _compared(old: Sequence[_Record], new: Sequence[_Record]) -> Iterator[ComparedRow | None]:
    keys = [["\0".join(record.cells).encode("utf-8", "surrogatepass") for record in side] for side in (old, new)]
    at_old = at_new = 0
    shown_to = -1
    for change in changes(*keys):
        gap = change.old_start - at_old
        first = at_old if gap <= 2 * _AROUND + 1 else change.old_start - _AROUND
        after_last = min(_AROUND, gap) if at_old else 0
        for step in range(gap):
            if step < after_last or at_old + step >= first:
                yield _row(old, new, at_old + step, at_new + step)
            elif shown_to != at_old:
                shown_to = at_old
                yield None
        yield from _pairs(old, new, change.old_start, change.old_end, change.new_start, change.new_end)
        at_old, at_new = change.old_end, change.new_end
    if at_old or at_new:
        for step in range(min(_AROUND, len(old) - at_old)):
            yield _row(old, new, at_old + step, at_new + step)
        if len(old) - at_old > _AROUND:
            yield None


def _pairs(
    old: Sequence[_Record], new: Sequence[_Record], old_start: int, old_end: int, new_start: int, new_end: int
) -> Iterator[ComparedRow]:
    """Changed rows beside each other: with the same first cell, else in order where there are as many on both sides."""
    by_name: dict[str, list[int]] = {}
    for at in range(new_start, new_end):
        by_name.setdefault("".join(new[at].cells[:1]), []).append(at)
    is_even = old_end - old_start == new_end - new_start
    partners: dict[int, int] = {}
    last = new_start - 1
    for at in range(old_start, old_end):
        named = [each for each in by_name.get("".join(old[at].cells[:1]), ()) if each > last]
        partner = named[0] if named else (new_start + at - old_start if is_even and not partners else None)
        if partner is not None and partner > last and partner not in partners.values():
            partners[at] = last = partner
    done = new_start
    for at in range(old_start, old_end):
        partner = partners.get(at)
        if partner is None:
            yield ComparedRow(at + 1, None, old[at].cells, None)
            continue
        yield from (ComparedRow(None, each + 1, None, new[each].cells) for each in range(done, partner))
        yield ComparedRow(at + 1, partner + 1, old[at].cells, new[partner].cells)
        done = partner + 1
    yield from (ComparedRow(None, each + 1, None, new[each].cells) for each in range(done, new_end))


def _row(old: Sequence[_Record], new: Sequence[_Record], one: int, other: int) -> ComparedRow:
    return ComparedRow(one + 1, other + 1, old[one].cells, new[other].cells)


def _kind(row: ComparedRow) -> str:
    return "added" if row.old is None else "removed" if row.new is None else "changed"


def _is_too_long(row: ComparedRow | None) -> bool:
    return row is not None and any(len(cell) > LONGEST_CELL for cell in (*(row.old or ()), *(row.new or ())))


def _reformatted(
    old: Sequence[_Record], new: Sequence[_Record], rows: Sequence[ComparedRow | None], delimiter: str
) -> int:
    """Changed records of which the cells do not tell every byte."""
    shown = [row for row in rows if row is not None and row.is_change]
    told = ({row.old_number for row in shown}, {row.new_number for row in shown})
    end = "\r\n" if (old or new)[0].raw.endswith("\r\n") else "\n"
    count = 0
    for change in changes([_raw(each) for each in old], [_raw(each) for each in new]):
        for side, numbers, first, last in (
            (old, told[0], change.old_start, change.old_end),
            (new, told[1], change.new_start, change.new_end),
        ):
            count += sum(at + 1 not in numbers or not _is_plain(side[at], delimiter, end) for at in range(first, last))
    return count


def _raw(record: _Record) -> bytes:
    return record.raw.encode("utf-8", "surrogatepass")


def _is_plain(record: _Record, delimiter: str, end: str) -> bool:
    """Whether the cells, written in the usual way, are exactly the record."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerow(record.cells)
    return out.getvalue() == record.raw
