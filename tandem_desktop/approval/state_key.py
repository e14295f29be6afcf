"""The secret that tells Tandem's own records from files somebody put there."""

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from tandem_desktop.domain.errors import StorageError
from tandem_desktop.storage import atomic
from tandem_desktop.storage.refusals import reading, writing

KEY_BYTES = 32


class StateKey:
    """Sign and check bytes with a key file nobody else can read; the file is made on first use."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def sign(self, domain: str, payload: bytes) -> str:
        """A code that only the holder of the key can make; never valid in another domain."""
        return hmac.new(self._key(), f"tandem:{domain}\0".encode() + payload, hashlib.sha256).hexdigest()

    def is_signed(self, domain: str, payload: bytes, code: str) -> bool:
        return hmac.compare_digest(self.sign(domain, payload).encode(), code.encode("utf-8", "replace"))

    def _key(self) -> bytes:
        if not self._path.exists():
            with writing(self._path), contextlib.suppress(FileExistsError):  # of two processes one makes the key
                atomic.make_directory(self._path.parent, mode=0o700)
                atomic.create(self._path, secrets.token_bytes(KEY_BYTES), mode=0o600)
        with reading(self._path):
            return self._read()

    def _read(self) -> bytes:
        fd = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            info = os.fstat(fd)
            key = os.read(fd, KEY_BYTES + 1) if stat.S_ISREG(info.st_mode) else b""
        finally:
            os.close(fd)
        if len(key) != KEY_BYTES:
            raise StorageError(
                f"{self._path} is not a key made by Tandem.",
                path=str(self._path),
                next="Remove the file; plans that were approved must then be approved again.",
            )
        if info.st_mode & 0o077:
            raise StorageError(
                f"{self._path} can be read by others, so it proves nothing.",
                path=str(self._path),
                next=f"Remove the file, or, if nobody read it: chmod 600 {self._path}",
            )
        return key
