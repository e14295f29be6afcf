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

_OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")


def overlay_changes(upper: Path, lower: Workspace) -> Iterator[Changed]:
    """Every path whose state differs from the lower tree, compared by content; Tandem's own folder is left out."""
    lower.forget_directories()
    yield from _inside(upper, "", lower, hidden=False)


def _inside(upper: Path, folder: str, lower: Workspace, *, hidden: bool) -> Iterator[Changed]:
    """Changes in one folder; `hidden` says that the upper folder covers the lower one completely."""
    names = set()
    for entry in sorted(os.scandir(upper / folder), key=lambda found: found.name):
        path = f"{folder}/{entry.name}" if folder else entry.name
        names.add(entry.name)
        if path != TANDEM_DIRECTORY:
            yield from _entry(upper, path, entry.stat(follow_symlinks=False), lower, hidden=hidden)
    if hidden:
        for name in lower.children(folder):
            if name not in names:
                yield from _removed(f"{folder}/{name}", lower)


def _entry(upper: Path, path: str, info: os.stat_result, lower: Workspace, *, hidden: bool) -> Iterator[Changed]:
    if stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
        yield from _removed(path, lower)
        return
    before, old = _below(path, lower)
    if stat.S_ISDIR(info.st_mode):
        after: NodeState = DirectoryState(mode=stat.S_IMODE(info.st_mode))
        if before != after:
            yield PathChange(path=path, before=before, after=after), _sides(old)
        covered = isinstance(before, DirectoryState) and (hidden or _is_opaque(upper / path))
        yield from _inside(upper, path, lower, hidden=covered)
        return
    if isinstance(before, DirectoryState):
        for name in lower.children(path):
            yield from _removed(f"{path}/{name}", lower)
    after, new = _leaf(upper / path, path, info)
    if before != after:
        yield PathChange(path=path, before=before, after=after), _sides(old, new)


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


def _removed(path: str, lower: Workspace) -> Iterator[Changed]:
    before, old = _below(path, lower)
    if isinstance(before, DirectoryState):
        for name in lower.children(path):
            yield from _removed(f"{path}/{name}", lower)
    if not isinstance(before, Absent):
        yield PathChange(path=path, before=before, after=ABSENT), _sides(old)


def _below(path: str, lower: Workspace) -> tuple[NodeState, bytes | None]:
    state, data = lower.peek(path)
    if state is None:
        raise OperationError(
            f"The command replaced {path}, which cannot be read and so could not be brought back.",
            path=path,
            next="Leave that path alone, or run the command in place yourself.",
        )
    return state, data


def _is_opaque(place: Path) -> bool:
    for name in _OPAQUE:
        with contextlib.suppress(OSError):
            if os.getxattr(place, name, follow_symlinks=False) == b"y":
                return True
    return False


def _sides(*contents: bytes | None) -> tuple[bytes, ...]:
    return tuple(data for data in contents if data is not None)
