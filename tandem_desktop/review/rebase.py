"""A plan carried over to the files as they are now: what keeps apart is combined, what meets is for a person."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tandem_desktop.domain.errors import StagingError, StorageError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, StagedOperation
from tandem_desktop.domain.paths import ancestors
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.review.carrying import Carried, Carrier, Contents
from tandem_desktop.review.chains import Chain, chains
from tandem_desktop.review.conflicts import ONLY_DISK, Conflict, Resolution, Take, fingerprint
from tandem_desktop.staging.difference import Difference
from tandem_desktop.staging.simulated_tree import SimulatedTree
from tandem_desktop.storage.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Rebased:
    """The operations on what is there now, complete only when nothing is in conflict."""

    operations: tuple[StagedOperation, ...]
    contents: tuple[bytes, ...]
    """The bytes of every new base and every new after."""
    conflicts: tuple[Conflict, ...]
    left_out: tuple[OperationId, ...]
    """Operations with nothing left to do: the disk has it already, or is kept as it is."""


def rebase(
    operations: Sequence[StagedOperation],
    source: SourceTree,
    objects: ObjectStore,
    resolutions: Iterable[Resolution] = (),
) -> Rebased:
    """Carry each operation, in order, onto the tree the earlier ones leave. Nothing is guessed, nothing is written."""
    walk = _Walk(operations, source, objects, {each.path: each for each in resolutions})
    for operation in operations:
        walk.take(operation)
    return walk.outcome()


class _Walk:
    """One pass over a plan, with the tree as it stands after each operation."""

    def __init__(
        self,
        operations: Sequence[StagedOperation],
        source: SourceTree,
        objects: ObjectStore,
        resolutions: Mapping[str, Resolution],
    ) -> None:
        self._chains = chains(operations)
        self._known = {path for operation in operations for path in operation.paths}
        self._tree = SimulatedTree(source)
        self._contents = Contents(objects.read, {})
        self._resolutions = resolutions
        self._carried: Carried = {}
        self._conflicts: list[Conflict] = []
        self._kept: list[StagedOperation] = []
        self._left_out: dict[OperationId, tuple[OperationId, ...]] = {}

    def outcome(self) -> Rebased:
        return Rebased(
            operations=tuple(self._kept),
            contents=tuple(self._contents.made.values()),
            conflicts=tuple(self._conflicts),
            left_out=tuple(self._left_out),
        )

    def take(self, operation: StagedOperation) -> None:
        if operation.path is None:
            self._keep(operation)
            return
        chain = self._chains[operation.id]
        if operation.id not in self._carried:
            self._carried.update(self._carry(chain))
        carried = self._carried[operation.id]
        if carried is not None and not self._has_room(carried):
            later = chain.operations[chain.operations.index(operation) :]
            self._carried.update({each.id: None for each in later})
            carried = None
        if carried is None:
            self._left_out[operation.id] = self._still_there(operation.blocked_by)
            return
        for change in carried.changes():
            self._tree.become(change.path, change.after)
        self._keep(carried)

    def _keep(self, operation: StagedOperation) -> None:
        blockers = self._still_there(operation.blocked_by)
        self._kept.append(
            operation if blockers == operation.blocked_by else operation.model_copy(update={"blocked_by": blockers})
        )

    def _still_there(self, blockers: Iterable[OperationId]) -> tuple[OperationId, ...]:
        """Whoever waited for an operation that is gone waits for what that one waited for."""
        found = (other for each in blockers for other in self._left_out.get(each, (each,)))
        return tuple(dict.fromkeys(found))

    def _carry(self, chain: Chain) -> Carried:
        now = self._look(chain.path)
        if now is None or not self._is_reachable(chain.path, chain.operations):
            if now is None:
                reason = "can no longer be read as a file, a link or a folder"
                self._ask(_in_the_way(chain.path, Difference.TYPE, reason, chain.operations))
            return {each.id: None for each in chain.operations}
        if now != chain.base and isinstance(now, FileState):
            self._contents.made.setdefault(now.sha256, self._tree.content(chain.path))
        carrier = Carrier(chain, now, self._contents)
        if chain.last_path != chain.path and isinstance(now, Absent) and self._look(chain.last_path) == chain.after:
            return carrier.nothing()  # somebody has moved it there already
        found = carrier.carry()
        if not isinstance(found, Conflict):
            return found
        resolution = self._ask(found)
        decided = carrier.decided(found, resolution) if resolution else None
        if decided is not None:
            return decided
        if resolution is not None:
            self._stands(found)
        return carrier.as_proposed() if Take.PROPOSED in found.ways else carrier.nothing()

    def _has_room(self, operation: StagedOperation) -> bool:
        """Whether nothing the plan does not know of is in the way; what is, is a question to the person."""
        if not all(self._is_reachable(path, (operation,)) for path in operation.paths):
            return False
        if operation.to is not None and not isinstance(self._look(operation.to), Absent):
            reason = f"was made on disk where {operation.path} is to be moved"
            self._ask(_in_the_way(operation.to, Difference.CREATED, reason, (operation,)))
            return False
        if isinstance(operation.base, DirectoryState) and isinstance(operation.after, Absent):
            return self._is_empty(operation)
        return True

    def _is_reachable(self, path: str, operations: Iterable[StagedOperation]) -> bool:
        for above in ancestors(path):
            if not isinstance(self._look(above), Absent | DirectoryState):
                self._ask(_in_the_way(above, Difference.TYPE, "is no folder any more", operations))
                return False
        return True

    def _is_empty(self, operation: StagedOperation) -> bool:
        inside = [f"{operation.path}/{name}" for name in self._tree.children(operation.path or "")]
        for newcomer in inside:
            if newcomer not in self._known:
                reason = f"was made on disk inside {operation.path}, which the plan deletes"
                self._ask(_in_the_way(newcomer, Difference.CREATED, reason, (operation,)))
        return not inside

    def _ask(self, conflict: Conflict) -> Resolution | None:
        """The person's answer; without one the conflict stands."""
        answer = self._resolutions.get(conflict.path)
        if answer is not None and answer.seen in ("", conflict.seen):
            only_disk = conflict.ways == ONLY_DISK and not conflict.takes_disk(answer)
            if not only_disk:
                return answer
        self._stands(conflict)
        return None

    def _stands(self, conflict: Conflict) -> None:
        """One question for each path and reason, however many operations it stops."""
        for place, other in enumerate(self._conflicts):
            if other.lines is None and (other.path, other.reason) == (conflict.path, conflict.reason):
                self._conflicts[place] = replace(other, operations=(*other.operations, *conflict.operations))
                return
        self._conflicts.append(conflict)

    def _look(self, path: str) -> NodeState | None:
        """What stands at `path`; None for what is neither file nor link nor folder, or cannot be read."""
        try:
            return self._tree.state(path)
        except (StagingError, StorageError):
            return None


def _in_the_way(path: str, change: Difference, reason: str, operations: Iterable[StagedOperation]) -> Conflict:
    """Something only the disk knows of: the plan can step back, or the person clears the place."""
    names = tuple(operation.id for operation in operations)
    return Conflict(path, change, reason, names, ONLY_DISK, seen=fingerprint(path, change))
