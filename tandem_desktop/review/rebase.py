"""Rebases a plan onto the current files."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tandem_desktop.diff.three_way import ThreeWay, three_way, whole
from tandem_desktop.domain.errors import StagingError, StorageError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import (
    ABSENT,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    StagedOperation,
    SymlinkState,
    kind_of_change,
)
from tandem_desktop.domain.paths import ancestors
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.review.conflicts import EITHER, ONLY_DISK, Conflict, FileModes, Resolution, Take, fingerprint
from tandem_desktop.staging.changes import NOUNS, Difference, difference
from tandem_desktop.staging.simulated_tree import SimulatedTree
from tandem_desktop.storage.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class PathHistory:
    """The operations on one node through the plan, including moves."""

    operations: tuple[StagedOperation, ...]

    @property
    def path(self) -> str:
        """Where the plan found or created it."""
        path = self.operations[0].path
        assert path is not None
        return path

    @property
    def last_path(self) -> str:
        last = self.operations[-1]
        return last.to or last.path or self.path

    @property
    def base(self) -> NodeState:
        return self.operations[0].base

    @property
    def after(self) -> NodeState:
        return self.operations[-1].after

    @property
    def settler(self) -> OperationId:
        """The last operation that writes content; it determines the result."""
        writers = (
            each.id for each in reversed(self.operations) if each.to is None and isinstance(each.after, FileState)
        )
        return next(writers, self.operations[0].id)


def chains(operations: Sequence[StagedOperation]) -> dict[OperationId, PathHistory]:
    """The chain of every operation that is no command. A node created where another was deleted starts a new chain."""
    alive: dict[str, list[StagedOperation]] = {}
    found: list[list[StagedOperation]] = []
    for operation in operations:
        if operation.path is None:
            continue
        chain = [] if isinstance(operation.base, Absent) else alive.pop(operation.path, [])
        if not chain:
            found.append(chain)
        chain.append(operation)
        if operation.to is not None or not isinstance(operation.after, Absent):
            alive[operation.to or operation.path] = chain
    made = (PathHistory(tuple(chain)) for chain in found)
    return {operation.id: chain for chain in made for operation in chain.operations}


Carried = dict[OperationId, StagedOperation | None]
"""Each rebased operation; None if nothing is left for it to do."""


class _Overlap(Exception):  # noqa: N818 - a signal inside this module, not a failure
    """Both sides changed the same thing."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Bytes by digest: stored, on disk, or created here."""

    stored: Callable[[str], bytes]
    made: dict[str, bytes]

    def read(self, state: FileState) -> bytes:
        made = self.made.get(state.sha256)
        return self.stored(state.sha256) if made is None else made

    def file(self, data: bytes, mode: int) -> FileState:
        state = FileState(sha256=hashlib.sha256(data).hexdigest(), size=len(data), mode=mode)
        self.made[state.sha256] = data
        return state


