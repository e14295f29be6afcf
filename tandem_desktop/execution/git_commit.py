"""Makes commits by the plumbing of git, so that what else is staged or edited stays as it is.

Blobs, trees and commits are written first, the index and the branch last, each with the value it must still have. The
person's own configuration is used: who they are, how they sign, which hooks they have. Hooks are run here, where git
itself would run them, and no call of the plumbing starts any.
"""

import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.domain.errors import GitError
from tandem_desktop.execution.git_repository import (
    MOST_WORDS,
    REMOTE_TIMEOUT_S,
    GitEntry,
    GitHead,
    GitRepository,
    records,
    short,
    words_of,
)
from tandem_desktop.processes.child import find_program, run_child
from tandem_desktop.staging.git_effects import GitEffect
from tandem_desktop.storage import atomic
from tandem_desktop.storage.paths import is_in_repository

PLAN_TRAILER, RUN_TRAILER, DIGEST_TRAILER = "Tandem-Plan", "Tandem-Run", "Tandem-Digest"
_HOOK_TIMEOUT_S = 1800.0
_ARGUMENT_BYTES = 100_000
_HOOK_WORDS = 400
_CONVERTING = ("text", "eol", "crlf", "filter", "ident", "working-tree-encoding")
_UNSPECIFIED = "unspecified"
_OFF = (_UNSPECIFIED, "unset")
_GITLINK = "160000"
_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
_BEFORE, _AFTER = ("pre-commit", "prepare-commit-msg", "commit-msg"), "post-commit"
_log = logging.getLogger(__name__)


Entries = Mapping[str, GitEntry | None]
"""By path; None where there is nothing."""


@dataclass(frozen=True, slots=True)
class HookResult:
    """A hook that was run."""

    name: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class RunCommits:
    """The commits of one run, where they are the last ones of HEAD."""

    oids: tuple[str, ...]
    """Newest first."""
    parent: str | None
    """The commit before the first of them."""
    head: GitHead
    published: bool
    """Whether a branch of a remote has them."""


