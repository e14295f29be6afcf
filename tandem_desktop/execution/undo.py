"""Take a run back: touched paths only, exactly, and never over a later edit."""

from collections.abc import Iterable
from dataclasses import dataclass

from tandem_desktop.domain.errors import BadInputError, UndoConflictError
from tandem_desktop.domain.execution import FailurePolicy, RunKind, RunRecord, RunStatus
from tandem_desktop.domain.ids import OperationId, RunId, new_run_id
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_DIRECTORY_MODE,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    PathChange,
)
from tandem_desktop.execution.change_order import ordered_steps
from tandem_desktop.execution.control import RunControl
from tandem_desktop.execution.git_index import INDEX_PATH, same_entries
from tandem_desktop.execution.journal_shelf import History
from tandem_desktop.execution.run_desk import RunDesk
from tandem_desktop.execution.steps import Action, missing_parents, net_changes
from tandem_desktop.execution.workbench import Metadata
from tandem_desktop.review.merge import merge
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

_WHOLE_RUN = OperationId("undo")


@dataclass(frozen=True, slots=True)
class Undoing:
    """What an undo would do: exactly this, as long as the disk stays as it was looked at."""

    changes: tuple[PathChange, ...]
    merged: tuple[str, ...]
    kept: tuple[str, ...]
    """Folders the run made that hold something else by now; they stay."""
    conflicts: tuple[tuple[str, str], ...]
    contents: tuple[bytes, ...]
    moves: dict[str, str]
    metadata: dict[str, Metadata]


@dataclass(frozen=True, slots=True)
class UndoneRun:
    """An undo or redo that has ended."""

    record: RunRecord
    changed: tuple[str, ...]
    merged: tuple[str, ...]
    kept: tuple[str, ...]


class UndoExecutor:
    """Undo and redo runs. An undo is itself a run, so it can be taken back too."""

    def __init__(self, desk: RunDesk) -> None:
        self._desk = desk

    def preview(self, run_id: str, only: OperationId | None = None) -> Undoing:
        """What `undo` would do now; nothing is written."""
        return self._work_out(self._undoable(run_id), only)

    def undo(self, run_id: str, *, only: OperationId | None = None, control: RunControl | None = None) -> UndoneRun:
        """Take one run back.

        Raises:
            UndoConflictError: a later edit overlaps; nothing was changed and each path is named.
        """
        with self._desk.only_run():
            self._desk.refuse_if_interrupted()
            return self._carry_out(self._undoable(run_id), RunKind.UNDO, only, control)

    def redo(self, run_id: str, *, control: RunControl | None = None) -> UndoneRun:
        """Bring back what an undo took away. Takes the undone run's name, or the undo's own."""
        with self._desk.only_run():
            self._desk.refuse_if_interrupted()
            record = self._desk.runs.get(run_id)
            if record.kind is not RunKind.UNDO:
                if record.undone_by is None:
                    raise BadInputError(f"{run_id} has not been undone.", next="See what can be: tandem runs")
                record = self._desk.runs.get(record.undone_by)
            return self._carry_out(self._undoable(record.run_id), RunKind.REDO, None, control)

    def _undoable(self, run_id: str) -> tuple[RunRecord, History]:
        record = self._desk.runs.get(run_id)
        if record.status is RunStatus.UNDONE:
            raise BadInputError(f"{run_id} is undone already.", next=f"Bring it back with: tandem redo {run_id}")
        if record.status is RunStatus.COMPLETED and not self._desk.shelf.has(record.run_id):
            raise BadInputError(
                f"The journal of {run_id} is not in the state folder: the run belongs to another copy of this folder.",
                next="Undo it where it was applied, with the same state folder.",
            )
        if not is_undoable(record, has_journal=self._desk.shelf.has(record.run_id)):
            raise BadInputError(
                f"{run_id} left nothing to undo ({record.status.value}).", next="See what can be undone: tandem runs"
            )
        return record, self._desk.shelf.history(run_id)

    def _work_out(self, target: tuple[RunRecord, History], only: OperationId | None) -> Undoing:
        return work_out(target[1], self._desk.workspace, self._desk.objects, only)

    def _carry_out(
        self,
        target: tuple[RunRecord, History],
        kind: RunKind,
        only: OperationId | None,
        control: RunControl | None,
    ) -> UndoneRun:
        desk, (of, _) = self._desk, target
        desk.workspace.check_identity()
        undoing = self._work_out(target, only)
        if undoing.conflicts:
            raise _conflict(of.run_id, undoing.conflicts)
        desk.objects.put_all(undoing.contents)
        steps = ordered_steps(undoing.changes, _WHOLE_RUN, moves=undoing.moves)
        record = RunRecord(
            run_id=new_run_id(),
            kind=kind,
            of=of.run_id,
            plan_id=of.plan_id,
            revision=of.revision,
            digest=of.digest,
            on_failure=FailurePolicy.ROLLBACK,
            status=RunStatus.RUNNING,
            started_at=desk.clock(),
            partial=only is not None,
        )
        journal = desk.begin(record, (), steps, undoing.metadata)
        ended, _ = desk.conduct(
            record,
            (),
            journal,
            lambda run: run.carry_out_steps(steps),
            control=control,
            metadata=undoing.metadata,
        )
        return UndoneRun(ended, tuple(change.path for change in undoing.changes), undoing.merged, undoing.kept)


def is_undoable(record: RunRecord, *, has_journal: bool) -> bool:
    """Whether a run left something behind that can be taken back."""
    if record.status is RunStatus.COMPLETED:
        return has_journal
    left_work = record.status in (RunStatus.FAILED, RunStatus.CANCELLED) and not record.rolled_back
    return left_work and has_journal


