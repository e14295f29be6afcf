"""Conflicts of a rebase and their resolutions."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tandem_desktop.diff.text import split_lines
from tandem_desktop.diff.three_way import Lines, Region, ThreeWay
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.staging.changes import Difference


class Take(StrEnum):
    """Which side a region or file is taken from."""

    DISK = "disk"
    PROPOSED = "proposed"
    DISK_FIRST = "disk-then-proposed"
    PROPOSED_FIRST = "proposed-then-disk"


Choice = Take | bytes
"""One of the sides, or the person's own text."""

ONLY_DISK = frozenset({Take.DISK})
EITHER = frozenset({Take.DISK, Take.PROPOSED})


@dataclass(frozen=True, slots=True)
class FileModes:
    """Both sides changed the permissions, each in its own way; None where that side has no such file."""

    base: int | None
    disk: int | None
    proposed: int | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """One path on disk that a person has to decide about."""

    path: str
    change: Difference
    """What happened to it on disk."""
    reason: str
    """The reason as a clause that follows the path."""
    operations: tuple[OperationId, ...]
    ways: frozenset[Take] = EITHER
    """Allowed answers for the whole path. Regions accept any side, and the person's own text."""
    lines: ThreeWay | None = None
    modes: FileModes | None = None
    seen: str = ""
    """Changes with the plan or the disk, so that answers to an outdated question are detected."""

    @property
    def regions(self) -> tuple[Region, ...]:
        return self.lines.regions if self.lines else ()

    def resolved(self, resolution: "Resolution") -> bytes | None:
        """The resolved content; None while a region is unanswered, or if there are no regions."""
        if isinstance(resolution.whole, bytes):
            return resolution.whole
        if self.lines is None:
            return None
        chosen: list[Lines] = []
        for region in self.regions:
            choice = resolution.regions.get(region.n, resolution.whole)
            if choice is None:
                return None
            chosen.append(_lines(region, choice))
        return self.lines.resolved(chosen)

    def takes_disk(self, resolution: "Resolution") -> bool:
        """True if the answer keeps the disk's version completely."""
        chosen = [resolution.regions.get(region.n, resolution.whole) for region in self.regions]
        return all(each is Take.DISK for each in chosen or [resolution.whole])

    def mode(self, resolution: "Resolution") -> int | None:
        """The resolved permissions, if they are in conflict."""
        chosen = resolution.mode or (resolution.whole if isinstance(resolution.whole, Take) else None)
        if self.modes is None or chosen is None:
            return None
        return self.modes.disk if chosen in (Take.DISK, Take.DISK_FIRST) else self.modes.proposed


@dataclass(frozen=True, slots=True)
class Resolution:
    """The person's answer for one path."""

    path: str
    whole: Choice | None = None
    """For the path and every unnamed region; bytes are the complete resulting content."""
    regions: Mapping[int, Choice] = field(default_factory=dict)
    mode: Take | None = None
    seen: str = ""
    """`Conflict.seen` of the question it answers; empty accepts the current one."""


def fingerprint(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _lines(region: Region, choice: Choice) -> Lines:
    match choice:
        case bytes():
            return tuple(split_lines(choice))
        case Take.DISK:
            return region.disk
        case Take.PROPOSED:
            return region.proposed
        case Take.DISK_FIRST:
            return (*region.disk, *region.proposed)
        case Take.PROPOSED_FIRST:
            return (*region.proposed, *region.disk)


def check_answer(resolution: Resolution, conflict: Conflict) -> None:
    """Refuse an answer that does not fit the conflict.

    Raises:
        BadInputError: names the allowed answers.
    """
    path = conflict.path
    if isinstance(resolution.whole, Take) and not conflict.regions and resolution.whole not in conflict.ways:
        ways = " or ".join(sorted(conflict.ways))
        raise BadInputError(
            f"{path} {conflict.reason}; for it you can take {ways}, not {resolution.whole}.",
            path=path,
            next=f"Take {ways}, or put {path} right on disk first.",
        )
    if isinstance(resolution.whole, bytes) and conflict.lines is None:
        raise BadInputError(
            f"{path} {conflict.reason}; it has no lines to write.", path=path, next="Take one side instead."
        )
    unknown = sorted(set(resolution.regions) - {region.n for region in conflict.regions})
    if unknown:
        raise BadInputError(
            f"{path} has {len(conflict.regions)} regions in conflict; there is no region {unknown[0]}.",
            path=path,
            next="See them with: tandem rebase PLAN",
        )
