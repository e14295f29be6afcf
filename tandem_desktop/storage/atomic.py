"""Create or replace a file whole: readers see the old bytes or the new ones, and a crash keeps one of them."""

import contextlib
import os
import secrets
from pathlib import Path

from tandem_desktop.storage import syscalls


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


def replace(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Save `data` in place of whatever `path` holds."""
    temporary = _write_beside(path, data, mode)
    try:
        syscalls.rename(str(temporary), str(path))
    except BaseException:
        _discard(temporary)
        raise
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
    """Make the names in a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syscalls.sync(fd)
    finally:
        os.close(fd)


def _write_beside(path: Path, data: bytes, mode: int) -> Path:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    fd = syscalls.create(str(temporary), mode=mode)
    try:
        syscalls.write(fd, data)
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
