"""Undo and a git repository: references go back by value, nothing that is needed is removed, and the rest is said."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import TandemError, UndoConflictError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.undo import UndoneRun, UndoPart
from tandem_desktop.services.engine import Engine
from tandem_desktop.staging.hazards import Hazard
from tests.support.command_line import CommandLine, bash, write
from tests.support.git_histories import check_sound, git, refs_of, skip_without_overlay, state_of
from tests.support.rehearsals import plan_json

COMMIT = "echo two > a.txt; git commit -qam two"


class GitPlace:
    """A workspace with a repository, and the engine that works on it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.engine: Engine = build_engine(root)

    def git(self, *arguments: str) -> str:
        return git(self.root, *arguments).strip()

    def run(self, *commands: str, file: str = "") -> RunId:
        steps = [write("file.txt", file)] if file else []
        version = self.engine.proposals.propose(plan_json(*steps, *(bash(each) for each in commands)))
        self.engine.decisions.approve(version.plan_id, ApprovalHash.of(version).combined_hash)
        ended = self.engine.runs.apply(version.plan_id)
        assert ended.succeeded, ended
        return ended.record.run_id

    def undo(self, run_id: RunId, part: UndoPart | None = None) -> UndoneRun:
        undone = self.engine.runs.undo(run_id, part or UndoPart())
        check_sound(self.root, "after undo")
        return undone

    def refusal(self, run_id: RunId) -> UndoConflictError:
        """The refusal of an undo, which changes nothing at all."""
        before = state_of(self.root)
        with pytest.raises(UndoConflictError) as refused:
            self.engine.runs.undo(run_id)
        assert state_of(self.root) == before
        return refused.value


