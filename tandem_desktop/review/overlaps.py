"""Finds plans that change the same paths, and whether both can be applied one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tandem_desktop.diff.text import split_lines
from tandem_desktop.diff.three_way import Meeting, aligned
from tandem_desktop.domain.errors import StagingError, StorageError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState
from tandem_desktop.domain.paths import ROOT, ancestors
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.review.rebase import PathHistory, chains, rebase
from tandem_desktop.staging.simulated_tree import SimulatedTree
from tandem_desktop.storage.objects import ObjectStore

_LARGEST_COMPARED = 4_000_000
"""Places of larger files are not counted: the whole file is one."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two plans that meet."""

    a: PlanId
    b: PlanId
    paths: tuple[str, ...]
    """What both change; also a path below a folder, file or link that the other one changes."""
    hunks: int
    """Places that both change, in all paths; a path that is not text on both sides is one place."""
    conflict: bool
    """Whether one of them would need a person's answer to be rebased onto what the other leaves."""


def overlaps(
    versions: Sequence[PlanVersion], source: SourceTree, objects: ObjectStore, of: frozenset[PlanId] = frozenset()
) -> Iterator[Overlap]:
    """Every pair that meets, in the order given; with `of`, those with one of these plans. Nothing is written."""
    touched = [_Touched(version) for version in versions]
    for one, other in combinations(touched, 2):
        if of and of.isdisjoint((one.version.plan_id, other.version.plan_id)):
            continue
        paths = one.paths_shared_with(other)
        if paths:
            hunks = sum(_places(one.histories.get(path), other.histories.get(path), objects) for path in paths)
            orders = ((one.version, other.version), (other.version, one.version))
            conflict = any(_is_conflict(first, second, source, objects) for first, second in orders)
            yield Overlap(one.version.plan_id, other.version.plan_id, paths, hunks, conflict)


class _Touched:
    """The paths of one plan."""

    def __init__(self, version: PlanVersion) -> None:
        self.version = version
        self.histories: dict[str, PathHistory] = {}
        self._paths: dict[str, bool] = {}
        """Each path, and whether it is a folder before and after: folders can be made by two plans."""
        for operation in version.operations:
            for change in operation.changes():
                is_folder = all(isinstance(each, DirectoryState) for each in (change.before, change.after))
                is_new_folder = isinstance(change.before, Absent) and isinstance(change.after, DirectoryState)
                self._paths[change.path] = self._paths.get(change.path, True) and (is_folder or is_new_folder)
        for history in chains(version.operations).values():
            self.histories.setdefault(history.path, history)

    def paths_shared_with(self, other: "_Touched") -> tuple[str, ...]:
        same = (path for path in self._paths if path in other._paths and not (self._paths[path] and other._paths[path]))
        below = (*self._below(other), *other._below(self))
        return tuple(sorted({*same, *below}))

    def _below(self, other: "_Touched") -> Iterator[str]:
        """Paths of `other` below one that this plan makes something else than a folder, or deletes."""
        ends = {path for path, stays_folder in self._paths.items() if not stays_folder}
        return (path for path in other._paths if not ends.isdisjoint(ancestors(path)))


def _places(one: PathHistory | None, other: PathHistory | None, objects: ObjectStore) -> int:
    states = [state for each in (one, other) if each is not None for state in (each.base, each.after)]
    if one is None or other is None or one.base != other.base or one.after == other.after:
        return 1
    if not all(isinstance(state, FileState) and state.size <= _LARGEST_COMPARED for state in states):
        return 1
    base, mine, theirs = (split_lines(_bytes(state, objects)) for state in (one.base, one.after, other.after))
    both = (Meeting.BOTH, Meeting.CONFLICT)
    return sum(stretch.meeting in both for stretch in aligned(base, mine, theirs))


def _bytes(state: NodeState, objects: ObjectStore) -> bytes:
    return objects.read(state.sha256) if isinstance(state, FileState) else b""


def _is_conflict(first: PlanVersion, second: PlanVersion, source: SourceTree, objects: ObjectStore) -> bool:
    """Whether the second has conflicts on what the first leaves that it does not have on the disk."""
    on_disk = {(each.path, each.reason) for each in rebase(second.operations, source, objects).conflicts}
    try:
        planned = PlannedTree(first, source, objects)
    except (StagingError, StorageError):  # the first one does not fit the disk as it is
        return True
    found = rebase(second.operations, planned, objects).conflicts
    return any((each.path, each.reason) not in on_disk for each in found)


class PlannedTree:
    """The workspace as it would be after a plan, in memory. What its commands would do is not known."""

    def __init__(self, version: PlanVersion, source: SourceTree, objects: ObjectStore) -> None:
        """Raises StagingError where the plan does not fit the workspace."""
        self._objects = objects
        self._source = source
        self._tree = SimulatedTree(source)
        rebased = rebase(version.operations, source, objects)
        self._made = {FileState.of(data, 0).sha256: data for data in rebased.contents}
        self._changed: set[str] = set()
        for operation in rebased.operations:
            for change in operation.changes():
                self._tree.become(change.path, change.after)
                self._changed.add(change.path)

    def state(self, path: str) -> NodeState:
        return self._tree.state(path)

    def read(self, path: str) -> bytes:
        state = self._tree.state(path)
        if path not in self._changed or not isinstance(state, FileState):
            return self._source.read(path)
        made = self._made.get(state.sha256)
        return self._objects.read(state.sha256) if made is None else made

    def children(self, path: str) -> tuple[str, ...]:
        return tuple(self._tree.children("" if path == ROOT else path))
