"""Random git histories around commits of runs: what a person has must be there afterwards."""

from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import GitError, StagingError, UndoConflictError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.services.commits import CommitWish
from tandem_desktop.services.engine import Engine
from tests.support.command_line import write
from tests.support.git_histories import NAMES, History, check_sound, git, refs_of, state_of
from tests.support.rehearsals import plan_json

_HOOKS = ("exit 1", "exit 0", "echo more >> a.txt; git add a.txt")


class CommitHistory(History):
    """A history with hooks, submodules and merges that are under way."""

    def prepare(self) -> None:
        super().prepare()
        chance = self.random.random
        if chance() < 0.2:
            script = self.random.choice(_HOOKS)
            self._shell(f"mkdir -p .git/hooks; printf '#!/bin/sh\\n{script}\\n' > .git/hooks/pre-commit")
            self._shell("chmod +x .git/hooks/pre-commit")
        if chance() < 0.1:
            self._shell(
                "git init -q sub; cd sub; git commit -q --allow-empty -m s; cd ..; git add sub; git commit -qm sub"
            )
        if chance() < 0.1:
            self._shell(self._worktree())
        if chance() < 0.1:
            self._shell("git merge -q --no-commit --no-ff topic")

    def plan(self) -> list[dict[str, object]]:
        """Changes of one to three files, some new, some the person has edited."""
        names = self.random.sample((*NAMES, "new.txt", "deep/er/new.txt", "sub/in.txt"), self.random.randint(1, 3))
        steps = []
        for name in names:
            path = self.root / name
            old = path.read_text() if path.is_file() else ""
            if old and self.random.random() < 0.2:
                steps.append({"description": "Delete", "tool": "delete", "args": {"path": name}})
            else:
                at_top = self.random.random() < 0.5
                line = f"run {self._next()}\n"
                steps.append(write(name, line + old if at_top else old + line))
        return steps


def apply(engine: Engine, history: CommitHistory) -> RunId | None:
    steps = history.plan()
    history.told.append(f"run: {[(each['tool'], each['args']) for each in steps]}")
    try:
        version = engine.proposals.propose(plan_json(*steps))
    except StagingError as refusal:
        history.told.append(f"no plan: {refusal.message}")
        return None
    engine.decisions.approve(version.plan_id, ApprovalHash.of(version).combined_hash)
    ended = engine.runs.apply(version.plan_id)
    assert ended.succeeded, f"{history.story}\n{ended}"
    return ended.record.run_id


def index_of(root: Path) -> dict[str, str]:
    lines = git(root, "ls-files", "-s", "-z").split("\0")
    return {name: facts for facts, _, name in (line.partition("\t") for line in lines if line)}


def play(folder: Path, seed: int) -> None:
    history = CommitHistory(folder / "ws", seed)
    history.prepare()
    engine = build_engine(history.root)
    try:
        run_id = apply(engine, history)
        if run_id is not None and _commit(engine, history, run_id):
            _go_on(engine, history, run_id)
    finally:
        engine.close()


def _commit(engine: Engine, history: CommitHistory, run_id: RunId) -> bool:
    """Commit a run: nothing else moves, and a refusal moves nothing at all."""
    root, chance = history.root, history.random.random
    before, index = state_of(root), index_of(root)
    new = f"of-run-{history._next()}" if chance() < 0.2 else None
    wish = CommitWish(branch=new, whole=chance() < 0.3, hooks=chance() < 0.7, per_task=chance() < 0.2)
    history.told.append(f"commit {run_id}: {wish}")
    has_hook = (root / ".git" / "hooks" / "pre-commit").exists() and wish.hooks
    try:
        made = engine.commits.commit(run_id, wish)
    except GitError as refusal:
        history.told.append(f"refused: {refusal.message}")
        now = state_of(root)
        assert (now.refs, now.head, now.stash) == (before.refs, before.head, before.stash), history.story
        assert now.index == before.index, history.story
        assert has_hook or now.files == before.files, history.story
        check_sound(root, history.story)
        return False
    after = state_of(root)
    check_sound(root, history.story)
    assert after.files == before.files, history.story
    assert after.stash == before.stash, history.story
    touched = {path for each in made.commits for path in each.paths}
    now_index = index_of(root)
    assert {p: f for p, f in now_index.items() if p not in touched} == {
        p: f for p, f in index.items() if p not in touched
    }, history.story
    _check_refs(history, before.refs, after.refs, made.branch)
    changed = git(root, "diff-tree", "-r", "--root", "--name-only", "-z", "--no-commit-id", made.commits[-1].oid)
    assert set(filter(None, changed.split("\0"))) == set(made.commits[-1].paths), history.story
    return True


def _check_refs(history: History, before: str, after: str, branch: str | None) -> None:
    old, new = (dict(line.split(" ")[:2] for line in text.splitlines()) for text in (before, after))
    moved = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    assert moved <= {f"refs/heads/{branch}"}, f"{history.story}\n{moved}"


def _go_on(engine: Engine, history: CommitHistory, run_id: RunId) -> None:
    """The person works on; then the run is undone, perhaps reapplied, and either may be committed again."""
    root = history.root
    acts = history.person_acts()
    for way in history.random.choice((("undo",), ("undo", "redo"), ("undo", "commit"), ("undo", "redo", "commit"))):
        refs, index, commits = refs_of(root), index_of(root), _commits(root)
        head = git(root, "symbolic-ref", "-q", "HEAD", check=False).strip()
        try:
            if way == "commit":
                _commit(engine, history, run_id)
                continue
            undone = engine.runs.undo(run_id) if way == "undo" else engine.runs.redo(run_id)
        except (UndoConflictError, GitError) as refusal:
            history.told.append(f"{way} refused: {refusal.message}")
            assert acts or way != "undo", history.story
            assert (refs_of(root), index_of(root)) == (refs, index), history.story
            check_sound(root, history.story)
            return
        run_id = undone.record.run_id
        history.told.append(f"{way}: {undone.notes}")
        check_sound(root, history.story)
        now = refs_of(root)
        moved = {name for name in {*refs, *now} if refs.get(name) != now.get(name)}
        assert moved <= ({head} if way == "undo" else set()), f"{history.story}\n{moved}"
        if not any("prune" in line for line in history.told):
            for commit in commits:
                git(root, "cat-file", "-e", commit)


def _commits(root: Path) -> set[str]:
    return set(git(root, "rev-list", "--all", "--reflog").split())
