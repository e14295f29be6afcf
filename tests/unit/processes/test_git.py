"""git is asked so that nothing a repository configures is started, and only a git that the repository did not bring."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import GitError
from tandem_desktop.processes.child import find_program
from tandem_desktop.processes.git import run_git
from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

CALLS = (
    ("ls-files", "-co", "--exclude-standard", "-z"),
    ("ls-files", "-s"),
    ("rev-list", "--objects", "--all"),
    ("rev-list", "--objects", "--quiet", "--missing=allow-promisor", "HEAD", "--not", "--all"),
    ("cat-file", "--batch-check"),
    ("cat-file", "-p", "HEAD:a.txt"),
    ("for-each-ref", "--contains=HEAD"),
    ("merge-base", "--is-ancestor", "HEAD", "HEAD"),
    ("check-ignore", "a.txt"),
    ("rev-parse", "HEAD"),
)


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "mark"


@pytest.fixture
def hostile(tmp_path: Path, mark: Path) -> Path:
    """A repository whose configuration names a program wherever git would start one."""
    root = tmp_path / "ws"
    root.mkdir()
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$@" >> {mark}\ncat\n')
    program.chmod(0o755)
    git(root, "init", "-q")
    (root / "a.txt").write_text("a\n")
    (root / ".gitattributes").write_text("* filter=x diff=x\n")
    git(root, "add", "a.txt")
    git(root, "commit", "-qm", "first")
    hooks = root / ".git" / "own-hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        shutil.copy(program, hooks / name)
    for setting in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "core.alternateRefsCommand"),
        *(
            "diff.external",
            "filter.x.clean",
            "filter.x.smudge",
            "filter.x.process",
            "diff.x.textconv",
            "diff.x.command",
        ),
        *("credential.helper", "remote.origin.uploadpack", "uploadpack.packObjectsHook", "pager.ls-files"),
    ):
        git(root, "config", setting, str(program))
    git(root, "config", "core.hooksPath", str(hooks))
    git(root, "config", "remote.origin.url", str(root))
    git(root, "config", "remote.origin.promisor", "true")
    git(root, "config", "remote.origin.partialclonefilter", "blob:none")
    git(root, "config", "extensions.partialClone", "origin")
    git(root, "config", "core.repositoryformatversion", "1")
    mark.unlink(missing_ok=True)
    return root


def test_git_called_as_a_person_does_starts_what_the_repository_names(hostile: Path, mark: Path) -> None:
    subprocess.run(["git", "status"], cwd=hostile, check=False, capture_output=True)
    assert mark.exists()


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_nothing_that_a_repository_configures_is_started(hostile: Path, mark: Path, arguments: tuple[str, ...]) -> None:
    (hostile / "a.txt").write_text("changed\n")
    run_git(arguments, hostile, data=b"HEAD\n" + b"1" * 40 + b"\n")
    assert not mark.exists(), mark.read_text()


def test_a_missing_object_is_not_fetched_by_the_program_of_the_repository(hostile: Path, mark: Path) -> None:
    asked = run_git(("cat-file", "--batch-check"), hostile, data=b"1" * 40 + b"\n")
    assert b"missing" in asked.output or not asked.succeeded
    assert not mark.exists(), mark.read_text()


def test_a_copy_of_a_hostile_repository_starts_nothing_of_it(hostile: Path, mark: Path, tmp_path: Path) -> None:
    with Workspace(hostile) as workspace:
        objects = ObjectStore(tmp_path / "objects")
        shadow = open_shadow(workspace, tmp_path / "shadow", objects, masked=(), kind="copy")
        assert shadow.read("a.txt") == b"a\n"
        shadow.discard()
    assert not mark.exists(), mark.read_text()


def test_a_repository_of_another_user_is_not_read_by_git(hostile: Path, mark: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(hostile, 12345, 12345)
    with pytest.raises(GitError, match="belongs to another user"):
        run_git(("ls-files",), hostile)
    os.chown(hostile, 0, 0)
    os.chown(hostile / ".git", 12345, 12345)
    with pytest.raises(GitError, match="belongs to another user"):
        run_git(("rev-parse", "HEAD"), tmp_path, git_directory=hostile / ".git")
    assert not mark.exists()


def test_a_call_that_could_change_something_is_no_call_for_it(hostile: Path) -> None:
    with pytest.raises(ValueError, match="only read"):
        run_git(("commit", "-m", "x"), hostile)


def test_without_git_it_is_said(hostile: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(GitError, match=r"git was not found\."):
        run_git(("rev-parse", "HEAD"), hostile)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a `git` of its own, which somebody stands in."""
    root = tmp_path / "repository"
    (root / "bin").mkdir(parents=True)
    program = root / "bin" / "git"
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("entry", ["bin", "./bin", "", "{root}/bin", "{link}"])
def test_no_program_comes_from_a_relative_entry_of_path_or_from_the_workspace(
    fake: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, entry: str
) -> None:
    link = tmp_path / "link"
    link.symlink_to(fake / "bin")
    usual = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{entry.format(root=fake, link=link)}:{usual}")
    found = find_program("git", outside=fake)
    assert found is not None
    assert not Path(found).resolve().is_relative_to(fake)


def test_a_link_outside_that_leads_into_the_workspace_is_not_taken(
    fake: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "git").symlink_to(fake / "bin" / "git")
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    assert find_program("git", outside=fake) is None
    assert find_program("git") == str(tmp_path / "tools" / "git")


def test_a_program_of_the_system_is_taken_before_one_of_any_other_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sh", "only-here"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert find_program("sh") in ("/usr/bin/sh", "/bin/sh")
    assert find_program("only-here") == str(tmp_path / "only-here")
