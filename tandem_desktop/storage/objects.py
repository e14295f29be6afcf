"""Content-addressed bytes, before and after: what a plan shows and an undo needs can never change unnoticed."""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from tandem_desktop.domain.errors import StorageError
from tandem_desktop.storage import atomic, syscalls

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
        """Store every value durably before returning."""
        missing = {}
        for data in contents:
            name = hashlib.sha256(data).hexdigest()
            if name not in missing and not os.access(self._path(name), os.F_OK):
                missing[name] = data
        if not missing:
            return
        folders = {self._folder}
        for name, data in missing.items():
            folders.add(self._write(name, data, sync=len(missing) <= _FEW))
        if len(missing) <= _FEW:
            for folder in folders:
                atomic.sync_directory(folder)
            return
        fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            syscalls.sync_filesystem(fd)
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

    def forget(self) -> None:
        """Drop what was remembered of recent reads."""
        self._recent.clear()
        self._recent_bytes = 0

    def _path(self, sha256: str) -> str:
        return f"{self._prefix}{sha256[:2]}/{sha256[2:]}"

    def _write(self, name: str, data: bytes, *, sync: bool) -> Path:
        target = self._path(name)
        parent = target.rpartition("/")[0]
        with contextlib.suppress(FileExistsError):
            syscalls.mkdir(parent, mode=0o700)
        temporary = f"{parent}/.{secrets.token_hex(8)}.tmp"
        fd = syscalls.create(temporary, mode=0o600)
        try:
            syscalls.write(fd, data)
            if sync:
                syscalls.sync(fd)
            syscalls.rename(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                syscalls.unlink(temporary)
            raise
        finally:
            os.close(fd)
        return Path(parent)


def _read_all(fd: int) -> bytes:
    size = os.fstat(fd).st_size
    data = os.read(fd, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    return b"".join(parts)