def begin(root: Path, *words: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main", *words)
    for name, value in (("user.name", "A Person"), ("user.email", "person@example.org")):
        git(root, "config", name, value)
    if "--bare" not in words:
        (root / "a.txt").write_text("one\n")
        git(root, "add", "a.txt")
        git(root, "commit", "-qm", "one")
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    skip_without_overlay(tmp_path)
    return begin(tmp_path / "ws")


@pytest.fixture
def place(root: Path) -> Iterator[GitPlace]:
    made = GitPlace(root)
    yield made
    made.engine.close()


def lines(undone: UndoneRun) -> list[str]:
    return [line for effect in undone.git for line in effect.lines]


@pytest.mark.parametrize(
    ("act", "who"),
    [
        (("branch", "keep"), "branch keep points to it"),
        (("tag", "v1"), "tag v1 points to it"),
        (("tag", "-a", "-m", "t", "v1"), "tag v1 points to it"),
        (("update-ref", "refs/remotes/origin/main", "HEAD"), "remote branch origin/main points to it"),
        (("worktree", "add", "-q", "--detach", "../tree"), "the worktree tree is at it"),
    ],
)
def test_a_commit_that_something_else_needs_stays_and_it_is_said(
    place: GitPlace, act: tuple[str, ...], who: str
) -> None:
    before = state_of(place.root)
    run_id = place.run(COMMIT)
    commit = place.git("rev-parse", "HEAD")
    place.git(*act)
    undone = place.undo(run_id)
    assert undone.notes == (f"commit {commit[:7]} stays: {who}",)
    assert place.git("cat-file", "-t", commit) == "commit"
    after = state_of(place.root)
    assert (after.head, after.index, after.files) == (before.head, before.index, before.files)
    assert lines(undone)[0] == f"branch main: {commit[:7]} → {place.git('rev-parse', 'HEAD')[:7]}, 1 commit taken off"


def test_without_anything_since_all_is_as_before_and_redo_brings_it_back(place: GitPlace) -> None:
    before = state_of(place.root)
    run_id = place.run("git checkout -q -b topic", COMMIT, "git tag v1; git stash -q; git branch -m topic other")
    after = state_of(place.root)
    place.undo(run_id)
    assert state_of(place.root) == before
    place.engine.runs.redo(run_id)
    assert state_of(place.root) == after


@pytest.mark.parametrize("tidy", [("gc", "-q"), ("pack-refs", "--all"), ("gc", "-q", "--prune=now")])
def test_a_clean_up_of_the_person_is_no_conflict(place: GitPlace, tidy: tuple[str, ...]) -> None:
    place.git("tag", "old")
    place.git("branch", "gone")
    place.git("pack-refs", "--all")
    before = state_of(place.root)
    run_id = place.run(COMMIT, "git tag -f old; git branch new; git branch -q -D gone")
    place.git(*tidy)
    place.undo(run_id)
    assert state_of(place.root) == before


def test_a_branch_that_has_moved_on_is_named_with_what_is_possible(place: GitPlace) -> None:
    run_id = place.run(COMMIT)
    left = place.git("rev-parse", "HEAD")[:7]
    (place.root / "b.txt").write_text("mine\n")
    place.git("add", "b.txt")
    place.git("commit", "-qm", "mine")
    now = place.git("rev-parse", "HEAD")
    refused = place.refusal(run_id)
    assert f"branch main has moved on: the run left {left}, it is now at {now[:7]}" in refused.message
    assert refused.next.endswith(f"tandem undo {run_id} --keep-git")
    undone = place.undo(run_id, UndoPart(keep_git=True))
    assert undone.changed == ("a.txt",)
    assert undone.notes == ("The git repository stays as it is.",)
    assert (place.root / "a.txt").read_text() == "one\n"
    assert place.git("rev-parse", "HEAD") == now
    place.engine.runs.redo(undone.record.run_id)
    assert (place.root / "a.txt").read_text() == "two\n"


def test_a_commit_that_was_cleaned_away_is_not_pointed_to_again(place: GitPlace) -> None:
    old = place.git("rev-parse", "HEAD")[:7]
    run_id = place.run("echo two > a.txt; git commit -qa --amend -m other")
    place.git("reflog", "expire", "--expire=now", "--all")
    place.git("gc", "-q", "--prune=now")
    refused = place.refusal(run_id)
    assert f"branch main cannot go back to {old}: not all of that is in the repository any more" in refused.message


def test_what_the_run_cleaned_away_itself_comes_back_with_its_undo(place: GitPlace) -> None:
    before = state_of(place.root)
    expire = "git reflog expire --expire=now --all; git gc -q --prune=now"
    run_id = place.run(f"echo two > a.txt; git commit -qa --amend -m other; {expire}")
    place.undo(run_id)
    assert state_of(place.root) == before


def test_commits_that_were_cleaned_away_after_the_undo_come_back_with_the_redo(place: GitPlace) -> None:
    run_id = place.run(COMMIT)
    after = state_of(place.root)
    place.undo(run_id)
    place.git("reflog", "expire", "--expire=now", "--all")
    place.git("gc", "-q", "--prune=now")
    place.engine.runs.redo(run_id)
    check_sound(place.root, "after redo")
    assert state_of(place.root) == after


def test_a_branch_that_was_checked_out_since_is_not_taken_away_under_the_person(place: GitPlace) -> None:
    run_id = place.run("git branch topic")
    place.git("checkout", "-q", "topic")
    assert "branch topic has been checked out since the run" in place.refusal(run_id).message
    place.git("checkout", "-q", "main")
    place.git("worktree", "add", "-q", "../tree", "topic")
    assert "branch topic is checked out in the worktree tree" in place.refusal(run_id).message


def test_files_staged_since_are_not_lost(place: GitPlace) -> None:
    run_id = place.run("echo two > a.txt; git add a.txt")
    (place.root / "b.txt").write_text("b\n")
    place.git("add", "b.txt")
    assert "files have been staged since the run" in place.refusal(run_id).message


def test_a_lock_of_git_is_waited_for_by_the_person(place: GitPlace) -> None:
    run_id = place.run(COMMIT)
    (place.root / ".git" / "index.lock").touch()
    assert "git is at work there" in place.refusal(run_id).message


def test_a_repository_the_run_made_goes_only_while_nothing_was_done_in_it(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    place = GitPlace(root)
    make = (
        "git init -q -b main; git config user.name a; git config user.email b; echo x > x; git add x; git commit -qm x"
    )
    try:
        undone = place.engine.runs.undo(place.run(make))
        assert lines(undone) == ["repository removed"]
        assert os.listdir(root) == [".tandem"]
        run_id = place.run(make)
        place.git("branch", "keep")
        assert "the repository was made by this run and has been used since" in place.refusal(run_id).message
        check_sound(root, "after the refusal")
    finally:
        place.engine.close()


def test_a_hook_and_a_setting_of_the_run_go_and_those_of_the_person_stay(place: GitPlace) -> None:
    run_id = place.run("git config own.setting x; echo true > .git/hooks/pre-commit; echo secret >> .git/info/exclude")
    told = [line for each in place.engine.runs.git_effects(run_id) for line in each.lines]
    assert told == ["config changed", "hooks/pre-commit created", "info/exclude changed"]
    place.git("config", "-f", ".git/info/exclude.own", "a.b", "c")
    config = place.root / ".git" / "config"
    config.write_text("[person]\n\tname = mine\n" + config.read_text())
    place.undo(run_id)
    assert "mine" in config.read_text()
    assert "setting" not in config.read_text()
    assert not (place.root / ".git" / "hooks" / "pre-commit").exists()


def test_several_runs_go_back_together_by_the_same_rules(place: GitPlace) -> None:
    before = state_of(place.root)
    first = place.run(COMMIT)
    place.run("echo three > a.txt; git commit -qam three; git tag v3")
    place.git("branch", "keep")
    commit = place.git("rev-parse", "HEAD")[:7]
    place.git("gc", "-q")
    undone = place.engine.runs.rewind(first)
    check_sound(place.root, "after rewind")
    assert undone.notes[-1] == f"commit {commit} stays: branch keep points to it"
    assert lines(undone)[0].endswith("2 commits taken off")
    place.git("branch", "-D", "keep")
    assert state_of(place.root) == before


def test_where_a_later_run_moved_the_branch_it_is_offered_to_take_both_back(
    place: GitPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    tandem = CommandLine(place.root, capsys)
    before = state_of(place.root)
    first = place.run(COMMIT)
    place.run("echo three > b.txt; git add b.txt; git commit -qm three")
    said = tandem("undo", first, "--preview").out
    assert "branch main has moved on" in said
    assert f"undo {first} --with-later --preview" in said.splitlines()[-1]
    tandem.answer("undo", first, "--with-later")
    assert state_of(place.root) == before


def test_a_part_of_a_run_is_taken_back_by_the_same_rules(place: GitPlace) -> None:
    run_id = place.run("git tag v1", "git tag v2")
    place.git("pack-refs", "--all")
    operations = place.engine.runs.changes(run_id)
    assert next(line for each in operations[0].git for line in each.lines).startswith("tag v1 created at ")
    assert operations[0].files == ()
    place.undo(run_id, UndoPart(operation=operations[0].id))
    assert [name for name in refs_of(place.root) if "tags" in name] == ["refs/tags/v2"]


@pytest.mark.parametrize("kind", ["sha256", "nested", "bare", "shallow", "partial", "alternates", "submodule"])
def test_every_kind_of_repository_goes_back(tmp_path: Path, kind: str) -> None:
    skip_without_overlay(tmp_path)
    source, root = begin(tmp_path / "source"), tmp_path / "ws"
    (source / "a.txt").write_text("more\n")
    git(source, "commit", "-qam", "more")
    git(source, "config", "uploadpack.allowFilter", "true")
    where, command = root, COMMIT
    if kind == "sha256":
        begin(root, "--object-format=sha256")
    elif kind == "nested":
        begin(root)
        where, command = begin(root / "lib"), f"cd lib; {COMMIT}"
    elif kind == "bare":
        root.mkdir()
        git(tmp_path, "clone", "-q", "--bare", str(source), str(root / "store"))
        where, command = root / "store", "cd store; git update-ref refs/heads/main main~1; git tag v1"
    elif kind == "submodule":
        begin(root)
        git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), "libs/one")
        git(root, "commit", "-qam", "with a submodule")
        where, command = root / "libs" / "one", f"cd libs/one; {COMMIT}"
    else:
        options = {"shallow": ["--depth=1"], "partial": ["--filter=blob:none"], "alternates": ["--shared"]}[kind]
        git(tmp_path, "clone", "-q", *options, f"file://{source}" if kind != "alternates" else str(source), str(root))
    for name, value in (("user.name", "A Person"), ("user.email", "person@example.org")):
        git(where, "config", name, value)
    before = refs_of(where), git(where, "rev-parse", "HEAD")
    place = GitPlace(root)
    try:
        run_id = place.run(command)
        made = git(where, "rev-parse", "HEAD")
        git(where, "branch", "keep")
        undone = place.engine.runs.undo(run_id)
        after = refs_of(where)
        assert after.pop("refs/heads/keep") == made.strip()
        assert (after, git(where, "rev-parse", "HEAD")) == before
        assert lines(undone)
        check_sound(where, kind)
        place.engine.runs.redo(run_id)
        assert git(where, "rev-parse", "HEAD") == made
        check_sound(where, kind)
    finally:
        place.engine.close()


def test_a_repository_with_references_of_another_format_goes_back_only_as_a_whole(place: GitPlace) -> None:
    git_directory = place.root / ".git"
    run_id = place.run("mkdir .git/reftable; echo 1 > .git/reftable/tables.list; echo x > .git/reftable/1.ref")
    with (git_directory / "config").open("a") as config:
        config.write("[extensions]\n\trefStorage = reftable\n")
    (git_directory / "reftable" / "tables.list").write_text("2\n")
    with pytest.raises(UndoConflictError, match="kept as reftable, which Tandem does not read, and have moved on"):
        place.engine.runs.undo(run_id)
    (git_directory / "reftable" / "tables.list").write_text("1\n")
    place.engine.runs.undo(run_id)
    assert not (git_directory / "reftable").exists()


def test_without_git_nothing_is_undone_and_it_is_said(
    place: GitPlace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run_id = place.run(COMMIT)
    refs = refs_of(place.root)
    usual = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(UndoConflictError, match=r"not known: git was not found\."):
        place.engine.runs.undo(run_id)
    place.engine.runs.undo(run_id, UndoPart(keep_git=True))
    monkeypatch.setenv("PATH", usual)
    assert refs_of(place.root) == refs
    assert (place.root / "a.txt").read_text() == "one\n"


def test_a_corrupt_repository_gets_no_worse(place: GitPlace) -> None:
    run_id = place.run(COMMIT)
    old = place.git("rev-parse", "HEAD~1")
    (place.root / ".git" / "objects" / old[:2] / old[2:]).unlink()
    assert "cannot go back to" in place.refusal(run_id).message


def test_a_repository_of_another_user_is_left_alone(place: GitPlace) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    run_id = place.run(COMMIT)
    os.chown(place.root / ".git", 12345, 12345)
    with pytest.raises(UndoConflictError, match="belongs to another user"):
        place.engine.runs.undo(run_id)
    os.chown(place.root / ".git", 0, 0)
    place.undo(run_id)


@pytest.fixture(params=["worktree", "submodule"])
def elsewhere(request: pytest.FixtureRequest, root: Path, tmp_path: Path) -> Path:
    """A workspace whose git folder lies outside of it."""
    if request.param == "worktree":
        git(root, "worktree", "add", "-q", "-b", "work", str(tmp_path / "tree"))
        return tmp_path / "tree"
    source = begin(tmp_path / "source")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), "lib")
    for name, value in (("user.name", "A Person"), ("user.email", "person@example.org")):
        git(root / "lib", "config", name, value)
    return root / "lib"


