"""Stores content-addressed bytes, with a cache of recent ones."""

import contextlib
import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from pathlib import Path

from tandem_desktop.domain.errors import StorageError
from tandem_desktop.domain.operations import FileState, NodeState
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.storage import syscalls

_MOST_BYTES = 64 * 1024 * 1024
_look = attrgetter("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")


@dataclass(slots=True)
class Known:
    """Bytes, and the stat signature of their file."""

    data: bytes
    look: tuple[int, int, int, int]
    is_checked: bool
    """True if they were read back, or their file was found unchanged, since they were written."""

    def is_of(self, info: os.stat_result) -> bool:
        return bool(self.look == _look(info))


class ObjectCache:
    """An LRU of the most recent bytes by digest. Thread-safe."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._known: OrderedDict[str, Known] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, sha256: str) -> Known | None:
        return self._known.get(sha256)

    def data(self, sha256: str) -> bytes | None:
        known = self._known.get(sha256)
        return known.data if known is not None else None

    def put(self, sha256: str, data: bytes, info: os.stat_result, *, is_checked: bool) -> None:
        """Cache bytes, and evict the oldest when the cache is full.

        Bytes that were only read evict none: a cyclic read of more than fits would evict each entry just before it is
        needed.
        """
        with self._lock:
            self._drop(sha256)
            if is_checked and self._bytes + len(data) > self._most:
                return
            self._known[sha256] = Known(data, _look(info), is_checked)
            self._bytes += len(data)
            while self._bytes > self._most:
                self._drop(next(iter(self._known)))

    def forget(self, sha256: str) -> None:
        with self._lock:
            self._drop(sha256)

    def clear(self) -> None:
        with self._lock:
            self._known.clear()
            self._bytes = 0

    def _drop(self, sha256: str) -> None:
        known = self._known.pop(sha256, None)
        self._bytes -= len(known.data) if known else 0


_DAY = 24 * 3600.0
_NAME = lazy_pattern(r"[0-9a-f]{64}")
_FEW = 16
"""Above this number of new objects, syncing the whole file system is cheaper."""


class ObjectStore:
    """Store bytes under their SHA-256. Reads are verified; storing the same bytes twice writes them once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prefix = f"{folder}/"
        self._recent = ObjectCache()
        self.at_hand = self._recent.data
        """The cached bytes of a digest; does not check that they are still on disk."""

    def put_all(self, contents: Iterable[bytes]) -> None:
        """Store every value durably; the iterable is consumed one value at a time."""
        try:
            self._sync([name for data in contents if (name := self._write(data))])
        except BaseException:
            self._recent.clear()  # do not cache what could not be stored
            raise

    def _sync(self, written: list[str]) -> None:
        if not written:
            return
        if len(written) > _FEW:
            fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                syscalls.sync_filesystem(fd)
            finally:
                os.close(fd)
            return
        for place in (*written, *{name.rpartition("/")[0] for name in written}, str(self._folder)):
            fd = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
            try:
                syscalls.sync(fd)
            finally:
                os.close(fd)

    def put(self, data: bytes) -> str:
        """Store one value durably and return its digest."""
        self.put_all((data,))
        return hashlib.sha256(data).hexdigest()

    def has(self, sha256: str) -> bool:
        return os.access(self._path(sha256), os.F_OK)

    def size(self, sha256: str) -> int | None:
        """How many bytes are stored under this digest, without reading them; None if there are none."""
        try:
            return os.stat(self._path(sha256), follow_symlinks=False).st_size
        except FileNotFoundError:
            return None

    def last_used_before(self, moment: datetime) -> tuple[str, ...]:
        """Digests of bytes that were not stored again since, in order."""
        limit = moment.timestamp()
        found = []
        for folder in sorted(self._folder.iterdir()):
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries if entry.stat(follow_symlinks=False).st_mtime < limit]
            found += [folder.name + name for name in sorted(names) if _NAME.fullmatch(folder.name + name)]
        return tuple(found)

    def remove(self, sha256: str, unused_since: datetime) -> int | None:
        """Remove bytes that are still unused; returns how many there were."""
        target = self._path(sha256)
        aside = f"{target.rpartition('/')[0]}/.{os.urandom(8).hex()}.tmp"
        try:
            syscalls.rename(target, aside)  # from now on storing the same bytes writes them again
        except FileNotFoundError:
            return None
        info = os.stat(aside)
        if info.st_mtime >= unused_since.timestamp():
            syscalls.rename(aside, target)
            return None
        syscalls.unlink(aside)
        self._recent.forget(sha256)
        return info.st_size

    def read(self, sha256: str) -> bytes:
        """The bytes of this digest.

        Raises:
            StorageError: they are missing or no longer what they were.
        """
        if (known := self._recent.get(sha256)) is not None and known.is_checked:
            return known.data
        path = self._path(sha256)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            raise StorageError(
                f"The stored bytes {sha256[:12]}… are missing from {self._folder}.",
                path=path,
                next="Make the plan again; nothing was written.",
            ) from None
        try:
            info = os.fstat(fd)
            data = _read_all(fd, info.st_size)
        finally:
            os.close(fd)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise StorageError(
                f"The stored bytes {sha256[:12]}… have been altered in {self._folder}.",
                path=path,
                next="Make the plan again; nothing was written.",
            )
        self._recent.put(sha256, data, info, is_checked=True)
        return data

    def read_state(self, state: NodeState) -> bytes | None:
        """The bytes of a file by its state; None for anything that is not a file."""
        return self.read(state.sha256) if isinstance(state, FileState) else None

    def check(self, sha256: str) -> int:
        """The size of the bytes of this digest, after checking that they are stored intact.

        Bytes that were stored or read before are not read again while their file is unchanged.

        Raises:
            StorageError: they are missing or no longer what they were.
        """
        known = self._recent.get(sha256)
        if known is not None:
            with contextlib.suppress(OSError):
                if known.is_of(os.stat(self._path(sha256), follow_symlinks=False)):
                    known.is_checked = True
                    return len(known.data)
            self._recent.forget(sha256)
        return len(self.read(sha256))

    def _path(self, sha256: str) -> str:
        return f"{self._prefix}{sha256[:2]}/{sha256[2:]}"

    def _write(self, data: bytes) -> str | None:
        """Write new bytes, not durable yet; returns the name."""
        sha256 = hashlib.sha256(data).hexdigest()
        target = self._path(sha256)
        if _is_kept(target):
            return None
        folder = target.rpartition("/")[0]
        with contextlib.suppress(FileExistsError):
            syscalls.mkdir(folder, mode=0o700)
        temporary = f"{folder}/.{os.urandom(8).hex()}.tmp"
        fd = syscalls.create(temporary, mode=0o600)
        try:
            syscalls.write(fd, data)
            syscalls.rename(temporary, target)
            self._recent.put(sha256, data, os.fstat(fd), is_checked=False)
        except BaseException:
            with contextlib.suppress(OSError):
                syscalls.unlink(temporary)
            raise
        finally:
            os.close(fd)
        return target


def _is_kept(target: str) -> bool:
    """True if the bytes are stored; refreshes the time of old ones so that they are kept."""
    try:
        if os.stat(target).st_mtime < time.time() - _DAY:
            syscalls.touch(target)
    except FileNotFoundError:
        return False
    return True


def _read_all(fd: int, size: int) -> bytes:
    data = os.read(fd, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    return b"".join(parts)
