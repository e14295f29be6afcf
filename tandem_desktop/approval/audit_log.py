"""A hash-chained log of approvals and runs."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError

from tandem_desktop.approval.store import StateKey
from tandem_desktop.domain.approval import canonical, digest
from tandem_desktop.domain.base import Frozen
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.errors import reading, writing

_BEGINNING = "0" * 64
_HEAD_DOMAIN = "audit-head:1"
_COUNT_DOMAIN = "audit-count:1"
_COUNT = "audit-count"
_CHUNK = 64 * 1024
_BEFORE_HASH = b'{"hash":"'
_AFTER_HASH = b'",'
_HASH = slice(len(_BEFORE_HASH), len(_BEFORE_HASH) + 64)
_REST = slice(_HASH.stop + len(_AFTER_HASH), None)


class AuditRecord(Frozen):
    """One line: a fact, its number, and the hash that chains it to the previous line."""

    hash: str
    number: int
    kind: str
    at: datetime
    body: dict[str, Any]
    previous: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Whether the chain is intact, how many records were read, and the number of the first wrong or missing one."""

    ok: bool
    records: int
    first_bad: int | None = None
    missing: tuple[str, ...] = ()
    """Facts that other files of the state folder know of and the log does not, each as a sentence."""
    elsewhere: tuple[str, ...] = ()
    """Runs listed in the workspace that nothing in this state folder knows of."""
    unbegun: tuple[str, ...] = ()
    """Runs that used an approval and left nothing else."""


@dataclass(frozen=True, slots=True)
class _End:
    """The end of the log. Its signed copy beside the log, the head, shows if the log was truncated."""

    count: int
    hash: str
    size: int


class AuditLog:
    """Append facts, each durable before the call returns; nothing is rewritten.

    The end of the log is kept in two places: in the head beside it, and in a count beside the key. If the log
    disagrees with one of them, appending continues from the later end, so the break stays visible.
    """

    def __init__(self, path: Path, key: StateKey) -> None:
        self._path = path
        self._head_path = path.with_name(f"{path.name}.head")
        self._lock_path = path.with_name(f"{path.name}.lock")
        self._count_path = key.folder / _COUNT
        self._key = key

    def append(self, kind: str, at: datetime, body: Frozen) -> AuditRecord:
        """Add one record; the cost does not depend on how many there are.

        Raises:
            StorageError: it could not be made durable.
        """
        with writing(self._path):
            atomic.make_directory(self._path.parent, mode=0o700)
            with atomic.held(self._lock_path), self._opened() as fd:
                end = self._later(self._repaired_end(fd))
                record, line = _record(end, kind, at, body)
                syscalls.write(fd, line)
                syscalls.sync(fd)
                self._save(_End(record.number, record.hash, end.size + len(line)))
        return record

    def records(self) -> Iterator[AuditRecord]:
        """Every record up to the first damaged one."""
        for line in self._lines(self._state()[1]):
            record = _parse(line)
            if record is None:
                return
            yield record

    def verify(self, on_record: Callable[[AuditRecord], None] = lambda record: None) -> AuditReport:
        """Follow the chain from its beginning and compare its end with the head and the count."""
        counted = self._load(self._count_path, _COUNT_DOMAIN)  # first: a record that is appended now does no harm
        head, size = self._state()
        count, last, previous = 0, _BEGINNING, _BEGINNING
        for line in self._lines(size):
            record = _parse(line)
            if record is None or (record.number, record.previous) != (count + 1, last):
                return AuditReport(False, count, count + 1)
            count, last, previous = record.number, record.hash, record.previous
            if counted is not None and counted.count == count and counted.hash != last:
                return AuditReport(False, count, count)
            on_record(record)
        is_counted = counted is None or counted.count <= count
        if is_counted and _agrees(head, count, last, previous):
            return AuditReport(True, count)
        is_short = not is_counted or (head is not None and head.count > count)
        return AuditReport(False, count, count + 1 if is_short else count)

    def _state(self) -> tuple[_End | None, int]:
        """The head and the length of the log at one moment, with no append in between."""
        if not self._path.exists() and not self._head_path.exists():
            return None, 0
        with reading(self._path), atomic.held(self._lock_path):
            return self._load(self._head_path, _HEAD_DOMAIN), self._path.stat().st_size if self._path.exists() else 0

    def _lines(self, size: int) -> Iterator[bytes]:
        """Complete lines; an unfinished last one was never acknowledged."""
        if not size:
            return
        with reading(self._path), self._path.open("rb") as file:
            for line in file:
                size -= len(line)
                if size < 0 or not line.endswith(b"\n"):
                    return
                yield line

    @contextmanager
    def _opened(self) -> Iterator[int]:
        fd = syscalls.open_appending(str(self._path))
        try:
            yield fd
        finally:
            os.close(fd)

    def _repaired_end(self, fd: int) -> _End:
        """The position of the next record, after truncating a torn line and updating a head left behind by a crash."""
        head = self._load(self._head_path, _HEAD_DOMAIN)
        size = os.fstat(fd).st_size
        if head and head.size == size:
            return head
        last, whole = _last_line(fd, size)
        if whole < size:
            syscalls.truncate(fd, whole)
            syscalls.sync(fd)
        record = _parse(last)
        count, hash_, previous = (
            (record.number, record.hash, record.previous) if record else (0, _BEGINNING, _BEGINNING)
        )
        if not _agrees(head, count, hash_, previous):
            # Records are missing or forged. The head's own position, or a skipped number, keeps that visible.
            return _End(head.count, head.hash, whole) if head else _End(count + 1, hash_, whole)
        end = _End(count, hash_, whole)
        self._save_head(end)
        return end

    def _later(self, end: _End) -> _End:
        """The end of the log, or the counted one if records were taken off: then the next number leaves a gap."""
        counted = self._load(self._count_path, _COUNT_DOMAIN)
        return end if counted is None or counted.count <= end.count else _End(counted.count, counted.hash, end.size)

    def _load(self, path: Path, domain: str) -> _End | None:
        try:
            fields = json.loads(_few_bytes(path))
            mac = fields.pop("mac")
            if self._key.is_signed(domain, canonical(fields), mac):
                return _End(**fields)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass  # as good as none
        return None

    def _save(self, end: _End) -> None:
        """Save the end in both places. The count may be behind after a crash, and need not be durable."""
        self._save_head(end)
        with contextlib.suppress(OSError):
            atomic.replace(self._count_path, self._signed(end, _COUNT_DOMAIN), mode=0o600, durable=False)

    def _save_head(self, head: _End) -> None:
        atomic.replace(self._head_path, self._signed(head, _HEAD_DOMAIN), mode=0o600)

    def _signed(self, end: _End, domain: str) -> bytes:
        fields = {"count": end.count, "hash": end.hash, "size": end.size}
        return canonical({**fields, "mac": self._key.sign(domain, canonical(fields))}) + b"\n"


