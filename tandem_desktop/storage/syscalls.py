"""All mutating system calls; faults are injected here.

Every function is one call of the kernel. A gate, when set, sees each call just before it is made and may raise
instead, or never return; without a gate the seam costs a comparison.
"""

import errno
import fcntl
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from socket import socket


Gate = Callable[[str, str], None]

_gate: Gate | None = None

_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
_NOREPLACE = 1
_EXCHANGE = 2
_CLONE = 0x40049409 if sys.platform == "linux" else None
_FLAGS = struct.Struct("i")
_LONG_BYTES = struct.calcsize("l")
"""As declared for the ioctl; the kernel reads and writes an int."""
_GET_FLAGS = 0x80006601 | _LONG_BYTES << 16
_SET_FLAGS = 0x40006602 | _LONG_BYTES << 16
_TOP_OF_A_TREE = 0x00020000


@cache
def _of_libc(name: str) -> Callable[..., int] | None:
    """A function that Python does not have; loaded when it is needed, as a call that only reads needs none."""
    import ctypes

    return getattr(ctypes.CDLL(None, use_errno=True), name, None)


@contextmanager
def gated(gate: Gate) -> Iterator[None]:
    """Let `gate(call, what)` see every mutating call made inside the block."""
    global _gate
    previous, _gate = _gate, gate
    try:
        yield
    finally:
        _gate = previous


def create(name: str, dir_fd: int | None = None, mode: int = 0o600) -> int:
    """Open a new file for writing; it must not exist and is never a link."""
    if _gate:
        _gate("openat", name)
    return os.open(name, _NEW_FILE, mode, dir_fd=dir_fd)


def open_appending(name: str, mode: int = 0o600) -> int:
    """Open a file that only grows, making it when it is missing."""
    if _gate:
        _gate("openat", name)
    return os.open(name, os.O_CREAT | os.O_APPEND | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, mode)


def write(fd: int, data: bytes) -> None:
    """Write all of `data`; a short write goes on where it stopped."""
    rest: bytes | memoryview = data
    while True:
        if _gate:
            _gate("write", str(fd))
        done = os.write(fd, rest)
        if done == len(rest):
            return
        rest = memoryview(rest)[done:]


def truncate(fd: int, length: int) -> None:
    if _gate:
        _gate("ftruncate", str(fd))
    os.ftruncate(fd, length)


def sync(fd: int) -> None:
    """Make one file or directory durable. After an error the descriptor is not to be trusted again."""
    if _gate:
        _gate("fsync", str(fd))
    os.fsync(fd)


def sync_filesystem(fd: int) -> None:
    """Make everything on the file system of `fd` durable at once."""
    if _gate:
        _gate("syncfs", str(fd))
    sync = _of_libc("syncfs")
    if sync is None:
        os.sync()
        return
    if sync(fd) != 0:
        _raise(_errno(), None)


def rename(source: str, target: str, source_fd: int | None = None, target_fd: int | None = None) -> None:
    """Put `source` in the place of `target`, whatever is there."""
    if _gate:
        _gate("rename", target)
    os.rename(source, target, src_dir_fd=source_fd, dst_dir_fd=target_fd)


def rename_new(source: str, target: str, source_fd: int, target_fd: int) -> None:
    """Move `source` to a name that must be free."""
    if _gate:
        _gate("renameat2", target)
    _rename_flags(source, target, source_fd, target_fd, _NOREPLACE)


def exchange(one: str, other: str, one_fd: int, other_fd: int) -> None:
    """Swap two names in one step."""
    if _gate:
        _gate("renameat2", other)
    _rename_flags(one, other, one_fd, other_fd, _EXCHANGE)


def link(source: str, target: str, source_fd: int | None = None, target_fd: int | None = None) -> None:
    """Give a finished file a second name, which must be free."""
    if _gate:
        _gate("linkat", target)
    os.link(source, target, src_dir_fd=source_fd, dst_dir_fd=target_fd, follow_symlinks=False)


def symlink(target: str, name: str, dir_fd: int) -> None:
    if _gate:
        _gate("symlinkat", name)
    os.symlink(target, name, dir_fd=dir_fd)


def unlink(name: str, dir_fd: int | None = None) -> None:
    if _gate:
        _gate("unlinkat", name)
    os.unlink(name, dir_fd=dir_fd)


def whiteout(name: str) -> None:
    """Create a whiteout: the mark in an upper layer that a path is removed."""
    if _gate:
        _gate("mknod", name)
    os.mknod(name, stat.S_IFCHR)


def mkdir(name: str, dir_fd: int | None = None, mode: int = 0o755) -> None:
    if _gate:
        _gate("mkdirat", name)
    os.mkdir(name, mode, dir_fd=dir_fd)


def bind(listener: "socket", path: str) -> None:
    """Give a socket its name, which must be free."""
    if _gate:
        _gate("bind", path)
    listener.bind(path)


def rmdir(name: str, dir_fd: int | None = None) -> None:
    if _gate:
        _gate("unlinkat", name)
    os.rmdir(name, dir_fd=dir_fd)


def chmod(fd: int, mode: int) -> None:
    if _gate:
        _gate("fchmod", str(fd))
    os.fchmod(fd, mode)


def chmod_name(name: str, mode: int) -> None:
    """Change the mode of a folder of ours that cannot be opened because of its mode."""
    if _gate:
        _gate("fchmodat", name)
    os.chmod(name, mode)


def touch(name: str) -> None:
    """Set the times of a file to now."""
    if _gate:
        _gate("utime", name)
    os.utime(name)


def chown(fd: int, uid: int, gid: int) -> None:
    if _gate:
        _gate("fchown", str(fd))
    os.fchown(fd, uid, gid)


def set_attribute(fd: int, name: str, value: bytes) -> None:
    """Set one extended attribute."""
    if _gate:
        _gate("fsetxattr", name)
    os.setxattr(fd, name, value)


def clone(target_fd: int, source_fd: int) -> None:
    """Let a new file share the blocks of another, where the file system can."""
    if _gate:
        _gate("ioctl", str(target_fd))
    if _CLONE is None:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
    fcntl.ioctl(target_fd, _CLONE, source_fd)


def spread(folder_fd: int) -> None:
    """Place each folder created in this one in its own disk region, with its contents.

    Otherwise ext4 keeps them close together, and skips recently deleted inodes one by one for each new file. File
    systems without this flag refuse.
    """
    if sys.platform != "linux":
        return
    flags = int(_FLAGS.unpack_from(fcntl.ioctl(folder_fd, _GET_FLAGS, bytes(_LONG_BYTES)))[0])
    if flags & _TOP_OF_A_TREE:
        return
    if _gate:
        _gate("ioctl", str(folder_fd))
    fcntl.ioctl(folder_fd, _SET_FLAGS, _FLAGS.pack(flags | _TOP_OF_A_TREE).ljust(_LONG_BYTES, b"\0"))


def _rename_flags(source: str, target: str, source_fd: int, target_fd: int, flags: int) -> None:
    renameat2 = _of_libc("renameat2")
    if renameat2 is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), target)
    if renameat2(source_fd, os.fsencode(source), target_fd, os.fsencode(target), flags) != 0:
        _raise(_errno(), target)


def _errno() -> int:
    """Of the last call of libc."""
    import ctypes

    return ctypes.get_errno()


def _raise(number: int, path: str | None) -> None:
    raise OSError(number, os.strerror(number), path)
