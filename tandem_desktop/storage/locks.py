"""Locks between processes: a flock on a file that is never replaced, gone with the process that held it."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tandem_desktop.storage import syscalls
from tandem_desktop.storage.refusals import writing

_AGAIN_S = 0.005


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
def held_or_busy(path: Path, patience_s: float = 0.0) -> Iterator[bool]:
    """Take the lock at `path`, waiting no longer than `patience_s`; yields whether it was to be had."""
    fd = _open(path)
    try:
        until = time.monotonic() + patience_s
        while not (is_ours := _taken(fd, fcntl.LOCK_EX)) and time.monotonic() < until:
            time.sleep(_AGAIN_S)
        yield is_ours
    finally:
        _release(fd)


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock at `path`; any number may ask at once, and none takes another for a holder."""
    fd = _open(path)
    try:
        return not _taken(fd, fcntl.LOCK_SH)
    finally:
        _release(fd)


def _taken(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(path: Path) -> int:
    with writing(path):
        return syscalls.open_appending(str(path))


def _release(fd: int) -> None:
    # Closing alone would leave the lock with a child another thread is just starting, until that child execs.
    fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)