class FileRebaser:
    """One chain and the current state of its first path."""

    def __init__(self, chain: PathHistory, now: NodeState, contents: Contents) -> None:
        self._chain = chain
        self._now = now
        self._contents = contents

    def carry(self) -> Carried | Conflict:
        """Rebase without answers: every operation on its new base, or a conflict."""
        if self._chain.last_path == self._chain.path and self._now == self._chain.after:
            return self.nothing()
        try:
            return self._walk(strictly=True)
        except _Overlap:
            conflict = self._conflict()
        # One operation reverted another: single steps conflict, the total does not.
        settled = self._settled(conflict, Resolution(self._chain.path)) if self._is_file_throughout() else None
        return conflict if settled is None else settled

    def decided(self, conflict: Conflict, resolution: Resolution) -> Carried | None:
        """The result of the person's answer; None if something is left open."""
        if conflict.lines is not None:
            return self._settled(conflict, resolution)
        if conflict.modes is not None and resolution.mode is not None:
            resolution = Resolution(resolution.path, resolution.mode)
        if resolution.whole not in conflict.ways:
            return None
        return self.nothing() if resolution.whole is Take.DISK else self.as_proposed()

    def as_proposed(self) -> Carried:
        """Take the plan's side of every conflict."""
        return self._walk(strictly=False)

    def nothing(self) -> Carried:
        """Keep the disk's side."""
        return {operation.id: None for operation in self._chain.operations}

    def _settled(self, conflict: Conflict, resolution: Resolution) -> Carried | None:
        if conflict.takes_disk(resolution) and not self._is_file_throughout():
            return self.nothing()
        content = conflict.resolved(resolution)
        mode = self._merged_mode() if conflict.modes is None else conflict.mode(resolution)
        if content is None or mode is None:
            return None
        return self._walk(strictly=False, final=self._contents.file(content, mode))

    def _is_file_throughout(self) -> bool:
        return all(isinstance(each, FileState) for each in (self._chain.base, self._now, self._chain.after))

    def _walk(self, *, strictly: bool, final: FileState | None = None) -> Carried:
        carried: Carried = {}
        now = self._now
        for operation in self._chain.operations:
            if final is not None and operation.id == self._chain.settler:
                after: NodeState = final
            else:
                after = self._after(operation, now, strictly=strictly)
            carried[operation.id] = _rewritten(operation, now, after)
            now = after
        return carried

    def _after(self, operation: StagedOperation, now: NodeState, *, strictly: bool) -> NodeState:
        """The result of the operation when applied to `now`."""
        base, after = operation.base, operation.after
        if now == base:
            return after
        if operation.to is not None and not isinstance(now, Absent):
            return now
        if isinstance(after, Absent) and isinstance(now, Absent):
            return ABSENT
        match base, now, after:
            case FileState(), FileState(), FileState():
                return self._merged_file(base, now, after, strictly=strictly)
            case DirectoryState(), DirectoryState(), DirectoryState():
                mode = merged_mode(base.mode, now.mode, after.mode)
                if mode is not None:
                    return DirectoryState(mode=mode)
        if strictly:
            raise _Overlap
        return after

    def _merged_file(self, base: FileState, now: FileState, after: FileState, *, strictly: bool) -> FileState:
        read = self._contents.read
        mode = merged_mode(base.mode, now.mode, after.mode)
        lines = three_way(read(base), read(now), read(after))
        if strictly and (mode is None or lines.regions):
            raise _Overlap
        data = lines.resolved([region.proposed for region in lines.regions])
        return self._contents.file(data, after.mode if mode is None else mode)

    def _merged_mode(self) -> int | None:
        modes = [each.mode for each in (self._chain.base, self._now, self._chain.after) if isinstance(each, FileState)]
        return merged_mode(*modes) if len(modes) == 3 else modes[-1]

    def _conflict(self) -> Conflict:
        base, now, after = self._chain.base, self._now, self._chain.after
        change = difference(base, now)
        assert change is not None
        modes = self._modes()
        takes_either = self._may_be_proposed()
        return Conflict(
            path=self._chain.path,
            change=change,
            reason=_reason(change, now, after, modes),
            operations=tuple(operation.id for operation in self._chain.operations),
            ways=EITHER if takes_either else ONLY_DISK,
            lines=self._lines() if takes_either else None,
            modes=modes,
            seen=fingerprint(*(each.model_dump_json() for each in (base, now, after))),
        )

    def _may_be_proposed(self) -> bool:
        """True if the plan's result can be reached by its own kinds of operation, without replacing a node type."""
        match self._chain.base, self._now, self._chain.after:
            case Absent(), _, Absent():
                return False  # created and removed again: the plan would delete a file it never saw
            case Absent(), now, after:
                return now.type == after.type and not isinstance(now, SymlinkState)
            case base, Absent(), _:
                return not isinstance(base, DirectoryState)
            case base, now, _:
                return base.type == now.type

    def _lines(self) -> ThreeWay | None:
        base, now, after = self._chain.base, self._now, self._chain.after
        if not isinstance(after, FileState):
            return None
        read = self._contents.read
        before, disk = (read(each) if isinstance(each, FileState) else b"" for each in (base, now))
        return (three_way if self._is_file_throughout() else whole)(before, disk, read(after))

    def _modes(self) -> FileModes | None:
        base, now, after = (_mode(each) for each in (self._chain.base, self._now, self._chain.after))
        if now is None or after is None or now == after or self._now.type != self._chain.after.type:
            return None
        if base is not None and merged_mode(base, now, after) is not None:
            return None
        return FileModes(base, now, after)


def merged_mode(base: int, disk: int, proposed: int) -> int | None:
    """The permissions both sides agree on, or the changed ones where one side changed them."""
    if disk == proposed or base == proposed:
        return disk
    return proposed if base == disk else None


