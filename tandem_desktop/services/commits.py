"""Commits what a run left, and takes the commit back with the run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.diff.three_way import three_way
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import BadInputError, GitError, RunNotFoundError
from tandem_desktop.domain.ids import PlanId, RunId, TaskId
from tandem_desktop.domain.operations import FileState, NodeState, SymlinkState
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.runs import RunKind, RunRecord, RunStatus
from tandem_desktop.execution.git_commit import (
    DIGEST_TRAILER,
    PLAN_TRAILER,
    RUN_TRAILER,
    Entries,
    GitCommitter,
    HookResult,
)
from tandem_desktop.execution.git_repository import GitEntry, GitHead, file_entry, link_entry, short
from tandem_desktop.execution.run_store import DoneOperation
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.services.audit import approval_of
from tandem_desktop.services.runs import PlanRuns
from tandem_desktop.services.signatures import signing_key
from tandem_desktop.services.statements import NOTES, Verified, state, verify
from tandem_desktop.storage.objects import ObjectStore

_MOST_NAMED = 5
_SUBJECT = 200


@dataclass(frozen=True, slots=True)
class CommitWish:
    """How a run is to be committed."""

    message: str = ""
    """Empty for the title of the plan; a commit per task has the subject of the task."""
    branch: str | None = None
    """A new branch, on which HEAD is afterwards; None for the one HEAD is on."""
    per_task: bool = False
    whole: bool = False
    """Take a file with the person's own uncommitted changes whole, where these cannot be kept apart."""
    hooks: bool = True
    sign: bool = True


@dataclass(frozen=True, slots=True)
class CommitMade:
    """One commit."""

    oid: str
    subject: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommitResult:
    """What came of committing a run."""

    run_id: RunId
    commits: tuple[CommitMade, ...]
    """Oldest first."""
    branch: str | None
    parent: str | None
    merged: tuple[str, ...]
    """Files of which only the run's changes were committed: the person's own stay as they are."""
    left_out: tuple[tuple[str, str], ...]
    """Paths of the run that are in no commit, each with the reason."""
    hooks: tuple[HookResult, ...]
    is_stated: bool = False
    """Whether a signed statement was kept about each commit."""
    problem: str = ""
    """Why a statement could not be signed."""


