"""Work out what taking a run back would do: touched paths only, exactly, and never over a later edit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tandem_desktop.domain.errors import BadInputError, UndoConflictError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_DIRECTORY_MODE,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    PathChange,
)
from tandem_desktop.domain.paths import ancestors, is_inside, shown
from tandem_desktop.execution.git_index import INDEX_PATH, same_entries
from tandem_desktop.execution.journal_shelf import History
from tandem_desktop.execution.steps import Action, Step, missing_parents, net_changes
from tandem_desktop.execution.workbench import Metadata
from tandem_desktop.review.merge import merge
from tandem_desktop.storage.objects import ObjectStore

NetChanges = dict[str, tuple[NodeState, NodeState]]


class Surroundings(Protocol):
    """The tree an undo would meet: the disk, or what is imagined of it."""

    def peek(self, path: str) -> tuple[NodeState | None, bytes | None]: ...

    def children(self, path: str) -> tuple[str, ...]: ...

    def is_directory(self, path: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Part:
    """How much of a run is taken back: all of it, one operation, or one path with what lies below it."""

    operation: OperationId | None = None
    path: str | None = None

    @property
    def is_whole(self) -> bool:
        return self.operation is None and self.path is None


WHOLE = Part()


@dataclass(frozen=True, slots=True)
class Undoing:
    """What an undo would do: exactly this, as long as the disk stays as it was looked at."""

    changes: tuple[PathChange, ...]
    merged: tuple[str, ...]
    kept: tuple[str, ...]
    """Folders the run made that hold something else by now; they stay."""
    conflicts: tuple[tuple[str, str], ...]
    contents: tuple[bytes, ...]
    moves: dict[str, str]
    """Where a node lies that was moved, and where it lay before the run."""
    metadata: dict[str, Metadata]
    """What the nodes had that the run removed, by where they lay before it."""


def work_out(history: History, tree: Surroundings, objects: ObjectStore, part: Part = WHOLE) -> Undoing:
    """Compare what the run left with what is there now, path by path.

    Raises:
        BadInputError: the run has no such part.
        UndoConflictError: a later operation of the run builds on the one that is to go.
    """
    steps = [step for step in history.done if part.operation in (None, step.operation)]
    if part.operation is not None:
        if not steps:
            raise BadInputError(
                f"The run has no operation {part.operation} with file changes.", step=part.operation, next="tandem runs"
            )
        _refuse_if_built_upon(history, part.operation)
    net = net_changes(steps)
    if part.path is not None:
        net = _only_path(net, steps, part.path)
    changes: list[PathChange] = []
    merged: list[str] = []
    conflicts: list[tuple[str, str]] = []
    contents: list[bytes] = []
    for path, (before, after) in net.items():
        disk, data = tree.peek(path)
        if disk is None:
            conflicts.append((path, "replaced by something that is no file, link or folder"))
            continue
        if disk == before or _is_fine_as_it_is(disk, before, after):
            continue
        if disk == after or _made_folder(disk, before, after) or _merely_refreshed(path, data, after, objects):
            changes.append(PathChange(path=path, before=disk, after=before))
            if disk != after and data is not None:
                contents.append(data)
            continue
        combined = _combined(disk, data, before, after, objects)
        if combined is None:
            conflicts.append((path, _what_happened(disk, after)))
            continue
        state, content = combined
        contents += [content, data or b""]
        merged.append(path)
        if state != disk:
            changes.append(PathChange(path=path, before=disk, after=state))
    changes, kept = _without_full_folders(changes, tree)
    changes += _missing_folders(changes, tree)
    moves, had = _whence(steps, history.lost)
    lost = {path: metadata for path, metadata in had.items() if path in net}
    return Undoing(tuple(changes), tuple(merged), tuple(kept), tuple(conflicts), tuple(contents), moves, lost)


def _whence(steps: Iterable[Step], lost: Mapping[int, Metadata]) -> tuple[dict[str, str], dict[str, Metadata]]:
    """Where each node that was moved lay at first, and what those that are gone had, by where they lay at first."""
    first: dict[str, str | None] = {}
    had: dict[str, Metadata] = {}
    for step in steps:
        origin = None if step.action is Action.PUT else first.pop(step.path, step.path)
        if step.action not in (Action.REMOVE, Action.RMDIR):
            first[step.to or step.path] = origin
        if origin is not None and step.n in lost:
            had.setdefault(origin, lost[step.n])
    return {path: origin for path, origin in first.items() if origin not in (None, path)}, had


def _only_path(net: NetChanges, steps: Iterable[Step], path: str) -> NetChanges:
    """The changes of one file, or of all in one folder: where it was moved from or to, and the folders it needs."""
    wanted = {each for each in net if each == path or is_inside(each, path)}
    moves = [(step.path, step.to) for step in steps if step.to is not None]
    known = -1
    while known != len(wanted):  # a file may have been moved more than once, by moves in either direction
        known = len(wanted)
        wanted.update(end for move in moves if not wanted.isdisjoint(move) for end in move)
    if not wanted:
        raise BadInputError(f"The run left {shown(path)} as it was.", path=path, next="tandem runs")
    folders = {above for each in wanted for above in ancestors(each)}
    return {
        each: pair
        for each, pair in net.items()
        if each in wanted or (each in folders and any(isinstance(state, Absent) for state in pair))
    }


def _refuse_if_built_upon(history: History, only: OperationId) -> None:
    own = {path for step in history.done if step.operation == only for path, _, _ in step.states()}
    later = False
    for step in history.done:
        if step.operation == only:
            later = True
        elif later and own & {path for path, _, _ in step.states()}:
            raise UndoConflictError(
                f"{step.operation} built on {only} in the same run at {step.path}; nothing was changed.",
                conflicts=((step.path, f"changed again by {step.operation} in the same run"),),
                step=only,
                next=f"Undo {step.operation} first, or the whole run.",
            )


def _is_fine_as_it_is(disk: NodeState, before: NodeState, after: NodeState) -> bool:
    """A folder that is back, or gone, whoever did it."""
    if isinstance(before, DirectoryState) and isinstance(after, Absent):
        return isinstance(disk, DirectoryState)
    return isinstance(before, Absent) and isinstance(after, DirectoryState) and isinstance(disk, Absent)


def _made_folder(disk: NodeState, before: NodeState, after: NodeState) -> bool:
    return isinstance(before, Absent) and isinstance(after, DirectoryState) and isinstance(disk, DirectoryState)


def _merely_refreshed(path: str, data: bytes | None, after: NodeState, objects: ObjectStore) -> bool:
    """An index git has rewritten by looking at it counts as untouched."""
    if path != INDEX_PATH or data is None or not isinstance(after, FileState):
        return False
    return same_entries(data, objects.read(after.sha256))


def _combined(
    disk: NodeState, data: bytes | None, before: NodeState, after: NodeState, objects: ObjectStore
) -> tuple[FileState, bytes] | None:
    """The person's later edit kept, the run's change taken out, when they do not touch."""
    if not (isinstance(disk, FileState) and isinstance(before, FileState) and isinstance(after, FileState)):
        return None
    if data is None or not (disk.mode == after.mode or before.mode == after.mode):
        return None
    content = merge(objects.read(after.sha256), data, objects.read(before.sha256))
    if content is None:
        return None
    mode = before.mode if disk.mode == after.mode else disk.mode
    return FileState.of(content, mode), content


def _what_happened(disk: NodeState, after: NodeState) -> str:
    if isinstance(disk, Absent):
        return "deleted since"
    if isinstance(after, Absent):
        return "created since"
    return "changed since, where the run had changed it"


def _without_full_folders(changes: list[PathChange], tree: Surroundings) -> tuple[list[PathChange], list[str]]:
    """Leave every folder that still holds something the undo does not remove."""
    by_path = {change.path: change for change in changes}
    leaving = {change.path for change in changes if isinstance(change.after, Absent)}
    kept = []
    for path in sorted(leaving, reverse=True):
        if not isinstance(by_path[path].before, DirectoryState):
            continue
        if any(f"{path}/{name}" not in leaving for name in tree.children(path)):
            leaving.discard(path)
            kept.append(path)
    return [c for c in changes if c.path not in kept], kept


def _missing_folders(changes: Iterable[PathChange], tree: Surroundings) -> list[PathChange]:
    """Folders that have to be made again for a file to come back."""
    known = {change.path for change in changes if isinstance(change.after, DirectoryState)}
    made: dict[str, PathChange] = {}
    for change in changes:
        if isinstance(change.after, Absent):
            continue
        for folder in missing_parents(change.path, lambda f: f in known or f in made or tree.is_directory(f)):
            state = DirectoryState(mode=NEW_DIRECTORY_MODE)
            made[folder] = PathChange(path=folder, before=ABSENT, after=state)
    return list(made.values())