def test_a_git_folder_outside_is_told_before_the_run_and_after_its_undo(elsewhere: Path) -> None:
    place = GitPlace(elsewhere)
    outside = git(elsewhere, "rev-parse", "--absolute-git-dir").strip()
    try:
        version = place.engine.proposals.propose(
            plan_json(write("b.txt", "b\n"), bash("git commit -qam x"), bash("ls"))
        )
        written, commits, lists = place.engine.view(version)
        assert written.notes == ()
        said = f"The git folder at {outside} lies outside the workspace: what a command does there cannot be undone."
        assert commits.notes == lists.notes == (said,)
        assert {Hazard.OUTSIDE, Hazard.IRREVERSIBLE} <= set(commits.flags)
        assert Hazard.OUTSIDE in lists.flags
        run_id = place.run(COMMIT)
        undone = place.engine.runs.undo(run_id)
        note = f"The git folder at {outside} lies outside the workspace: what commands did there was not put back."
        assert undone.notes == (note,)
        assert (elsewhere / "a.txt").read_text() == "one\n"
        check_sound(elsewhere, "after undo")
    finally:
        place.engine.close()


def test_a_repository_around_the_workspace_is_not_found_by_its_commands(root: Path) -> None:
    (root / "part").mkdir()
    before = refs_of(root)
    place = GitPlace(root / "part")
    try:
        run_id = place.run("git commit -q --allow-empty -m x || echo none > found.txt")
        assert (root / "part" / "found.txt").read_text() == "none\n"
        assert refs_of(root) == before
        assert place.engine.runs.undo(run_id).notes == ()
    finally:
        place.engine.close()