def _few_bytes(path: Path) -> bytes:
    """The beginning of a file; of a pipe nothing, without waiting for it."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(fd, _CHUNK)
    finally:
        os.close(fd)


def _agrees(head: _End | None, count: int, last: str, previous: str) -> bool:
    """True if the log ends where the head says, or one record later, as after a crash."""
    if head is None:
        return count == 0  # the head is there before the first record
    return (head.count, head.hash) in ((count, last), (count - 1, previous))


def _record(end: _End, kind: str, at: datetime, body: Frozen) -> tuple[AuditRecord, bytes]:
    """A record and its line; the hash is first and covers the rest of the line."""
    number, facts = end.count + 1, body.model_dump(mode="json", exclude_none=True)
    fields = {"number": number, "kind": kind, "at": at.isoformat(), "body": facts, "previous": end.hash}
    rest = canonical(fields)[1:] + b"\n"
    hash_ = _hash(rest)
    record = AuditRecord.model_construct(
        hash=hash_.decode(), number=number, kind=kind, at=at, body=facts, previous=end.hash
    )
    return record, _BEFORE_HASH + hash_ + _AFTER_HASH + rest


def _parse(line: bytes) -> AuditRecord | None:
    """The record in a line; None if it was altered."""
    rest = line[_REST]
    if line != _BEFORE_HASH + _hash(rest) + _AFTER_HASH + rest:
        return None
    try:
        return AuditRecord.model_validate_json(line)
    except ValidationError:
        return None


def _hash(rest: bytes) -> bytes:
    return digest("audit:1", rest).encode()


def _last_line(fd: int, size: int) -> tuple[bytes, int]:
    """The last whole line, and the length of the file up to its end."""
    tail = b""
    position = size
    while position > 0 and tail.count(b"\n") < 2:
        start = max(0, position - _CHUNK)
        tail = os.pread(fd, position - start, start) + tail
        position = start
    whole, newline, _ = tail.rpartition(b"\n")
    return whole.rpartition(b"\n")[2] + newline, position + len(whole) + len(newline)
