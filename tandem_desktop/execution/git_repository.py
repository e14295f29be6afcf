"""Reads and writes one repository by the plumbing of the person's own git: objects, references and remotes."""

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from tandem_desktop.domain.errors import BadInputError, GitError
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.processes.child import find_program, run_child
from tandem_desktop.processes.git import refuse_foreign
from tandem_desktop.storage import atomic

_TIMEOUT_S = 120.0
REMOTE_TIMEOUT_S = 600.0
_OID = lazy_pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
MOST_WORDS = 2000
_SHORT = 10
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


def file_entry(oid: str, *, executable: bool) -> GitEntry:
    return GitEntry(_PROGRAM if executable else _FILE, oid)


def link_entry(oid: str) -> GitEntry:
    return GitEntry(_LINK, oid)


@dataclass(frozen=True, slots=True)
class GitHead:
    """Where HEAD stands: on a branch or not, with a commit or before the first one."""

    branch: str | None
    """The full name of the branch; None where HEAD is detached."""
    commit: str | None

    @property
    def title(self) -> str:
        return self.branch.removeprefix("refs/heads/") if self.branch else "the detached HEAD"


def short(oid: str) -> str:
    return oid[:_SHORT]


def records(data: bytes) -> list[str]:
    """The records of an output that ends each with a zero byte."""
    return [os.fsdecode(each) for each in data.split(b"\0") if each]


def words_of(said: bytes) -> str:
    """What git said, in one line of bounded length."""
    text = " ".join(said.decode("utf-8", "replace").split())
    return text.removeprefix("fatal: ").removeprefix("error: ")[:MOST_WORDS]