def test_a_rehearsal_tells_commits_and_not_files(place: GitPlace) -> None:
    version = place.engine.proposals.propose(plan_json(bash(f"{COMMIT}; echo 3 > a.txt; git commit -qam three")))
    try:
        rehearsal = place.engine.rehearsals.rehearse(version.plan_id, once=True)
    except TandemError as error:
        pytest.skip(error.message)
    if rehearsal.commands[0].exit_code is None:
        pytest.skip("nothing can be confined here")
    (found,) = place.engine.rehearsals.effects(rehearsal).values()
    assert [view.operation.path for view in found.views] == ["a.txt"]
    told = found.git[0].lines
    assert told[0].startswith("branch main: ")
    assert told[0].endswith(", 2 commits")
    assert told[1:] == ("index: 1 file updated",)


def test_the_command_line_tells_branches_and_offers_what_is_possible(
    place: GitPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    tandem = CommandLine(place.root, capsys)
    run_id = place.run(COMMIT)
    place.engine.close()
    left = place.git("rev-parse", "HEAD")[:7]
    place.git("branch", "keep")
    asked = tandem.answer("undo", run_id, "--preview")
    assert asked["changed"] == ["a.txt"]
    assert asked["git"][0]["repository"] == "."
    assert asked["git"][0]["lines"][0].startswith(f"branch main: {left} → ")
    assert asked["notes"] == [f"commit {left} stays: branch keep points to it"]
    place.git("commit", "-q", "--allow-empty", "-m", "mine")
    said = tandem("undo", run_id, "--preview").out
    assert "Next: Take back only the working files; the repository stays as it is: tandem" in said
    assert f"undo {run_id} --keep-git --preview" in said
    assert ".git/objects" not in said
    assert "The git repository stays as it is." in tandem("undo", run_id, "--keep-git").out
