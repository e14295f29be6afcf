"""Read the upper layer of an overlay as what it is: the list of changes."""

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from tandem_desktop.domain.errors import OperationError
from tandem_desktop.domain.operations import (
    ABSENT,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    PathChange,
    SymlinkState,
)
from tandem_desktop.storage.locations import TANDEM_DIRECTORY
from tandem_desktop.storage.workspace import Workspace

Changed = tuple[PathChange, tuple[bytes, ...]]
"""A change and the bytes of its two sides."""

OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")
ORIGIN = ("trusted.overlay.origin", "user.overlay.origin")


class OverlayChanges:
    """Every path whose state differs from the lower tree, compared by content; Tandem's own folder is left out."""

    def __init__(self, upper: Path, lower: Workspace, since_ns: int) -> None:
        self._upper = upper
        self._lower = lower
        self._since_ns = since_ns

    def read(self) -> Iterator[Changed]:
        """The changes, one at a time.

        Raises:
            OperationError: someone changed the same path on disk since the overlay was opened, or it cannot be kept.
        """
        self._lower.forget_directories()
        yield from self._inside("", hidden=False)

    def _inside(self, folder: str, *, hidden: bool) -> Iterator[Changed]:
        """Changes in one folder; `hidden` says that the upper folder covers the lower one completely."""
        names = set()
        for entry in sorted(os.scandir(self._upper / folder), key=lambda found: found.name):
            path = f"{folder}/{entry.name}" if folder else entry.name
            names.add(entry.name)
            if path != TANDEM_DIRECTORY:
                yield from self._entry(path, entry.stat(follow_symlinks=False), hidden=hidden)
        if hidden:
            for name in self._lower.children(folder):
                if name not in names:
                    yield from self._removed(f"{folder}/{name}")

    def _entry(self, path: str, info: os.stat_result, *, hidden: bool) -> Iterator[Changed]:
        if stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
            yield from self._removed(path)
            return
        before, old = self._below(path)
        place = self._upper / path
        if stat.S_ISDIR(info.st_mode):
            after: NodeState = DirectoryState(mode=stat.S_IMODE(info.st_mode))
            if before != after:
                yield self._change(path, before, after, old)
            covered = isinstance(before, DirectoryState) and (hidden or marked(place, OPAQUE))
            yield from self._inside(path, hidden=covered)
            return
        if isinstance(before, DirectoryState):
            for name in self._lower.children(path):
                yield from self._removed(f"{path}/{name}")
        after, new = _leaf(place, path, info)
        if isinstance(before, Absent) and not hidden and self._was_deleted_meanwhile(path):
            raise _changed_meanwhile(path)
        if before != after:
            yield self._change(path, before, after, old, new)

    def _removed(self, path: str) -> Iterator[Changed]:
        before, old = self._below(path)
        if isinstance(before, DirectoryState):
            for name in self._lower.children(path):
                yield from self._removed(f"{path}/{name}")
        if not isinstance(before, Absent):
            yield self._change(path, before, ABSENT, old)

    def _below(self, path: str) -> tuple[NodeState, bytes | None]:
        state, data = self._lower.peek(path)
        if state is None:
            raise OperationError(
                f"The command replaced {path}, which cannot be read and so could not be brought back.",
                path=path,
                next="Leave that path alone, or run the command in place yourself.",
            )
        return state, data

    def _was_deleted_meanwhile(self, path: str) -> bool:
        """A copy of a lower file whose original is gone: renamed by the command, unless its folder changed on disk."""
        folder = path.rpartition("/")[0]
        return marked(self._upper / path, ORIGIN) and self._lower.changed_at(folder or ".") >= self._since_ns

    def _change(self, path: str, before: NodeState, after: NodeState, *contents: bytes | None) -> Changed:
        # The times of a folder change with anything in it; what is in it is looked at by itself.
        if not isinstance(before, DirectoryState) and self._lower.changed_at(path) >= self._since_ns:
            raise _changed_meanwhile(path)
        return PathChange(path=path, before=before, after=after), tuple(c for c in contents if c is not None)


def marked(place: Path, names: tuple[str, ...]) -> bool:
    """Whether the overlay left one of these marks on an upper node."""
    for name in names:
        with contextlib.suppress(OSError):
            if os.getxattr(place, name, follow_symlinks=False):
                return True
    return False


def _leaf(place: Path, path: str, info: os.stat_result) -> tuple[NodeState, bytes | None]:
    if stat.S_ISLNK(info.st_mode):
        return SymlinkState(target=str(place.readlink())), None
    if not stat.S_ISREG(info.st_mode):
        raise OperationError(
            f"The command left a special file at {path}, which cannot be kept.",
            path=path,
            next="Change the command so that it leaves only files, links and folders.",
        )
    data = place.read_bytes()
    mode = stat.S_IMODE(info.st_mode)
    return FileState(sha256=hashlib.sha256(data).hexdigest(), size=len(data), mode=mode), data


def _changed_meanwhile(path: str) -> OperationError:
    return OperationError(
        f"{path} was changed on disk while the command ran and changed it too; it was left as it is.",
        path=path,
        next="Look at the file, then make the plan again.",
    )
