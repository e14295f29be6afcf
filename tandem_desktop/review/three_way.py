"""Three contents line by line: what both sides did where they keep apart, and the regions where they meet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tandem_desktop.staging.diff import Change, changes
from tandem_desktop.staging.text import detect_encoding, ends_without_newline, split_lines

Lines = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of lines both sides changed, each in its own way; nobody but a person can say which is right.

    `…_at` is the number, from one, of the first line on that side, or of the line the stretch would stand before.
    """

    n: int
    base: Lines
    disk: Lines
    proposed: Lines
    base_at: int
    disk_at: int
    proposed_at: int


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """A content in parts: lines nobody disputes, and regions."""

    parts: tuple[Lines | Region, ...]

    @property
    def regions(self) -> tuple[Region, ...]:
        return tuple(part for part in self.parts if isinstance(part, Region))

    @property
    def merged(self) -> bytes | None:
        """Both changes in one; nothing where there is a region."""
        return None if self.regions else self.resolved(())

    def resolved(self, chosen: Sequence[Lines]) -> bytes:
        """The content with these lines in the place of each region, in order."""
        answers = iter(chosen)
        pieces = [next(answers) if isinstance(part, Region) else part for part in self.parts]
        return joined([line for piece in pieces for line in piece])


def three_way(base: bytes, disk: bytes, proposed: bytes) -> ThreeWay:
    """Strictly: changes that overlap or touch are a region, unless both sides come to the same lines.

    Bytes that are no text have no lines to keep apart; they are a region as a whole.
    """
    if base == proposed or disk == proposed:
        return ThreeWay((tuple(split_lines(disk)),))
    if base == disk:
        return ThreeWay((tuple(split_lines(proposed)),))
    if "binary" in map(detect_encoding, (base, disk, proposed)):
        return whole(base, disk, proposed)
    return ThreeWay(tuple(_parts(split_lines(base), split_lines(disk), split_lines(proposed))))


def whole(base: bytes, disk: bytes, proposed: bytes) -> ThreeWay:
    """Everything in question at once."""
    before, here, there = (tuple(split_lines(each)) for each in (base, disk, proposed))
    return ThreeWay((Region(1, before, here, there, base_at=1, disk_at=1, proposed_at=1),))


def joined(lines: Sequence[bytes]) -> bytes:
    """One content; a line in the middle that ended a file without a newline gets the newline of its neighbours."""
    newline = next((line[-2:] if line.endswith(b"\r\n") else b"\n" for line in lines if line.endswith(b"\n")), b"\n")
    whole = b"".join(lines)
    if b"\0" in whole:  # wide or no text: its newlines are not one byte long
        return whole
    return b"".join(
        line + newline if ends_without_newline(line) and place < len(lines) - 1 else line
        for place, line in enumerate(lines)
    )


def _parts(base: list[bytes], disk: list[bytes], proposed: list[bytes]) -> Iterator[Lines | Region]:
    position = number = 0
    for start, end, ours, theirs in _groups(changes(base, disk), changes(base, proposed)):
        yield tuple(base[position:start])
        position = end
        if not theirs:
            yield _side(disk, ours, start, end)[1]
            continue
        proposed_start, proposed_lines = _side(proposed, theirs, start, end)
        disk_start, disk_lines = _side(disk, ours, start, end) if ours else (0, proposed_lines)
        if disk_lines == proposed_lines:
            yield proposed_lines
            continue
        number += 1
        yield Region(
            n=number,
            base=tuple(base[start:end]),
            disk=disk_lines,
            proposed=proposed_lines,
            base_at=start + 1,
            disk_at=disk_start + 1,
            proposed_at=proposed_start + 1,
        )
    yield tuple(base[position:])


def _groups(ours: Sequence[Change], theirs: Sequence[Change]) -> Iterator[tuple[int, int, list[Change], list[Change]]]:
    """Changes of either side that overlap or touch, with the stretch of the base they cover together."""
    both = sorted([(change, True) for change in ours] + [(change, False) for change in theirs])
    place = 0
    while place < len(both):
        mine: list[Change] = []
        others: list[Change] = []
        start = end = both[place][0].old_start
        while place < len(both) and both[place][0].old_start <= end:
            change, is_ours = both[place]
            (mine if is_ours else others).append(change)
            end = max(end, change.old_end)
            place += 1
        yield start, end, mine, others


def _side(lines: list[bytes], group: list[Change], start: int, end: int) -> tuple[int, Lines]:
    """Where one side's changes stand for a stretch of the base, and its lines there."""
    first, last = group[0], group[-1]
    begin = first.new_start - (first.old_start - start)
    return begin, tuple(lines[begin : last.new_end + (end - last.old_end)])
