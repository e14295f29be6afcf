"""Undoes and redoes runs, or rewinds several at once."""

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tandem_desktop.domain.errors import BadInputError, PlanDamagedError, RunNotFoundError, UndoConflictError
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
from tandem_desktop.domain.paths import ancestors, is_inside, shown
from tandem_desktop.domain.runs import FailurePolicy, RunKind, RunRecord, RunStatus, is_undoable
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.execution.git_objects import outside_git_directory
from tandem_desktop.execution.git_undo import GitUndo, GitUndoPlan
from tandem_desktop.execution.journal import History
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.execution.scratch_dir import Metadata
from tandem_desktop.execution.steps import Action, Step, missing_parents, net_changes, ordered_steps
from tandem_desktop.staging.git_effects import GitEffect, without_git
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace


class RewoundTree:
    """Simulated changes on top of the workspace, which is only read."""

    def __init__(self, workspace: Workspace, objects: ObjectStore) -> None:
        self._workspace = workspace
        self._objects = objects
        self._states: dict[str, NodeState] = {}
        self._contents: dict[str, bytes] = {}

    def peek(self, path: str) -> tuple[NodeState | None, bytes | None]:
        state = self._states.get(path)
        if state is None:
            return self._workspace.peek(path)
        return state, self._content(state) if isinstance(state, FileState) else None

    def children(self, path: str) -> tuple[str, ...]:
        names = set(self._workspace.children(path)) if self._workspace.is_directory(path) else set()
        for each, state in self._states.items():
            above, _, name = each.rpartition("/")
            if above == path:
                (names.discard if isinstance(state, Absent) else names.add)(name)
        return tuple(sorted(names))

    def is_directory(self, path: str) -> bool:
        state = self._states.get(path)
        return self._workspace.is_directory(path) if state is None else isinstance(state, DirectoryState)

    def let(self, changes: Iterable[PathChange], contents: Iterable[bytes]) -> None:
        """Apply changes to the simulated tree; `contents` are bytes that are not stored yet."""
        for data in contents:
            self._contents[hashlib.sha256(data).hexdigest()] = data
        self._states.update({change.path: change.after for change in changes})

    def changes(self) -> tuple[PathChange, ...]:
        """The total changes against the disk."""
        found = []
        for path, after in sorted(self._states.items()):
            before = self._workspace.peek(path)[0]
            if before is not None and before != after:
                found.append(PathChange(path=path, before=before, after=after))
        return tuple(found)

    def _content(self, state: FileState) -> bytes:
        known = self._contents.get(state.sha256)
        return self._objects.read(state.sha256) if known is None else known


NetChanges = dict[str, tuple[NodeState, NodeState]]


