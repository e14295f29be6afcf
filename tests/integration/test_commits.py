"""A run is committed by real git, in real repositories."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import GitError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.undo import UndoPart
from tandem_desktop.services.commits import CommitResult, CommitWish
from tandem_desktop.services.engine import Engine
from tandem_desktop.settings import Settings
from tandem_desktop.staging.plan_json import parse_plan
from tests.support.command_line import edit, write
from tests.support.commit_histories import play
from tests.support.git_histories import check_sound, git, refs_of
from tests.support.rehearsals import plan_json

LINES = "".join(f"line {number}\n" for number in range(1, 21))
Apply = Callable[..., RunId]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", ".")
    git(root, "config", "user.name", "A Person")
    git(root, "config", "user.email", "person@example.org")
    (root / "app.py").write_text(LINES)
    (root / "old.txt").write_text("old\n")
    (root / "other.txt").write_text("other\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin")
    return root


@pytest.fixture
def engine(root: Path) -> Iterator[Engine]:
    engine = build_engine(root)
    yield engine
    engine.close()


def run(engine: Engine, *steps: dict, **fields: object) -> RunId:
    plan = json.loads(plan_json(*steps)) | fields
    return carried_out(engine, engine.proposals.propose(json.dumps(plan).encode()))


def carried_out(engine: Engine, version: PlanVersion) -> RunId:
    engine.decisions.approve(version.plan_id, ApprovalHash.of(version).combined_hash)
    ended = engine.runs.apply(version.plan_id)
    assert ended.succeeded, ended
    return ended.record.run_id


def commit(engine: Engine, run_id: RunId, **wish: object) -> CommitResult:
    return engine.commits.commit(run_id, CommitWish(**wish))  # type: ignore[arg-type]


def hook(root: Path, name: str, script: str) -> None:
    path = root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def shown(root: Path, spec: str) -> str:
    return git(root, "show", spec)


def test_a_commit_has_what_the_run_left_and_nothing_else(engine: Engine, root: Path) -> None:
    (root / "staged.txt").write_text("staged\n")
    git(root, "add", "staged.txt")
    (root / "other.txt").write_text("edited\n")
    (root / "untracked.txt").write_text("untracked\n")
    index = git(root, "diff", "--cached", "--name-only")
    run_id = run(
        engine,
        edit("app.py", "line 3\n", "three\n"),
        write("tool.sh", "echo\n", args={"path": "tool.sh", "content": "echo\n", "mode": "0755"}),
        {"description": "Link", "tool": "symlink", "args": {"path": "link", "target": "app.py"}},
        {"description": "Delete", "tool": "delete", "args": {"path": "old.txt"}},
    )
    made = commit(engine, run_id)
    assert git(root, "show", "--format=", "--raw", "--no-renames", "HEAD").count("\n") == 4
    assert shown(root, "HEAD:app.py") == LINES.replace("line 3\n", "three\n")
    assert git(root, "ls-tree", "HEAD", "tool.sh").startswith("100755 ")
    assert git(root, "ls-tree", "HEAD", "link").startswith("120000 ")
    assert git(root, "ls-tree", "HEAD", "old.txt") == ""
    assert git(root, "diff", "--cached", "--name-only") == index
    assert git(root, "status", "--short").splitlines() == [" M other.txt", "A  staged.txt", "?? untracked.txt"]
    assert (made.branch, made.commits[0].oid) == ("main", git(root, "rev-parse", "HEAD").strip())
    assert made.parent == git(root, "rev-parse", "HEAD~").strip()


def test_the_message_names_plan_run_and_approved_digest(engine: Engine, root: Path) -> None:
    run_id = run(engine, write("new.txt", "new\n"), title="Greet  by name")
    commit(engine, run_id)
    record = engine.runs.record(run_id)
    subject, _, trailers = git(root, "log", "-1", "--format=%s%n%(trailers)").partition("\n")
    assert subject == "Greet by name"
    assert trailers.strip().splitlines() == [
        f"Tandem-Plan: {record.plan_id} r1",
        f"Tandem-Run: {run_id}",
        f"Tandem-Digest: {record.digest}",
    ]
    assert git(root, "log", "-1", "--format=%an <%ae>") == "A Person <person@example.org>\n"
    assert [each.body["commits"] for each in engine.audit.records() if each.kind == "committed"] == [
        [git(root, "rev-parse", "HEAD").strip()]
    ]


def test_of_a_file_with_an_edit_of_the_person_only_the_change_of_the_run_is_committed(
    engine: Engine, root: Path
) -> None:
    mine = LINES.replace("line 18\n", "mine\n")
    (root / "app.py").write_text(mine)
    made = commit(engine, run(engine, edit("app.py", "line 3\n", "three\n")))
    assert made.merged == ("app.py",)
    assert shown(root, "HEAD:app.py") == LINES.replace("line 3\n", "three\n")
    assert (root / "app.py").read_text() == mine.replace("line 3\n", "three\n")
    assert git(root, "status", "--short") == " M app.py\n"


def test_edits_that_cannot_be_kept_apart_are_refused_by_name_or_taken_whole(engine: Engine, root: Path) -> None:
    (root / "app.py").write_text(LINES.replace("line 3\n", "mine\n"))
    run_id = run(engine, edit("app.py", "mine\n", "three\n"))
    before = refs_of(root)
    with pytest.raises(GitError, match=r"app\.py: changes of your own"):
        commit(engine, run_id)
    assert refs_of(root) == before
    commit(engine, run_id, whole=True)
    assert shown(root, "HEAD:app.py") == LINES.replace("line 3\n", "three\n")


def test_what_is_committed_already_is_said(engine: Engine, root: Path) -> None:
    run_id = run(engine, write("new.txt", "new\n"))
    made = commit(engine, run_id)
    with pytest.raises(GitError, match=f"is committed already: {made.commits[0].oid[:10]}"):
        commit(engine, run_id)


def test_each_task_has_a_commit_of_its_own(engine: Engine, root: Path) -> None:
    run_id = run(
        engine,
        write("one.txt", "1\n", task="t1"),
        write("two.txt", "2\n", task="t2"),
        write("three.txt", "3\n", task="t1"),
        tasks=[{"id": "t1", "subject": "Count oddly"}, {"id": "t2", "subject": "Count evenly"}],
    )
    made = commit(engine, run_id, per_task=True)
    assert git(root, "log", "-2", "--format=%s").splitlines() == ["Count evenly", "Count oddly"]
    assert [each.paths for each in made.commits] == [("one.txt", "three.txt"), ("two.txt",)]
    engine.runs.undo(run_id)
    assert git(root, "log", "--format=%s") == "begin\n"


@pytest.mark.parametrize("place", ["unborn", "detached", "branch"])
def test_a_commit_goes_where_head_is_or_to_a_new_branch(tmp_path: Path, root: Path, place: str) -> None:
    if place == "unborn":
        root = tmp_path / "empty"
        root.mkdir()
        git(root, "init", "-q", "-b", "main", ".")
        git(root, "config", "user.name", "A Person")
        git(root, "config", "user.email", "person@example.org")
    if place == "detached":
        git(root, "checkout", "-q", "--detach")
    main = refs_of(root).get("refs/heads/main")
    engine = build_engine(root)
    try:
        made = commit(engine, run(engine, write("new.txt", "new\n")), branch="topic" if place == "branch" else None)
    finally:
        engine.close()
    assert made.branch == {"unborn": "main", "detached": None, "branch": "topic"}[place]
    assert git(root, "rev-parse", "HEAD").strip() == made.commits[0].oid
    assert git(root, "status", "--short") == ""
    if place != "unborn":
        assert refs_of(root)["refs/heads/main"] == main
    check_sound(root, place)


@pytest.mark.parametrize("name", ["main", "no..name", "-x"])
def test_a_branch_that_cannot_be_made_is_refused(engine: Engine, root: Path, name: str) -> None:
    run_id = run(engine, write("new.txt", "new\n"))
    with pytest.raises(GitError, match="branch"):
        commit(engine, run_id, branch=name)
    assert git(root, "status", "--short") == "?? new.txt\n"


def test_a_hook_that_refuses_leaves_everything_as_it_was_and_can_be_passed_by(engine: Engine, root: Path) -> None:
    hook(root, "pre-commit", "git diff --cached --name-only > ../seen; exit 1")
    run_id = run(engine, write("new.txt", "new\n"))
    (root / "other.txt").write_text("staged\n")
    git(root, "add", "other.txt")
    before = refs_of(root), git(root, "status", "--short")
    with pytest.raises(GitError, match="pre-commit refused") as refused:
        commit(engine, run_id)
    assert "--no-verify" in refused.value.next
    assert (root.parent / "seen").read_text() == "new.txt\n"
    assert (refs_of(root), git(root, "status", "--short")) == before
    assert commit(engine, run_id, hooks=False).hooks == ()


def test_a_hook_may_change_the_message_but_not_the_content(engine: Engine, root: Path) -> None:
    hook(root, "commit-msg", 'printf "Ticket 7\\n" > "$1"')
    run_id = run(engine, write("new.txt", "new\n"))
    made = commit(engine, run_id)
    assert made.commits[0].subject == "Ticket 7"
    assert f"Tandem-Run: {run_id}" in git(root, "log", "-1", "--format=%B")
    assert [each.name for each in made.hooks] == ["commit-msg"]
    hook(root, "pre-commit", "echo more >> new.txt; git add new.txt")
    second = run(engine, write("second.txt", "2\n"))
    with pytest.raises(GitError, match="A hook changed what would be committed"):
        commit(engine, second)


def test_nothing_is_committed_in_the_middle_of_a_merge_or_under_a_lock(engine: Engine, root: Path) -> None:
    run_id = run(engine, write("new.txt", "new\n"))
    (root / ".git" / "MERGE_HEAD").write_text(refs_of(root)["refs/heads/main"] + "\n")
    with pytest.raises(GitError, match="A merge is under way"):
        commit(engine, run_id)
    (root / ".git" / "MERGE_HEAD").unlink()
    before = refs_of(root)
    (root / ".git" / "index.lock").touch()
    with pytest.raises(GitError, match="the index is locked") as locked:
        commit(engine, run_id)
    assert locked.value.path == str(root / ".git" / "index.lock")
    assert refs_of(root) == before


def test_ignored_files_and_files_of_other_repositories_are_left_out_with_the_reason(engine: Engine, root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n")
    git(root, "add", ".gitignore")
    git(root, "commit", "-qm", "ignore")
    inner = root / "inner"
    inner.mkdir()
    git(inner, "init", "-q", ".")
    made = commit(engine, run(engine, write("a.log", "1\n"), write("inner/b.txt", "2\n"), write("c.txt", "3\n")))
    assert made.commits[0].paths == ("c.txt",)
    assert made.left_out == (("a.log", "git ignores it"), ("inner/b.txt", "it is in inner, a repository of its own"))


def test_line_endings_are_taken_in_as_git_does(engine: Engine, root: Path) -> None:
    (root / ".gitattributes").write_text("*.txt text\n")
    git(root, "add", ".gitattributes")
    git(root, "commit", "-qm", "attributes")
    commit(engine, run(engine, write("dos.txt", "one\r\ntwo\r\n")))
    assert git(root, "cat-file", "-p", "HEAD:dos.txt") == "one\ntwo\n"
    assert (root / "dos.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert git(root, "status", "--short") == ""


def test_a_workspace_below_the_top_of_a_repository_commits_its_own_paths(root: Path) -> None:
    below = root / "packages" / "one"
    below.mkdir(parents=True)
    engine = build_engine(below)
    try:
        run_id = run(engine, write("new.txt", "new\n"))
        made = commit(engine, run_id)
        assert made.commits[0].paths == ("new.txt",)
        assert shown(root, "HEAD:packages/one/new.txt") == "new\n"
        engine.runs.undo(run_id)
    finally:
        engine.close()
    assert git(root, "log", "--format=%s") == "begin\n"


def test_undo_takes_the_last_commit_back_with_the_run_and_leaves_what_is_staged(engine: Engine, root: Path) -> None:
    head = refs_of(root)
    run_id = run(engine, edit("app.py", "line 3\n", "three\n"), write("new.txt", "new\n"))
    commit(engine, run_id)
    (root / "other.txt").write_text("staged\n")
    git(root, "add", "other.txt")
    told = ((".", ("main goes back to",)),)
    found = engine.runs.preview_undo(run_id).git, engine.runs.undo(run_id).git
    assert [[(each.repository, (each.lines[0][:17],)) for each in git] for git in found] == [list(told)] * 2
    assert refs_of(root) == head
    assert git(root, "status", "--short") == "M  other.txt\n"
    engine.runs.redo(run_id)
    assert git(root, "status", "--short").splitlines() == [" M app.py", "M  other.txt", "?? new.txt"]


def test_a_commit_that_others_have_or_that_is_not_the_last_stays_and_the_undo_can_be_committed(
    engine: Engine, root: Path, tmp_path: Path
) -> None:
    run_id = run(engine, edit("app.py", "line 3\n", "three\n"))
    made = commit(engine, run_id)
    git(root, "commit", "-q", "--allow-empty", "-m", "later")
    head = refs_of(root)
    undone = engine.runs.undo(run_id)
    assert any("is not the last one of HEAD" in note and undone.record.run_id in note for note in undone.notes)
    assert refs_of(root) == head
    commit(engine, undone.record.run_id)
    assert git(root, "log", "-1", "--format=%s") == 'Revert "A plan"\n'
    assert f"This reverts commit {made.commits[0].oid}." in git(root, "log", "-1", "--format=%b")
    assert shown(root, "HEAD:app.py") == LINES


def test_a_pushed_commit_stays_and_the_undo_says_so(engine: Engine, root: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(root, "remote", "add", "origin", str(tmp_path / "remote.git"))
    run_id = run(engine, write("new.txt", "new\n"))
    made = commit(engine, run_id, branch="topic")
    assert engine.commits.push().remote == "origin"
    assert refs_of(tmp_path / "remote.git") == {"refs/heads/topic": made.commits[0].oid}
    assert git(root, "rev-parse", "--abbrev-ref", "topic@{upstream}") == "origin/topic\n"
    assert any("a remote has it" in note for note in engine.runs.undo(run_id).notes)
    assert refs_of(root)["refs/heads/topic"] == made.commits[0].oid


def test_a_remote_that_refuses_is_named_and_the_commit_stays(engine: Engine, root: Path, tmp_path: Path) -> None:
    run_id = run(engine, write("new.txt", "new\n"))
    made = commit(engine, run_id)
    with pytest.raises(GitError, match="no remote"):
        engine.commits.push()
    git(root, "remote", "add", "origin", str(tmp_path / "nowhere.git"))
    with pytest.raises(GitError, match="origin did not take main"):
        engine.commits.push()
    assert refs_of(root)["refs/heads/main"] == made.commits[0].oid


def test_a_commit_is_signed_where_the_person_signs_and_a_failure_commits_nothing(
    engine: Engine, root: Path, tmp_path: Path
) -> None:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    git(root, "config", "gpg.format", "ssh")
    git(root, "config", "commit.gpgSign", "true")
    git(root, "config", "user.signingKey", str(key))
    commit(engine, run(engine, write("new.txt", "new\n")))
    assert "gpgsig -----BEGIN SSH SIGNATURE-----" in git(root, "cat-file", "commit", "HEAD")
    key.unlink()
    (tmp_path / "key.pub").unlink()
    before = refs_of(root)
    second = run(engine, write("second.txt", "2\n"))
    with pytest.raises(GitError, match="could not be signed") as unsigned:
        commit(engine, second)
    assert "--no-sign" in unsigned.value.next
    assert refs_of(root) == before
    commit(engine, second, sign=False)


@pytest.mark.setting("co_author")
def test_the_agent_of_a_plan_is_named_as_co_author_where_the_setting_says_so(root: Path) -> None:
    engine = build_engine(root, settings=Settings(co_author="{agent} <agents@example.org>"))
    try:
        for planner, path in (("goose:a-model", "one.txt"), ("", "two.txt")):
            version = engine.proposals.make(parse_plan(plan_json(write(path, "new\n"))), planner=planner)
            commit(engine, carried_out(engine, version))
    finally:
        engine.close()
    named = git(root, "log", "-2", "--format=[%(trailers:key=Co-authored-by,valueonly,separator=)]")
    assert named.splitlines() == ["[]", "[goose <agents@example.org>]"]


def test_parts_that_were_taken_back_and_runs_that_were_undone_are_not_committed(engine: Engine, root: Path) -> None:
    run_id = run(engine, write("one.txt", "1\n"), write("two.txt", "2\n"))
    engine.runs.undo(run_id, UndoPart(path="one.txt"))
    made = commit(engine, run_id)
    assert (made.commits[0].paths, made.left_out) == (("two.txt",), (("one.txt", "it was taken back since"),))
    second = run(engine, write("three.txt", "3\n"))
    engine.runs.undo(second)
    with pytest.raises(GitError, match="was undone"):
        commit(engine, second)


def test_no_repository_no_git_and_no_name_are_said_in_words(
    tmp_path: Path, engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    plain = build_engine(bare)
    try:
        with pytest.raises(GitError, match="is not in a git repository"):
            commit(plain, run(plain, write("new.txt", "new\n")))
    finally:
        plain.close()
    run_id = run(engine, write("new.txt", "new\n"))
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    git(root, "config", "--unset", "user.email")
    git(root, "config", "user.useConfigOnly", "true")
    with pytest.raises(GitError, match="git does not know who you are"):
        commit(engine, run_id)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(GitError, match="git was not found"):
        commit(engine, run_id)


def test_no_program_named_by_the_configuration_of_the_repository_is_started_besides_hooks(
    engine: Engine, root: Path
) -> None:
    for name in ("core.fsmonitor", "core.pager", "diff.external", "core.editor"):
        git(root, "config", name, f"touch {root.parent / 'started'}; false")
    commit(engine, run(engine, edit("app.py", "line 3\n", "three\n")))
    assert not (root.parent / "started").exists()


def test_a_line_leads_to_its_run_and_approval_through_later_edits_and_a_rename(engine: Engine, root: Path) -> None:
    first = run(engine, edit("app.py", "line 3\n", "three\n"))
    (root / "app.py").write_text("mine\n" + (root / "app.py").read_text().replace("line 18\n", "mine too\n"))
    move = {"description": "Move", "tool": "move", "args": {"path": "app.py", "to": "lib/app.py"}}
    second = run(engine, move, edit("lib/app.py", "line 6\n", "six\n"))
    made = commit(engine, second, whole=True)
    found = {line: engine.origins.why("lib/app.py", line) for line in (1, 4, 7, 19)}
    assert found[4].text == b"three\n"
    assert [each.record and each.record.run_id for each in found.values()] == [None, first, second, None]
    approval = found[4].approval
    assert approval is not None
    assert approval.by == "user"
    assert found[7].commit is not None
    assert (found[7].commit.oid, found[7].commit.run_id) == (made.commits[0].oid, second)
    assert found[1].commit is not None
    (root / "lib" / "app.py").write_text((root / "lib" / "app.py").read_text().replace("six\n", "mine now\n"))
    now = engine.origins.why("lib/app.py", 7)
    assert (now.record, now.edited_since) == (None, second)


def test_a_line_of_an_undone_run_and_its_undo_is_of_what_was_before(engine: Engine, root: Path) -> None:
    first = run(engine, edit("app.py", "line 3\n", "three\n"))
    engine.runs.undo(run(engine, edit("app.py", "three\n", "drei\n")))
    found = engine.origins.why("app.py", 3)
    assert found.record is not None
    assert found.record.run_id == first


def test_in_another_clone_a_line_leads_to_the_run_its_commit_names(engine: Engine, root: Path, tmp_path: Path) -> None:
    run_id = run(engine, edit("app.py", "line 3\n", "three\n"))
    commit(engine, run_id)
    git(tmp_path, "clone", "-q", str(root), "clone")
    other = build_engine(tmp_path / "clone", state=tmp_path / "other-state")
    try:
        found = other.origins.why("app.py", 3)
    finally:
        other.close()
    assert found.record is None
    assert found.commit is not None
    assert (found.commit.run_id, found.commit.digest) == (run_id, engine.runs.record(run_id).digest)


@pytest.mark.parametrize("seed", range(12))
def test_commits_keep_every_repository_sound_and_the_work_of_others_as_it_is(tmp_path: Path, seed: int) -> None:
    play(tmp_path, seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("hundred", range(10))
def test_a_thousand_histories_around_commits(tmp_path: Path, hundred: int) -> None:
    for seed in range(100 * hundred, 100 * (hundred + 1)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        play(folder, seed)
        shutil.rmtree(folder, ignore_errors=True)
