"""A person's choices about a revision, dropped operations and hunks, as the operations of the next one."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tandem_desktop.domain.errors import BadInputError, StepRefusedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation
from tandem_desktop.review.merge import merge
from tandem_desktop.staging.hunks import hunks, keep
from tandem_desktop.storage.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Drop:
    """One operation, or some of its hunks, that the person does not want."""

    operation: OperationId
    hunks: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Drop":
        """`OP` or `OP:1,3`."""
        operation, colon, numbers = text.partition(":")
        if not colon:
            return cls(OperationId(operation))
        try:
            chosen = tuple(int(number) for number in numbers.split(","))
        except ValueError:
            chosen = ()
        if not chosen or any(number < 1 for number in chosen):
            raise BadInputError(
                f"{text} does not name hunks: after the colon come numbers from 1, such as {operation}:1,3.",
                step=operation,
                next="See the numbers with: tandem show PLAN --diff",
            )
        return cls(OperationId(operation), chosen)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is left, and the bytes that came into being by choosing."""

    operations: tuple[StagedOperation, ...]
    contents: tuple[bytes, ...]


def choose(operations: tuple[StagedOperation, ...], drops: Sequence[Drop], objects: ObjectStore) -> Chosen:
    """Leave out what was dropped.

    Raises:
        UnknownOperationError: there is no such operation or hunk.
        StepRefusedError: another operation waits for one that was dropped, or nothing would be left.
    """
    left = {operation.id: operation for operation in operations}
    contents: list[bytes] = []
    for drop in drops:
        operation = left.get(drop.operation)
        if operation is None:
            raise UnknownOperationError(
                f"The plan has no operation {drop.operation}.",
                step=drop.operation,
                next="See them with: tandem show PLAN",
            )
        reduced = _without_hunks(operation, drop.hunks, objects) if drop.hunks else None
        if reduced is None:
            del left[drop.operation]
        else:
            left[drop.operation], data = reduced
            contents.append(data)
    if not left:
        raise StepRefusedError("Nothing would be left of the plan.", next="End it with: tandem cancel PLAN")
    _refuse_orphans(tuple(left.values()))
    later = _Later(operations, left, objects, contents)
    return Chosen(tuple(later.operations()), tuple(contents))


class _Later:
    """Operations on a file that now begins otherwise: moved onto what is left, where the changes do not touch."""

    def __init__(
        self,
        before: tuple[StagedOperation, ...],
        left: dict[OperationId, StagedOperation],
        objects: ObjectStore,
        contents: list[bytes],
    ) -> None:
        self._before = before
        self._left = left
        self._objects = objects
        self._contents = contents
        self._made = {hashlib.sha256(data).hexdigest(): data for data in contents}
        self._stands: dict[str, NodeState] = {}
        """Paths whose state is no longer what the plan had, and what it is now."""

    def operations(self) -> Iterator[StagedOperation]:
        for operation in self._before:
            kept = self._left.get(operation.id)
            if kept is not None and operation.path in self._stands:
                kept = self._moved(kept, self._stands[operation.path])
            self._follow(operation, kept)
            if kept is not None:
                yield kept

    def _moved(self, operation: StagedOperation, now: NodeState) -> StagedOperation:
        """The operation on its new base; as it was when that cannot be worked out, for the simulation to refuse."""
        base, after = operation.base, operation.after
        if not isinstance(base, FileState) or not isinstance(now, FileState):
            return operation
        if operation.to is not None:
            return operation.model_copy(update={"base": now, "after": now})
        if not isinstance(after, FileState):
            return operation.model_copy(update={"base": now})
        content = merge(self._read(base), self._read(now), self._read(after))
        if content is None:
            return operation
        state = FileState(
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            mode=now.mode if after.mode == base.mode else after.mode,
        )
        self._made[state.sha256] = content
        self._contents.append(content)
        return operation.model_copy(update={"base": now, "after": state})

    def _follow(self, planned: StagedOperation, kept: StagedOperation | None) -> None:
        for change in planned.changes():
            now = next((c.after for c in kept.changes() if c.path == change.path), None) if kept else None
            if now is None:
                now = self._stands.get(change.path, change.before)
            if now == change.after:
                self._stands.pop(change.path, None)
            else:
                self._stands[change.path] = now

    def _read(self, state: FileState) -> bytes:
        made = self._made.get(state.sha256)
        return self._objects.read(state.sha256) if made is None else made


def _without_hunks(
    operation: StagedOperation, dropped: tuple[int, ...], objects: ObjectStore
) -> tuple[StagedOperation, bytes] | None:
    """The operation without these hunks; nothing when it would change nothing."""
    if not isinstance(operation.after, FileState) or operation.to is not None:
        raise UnknownOperationError(
            f"{operation.id} ({operation.kind.value}) has no hunks; it can only be dropped whole.",
            step=operation.id,
            path=operation.path,
            next=f"tandem drop PLAN {operation.id}",
        )
    before = objects.read(operation.base.sha256) if isinstance(operation.base, FileState) else b""
    shown = hunks(before, objects.read(operation.after.sha256))
    if unknown := [number for number in dropped if number > len(shown)]:
        raise UnknownOperationError(
            f"{operation.id} has {len(shown)} hunks; there is no hunk {unknown[0]}.",
            step=operation.id,
            path=operation.path,
            next="See them with: tandem show PLAN --diff",
        )
    data = keep(before, shown, dropped)
    after = FileState(sha256=hashlib.sha256(data).hexdigest(), size=len(data), mode=operation.after.mode)
    if after == operation.base:
        return None
    return operation.model_copy(update={"after": after}), data


def _refuse_orphans(operations: tuple[StagedOperation, ...]) -> None:
    present = {operation.id for operation in operations}
    for operation in operations:
        for blocker in operation.blocked_by:
            if blocker not in present:
                raise StepRefusedError(
                    f"{operation.id} waits for {blocker}, which would be dropped.",
                    step=operation.id,
                    next=f"Drop {operation.id} too, or keep {blocker}.",
                )
