"""Atomic file writes, bounded reads, private scratch folders and file locks."""

import contextlib
import errno
import fcntl
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tandem_desktop.storage import syscalls
from tandem_desktop.storage.errors import writing


class _PendingFolders(threading.local):
    """Folders to sync when the block of this thread ends; None outside a block."""

    folders: dict[Path, None] | None = None


_waiting = _PendingFolders()


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Save several files atomically, and make all their names durable at the end.

    Until then a power cut may keep some of the new names and lose others; a block that fails guarantees none of them.
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
    """Save `data` under a name that must be free; of two concurrent writers one wins.

    Raises:
        FileExistsError: the name is taken.
    """
    temporary = _write_beside(path, data, mode)
    try:
        syscalls.link(str(temporary), str(path))
    finally:
        _discard(temporary)
    sync_directory(path.parent)


def replace(path: Path, data: bytes, mode: int = 0o644, *, durable: bool = True) -> None:
    """Replace the content of `path` with `data`.

    A file that is not durable may be lost or empty after a power cut: only for data that its reader checks and can do
    without.
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
    """Create a directory and its parents durably; an existing one is left alone."""
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
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
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


def remove_tree(path: Path) -> None:
    """Remove a folder with its contents, following no link; missing entries are ignored."""
    with contextlib.suppress(FileNotFoundError):
        _empty(path)
        syscalls.rmdir(str(path))


def _empty(path: Path) -> None:
    fd = _open(path)
    try:
        syscalls.chmod(fd, stat.S_IRWXU)
        with os.scandir(fd) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    remove_tree(path / entry.name)
                else:
                    syscalls.unlink(entry.name, fd)
    finally:
        os.close(fd)


def _open(path: Path) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except PermissionError:
        # The kernel creates such a folder for every overlay; only root may open it as it is.
        syscalls.chmod_name(str(path), stat.S_IRWXU)
        return os.open(path, flags)


def read_regular(path: Path | str, most: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file, and what was opened; for files that may have come with the workspace.

    No link is followed, no pipe waited for, no device read, and nothing read beyond `most` bytes.

    Raises:
        FileNotFoundError: there is none.
        OSError: it is something else, larger, or cannot be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        parts: list[bytes] = []
        left = most + 1 if info.st_size <= most else 0
        while left > 0 and (part := os.read(fd, min(left, _PART_BYTES))):
            parts.append(part)
            left -= len(part)
        if left == 0:
            raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
        return b"".join(parts), info
    finally:
        os.close(fd)


_PART_BYTES = 1 << 20
_AGAIN_S = 0.005


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Wait for the lock at `path` and hold it."""
    fd = _open_lock(path)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        _release(fd)


@contextmanager
def held_or_busy(path: Path, patience_s: float = 0.0) -> Iterator[bool]:
    """Take the lock at `path`, waiting up to `patience_s`; yields whether it was taken."""
    fd = _open_lock(path)
    try:
        yield _taken_within(fd, fcntl.LOCK_EX, patience_s)
    finally:
        _release(fd)


def is_held(path: Path, patience_s: float = 0.0) -> bool:
    """True if the lock at `path` is held for `patience_s`. Concurrent checks do not disturb each other."""
    fd = _open_lock(path)
    try:
        return not _taken_within(fd, fcntl.LOCK_SH, patience_s)
    finally:
        _release(fd)


def _taken_within(fd: int, kind: int, patience_s: float) -> bool:
    until = time.monotonic() + patience_s
    while not (is_ours := _taken(fd, kind)) and time.monotonic() < until:
        time.sleep(_AGAIN_S)
    return is_ours


def _taken(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open_lock(path: Path) -> int:
    with writing(path):
        return syscalls.open_appending(str(path))


def _release(fd: int) -> None:
    # Closing alone would leave the lock with a child another thread is just starting, until that child execs.
    fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)
