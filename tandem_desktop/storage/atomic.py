"""Create or replace a file whole: readers see the old bytes or the new ones, and a crash keeps one of them."""

import contextlib
import os
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path

from tandem_desktop.storage import syscalls


class _Waiting(threading.local):
    """Folders whose names are made durable when the block of this thread ends; None outside a block."""

    folders: dict[Path, None] | None = None


_waiting = _Waiting()


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Save several files, each whole as ever, and make all their names durable at the end.

    Until then a power cut may keep any of the new names and lose others; a block that fails has promised none of them.
    """
    if _waiting.folders is not None:
        yield
        return
    folders: dict[Path, None] = {}
    _waiting.folders = folders
    try:
        yield
    finally:
        _waiting.folders = None
    for folder in folders:
        sync_directory(folder)


def create(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Save `data` under a name that must be free; the name is the lock, so of two writers one wins.

    Raises:
        FileExistsError: somebody was first.
    """
    temporary = _write_beside(path, data, mode)
    try:
        syscalls.link(str(temporary), str(path))
    finally:
        _discard(temporary)
    sync_directory(path.parent)


def replace(path: Path, data: bytes, mode: int = 0o644, *, durable: bool = True) -> None:
    """Save `data` in place of whatever `path` holds.

    What is not durable may be lost or empty after a power cut: for what its reader checks, and can do without.
    """
    temporary = _write_beside(path, data, mode, sync=durable)
    try:
        syscalls.rename(str(temporary), str(path))
    except BaseException:
        _discard(temporary)
        raise
    if durable:
        sync_directory(path.parent)


def make_directory(path: Path, mode: int = 0o755) -> None:
    """Make a directory and its parents, durably; one that is there already is fine."""
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        with contextlib.suppress(FileExistsError):
            syscalls.mkdir(str(directory), mode=mode)
        sync_directory(directory.parent)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable; inside `together`, at its end."""
    if _waiting.folders is not None:
        _waiting.folders[path] = None
        return
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syscalls.sync(fd)
    finally:
        os.close(fd)


def _write_beside(path: Path, data: bytes, mode: int, *, sync: bool = True) -> Path:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    fd = syscalls.create(str(temporary), mode=mode)
    try:
        syscalls.write(fd, data)
        if sync:
            syscalls.sync(fd)
    except BaseException:
        _discard(temporary)
        raise
    finally:
        os.close(fd)
    return temporary


def _discard(temporary: Path) -> None:
    with contextlib.suppress(OSError):
        syscalls.unlink(str(temporary))
