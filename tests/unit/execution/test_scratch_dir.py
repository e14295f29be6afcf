"""What is attached to a file comes back with it, whatever the run did to it and whether or not it was cut off."""

import os
from pathlib import Path

import pytest

from tandem_desktop.domain.operations import DirectoryState, StagedOperation
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.execution.scratch_dir import sweep_folder
from tandem_desktop.execution.undo import UndoExecutor
from tandem_desktop.storage import syscalls
from tests.support.builders import a_delete, a_move, a_write
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import walk

NOTE = "user.note"


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    (folder / "sub").mkdir(parents=True)
    for name in ("a", "b", "sub"):
        if name != "sub":
            (folder / name).write_bytes(b"old\n")
            (folder / name).chmod(0o644)
        try:
            os.setxattr(folder / name, NOTE, name.encode())
        except OSError:
            pytest.skip("this file system has no extended attributes")
    (folder / "sub").chmod(0o755)
    return folder


@pytest.fixture
def manager(root: Path, memory_path: Path) -> RunManager:
    made = a_run_manager(root, memory_path / "state")
    made.objects.put_all([b"old\n", b"new\n"])
    return made


WAYS: dict[str, tuple[StagedOperation, ...]] = {
    "deleted": (a_delete("a", b"old\n"),),
    "deleted and made again": (a_delete("a", b"old\n"), a_write("a", b"new\n", id="s2")),
    "moved and modified": (a_move("a", "c", b"old\n"), a_write("c", b"new\n", before=b"old\n", id="s2")),
    "moved and deleted": (a_move("a", "c", b"old\n"), a_delete("c", b"old\n", id="s2")),
    "moved twice": (a_move("a", "c", b"old\n"), a_move("c", "d", b"old\n", id="s2")),
    "another took its place": (
        a_move("a", "c", b"old\n"),
        a_delete("c", b"old\n", id="s2"),
        a_move("b", "c", b"old\n", id="s3"),
    ),
    "a folder": (a_delete("sub", base=DirectoryState(mode=0o755)),),
}


@pytest.mark.parametrize("operations", WAYS.values(), ids=WAYS)
def test_what_is_attached_comes_back_with_an_undo_and_goes_with_a_redo(
    manager: RunManager, root: Path, operations: tuple[StagedOperation, ...]
) -> None:
    before = attached(root)
    record, _ = carry_out(manager, operations)
    after = attached(root)
    undone = UndoExecutor(manager).undo(record.run_id)
    assert attached(root) == before
    UndoExecutor(manager).redo(undone.record.run_id)
    assert attached(root) == after


@pytest.mark.parametrize("settle", ["resume", "mark_failed"])
def test_what_is_attached_comes_back_after_a_run_that_was_cut_off(
    manager: RunManager, root: Path, memory_path: Path, settle: str
) -> None:
    before = attached(root)

    def cut(call: str, what: str) -> None:
        if call == "renameat2" and what == "b":
            raise KeyboardInterrupt

    with syscalls.gated(cut), pytest.raises(KeyboardInterrupt):
        carry_out(manager, (a_delete("a", b"old\n"), a_write("b", b"new\n", before=b"old\n", id="s2")))
    again = a_run_manager(root, memory_path / "state")
    record, _ = getattr(Recovery(again), settle)()
    assert not (root / "a").exists()
    UndoExecutor(again).undo(record.run_id)
    assert attached(root) == before


def attached(root: Path) -> dict[str, tuple[object, bytes | None]]:
    """Every node with its note."""
    return {
        path: (node, os.getxattr(root / path, NOTE) if NOTE in os.listxattr(root / path) else None)
        for path, node in walk(root).items()
    }


def test_what_a_run_replaced_is_removed_also_where_it_is_much_and_through_no_link(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    folder = tmp_path / "bench"
    folder.mkdir()
    for number in range(200):
        (folder / f"f{number}").touch()
        (folder / f"d{number}").mkdir()
    (folder / "link").symlink_to(kept)
    sweep_folder(folder)
    assert not folder.exists()
    assert (kept / "file").exists()
