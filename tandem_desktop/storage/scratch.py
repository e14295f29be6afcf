"""Folders that may vanish at any time: made private, removed whole."""

import contextlib
import os
import stat
from pathlib import Path

from tandem_desktop.storage import syscalls


def remove_tree(path: Path) -> None:
    """Remove a folder of ours with everything in it, following no link; what is gone already is fine."""
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
        # The kernel leaves such a folder behind every overlay; only root may open it as it is.
        syscalls.chmod_name(str(path), stat.S_IRWXU)
        return os.open(path, flags)
