"""What changed between two revisions of a proposal itself: the after-images of one beside those of the other."""

from dataclasses import dataclass

from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.review.compare import ComparedOperation, Comparison
from tandem_desktop.staging.hunks import Hunk, hunks
from tandem_desktop.storage.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Interdiff:
    """One changed operation: what it would have left, what it would leave now, and the hunks between the two."""

    operation: ComparedOperation
    earlier: bytes
    later: bytes
    hunks: tuple[Hunk, ...]


def interdiff(
    old: PlanVersion, new: PlanVersion, comparison: Comparison, objects: ObjectStore
) -> tuple[Interdiff, ...]:
    """Every operation of `comparison.changed`, in its order; without hunks where the bytes are the same.

    Raises:
        StorageError: stored bytes are missing or altered.
    """
    before = {operation.id: operation for operation in old.operations}
    after = {operation.id: operation for operation in new.operations}
    return tuple(
        _between(each, before.get(each.earlier_id or each.id), after[each.id], objects) for each in comparison.changed
    )


def _between(
    named: ComparedOperation, old: StagedOperation | None, new: StagedOperation, objects: ObjectStore
) -> Interdiff:
    earlier, later = _left(old, objects), _left(new, objects)
    return Interdiff(named, earlier, later, hunks(earlier, later) if earlier != later else ())


def _left(operation: StagedOperation | None, objects: ObjectStore) -> bytes:
    state = operation.after if operation else None
    return objects.read(state.sha256) if isinstance(state, FileState) else b""
