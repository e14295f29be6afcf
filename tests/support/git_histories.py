"""Random git histories: a repository, a run that works on it, a person who goes on, and what must hold afterwards."""

import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import UndoConflictError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.undo import UndoPart
from tandem_desktop.services.engine import Engine
from tandem_desktop.shadow.overlay import can_overlay
from tests.support.command_line import bash, write
from tests.support.rehearsals import plan_json

NAMES = ("a.txt", "b.txt", "d/c.txt", "d/e.txt")
BRANCHES = ("main", "topic", "topic/deep", "side", "fix/one", "fix")
SHOULD_NOT_BE = ("missing", "invalid", "broken", "error", "bad object", "fatal")


def skip_without_overlay(folder: Path) -> None:
    """Only where effects of commands are captured can they be taken back."""
    (folder / "lower").mkdir(exist_ok=True)
    if not can_overlay(folder / "lower", folder / "shadows"):
        pytest.skip("this system mounts no overlay for this user")


def git(root: Path, *arguments: str, check: bool = True) -> str:
    ended = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if check and ended.returncode:
        raise AssertionError(f"git {' '.join(arguments)}: {ended.stdout}{ended.stderr}")
    return ended.stdout


@dataclass(frozen=True)
class RepositoryState:
    """What must be as before where nobody did anything since."""

    refs: str
    head: str
    index: str
    stash: str
    files: dict[str, bytes]


def state_of(root: Path) -> RepositoryState:
    files = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [each for each in folders if each not in (".git", ".tandem")]
        files.update({os.path.relpath(f"{folder}/{name}", root): Path(folder, name).read_bytes() for name in names})
    return RepositoryState(
        refs=git(root, "for-each-ref", "--format=%(refname) %(objectname) %(symref)"),
        head=(root / ".git" / "HEAD").read_text(),
        index=git(root, "ls-files", "-s"),
        stash=git(root, "stash", "list", "--format=%H %s"),
        files=files,
    )


