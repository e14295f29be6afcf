"""Makes commits by the plumbing of git, so that what else is staged or edited stays as it is.

Blobs, trees and commits are written first, the index and the branch last, each with the value it must still have. The
person's own configuration is used: who they are, how they sign, which hooks they have. Hooks are run here, where git
itself would run them, and no call of the plumbing starts any.
"""

import hashlib
import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from tandem_desktop.domain.errors import BadInputError, GitError
from tandem_desktop.processes.child import find_program, run_child
from tandem_desktop.processes.git import is_in_repository, refuse_foreign
from tandem_desktop.staging.git_effects import GitEffect
from tandem_desktop.storage import atomic

PLAN_TRAILER, RUN_TRAILER, DIGEST_TRAILER = "Tandem-Plan", "Tandem-Run", "Tandem-Digest"
_TIMEOUT_S = 120.0
_HOOK_TIMEOUT_S = 1800.0
_PUSH_TIMEOUT_S = 600.0
_ARGUMENT_BYTES = 100_000
_MOST_WORDS = 2000
_HOOK_WORDS = 400
_SHORT = 10
_CONVERTING = ("text", "eol", "crlf", "filter", "ident", "working-tree-encoding")
_UNSPECIFIED = "unspecified"
_OFF = (_UNSPECIFIED, "unset")
_GITLINK = "160000"
_LINK, _FILE, _PROGRAM = "120000", "100644", "100755"
_PLACES = frozenset(
    f"GIT_{name}"
    for name in (
        *("DIR", "WORK_TREE", "INDEX_FILE", "INDEX_VERSION", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES"),
        *("COMMON_DIR", "NAMESPACE", "PREFIX", "QUARANTINE_PATH", "LITERAL_PATHSPECS", "REFLOG_ACTION"),
    )
)
"""Variables that lead git to another repository, or to another part of it."""
_PLUMBING = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "gc.auto=0",
    "i18n.commitEncoding=UTF-8",
    "index.sparse=false",
    "maintenance.auto=false",
)
_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
_BEFORE, _AFTER = ("pre-commit", "prepare-commit-msg", "commit-msg"), "post-commit"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GitEntry:
    """A file in a tree or in the index: its mode as git writes it, and its object."""

    mode: str
    oid: str

    @property
    def is_file(self) -> bool:
        return self.mode in (_FILE, _PROGRAM)

    @property
    def is_link(self) -> bool:
        return self.mode == _LINK

    @property
    def is_program(self) -> bool:
        return self.mode == _PROGRAM


Entries = Mapping[str, GitEntry | None]
"""By path; None where there is nothing."""


def file_entry(oid: str, *, executable: bool) -> GitEntry:
    return GitEntry(_PROGRAM if executable else _FILE, oid)


def link_entry(oid: str) -> GitEntry:
    return GitEntry(_LINK, oid)


@dataclass(frozen=True, slots=True)
class HookResult:
    """A hook that was run."""

    name: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class GitHead:
    """Where HEAD stands: on a branch or not, with a commit or before the first one."""

    branch: str | None
    """The full name of the branch; None where HEAD is detached."""
    commit: str | None

    @property
    def title(self) -> str:
        return self.branch.removeprefix("refs/heads/") if self.branch else "the detached HEAD"


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


