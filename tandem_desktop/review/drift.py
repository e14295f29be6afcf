"""Finds files that changed on disk since the plan was made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tandem_desktop.domain.errors import OutsideWorkspaceError, StagingError, StorageError
from tandem_desktop.domain.operations import Absent, DirectoryState, NodeState, StagedOperation
from tandem_desktop.domain.paths import ancestors
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.staging.changes import Difference, difference
from tandem_desktop.staging.simulated_tree import SimulatedTree


@dataclass(frozen=True, slots=True)
class Drifted:
    """A path that is no longer what the plan was made for."""

    path: str
    change: Difference
    at: datetime | None = None
    """The time of the change, if known; None for a deleted file."""
    lines: int = 0
    """Number of changed lines of a text, if counted."""


def drift(operations: tuple[StagedOperation, ...], source: SourceTree) -> tuple[Drifted, ...]:
    """Every drifted path, in the order the plan first names them.

    A replaced parent directory counts, and so does a new file in a directory the plan deletes.
    """
    first, implied = _first_views(operations)
    disk = SimulatedTree(source)
    found: dict[str, Difference] = {}
    for path, expected in first.items():
        for above in ancestors(path):
            if above not in first and above not in found and not _may_be_above(disk, above):
                found[above] = Difference.TYPE
        change = _change(disk, path, expected)
        if change is not None and not (change is Difference.DELETED and path in implied):
            found[path] = change
    for newcomer in _newcomers(operations, first, disk):
        found.setdefault(newcomer, Difference.CREATED)
    return tuple(Drifted(path, change) for path, change in found.items())


def dated(
    found: tuple[Drifted, ...], times: Callable[[str], tuple[int, int] | None], since: datetime
) -> tuple[Drifted, ...]:
    """Add the time of each change; `times` returns the modification and change times of a path in nanoseconds.

    A file with a modification time older than the plan was moved or copied there, so its change time is used.
    """
    return tuple(replace(each, at=_moment(each.change, times(each.path), since)) for each in found)


def _moment(change: Difference, times: tuple[int, int] | None, since: datetime) -> datetime | None:
    if times is None or change is Difference.DELETED:
        return None
    written, changed = (datetime.fromtimestamp(each / 1_000_000_000, UTC) for each in times)
    return changed if change is Difference.MODE or written < since else written


def _first_views(operations: tuple[StagedOperation, ...]) -> tuple[dict[str, NodeState], set[str]]:
    """The first base state of each path, and the directories created by earlier operations."""
    views: dict[str, NodeState] = {}
    implied: set[str] = set()
    above: set[str] = set()
    for operation in operations:
        for change in operation.changes():
            if change.path not in views:
                views[change.path] = change.before
                if change.path in above:
                    implied.add(change.path)
            if not isinstance(change.after, Absent):
                above.update(ancestors(change.path))
    return views, implied


def _may_be_above(disk: SimulatedTree, directory: str) -> bool:
    try:
        return isinstance(disk.state(directory), Absent | DirectoryState)
    except (StagingError, StorageError):
        return False


def _change(disk: SimulatedTree, path: str, expected: NodeState) -> Difference | None:
    try:
        return difference(expected, disk.state(path))
    except OutsideWorkspaceError:
        return Difference.TYPE
    except (StagingError, StorageError):
        # Too large or unreadable: either way not what was staged.
        return Difference.CREATED if isinstance(expected, Absent) else Difference.MODIFIED


def _newcomers(
    operations: tuple[StagedOperation, ...], first: dict[str, NodeState], disk: SimulatedTree
) -> Iterator[str]:
    for operation in operations:
        is_removed_directory = isinstance(operation.base, DirectoryState) and isinstance(operation.after, Absent)
        if operation.path is None or not is_removed_directory:
            continue
        if isinstance(first[operation.path], DirectoryState) and disk.is_directory(operation.path):
            for name in disk.children(operation.path):
                if (path := f"{operation.path}/{name}") not in first:
                    yield path
