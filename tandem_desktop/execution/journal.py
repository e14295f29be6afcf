"""The append-only run journal and the journals of a workspace.

A file is a magic line and then frames: length, sequence number, a checksum of those two, a chained SHA-256, and JSON.
A torn last frame is cut off; a bad frame anywhere else means the journal is damaged, and it is never skipped.
"""

import contextlib
import hashlib
import json
import os
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError

from tandem_desktop.domain.approval import WorkspaceIdentity
from tandem_desktop.domain.errors import JournalError, RunNotFoundError
from tandem_desktop.domain.ids import RUN_ID, OperationId, RunId
from tandem_desktop.domain.operations import NodeState, StagedOperation
from tandem_desktop.domain.runs import OperationResult, RunRecord
from tandem_desktop.execution.scratch_dir import Metadata
from tandem_desktop.execution.steps import Step, pack_step, unpack_state, unpack_step
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


_OPEN = ".open"
_CLOSED = ".journal"
_DAMAGED = ".damaged"
_WHOSE = "workspace.json"


@dataclass(frozen=True, slots=True)
class History:
    """The parsed content of a journal."""

    record: RunRecord | None
    operations: tuple[StagedOperation, ...] = ()
    done: tuple[Step, ...] = ()
    """Steps of finished segments."""
    current: tuple[Step, ...] = ()
    """Steps of a segment that has an intent and no outcome."""
    lost: dict[int, Metadata] = field(default_factory=dict)
    commands_done: frozenset[OperationId] = frozenset()
    command_open: OperationId | None = None
    """The first of the commands that were running when the run was interrupted."""
    command_captured: bool = False
    ran_in_place: bool = False
    end: Record | None = None
    planned: tuple[Step, ...] = ()
    """Steps computed before the run began, for a run without operations."""
    metadata: dict[str, Metadata] = field(default_factory=dict)
    """Owner and attributes that the planned steps restore, by path."""
    seen: dict[str, NodeState] = field(default_factory=dict)
    """Files of git that say what the changed ones meant, and did not change themselves."""

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.done + self.current

    @property
    def completed(self) -> frozenset[OperationId]:
        """Operations whose segment is finished."""
        return frozenset(step.operation for step in self.done) | self.commands_done

    @property
    def results(self) -> tuple[OperationResult, ...]:
        return tuple(OperationResult.model_validate(r) for r in (self.end or {}).get("results", ()))