@dataclass(frozen=True, slots=True)
class CommitPreview:
    """What committing a run would do."""

    run_id: RunId
    message: str
    branch: str | None
    """The branch HEAD is on; None where it is detached."""
    paths: tuple[str, ...]
    merged: tuple[str, ...]
    own: tuple[str, ...]
    """Files with the person's own uncommitted changes that cannot be kept apart from the run's."""
    left_out: tuple[tuple[str, str], ...]
    hooks: tuple[str, ...]
    """Those that would run."""
    signs: bool
    remote: str | None
    """Where it could be pushed."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """Where a commit went."""

    remote: str
    pull_request: str
    """The address of the pull request; empty where none was opened."""


class Committed(Frozen):
    """The audit entry of a commit."""

    run_id: RunId
    plan_id: PlanId
    digest: str
    commits: tuple[str, ...]
    parent: str | None
    branch: str | None


@dataclass(slots=True)
class _Part:
    """The paths of one commit, as the run left them; paths are those of the repository."""

    subject: str
    changes: dict[str, tuple[NodeState, NodeState]] = field(default_factory=dict)
    by_commands: set[str] = field(default_factory=set)
    """Those of the paths that a command changed."""

    def add(self, operation: DoneOperation, name: Callable[[str], str]) -> None:
        for change in operation.files:
            path = name(change.path)
            if operation.staged is not None and operation.staged.is_run:
                self.by_commands.add(path)
            first = self.changes[path][0] if path in self.changes else change.before
            self.changes[path] = (first, change.after)


@dataclass(slots=True)
class _Worked:
    """What was found out while commits were worked out."""

    now: dict[str, GitEntry | None]
    """What is committed so far at each path of the run."""
    merged: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)
    otherwise: dict[str, dict[str, GitEntry | None]] = field(default_factory=dict)
    """Of each commit, the paths whose bytes are not those of an approved operation."""
    converted: set[str] = field(default_factory=set)
    """Paths whose bytes git took in by its own rules."""
    own: list[str] = field(default_factory=list)
    """Files with the person's own uncommitted changes that cannot be kept apart from the run's."""


class Commits:
    """Commits runs of one workspace."""

    def __init__(
        self,
        *,
        root: Path,
        runs: PlanRuns,
        plans: PlanStore,
        objects: ObjectStore,
        audit: AuditLog,
        clock: Callable[[], datetime],
        co_author: str,
    ) -> None:
        self._root = root
        self._runs = runs
        self._plans = plans
        self._objects = objects
        self._audit = audit
        self._clock = clock
        self._co_author = co_author

    def commit(
        self,
        run_id: RunId,
        wish: CommitWish,
        *,
        on_output: Callable[[bytes], None] = lambda words: None,
        should_abort: Callable[[], bool] = lambda: False,
    ) -> CommitResult:
        """Commit exactly what the run left, on top of HEAD; everything else stays as it is, staged or not.

        Raises:
            GitError: there is nothing to commit, or something in the way. Nothing was committed.
        """
        self._runs.refuse_if_interrupted()
        record = self._committable(run_id)
        git = GitCommitter(self._root, use_hooks=wish.hooks, on_output=on_output, should_abort=should_abort)
        git.refuse_while_under_way()
        if wish.branch is not None:
            git.refuse_branch(wish.branch)
        head = git.head()
        version = self._plans.revision(record.plan_id, record.revision)
        parts = self._parts(record, version, wish, git.repository_path)
        message = wish.message or self._message(record, version)
        made, entries, worked = self._write(git, head, parts, record, message, wish)
        target = head if wish.branch is None else GitHead(f"refs/heads/{wish.branch}", None)
        self._set(git, head, target, entries, made)
        git.after_commit()
        body = Committed(
            run_id=record.run_id,
            plan_id=record.plan_id,
            digest=record.digest,
            commits=tuple(each.oid for each in made),
            parent=head.commit,
            branch=target.branch,
        )
        self._audit.append("committed", self._clock(), body)
        is_stated, problem = self._state(git, record, version, made, worked)
        return CommitResult(
            run_id=record.run_id,
            commits=made,
            branch=target.branch and target.title,
            parent=head.commit,
            merged=tuple(sorted(map(git.workspace_path, worked.merged))),
            left_out=_told(git, worked),
            hooks=tuple(git.hooks),
            is_stated=is_stated,
            problem=problem,
        )

    def _state(
        self, git: GitCommitter, record: RunRecord, version: PlanVersion, made: Sequence[CommitMade], worked: _Worked
    ) -> tuple[bool, str]:
        """Sign statements about the commits where the person signs with SSH; why that was not possible."""
        approval = approval_of(record.digest, self._audit) if signing_key(git) else None
        if approval is None or record.kind is RunKind.UNDO:
            return False, ""
        try:
            for each in made:
                state(
                    git,
                    each.oid,
                    version,
                    run_id=record.run_id,
                    approval=approval,
                    otherwise=worked.otherwise[each.oid],
                    merged=sorted(worked.merged.intersection(map(git.repository_path, each.paths))),
                )
        except (GitError, BadInputError) as error:
            return False, error.message
        return True, ""

    def verify(self, words: Sequence[str], allowed_signers: Path | None) -> tuple[Verified, ...]:
        """Whether commits are what was approved, by their signed statements alone.

        Raises:
            BadInputError: there is no such commit.
            GitError: there is no repository.
        """
        git = GitCommitter(self._root)
        return tuple(verify(git, commit, allowed_signers) for each in words for commit in git.commits_in(each))

    def preview(self, run_id: RunId) -> CommitPreview:
        """What committing a run would do; nothing is written that a branch has.

        Raises:
            GitError: there is nothing to commit, or something in the way.
        """
        record = self._committable(run_id)
        git = GitCommitter(self._root)
        git.refuse_while_under_way()
        head = git.head()
        version = self._plans.revision(record.plan_id, record.revision)
        parts = self._parts(record, version, CommitWish(), git.repository_path)
        worked = self._begin(git, head, parts, record)
        paths = {path for part in parts for path in self._entries(git, part, worked, whole=False)}
        if not paths and not worked.own:
            raise _nothing(git, record, worked)
        return CommitPreview(
            run_id=record.run_id,
            message=self._message(record, version),
            branch=head.branch and head.title,
            paths=tuple(sorted(map(git.workspace_path, paths))),
            merged=tuple(sorted(map(git.workspace_path, worked.merged))),
            own=tuple(sorted(map(git.workspace_path, worked.own))),
            left_out=_told(git, worked),
            hooks=git.present_hooks,
            signs=git.signs,
            remote=git.remote_of(head),
        )

    def push(
        self,
        on_output: Callable[[bytes], None] = lambda words: None,
        should_abort: Callable[[], bool] = lambda: False,
        *,
        hooks: bool = True,
        pull_request: bool = False,
    ) -> Pushed:
        """Push the branch HEAD is on, and open a pull request for it if that is wanted.

        Raises:
            GitError: there is no remote, it refuses, or no pull request could be opened.
        """
        git = GitCommitter(self._root, use_hooks=hooks, on_output=on_output, should_abort=should_abort)
        head = git.head()
        remote = git.push(head)
        if git.has_ref(NOTES):
            git.push_ref(remote, NOTES)
        return Pushed(remote, git.open_pull_request(head, remote) if pull_request else "")

    def _committable(self, run_id: RunId) -> RunRecord:
        listed = next((each for each in self._runs.runs() if each.record.run_id == run_id), None)
        if listed is None:
            raise RunNotFoundError(f"There is no run {run_id} here.", next="See them with: tandem runs")
        record = listed.record
        if listed.status is RunStatus.UNDONE:
            raise GitError(f"{run_id} was undone, so it left nothing to commit.", next=f"tandem redo {run_id}")
        if record.rolled_back or listed.status is RunStatus.RUNNING:
            reason = "was rolled back" if record.rolled_back else "has not ended"
            raise GitError(f"{run_id} {reason}, so there is nothing to commit.", next="See the runs: tandem runs")
        return record

    def _parts(
        self, record: RunRecord, version: PlanVersion, wish: CommitWish, name: Callable[[str], str]
    ) -> list[_Part]:
        """The run in one part, or a part for each of its tasks in the order in which they began."""
        done = self._runs.changes(record.run_id)
        subjects = {task.id: task.subject for task in version.tasks} if wish.per_task else {}
        tasks = {operation.id: operation.task for operation in version.operations if operation.task in subjects}
        parts: dict[TaskId | None, _Part] = {}
        for operation in done:
            task = tasks.get(operation.id)
            subject = subjects[task] if task is not None else ""
            parts.setdefault(task, _Part(subject)).add(operation, name)
        return list(parts.values())

    def _message(self, record: RunRecord, version: PlanVersion) -> str:
        title = " ".join(version.title.split())[:_SUBJECT] or f"Apply {record.plan_id}"
        if record.kind is RunKind.UNDO:
            before = GitCommitter(self._root).find_commit(record.of) if record.of else None
            reverted = f"This reverts commit {before}." if before else f"This takes back {record.of}."
            return f'Revert "{title}"\n\n{reverted}'
        return title

    def _trailers(self, record: RunRecord) -> str:
        lines = [
            f"{PLAN_TRAILER}: {record.plan_id} r{record.revision}",
            f"{RUN_TRAILER}: {record.run_id}",
            f"{DIGEST_TRAILER}: {record.digest}",
        ]
        agent = self._plans.meta(record.plan_id).planner_model.partition(":")[0]
        if self._co_author and agent:
            lines.append(f"Co-authored-by: {self._co_author.replace('{agent}', agent)}")
        return "\n".join(lines)

    def _write(
        self,
        git: GitCommitter,
        head: GitHead,
        parts: Sequence[_Part],
        record: RunRecord,
        message: str,
        wish: CommitWish,
    ) -> tuple[tuple[CommitMade, ...], dict[str, tuple[GitEntry | None, GitEntry | None]], _Worked]:
        """Write the commits, which no branch has yet; with them what each path was in HEAD, and is now."""
        trailers = self._trailers(record)
        worked = self._begin(git, head, parts, record)
        begun = dict(worked.now)
        made: list[CommitMade] = []
        parent = head.commit
        with git.index_of(head.commit) as index:
            for part in parts:
                entries = self._entries(git, part, worked, whole=wish.whole)
                if worked.own:
                    raise _has_own_changes(worked.own, git)
                if not entries:
                    continue
                git.update_index(entries, index)
                tree = git.tree(index)
                words = git.before_commit(index, _with_trailers(_for_part(message, part), trailers))
                if git.tree(index) != tree:
                    raise GitError(
                        "A hook changed what would be committed, so nothing was.",
                        next="Commit without hooks: --no-verify; or let an agent make the change in a plan",
                    )
                if not words.strip():
                    raise GitError("The message is empty, so nothing was committed.", next="Give one: -m TEXT")
                parent = git.commit(tree, parent, _with_trailers(words, trailers), sign=wish.sign)
                worked.now |= entries
                apart = part.by_commands | worked.converted
                worked.otherwise[parent] = {path: entry for path, entry in entries.items() if path in apart}
                names = tuple(git.workspace_path(path) for path in sorted(entries))
                made.append(CommitMade(parent, words.strip().splitlines()[0], names))
        if not made:
            raise _nothing(git, record, worked)
        changed = {path: (begun[path], now) for path, now in worked.now.items() if begun[path] != now}
        return tuple(made), changed, worked

    def _begin(self, git: GitCommitter, head: GitHead, parts: Sequence[_Part], record: RunRecord) -> _Worked:
        """What HEAD has at the paths of a run, and which of them no commit takes."""
        paths = sorted({path for part in parts for path in part.changes})
        begun = git.committed(head.commit, paths)
        worked = _Worked(now={path: begun.get(path) for path in paths})
        self._leave_out(git, head, record, worked)
        return worked

    def _leave_out(
        self,
        git: GitCommitter,
        head: GitHead,
        record: RunRecord,
        worked: _Worked,
    ) -> None:
        """Paths that git would not take either, or that were taken back since."""
        paths = tuple(worked.now)
        worked.left_out |= {
            path: f"it is in {git.workspace_path(folder)}, a repository of its own"
            for path, folder in git.nested(paths, head.commit).items()
        }
        unknown = [path for path in paths if worked.now[path] is None and path not in worked.left_out]
        worked.left_out |= dict.fromkeys(git.ignored(unknown), "git ignores it")
        undone = {
            git.repository_path(change.path)
            for each in self._runs.runs()
            if each.record.of == record.run_id and each.record.partial and each.status is RunStatus.COMPLETED
            for operation in self._runs.changes(each.record.run_id)
            for change in operation.changes
        }
        worked.left_out |= dict.fromkeys(undone.intersection(paths), "it was taken back since")

    def _entries(self, git: GitCommitter, part: _Part, worked: _Worked, *, whole: bool) -> dict[str, GitEntry | None]:
        """What the index has to become for one part: only paths that change against what is committed."""
        now = worked.now
        changes = {path: sides for path, sides in part.changes.items() if path not in worked.left_out}
        after = {path: self._bytes(sides[1]) for path, sides in changes.items()}
        changes = {
            path: sides for path, sides in changes.items() if not _is_there(git, now[path], sides[1], after[path])
        }
        before = {path: self._bytes(sides[0]) for path, sides in changes.items()}
        files = {path: after[path] for path, (_, state) in changes.items() if isinstance(state, FileState)}
        by_git = git.converted({**before, **files})
        found: dict[str, GitEntry | None] = {}
        contents: dict[str, bytes] = {}
        for path, (base, wanted) in changes.items():
            here = now[path]
            is_as_seen = self._is_as_seen(git, path, base, before[path], here, path in by_git)
            if isinstance(wanted, FileState):
                content = after[path]
                if not is_as_seen and not whole:
                    kept_apart = self._merged(git, path, before[path], base, content, here, worked)
                    if kept_apart is None:
                        continue
                    content = kept_apart
                contents[path] = content
                found[path] = file_entry("", executable=self._is_program(git, wanted, base, here))
            elif isinstance(wanted, SymlinkState):
                if not is_as_seen and not whole:
                    worked.own.append(path)
                    continue
                contents[path] = after[path]
                found[path] = link_entry("")
            elif isinstance(base, FileState | SymlinkState):
                found[path] = None
        self._store(git, found, contents, by_git)
        worked.converted |= by_git & contents.keys()
        return {path: entry for path, entry in found.items() if entry != now[path]}

    @staticmethod
    def _store(
        git: GitCommitter, found: dict[str, GitEntry | None], contents: Mapping[str, bytes], by_git: frozenset[str]
    ) -> None:
        """Give each entry its object."""
        plain = [path for path in contents if path not in by_git]
        oids = dict(zip(plain, git.store([contents[path] for path in plain]), strict=True)) if plain else {}
        for path in contents:
            entry = found[path]
            if entry is not None:
                found[path] = GitEntry(entry.mode, oids.get(path) or git.taken_in(path, contents[path]))

    @staticmethod
    def _is_as_seen(
        git: GitCommitter, path: str, base: NodeState, data: bytes, here: GitEntry | None, by_git: bool
    ) -> bool:
        """Whether what is committed is what the run found: nothing of the person is in between."""
        if not isinstance(base, FileState | SymlinkState):
            return here is None
        oid = git.taken_in(path, data) if by_git and isinstance(base, FileState) else git.oid(data)
        return here is not None and here.oid == oid and here.is_file == isinstance(base, FileState)

    @staticmethod
    def _merged(
        git: GitCommitter,
        path: str,
        before: bytes,
        base: NodeState,
        after: bytes,
        here: GitEntry | None,
        worked: _Worked,
    ) -> bytes | None:
        """The committed file with the run's changes alone; None where the person's cannot be kept apart."""
        if here is None or not here.is_file or not isinstance(base, FileState):
            worked.own.append(path)
            return None
        found = three_way(before, git.blob(here.oid), after).merged
        if found is None:
            worked.own.append(path)
        elif found not in (before, after):
            worked.merged.add(path)
        return found

    @staticmethod
    def _is_program(git: GitCommitter, wanted: FileState, base: NodeState, here: GitEntry | None) -> bool:
        if here is not None and here.is_file:
            if git.setting("core.fileMode", boolean=True) == "false":
                return here.is_program
            if isinstance(base, FileState) and bool(base.mode & 0o100) == bool(wanted.mode & 0o100):
                return here.is_program
        return bool(wanted.mode & 0o100)

    def _bytes(self, state: NodeState) -> bytes:
        if isinstance(state, SymlinkState):
            return state.target.encode("utf-8", "surrogateescape")
        return self._objects.read(state.sha256) if isinstance(state, FileState) else b""

    @staticmethod
    def _set(
        git: GitCommitter,
        head: GitHead,
        target: GitHead,
        changed: Mapping[str, tuple[GitEntry | None, GitEntry | None]],
        made: Sequence[CommitMade],
    ) -> None:
        """Index first, then the branch: cut off in between, the changes stand there as staged."""
        staged = git.staged(list(changed))
        own_as_committed: Entries = {
            path: after for path, (before, after) in changed.items() if staged.get(path) == before
        }
        git.update_index(own_as_committed)
        try:
            git.move(target, made[-1].oid, f"commit: {made[-1].subject}")
        except GitError:
            git.update_index({path: changed[path][0] for path in own_as_committed})
            raise
        if target is not head:
            git.switch(target.title)


def _told(git: GitCommitter, worked: _Worked) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((git.workspace_path(path), reason) for path, reason in worked.left_out.items()))


def _is_there(git: GitCommitter, here: GitEntry | None, wanted: NodeState, data: bytes) -> bool:
    """Whether exactly this is committed already."""
    if here is None:
        return not isinstance(wanted, FileState | SymlinkState)
    if isinstance(wanted, FileState):
        return here == file_entry(git.oid(data), executable=bool(wanted.mode & 0o100))
    return isinstance(wanted, SymlinkState) and here == link_entry(git.oid(data))


def _for_part(message: str, part: _Part) -> str:
    return part.subject or message


def _with_trailers(message: str, trailers: str) -> str:
    """The message with the trailers it does not have yet, after an empty line or the trailers that are there."""
    text = message.strip()
    lines = text.splitlines()
    missing = [line for line in trailers.splitlines() if line not in lines]
    if not missing:
        return f"{text}\n"
    last = text.rsplit("\n\n", 1)[-1].splitlines()
    goes_on = "\n\n" in text and all(_is_trailer(line) for line in last)
    return "\n".join([text, *([] if goes_on else [""]), *missing, ""])


def _is_trailer(line: str) -> bool:
    name, colon, _ = line.partition(": ")
    return bool(colon) and name.replace("-", "").isalnum()


def _has_own_changes(paths: Iterable[str], git: GitCommitter) -> GitError:
    named = [git.workspace_path(path) for path in paths]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return GitError(
        f"{', '.join(named[:_MOST_NAMED])}{more}: changes of your own, made before the run and not committed, "
        "cannot be kept apart from those of the run. Nothing was committed.",
        path=named[0],
        next="Commit yours first, or take these files as they were after the run: --whole",
    )


def _nothing(git: GitCommitter, record: RunRecord, worked: _Worked) -> GitError:
    found = git.find_commit(record.run_id)
    if found is not None:
        return GitError(
            f"What {record.run_id} left is committed already: {short(found)}.", next=f"git show {short(found)}"
        )
    reasons = sorted(set(worked.left_out.values()))
    if reasons:
        return GitError(f"Nothing of {record.run_id} can be committed: {'; '.join(reasons)}.", next="git status")
    return GitError(f"HEAD has everything that {record.run_id} left.", next="git log")
