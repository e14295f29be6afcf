"""Lists plans through a rebuildable index, and groups branches."""

import contextlib
import json
import os
import zlib
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from tandem_desktop.domain.errors import PlanDamagedError, PlanNotFoundError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import BranchPoint, PlanMeta, PlanStatus
from tandem_desktop.plans.records import INODE_MASK, META, NEVER, Signature
from tandem_desktop.storage import atomic

REVISING = ".revising"
"""`.PLAN-xxxxxxxx.revising` exists while a plan's record may be behind its newest revision."""

_INDEX = "index.json"
_HEAD = b'{"format":1,"crc":"%08x","columns":'
_HEAD_LENGTH = len(_HEAD % 0)
_STATUS = {str(status): status for status in PlanStatus}


class PlanSummary(NamedTuple):
    """One line of the list."""

    plan_id: PlanId
    title: str
    status: PlanStatus
    revision: int
    digest: str
    updated_at: datetime
    branched_from: BranchPoint | None = None


class DamagedPlan(NamedTuple):
    """A plan that cannot be listed, and why."""

    plan_id: PlanId
    path: str | None
    message: str
    next: str


class PlanListing:
    """Every plan, newest first, and those that cannot be read."""

    def __init__(self, columns: "_Columns | None" = None, damaged: tuple[DamagedPlan, ...] = ()) -> None:
        self._columns = columns
        self.damaged = damaged

    def __len__(self) -> int:
        return len(self._columns.order) if self._columns else 0

    @cached_property
    def plans(self) -> tuple[PlanSummary, ...]:
        """The rows, built on first use."""
        return self._columns.newest_first() if self._columns else ()


ReadMeta = Callable[[PlanId], tuple[PlanMeta, Signature]]


