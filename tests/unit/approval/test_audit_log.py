"""Nothing in the audit changes, goes, or comes in unnoticed; a crash is not mistaken for tampering."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.approval.audit_log import AuditLog, AuditReport
from tandem_desktop.approval.store import StateKey
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import StorageError
from tandem_desktop.storage import syscalls
from tests.support.builders import A_MOMENT

KILL_POINTS = 45


class Fact(Frozen):
    """Something that happened."""

    words: str


class Killed(BaseException):
    """The process is gone."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "audit.jsonl"


@pytest.fixture
def log(path: Path) -> AuditLog:
    return AuditLog(path, StateKey(path.parent / "key"))


def write(log: AuditLog, count: int) -> None:
    for number in range(count):
        log.append("fact", A_MOMENT, Fact(words=f"number {number} ✓"))


def head_of(path: Path) -> Path:
    return path.with_name("audit.jsonl.head")


def count_of(path: Path) -> Path:
    return path.with_name("audit-count")


@pytest.mark.req("S0-64")
def test_records_are_read_back_in_order_and_the_chain_holds(log: AuditLog, path: Path) -> None:
    assert log.verify() == AuditReport(ok=True, records=0)
    write(log, 3)
    assert [(r.number, r.kind, r.at, r.body["words"]) for r in log.records()] == [
        (n + 1, "fact", A_MOMENT, f"number {n} ✓") for n in range(3)
    ]
    assert log.verify() == AuditReport(ok=True, records=3)
    assert AuditLog(path, StateKey(path.parent / "key")).verify().ok
    assert path.stat().st_mode & 0o777 == 0o600
    for line in path.read_text().splitlines():
        assert json.loads(line)["kind"] == "fact"


def test_a_pipe_in_the_place_of_the_signed_end_or_the_count_is_not_waited_for(log: AuditLog, path: Path) -> None:
    write(log, 2)
    count_of(path).unlink()
    os.mkfifo(count_of(path))
    write(log, 1)
    assert log.verify() == AuditReport(ok=True, records=3)
    head_of(path).unlink()
    os.mkfifo(head_of(path))
    assert not log.verify().ok


def test_every_byte_is_covered(log: AuditLog, path: Path) -> None:
    write(log, 3)
    data = path.read_bytes()
    ends = [position for position, byte in enumerate(data) if byte == 10]
    for position in range(len(data)):
        path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        report = log.verify()
        line = 1 + sum(1 for end in ends if end < position)
        assert (report.ok, report.first_bad) == (False, line), position
    print(f"{len(data)} bytes flipped, 0 accepted")


@pytest.mark.parametrize("dropped", [0, 1, 2, 3, 4])
def test_a_record_taken_out_anywhere_is_missed(log: AuditLog, path: Path, dropped: int) -> None:
    write(log, 5)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:dropped] + lines[dropped + 1 :]))
    assert log.verify() == AuditReport(ok=False, records=dropped, first_bad=dropped + 1)


def test_records_cut_off_the_end_are_missed_however_many(log: AuditLog, path: Path) -> None:
    write(log, 4)
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(4):
        path.write_bytes(b"".join(lines[:kept]))
        assert log.verify() == AuditReport(ok=False, records=kept, first_bad=kept + 1)
    path.unlink()
    assert log.verify() == AuditReport(ok=False, records=0, first_bad=1)


def test_records_in_another_order_are_noticed(log: AuditLog, path: Path) -> None:
    write(log, 3)
    one, two, three = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(one + three + two)
    assert log.verify() == AuditReport(ok=False, records=1, first_bad=2)


def test_a_chain_made_anew_does_not_fit_the_head(log: AuditLog, path: Path, tmp_path: Path) -> None:
    write(log, 3)
    forger = AuditLog(tmp_path / "forged.jsonl", StateKey(tmp_path / "forged.key"))
    for _ in range(3):
        forger.append("fact", A_MOMENT, Fact(words="it was you"))
    path.write_bytes((tmp_path / "forged.jsonl").read_bytes())
    assert log.verify() == AuditReport(ok=False, records=3, first_bad=3)
    head_of(path).write_bytes((tmp_path / "forged.jsonl.head").read_bytes())
    assert not log.verify().ok


