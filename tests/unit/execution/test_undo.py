"""Undo touches only what the run touched, and never a later edit."""

from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, UndoConflictError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.execution.undo import UndoExecutor, UndoPart
from tests.support.builders import a_delete, a_move, a_write
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import walk

LINES = b"".join(b"line %d\n" % n for n in range(40))
CHANGED = LINES.replace(b"line 3\n", b"line three\n")


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_bytes(LINES)
    (folder / "gone.txt").write_bytes(b"gone\n")
    for path in ("src/app.py", "gone.txt"):
        (folder / path).chmod(0o644)
    return folder


@pytest.fixture
def manager(root: Path, memory_path: Path) -> RunManager:
    made = a_run_manager(root, memory_path / "state")
    made.objects.put_all([LINES, CHANGED, b"gone\n", b"made\n"])
    return made


def test_later_edit_elsewhere_in_the_file_is_kept_and_reported(manager: RunManager, root: Path) -> None:
    record, _ = carry_out(manager, (a_write("src/app.py", CHANGED, before=LINES),))
    (root / "src/app.py").write_bytes(CHANGED.replace(b"line 30\n", b"line thirty, by hand\n"))
    undone = UndoExecutor(manager).undo(record.run_id)
    assert undone.merged == ("src/app.py",)
    assert (root / "src/app.py").read_bytes() == LINES.replace(b"line 30\n", b"line thirty, by hand\n")


def test_redo_after_a_merge_brings_back_both_changes(manager: RunManager, root: Path) -> None:
    record, _ = carry_out(manager, (a_write("src/app.py", CHANGED, before=LINES),))
    edited = CHANGED.replace(b"line 30\n", b"line thirty, by hand\n")
    (root / "src/app.py").write_bytes(edited)
    undone = UndoExecutor(manager).undo(record.run_id)
    UndoExecutor(manager).redo(undone.record.run_id)
    assert (root / "src/app.py").read_bytes() == edited


def test_later_edit_of_the_same_line_refuses_the_whole_undo(manager: RunManager, root: Path) -> None:
    operations = (a_write("src/app.py", CHANGED, before=LINES, id="s1"), a_delete("gone.txt", b"gone\n", id="s2"))
    record, _ = carry_out(manager, operations)
    (root / "src/app.py").write_bytes(CHANGED.replace(b"line three\n", b"line 3, by hand\n"))
    before = walk(root)
    with pytest.raises(UndoConflictError) as refusal:
        UndoExecutor(manager).undo(record.run_id)
    assert refusal.value.path == "src/app.py"
    assert walk(root) == before


@pytest.mark.parametrize("later", ["edited", "deleted", "replaced by a folder", "replaced by a link"])
def test_created_file_that_is_no_longer_the_runs_own_is_left_alone(manager: RunManager, root: Path, later: str) -> None:
    record, _ = carry_out(manager, (a_write("made.txt", b"made\n"),))
    made = root / "made.txt"
    made.unlink()
    if later == "edited":
        made.write_bytes(b"mine now\n")
    elif later == "replaced by a folder":
        made.mkdir()
    elif later == "replaced by a link":
        made.symlink_to("src/app.py")
    before = walk(root)
    if later == "deleted":
        assert UndoExecutor(manager).undo(record.run_id).changed == ()
    else:
        with pytest.raises(UndoConflictError):
            UndoExecutor(manager).undo(record.run_id)
    assert walk(root) == before


def test_file_made_anew_where_the_run_deleted_one_is_not_overwritten(manager: RunManager, root: Path) -> None:
    record, _ = carry_out(manager, (a_delete("gone.txt", b"gone\n"),))
    (root / "gone.txt").write_bytes(b"another\n")
    with pytest.raises(UndoConflictError):
        UndoExecutor(manager).undo(record.run_id)
    assert (root / "gone.txt").read_bytes() == b"another\n"


def test_foreign_files_in_a_folder_the_run_made_stay_with_their_folder(manager: RunManager, root: Path) -> None:
    record, _ = carry_out(manager, (a_write("fresh/deep/made.txt", b"made\n"),))
    (root / "fresh" / "mine.txt").write_bytes(b"mine\n")
    undone = UndoExecutor(manager).undo(record.run_id)
    assert undone.kept == ("fresh",)
    assert (root / "fresh" / "mine.txt").read_bytes() == b"mine\n"
    assert not (root / "fresh" / "deep").exists()


def test_folder_the_person_removed_is_made_again_for_a_file_to_come_back(manager: RunManager, root: Path) -> None:
    record, _ = carry_out(manager, (a_move("src/app.py", "top.py", LINES),))
    (root / "src").rmdir()
    UndoExecutor(manager).undo(record.run_id)
    assert (root / "src" / "app.py").read_bytes() == LINES


def test_moved_file_is_moved_back_and_stays_the_same_file(manager: RunManager, root: Path) -> None:
    inode = (root / "src/app.py").stat().st_ino
    record, _ = carry_out(manager, (a_move("src/app.py", "top.py", LINES),))
    UndoExecutor(manager).undo(record.run_id)
    assert (root / "src/app.py").stat().st_ino == inode


