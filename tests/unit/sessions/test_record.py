"""Messages are written down in order by somebody who does not keep the conversation waiting."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.sessions.record import TranscriptLog
from tandem_desktop.storage import syscalls


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """The disk takes nothing until it is set."""
    opened = threading.Event()

    def wait(call: str, name: str) -> None:
        opened.wait(30)

    with syscalls.gated(wait):
        yield opened
        opened.set()


def kept(path: Path) -> list[tuple[str, str]]:
    return [(line["dir"], line["msg"]) for line in map(json.loads, path.read_text().splitlines())]


def test_messages_are_kept_in_order_and_are_there_after_a_flush(tmp_path: Path) -> None:
    log = TranscriptLog(tmp_path / "t.jsonl")
    said = [("received" if n % 2 else "sent", f'{{"id":{n}}}') for n in range(500)]
    for direction, message in said:
        log.keep(direction, message.encode())
    log.flush()
    assert kept(tmp_path / "t.jsonl") == said
    log.close()


def test_a_disk_that_takes_nothing_does_not_hold_up_the_one_who_speaks(tmp_path: Path, gate: threading.Event) -> None:
    log = TranscriptLog(tmp_path / "t.jsonl")
    for n in range(100):
        log.keep("sent", str(n).encode())
    assert not (tmp_path / "t.jsonl").exists()
    gate.set()
    log.close()
    assert [message for _, message in kept(tmp_path / "t.jsonl")] == [str(n) for n in range(100)]


def test_what_a_slow_disk_cannot_take_is_left_out_and_counted(tmp_path: Path, gate: threading.Event) -> None:
    log = TranscriptLog(tmp_path / "t.jsonl", most_waiting=10)
    for _ in range(100):
        log.keep("sent", b"12345")
    gate.set()
    log.close()
    found = kept(tmp_path / "t.jsonl")
    left_out = [int(words.split()[0]) for direction, words in found if direction == "note"]
    assert sum(left_out) > 0
    assert len(found) - len(left_out) + sum(left_out) == 100


def test_a_disk_that_refuses_ends_nothing(tmp_path: Path) -> None:
    log = TranscriptLog(tmp_path / "missing" / "t.jsonl")
    log.keep("sent", b"lost")
    log.flush()
    os.mkdir(tmp_path / "missing")
    log.keep("sent", b"kept")
    log.close()
    assert kept(tmp_path / "missing" / "t.jsonl") == [("sent", "kept")]


def test_a_closed_log_takes_nothing_more_and_does_not_complain(tmp_path: Path) -> None:
    log = TranscriptLog(tmp_path / "t.jsonl")
    log.close()
    log.keep("received", b"late")
    log.flush()
    assert not (tmp_path / "t.jsonl").exists()
