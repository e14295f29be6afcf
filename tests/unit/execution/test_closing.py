"""How a run that has done its work is closed when the workspace has gone elsewhere, or the disk is full."""

import errno
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import InterruptedRunError
from tandem_desktop.domain.runs import FailurePolicy, RunStatus
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.storage import syscalls
from tests.support.builders import a_write
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import leftovers


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def manager(root: Path, memory_path: Path) -> RunManager:
    made = a_run_manager(root, memory_path / "state")
    made.objects.put_all([b"one\n"])
    return made


def test_papers_of_a_workspace_that_was_moved_away_are_not_put_into_what_took_its_place(
    manager: RunManager, root: Path, memory_path: Path
) -> None:
    elsewhere = memory_path / "elsewhere"

    def move(call: str, what: str) -> None:
        if call == "renameat2" and what == "one.txt":
            root.rename(elsewhere)
            root.mkdir()

    with syscalls.gated(move), pytest.raises(InterruptedRunError, match="not the folder it was") as refusal:
        carry_out(manager, (a_write("one.txt", b"one\n"),))
    assert refusal.value.next == "Put the folder back, then try again: tandem recover"
    assert list(root.iterdir()) == []
    root.rmdir()
    elsewhere.rename(root)
    assert Recovery(a_run_manager(root, memory_path / "state")).interrupted() == ()
    assert [record.status for record in manager.runs.list()] == [RunStatus.COMPLETED]
    assert (root / "one.txt").read_bytes() == b"one\n"


def test_bench_of_a_run_that_has_ended_makes_room_for_its_papers(manager: RunManager, root: Path) -> None:
    scratch_dirs = root / ".tandem" / "tmp"

    def full(call: str, what: str) -> None:
        if call == "openat" and "results.json" in what and scratch_dirs.is_dir() and any(scratch_dirs.iterdir()):
            raise OSError(errno.ENOSPC, "No space left on device", what)

    operations = (a_write("one.txt", b"one\n"), a_write("x", b"never stored\n", id="s2"))
    with syscalls.gated(full):
        record, _ = carry_out(manager, operations, FailurePolicy.ROLLBACK)
    assert record.rolled_back
    assert manager.runs.get(record.run_id).status is RunStatus.FAILED
    assert leftovers(root) == []
