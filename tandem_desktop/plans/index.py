"""Lists plans through a rebuildable index, and groups branches."""

import contextlib
import json
import os
import zlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tandem_desktop.domain.errors import PlanDamagedError, PlanNotFoundError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.plans.names import INODE_MASK, META, MOST_BYTES, NEVER, Signature
from tandem_desktop.storage import atomic

if TYPE_CHECKING:
    from tandem_desktop.domain.plan import BranchPoint, PlanMeta

REVISING = ".revising"
"""`.PLAN-xxxxxxxx.revising` exists while a plan's record may be behind its newest revision."""

_INDEX = "index.json"
_HEAD = b'{"format":2,"crc":"%08x","plans":'
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
    branched_from: "BranchPoint | None" = None
    created_at: datetime | None = None
    gateway: bool = False
    session_id: SessionId = SessionId("")


class DamagedPlan(NamedTuple):
    """A plan that cannot be listed, and why."""

    plan_id: PlanId
    path: str | None
    message: str
    next: str


class PlanListing:
    """Every plan, newest first, and those that cannot be read."""

    def __init__(self, entries: "_Entries" = (), damaged: tuple[DamagedPlan, ...] = ()) -> None:
        self._entries = entries
        self.damaged = damaged

    def __len__(self) -> int:
        return len(self._entries)

    @cached_property
    def plans(self) -> tuple[PlanSummary, ...]:
        """The rows, built on first use."""
        return tuple([_summary(entry) for entry in self._entries])


ReadMeta = Callable[[PlanId], "tuple[PlanMeta, Signature]"]


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
        if stored is not None and not revising and {entry["id"]: entry["seen"] for entry in stored} == found:
            return PlanListing(stored)
        entries, damaged = self._reconcile(stored or (), found, revising)
        if stored is None or entries != stored:
            self._save(entries)
        return PlanListing(entries, damaged)

    def _reconcile(
        self, stored: "_Entries", found: dict[str, list[int]], revising: set[str]
    ) -> tuple["_Entries", tuple[DamagedPlan, ...]]:
        known = {entry["id"]: entry for entry in stored}
        entries: list[dict[str, Any]] = []
        damaged = []
        for name, signature in found.items():
            plan_id = PlanId(name)
            entry = known.get(name)
            if entry and entry["seen"] == signature and name not in revising:
                entries.append(entry)
                continue
            try:
                meta, seen = self._read(plan_id)
            except PlanNotFoundError:  # a folder in which nothing has been saved yet
                continue
            except PlanDamagedError as error:
                damaged.append(DamagedPlan(plan_id, error.path, error.message, error.next))
                continue
            entries.append(_entry(summary_of(meta), NEVER if name in revising else seen))
        entries.sort(key=lambda entry: entry["id"])
        entries.sort(key=lambda entry: datetime.fromisoformat(entry["updated_at"]), reverse=True)
        return tuple(entries), tuple(damaged)

    def _load(self) -> "_Entries | None":
        try:
            data, _ = atomic.read_regular(self._folder / _INDEX, MOST_BYTES)
            body = data[_HEAD_LENGTH:-2]
            if data[:_HEAD_LENGTH] != _HEAD % zlib.crc32(body):
                return None
            entries = json.loads(body)
            return tuple(entries) if all(entry.keys() == _FIELDS for entry in entries) else None
        except (OSError, ValueError, TypeError, AttributeError):
            return None

    def _save(self, entries: "_Entries") -> None:
        encode = json.JSONEncoder(ensure_ascii=False).encode
        lines = ",\n".join(map(encode, entries))
        body = f"[\n{lines}\n]".encode("utf-8", "surrogatepass")
        with contextlib.suppress(OSError):  # the list is valid even if the index cannot be saved
            atomic.replace(self._folder / _INDEX, (_HEAD % zlib.crc32(body)) + body + b"}\n", durable=False)


_Entries = tuple[dict[str, Any], ...]
"""The plans as `index.json` holds them, newest first: an object each, every field by its name."""
_FIELDS = {*PlanSummary._fields[1:], "id", "seen"}


def _entry(plan: PlanSummary, seen: Signature) -> dict[str, Any]:
    """`seen` is the signature of the record this was read from; while it matches, the record is not read again."""
    origin = plan.branched_from
    return {
        "id": plan.plan_id,
        "title": plan.title,
        "status": plan.status.value,
        "revision": plan.revision,
        "created_at": plan.created_at.isoformat() if plan.created_at else None,
        "updated_at": plan.updated_at.isoformat(),
        "digest": plan.digest,
        "branched_from": [origin.plan_id, origin.revision] if origin else None,
        "gateway": plan.gateway,
        "session_id": plan.session_id,
        "seen": list(seen),
    }


def _summary(entry: dict[str, Any]) -> PlanSummary:
    origin, created = entry["branched_from"], entry["created_at"]
    return PlanSummary(
        entry["id"],
        entry["title"],
        _STATUS[entry["status"]],
        entry["revision"],
        entry["digest"],
        datetime.fromisoformat(entry["updated_at"]),
        _branch_point(*origin) if origin else None,
        datetime.fromisoformat(created) if created else None,
        entry["gateway"],
        entry["session_id"],
    )


def _branch_point(plan_id: PlanId, revision: int) -> "BranchPoint":
    from tandem_desktop.domain.plan import BranchPoint  # slow to load, and most plans are no alternatives

    return BranchPoint(plan_id=plan_id, revision=revision)


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


def _look(fd: int, names: list[str]) -> dict[str, list[int]]:
    """The signature of every record; one that never matches if there is none."""
    found: dict[str, list[int]] = {}
    stat, mask, meta = os.stat, INODE_MASK, f"/{META}"
    for name in names:
        try:
            info = stat(name + meta, dir_fd=fd)
        except OSError:
            found[name] = [-1, -1]
        else:
            found[name] = [info.st_ctime_ns, info.st_ino & mask]
    return found


def summary_of(meta: "PlanMeta") -> PlanSummary:
    """A plan's record as a line of the list."""
    return PlanSummary(
        plan_id=meta.plan_id,
        title=meta.title,
        status=meta.status,
        revision=meta.revision,
        digest=meta.digest,
        updated_at=_in_utc(meta.updated_at),
        branched_from=meta.branched_from,
        created_at=_in_utc(meta.created_at),
        gateway=meta.gateway,
        session_id=meta.session_id,
    )


def _in_utc(moment: datetime) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


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
