"""Archives old plans and runs and removes unused objects.

A run can be taken back as long as its plan is kept; that promise ends with the plan's retention, never before it.
Stored bytes are shared by every workspace on the machine, so they go only when no journal of any of them, no
session and no plan here refers to them, and only long after they were last used.
"""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tandem_desktop.domain.errors import PlanError
from tandem_desktop.domain.ids import PLAN_ID, PlanId
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan_states import has_ended
from tandem_desktop.domain.runs import RunRecord
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.errors import writing
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations

KEPT_AT_LEAST = timedelta(days=365)
"""How long bytes stay after their last use, whatever a workspace asks for: another one may need them."""
_SHA256 = lazy_pattern(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


@dataclass(frozen=True, slots=True)
class ArchivedItems:
    """What was removed."""

    archived: tuple[PlanId, ...] = ()
    removed: tuple[PlanId, ...] = ()
    """Removed from the archive, after the retention time once more."""


@dataclass(frozen=True, slots=True)
class Collected:
    """Unused stored bytes."""

    objects: int
    size: int


class Retention:
    """Called by a command or when a window opens. Every step may be repeated after a crash."""

    def __init__(
        self,
        *,
        locations: Locations,
        plans: PlanStore,
        manager: RunManager,
        objects: ObjectStore,
        clock: Callable[[], datetime],
        kept_for: timedelta,
    ) -> None:
        self._locations = locations
        self._plans = plans
        self._manager = manager
        self._objects = objects
        self._clock = clock
        self._kept_for = kept_for

    def put_away(self, at_most: int = 1000) -> ArchivedItems:
        """Archive plans that ended long ago, with their runs, and empty the archive of what is twice as old.

        Raises:
            BusyError: a run is under way.
            InterruptedRunError: one was cut off.
        """
        with self._manager.only_run(), writing(self._locations.archive):
            self._manager.refuse_if_interrupted()
            runs = self._runs()
            archived = tuple(plan_id for plan_id in self._old(runs, at_most) if self._archive(plan_id))
            for plan_id in self._in_archive():
                self._bring_along(plan_id, runs[plan_id])
            removed = tuple(plan_id for plan_id in self._in_archive() if self._is_past(plan_id))
            for plan_id in removed:
                atomic.remove_tree(self._locations.archive / plan_id)
        return ArchivedItems(archived, removed)

    def collect(self) -> Collected:
        """Remove stored bytes without references that were not used for at least a year."""
        before = self._clock() - max(self._kept_for, KEPT_AT_LEAST)
        old = self._objects.last_used_before(before)
        needed = self._needed() if old else frozenset()
        sizes = [self._objects.remove(name, before) for name in old if name not in needed]
        return Collected(sum(size is not None for size in sizes), sum(size or 0 for size in sizes))

    def _runs(self) -> dict[PlanId, list[RunRecord]]:
        found: dict[PlanId, list[RunRecord]] = defaultdict(list)
        for record in self._manager.runs.list():
            found[record.plan_id].append(record)
        return found

    def _old(self, runs: dict[PlanId, list[RunRecord]], at_most: int) -> list[PlanId]:
        due = self._clock() - self._kept_for
        ended = [plan for plan in self._plans.list().plans if has_ended(plan.status)]
        return [
            plan.plan_id
            for plan in ended
            if plan.updated_at <= due and all((run.ended_at or run.started_at) <= due for run in runs[plan.plan_id])
        ][:at_most]

    def _archive(self, plan_id: PlanId) -> bool:
        """Archive one plan, unless it became active again."""
        due = self._clock() - self._kept_for
        atomic.make_directory(self._locations.archive)
        with contextlib.suppress(PlanError):
            return self._plans.archive(
                plan_id,
                self._locations.archive / plan_id,
                lambda meta: has_ended(meta.status) and meta.updated_at <= due,
            )
        return False

    def _in_archive(self) -> tuple[PlanId, ...]:
        if not self._locations.archive.is_dir():
            return ()
        return tuple(PlanId(path.name) for path in self._locations.archive.iterdir() if PLAN_ID.fullmatch(path.name))

    def _bring_along(self, plan_id: PlanId, runs: list[RunRecord]) -> None:
        """What belongs to an archived plan follows it, also when a crash came in between."""
        if (self._locations.plans / plan_id).exists():
            return  # a plan of this name was imported since
        place = self._locations.archive / plan_id
        self._move(self._locations.artifacts / plan_id, place / "artifacts")
        for run in runs:
            atomic.make_directory(place / "runs")
            self._manager.journal_store.forget(
                run.run_id
            )  # first: while its record is there, a crash is made good next time
            self._move(self._locations.runs / run.run_id, place / "runs" / run.run_id)

    def _move(self, source: Path, target: Path) -> None:
        if source.is_dir() and not target.exists():
            syscalls.rename(str(source), str(target))
            atomic.sync_directory(target.parent)
            atomic.sync_directory(source.parent)

    def _is_past(self, plan_id: PlanId) -> bool:
        with contextlib.suppress(PlanError, OSError):
            return self._plans.archived_at(self._locations.archive / plan_id) <= self._clock() - 2 * self._kept_for
        return False

    def _needed(self) -> frozenset[str]:
        """Every digest that may be referenced; errs on the side of keeping."""
        found: set[bytes] = set()
        for path in self._referencing_files():
            with contextlib.suppress(FileNotFoundError):
                found.update(_SHA256.findall(path.read_bytes()))
        return frozenset(name.decode() for name in found)

    def _referencing_files(self) -> Iterator[Path]:
        for folder in (self._locations.journals, self._locations.sessions, self._locations.plans):
            yield from (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        # What lies deeper in a shadow is an agent's work, not Tandem's record of it.
        yield from (path for path in self._locations.shadows.glob("*/*") if path.is_file() and not path.is_symlink())
