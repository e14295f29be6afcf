"""Content-addressed bytes, before and after: what a plan shows and an undo needs can never change unnoticed."""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from tandem_desktop.domain.errors import StorageError
from tandem_desktop.storage import syscalls

_FEW = 16
"""Up to this many new objects are synced one by one; more are cheaper to sync with their file system."""
_REMEMBERED_BYTES = 64 * 1024 * 1024
"""Bytes of verified reads kept at hand: what preflight has checked is not read again to be prepared."""


class ObjectStore:
    """Keep bytes under their SHA-256. Reading checks them; writing twice costs nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prefix = f"{folder}/"
        self._recent: dict[str, bytes] = {}
        self._recent_bytes = 0

    def put_all(self, contents: Iterable[bytes]) -> None:
        """Store every value durably before returning; they are taken one at a time."""
        written = [name for data in contents if (name := self._write(data))]
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

    def read(self, sha256: str) -> bytes:
        """The bytes of this digest.

        Raises:
            StorageError: they are missing or no longer what they were.
        """
        if (known := self._recent.get(sha256)) is not None:
            return known
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
            data = _read_all(fd)
            size = len(data)
        finally:
            os.close(fd)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise StorageError(
                f"The stored bytes {sha256[:12]}… have been altered in {self._folder}.",
                path=path,
                next="Make the plan again; nothing was written.",
            )
        if self._recent_bytes + size <= _REMEMBERED_BYTES:
            self._recent[sha256] = data
            self._recent_bytes += size
        return data

    def _path(self, sha256: str) -> str:
        return f"{self._prefix}{sha256[:2]}/{sha256[2:]}"

    def _write(self, data: bytes) -> str | None:
        """Write bytes that are not there yet, not durable so far; the name they got."""
        target = self._path(hashlib.sha256(data).hexdigest())
        if os.access(target, os.F_OK):
            return None
        folder = target.rpartition("/")[0]
        with contextlib.suppress(FileExistsError):
            syscalls.mkdir(folder, mode=0o700)
        temporary = f"{folder}/.{secrets.token_hex(8)}.tmp"
        fd = syscalls.create(temporary, mode=0o600)
        try:
            syscalls.write(fd, data)
            syscalls.rename(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                syscalls.unlink(temporary)
            raise
        finally:
            os.close(fd)
        return target


def _read_all(fd: int) -> bytes:
    size = os.fstat(fd).st_size
    data = os.read(fd, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    return b"".join(parts)