class PlanIndex:
    """Keeps `index.json` up to date. It is a cache and can be deleted or damaged at any time."""

    def __init__(self, folder: Path, read: ReadMeta) -> None:
        self._folder = folder
        self._read = read

    def listing(self) -> PlanListing:
        """Stat every record, read those that changed, and store the rows in the index."""
        try:
            fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            return PlanListing()
        try:
            names, revising = _scan(fd)
            found = _look(fd, names)
        finally:
            os.close(fd)
        stored = self._load()
        if stored and not revising and stored.names == " ".join(names) and stored.signatures == found:
            return PlanListing(stored)
        columns, damaged = self._reconcile(stored, names, found, revising)
        if stored is None or columns != stored:
            self._save(columns)
        return PlanListing(columns, damaged)

    def _reconcile(
        self, stored: "_Columns | None", names: list[str], found: "array[int]", revising: set[str]
    ) -> tuple["_Columns", tuple[DamagedPlan, ...]]:
        known = stored.by_name() if stored else {}
        rows: list[tuple[Signature, PlanSummary]] = []
        damaged = []
        for position, name in enumerate(names):
            plan_id = PlanId(name)
            row = known.get(name)
            if row and row[0] == tuple(found[2 * position : 2 * position + 2]) and name not in revising:
                rows.append(row)
                continue
            try:
                meta, seen = self._read(plan_id)
            except PlanNotFoundError:  # a folder in which nothing has been saved yet
                continue
            except PlanDamagedError as error:
                damaged.append(DamagedPlan(plan_id, error.path, error.message, error.next))
                continue
            rows.append((NEVER if name in revising else seen, summary_of(meta)))
        return _Columns.of(rows), tuple(damaged)

    def _load(self) -> "_Columns | None":
        try:
            data = (self._folder / _INDEX).read_bytes()
            body = data[_HEAD_LENGTH:-2]
            if data[:_HEAD_LENGTH] != _HEAD % zlib.crc32(body):
                return None
            return _Columns.decode(json.loads(body))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _save(self, columns: "_Columns") -> None:
        body = json.dumps(columns.encode(), separators=(",", ":")).encode()
        with contextlib.suppress(OSError):  # the list is valid even if the index cannot be saved
            atomic.replace(self._folder / _INDEX, (_HEAD % zlib.crc32(body)) + body + b"}\n", durable=False)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The rows in the order the directory gives them, as columns: one long string parses faster than many short ones.

    Only titles may hold a space; the other words are joined by one.
    """

    names: str
    signatures: "array[int]"
    titles: list[str]
    statuses: str
    revisions: "array[int]"
    digests: str
    updated: str
    branches: dict[str, tuple[str, int]]
    """The few plans that are alternatives, each with what it was branched from."""
    order: "array[int]"

    @classmethod
    def of(cls, rows: list[tuple[Signature, PlanSummary]]) -> "_Columns":
        summaries = [summary for _, summary in rows]
        newest = sorted(range(len(rows)), key=lambda n: summaries[n].plan_id)
        newest.sort(key=lambda n: summaries[n].updated_at, reverse=True)
        return cls(
            names=" ".join(s.plan_id for s in summaries),
            signatures=array("q", [number for seen, _ in rows for number in seen]),
            titles=[s.title for s in summaries],
            statuses=" ".join(s.status for s in summaries),
            revisions=array("q", [s.revision for s in summaries]),
            digests=" ".join(s.digest for s in summaries),
            updated=" ".join(s.updated_at.isoformat() for s in summaries),
            branches={s.plan_id: _pair(s.branched_from) for s in summaries if s.branched_from},
            order=array("q", newest),
        )

    @classmethod
    def decode(cls, columns: dict[str, Any]) -> "_Columns":
        numbers = {name: array("q", b64decode(columns[name])) for name in _NUMBERS}
        branches = {name: (PlanId(origin), int(at)) for name, (origin, at) in columns["branches"].items()}
        return cls(**{**columns, **numbers, "branches": branches})

    def encode(self) -> dict[str, Any]:
        columns: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return {**columns, **{name: b64encode(columns[name].tobytes()).decode() for name in _NUMBERS}}

    def by_name(self) -> dict[str, tuple[Signature, PlanSummary]]:
        numbers = iter(self.signatures)
        seen = map(Signature._make, zip(numbers, numbers, strict=True))
        return dict(zip(self.names.split(), zip(seen, self._summaries(), strict=True), strict=True))

    def newest_first(self) -> tuple[PlanSummary, ...]:
        summaries = tuple(self._summaries())
        return tuple([summaries[position] for position in self.order])

    def _summaries(self) -> Iterable[PlanSummary]:
        statuses = map(_STATUS.__getitem__, self.statuses.split())
        times = map(datetime.fromisoformat, self.updated.split())
        points = {
            name: BranchPoint(plan_id=PlanId(origin), revision=at) for name, (origin, at) in self.branches.items()
        }
        names = self.names.split()
        columns = (names, self.titles, statuses, self.revisions, self.digests.split(), times, map(points.get, names))
        return map(_ROW, zip(*columns, strict=True))


_NUMBERS = ("signatures", "revisions", "order")
_ROW: Callable[[Iterable[Any]], PlanSummary] = partial(tuple.__new__, PlanSummary)
"""`PlanSummary._make` without a Python call for each row."""


def _scan(fd: int) -> tuple[list[str], set[str]]:
    """Plan folders in directory order, and the plans that may have an unrecorded revision."""
    names = []
    revising = set()
    with os.scandir(fd) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith("PLAN-"):
                if entry.is_dir(follow_symlinks=False):
                    names.append(name)
            elif name.endswith(REVISING):
                revising.add(name[1 : -len(REVISING)])
    return names, revising


def _look(fd: int, names: list[str]) -> "array[int]":
    """The signature of every record, two numbers each; one that never matches if there is none."""
    numbers: list[int] = []
    stat, mask, meta = os.stat, INODE_MASK, f"/{META}"
    for name in names:
        try:
            info = stat(name + meta, dir_fd=fd)
        except OSError:
            numbers += (-1, -1)
        else:
            numbers += (info.st_ctime_ns, info.st_ino & mask)
    return array("q", numbers)


def summary_of(meta: PlanMeta) -> PlanSummary:
    """A plan's record as a line of the list."""
    updated = meta.updated_at if meta.updated_at.tzinfo else meta.updated_at.replace(tzinfo=UTC)
    return PlanSummary(
        plan_id=meta.plan_id,
        title=meta.title,
        status=meta.status,
        revision=meta.revision,
        digest=meta.digest,
        updated_at=updated.astimezone(UTC),
        branched_from=meta.branched_from,
    )


def _pair(point: BranchPoint) -> tuple[str, int]:
    return point.plan_id, point.revision


def alternatives(plans: Iterable[PlanSummary], plan_id: PlanId) -> tuple[PlanSummary, ...]:
    """The other plans of the family, in the order they are given."""
    every = tuple(plans)
    roots = family_roots(every)
    own = roots.get(plan_id)
    return tuple(plan for plan in every if plan.plan_id != plan_id and roots[plan.plan_id] == own)


def family_roots(plans: Iterable[PlanSummary]) -> dict[PlanId, PlanId]:
    """The root plan of each plan; itself if it is no branch.

    A root need not be among the plans: its alternatives stay grouped after it is archived.
    """
    origins = {plan.plan_id: plan.branched_from.plan_id if plan.branched_from else None for plan in plans}
    return {plan_id: _root(plan_id, origins) for plan_id in origins}


def _root(plan_id: PlanId, origins: dict[PlanId, PlanId | None]) -> PlanId:
    passed: set[PlanId] = set()
    while (above := origins.get(plan_id)) is not None and plan_id not in passed:
        passed.add(plan_id)
        plan_id = above
    return plan_id
