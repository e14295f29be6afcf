"""Finds the run, the plan and the approval that wrote a line, through later edits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.diff.lines import changes
from tandem_desktop.diff.text import split_lines
from tandem_desktop.domain.errors import BadInputError, GitError, PlanError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.operations import FileState, NodeState, PathChange, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.runs import RunKind, RunRecord, RunStatus
from tandem_desktop.execution.git_commit import DIGEST_TRAILER, PLAN_TRAILER, RUN_TRAILER, GitCommitter
from tandem_desktop.execution.run_store import DoneOperation
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.services.audit import RecordedApproval, approval_of
from tandem_desktop.services.runs import PlanRuns
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import is_in_repository
from tandem_desktop.storage.workspace import Workspace

Lines = Sequence[bytes]


@dataclass(frozen=True, slots=True)
class LineCommit:
    """The commit that a line came in with, and what its message says of plan and run."""

    oid: str
    subject: str
    at: datetime
    plan_id: str
    run_id: str
    digest: str


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Where a line comes from. Without a run: from the person, or from before the first run."""

    path: str
    line: int
    text: bytes
    record: RunRecord | None = None
    operation: StagedOperation | None = None
    version: PlanVersion | None = None
    agent: str = ""
    """The agent and model that planned it; empty for a person."""
    approval: RecordedApproval | None = None
    commit: LineCommit | None = None
    edited_since: RunId | None = None
    """The last run that touched the file before the line was written by something else."""


class LineOrigins:
    """Follows lines of one workspace back through its runs and commits."""

    def __init__(
        self,
        workspace: Workspace,
        runs: PlanRuns,
        plans: PlanStore,
        objects: ObjectStore,
        audit: AuditLog,
    ) -> None:
        self._workspace = workspace
        self._runs = runs
        self._plans = plans
        self._objects = objects
        self._audit = audit

    def why(self, path: str, line: int) -> LineOrigin:
        """Where line `line`, from one, of a file comes from.

        Raises:
            BadInputError: there is no such file, or no such line in it.
        """
        self._workspace.forget_directories()
        data = self._workspace.peek(path)[1]
        if data is None:
            raise BadInputError(f"{path} is no file here.", path=path, next="Name a file of the workspace.")
        lines = split_lines(data)
        if not 1 <= line <= len(lines):
            raise BadInputError(f"{path} has {len(lines):,} lines.", path=path, next=f"tandem why {path}:1")
        found = LineOrigin(path, line, lines[line - 1], commit=self._commit(path, line - 1, lines))
        run, last = self._run(path, line - 1, lines)
        if run is None:
            return replace(found, edited_since=last)
        record, operation = run
        return self._told(found, record, operation)

    def _run(
        self, path: str, at: int, lines: Lines
    ) -> tuple[tuple[RunRecord, StagedOperation | None] | None, RunId | None]:
        """The run that wrote a line; or, where none did, the last one that left another line in its place."""
        for record, operation, change in self._history(path):
            after, before = self._lines(change.after), self._lines(change.before)
            here = _carried(lines, after, at)
            if here is None:
                return None, record.run_id
            there = _carried(after, before, here)
            if there is None:
                return (record, operation), None
            at, lines = there, before
        return None, None

    def _history(self, path: str) -> Iterator[tuple[RunRecord, StagedOperation | None, PathChange]]:
        """What runs did to a file, newest first, under the names it had; undone runs and their undo are passed over."""
        for listed in self._runs.runs():
            record = listed.record
            if listed.status is RunStatus.UNDONE or (record.kind is RunKind.UNDO and not record.partial):
                continue
            for done in reversed(self._runs.changes(record.run_id)):
                change, path = _in(done, path)
                if change is not None:
                    yield record, done.staged, change

    def _lines(self, state: NodeState) -> Lines:
        return split_lines(self._objects.read(state.sha256)) if isinstance(state, FileState) else ()

    def _told(self, found: LineOrigin, record: RunRecord, operation: StagedOperation | None) -> LineOrigin:
        version, agent = None, ""
        try:
            version = self._plans.revision(record.plan_id, record.revision)
            agent = self._plans.meta(record.plan_id).planner_model
        except PlanError:  # put away by now
            pass
        approval = approval_of(record.digest, self._audit)
        return replace(found, record=record, operation=operation, version=version, agent=agent, approval=approval)

    def _commit(self, path: str, at: int, lines: Lines) -> LineCommit | None:
        root = self._workspace.path
        if not is_in_repository(root):
            return None
        try:
            return _blamed(GitCommitter(root), path, at, lines)
        except GitError:
            return None


def _blamed(git: GitCommitter, path: str, at: int, lines: Lines) -> LineCommit | None:
    head = git.head().commit
    name = git.repository_path(path)
    entry = git.committed(head, [name]).get(name)
    if head is None or entry is None:
        return None
    there = _carried(lines, split_lines(git.blob(entry.oid)), at)
    if there is None:
        return None
    oid = git.blame(head, name, there + 1)
    trailers = git.trailers(oid, (PLAN_TRAILER, RUN_TRAILER, DIGEST_TRAILER))
    subject, at_time = git.described(oid)
    return LineCommit(
        oid=oid,
        subject=subject,
        at=at_time,
        plan_id=trailers[PLAN_TRAILER].partition(" ")[0],
        run_id=trailers[RUN_TRAILER],
        digest=trailers[DIGEST_TRAILER],
    )


def _carried(lines: Lines, earlier: Lines, at: int) -> int | None:
    """Where line `at` was in an earlier content; None if it was not there."""
    shift = 0
    for change in changes(tuple(earlier), tuple(lines)):
        if at < change.new_start:
            break
        if at < change.new_end:
            return None
        shift = change.old_end - change.new_end
    return at + shift


def _in(done: DoneOperation, path: str) -> tuple[PathChange | None, str]:
    """What an operation did to a file, and the name the file had before it."""
    change = next((each for each in done.changes if each.path == path), None)
    staged = done.staged
    if change is not None and staged is not None and staged.to == path and staged.path is not None:
        return PathChange(path=path, before=staged.base, after=change.after), staged.path
    return change, path
