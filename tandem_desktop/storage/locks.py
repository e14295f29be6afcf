"""Locks between processes: a flock on a file that is never replaced, gone with the process that held it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tandem_desktop.storage import syscalls
from tandem_desktop.storage.refusals import writing


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Wait for the lock at `path` and hold it."""
    fd = _open(path)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        _release(fd)


@contextmanager
def held_or_busy(path: Path) -> Iterator[bool]:
    """Take the lock at `path` without waiting; yields whether it was free."""
    fd = _open(path)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        _release(fd)


def _open(path: Path) -> int:
    with writing(path):
        return syscalls.open_appending(str(path))


def _release(fd: int) -> None:
    # Closing alone would leave the lock with a child another thread is just starting, until that child execs.
    fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)
