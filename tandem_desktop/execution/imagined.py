"""The disk as it would be after changes that have not happened: what the next undo of a chain would meet."""

import hashlib
from collections.abc import Iterable

from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, PathChange
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace


class ImaginedTree:
    """Laid over the workspace, which is only read."""

    def __init__(self, workspace: Workspace, objects: ObjectStore) -> None:
        self._workspace = workspace
        self._objects = objects
        self._states: dict[str, NodeState] = {}
        self._contents: dict[str, bytes] = {}

    def peek(self, path: str) -> tuple[NodeState | None, bytes | None]:
        state = self._states.get(path)
        if state is None:
            return self._workspace.peek(path)
        return state, self._content(state) if isinstance(state, FileState) else None

    def children(self, path: str) -> tuple[str, ...]:
        names = set(self._workspace.children(path)) if self._workspace.is_directory(path) else set()
        for each, state in self._states.items():
            above, _, name = each.rpartition("/")
            if above == path:
                (names.discard if isinstance(state, Absent) else names.add)(name)
        return tuple(sorted(names))

    def is_directory(self, path: str) -> bool:
        state = self._states.get(path)
        return self._workspace.is_directory(path) if state is None else isinstance(state, DirectoryState)

    def let(self, changes: Iterable[PathChange], contents: Iterable[bytes]) -> None:
        """Let changes have happened; `contents` are bytes that are not stored yet."""
        for data in contents:
            self._contents[hashlib.sha256(data).hexdigest()] = data
        self._states.update({change.path: change.after for change in changes})

    def changes(self) -> tuple[PathChange, ...]:
        """All of it at once, against the disk."""
        found = []
        for path, after in sorted(self._states.items()):
            before = self._workspace.peek(path)[0]
            if before is not None and before != after:
                found.append(PathChange(path=path, before=before, after=after))
        return tuple(found)

    def _content(self, state: FileState) -> bytes:
        known = self._contents.get(state.sha256)
        return self._objects.read(state.sha256) if known is None else known