def _rewritten(operation: StagedOperation, now: NodeState, after: NodeState) -> StagedOperation | None:
    """The operation from `now` to `after`, of the kind that does it."""
    if now == operation.base and after == operation.after:
        return operation
    if operation.to is not None and not isinstance(now, Absent):
        return operation.model_copy(update={"base": now, "after": now})
    if now == after:
        return None
    where = {"path": operation.to or operation.path, "to": None, "base": now, "after": after}
    return operation.model_copy(update={**where, "kind": kind_of_change(now, after)})


def _mode(state: NodeState) -> int | None:
    return state.mode if isinstance(state, FileState | DirectoryState) else None


def _reason(change: Difference, now: NodeState, after: NodeState, modes: FileModes | None) -> str:
    match change:
        case Difference.DELETED:
            return "was deleted on disk, and the plan goes on with it"
        case Difference.CREATED:
            return f"was made on disk as well, as {NOUNS[now.type]}"
        case Difference.TYPE:
            return f"has become {NOUNS[now.type]} on disk"
        case _ if isinstance(after, Absent):
            return "was changed on disk, and the plan deletes it"
        case Difference.MODE if modes is not None:
            return "was given other permissions on disk, and others by the plan"
        case _:
            return "was changed on disk where the plan changes it"


@dataclass(frozen=True, slots=True)
class Rebased:
    """The rebased operations; complete only without conflicts."""

    operations: tuple[StagedOperation, ...]
    contents: tuple[bytes, ...]
    """The bytes of every new base and every new after."""
    conflicts: tuple[Conflict, ...]
    left_out: tuple[OperationId, ...]
    """Operations with nothing left to do: the disk already has the result, or is kept."""


def rebase(
    operations: Sequence[StagedOperation],
    source: SourceTree,
    objects: ObjectStore,
    resolutions: Iterable[Resolution] = (),
) -> Rebased:
    """Rebase each operation, in order, onto the tree the earlier ones leave. Nothing is guessed or written."""
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
        """Replace dependencies on a removed operation by that operation's own dependencies."""
        found = (other for each in blockers for other in self._left_out.get(each, (each,)))
        return tuple(dict.fromkeys(found))

    def _carry(self, chain: PathHistory) -> Carried:
        now = self._look(chain.path)
        if now is None or not self._is_reachable(chain.path, chain.operations):
            if now is None:
                reason = "can no longer be read as a file, a link or a folder"
                self._ask(_in_the_way(chain.path, Difference.TYPE, reason, chain.operations))
            return {each.id: None for each in chain.operations}
        if now != chain.base and isinstance(now, FileState):
            self._contents.made.setdefault(now.sha256, self._tree.content(chain.path))
        rebaser = FileRebaser(chain, now, self._contents)
        if chain.last_path != chain.path and isinstance(now, Absent) and self._look(chain.last_path) == chain.after:
            return rebaser.nothing()  # already moved there
        found = rebaser.carry()
        if not isinstance(found, Conflict):
            return found
        resolution = self._ask(found)
        decided = rebaser.decided(found, resolution) if resolution else None
        if decided is not None:
            return decided
        if resolution is not None:
            self._stands(found)
        return rebaser.as_proposed() if Take.PROPOSED in found.ways else rebaser.nothing()

    def _has_room(self, operation: StagedOperation) -> bool:
        """True if no unknown node is in the way; otherwise it is a conflict."""
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
        """The person's answer; without one the conflict is recorded."""
        answer = self._resolutions.get(conflict.path)
        if answer is not None and answer.seen in ("", conflict.seen):
            only_disk = conflict.ways == ONLY_DISK and not conflict.takes_disk(answer)
            if not only_disk:
                return answer
        self._stands(conflict)
        return None

    def _stands(self, conflict: Conflict) -> None:
        """One conflict for each path and reason, whatever the number of operations."""
        for place, other in enumerate(self._conflicts):
            if other.lines is None and (other.path, other.reason) == (conflict.path, conflict.reason):
                self._conflicts[place] = replace(other, operations=(*other.operations, *conflict.operations))
                return
        self._conflicts.append(conflict)

    def _look(self, path: str) -> NodeState | None:
        """The state of `path`; None if it is no file, link or folder, or unreadable."""
        try:
            return self._tree.state(path)
        except (StagingError, StorageError):
            return None


def _in_the_way(path: str, change: Difference, reason: str, operations: Iterable[StagedOperation]) -> Conflict:
    """A conflict with a node that only the disk has: keep it, or the person removes it."""
    names = tuple(operation.id for operation in operations)
    return Conflict(path, change, reason, names, ONLY_DISK, seen=fingerprint(path, change))
