"""Files are replaced whole, objects are what their names say, locks exclude."""

import errno
import hashlib
import os
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import StorageError
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage import atomic as locks
from tandem_desktop.storage.atomic import remove_tree
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations
from tests.support.faults import failing_at


@pytest.mark.req("S3-10")
def test_failed_replace_keeps_the_old_bytes_and_leaves_no_temporary(memory_path: Path) -> None:
    path = memory_path / "meta.json"
    atomic.replace(path, b"old")
    for failing in ("openat", "write", "fsync", "rename"):

        def refuse(call: str, what: str, failing: str = failing) -> None:
            if call == failing:
                raise OSError(28, "No space left on device")

        with syscalls.gated(refuse), pytest.raises(OSError, match="No space"):
            atomic.replace(path, b"new")
        assert path.read_bytes() == b"old"
        assert [p.name for p in memory_path.iterdir()] == ["meta.json"]


def test_files_saved_together_are_synced_one_by_one_and_their_folders_once_at_the_end(memory_path: Path) -> None:
    calls: list[str] = []

    def watch(call: str, what: str) -> None:
        calls.append(f"{call} {Path(f'/proc/self/fd/{what}').readlink()}" if call == "fsync" else call)

    run = memory_path / "run"
    with syscalls.gated(watch), atomic.together():
        atomic.make_directory(run)
        atomic.replace(run / "results", b"[]")
        with atomic.together():
            atomic.replace(run / "meta", b"{}")
        inside = tuple(calls)
    assert [call.split()[0] for call in inside] == ["mkdirat", *["openat", "write", "fsync", "rename"] * 2]
    assert calls[len(inside) :] == [f"fsync {memory_path}", f"fsync {run}"]


def test_block_of_files_that_fails_leaves_the_next_one_to_itself(memory_path: Path) -> None:
    with pytest.raises(StorageError), atomic.together():
        raise StorageError("no", next="no")
    synced: list[str] = []
    with syscalls.gated(lambda call, what: synced.append(call)):
        atomic.replace(memory_path / "meta", b"{}")
    assert synced == ["openat", "write", "fsync", "rename", "fsync"]


def test_second_creation_of_a_name_is_refused(memory_path: Path) -> None:
    atomic.create(memory_path / "r001.json", b"first")
    with pytest.raises(FileExistsError):
        atomic.create(memory_path / "r001.json", b"second")
    assert (memory_path / "r001.json").read_bytes() == b"first"


def test_short_writes_are_carried_on(memory_path: Path) -> None:
    data = bytes(1_000_000)
    fd = syscalls.create(str(memory_path / "whole"))
    syscalls.write(fd, data)
    assert (memory_path / "whole").read_bytes() == data


def test_object_that_was_altered_or_lost_is_refused(memory_path: Path) -> None:
    store = ObjectStore(memory_path)
    name = store.put(b"bytes\n")
    assert ObjectStore(memory_path).read(name) == b"bytes\n"
    (memory_path / name[:2] / name[2:]).write_bytes(b"other\n")
    with pytest.raises(StorageError, match="altered"):
        ObjectStore(memory_path).read(name)
    (memory_path / name[:2] / name[2:]).unlink()
    with pytest.raises(StorageError, match="missing"):
        ObjectStore(memory_path).read(name)


def test_many_objects_are_stored_under_their_digests(memory_path: Path) -> None:
    contents = [b"%d" % number for number in range(40)]
    store = ObjectStore(memory_path)
    store.put_all(contents)
    assert [store.read(hashlib.sha256(data).hexdigest()) for data in contents] == contents
    assert not store.has("0" * 64)
    assert not list(memory_path.rglob("*.tmp"))


def test_lock_held_elsewhere_is_seen_as_busy(memory_path: Path) -> None:
    with locks.held(memory_path / "lock"), locks.held_or_busy(memory_path / "lock") as free:
        assert not free
    with locks.held_or_busy(memory_path / "lock") as free:
        assert free


def test_state_folder_is_private_and_tandem_ignores_itself(memory_path: Path) -> None:
    workspace = memory_path / "ws"
    workspace.mkdir()
    places = Locations(workspace, memory_path / "state")
    places.prepare_state()
    places.prepare_workspace()
    places.prepare_workspace()
    assert places.state.stat().st_mode & 0o777 == 0o700
    assert (workspace / ".tandem" / ".gitignore").read_text() == "*\n"


def test_scratch_tree_is_removed_without_following_links(memory_path: Path) -> None:
    kept = memory_path / "kept"
    kept.write_text("stays")
    tree = memory_path / "tree"
    (tree / "locked").mkdir(parents=True)
    (tree / "locked" / "file").write_text("goes")
    (tree / "link").symlink_to(kept)
    (tree / "locked").chmod(0)
    remove_tree(tree)
    remove_tree(tree)
    assert not tree.exists()
    assert kept.read_text() == "stays"


def test_scratch_tree_that_cannot_be_removed_is_not_held_open(memory_path: Path) -> None:
    (memory_path / "tree" / "inner").mkdir(parents=True)
    before = os.listdir("/dev/fd")
    for point in (1, 2, 3):
        with pytest.raises(OSError, match="Input/output") as refusal:
            failing_at(point, errno.EIO, lambda: remove_tree(memory_path / "tree"), lasting=True)
        assert os.listdir("/dev/fd") == before, refusal  # which holds everything that was under way