class GitCommitter(GitRepository):
    """Makes commits, with the hooks of the person."""

    def __init__(
        self,
        workspace: Path,
        *,
        use_hooks: bool = True,
        on_output: Callable[[bytes], None] = lambda words: None,
        should_abort: Callable[[], bool] = lambda: False,
    ) -> None:
        """Raises GitError where there is no repository, or none to commit to."""
        super().__init__(workspace, use_hooks=use_hooks, on_output=on_output, should_abort=should_abort)
        self.hooks: list[HookResult] = []
        """Those that were run, in order."""
        self._said = ""
        """The end of what the last hook printed."""

    def refuse_while_under_way(self) -> None:
        """Raises GitError in the middle of a merge, a rebase and the like: the next commit belongs to it."""
        for name, title in _UNDER_WAY.items():
            if (self._directory / name).exists():
                raise GitError(
                    f"A {title} is under way in {self._top}, and the next commit belongs to it.",
                    path=str(self._top),
                    next=f"Finish it, or take it back with: git {title} --abort",
                )

    def committed(self, commit: str | None, paths: Sequence[str]) -> dict[str, GitEntry]:
        """What a commit has at these paths of the repository."""
        if commit is None:
            return {}
        found = {}
        for some in _portions(paths):
            listed = self._output("ls-tree", "-z", "--full-tree", commit, "--", *some)
            for line in records(listed):
                facts, _, name = line.partition("\t")
                mode, kind, oid = facts.split(" ")
                if kind != "tree":
                    found[name] = GitEntry(mode, oid)
        return found

    def staged(self, paths: Sequence[str]) -> dict[str, GitEntry]:
        """What the index has at these paths.

        Raises:
            GitError: one of them is in conflict.
        """
        found = {}
        for some in _portions(paths):
            for line in records(self._output("ls-files", "-s", "-z", "--full-name", "--", *some)):
                facts, _, name = line.partition("\t")
                mode, oid, stage = facts.split(" ")
                if stage != "0":
                    raise GitError(
                        f"{name} is in conflict in the index of git.",
                        path=name,
                        next="Settle it with: git status",
                    )
                found[name] = GitEntry(mode, oid)
        return found

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths that git ignores and does not know yet."""
        data = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)  # takes no literal paths
        asked = self._run("check-ignore", "-z", "--stdin", data=data, is_literal=False)
        return frozenset(path.removeprefix("./") for path in records(asked.stdout))

    def nested(self, paths: Iterable[str], commit: str | None) -> dict[str, str]:
        """Those of the paths that lie in a repository of its own, such as a submodule, each with its folder."""
        own = self._prefix.rstrip("/")
        above = {path: [each for each in _ancestors(path) if len(each) > len(own)] for path in paths}
        folders = sorted({each for found in above.values() for each in found})
        links = {path for path, entry in self.committed(commit, folders).items() if entry.mode == _GITLINK}
        apart = {each for each in folders if each in links or os.path.lexists(self._top / each / ".git")}
        return {
            path: next(each for each in found if each in apart) for path, found in above.items() if apart & set(found)
        }

    def converted(self, contents: Mapping[str, bytes]) -> frozenset[str]:
        """The paths whose bytes git changes when it takes them in: by a filter, or by their line endings."""
        data = b"".join(os.fsencode(path) + b"\0" for path in contents)
        fields = records(self._output("check-attr", "-z", "--stdin", *_CONVERTING, data=data)) if data else []
        told = {(path, name): value for path, name, value in zip(*(fields[n::3] for n in range(3)), strict=True)}
        all_endings = self.setting("core.autocrlf") in ("true", "input")

        def is_changed(path: str) -> bool:
            values = {name: told.get((path, name), _UNSPECIFIED) for name in _CONVERTING}
            if any(values[name] not in _OFF for name in ("filter", "ident", "working-tree-encoding")):
                return True
            is_text = values["text"] not in _OFF or values["eol"] not in _OFF or values["crlf"] not in _OFF
            return b"\r" in contents[path] and (is_text or (all_endings and values["text"] != "unset"))

        return frozenset(filter(is_changed, contents))

    def taken_in(self, path: str, data: bytes) -> str:
        """Store bytes as git would take them in at this path."""
        asked = self._run("hash-object", "-w", "--stdin", f"--path={path}", data=data)
        if asked.returncode:
            raise self._refused(asked, f"git could not take in {path}")
        return asked.stdout.decode().strip()

    @contextmanager
    def index_of(self, commit: str | None) -> Iterator[Path]:
        """An index of its own with the tree of a commit."""
        with tempfile.TemporaryDirectory(prefix="tandem-git-") as folder:
            index = Path(folder, "index")
            self._output("read-tree", *(["--empty"] if commit is None else [commit]), index=index)
            yield index

    def update_index(self, entries: Entries, index: Path | None = None) -> None:
        """Set, or remove, paths in an index: the one of the repository, or `index`.

        Raises:
            GitError: another git holds it.
        """
        nothing = "0" * len(self.oid(b""))
        gone = [f"0 {nothing}\t{path}" for path, entry in entries.items() if entry is None]
        there = [f"{entry.mode} {entry.oid}\t{path}" for path, entry in entries.items() if entry is not None]
        data = b"".join(os.fsencode(line) + b"\0" for line in (*gone, *there))
        if data:
            self._output("update-index", "-z", "--index-info", data=data, index=index)

    def before_commit(self, index: Path, message: str) -> str:
        """Run the hooks that come before a commit; the message they leave.

        Raises:
            GitError: one of them refuses.
        """
        if not self._use_hooks:
            return message
        with tempfile.TemporaryDirectory(prefix="tandem-git-") as folder:
            text = Path(folder, "COMMIT_EDITMSG")
            atomic.replace(text, message.encode(), durable=False)
            for name in _BEFORE:
                words = {"pre-commit": [], "prepare-commit-msg": [str(text), "message"], "commit-msg": [str(text)]}
                if self._hook(name, words[name], index):
                    raise GitError(
                        f"The hook {name} refused the commit; nothing was committed. {self._said}".rstrip(),
                        path=str(self._hooks_folder / name),
                        next="Mend what it says, or commit without hooks: --no-verify",
                    )
            return text.read_text(encoding="utf-8", errors="replace")

    def after_commit(self) -> None:
        if self._use_hooks:
            self._hook(_AFTER, [], None)

    @property
    def present_hooks(self) -> tuple[str, ...]:
        """The hooks a commit would run."""
        return tuple(name for name in (*_BEFORE, _AFTER) if self._is_hook(self._hooks_folder / name))

    def move(self, head: GitHead, new: str | None, reason: str) -> None:
        """Let the branch of HEAD, or HEAD itself, go from the commit it has to `new`.

        Raises:
            GitError: it has another value by now.
        """
        reference = head.branch or "HEAD"
        old = head.commit or ""
        place = ["--no-deref"] if head.branch is None else []
        words = ["-d", reference, old] if new is None else [reference, new, old or "0" * len(self.oid(b""))]
        moved = self._run("update-ref", *place, "-m", reason, *words)
        if moved.returncode:
            raise self._refused(moved, f"{head.title} was not moved")

    def refuse_branch(self, name: str) -> None:
        """Raises GitError where a branch of this name cannot be made."""
        if self._run("check-ref-format", "--branch", name).returncode or name.startswith("-"):
            raise GitError(f"{name!r} is no name for a branch.", next="Use letters, digits, - and /.")
        if self._run("rev-parse", "-q", "--verify", f"refs/heads/{name}").returncode == 0:
            raise GitError(
                f"There is a branch {name} already.",
                next=f"Choose another name, or go to it first: git switch {name}",
            )

    def switch(self, branch: str) -> None:
        """Let HEAD be on this branch; the files stay as they are."""
        self._output("symbolic-ref", "-m", f"tandem: switch to {branch}", "HEAD", f"refs/heads/{branch}")

    def commits_of(self, run_id: str) -> RunCommits | None:
        """The commits of a run, if they are the last ones of HEAD."""
        head = self.head()
        if head.commit is None:
            return None
        listed = self._text(
            "log",
            "--first-parent",
            "-n",
            "200",
            "-z",
            f"--format=%H %P%n%(trailers:key={RUN_TRAILER},valueonly)",
            head.commit,
        )
        oids: list[str] = []
        parent: str | None = None
        for record in listed.split("\0"):
            first, _, trailers = record.partition("\n")
            if run_id not in trailers.split():
                break
            oid, *parents = first.split()
            if len(parents) > 1:
                break
            oids.append(oid)
            parent = parents[0] if parents else None
        if not oids:
            return None
        remote = self._text(
            "for-each-ref", "--count=1", "--format=%(refname)", f"--contains={oids[-1]}", "refs/remotes"
        )
        return RunCommits(tuple(oids), parent, head, published=bool(remote))

    def take_back(self, found: RunCommits) -> None:
        """Let HEAD go back to before a run's commits; what else is staged stays.

        Raises:
            GitError: it has moved on by now, or its first commit cannot be taken back.
        """
        changed = self.differences(found.parent, found.oids[0])
        staged = self.staged(list(changed))
        back = {path: before for path, (before, after) in changed.items() if staged.get(path) == after}
        self.move(found.head, found.parent, f"tandem: undo {short(found.oids[0])}")
        self.update_index(back)

    def find_commit(self, run_id: str) -> str | None:
        """The newest commit of a run on any branch."""
        found = self._run("log", "--all", "-n", "1", "--format=%H", "-F", f"--grep={RUN_TRAILER}: {run_id}")
        return found.stdout.decode().strip() or None if found.returncode == 0 else None

    def blame(self, commit: str, path: str, line: int) -> str:
        """The commit that wrote a line of a file as `commit` has it."""
        told = self._output("blame", "--no-textconv", "--porcelain", "-L", f"{line},{line}", commit, "--", path)
        return told.split(b" ", 1)[0].decode()

    def push(self, head: GitHead) -> str:
        """Push the branch of HEAD, never by force; the name of the remote.

        Raises:
            GitError: there is no branch, no remote, or it refuses.
        """
        if head.branch is None:
            raise GitError("HEAD is on no branch, so nothing was pushed.", next="Commit to one: --branch NAME")
        remote = self.remote_of(head)
        if remote is None:
            raise GitError(
                "There is no remote to push to, or more than one.", next=f"git push --set-upstream REMOTE {head.title}"
            )
        upstream = [] if self.setting(f"branch.{head.title}.merge") else ["--set-upstream"]
        self._push(*upstream, remote, f"{head.branch}:{head.branch}", what=head.title)
        return remote

    def open_pull_request(self, head: GitHead, remote: str) -> str:
        """Let `gh` or `glab` open one for the branch of HEAD; its address.

        Raises:
            GitError: neither is here, or it refuses.
        """
        is_gitlab = "gitlab" in self.setting(f"remote.{remote}.url")
        name = "glab" if is_gitlab else "gh"
        program = find_program(name, outside=self._top)
        if program is None:
            raise GitError(
                f"{name} was not found, so no pull request was opened.",
                next=f"Install {name} and log in with: {name} auth login",
            )
        words = ["mr", "create", "--fill", "--yes"] if is_gitlab else ["pr", "create", "--fill", "--head", head.title]
        kept = bytearray()
        outcome = run_child(
            [program, *words],
            cwd=self._top,
            environment=self._environment(None),
            timeout_s=REMOTE_TIMEOUT_S,
            should_abort=self._should_abort,
            on_output=kept.extend,
        )
        said = kept.decode("utf-8", "replace").split()
        if outcome.exit_code:
            raise GitError(
                f"{name} opened no pull request: {' '.join(said)[:MOST_WORDS]}", next=f"Look with: {name} auth status"
            )
        return next((word for word in reversed(said) if word.startswith(("https://", "http://"))), "")

    @property
    def _hooks_folder(self) -> Path:
        return self._top / self._text("rev-parse", "--git-path", "hooks", plain=True)

    @staticmethod
    def _is_hook(path: Path) -> bool:
        return path.is_file() and os.access(path, os.X_OK)

    def _hook(self, name: str, words: Sequence[str], index: Path | None) -> int:
        """Run a hook as git would; its exit code, 0 where there is none."""
        program = self._hooks_folder / name
        if not self._is_hook(program):
            return 0
        _log.info("git hook: %s", name)
        outcome = run_child(
            [str(program), *words],
            cwd=self._top,
            environment={**self._environment(index), "GIT_EDITOR": ":"},
            timeout_s=_HOOK_TIMEOUT_S,
            should_abort=self._should_abort,
            on_output=self._on_output,
        )
        self._said = words_of(outcome.output[-_HOOK_WORDS:])
        code = outcome.exit_code if not (outcome.timed_out or outcome.aborted) else 1
        self.hooks.append(HookResult(name, code))
        return code


@dataclass(frozen=True, slots=True)
class CommitsTakenBack:
    """What became, or would become, of the commits of undone runs."""

    effects: tuple[GitEffect, ...] = ()
    notes: tuple[str, ...] = ()
    """Which commits stay, and why."""


def take_back(root: Path, runs: Sequence[str], *, is_preview: bool, undo: str | None) -> CommitsTakenBack:
    """Take back the commits of undone runs, newest first: each only while it is the last of HEAD and on no remote."""
    if not is_in_repository(root):
        return CommitsTakenBack()
    moved: list[str] = []
    notes: list[str] = []
    try:
        git = GitCommitter(root)
    except GitError:
        return CommitsTakenBack()
    for run_id in runs:
        try:
            staying = _stays(git, run_id, undo)
            notes += staying
            found = None if staying else git.commits_of(run_id)
            if found is None:
                continue
            if not is_preview:
                git.take_back(found)
            to = short(found.parent) if found.parent else "before its first commit"
            moved.append(f"{found.head.title} goes back to {to}, from commit {_named(found.oids)}")
        except GitError as error:
            notes.append(f"The commit of {run_id} stays: {error.message}")
    return CommitsTakenBack((GitEffect(".", tuple(moved), ()),) if moved else (), tuple(notes))


def _stays(git: GitCommitter, run_id: str, undo: str | None) -> list[str]:
    """Why the commit of a run stays; nothing where it can go, or where there is none."""
    found = git.commits_of(run_id)
    oids = found.oids if found is not None else tuple(filter(None, (git.find_commit(run_id),)))
    if not oids:
        return []
    if found is None:
        reason = "it is not the last one of HEAD"
    elif found.published:
        reason = "a remote has it"
    elif found.parent is None and found.head.branch is None:
        reason = "there is nothing before it"
    else:
        return []
    revert = f"; to take it back as well, commit the undo: tandem commit {undo}" if undo else ""
    return [f"The commit {_named(oids)} of {run_id} stays, {reason}{revert}."]


def _named(oids: Sequence[str]) -> str:
    return ", ".join(map(short, reversed(oids)))


def _portions(paths: Sequence[str]) -> Iterator[list[str]]:
    """The paths in parts that fit a command line."""
    some: list[str] = []
    size = 0
    for path in paths:
        some.append(path)
        size += len(os.fsencode(path)) + 1
        if size > _ARGUMENT_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _ancestors(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]