class JournalStore:
    """Name, find and close journals."""

    def __init__(self, journals: Path, workspace: WorkspaceIdentity) -> None:
        self._folder = journals / workspace.journal_key
        self._workspace = workspace
        if journals.is_dir() and not self._folder.exists():
            self._adopt(journals)

    def start(
        self,
        record: RunRecord,
        operations: bytes,
        planned: tuple[Step, ...] = (),
        metadata: dict[str, Metadata] | None = None,
    ) -> Journal:
        """A new journal whose first record says what is to be done: the operations, as JSON, or planned steps."""
        steps = encode({"steps": [pack_step(step) for step in planned], "metadata": metadata or {}})
        begin = (b'{"type":"begin","record":', record.model_dump_json().encode(), b',"operations":', operations)
        with atomic.together():
            atomic.make_directory(self._folder, mode=0o700)
            if not (self._folder / _WHOSE).exists():
                atomic.replace(self._folder / _WHOSE, self._workspace.model_dump_json().encode(), mode=0o600)
            journal = Journal.create(self._folder / f"{record.run_id}{_OPEN}")
            journal.append(b"".join((*begin, b',"planned":', steps, b"}")))
        return journal

    def reopen(self, run_id: RunId) -> tuple[Journal, History]:
        journal, records = Journal.reopen(self._folder / f"{run_id}{_OPEN}")
        return journal, understand(records)

    def open_runs(self) -> tuple[RunId, ...]:
        """Runs whose journal was never closed, oldest name first."""
        if not self._folder.is_dir():
            return ()
        return tuple(sorted(RunId(p.name.removesuffix(_OPEN)) for p in self._folder.iterdir() if p.suffix == _OPEN))

    def history(self, run_id: str) -> History:
        """The journal of a run, open or closed.

        Raises:
            RunNotFoundError: there is none.
        """
        for suffix in (_CLOSED, _OPEN):
            path = self._folder / f"{run_id}{suffix}"
            if RUN_ID.fullmatch(run_id) and path.exists():
                return understand(read_journal(path))
        raise RunNotFoundError(f"There is no run {run_id} here.", next="See them with: tandem runs")

    def is_open(self, run_id: RunId) -> bool:
        """True if the journal of this run is still open. Only looks for the file, so damage does not matter."""
        return (self._folder / f"{run_id}{_OPEN}").exists()

    def has(self, run_id: RunId) -> bool:
        """True if there is a journal of this run, open or closed.

        The end of a run is announced before its journal is closed.
        """
        return self.is_open(run_id) or (self._folder / f"{run_id}{_CLOSED}").exists()

    def close(self, run_id: RunId) -> None:
        """Close the journal of a run that is settled."""
        syscalls.rename(str(self._folder / f"{run_id}{_OPEN}"), str(self._folder / f"{run_id}{_CLOSED}"))
        atomic.sync_directory(self._folder)

    def set_aside(self, run_id: RunId) -> Path:
        """Rename an unreadable journal so that it no longer counts as open."""
        kept = self._folder / f"{run_id}{_DAMAGED}"
        syscalls.rename(str(self._folder / f"{run_id}{_OPEN}"), str(kept))
        atomic.sync_directory(self._folder)
        return kept

    def drop(self, run_id: RunId) -> None:
        """Delete the journal of a run that never began: it has no record."""
        syscalls.unlink(str(self._folder / f"{run_id}{_OPEN}"))
        atomic.sync_directory(self._folder)

    def forget(self, run_id: RunId) -> None:
        """Delete the closed journal of a run that can no longer be undone; open journals are kept."""
        with contextlib.suppress(FileNotFoundError):
            syscalls.unlink(str(self._folder / f"{run_id}{_CLOSED}"))

    def _adopt(self, journals: Path) -> None:
        """Adopt the journals of a workspace that was moved: they are stored under its old path."""
        for whose in journals.glob(f"*/{_WHOSE}"):
            with contextlib.suppress(OSError, ValidationError):
                known = WorkspaceIdentity.model_validate_json(whose.read_bytes())
                same = (known.device, known.inode) == (self._workspace.device, self._workspace.inode)
                if same and not Path(known.real_path).exists():
                    syscalls.rename(str(whose.parent), str(self._folder))
                    atomic.replace(self._folder / _WHOSE, self._workspace.model_dump_json().encode(), mode=0o600)
                    atomic.sync_directory(journals)
                    return


def closed_runs(journals: Path) -> tuple[RunId, ...]:
    """Runs that have ended, of every workspace."""
    return tuple(sorted(RunId(path.stem) for path in journals.glob(f"*/RUN-*{_CLOSED}")))


def known_runs(journals: Path) -> tuple[RunId, ...]:
    """Runs with a journal, be it closed, open or damaged, of every workspace."""
    return tuple(sorted(RunId(path.name.partition(".")[0]) for path in journals.glob("*/RUN-*")))


def understand(records: tuple[Record, ...]) -> History:
    """Parse the records of a journal."""
    record: RunRecord | None = None
    operations: tuple[StagedOperation, ...] = ()
    done: list[Step] = []
    current: tuple[Step, ...] = ()
    lost: dict[int, Metadata] = {}
    seen: dict[str, NodeState] = {}
    commands: set[OperationId] = set()
    open_commands: dict[OperationId, None] = {}
    captured = ran_in_place = False
    end: Record | None = None
    planned: Record = {}
    for entry in records:
        match entry["type"]:
            case "begin":
                record = RunRecord.model_validate(entry["record"])
                operations = tuple(StagedOperation.model_validate(o) for o in entry["operations"])
                planned = entry.get("planned", {})
            case "intent":
                current = tuple(unpack_step(step) for step in entry["steps"])
                for path, state in entry.get("seen", {}).items():
                    seen.setdefault(path, unpack_state(state))
            case "done":
                done.extend(current[: entry["count"]])
                current = ()
                lost.update({int(n): metadata for n, metadata in entry["lost"].items()})
            case "command":
                open_commands[entry["operation"]] = None
                captured = entry["captured"]
                ran_in_place |= not captured
            case "command_done":
                open_commands.pop(entry["operation"], None)
                if entry["exit_code"] == 0:
                    commands.add(entry["operation"])
            case "end":
                end = entry
    return History(
        record=record,
        operations=operations,
        done=tuple(done),
        current=current,
        lost=lost,
        commands_done=frozenset(commands),
        command_open=next(iter(open_commands), None),
        command_captured=captured,
        ran_in_place=ran_in_place,
        end=end,
        planned=tuple(unpack_step(step) for step in planned.get("steps", ())),
        metadata=planned.get("metadata", {}),
        seen=seen,
    )