def test_preview_tells_exactly_what_undo_then_does(manager: RunManager, root: Path) -> None:
    operations = (a_write("made.txt", b"made\n", id="s1"), a_delete("gone.txt", b"gone\n", id="s2"))
    record, _ = carry_out(manager, operations)
    before = walk(root)
    preview = UndoExecutor(manager).preview(record.run_id)
    assert walk(root) == before
    undone = UndoExecutor(manager).undo(record.run_id)
    assert tuple(change.path for change in preview.changes) == undone.changed == ("made.txt", "gone.txt")


def test_single_operation_is_undone_and_the_others_stay(manager: RunManager, root: Path) -> None:
    operations = (a_write("made.txt", b"made\n", id="s1"), a_delete("gone.txt", b"gone\n", id="s2"))
    record, _ = carry_out(manager, operations)
    UndoExecutor(manager).undo(record.run_id, part=UndoPart(operation=OperationId("s2")))
    assert (root / "gone.txt").exists()
    assert (root / "made.txt").exists()


def test_single_operation_that_another_built_on_is_not_undone(manager: RunManager, root: Path) -> None:
    operations = (a_write("made.txt", LINES, id="s1"), a_write("made.txt", CHANGED, before=LINES, id="s2"))
    record, _ = carry_out(manager, operations)
    with pytest.raises(UndoConflictError) as refusal:
        UndoExecutor(manager).undo(record.run_id, part=UndoPart(operation=OperationId("s1")))
    assert "s2 built on s1" in refusal.value.message
    assert (root / "made.txt").read_bytes() == CHANGED


def test_run_cannot_be_undone_twice(manager: RunManager) -> None:
    record, _ = carry_out(manager, (a_write("made.txt", b"made\n"),))
    undone = UndoExecutor(manager).undo(record.run_id)
    manager.runs.save(record.model_copy(update={"status": RunStatus.UNDONE, "undone_by": undone.record.run_id}))
    with pytest.raises(BadInputError, match="undone already"):
        UndoExecutor(manager).undo(record.run_id)


def test_rolled_back_run_leaves_nothing_to_undo(manager: RunManager) -> None:
    record, _ = carry_out(manager, (a_write("src/app.py", CHANGED, before=b"made\n"),))
    assert record.rolled_back
    with pytest.raises(BadInputError, match="left nothing to undo"):
        UndoExecutor(manager).undo(record.run_id)


def test_one_file_of_a_run_is_taken_back_with_the_folder_made_for_it(manager: RunManager, root: Path) -> None:
    operations = (
        a_write("new/deep/made.txt", b"made\n", id="s1"),
        a_write("src/app.py", CHANGED, before=LINES, id="s2"),
    )
    before = walk(root)
    record, _ = carry_out(manager, operations)
    undone = UndoExecutor(manager).undo(record.run_id, part=UndoPart(path="new/deep/made.txt"))
    assert sorted(undone.changed) == ["new", "new/deep", "new/deep/made.txt"]
    assert undone.record.partial
    assert walk(root) == before | {"src/app.py": ("file", 0o644, CHANGED)}


@pytest.mark.parametrize("end", ["gone.txt", "src/kept.txt"])
def test_either_end_of_a_move_takes_the_whole_move_back(manager: RunManager, root: Path, end: str) -> None:
    before = walk(root)
    move = a_move("gone.txt", "src/kept.txt", b"gone\n", id="s1")
    record, _ = carry_out(manager, (move, a_write("made.txt", b"made\n", id="s2")))
    UndoExecutor(manager).undo(record.run_id, part=UndoPart(path=end))
    assert walk(root) == before | {"made.txt": ("file", 0o644, b"made\n")}


@pytest.mark.parametrize("end", ["gone.txt", "src/last.txt"])
def test_file_that_was_moved_several_times_comes_back_whole(manager: RunManager, root: Path, end: str) -> None:
    before = walk(root)
    places = ("gone.txt", "one.txt", "src/two.txt", "src/last.txt")
    moves = tuple(a_move(place, places[n + 1], b"gone\n", id=f"s{n}") for n, place in enumerate(places[:-1]))
    record, _ = carry_out(manager, moves)
    UndoExecutor(manager).undo(record.run_id, part=UndoPart(path=end))
    assert walk(root) == before


def test_a_folder_stands_for_all_the_run_did_in_it(manager: RunManager, root: Path) -> None:
    operations = (a_write("src/app.py", CHANGED, before=LINES, id="s1"), a_write("src/made", b"made\n", id="s2"))
    before = walk(root)
    record, _ = carry_out(manager, (*operations, a_delete("gone.txt", b"gone\n", id="s3")))
    UndoExecutor(manager).undo(record.run_id, part=UndoPart(path="src"))
    assert walk(root) == {path: node for path, node in before.items() if path != "gone.txt"}


def test_a_path_the_run_did_not_touch_is_refused(manager: RunManager) -> None:
    record, _ = carry_out(manager, (a_write("made.txt", b"made\n"),))
    with pytest.raises(BadInputError, match="as it was"):
        UndoExecutor(manager).preview(record.run_id, UndoPart(path="gone.txt"))
