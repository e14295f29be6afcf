"""Intent first, outcome after: an append-only record of a run that survives a crash at any byte.

A file is a magic line and then frames: length, sequence number, a checksum of those two, a chained SHA-256, and JSON.
A torn last frame is cut off; a bad frame anywhere else means the journal is damaged, and it is never skipped.
"""

import hashlib
import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

from tandem_desktop.domain.errors import JournalError
from tandem_desktop.storage import atomic, syscalls

Record = dict[str, Any]

_MAGIC = b"TANDEM-JOURNAL-1\n"
_FAMILY = b"TANDEM-JOURNAL-"
_HEAD = struct.Struct(">IQI32s")
_COUNTED = struct.Struct(">IQ")


class Journal:
    """One run's journal, open for appending. After an error nothing more is written through it."""

    def __init__(self, path: Path, fd: int, sequence: int, chain: bytes) -> None:
        self.path = path
        self._fd = fd
        self._sequence = sequence
        self._chain = chain
        self._broken = False

    @classmethod
    def create(cls, path: Path) -> "Journal":
        """Start a journal; its name becomes durable with the first record."""
        fd = syscalls.create(str(path))
        journal = cls(path, fd, 0, hashlib.sha256(_MAGIC).digest())
        try:
            syscalls.write(fd, _MAGIC)
            atomic.sync_directory(path.parent)
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def reopen(cls, path: Path) -> tuple["Journal", tuple[Record, ...]]:
        """Open an interrupted journal, cut a torn tail, and go on after its last record."""
        records, end, chain = _scan(path)
        fd = syscalls.open_appending(str(path))
        journal = cls(path, fd, len(records), chain)
        try:
            if os.fstat(fd).st_size != end or end == 0:
                syscalls.truncate(fd, end)
                if end == 0:
                    syscalls.write(fd, _MAGIC)
                syscalls.sync(fd)
        except BaseException:
            journal.close()
            raise
        return journal, records

    def append(self, record: Record | bytes) -> None:
        """Write one record, given as a value or as its finished JSON; it is durable on return."""
        if self._broken:
            raise JournalError(
                f"The journal {self.path} could not be written before, so nothing more is added to it.",
                path=str(self.path),
                next="Settle the run with: tandem recover",
            )
        payload = record if isinstance(record, bytes) else encode(record)
        frame, chain = _frame(payload, self._sequence, self._chain)
        self._broken = True
        syscalls.write(self._fd, frame)
        syscalls.sync(self._fd)
        self._broken = False
        self._sequence, self._chain = self._sequence + 1, chain

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def read_journal(path: Path) -> tuple[Record, ...]:
    """Every whole record, oldest first; a torn tail is left out.

    Raises:
        JournalError: a record other than the last is bad, or a newer version wrote it.
    """
    return _scan(path)[0]


def encode(record: Record) -> bytes:
    """A record as it is written."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogateescape")


def _frame(payload: bytes, sequence: int, chain: bytes) -> tuple[bytes, bytes]:
    counted = _COUNTED.pack(len(payload), sequence)
    link = hashlib.sha256(chain + counted + payload).digest()
    return _HEAD.pack(len(payload), sequence, zlib.crc32(counted), link) + payload, link


def _scan(path: Path) -> tuple[tuple[Record, ...], int, bytes]:
    data = path.read_bytes()
    chain = hashlib.sha256(_MAGIC).digest()
    if not data.startswith(_MAGIC):
        if _MAGIC.startswith(data) or not data.strip(b"\0"):
            return (), 0, chain
        reason = "was written by a newer version of Tandem" if data.startswith(_FAMILY) else "is damaged at its start"
        raise _damaged(path, reason)
    records: list[Record] = []
    offset = len(_MAGIC)
    while offset < len(data):
        rest = len(data) - offset
        if rest < _HEAD.size or not data[offset:].strip(b"\0"):
            break
        length, sequence, check, link = _HEAD.unpack_from(data, offset)
        if check != zlib.crc32(_COUNTED.pack(length, sequence)) or sequence != len(records):
            raise _damaged(path, f"is damaged at record {len(records) + 1}")
        end = offset + _HEAD.size + length
        if end > len(data):
            break
        payload = data[offset + _HEAD.size : end]
        expected = hashlib.sha256(chain + _COUNTED.pack(length, sequence) + payload).digest()
        if expected != link:
            if end == len(data):
                break
            raise _damaged(path, f"is damaged at record {len(records) + 1}")
        records.append(json.loads(payload.decode("utf-8", "surrogateescape")))
        chain, offset = link, end
    return tuple(records), offset, chain


def _damaged(path: Path, reason: str) -> JournalError:
    return JournalError(
        f"The journal {path} {reason}; journal damaged, nothing was changed.",
        path=str(path),
        next="Keep the file, look at the paths it names, then: tandem recover --mark-failed",
    )
