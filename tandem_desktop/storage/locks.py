"""Locks between processes: a flock on a file that is never replaced, gone with the process that held it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tandem_desktop.storage import syscalls


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Wait for the lock at `path` and hold it."""
    fd = syscalls.open_appending(str(path))
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


@contextmanager
def held_or_busy(path: Path) -> Iterator[bool]:
    """Take the lock at `path` without waiting; yields whether it was free."""
    fd = syscalls.open_appending(str(path))
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(fd)
