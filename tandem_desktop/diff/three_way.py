"""Three-way comparison and merge of lines, and suggestions for conflicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any

from tandem_desktop.diff.lines import LineChange, changes
from tandem_desktop.diff.text import detect_encoding, ends_without_newline, split_lines

Lines = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that both sides changed differently; only a person can decide.

    `…_at` is the number, from one, of the first line on that side, or of the line it would be inserted before.
    """

    n: int
    base: Lines
    disk: Lines
    proposed: Lines
    base_at: int
    disk_at: int
    proposed_at: int


class Meeting(StrEnum):
    """Which side changed a range of lines."""

    SAME = "same"
    DISK = "disk"
    PROPOSED = "proposed"
    BOTH = "both"
    """Both, to the same lines."""
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of the three contents that stand beside each other, by their places from zero."""

    meeting: Meeting
    base: range
    disk: range
    proposed: range
    region: int = 0
    """The number of the region, where there is a conflict."""


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """A content in parts: merged lines, and conflicting regions."""

    parts: tuple[Lines | Region, ...]

    @property
    def regions(self) -> tuple[Region, ...]:
        return tuple(part for part in self.parts if isinstance(part, Region))

    @property
    def merged(self) -> bytes | None:
        """The merged content; None if there is a region."""
        return None if self.regions else self.resolved(())

    def resolved(self, chosen: Sequence[Lines]) -> bytes:
        """The content with these lines for each region, in order."""
        answers = iter(chosen)
        pieces = [next(answers) if isinstance(part, Region) else part for part in self.parts]
        return joined([line for piece in pieces for line in piece])


def three_way(base: bytes, disk: bytes, proposed: bytes) -> ThreeWay:
    """Merge strictly: changes that overlap or touch are a region, unless both sides have the same result.

    Binary content is one region as a whole.
    """
    if base == proposed or disk == proposed:
        return ThreeWay((tuple(split_lines(disk)),))
    if base == disk:
        return ThreeWay((tuple(split_lines(proposed)),))
    if "binary" in map(detect_encoding, (base, disk, proposed)):
        return whole(base, disk, proposed)
    return ThreeWay(tuple(_parts(split_lines(base), split_lines(disk), split_lines(proposed))))


def whole(base: bytes, disk: bytes, proposed: bytes) -> ThreeWay:
    """One region for the whole content."""
    before, here, there = (tuple(split_lines(each)) for each in (base, disk, proposed))
    return ThreeWay((Region(1, before, here, there, base_at=1, disk_at=1, proposed_at=1),))


def joined(lines: Sequence[bytes]) -> bytes:
    """Join parts; a line in the middle without a newline gets that of its neighbours."""
    newline = next((line[-2:] if line.endswith(b"\r\n") else b"\n" for line in lines if line.endswith(b"\n")), b"\n")
    whole = b"".join(lines)
    if b"\0" in whole:  # wide or no text: its newlines are not one byte long
        return whole
    return b"".join(
        line + newline if ends_without_newline(line) and place < len(lines) - 1 else line
        for place, line in enumerate(lines)
    )


def aligned(base: Sequence[bytes], disk: Sequence[bytes], proposed: Sequence[bytes]) -> Iterator[Stretch]:
    """Every line of the three once, in stretches, with regions numbered as `three_way` numbers them."""
    position = here = there = number = 0
    for start, end, ours, theirs in _groups(changes(base, disk), changes(base, proposed)):
        same = start - position
        yield Stretch(Meeting.SAME, range(position, start), range(here, here + same), range(there, there + same))
        here, there = here + same, there + same
        disk_lines = range(here, here + _length(ours, end - start))
        proposed_lines = range(there, there + _length(theirs, end - start))
        meeting = Meeting.DISK if not theirs else Meeting.PROPOSED if not ours else Meeting.BOTH
        if meeting is Meeting.BOTH and _taken(disk, disk_lines) != _taken(proposed, proposed_lines):
            meeting = Meeting.CONFLICT
            number += 1
        region = number if meeting is Meeting.CONFLICT else 0
        yield Stretch(meeting, range(start, end), disk_lines, proposed_lines, region)
        position, here, there = end, disk_lines.stop, proposed_lines.stop
    yield Stretch(Meeting.SAME, range(position, len(base)), range(here, len(disk)), range(there, len(proposed)))


def _parts(base: list[bytes], disk: list[bytes], proposed: list[bytes]) -> Iterator[Lines | Region]:
    for stretch in aligned(base, disk, proposed):
        match stretch.meeting:
            case Meeting.SAME:
                yield _taken(base, stretch.base)
            case Meeting.DISK:
                yield _taken(disk, stretch.disk)
            case Meeting.PROPOSED | Meeting.BOTH:
                yield _taken(proposed, stretch.proposed)
            case Meeting.CONFLICT:
                yield Region(
                    n=stretch.region,
                    base=_taken(base, stretch.base),
                    disk=_taken(disk, stretch.disk),
                    proposed=_taken(proposed, stretch.proposed),
                    base_at=stretch.base.start + 1,
                    disk_at=stretch.disk.start + 1,
                    proposed_at=stretch.proposed.start + 1,
                )


def _groups(
    ours: Sequence[LineChange], theirs: Sequence[LineChange]
) -> Iterator[tuple[int, int, list[LineChange], list[LineChange]]]:
    """Changes of either side that overlap or touch, with the stretch of the base they cover together."""
    both = sorted([(change, True) for change in ours] + [(change, False) for change in theirs])
    place = 0
    while place < len(both):
        mine: list[LineChange] = []
        others: list[LineChange] = []
        start = end = both[place][0].old_start
        while place < len(both) and both[place][0].old_start <= end:
            change, is_ours = both[place]
            (mine if is_ours else others).append(change)
            end = max(end, change.old_end)
            place += 1
        yield start, end, mine, others


def _length(group: list[LineChange], covered: int) -> int:
    """How many lines one side has for a stretch of the base that is `covered` lines long."""
    return covered + sum((each.new_end - each.new_start) - (each.old_end - each.old_start) for each in group)


def _taken(lines: Sequence[bytes], places: range) -> Lines:
    return tuple(lines[places.start : places.stop])


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge both changes to `base`; None if they overlap or touch."""
    return three_way(base, ours, theirs).merged


MAXIMUM_CHARACTERS = 20_000
"""Maximum size for suggestions; larger ones take long and are not read."""
TIME_LIMIT_S = 0.2


def suggestion(region: Region) -> bytes | None:
    """The disk's lines with the plan's change applied; None if a part of it has no place."""
    texts = [_text(side) for side in (region.base, region.disk, region.proposed)]
    if not all(texts) or sum(len(text or "") for text in texts) > MAXIMUM_CHARACTERS:
        return None
    base, disk, proposed = texts
    matcher: Any = import_module("diff_match_patch").diff_match_patch()  # untyped, and slow to import
    matcher.Diff_Timeout = TIME_LIMIT_S
    found, placed = matcher.patch_apply(matcher.patch_make(base, proposed), disk)
    if not placed or not all(placed) or found in (disk, proposed):
        return None
    return str(found).encode()


def _text(lines: Lines) -> str | None:
    try:
        return b"".join(lines).decode()
    except UnicodeDecodeError:
        return None