def test_two_records_put_in_behind_the_head_are_noticed(log: AuditLog, path: Path) -> None:
    write(log, 1)
    head = head_of(path).read_bytes()
    write(log, 2)
    head_of(path).write_bytes(head)
    assert log.verify() == AuditReport(ok=False, records=3, first_bad=3)


@pytest.mark.parametrize("damage", [None, b"", b"[]", b"{}", b'{"mac": 1}', b'{"count": 3, "mac": "x"}', b"\xff"])
def test_a_lost_or_damaged_head_is_noticed_and_stays_noticed(log: AuditLog, path: Path, damage: bytes | None) -> None:
    write(log, 3)
    if damage is None:
        head_of(path).unlink()
    else:
        head_of(path).write_bytes(damage)
    assert log.verify() == AuditReport(ok=False, records=3, first_bad=3)
    write(log, 1)
    assert log.verify() == AuditReport(ok=False, records=3, first_bad=4)
    write(log, 2)
    assert log.verify() == AuditReport(ok=False, records=3, first_bad=4)


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_writing_on_after_records_were_cut_off_does_not_hide_it(log: AuditLog, path: Path, kept: int) -> None:
    write(log, 3)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:kept]))
    write(log, 4)
    assert log.verify() == AuditReport(ok=False, records=kept, first_bad=kept + 1)


def test_writing_on_after_a_line_of_rubbish_keeps_the_rubbish_visible(log: AuditLog, path: Path) -> None:
    write(log, 2)
    with path.open("ab") as file:
        file.write(b"rubbish\n")
    assert log.verify() == AuditReport(ok=False, records=2, first_bad=3)
    write(log, 1)
    assert log.verify() == AuditReport(ok=False, records=2, first_bad=3)
    assert [record.number for record in log.records()] == [1, 2]


def test_a_line_that_is_sealed_but_no_record_is_bad(log: AuditLog, path: Path) -> None:
    from tandem_desktop.domain.approval import digest

    rest = b'"mood":"fine"}\n'
    write(log, 1)
    path.write_bytes(b'{"hash":"' + digest("audit:1", rest).encode() + b'",' + rest)
    assert log.verify() == AuditReport(ok=False, records=0, first_bad=1)


def test_cut_at_any_byte_of_the_last_line_the_torn_line_goes_and_the_chain_goes_on(log: AuditLog, path: Path) -> None:
    write(log, 2)
    whole, head, count = path.read_bytes(), head_of(path).read_bytes(), count_of(path).read_bytes()
    write(log, 1)
    longer = path.read_bytes()
    for length in (*range(len(whole), len(longer), 4), len(longer) - 1, len(longer)):
        path.write_bytes(longer[:length])
        head_of(path).write_bytes(head)
        count_of(path).write_bytes(count)
        assert log.verify().ok
        write(log, 1)
        assert log.verify() == AuditReport(ok=True, records=4 if length == len(longer) else 3)
        assert path.read_bytes().startswith(longer if length == len(longer) else whole)


