from pathlib import Path

import pytest

from tandem_desktop.builtin_agent.edits import AgentFiles
from tandem_desktop.domain.errors import OutsideWorkspaceError, StorageError
from tandem_desktop.recipes.recipe import ChangeMode, DeleteFile, MakeLink, MoveFile, WriteFile
from tests.support.recipes import lay_out


@pytest.fixture
def work(tmp_path: Path) -> AgentFiles:
    lay_out(tmp_path / "ws", {"a.sh": "one\n", "folder/b.txt": "b"})
    lay_out(tmp_path, {"outside.txt": "mine"})
    return AgentFiles(tmp_path / "ws")


def test_a_file_is_written_whole_and_keeps_its_mode(work: AgentFiles) -> None:
    (work.root / "a.sh").chmod(0o755)
    work.carry_out(WriteFile("a.sh", b"\xff\x00two", ""))
    assert (work.root / "a.sh").read_bytes() == b"\xff\x00two"
    assert (work.root / "a.sh").stat().st_mode & 0o777 == 0o755
    work.carry_out(WriteFile("new/deep/c.txt", b"c", "", 0o600))
    assert (work.root / "new/deep/c.txt").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in work.root.iterdir()) == ["a.sh", "folder", "new"]


def test_files_links_and_folders_are_moved_linked_and_deleted(work: AgentFiles) -> None:
    work.carry_out(MakeLink("link", "a.sh", ""))
    work.carry_out(MoveFile("folder", "other/place", ""))
    work.carry_out(ChangeMode("a.sh", 0o700, ""))
    assert (work.root / "other/place/b.txt").read_text() == "b"
    assert (work.root / "a.sh").stat().st_mode & 0o777 == 0o700
    work.carry_out(DeleteFile("link", ""))
    work.carry_out(DeleteFile("other", ""))
    assert sorted(path.name for path in work.root.iterdir()) == ["a.sh"]


def test_a_move_never_writes_over_what_is_there(work: AgentFiles) -> None:
    with pytest.raises(StorageError, match="File exists"):
        work.carry_out(MoveFile("a.sh", "folder/b.txt", ""))
    assert (work.root / "folder/b.txt").read_text() == "b"


def test_nothing_is_reached_through_a_link(work: AgentFiles) -> None:
    (work.root / "up").symlink_to("..")
    (work.root / "direct").symlink_to("../outside.txt")
    for edit in (
        WriteFile("up/outside.txt", b"x", ""),
        DeleteFile("up/outside.txt", ""),
        WriteFile("direct", b"x", ""),
    ):
        with pytest.raises((OutsideWorkspaceError, StorageError)):
            work.carry_out(edit)
    assert (work.root.parent / "outside.txt").read_text() == "mine"


def test_a_folder_that_was_replaced_meanwhile_is_seen_as_it_is_now(work: AgentFiles) -> None:
    work.carry_out(WriteFile("folder/x.txt", b"1", ""))
    (work.root / "folder").rename(work.root / "away")
    (work.root / "folder").mkdir()
    work.carry_out(WriteFile("folder/x.txt", b"2", ""))
    assert (work.root / "folder/x.txt").read_bytes() == b"2"


def test_paths_are_taken_relative_or_absolute_and_never_outside(work: AgentFiles) -> None:
    assert work.relative("folder/b.txt") == work.relative(f"{work.root}/folder/b.txt") == "folder/b.txt"
    assert work.folder(".") == work.folder(str(work.root)) == work.folder(f"{work.root}/") == ""
    for outside in ("/etc/passwd", "../outside.txt", f"{work.root}/../outside.txt", ".git/config", f"{work.root}x/y"):
        with pytest.raises(OutsideWorkspaceError):
            work.relative(outside)
