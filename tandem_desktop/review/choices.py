"""A person's choices about a revision, dropped operations and hunks, as the operations of the next one."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tandem_desktop.domain.errors import BadInputError, StepRefusedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, StagedOperation
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
    return Chosen(tuple(left.values()), tuple(contents))


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