class GitCommitter:
    """The repository around a workspace, worked on with the person's own git."""

    def __init__(
        self,
        workspace: Path,
        *,
        use_hooks: bool = True,
        on_output: Callable[[bytes], None] = lambda words: None,
        should_abort: Callable[[], bool] = lambda: False,
    ) -> None:
        """Raises GitError where there is no repository, or none to commit to."""
        refuse_foreign(workspace)
        self.hooks: list[HookResult] = []
        """Those that were run, in order."""
        self._said = ""
        """The end of what the last hook printed."""
        self._use_hooks = use_hooks
        self._on_output = on_output
        self._should_abort = should_abort
        self._program = find_program("git", outside=workspace) or ""
        self._top = workspace
        if not self._program:
            raise GitError("git was not found.", next="Install git, then try again.")
        asked = self._run(
            "rev-parse", "--is-inside-work-tree", "--show-toplevel", "--show-prefix", "--absolute-git-dir"
        )
        words = os.fsdecode(asked.stdout).split("\n")
        if asked.returncode or words[0] != "true":
            raise GitError(
                f"{workspace} is not in a git repository.", path=str(workspace), next="Make one with: git init"
            )
        self._top, self._prefix, self._directory = Path(words[1]), words[2], Path(words[3])
        refuse_foreign(self._top)

    @property
    def top(self) -> Path:
        """The folder of the repository."""
        return self._top

    def refuse_while_under_way(self) -> None:
        """Raises GitError in the middle of a merge, a rebase and the like: the next commit belongs to it."""
        for name, title in _UNDER_WAY.items():
            if (self._directory / name).exists():
                raise GitError(
                    f"A {title} is under way in {self._top}, and the next commit belongs to it.",
                    path=str(self._top),
                    next=f"Finish it, or take it back with: git {title} --abort",
                )

    @cached_property
    def _hash(self) -> str:
        return self._text("rev-parse", "--show-object-format")

    def head(self) -> GitHead:
        branch = self._run("symbolic-ref", "-q", "HEAD")
        commit = self._run("rev-parse", "-q", "--verify", "HEAD^{commit}")
        return GitHead(
            os.fsdecode(branch.stdout).strip() or None if branch.returncode == 0 else None,
            commit.stdout.decode().strip() if commit.returncode == 0 else None,
        )

    def repository_path(self, path: str) -> str:
        """A path of the workspace as the repository calls it."""
        return f"{self._prefix}{path}"

    def workspace_path(self, path: str) -> str:
        return path.removeprefix(self._prefix)

    def committed(self, commit: str | None, paths: Sequence[str]) -> dict[str, GitEntry]:
        """What a commit has at these paths of the repository."""
        if commit is None:
            return {}
        found = {}
        for some in _portions(paths):
            listed = self._output("ls-tree", "-z", "--full-tree", commit, "--", *some)
            for line in _records(listed):
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
            for line in _records(self._output("ls-files", "-s", "-z", "--full-name", "--", *some)):
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
        return frozenset(path.removeprefix("./") for path in _records(asked.stdout))

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

    def oid(self, data: bytes) -> str:
        """The name git gives to these bytes."""
        made = hashlib.new(self._hash, usedforsecurity=False)
        made.update(b"blob %d\0" % len(data))
        made.update(data)
        return made.hexdigest()

    def converted(self, contents: Mapping[str, bytes]) -> frozenset[str]:
        """The paths whose bytes git changes when it takes them in: by a filter, or by their line endings."""
        data = b"".join(os.fsencode(path) + b"\0" for path in contents)
        fields = _records(self._output("check-attr", "-z", "--stdin", *_CONVERTING, data=data)) if data else []
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

    def store(self, contents: Sequence[bytes]) -> list[str]:
        """Store bytes as they are."""
        with tempfile.TemporaryDirectory(prefix="tandem-git-") as folder:
            for number, data in enumerate(contents):
                atomic.replace(Path(folder, str(number)), data, durable=False)
            names = "".join(f"{folder}/{number}\n" for number in range(len(contents))).encode()
            return self._output("hash-object", "-w", "--no-filters", "--stdin-paths", data=names).decode().split()

    def blob(self, oid: str) -> bytes:
        return self._output("cat-file", "blob", oid)

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

    def tree(self, index: Path) -> str:
        return self._output("write-tree", index=index).decode().strip()

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

    def commit(self, tree: str, parent: str | None, message: str, *, sign: bool = True) -> str:
        """Write a commit; no branch has it yet.

        Raises:
            GitError: git does not know who commits, or it could not be signed.
        """
        parents = [] if parent is None else ["-p", parent]
        signing = ["-S"] if sign and self.signs else []
        made = self._run("commit-tree", *signing, *parents, "-F", "-", tree, data=message.encode())
        if made.returncode == 0:
            return made.stdout.decode().strip()
        said = _words(made.stderr)
        if "user.email" in said or "ident name" in said or "tell me who you are" in said.lower():
            raise GitError(
                "git does not know who you are.",
                next='git config --global user.name "Your Name"; git config --global user.email you@example.org',
            )
        if signing:
            raise GitError(
                f"The commit could not be signed: {said}. Nothing was committed.",
                next="Mend the signing (git config user.signingKey), or commit unsigned: --no-sign",
            )
        raise self._refused(made, "git could not write the commit")

    @property
    def signs(self) -> bool:
        """Whether the person's commits are signed."""
        return self.setting("commit.gpgSign", boolean=True) == "true"

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

    def parents(self, commit: str) -> list[str]:
        return self._text("rev-list", "--parents", "-n", "1", commit).split()[1:]

    def commits_in(self, words: str) -> list[str]:
        """A commit, or those of a range such as `main..topic`, oldest first.

        Raises:
            BadInputError: there is none.
        """
        several = [] if ".." in words else ["--no-walk"]
        asked = self._run("rev-list", "--reverse", *several, "--end-of-options", words, "--")
        if asked.returncode:
            raise BadInputError(f"There is no commit {words!r} here.", next="git log --oneline")
        return asked.stdout.decode().split()

    def blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The bytes of several blobs, by one call."""
        wanted = list(dict.fromkeys(oids))
        told = self._output("cat-file", "--batch", data="".join(f"{oid}\n" for oid in wanted).encode())
        found: dict[str, bytes] = {}
        at = 0
        for oid in wanted:
            end = told.index(b"\n", at)
            size = int(told[at:end].rsplit(b" ", 1)[1])
            found[oid] = told[end + 1 : end + 1 + size]
            at = end + 2 + size
        return found

    def note(self, reference: str, commit: str) -> bytes | None:
        """The note about a commit."""
        listed = self._run("notes", f"--ref={reference}", "list", commit)
        return self.blob(listed.stdout.decode().strip()) if listed.returncode == 0 else None

    def add_note(self, reference: str, commit: str, data: bytes) -> None:
        """Keep a note about a commit, in place of an earlier one."""
        [oid] = self.store([data])
        self._output("notes", f"--ref={reference}", "add", "-f", "-C", oid, commit)

    def has_ref(self, name: str) -> bool:
        return self._run("rev-parse", "-q", "--verify", name).returncode == 0

    def agent_environment(self) -> dict[str, str]:
        """What a program needs to reach the person's SSH agent."""
        return {name: os.environ[name] for name in ("SSH_AUTH_SOCK",) if name in os.environ}

    def blame(self, commit: str, path: str, line: int) -> str:
        """The commit that wrote a line of a file as `commit` has it."""
        told = self._output("blame", "--no-textconv", "--porcelain", "-L", f"{line},{line}", commit, "--", path)
        return told.split(b" ", 1)[0].decode()

    def trailers(self, commit: str, names: Sequence[str]) -> dict[str, str]:
        """The last value of each trailer in the message of a commit; empty where it has none."""
        found = {}
        for name in names:
            told = self._text("log", "-1", f"--format=%(trailers:key={name},valueonly)", commit)
            found[name] = told.splitlines()[-1].strip() if told else ""
        return found

    def described(self, commit: str) -> tuple[str, datetime]:
        """The first line of a message, and when it was committed."""
        at, _, subject = self._text("log", "-1", "--format=%cI %s", commit).partition(" ")
        return subject, datetime.fromisoformat(at)

    def differences(self, old: str | None, new: str) -> dict[str, tuple[GitEntry | None, GitEntry | None]]:
        """What two commits have at the paths in which they differ."""
        empty = self._text("hash-object", "-t", "tree", "/dev/null")
        fields = _records(self._output("diff-tree", "-r", "-z", "--no-renames", old or empty, new))
        found: dict[str, tuple[GitEntry | None, GitEntry | None]] = {}
        for facts, path in zip(fields[::2], fields[1::2], strict=True):
            before_mode, after_mode, before, after, _ = facts.lstrip(":").split(" ")
            found[path] = (
                GitEntry(before_mode, before) if before.strip("0") else None,
                GitEntry(after_mode, after) if after.strip("0") else None,
            )
        return found

    def setting(self, name: str, *, boolean: bool = False) -> str:
        asked = self._run("config", *(["--type=bool"] if boolean else []), "--get", name)
        return os.fsdecode(asked.stdout).strip() if asked.returncode == 0 else ""

    def remote_of(self, head: GitHead) -> str | None:
        """Where the branch of HEAD is pushed to: the remote it follows, `origin`, or the only one."""
        names = self._text("remote").split()
        followed = self.setting(f"branch.{head.title}.remote")
        if followed in names:
            return followed
        return "origin" if "origin" in names else names[0] if len(names) == 1 else None

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

    def push_ref(self, remote: str, name: str) -> None:
        """Push one reference, never by force.

        Raises:
            GitError: the remote refuses.
        """
        self._push(remote, f"{name}:{name}", what=name)

    def _push(self, *words: str, what: str) -> None:
        *_, remote, _ = words
        verifying = [] if self._use_hooks else ["--no-verify"]
        kept = bytearray()

        def keep(words: bytes) -> None:
            kept.extend(words)
            self._on_output(words)

        outcome = run_child(
            [self._program, "push", *verifying, "--porcelain", *words],
            cwd=self._top,
            environment=self._environment(None),
            timeout_s=_PUSH_TIMEOUT_S,
            should_abort=self._should_abort,
            on_output=keep,
        )
        if outcome.exit_code:
            raise GitError(
                f"{remote} did not take {what}: {_words(bytes(kept))}",
                next=f"The commit is there. Try again with: git push {remote} {what}",
            )

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
            timeout_s=_PUSH_TIMEOUT_S,
            should_abort=self._should_abort,
            on_output=kept.extend,
        )
        said = kept.decode("utf-8", "replace").split()
        if outcome.exit_code:
            raise GitError(
                f"{name} opened no pull request: {' '.join(said)[:_MOST_WORDS]}", next=f"Look with: {name} auth status"
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
        self._said = _words(outcome.output[-_HOOK_WORDS:])
        code = outcome.exit_code if not (outcome.timed_out or outcome.aborted) else 1
        self.hooks.append(HookResult(name, code))
        return code

    def _text(self, *arguments: str, plain: bool = False) -> str:
        return os.fsdecode(self._output(*arguments, plain=plain)).strip()

    def _output(self, *arguments: str, data: bytes = b"", index: Path | None = None, plain: bool = False) -> bytes:
        ended = self._run(*arguments, data=data, index=index, plain=plain)
        if ended.returncode:
            raise self._refused(ended, f"git {arguments[0]} failed")
        return ended.stdout

    def _run(
        self,
        *arguments: str,
        data: bytes = b"",
        index: Path | None = None,
        plain: bool = False,
        is_literal: bool = True,
    ) -> "subprocess.CompletedProcess[bytes]":
        """One call of git. `plain` leaves the person's configuration as it is, to ask for it."""
        settings = [] if plain else [word for each in _PLUMBING for word in ("-c", each)]
        literal = ["--literal-pathspecs"] if is_literal else []
        cwd = self._top
        try:
            return subprocess.run(
                [self._program, "--no-pager", *literal, *settings, *arguments],
                cwd=cwd,
                env=self._environment(index),
                input=data,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            reason = "it took too long" if isinstance(error, subprocess.TimeoutExpired) else error.strerror
            raise GitError(
                f"git {arguments[0]} did not come to an end in {cwd}: {reason}.",
                path=str(cwd),
                next="Try git there yourself, then try again.",
            ) from error

    def _refused(self, ended: "subprocess.CompletedProcess[bytes]", what: str) -> GitError:
        said = _words(ended.stderr)
        if "index.lock" in said:
            return GitError(
                f"Another git is at work in {self._top}, or one was cut off: the index is locked.",
                path=str(self._directory / "index.lock"),
                next="Wait for it to end; if no git is running, delete that file.",
            )
        return GitError(
            f"{what}: {said or 'it did not say why'}", path=str(self._top), next="Look at it with: git status"
        )

    def _environment(self, index: Path | None) -> dict[str, str]:
        found = {name: value for name, value in os.environ.items() if name not in _PLACES}
        found |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
        return found if index is None else {**found, "GIT_INDEX_FILE": str(index)}


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


def short(oid: str) -> str:
    return oid[:_SHORT]


def _records(data: bytes) -> list[str]:
    return [os.fsdecode(each) for each in data.split(b"\0") if each]


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


def _words(said: bytes) -> str:
    """What git said, in one line."""
    text = " ".join(said.decode("utf-8", "replace").split())
    return text.removeprefix("fatal: ").removeprefix("error: ")[:_MOST_WORDS]
