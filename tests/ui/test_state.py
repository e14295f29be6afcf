from pathlib import Path

from pytestqt.qtbot import QtBot

from tandem_desktop.ui.state import BranchWatch, read_branch


def a_repository(root: Path, head: str = "ref: refs/heads/feature/login\n") -> Path:
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text(head)
    return root


def test_branch_is_read_with_its_slashes(tmp_path: Path) -> None:
    assert read_branch(a_repository(tmp_path)) == "feature/login"


def test_commit_without_a_branch_is_shown_by_its_beginning(tmp_path: Path) -> None:
    assert read_branch(a_repository(tmp_path, "0123456789abcdef\n")) == "01234567"


def test_worktree_shows_its_own_branch_and_not_the_repositorys(tmp_path: Path) -> None:
    repository = a_repository(tmp_path / "repository")
    own = repository / ".git" / "worktrees" / "other"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/other\n")
    worktree = tmp_path / "other"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {own}\n")
    assert read_branch(worktree) == "other"


def test_folder_inside_a_repository_shows_its_branch(tmp_path: Path) -> None:
    folder = a_repository(tmp_path) / "packages" / "one"
    folder.mkdir(parents=True)
    assert read_branch(folder) == "feature/login"


def test_no_branch_where_git_is_not_in_use_or_its_file_is_damaged(tmp_path: Path) -> None:
    assert read_branch(tmp_path) == ""
    (tmp_path / ".git").write_bytes(b"\xff\xfe nonsense")
    assert read_branch(tmp_path) == ""


def test_switching_the_branch_is_told_although_the_file_is_replaced(qtbot: QtBot, tmp_path: Path) -> None:
    root = a_repository(tmp_path)
    watch = BranchWatch(root)
    for name in ("main", "next"):
        with qtbot.waitSignal(watch.changed) as told:
            (root / ".git" / "HEAD.lock").write_text(f"ref: refs/heads/{name}\n")
            (root / ".git" / "HEAD.lock").rename(root / ".git" / "HEAD")
        assert told.args == [name]
