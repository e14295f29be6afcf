"""Two plain trees to look at, one in memory and one in a real directory, that share no code with the engine."""

import hashlib
import os
import stat
from pathlib import Path

from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.operations import ABSENT, DirectoryState, FileState, NodeState, SymlinkState

Entry = bytes | tuple[bytes, int] | str | int
"""A file's bytes, or bytes and mode; a link's target; a directory's mode."""


class MemoryTree:
    """A tree written down as a dictionary; directories above an entry need not be named."""

    def __init__(self, entries: dict[str, Entry] | None = None) -> None:
        self.entries: dict[str, Entry] = {}
        for path, entry in (entries or {}).items():
            self.put(path, entry)

    def put(self, path: str, entry: Entry) -> None:
        components = path.split("/")
        for length in range(1, len(components)):
            self.entries.setdefault("/".join(components[:length]), 0o755)
        self.entries[path] = entry

    def remove(self, path: str) -> None:
        for other in [other for other in self.entries if other == path or other.startswith(f"{path}/")]:
            del self.entries[other]

    def state(self, path: str) -> NodeState:
        self._check_parents(path)
        entry = self.entries.get(path)
        if entry is None:
            return ABSENT
        if isinstance(entry, int):
            return DirectoryState(mode=entry)
        if isinstance(entry, str):
            return SymlinkState(target=entry)
        data, mode = entry if isinstance(entry, tuple) else (entry, 0o644)
        return FileState(sha256=hashlib.sha256(data).hexdigest(), size=len(data), mode=mode)

    def read(self, path: str) -> bytes:
        self._check_parents(path)
        entry = self.entries[path]
        assert isinstance(entry, bytes | tuple)
        return entry[0] if isinstance(entry, tuple) else entry

    def children(self, path: str) -> tuple[str, ...]:
        prefix = "" if path == "." else f"{path}/"
        inside = (other.removeprefix(prefix) for other in self.entries if other.startswith(prefix))
        return tuple(sorted(name for name in inside if "/" not in name))

    def _check_parents(self, path: str) -> None:
        components = path.split("/")
        for length in range(1, len(components)):
            above = "/".join(components[:length])
            if not isinstance(self.entries.get(above, 0), int):
                raise OutsideWorkspaceError(f"{above} is no directory", path=path)


class DiskTree:
    """A real directory, read in the plainest way."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def state(self, path: str) -> NodeState:
        target = self.root / path
        try:
            info = target.lstat()
        except FileNotFoundError:
            return ABSENT
        if stat.S_ISDIR(info.st_mode):
            return DirectoryState(mode=stat.S_IMODE(info.st_mode))
        if stat.S_ISLNK(info.st_mode):
            return SymlinkState(target=str(target.readlink()))
        data = target.read_bytes()
        return FileState(sha256=hashlib.sha256(data).hexdigest(), size=len(data), mode=stat.S_IMODE(info.st_mode))

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def children(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(os.listdir(self.root / path)))

    def everything(self) -> dict[str, NodeState]:
        """The state of every path below the root."""
        return {
            relative: self.state(relative)
            for relative in (path.relative_to(self.root).as_posix() for path in self.root.rglob("*"))
        }
