"""Single-path changes of a simulated tree, their differences and net order."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_DIRECTORY_MODE,
    NEW_FILE_MODE,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    OperationCall,
    OperationKind,
    PathChange,
    SymlinkState,
    unfit_mode,
)
from tandem_desktop.domain.paths import shown, unfit_target
from tandem_desktop.staging.simulated_tree import SimulatedTree


class Difference(StrEnum):
    """The five ways a path can be other than expected."""

    MODIFIED = "modified"
    DELETED = "deleted"
    CREATED = "created"
    MODE = "mode"
    TYPE = "type"


def difference(expected: NodeState, found: NodeState) -> Difference | None:
    """The difference between two states; None if they are equal."""
    if expected == found:
        return None
    match expected, found:
        case Absent(), _:
            return Difference.CREATED
        case _, Absent():
            return Difference.DELETED
        case FileState(), FileState():
            return Difference.MODE if expected.sha256 == found.sha256 else Difference.MODIFIED
        case DirectoryState(), DirectoryState():
            return Difference.MODE
        case SymlinkState(), SymlinkState():
            return Difference.MODIFIED
        case _:
            return Difference.TYPE


def told(difference: Difference, expected: NodeState, found: NodeState) -> str:
    """The difference as a clause after a path: "is not there any more"."""
    match difference:
        case Difference.CREATED:
            return f"is there already, as {NOUNS[found.type]}"
        case Difference.DELETED:
            return "is not there"
        case Difference.MODE:
            return f"has the mode {_mode(found)}, not {_mode(expected)}"
        case Difference.TYPE:
            return f"is {NOUNS[found.type]}, not {NOUNS[expected.type]}"
        case Difference.MODIFIED:
            return "has other content than the plan was made for"


NOUNS = {"file": "a file", "symlink": "a symbolic link", "dir": "a directory", "absent": "absent"}


def _mode(state: NodeState) -> str:
    return f"{state.mode:04o}" if isinstance(state, FileState | DirectoryState) else "none"


DROP = "Take the step out of the plan."
LOOK = "Look at what is there, then correct the step."


@dataclass(frozen=True, slots=True)
class TreeChange:
    """A change that becomes an operation when it gets an id."""

    kind: OperationKind
    path: str | None = None
    to: str | None = None
    base: NodeState = ABSENT
    after: NodeState = ABSENT
    call: OperationCall | None = None


def write_file(tree: SimulatedTree, path: str, data: bytes, mode: int | None) -> TreeChange:
    """Write a file; `mode` None keeps the current mode, or gives a new file the default."""
    tree.check_parents(path)
    before = tree.state(path)
    if isinstance(before, DirectoryState | SymlinkState):
        raise refused(path, f"{shown(path)} is {NOUNS[before.type]} and cannot be written as a file", LOOK)
    if mode is not None:
        check_mode(path, mode, directory=False)
    kept = before.mode if isinstance(before, FileState) else NEW_FILE_MODE
    after = FileState(sha256=tree.keep(path, data), size=len(data), mode=kept if mode is None else mode)
    if after == before:
        raise refused(path, f"{shown(path)} already has exactly this content and mode", DROP)
    if isinstance(before, Absent):
        return _made(tree, TreeChange(OperationKind.CREATE, path, after=after))
    return _made(tree, TreeChange(OperationKind.MODIFY, path, base=before, after=after))


def make_link(tree: SimulatedTree, path: str, target: str) -> TreeChange:
    """Create a symbolic link at a free path."""
    _check_target(path, target)
    must_be_free(tree, path)
    return _made(tree, TreeChange(OperationKind.SYMLINK, path, after=SymlinkState(target=target)))


def delete_one(tree: SimulatedTree, path: str) -> TreeChange:
    """Delete the node at `path`; a directory only if it is empty."""
    before = must_exist(tree, path)
    return _made(tree, TreeChange(OperationKind.DELETE, path, base=before))


def move_one(tree: SimulatedTree, path: str, to: str) -> TreeChange:
    """Move one file or link to a free path."""
    state = must_exist(tree, path)
    return _made(tree, TreeChange(OperationKind.MOVE, path, to, base=state, after=state))


def make_directory(tree: SimulatedTree, path: str, mode: int) -> TreeChange:
    """Create an empty directory at a free path."""
    must_be_free(tree, path)
    return _made(tree, TreeChange(OperationKind.MKDIR, path, after=DirectoryState(mode=mode)))


def change_mode(tree: SimulatedTree, path: str, mode: int) -> TreeChange:
    """Change the mode of a file or a directory."""
    before = must_exist(tree, path)
    if isinstance(before, SymlinkState):
        raise refused(path, f"{shown(path)} is a symbolic link, which has no mode of its own", "Name the file itself.")
    assert isinstance(before, FileState | DirectoryState)
    check_mode(path, mode, directory=isinstance(before, DirectoryState))
    if before.mode == mode:
        raise refused(path, f"{shown(path)} already has the mode {mode:04o}", DROP)
    return _made(
        tree, TreeChange(OperationKind.CHMOD, path, base=before, after=before.model_copy(update={"mode": mode}))
    )


def check_mode(path: str, mode: int, *, directory: bool) -> None:
    """Refuse modes that expose the workspace to others, or prevent Tandem from undoing them."""
    if unfit := unfit_mode(mode, directory=directory):
        raise refused(path, f"the mode {mode:04o} for {shown(path)} would {unfit}", "Choose a mode such as 0755.")


def refused(path: str, reason: str, advice: str) -> StepRefusedError:
    return StepRefusedError(f"{reason}.", path=path, next=advice)


def must_exist(tree: SimulatedTree, path: str) -> NodeState:
    tree.check_parents(path)
    state = tree.state(path)
    if isinstance(state, Absent):
        raise refused(path, f"{shown(path)} does not exist", "Correct the path, or make it in an earlier step.")
    return state


def must_be_free(tree: SimulatedTree, path: str) -> None:
    tree.check_parents(path)
    state = tree.state(path)
    if not isinstance(state, Absent):
        raise refused(path, f"{shown(path)} already exists, as {NOUNS[state.type]}", "Choose a path that is free.")


def _check_target(path: str, target: str) -> None:
    if unfit := unfit_target(target):
        message = f"the target {shown(target)!r} of the link {shown(path)} {unfit}"
        raise refused(path, message, "Give the link another target.")


def _made(tree: SimulatedTree, change: TreeChange) -> TreeChange:
    """Apply `change` to the tree and keep its base."""
    assert change.path is not None
    if isinstance(change.base, FileState):
        tree.content(change.path)
    if isinstance(change.base, SymlinkState):
        _check_target(change.path, change.base.target)  # what cannot be shown or recorded cannot be approved
    if change.to is None:
        tree.become(change.path, change.after)
    else:
        must_be_free(tree, change.to)
        tree.become(change.path, ABSENT)
        tree.become(change.to, change.after)
    return change


_EMPTY = hashlib.sha256(b"").hexdigest()
_OWNER_WRITES = 0o200
_OWNER_ALL = 0o700


def ordered_changes(changes: Sequence[PathChange], has_content: Callable[[str], bool]) -> tuple[TreeChange, ...]:
    """One change per operation: opened folders, what goes, new folders, moves, emptied folders, the rest, closed ones.

    A file that vanished in one place and appeared in another with the same bytes is a move. A folder that is made only
    to hold something is not an operation of its own; `has_content` tells which.
    """
    by_path = {change.path: change for change in changes}
    moves = _moves(by_path)
    moved = {path for pair in moves for path in pair}
    order = _Order()
    for path in sorted(by_path):
        if path not in moved:
            order.add(by_path[path], has_content)
    for source, target in moves:
        order.move(by_path[source], by_path[target])
    return order.all()


class _Order:
    """The phases, each in order of paths; folders go from the inside out."""

    def __init__(self) -> None:
        self._opened: list[TreeChange] = []
        self._removed: list[TreeChange] = []
        self._moved: list[TreeChange] = []
        self._emptied: list[TreeChange] = []
        self._folders: list[TreeChange] = []
        self._placed: list[TreeChange] = []
        self._closed: list[TreeChange] = []

    def all(self) -> tuple[TreeChange, ...]:
        first = (*self._opened, *self._removed, *self._folders, *self._moved)
        return (*first, *reversed(self._emptied), *self._placed, *reversed(self._closed))

    def add(self, change: PathChange, has_content: Callable[[str], bool]) -> None:
        path, before, after = change.path, change.before, change.after
        match before, after:
            case FileState(), FileState():
                kind = OperationKind.CHMOD if before.sha256 == after.sha256 else OperationKind.MODIFY
                self._placed.append(TreeChange(kind, path, base=before, after=after))
                return
            case DirectoryState(), DirectoryState():
                phase = self._opened if after.mode & _OWNER_WRITES else self._closed
                phase.append(TreeChange(OperationKind.CHMOD, path, base=before, after=after))
                return
        if not isinstance(before, Absent):
            phase = self._emptied if isinstance(before, DirectoryState) else self._removed
            phase.append(TreeChange(OperationKind.DELETE, path, base=before))
        match after:
            case FileState():
                self._placed.append(TreeChange(OperationKind.CREATE, path, after=after))
            case SymlinkState():
                self._placed.append(TreeChange(OperationKind.SYMLINK, path, after=after))
            case DirectoryState():
                self._make(path, after, has_content(path))

    def move(self, leaves: PathChange, arrives: PathChange) -> None:
        state, after = leaves.before, arrives.after
        self._moved.append(TreeChange(OperationKind.MOVE, leaves.path, arrives.path, base=state, after=state))
        if after != state:
            self._placed.append(TreeChange(OperationKind.CHMOD, arrives.path, base=state, after=after))

    def _make(self, path: str, folder: DirectoryState, has_content: bool) -> None:
        if has_content and folder.mode == NEW_DIRECTORY_MODE:
            return
        writable = folder.model_copy(update={"mode": folder.mode | _OWNER_ALL})
        self._folders.append(TreeChange(OperationKind.MKDIR, path, after=writable))
        if writable != folder:
            self._closed.append(TreeChange(OperationKind.CHMOD, path, base=writable, after=folder))


def _moves(by_path: dict[str, PathChange]) -> list[tuple[str, str]]:
    """Pairs of the same bytes, the same name first, then in order; an empty file only ever keeps its name."""
    gone: dict[str, list[str]] = defaultdict(list)
    come: dict[str, list[str]] = defaultdict(list)
    for path in sorted(by_path):
        match by_path[path]:
            case PathChange(before=FileState(sha256=digest), after=Absent()):
                gone[digest].append(path)
            case PathChange(before=Absent(), after=FileState(sha256=digest)):
                come[digest].append(path)
    pairs: list[tuple[str, str]] = []
    for digest in gone.keys() & come.keys():
        sources, targets = gone[digest], come[digest]
        pairs.extend(_paired(sources, targets, names_only=digest == _EMPTY))
    return sorted(pairs, key=lambda pair: pair[1])


def _paired(sources: list[str], targets: list[str], *, names_only: bool) -> list[tuple[str, str]]:
    pairs = []
    by_name: dict[str, list[str]] = defaultdict(list)
    for target in targets:
        by_name[_name(target)].append(target)
    left = []
    for source in sources:
        same = by_name[_name(source)]
        if same:
            pairs.append((source, same.pop(0)))
        else:
            left.append(source)
    taken = {target for _, target in pairs}
    others = [] if names_only else [target for target in targets if target not in taken]
    return [*pairs, *zip(left, others, strict=False)]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