def work_out(history: History, workspace: Workspace, objects: ObjectStore, only: OperationId | None = None) -> Undoing:
    """Compare what the run left with what is on disk, path by path."""
    steps = [step for step in history.done if only is None or step.operation == only]
    if only is not None and not steps:
        raise BadInputError(f"The run has no operation {only} with file changes.", step=only, next="tandem runs")
    if only is not None:
        _refuse_if_built_upon(history, only)
    workspace.forget_directories()
    net = net_changes(steps)
    changes: list[PathChange] = []
    merged: list[str] = []
    conflicts: list[tuple[str, str]] = []
    contents: list[bytes] = []
    for path, (before, after) in net.items():
        disk, data = workspace.peek(path)
        if disk is None:
            conflicts.append((path, "replaced by something that is no file, link or folder"))
            continue
        if disk == before or _is_fine_as_it_is(disk, before, after):
            continue
        if disk == after or _made_folder(disk, before, after) or _merely_refreshed(path, data, after, objects):
            changes.append(PathChange(path=path, before=disk, after=before))
            if disk != after and data is not None:
                contents.append(data)
            continue
        combined = _combined(disk, data, before, after, objects)
        if combined is None:
            conflicts.append((path, _what_happened(disk, after)))
            continue
        state, content = combined
        contents += [content, data or b""]
        merged.append(path)
        if state != disk:
            changes.append(PathChange(path=path, before=disk, after=state))
    changes, kept = _without_full_folders(changes, workspace)
    changes += _missing_folders(changes, workspace)
    moves = {s.to: s.path for s in reversed(steps) if s.action is Action.RENAME and s.to is not None}
    lost = {step.path: history.lost[step.n] for step in steps if step.n in history.lost}
    return Undoing(tuple(changes), tuple(merged), tuple(kept), tuple(conflicts), tuple(contents), moves, lost)


def _refuse_if_built_upon(history: History, only: OperationId) -> None:
    own = {path for step in history.done if step.operation == only for path, _, _ in step.states()}
    later = False
    for step in history.done:
        if step.operation == only:
            later = True
        elif later and own & {path for path, _, _ in step.states()}:
            raise UndoConflictError(
                f"{step.operation} built on {only} in the same run at {step.path}; nothing was changed.",
                path=step.path,
                step=only,
                next=f"Undo {step.operation} first, or the whole run.",
            )


def _is_fine_as_it_is(disk: NodeState, before: NodeState, after: NodeState) -> bool:
    """A folder that is back, or gone, whoever did it."""
    if isinstance(before, DirectoryState) and isinstance(after, Absent):
        return isinstance(disk, DirectoryState)
    return isinstance(before, Absent) and isinstance(after, DirectoryState) and isinstance(disk, Absent)


def _made_folder(disk: NodeState, before: NodeState, after: NodeState) -> bool:
    return isinstance(before, Absent) and isinstance(after, DirectoryState) and isinstance(disk, DirectoryState)


def _merely_refreshed(path: str, data: bytes | None, after: NodeState, objects: ObjectStore) -> bool:
    """An index git has rewritten by looking at it counts as untouched."""
    if path != INDEX_PATH or data is None or not isinstance(after, FileState):
        return False
    return same_entries(data, objects.read(after.sha256))


def _combined(
    disk: NodeState, data: bytes | None, before: NodeState, after: NodeState, objects: ObjectStore
) -> tuple[FileState, bytes] | None:
    """The person's later edit kept, the run's change taken out, when they do not touch."""
    if not (isinstance(disk, FileState) and isinstance(before, FileState) and isinstance(after, FileState)):
        return None
    if data is None or not (disk.mode == after.mode or before.mode == after.mode):
        return None
    content = merge(objects.read(after.sha256), data, objects.read(before.sha256))
    if content is None:
        return None
    mode = before.mode if disk.mode == after.mode else disk.mode
    return FileState.of(content, mode), content


def _what_happened(disk: NodeState, after: NodeState) -> str:
    if isinstance(disk, Absent):
        return "deleted since"
    if isinstance(after, Absent):
        return "created since"
    return "changed since, where the run had changed it"


def _without_full_folders(changes: list[PathChange], workspace: Workspace) -> tuple[list[PathChange], list[str]]:
    """Leave every folder that still holds something the undo does not remove."""
    by_path = {change.path: change for change in changes}
    leaving = {change.path for change in changes if isinstance(change.after, Absent)}
    kept = []
    for path in sorted(leaving, reverse=True):
        if not isinstance(by_path[path].before, DirectoryState):
            continue
        if any(f"{path}/{name}" not in leaving for name in workspace.children(path)):
            leaving.discard(path)
            kept.append(path)
    return [c for c in changes if c.path not in kept], kept


def _missing_folders(changes: Iterable[PathChange], workspace: Workspace) -> list[PathChange]:
    """Folders that have to be made again for a file to come back."""
    known = {change.path for change in changes if isinstance(change.after, DirectoryState)}
    made: dict[str, PathChange] = {}
    for change in changes:
        if isinstance(change.after, Absent):
            continue
        for folder in missing_parents(change.path, lambda f: f in known or f in made or workspace.is_directory(f)):
            state = DirectoryState(mode=NEW_DIRECTORY_MODE)
            made[folder] = PathChange(path=folder, before=ABSENT, after=state)
    return list(made.values())


def _conflict(run_id: RunId, conflicts: tuple[tuple[str, str], ...]) -> UndoConflictError:
    named = "; ".join(f"{path} was {reason}" for path, reason in conflicts[:8])
    more = f"; and {len(conflicts) - 8} more" if len(conflicts) > 8 else ""
    return UndoConflictError(
        f"{run_id} cannot be undone without losing later edits: {named}{more}. Nothing was changed.",
        path=conflicts[0][0],
        next="Save your edits elsewhere or revert them, then undo again.",
    )
