"""What was stored a moment ago is not read again, unless its file is another one or was touched."""

import hashlib
import os
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import StorageError
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.objects import ObjectCache, ObjectStore

NAME = hashlib.sha256(b"bytes\n").hexdigest()


def stored(folder: Path) -> tuple[ObjectStore, Path]:
    store = ObjectStore(folder)
    store.put(b"bytes\n")
    return store, folder / NAME[:2] / NAME[2:]


def test_bytes_stored_here_are_known_by_a_look_at_their_file(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = stored(memory_path)

    def no_reading(*args: object, **kwargs: object) -> int:
        raise AssertionError("the file was opened")

    monkeypatch.setattr(os, "open", no_reading)
    assert store.check(NAME) == 6
    assert store.read(NAME) == b"bytes\n"


def test_stored_bytes_altered_since_are_refused_by_the_store_that_wrote_them(memory_path: Path) -> None:
    store, path = stored(memory_path)
    path.write_bytes(b"other\n")
    os.utime(path, ns=(0, 0))
    with pytest.raises(StorageError, match="altered"):
        store.check(NAME)


def test_stored_bytes_lost_since_are_refused_by_the_store_that_wrote_them(memory_path: Path) -> None:
    store, path = stored(memory_path)
    path.unlink()
    with pytest.raises(StorageError, match="missing"):
        store.check(NAME)


def test_stored_bytes_only_touched_since_are_good_after_another_look(memory_path: Path) -> None:
    store, path = stored(memory_path)
    os.utime(path, ns=(0, 0))
    assert store.check(NAME) == 6


def test_bytes_the_disk_refused_to_keep_are_not_remembered(memory_path: Path) -> None:
    store = ObjectStore(memory_path)

    def refuse(call: str, what: str) -> None:
        if call == "fsync":
            raise OSError(5, "Input/output error")

    with syscalls.gated(refuse), pytest.raises(OSError, match="Input/output"):
        store.put(b"bytes\n")
    (memory_path / NAME[:2] / NAME[2:]).write_bytes(b"")
    with pytest.raises(StorageError):
        store.read(NAME)


def test_oldest_bytes_are_forgotten_first(memory_path: Path) -> None:
    info = os.stat(memory_path)
    recent = ObjectCache(most_bytes=10)
    for name in ("a", "b", "c", "b"):
        recent.put(name, b"1234", info, is_checked=False)
    assert [name for name in "abc" if recent.get(name)] == ["b", "c"]
    recent.put("huge", bytes(11), info, is_checked=False)
    assert not any(recent.get(name) for name in ("b", "c", "huge"))


def test_bytes_that_were_only_read_make_no_others_forgotten(memory_path: Path) -> None:
    info = os.stat(memory_path)
    recent = ObjectCache(most_bytes=10)
    for name in ("a", "b", "c", "b"):
        recent.put(name, b"1234", info, is_checked=True)
    assert [name for name in "abc" if recent.get(name)] == ["a", "b"]
