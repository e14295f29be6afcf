"""A small disk of its own whose power can be cut: an ext4 image on a loop device, shut down by the kernel.

Mounted so that nothing is written out that was not asked for: what was not synced is lost, as on a real cut.
"""

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_SHUTDOWN = 0x8004587D
"""_IOR('X', 125, u32), the same for ext4 and XFS."""
LOG_FLUSHED, LOG_DROPPED = 1, 2
"""Names survive ahead of their data, or nothing that was not synced survives."""
_OPTIONS = "loop,commit=600,noauto_da_alloc,data=writeback"
_TOOLS = ("mkfs.ext4", "mount", "umount")


@cache
def why_not() -> str | None:
    """Why no power can be cut here, in words; nothing when it can."""
    if os.geteuid() != 0:
        return "only root can mount the small disk whose power is cut"
    if missing := [tool for tool in _TOOLS if shutil.which(tool, path=_path()) is None]:
        return f"{', '.join(missing)} is not installed, so there is no small disk whose power can be cut"
    with tempfile.TemporaryDirectory() as folder:
        try:
            image = make_image(Path(folder) / "image")
            with mounted(image, Path(folder) / "disk") as disk:
                cut(disk, LOG_DROPPED)
        except (OSError, subprocess.CalledProcessError) as error:
            said = error.stderr.strip() if isinstance(error, subprocess.CalledProcessError) else error.strerror
            return f"a loop device cannot be mounted and shut down here: {said}"
    return None


def make_image(path: Path, megabytes: int = 24) -> Path:
    """An empty file system in a file."""
    with path.open("wb") as file:
        file.truncate(megabytes << 20)
    _run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=1,lazy_journal_init=1", str(path))
    return path


def copy_image(source: Path, target: Path) -> Path:
    """The same disk a second time; holes stay holes."""
    _run("cp", "--sparse=always", str(source), str(target))
    return target


@contextlib.contextmanager
def mounted(image: Path, at: Path) -> Iterator[Path]:
    """Mount a disk that was never mounted before under this name.

    Another process may have copied the table of mounts and keep the old disk alive, cut off as it is; the same image
    would then be that disk again.
    """
    at.mkdir(exist_ok=True)
    _run("mount", "-o", _OPTIONS, str(image), str(at))
    try:
        yield at
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):  # once the power is cut, nothing can be written out
            _run("sync", "-f", str(at))
        _run("umount", str(at))


def cut(disk: Path, flag: int) -> None:
    """Cut the power: from here on nothing reaches the image."""
    fd = os.open(disk, os.O_RDONLY)
    try:
        fcntl.ioctl(fd, _SHUTDOWN, struct.pack("I", flag))
    finally:
        os.close(fd)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True, env={**os.environ, "PATH": _path()})


def _path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
