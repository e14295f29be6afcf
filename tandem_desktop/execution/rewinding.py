"""Back to before a run, with everything since: a chain of undos, worked out as one change."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tandem_desktop.domain.execution import RunKind, RunRecord, RunStatus
from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.imagined import ImaginedTree
from tandem_desktop.execution.journal_shelf import History
from tandem_desktop.execution.undoing import Undoing, work_out
from tandem_desktop.execution.workbench import Metadata
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Rewinding:
    """What going back would do, all runs together."""

    runs: tuple[RunId, ...]
    """Newest first; a run that was taken back already is not among them, nor is what took it back."""
    undoing: Undoing


def is_undoable(record: RunRecord, *, has_journal: bool) -> bool:
    """Whether a run left something behind that can be taken back."""
    if record.status is RunStatus.COMPLETED:
        return has_journal
    left_work = record.status in (RunStatus.FAILED, RunStatus.CANCELLED) and not record.rolled_back
    return left_work and has_journal


def runs_since(
    first: RunRecord, every: Iterable[RunRecord], has_journal: Callable[[RunId], bool]
) -> tuple[RunRecord, ...]:
    """What has to be taken back to come to before `first`, newest first.

    A run that was undone since is out of the way together with its undo. An undo of something older than `first`
    changed the files like any run, and is taken back.
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
    histories: Sequence[tuple[RunId, History]], workspace: Workspace, objects: ObjectStore
) -> Rewinding:
    """Undo each in turn, in the mind only; the first conflict ends it."""
    tree = ImaginedTree(workspace, objects)
    merged: dict[str, None] = {}
    kept: dict[str, None] = {}
    contents: dict[bytes, None] = {}
    conflicts: tuple[tuple[str, str], ...] = ()
    moves: dict[str, str] = {}
    metadata: dict[str, Metadata] = {}
    for run_id, history in histories:
        undoing = work_out(history, tree, objects)
        if undoing.conflicts:
            conflicts = tuple((path, f"{reason} ({run_id})") for path, reason in undoing.conflicts)
            break
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
    return Rewinding(
        tuple(run_id for run_id, _ in histories),
        Undoing(
            changes=changes,
            merged=tuple(merged),
            kept=tuple(path for path in kept if path not in removed),
            conflicts=conflicts,
            contents=tuple(contents),
            moves=moves,
            metadata=metadata,
        ),
    )