def refs_of(root: Path) -> dict[str, str]:
    lines = git(root, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(line.split(" ") for line in lines)


def check_sound(root: Path, story: str) -> None:
    """Every object and every reference can be read."""
    ended = subprocess.run(
        ["git", "fsck", "--full", "--no-dangling"], cwd=root, capture_output=True, text=True, check=False
    )
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, f"{story}\n{said}"
    assert not any(word in said.replace("error-", "") for word in SHOULD_NOT_BE), f"{story}\n{said}"
    for name in refs_of(root):
        git(root, "rev-list", "--objects", "--quiet", name)
    if git(root, "rev-parse", "--is-bare-repository").strip() == "false":
        git(root, "status", "--short")
    git(root, "log", "-1", check=False)


class History:
    """One random story, the same for the same seed."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.told: list[str] = [f"seed {seed}"]
        self._number = 0

    @property
    def story(self) -> str:
        return "\n".join(self.told)

    def prepare(self) -> None:
        """A repository with some past, loose or packed, clean or not."""
        chance = self.random.random
        self.root.mkdir()
        kind = ["--object-format=sha256"] if chance() < 0.1 else []
        git(self.root, "init", "-q", "-b", "main", *kind, ".")
        git(self.root, "config", "user.name", "A Person")
        git(self.root, "config", "user.email", "person@example.org")
        git(self.root, "config", "commit.gpgsign", "false")
        if chance() < 0.15:
            git(self.root, "config", "core.logAllRefUpdates", "false")
        if chance() < 0.1:
            git(self.root, "config", "index.version", "4")
        if chance() < 0.05:
            return  # nothing was ever committed
        for _ in range(self.random.randint(1, 3)):
            self._shell(self._commit())
        for _ in range(self.random.randint(0, 4)):
            self._shell(self._pick(self._branch, self._tag, self._checkout, self._commit, self._stash))
        if chance() < 0.4:
            self._shell(self._pick(lambda: "git pack-refs --all", lambda: "git gc -q"))
        if chance() < 0.3:
            self._shell(self._edit())
        if chance() < 0.3:
            self._shell(f"{self._edit()}; git add -A")

    def run_commands(self) -> list[str]:
        """What the plan does: one or two commands, each a few calls of git."""
        steps = (
            *(self._commit, self._commit, self._amend, self._branch, self._delete_branch, self._rename_branch),
            *(self._tag, self._move_tag, self._reset, self._merge, self._stash, self._stash_pop, self._clean_up),
            *(self._checkout, self._checkout_new, self._rebase, self._add),
        )
        return [
            "; ".join(self._pick(*steps) for _ in range(self.random.randint(1, 3))) + "; true"
            for _ in range(self.random.randint(1, 2))
        ]

    def person_acts(self) -> int:
        """What the person does afterwards; nothing, often."""
        steps: tuple[Callable[[], str], ...] = (
            *(self._branch, self._tag, self._commit, self._clean_up, self._stash, self._checkout),
            *(self._delete_branch, self._worktree, self._checkout_new, self._add, self._prune, self._status),
        )
        acts = self.random.choice((0, 0, 1, 1, 2, 3))
        for _ in range(acts):
            self._shell(self._pick(*steps), who="person")
        return acts

    def _pick(self, *steps: Callable[[], str]) -> str:
        return self.random.choice(steps)()

    def _shell(self, command: str, who: str = "before") -> None:
        self.told.append(f"{who}: {command}")
        subprocess.run(
            ["bash", "-c", command], cwd=self.root, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _edit(self) -> str:
        name = self.random.choice(NAMES)
        return f"mkdir -p d; echo line {self._next()} >> {name}"

    def _add(self) -> str:
        return f"{self._edit()}; git add -A"

    def _commit(self) -> str:
        number = self._next()
        return f"{self._edit()}; git add -A; git commit -qm c{number}"

    def _amend(self) -> str:
        return f"{self._edit()}; git commit -qa --amend -m amended{self._next()}"

    def _branch(self) -> str:
        where = self.random.choice(("HEAD", "HEAD", "HEAD~1", "main"))
        return f"git branch {self.random.choice((*BRANCHES, f'own{self._next()}'))} {where}"

    def _delete_branch(self) -> str:
        return f"git branch -q -D {self.random.choice(BRANCHES)}"

    def _rename_branch(self) -> str:
        return f"git branch -m {self.random.choice(BRANCHES)} {self.random.choice((*BRANCHES, 'renamed'))}"

    def _tag(self) -> str:
        number = self._next()
        return f"git tag v{number}" if self.random.random() < 0.5 else f"git tag -a -m t{number} v{number}"

    def _move_tag(self) -> str:
        return f"git tag -f v{self.random.randint(1, 6)} HEAD~1"

    def _reset(self) -> str:
        return f"git reset -q {self.random.choice(('--hard', '--soft', '--mixed'))} HEAD~1"

    def _merge(self) -> str:
        return f"git merge -q --no-ff -m merge{self._next()} {self.random.choice(BRANCHES)} || git merge --abort"

    def _rebase(self) -> str:
        return f"git rebase -q {self.random.choice(BRANCHES)} || git rebase --abort"

    def _stash(self) -> str:
        return f"{self._edit()}; git add -A; git stash -q"

    def _stash_pop(self) -> str:
        return "git stash pop -q || git checkout -q -f ."

    def _clean_up(self) -> str:
        return self.random.choice(("git gc -q", "git pack-refs --all", "git gc -q --prune=now", "git repack -qad"))

    def _prune(self) -> str:
        return "git reflog expire --expire=now --all; git gc -q --prune=now"

    def _checkout(self) -> str:
        return f"git checkout -q {self.random.choice((*BRANCHES, 'HEAD~1'))}"

    def _checkout_new(self) -> str:
        return f"git checkout -q -b {self.random.choice((*BRANCHES, f'new{self._next()}'))}"

    def _worktree(self) -> str:
        number = self._next()
        where = self.random.choice((f"-b tree{number}", "--detach"))
        return f"git worktree add -q {where} ../{self.root.name}-tree{number}"

    def _status(self) -> str:
        return "git status; git fsck"


def apply_run(engine: Engine, history: History) -> RunId | None:
    """Propose, approve and apply; the run, if it came to its end."""
    steps = [write("plan.txt", f"{history.random.random()}\n")] if history.random.random() < 0.5 else []
    commands = history.run_commands()
    history.told += [f"run: {each}" for each in commands]
    version = engine.proposals.propose(plan_json(*steps, *(bash(each) for each in commands)))
    engine.decisions.approve(version.plan_id, ApprovalHash.of(version).combined_hash)
    ended = engine.runs.apply(version.plan_id)
    assert ended.succeeded, f"{history.story}\n{ended}"
    return ended.record.run_id


def play(folder: Path, seed: int) -> str:
    """One history from beginning to end; answers how it went: undone, refused."""
    history = History(folder / "ws", seed)
    history.prepare()
    engine = build_engine(history.root)
    try:
        before = state_of(history.root)
        first = apply_run(engine, history)
        several = history.random.random() < 0.2
        if several:
            apply_run(engine, history)
        after = state_of(history.root)
        acts = history.person_acts()
        check_sound(history.root, f"{history.story}\nbefore any undo")
        assert first is not None
        return _undo_and_check(engine, history, first, before, after, acts=acts, several=several)
    finally:
        engine.close()


def _undo_and_check(
    engine: Engine,
    history: History,
    run_id: RunId,
    before: RepositoryState,
    after: RepositoryState,
    *,
    acts: int,
    several: bool,
) -> str:
    root = history.root
    now, refs, commits = state_of(root), refs_of(root), _commits(root)
    own = _made_by_person(after, refs)
    try:
        undone = engine.runs.rewind(run_id) if several else engine.runs.undo(run_id)
    except UndoConflictError as refusal:
        history.told.append(f"refused: {refusal.message}")
        assert acts, history.story
        assert state_of(root) == now, history.story
        check_sound(root, history.story)
        _keep_git(engine, history, run_id, refs, several=several)
        return "refused"
    history.told.append(f"undone: {undone.git} {undone.notes}")
    check_sound(root, history.story)
    _check_kept(root, history, own, commits)
    _check_gone_back(root, history, before, after, refs)
    if not acts:
        assert state_of(root) == before, history.story
    if history.random.random() < 0.6:
        _redo_and_undo(engine, history, undone.record.run_id, before, after, acts=acts)
        _check_kept(root, history, own, commits)
    return "undone"


def _redo_and_undo(
    engine: Engine, history: History, undo: RunId, before: RepositoryState, after: RepositoryState, *, acts: int
) -> None:
    root = history.root
    if history.random.random() < 0.4:
        acts += 1
        history._shell(history._pick(history._prune, history._clean_up), who="person")
    now = state_of(root)
    try:
        redone = engine.runs.redo(undo)
    except UndoConflictError as refusal:
        history.told.append(f"redo refused: {refusal.message}")
        assert acts, history.story
        assert state_of(root) == now, history.story
        check_sound(root, history.story)
        return
    history.told.append("redone")
    check_sound(root, history.story)
    if not acts:
        assert state_of(root) == after, history.story
    try:
        engine.runs.undo(redone.record.run_id)
    except UndoConflictError as refusal:
        history.told.append(f"refused again: {refusal.message}")
        assert acts, history.story
    else:
        if not acts:
            assert state_of(root) == before, history.story
    check_sound(root, history.story)


def _keep_git(engine: Engine, history: History, run_id: RunId, refs: dict[str, str], *, several: bool) -> None:
    """What a refusal offers: the working files alone go back, or their own conflict is named."""
    conflicts: tuple[tuple[str, str], ...] = ()
    try:
        if several:
            engine.runs.rewind(run_id, keep_git=True)
        else:
            engine.runs.undo(run_id, UndoPart(keep_git=True))
    except UndoConflictError as refusal:
        conflicts = refusal.conflicts
    assert not any(path.startswith(".git/") for path, _ in conflicts), history.story
    assert refs_of(history.root) == refs, history.story
    check_sound(history.root, history.story)


def _check_gone_back(
    root: Path, history: History, before: RepositoryState, after: RepositoryState, refs: dict[str, str]
) -> None:
    """Every reference that the run changed and the person left alone says what it said before the run."""
    old, new = (dict(line.split(" ")[:2] for line in each.refs.splitlines()) for each in (before, after))
    now = refs_of(root)
    for name in {*old, *new}:
        if old.get(name) != new.get(name) and refs.get(name) == new.get(name):
            assert now.get(name) == old.get(name), f"{history.story}\n{name}"


def _made_by_person(after: RepositoryState, refs: dict[str, str]) -> dict[str, str]:
    left = dict(line.split(" ")[:2] for line in after.refs.splitlines())
    return {name: value for name, value in refs.items() if left.get(name) != value}


def _commits(root: Path) -> set[str]:
    return set(git(root, "rev-list", "--all", "--reflog").split())


def _check_kept(root: Path, history: History, own: dict[str, str], commits: set[str]) -> None:
    """No reference that the person made or moved is another, and no commit that could be reached is gone."""
    refs = refs_of(root)
    assert {name: refs.get(name) for name in own} == own, history.story
    if not any("prune" in line for line in history.told):
        for commit in commits:
            git(root, "cat-file", "-e", commit)