def test_a_torn_first_line_is_cut_too(log: AuditLog, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"hash":"12')
    write(log, 1)
    assert log.verify() == AuditReport(ok=True, records=1)


def test_killed_at_any_call_every_acknowledged_record_is_there_and_the_chain_holds(tmp_path: Path) -> None:
    for points in range(KILL_POINTS):
        path = tmp_path / str(points) / "audit.jsonl"
        log = AuditLog(path, StateKey(path.parent / "key"))
        acknowledged = made = 0

        def kill(call: str, what: str, limit: int = points) -> None:
            nonlocal made
            made += 1
            if made > limit:
                raise Killed

        with syscalls.gated(kill), contextlib.suppress(Killed):
            for _ in range(3):
                write(log, 1)
                acknowledged += 1
        for _ in range(2):  # a crash may come twice before the head has caught up
            report = log.verify()
            assert report.ok
            assert acknowledged <= report.records <= acknowledged + 1
            made = 0
            with syscalls.gated(kill), contextlib.suppress(Killed):
                write(log, 1)
                acknowledged += 1
            acknowledged = max(acknowledged, report.records)
        before = log.verify()
        write(log, 1)
        assert log.verify() == AuditReport(ok=True, records=before.records + 1)
    assert made < KILL_POINTS  # the last round was not killed at all


@pytest.mark.parametrize("call", ["openat", "write", "fsync", "rename"])
def test_a_disk_that_refuses_is_named_and_the_chain_goes_on(log: AuditLog, path: Path, call: str) -> None:
    write(log, 1)

    def refuse(made: str, what: str) -> None:
        if made == call:
            raise OSError(28, "No space left on device")

    with syscalls.gated(refuse), pytest.raises(StorageError) as refusal:
        write(log, 1)
    assert str(refusal.value.path).startswith(str(path))  # the log, or the lock beside it
    assert log.verify().ok
    write(log, 1)
    assert log.verify().ok


def test_a_record_longer_than_a_look_at_the_end_is_found_whole(log: AuditLog, path: Path) -> None:
    write(log, 1)
    head = head_of(path).read_bytes()
    log.append("long", A_MOMENT, Fact(words="x" * 200_000))
    head_of(path).write_bytes(head)
    write(log, 1)
    assert log.verify() == AuditReport(ok=True, records=3)


def test_appending_reads_no_more_of_a_long_log_than_of_a_short_one(
    log: AuditLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    pread = os.pread

    def counting(fd: int, length: int, offset: int) -> bytes:
        read.append(length)
        return pread(fd, length, offset)

    monkeypatch.setattr(os, "pread", counting)
    write(log, 30)
    assert sum(read) == 0
    head_of(path).unlink()
    write(log, 1)
    assert sum(read) <= 64 * 1024


def test_a_log_that_grows_while_it_is_verified_is_not_called_broken(log: AuditLog, path: Path) -> None:
    write(log, 3)
    reading = log.records()
    next(reading)
    write(log, 2)
    assert [record.number for record in reading] == [2, 3]
    assert log.verify() == AuditReport(ok=True, records=5)


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.approval.store import StateKey
from tandem_desktop.domain.base import Frozen
class Fact(Frozen):
    words: str
path = Path(sys.argv[1])
log = AuditLog(path, StateKey(path.parent / "key"))
for number in range(15):
    log.append("fact", datetime.now(UTC), Fact(words=f"{sys.argv[2]}:{number}"))
"""


@pytest.mark.req("S3-45")
def test_several_processes_write_one_chain(log: AuditLog, path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number)], env=environment) for number in range(4)
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert log.verify() == AuditReport(ok=True, records=60)
    assert {r.body["words"] for r in log.records()} == {f"{w}:{n}" for w in range(4) for n in range(15)}


def test_a_log_removed_with_its_head_is_missed_and_stays_missed(log: AuditLog, path: Path) -> None:
    write(log, 3)
    path.unlink()
    head_of(path).unlink()
    assert log.verify() == AuditReport(ok=False, records=0, first_bad=1)
    write(log, 2)
    assert log.verify() == AuditReport(ok=False, records=0, first_bad=1)


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_an_older_log_put_back_with_its_head_is_noticed_and_stays_noticed(log: AuditLog, path: Path, kept: int) -> None:
    write(log, kept)
    older = path.read_bytes(), head_of(path).read_bytes()
    write(log, 4 - kept)
    path.write_bytes(older[0])
    head_of(path).write_bytes(older[1])
    assert log.verify() == AuditReport(ok=False, records=kept, first_bad=kept + 1)
    write(log, 6)
    assert log.verify() == AuditReport(ok=False, records=kept, first_bad=kept + 1)


def test_another_log_of_the_same_length_is_noticed(log: AuditLog, path: Path) -> None:
    write(log, 1)
    older = path.read_bytes(), head_of(path).read_bytes(), count_of(path).read_bytes()
    write(log, 1)
    counted = count_of(path).read_bytes()
    for place, data in zip((path, head_of(path), count_of(path)), older, strict=True):
        place.write_bytes(data)
    log.append("fact", A_MOMENT, Fact(words="another second record"))
    assert log.verify().ok
    count_of(path).write_bytes(counted)
    assert log.verify() == AuditReport(ok=False, records=2, first_bad=2)


@pytest.mark.parametrize("damage", [None, b"", b"{}", b"rubbish"])
def test_a_log_from_before_the_count_was_kept_still_verifies(log: AuditLog, path: Path, damage: bytes | None) -> None:
    write(log, 2)
    count_of(path).unlink()
    if damage is not None:
        count_of(path).write_bytes(damage)
    assert log.verify() == AuditReport(ok=True, records=2)
    write(log, 1)
    assert log.verify() == AuditReport(ok=True, records=3)
