"""Changes of many paths at once, as operations in an order in which each of them can happen."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence

from tandem_desktop.domain.operations import (
    NEW_DIRECTORY_MODE,
    Absent,
    DirectoryState,
    FileState,
    OperationKind,
    PathChange,
    SymlinkState,
)
from tandem_desktop.staging.changes import Change

_EMPTY = hashlib.sha256(b"").hexdigest()
_OWNER_WRITES = 0o200
_OWNER_ALL = 0o700


def ordered_changes(changes: Sequence[PathChange], has_content: Callable[[str], bool]) -> tuple[Change, ...]:
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
        self._opened: list[Change] = []
        self._removed: list[Change] = []
        self._moved: list[Change] = []
        self._emptied: list[Change] = []
        self._folders: list[Change] = []
        self._placed: list[Change] = []
        self._closed: list[Change] = []

    def all(self) -> tuple[Change, ...]:
        first = (*self._opened, *self._removed, *self._folders, *self._moved)
        return (*first, *reversed(self._emptied), *self._placed, *reversed(self._closed))

    def add(self, change: PathChange, has_content: Callable[[str], bool]) -> None:
        path, before, after = change.path, change.before, change.after
        match before, after:
            case FileState(), FileState():
                kind = OperationKind.CHMOD if before.sha256 == after.sha256 else OperationKind.MODIFY
                self._placed.append(Change(kind, path, base=before, after=after))
                return
            case DirectoryState(), DirectoryState():
                phase = self._opened if after.mode & _OWNER_WRITES else self._closed
                phase.append(Change(OperationKind.CHMOD, path, base=before, after=after))
                return
        if not isinstance(before, Absent):
            phase = self._emptied if isinstance(before, DirectoryState) else self._removed
            phase.append(Change(OperationKind.DELETE, path, base=before))
        match after:
            case FileState():
                self._placed.append(Change(OperationKind.CREATE, path, after=after))
            case SymlinkState():
                self._placed.append(Change(OperationKind.SYMLINK, path, after=after))
            case DirectoryState():
                self._make(path, after, has_content(path))

    def move(self, leaves: PathChange, arrives: PathChange) -> None:
        state, after = leaves.before, arrives.after
        self._moved.append(Change(OperationKind.MOVE, leaves.path, arrives.path, base=state, after=state))
        if after != state:
            self._placed.append(Change(OperationKind.CHMOD, arrives.path, base=state, after=after))

    def _make(self, path: str, folder: DirectoryState, has_content: bool) -> None:
        if has_content and folder.mode == NEW_DIRECTORY_MODE:
            return
        writable = folder.model_copy(update={"mode": folder.mode | _OWNER_ALL})
        self._folders.append(Change(OperationKind.MKDIR, path, after=writable))
        if writable != folder:
            self._closed.append(Change(OperationKind.CHMOD, path, base=writable, after=folder))


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
