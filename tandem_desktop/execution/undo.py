"""Take runs back, bring them back: each undo is itself a run."""

from dataclasses import dataclass

from tandem_desktop.domain.errors import BadInputError, UndoConflictError
from tandem_desktop.domain.execution import FailurePolicy, RunKind, RunRecord, RunStatus
from tandem_desktop.domain.ids import OperationId, RunId, new_run_id
from tandem_desktop.execution.change_order import ordered_steps
from tandem_desktop.execution.control import RunControl
from tandem_desktop.execution.journal_shelf import History
from tandem_desktop.execution.rewinding import Rewinding, is_undoable, runs_since, work_out_rewind
from tandem_desktop.execution.run_desk import RunDesk
from tandem_desktop.execution.undoing import WHOLE, Part, Undoing, work_out

_WHOLE_RUN = OperationId("undo")


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

    def preview(self, run_id: str, part: Part = WHOLE) -> Undoing:
        """What `undo` would do now; nothing is written."""
        return self._work_out(self._undoable(run_id), part)

    def undo(self, run_id: str, *, part: Part = WHOLE, control: RunControl | None = None) -> UndoneRun:
        """Take one run back, or a part of it.

        Raises:
            UndoConflictError: a later edit overlaps; nothing was changed and each path is named.
        """
        with self._desk.only_run():
            self._desk.refuse_if_interrupted()
            target = self._undoable(run_id)
            undoing = self._work_out(target, part)
            return self._carry_out(target[0], undoing, RunKind.UNDO, control, partial=not part.is_whole)

    def preview_rewind(self, run_id: str) -> Rewinding:
        """What `rewind` would do now; nothing is written."""
        return self._work_out_rewind(run_id)

    def rewind(self, run_id: str, *, control: RunControl | None = None) -> UndoneRun:
        """Take a run back with every run since, newest first, as one run: the files as before it.

        Raises:
            UndoConflictError: an edit of the person overlaps; nothing was changed and each path is named.
        """
        with self._desk.only_run():
            self._desk.refuse_if_interrupted()
            rewinding = self._work_out_rewind(run_id)
            return self._carry_out(
                self._desk.runs.get(rewinding.runs[-1]),
                rewinding.undoing,
                RunKind.UNDO,
                control,
                also=rewinding.runs[:-1],
            )

    def redo(self, run_id: str, *, control: RunControl | None = None) -> UndoneRun:
        """Bring back what an undo took away. Takes the undone run's name, or the undo's own."""
        with self._desk.only_run():
            self._desk.refuse_if_interrupted()
            record = self._desk.runs.get(run_id)
            if record.kind is not RunKind.UNDO:
                record = self._undo_of(record)
            target = self._undoable(record.run_id)
            return self._carry_out(target[0], self._work_out(target, WHOLE), RunKind.REDO, control)

    def _undo_of(self, record: RunRecord) -> RunRecord:
        """The undo that took the run back; else the latest that took back a part of it and still stands."""
        if record.undone_by is not None:
            return self._desk.runs.get(record.undone_by)
        for each in self._desk.runs.list():
            if each.of == record.run_id and each.partial and each.status is RunStatus.COMPLETED:
                return each
        raise BadInputError(f"{record.run_id} has not been undone.", next="See what can be: tandem runs")

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

    def _work_out(self, target: tuple[RunRecord, History], part: Part) -> Undoing:
        self._desk.workspace.forget_directories()
        return work_out(target[1], self._desk.workspace, self._desk.objects, part)

    def _work_out_rewind(self, run_id: str) -> Rewinding:
        desk = self._desk
        chain = runs_since(desk.runs.get(run_id), desk.runs.list(), desk.shelf.has)
        if not chain:
            raise BadInputError(
                f"Nothing has changed the files since {run_id} began.", next="See what can be undone: tandem runs"
            )
        desk.workspace.forget_directories()
        histories = [(each.run_id, desk.shelf.history(each.run_id)) for each in chain]
        return work_out_rewind(histories, desk.workspace, desk.objects)

    def _carry_out(
        self,
        of: RunRecord,
        undoing: Undoing,
        kind: RunKind,
        control: RunControl | None,
        *,
        partial: bool = False,
        also: tuple[RunId, ...] = (),
    ) -> UndoneRun:
        desk = self._desk
        desk.workspace.check_identity()
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
            partial=partial,
            also=also,
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


def _conflict(run_id: RunId, conflicts: tuple[tuple[str, str], ...]) -> UndoConflictError:
    named = "; ".join(f"{path} was {reason}" for path, reason in conflicts[:8])
    more = f"; and {len(conflicts) - 8} more" if len(conflicts) > 8 else ""
    return UndoConflictError(
        f"{run_id} cannot be undone without losing later edits: {named}{more}. Nothing was changed.",
        conflicts=conflicts,
        next="Save your edits elsewhere or revert them, then undo again.",
    )