class UndoContext(Protocol):
    """The tree an undo works on: the disk, or a simulated tree."""

    def peek(self, path: str) -> tuple[NodeState | None, bytes | None]: ...

    def children(self, path: str) -> tuple[str, ...]: ...

    def is_directory(self, path: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class UndoPart:
    """The part of a run to undo: all of it, one operation, or one path with everything below it."""

    operation: OperationId | None = None
    path: str | None = None
    keep_git: bool = False
    """Leave every git repository as it is: only working files go back."""

    @property
    def is_whole(self) -> bool:
        return self.operation is None and self.path is None and not self.keep_git


WHOLE = UndoPart()


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """The changes of an undo, valid while the disk is unchanged."""

    changes: tuple[PathChange, ...]
    merged: tuple[str, ...]
    kept: tuple[str, ...]
    """Folders created by the run that contain other files now; they stay."""
    conflicts: tuple[tuple[str, str], ...]
    contents: tuple[bytes, ...]
    moves: dict[str, str]
    """Current path of each moved node, and its path before the run."""
    metadata: dict[str, Metadata]
    """Attributes of nodes that the run removed, by their path before the run."""
    git: tuple[GitEffect, ...] = ()
    """What goes back in repositories."""
    notes: tuple[str, ...] = ()
    """What stays, and why."""
    in_git: frozenset[str] = frozenset()
    """Those of the conflicts that are about a repository, by path."""

    @property
    def files(self) -> tuple[PathChange, ...]:
        """The changes that are not told by `git`."""
        return without_git(self.changes, self.git)

    @property
    def has_only_git_conflicts(self) -> bool:
        """Whether the working files could go back if the repository stays as it is."""
        return bool(self.conflicts) and self.in_git.issuperset(path for path, _ in self.conflicts)


def work_out(
    history: History, tree: UndoContext, objects: ObjectStore, part: UndoPart = WHOLE, *, git: GitUndo
) -> UndoPlan:
    """Compare what the run left with what is there now, path by path; `git` does so for repositories, by value.

    Raises:
        BadInputError: the run has no such part.
        UndoConflictError: a later operation of the run builds on the one that is to go.
    """
    steps = [step for step in history.done if part.operation in (None, step.operation)]
    if part.operation is not None:
        if not steps:
            raise BadInputError(
                f"The run has no operation {part.operation} with file changes.", step=part.operation, next="tandem runs"
            )
        _refuse_if_built_upon(history, part.operation)
    net = net_changes(steps)
    if part.path is not None:
        net = _only_path(net, steps, part.path)
    in_git = git.paths(net, tree)
    if part.keep_git:
        net = {path: sides for path, sides in net.items() if path not in in_git}
        repositories = GitUndoPlan(notes=["The git repository stays as it is."] if in_git else [])
    else:
        repositories = git.work_out(net, history.seen, tree)
    settled = (in_git - repositories.plain) | {change.path for change in repositories.changes}
    changes: list[PathChange] = list(repositories.changes)
    merged: list[str] = list(repositories.merged)
    conflicts: list[tuple[str, str]] = list(repositories.conflicts)
    contents: list[bytes] = list(repositories.contents)
    for path, (before, after) in net.items():
        if path in settled:
            continue
        disk, data = tree.peek(path)
        if path in repositories.folders and not _is_folder_or_nothing(disk):
            continue
        if disk is None:
            conflicts.append((path, "replaced by something that is no file, link or folder"))
            continue
        if disk == before or _is_fine_as_it_is(disk, before, after):
            continue
        if disk == after or _made_folder(disk, before, after) or path in repositories.as_left:
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
    changes, kept = _without_full_folders(changes, tree)
    changes += _missing_folders(changes, tree)
    moves, had = _whence(steps, history.lost)
    lost = {path: metadata for path, metadata in had.items() if path in net}
    return UndoPlan(
        changes=tuple(changes),
        merged=tuple(merged),
        kept=tuple(path for path in kept if path not in in_git),
        conflicts=tuple(conflicts),
        contents=tuple(contents),
        moves=moves,
        metadata=lost,
        git=() if conflicts else git.effects(changes, contents, tree),
        notes=() if conflicts else tuple(repositories.notes),
        in_git=frozenset(path for path, _ in repositories.conflicts) | (in_git & {path for path, _ in conflicts}),
    )


def _whence(steps: Iterable[Step], lost: Mapping[int, Metadata]) -> tuple[dict[str, str], dict[str, Metadata]]:
    """The original path of each moved node, and the attributes of removed nodes by original path."""
    first: dict[str, str | None] = {}
    had: dict[str, Metadata] = {}
    for step in steps:
        origin = None if step.action is Action.PUT else first.pop(step.path, step.path)
        if step.action not in (Action.REMOVE, Action.RMDIR):
            first[step.to or step.path] = origin
        if origin is not None and step.n in lost:
            had.setdefault(origin, lost[step.n])
    return {path: origin for path, origin in first.items() if origin not in (None, path)}, had


def _only_path(net: NetChanges, steps: Iterable[Step], path: str) -> NetChanges:
    """The changes of one file, or of all files in one folder, with moves from or to it and the folders it needs."""
    wanted = {each for each in net if each == path or is_inside(each, path)}
    moves = [(step.path, step.to) for step in steps if step.to is not None]
    known = -1
    while known != len(wanted):  # a file may have been moved more than once, by moves in either direction
        known = len(wanted)
        wanted.update(end for move in moves if not wanted.isdisjoint(move) for end in move)
    if not wanted:
        raise BadInputError(f"The run left {shown(path)} as it was.", path=path, next="tandem runs")
    folders = {above for each in wanted for above in ancestors(each)}
    return {
        each: pair
        for each, pair in net.items()
        if each in wanted or (each in folders and any(isinstance(state, Absent) for state in pair))
    }


def _refuse_if_built_upon(history: History, only: OperationId) -> None:
    own = {path for step in history.done if step.operation == only for path, _, _ in step.states()}
    later = False
    for step in history.done:
        if step.operation == only:
            later = True
        elif later and own & {path for path, _, _ in step.states()}:
            raise UndoConflictError(
                f"{step.operation} built on {only} in the same run at {step.path}; nothing was changed.",
                conflicts=((step.path, f"changed again by {step.operation} in the same run"),),
                step=only,
                next=f"Undo {step.operation} first, or the whole run.",
            )


def _is_fine_as_it_is(disk: NodeState, before: NodeState, after: NodeState) -> bool:
    """True if a folder is already restored or removed."""
    if isinstance(before, DirectoryState) and isinstance(after, Absent):
        return isinstance(disk, DirectoryState)
    return isinstance(before, Absent) and isinstance(after, DirectoryState) and isinstance(disk, Absent)


def _is_folder_or_nothing(disk: NodeState | None) -> bool:
    return isinstance(disk, DirectoryState | Absent)


def _made_folder(disk: NodeState, before: NodeState, after: NodeState) -> bool:
    return isinstance(before, Absent) and isinstance(after, DirectoryState) and isinstance(disk, DirectoryState)


def _combined(
    disk: NodeState, data: bytes | None, before: NodeState, after: NodeState, objects: ObjectStore
) -> tuple[FileState, bytes] | None:
    """Merge: keep the person's later edit and remove the run's change, if they do not overlap."""
    if not (isinstance(disk, FileState) and isinstance(before, FileState) and isinstance(after, FileState)):
        return None
    if data is None or not (disk.mode == after.mode or before.mode == after.mode):
        return None
    from tandem_desktop.diff.three_way import merge

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


def _without_full_folders(changes: list[PathChange], tree: UndoContext) -> tuple[list[PathChange], list[str]]:
    """Keep every folder that contains something the undo does not remove."""
    by_path = {change.path: change for change in changes}
    leaving = {change.path for change in changes if isinstance(change.after, Absent)}
    kept = []
    for path in sorted(leaving, reverse=True):
        if not isinstance(by_path[path].before, DirectoryState):
            continue
        if any(f"{path}/{name}" not in leaving for name in tree.children(path)):
            leaving.discard(path)
            kept.append(path)
    return [c for c in changes if c.path not in kept], kept


def _missing_folders(changes: Iterable[PathChange], tree: UndoContext) -> list[PathChange]:
    """Folders to recreate so that a file can be restored."""
    known = {change.path for change in changes if isinstance(change.after, DirectoryState)}
    made: dict[str, PathChange] = {}
    for change in changes:
        if isinstance(change.after, Absent):
            continue
        for folder in missing_parents(change.path, lambda f: f in known or f in made or tree.is_directory(f)):
            state = DirectoryState(mode=NEW_DIRECTORY_MODE)
            made[folder] = PathChange(path=folder, before=ABSENT, after=state)
    return list(made.values())


@dataclass(frozen=True, slots=True)
class RewindPlan:
    """The changes of a rewind over several runs."""

    runs: tuple[RunId, ...]
    """Newest first, without runs that are undone already and their undos."""
    undoing: UndoPlan


def runs_since(
    first: RunRecord, every: Iterable[RunRecord], has_journal: Callable[[RunId], bool]
) -> tuple[RunRecord, ...]:
    """The runs to undo to get the state before `first`, newest first.

    A run that is undone is skipped together with its undo. An undo of a run older than `first` changed files like any
    run, so it is undone too.
    """
    since = {each.run_id: each for each in every if each.started_at >= first.started_at}
    chain = [each for each in since.values() if is_undoable(each, has_journal=has_journal(each.run_id))]
    cancelled = {
        each.run_id
        for each in chain
        if each.kind is RunKind.UNDO and not each.partial and {each.of, *each.also} <= since.keys()
    }
    return tuple(
        sorted((each for each in chain if each.run_id not in cancelled), key=lambda each: each.started_at, reverse=True)
    )


def work_out_rewind(
    histories: Sequence[tuple[RunId, History]],
    workspace: Workspace,
    objects: ObjectStore,
    git: GitUndo,
    *,
    keep_git: bool = False,
) -> RewindPlan:
    """Simulate the undo of each run in turn; stops at the first conflict."""
    tree = RewoundTree(workspace, objects)
    notes: dict[str, None] = {}
    in_git: frozenset[str] = frozenset()
    merged: dict[str, None] = {}
    kept: dict[str, None] = {}
    contents: dict[bytes, None] = {}
    conflicts: tuple[tuple[str, str], ...] = ()
    moves: dict[str, str] = {}
    metadata: dict[str, Metadata] = {}
    for run_id, history in histories:
        undoing = work_out(history, tree, objects, UndoPart(keep_git=keep_git), git=git)
        if undoing.conflicts:
            conflicts = tuple((path, f"{reason} ({run_id})") for path, reason in undoing.conflicts)
            in_git = undoing.in_git
            break
        notes |= dict.fromkeys(undoing.notes)
        tree.let(undoing.changes, undoing.contents)
        merged |= dict.fromkeys(undoing.merged)
        kept |= dict.fromkeys(undoing.kept)
        contents |= dict.fromkeys(undoing.contents)
        earlier = undoing.moves
        stayed = {now: first for now, first in earlier.items() if now not in moves.values()}
        moves = stayed | {now: earlier.get(path, path) for now, path in moves.items()}
        metadata = {earlier.get(path, path): had for path, had in metadata.items()} | undoing.metadata
    changes = tree.changes()
    removed = {change.path for change in changes if change.after.type == "absent"}
    return RewindPlan(
        tuple(run_id for run_id, _ in histories),
        UndoPlan(
            changes=changes,
            merged=tuple(merged),
            kept=tuple(path for path in kept if path not in removed),
            conflicts=conflicts,
            contents=tuple(contents),
            moves=moves,
            metadata=metadata,
            git=() if conflicts else git.effects(changes, contents, workspace),
            notes=tuple(notes) if not conflicts else (),
            in_git=in_git,
        ),
    )


_WHOLE_RUN = OperationId("undo")


@dataclass(frozen=True, slots=True)
class UndoneRun:
    """An undo or redo that has ended."""

    record: RunRecord
    changed: tuple[str, ...]
    """Working files; what went back in repositories is told by `git`."""
    merged: tuple[str, ...]
    kept: tuple[str, ...]
    git: tuple[GitEffect, ...] = ()
    notes: tuple[str, ...] = ()


class UndoExecutor:
    """Undo and redo runs. An undo is a run itself, so it can be undone too."""

    def __init__(self, manager: RunManager) -> None:
        self._manager = manager

    def preview(self, run_id: str, part: UndoPart | None = None) -> UndoPlan:
        """What `undo` would do now; nothing is written."""
        return self._work_out(self._undoable(run_id), part or WHOLE)

    def undo(self, run_id: str, *, part: UndoPart | None = None, control: RunControl | None = None) -> UndoneRun:
        """Undo one run, or a part of it.

        Raises:
            UndoConflictError: a later edit overlaps; nothing was changed and each path is named.
        """
        with self._manager.only_run():
            self._manager.refuse_if_interrupted()
            target = self._undoable(run_id)
            undoing = self._work_out(target, part or WHOLE)
            return self._carry_out(
                target[0], undoing, RunKind.UNDO, control, partial=part is not None and not part.is_whole
            )

    def preview_rewind(self, run_id: str, *, keep_git: bool = False) -> RewindPlan:
        """What `rewind` would do now; nothing is written."""
        return self._work_out_rewind(run_id, keep_git=keep_git)

    def rewind(self, run_id: str, *, keep_git: bool = False, control: RunControl | None = None) -> UndoneRun:
        """Undo a run and all later runs, newest first, as one run.

        Raises:
            UndoConflictError: an edit of the person overlaps; nothing was changed and each path is named.
        """
        with self._manager.only_run():
            self._manager.refuse_if_interrupted()
            rewinding = self._work_out_rewind(run_id, keep_git=keep_git)
            return self._carry_out(
                self._manager.runs.get(rewinding.runs[-1]),
                rewinding.undoing,
                RunKind.UNDO,
                control,
                partial=keep_git,
                also=rewinding.runs[:-1],
            )

    def redo(self, run_id: str, *, control: RunControl | None = None) -> UndoneRun:
        """Redo an undone run; takes the name of the run or of its undo."""
        with self._manager.only_run():
            self._manager.refuse_if_interrupted()
            record = self._manager.runs.get(run_id)
            if record.kind is not RunKind.UNDO:
                record = self._undo_of(record)
            target = self._undoable(record.run_id)
            return self._carry_out(target[0], self._work_out(target, WHOLE), RunKind.REDO, control)

    def _undo_of(self, record: RunRecord) -> RunRecord:
        """The undo of the run; otherwise the latest undo of a part of it that is not redone."""
        if record.undone_by is not None:
            return self._manager.runs.get(record.undone_by)
        for each in self._manager.runs.list():
            if each.of == record.run_id and each.partial and each.status is RunStatus.COMPLETED:
                return each
        raise BadInputError(f"{record.run_id} has not been undone.", next="See what can be: tandem runs")

    def _undoable(self, run_id: str) -> tuple[RunRecord, History]:
        record = self._manager.runs.get(run_id)
        if record.status is RunStatus.UNDONE:
            raise BadInputError(f"{run_id} is undone already.", next=f"Bring it back with: tandem redo {run_id}")
        if record.status is RunStatus.COMPLETED and not self._manager.journal_store.has(record.run_id):
            raise BadInputError(
                f"The journal of {run_id} is not in the state folder: the run belongs to another copy of this folder.",
                next="Undo it where it was applied, with the same state folder.",
            )
        if not is_undoable(record, has_journal=self._manager.journal_store.has(record.run_id)):
            raise BadInputError(
                f"{run_id} left nothing to undo ({record.status.value}).", next="See what can be undone: tandem runs"
            )
        return record, self._manager.journal_store.history(run_id)

    def _work_out(self, target: tuple[RunRecord, History], part: UndoPart) -> UndoPlan:
        manager = self._manager
        manager.workspace.forget_directories()
        undoing = work_out(target[1], manager.workspace, manager.objects, part, git=self._git(target[0]))
        return replace(undoing, notes=(*undoing.notes, *self._outside_notes(target[1])))

    def _git(self, *records: RunRecord) -> GitUndo:
        git = GitUndo(self._manager.workspace.path, self._manager.objects)
        for record in records:
            for history in self._histories_behind(record):
                git.know(net_changes(history.done), self._manager.workspace)
        return git

    def _histories_behind(self, record: RunRecord) -> Iterator[History]:
        """Of what an undo or redo took back, as far as it is still known: it may need objects that those made."""
        known = {record.run_id}
        waiting = [record.of, *record.also]
        while waiting:
            run_id = waiting.pop()
            if run_id is None or run_id in known or not self._manager.journal_store.has(run_id):
                continue
            known.add(run_id)
            yield self._manager.journal_store.history(run_id)
            with contextlib.suppress(RunNotFoundError, PlanDamagedError):
                behind = self._manager.runs.get(run_id)
                waiting += [behind.of, *behind.also]

    def _outside_notes(self, history: History) -> tuple[str, ...]:
        outside = outside_git_directory(self._manager.workspace.path)
        if outside is None or not any(operation.is_run for operation in history.operations):
            return ()
        return (f"The git folder at {outside} lies outside the workspace: what commands did there was not put back.",)

    def _work_out_rewind(self, run_id: str, *, keep_git: bool = False) -> RewindPlan:
        manager = self._manager
        chain = runs_since(manager.runs.get(run_id), manager.runs.list(), manager.journal_store.has)
        if not chain:
            raise BadInputError(
                f"Nothing has changed the files since {run_id} began.", next="See what can be undone: tandem runs"
            )
        manager.workspace.forget_directories()
        histories = [(each.run_id, manager.journal_store.history(each.run_id)) for each in chain]
        rewinding = work_out_rewind(histories, manager.workspace, manager.objects, self._git(*chain), keep_git=keep_git)
        noted = tuple(dict.fromkeys(note for _, history in histories for note in self._outside_notes(history)))
        return replace(rewinding, undoing=replace(rewinding.undoing, notes=(*rewinding.undoing.notes, *noted)))

    def _carry_out(
        self,
        of: RunRecord,
        undoing: UndoPlan,
        kind: RunKind,
        control: RunControl | None,
        *,
        partial: bool = False,
        also: tuple[RunId, ...] = (),
    ) -> UndoneRun:
        manager = self._manager
        manager.workspace.check_identity()
        if undoing.conflicts:
            raise _conflict(of.run_id, undoing)
        manager.objects.put_all(undoing.contents)
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
            started_at=manager.clock(),
            partial=partial,
            also=also,
        )
        journal = manager.begin(record, (), steps, undoing.metadata)
        ended, _ = manager.conduct(
            record,
            (),
            journal,
            lambda run: run.carry_out_steps(steps),
            control=control,
            metadata=undoing.metadata,
        )
        changed = tuple(change.path for change in undoing.files)
        return UndoneRun(ended, changed, undoing.merged, undoing.kept, undoing.git, undoing.notes)


def _conflict(run_id: RunId, undoing: UndoPlan) -> UndoConflictError:
    named = "; ".join(
        reason if path in undoing.in_git else f"{path} was {reason}" for path, reason in undoing.conflicts[:8]
    )
    more = f"; and {len(undoing.conflicts) - 8} more" if len(undoing.conflicts) > 8 else ""
    following = "Save your edits elsewhere or revert them, then undo again."
    if undoing.has_only_git_conflicts:
        following = f"Take back only the working files; the repository stays as it is: tandem undo {run_id} --keep-git"
    return UndoConflictError(
        f"{run_id} cannot be undone without losing later work: {named}{more}. Nothing was changed.",
        conflicts=undoing.conflicts,
        next=following,
    )
