"""Splits operations into single system calls and orders them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_DIRECTORY_MODE,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    PathChange,
    StagedOperation,
    SymlinkState,
)


class Action(StrEnum):
    """What one step does to its path. Each is one atomic call of the kernel."""

    PUT = "put"
    """Move the prepared node to a free name."""
    SWAP = "swap"
    """Exchange the prepared file and the one in place."""
    REMOVE = "remove"
    """Move the node in place to the scratch dir."""
    RENAME = "rename"
    """Move the node to another free name in the workspace."""
    CHMOD = "chmod"
    RMDIR = "rmdir"


_PREPARED = (Action.PUT, Action.SWAP)


class Step(NamedTuple):
    """One atomic change. `n` is its number in the run."""

    n: int
    operation: OperationId
    action: Action
    path: str
    before: NodeState
    after: NodeState
    to: str | None = None

    @property
    def name(self) -> str:
        """Its name in the scratch dir.

        Long, so that a directory block holds few names, as each lookup reads a whole block.
        """
        return f"{self.n:032d}"

    @property
    def needs_preparation(self) -> bool:
        return self.action in _PREPARED

    def states(self) -> tuple[tuple[str, NodeState, NodeState], ...]:
        """(path, before, after) of each path the step touches."""
        if self.to is None:
            return ((self.path, self.before, self.after),)
        return ((self.path, self.before, ABSENT), (self.to, ABSENT, self.after))


class Directories(Protocol):
    """The view of the tree that the compiler needs: which folders exist."""

    def is_directory(self, path: str) -> bool: ...


def compile_steps(operations: Iterable[StagedOperation], tree: Directories, first: int = 0) -> tuple[Step, ...]:
    """The steps of one segment, missing parent folders included, numbered from `first`."""
    return tuple(_compile(operations, tree, first))


def _compile(operations: Iterable[StagedOperation], tree: Directories, n: int) -> Iterator[Step]:
    known: dict[str, bool] = {"": True}

    def exists(folder: str) -> bool:
        if folder not in known:
            known[folder] = tree.is_directory(folder)
        return known[folder]

    for operation in operations:
        if operation.path is None:
            continue
        target = operation.to or operation.path
        if not isinstance(operation.after, Absent) and not known.get(target.rpartition("/")[0]):
            for folder in missing_parents(target, exists):
                yield Step(n, operation.id, Action.PUT, folder, ABSENT, DirectoryState(mode=NEW_DIRECTORY_MODE))
                known[folder] = True
                n += 1
        step = _step(n, operation)
        if step is not None:
            yield step
            n += 1
        for path, _, after in step.states() if step else ():
            known[path] = isinstance(after, DirectoryState)


def missing_parents(path: str, exists: Any) -> list[str]:
    """Missing parent folders of `path`, outermost first."""
    missing = []
    folder = path.rpartition("/")[0]
    while folder and not exists(folder):
        missing.append(folder)
        folder = folder.rpartition("/")[0]
    return missing[::-1]


def _step(n: int, operation: StagedOperation) -> Step | None:
    assert operation.path is not None
    if operation.to is not None:
        return Step(n, operation.id, Action.RENAME, operation.path, operation.base, operation.after, operation.to)
    return change_step(n, operation.id, operation.path, operation.base, operation.after)


def change_step(n: int, operation: OperationId, path: str, before: NodeState, after: NodeState) -> Step | None:
    """The single step that turns one state of a path into another, or nothing when they are equal."""
    if _is_same(before, after):
        return None
    if isinstance(before, Absent):
        return Step(n, operation, Action.PUT, path, before, after)
    if isinstance(after, Absent):
        action = Action.RMDIR if isinstance(before, DirectoryState) else Action.REMOVE
        return Step(n, operation, action, path, before, after)
    if _only_mode_differs(before, after):
        return Step(n, operation, Action.CHMOD, path, before, after)
    return Step(n, operation, Action.SWAP, path, before, after)


def _is_same(one: NodeState, other: NodeState) -> bool:
    # Comparing models is slow, and almost every pair here is two different files.
    if isinstance(one, FileState) and isinstance(other, FileState):
        return one.sha256 == other.sha256 and one.mode == other.mode
    return one == other


def _only_mode_differs(before: NodeState, after: NodeState) -> bool:
    if isinstance(before, FileState) and isinstance(after, FileState):
        return before.sha256 == after.sha256
    return isinstance(before, DirectoryState) and isinstance(after, DirectoryState)


def net_changes(steps: Iterable[Step]) -> dict[str, tuple[NodeState, NodeState]]:
    """First state before and last state after of each path; paths that end as they began are left out."""
    net: dict[str, tuple[NodeState, NodeState]] = {}
    for step in steps:
        for path, before, after in step.states():
            net[path] = (net[path][0] if path in net else before, after)
    return {path: pair for path, pair in net.items() if not _is_same(*pair)}


def pack_state(state: NodeState) -> list[Any]:
    if isinstance(state, FileState):
        return ["f", state.sha256, state.size, state.mode]
    if isinstance(state, SymlinkState):
        return ["l", state.target]
    if isinstance(state, DirectoryState):
        return ["d", state.mode]
    return []


def unpack_state(packed: list[Any]) -> NodeState:
    if not packed:
        return ABSENT
    kind, *facts = packed
    if kind == "f":
        return FileState(sha256=facts[0], size=facts[1], mode=facts[2])
    if kind == "l":
        return SymlinkState(target=facts[0])
    return DirectoryState(mode=facts[0])


def pack_step(step: Step) -> list[Any]:
    return [
        step.n,
        step.operation,
        step.action.value,
        step.path,
        step.to,
        pack_state(step.before),
        pack_state(step.after),
    ]


def unpack_step(packed: list[Any]) -> Step:
    n, operation, action, path, to, before, after = packed
    return Step(n, operation, Action(action), path, unpack_state(before), unpack_state(after), to)


_OWNER_WRITES = 0o200
_Change = tuple[str, NodeState, NodeState]


def ordered_steps(
    changes: Iterable[PathChange],
    operation: OperationId,
    first: int = 0,
    moves: Mapping[str, str] | None = None,
) -> tuple[Step, ...]:
    """Steps for `changes`: what goes, then folders, then what comes, then empty folders.

    `moves` names pairs (from, to) to be carried out as renames, so that a file keeps its identity and what is
    attached to it; it gets its content afterwards, if that is another.
    """
    by_path = {change.path: change for change in changes}
    pairs = _pairs(by_path, moves or {})
    moved = {path for pair in pairs for path in pair}
    removed: list[_Change] = []
    opened: list[_Change] = []
    folders: list[_Change] = []
    placed: list[_Change] = []
    closed: list[_Change] = []
    emptied: list[_Change] = []
    replaced = {path for path, change in by_path.items() if _loses_its_folder(change)}
    for path in sorted(by_path):
        if path in moved:
            continue
        change = by_path[path]
        goes, comes = _parts(change)
        if goes is not None:
            # A folder that is only removed waits for moves out of it; one that is replaced by a file cannot.
            late = isinstance(goes, DirectoryState) and not _is_at_or_below(path, replaced)
            (emptied if late else removed).append((path, goes, ABSENT))
        if comes is not None:
            (folders if isinstance(comes, DirectoryState) else placed).append((path, ABSENT, comes))
        if goes is None and comes is None:
            (_place_of_mode_change(change, opened, closed, placed)).append((path, change.before, change.after))
    n = first
    steps: list[Step] = []
    for path, before, after in (*opened, *reversed(removed), *folders):
        steps.append(_single(n + len(steps), operation, path, before, after))
    for source, target in pairs:
        state = by_path[source].before
        steps.append(Step(n + len(steps), operation, Action.RENAME, source, state, state, target))
        if state != by_path[target].after:
            steps.append(_single(n + len(steps), operation, target, state, by_path[target].after))
    for path, before, after in (*placed, *reversed(emptied), *closed):
        steps.append(_single(n + len(steps), operation, path, before, after))
    return tuple(steps)


def _parts(change: PathChange) -> tuple[NodeState | None, NodeState | None]:
    """What to remove and what to create; neither if the node can be changed in place."""
    if isinstance(change.before, Absent):
        return None, change.after
    if isinstance(change.after, Absent):
        return change.before, None
    if change.before.type == change.after.type:
        return None, None
    return change.before, change.after


def _loses_its_folder(change: PathChange) -> bool:
    """True if a folder is replaced by a file or link."""
    return isinstance(change.before, DirectoryState) and not isinstance(change.after, DirectoryState | Absent)


def _is_at_or_below(path: str, folders: Collection[str]) -> bool:
    return bool(folders) and any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _place_of_mode_change(
    change: PathChange,
    opened: list[_Change],
    closed: list[_Change],
    placed: list[_Change],
) -> list[_Change]:
    """The phase of a mode change: a folder becomes writable before its contents change, read-only after."""
    if not isinstance(change.after, DirectoryState):
        return placed
    return opened if change.after.mode & _OWNER_WRITES else closed


def _pairs(by_path: Mapping[str, PathChange], moves: Mapping[str, str]) -> list[tuple[str, str]]:
    if any(map(_loses_its_folder, by_path.values())):
        return []
    found = []
    taken: set[str] = set()
    for source, target in moves.items():
        leaves, arrives = by_path.get(source), by_path.get(target)
        if leaves is None or arrives is None or {source, target} & taken:
            continue
        vanishes = isinstance(leaves.after, Absent) and isinstance(arrives.before, Absent)
        are_files = isinstance(leaves.before, FileState) and isinstance(arrives.after, FileState)
        are_equal = leaves.before == arrives.after and not isinstance(leaves.before, DirectoryState)
        if vanishes and (are_files or are_equal):
            found.append((source, target))
            taken.update((source, target))
    return found


def _single(n: int, operation: OperationId, path: str, before: NodeState, after: NodeState) -> Step:
    step = change_step(n, operation, path, before, after)
    if step is None:
        raise ValueError(f"{path} does not change")
    return step


def may_be_ref(path: str) -> bool:
    """Whether a path is worth a closer look as a reference of git: most are none."""
    return "refs" in path or "HEAD" in path