class GitRepository:
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

    def oid(self, data: bytes) -> str:
        """The name git gives to these bytes."""
        made = hashlib.new(self._hash, usedforsecurity=False)
        made.update(b"blob %d\0" % len(data))
        made.update(data)
        return made.hexdigest()

    def store(self, contents: Sequence[bytes]) -> list[str]:
        """Store bytes as they are."""
        with tempfile.TemporaryDirectory(prefix="tandem-git-") as folder:
            for number, data in enumerate(contents):
                atomic.replace(Path(folder, str(number)), data, durable=False)
            names = "".join(f"{folder}/{number}\n" for number in range(len(contents))).encode()
            return self._output("hash-object", "-w", "--no-filters", "--stdin-paths", data=names).decode().split()

    def blob(self, oid: str) -> bytes:
        return self._output("cat-file", "blob", oid)

    def tree(self, index: Path) -> str:
        return self._output("write-tree", index=index).decode().strip()

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
        said = words_of(made.stderr)
        if "user.email" in said or "ident name" in said or "tell me who you are" in said.lower():
            raise GitError(
                "git does not know who you are.",
                next='Tell it in a terminal: git config --global user.name "Your Name" && '
                "git config --global user.email you@example.org. Then commit again.",
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

    def named_remote(self, name: str | None) -> str:
        """A remote of this repository; without a name the usual one.

        Raises:
            GitError: there is none of this name, or none that is the usual one.
        """
        names = self._text("remote").split()
        if name is not None and name not in names:
            listed = ", ".join(names) or "there is none"
            raise GitError(f"There is no remote {name!r}: {listed}.", next="git remote add NAME ADDRESS")
        found = name or self.remote_of(self.head())
        if found is None:
            raise GitError("There is no remote, or more than one.", next="Name one: --remote NAME")
        return found

    def fetch(self, remote: str, references: Sequence[str]) -> None:
        """Fetch references, and no tags.

        Raises:
            GitError: the remote cannot be reached.
        """
        words = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--prune")
        kept = bytearray()
        outcome = run_child(
            [self._program, *words, remote, *references],
            cwd=self._top,
            environment=self._environment(None),
            timeout_s=REMOTE_TIMEOUT_S,
            should_abort=self._should_abort,
            on_output=kept.extend,
        )
        if outcome.exit_code:
            raise GitError(
                f"Nothing was fetched from {remote}: {words_of(bytes(kept))}", next=f"Try it with: git fetch {remote}"
            )

    def refs(self, beginning: str) -> dict[str, str]:
        """Every reference below a folder of references, with the commit it names."""
        told = self._text("for-each-ref", "--format=%(objectname) %(refname)", beginning)
        pairs = (line.split(" ", 1) for line in told.splitlines())
        return {name: oid for oid, name in pairs}

    def set_refs(self, references: Mapping[str, str]) -> None:
        lines = (f"update {name} {oid}\n" for name, oid in references.items())
        self._output("update-ref", "--stdin", data="".join(lines).encode())

    def listing(self, commit: str) -> dict[str, tuple[str, int]]:
        """Every file of a commit, with its object and its size; links and nested repositories are left out."""
        found: dict[str, tuple[str, int]] = {}
        for record in records(self._output("ls-tree", "-r", "-l", "-z", "--full-tree", commit)):
            head, path = record.split("\t", 1)
            mode, kind, oid, size = head.split()
            if kind == "blob" and mode.startswith("100"):
                found[path] = (oid, int(size))
        return found

    def file_at_head(self, path: str, most_bytes: int) -> bytes | None:
        """The bytes of a file of the commit that is checked out; None where it has none of this name.

        Raises:
            GitError: it is not a file, or larger than that.
        """
        told = self._output("cat-file", "--batch-check", data=f"HEAD:{path}\n".encode()).split()
        if len(told) != 3:
            return None
        if told[1] != b"blob" or int(told[2]) > most_bytes:
            raise GitError(f"{path} of HEAD is no file that can be read.", path=path, next=f"git ls-tree HEAD {path}")
        return self.blob(told[0].decode())

    def tree_of(self, commit: str) -> str:
        return self._text("rev-parse", f"{commit}^{{tree}}")

    def tree_from(self, files: Mapping[str, bytes]) -> str:
        """Write a tree with these files, which may lie in one folder each."""
        oids = dict(zip(files, self.store(list(files.values())), strict=True))
        folders: dict[str, list[str]] = {"": []}
        for path, oid in sorted(oids.items()):
            folder, _, name = path.rpartition("/")
            folders.setdefault(folder, []).append(f"100644 blob {oid}\t{name}\n")
        for folder, entries in folders.items():
            if folder:
                oid = self._output("mktree", data="".join(entries).encode()).decode().strip()
                folders[""].append(f"040000 tree {oid}\t{folder}\n")
        return self._output("mktree", data="".join(folders[""]).encode()).decode().strip()

    def push_over(self, remote: str, commit: str, name: str, before: str | None) -> bool:
        """Set a reference of a remote, which must still be `before`; False where it is something else by now.

        Raises:
            GitError: the remote refuses.
        """
        try:
            self._push(f"--force-with-lease={name}:{before or ''}", remote, f"{commit}:{name}", what=name)
        except GitError as error:
            if "stale info" in error.message:
                return False
            raise
        return True

    def first_commits(self) -> tuple[str, ...]:
        """The commits without a parent that HEAD goes back to: the same in every clone."""
        return tuple(sorted(self._text("rev-list", "--max-parents=0", "HEAD").split()))

    def is_in_history(self, commit: str) -> bool:
        """Whether HEAD goes back to a commit."""
        if not _OID.fullmatch(commit):
            return False
        return self._run("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0

    def has_ref(self, name: str) -> bool:
        return self._run("rev-parse", "-q", "--verify", name).returncode == 0

    def agent_environment(self) -> dict[str, str]:
        """What a program needs to reach the person's SSH agent."""
        return {name: os.environ[name] for name in ("SSH_AUTH_SOCK",) if name in os.environ}

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
        fields = records(self._output("diff-tree", "-r", "-z", "--no-renames", old or empty, new))
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
            timeout_s=REMOTE_TIMEOUT_S,
            should_abort=self._should_abort,
            on_output=keep,
        )
        if outcome.exit_code:
            raise GitError(
                f"{remote} did not take {what}: {words_of(bytes(kept))}",
                next=f"The commit is there. Try again with: git push {remote} {what}",
            )

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
        said = words_of(ended.stderr)
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
