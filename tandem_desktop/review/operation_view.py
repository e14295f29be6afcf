"""One operation as a reviewer sees it: what it does, how many lines, which flags, which hunks."""

from dataclasses import dataclass
from functools import cached_property

from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation
from tandem_desktop.review.generated import generated_as
from tandem_desktop.staging.hazards import Hazard, flags
from tandem_desktop.staging.hunks import Hunk, hunks
from tandem_desktop.storage.objects import ObjectStore


@dataclass(frozen=True)
class OperationView:
    """Facts computed from the operation and its bytes, never from anybody's words."""

    operation: StagedOperation
    flags: tuple[Hazard, ...]
    hunks: tuple[Hunk, ...]
    generated: str = ""
    """`lock file` or `generated file`, for what programs write."""

    @cached_property
    def added(self) -> int:
        return sum(hunk.added for hunk in self.hunks)

    @cached_property
    def removed(self) -> int:
        return sum(hunk.removed for hunk in self.hunks)


def view_operation(operation: StagedOperation, objects: ObjectStore, *, commands_captured: bool) -> OperationView:
    """Read both sides and look.

    Raises:
        StorageError: stored bytes are missing or altered.
    """
    before = _bytes(operation.base, objects)
    after = _bytes(operation.after, objects)
    shown = hunks(before or b"", after or b"") if before != after else ()
    found = flags(operation, before, after, commands_captured=commands_captured)
    return OperationView(
        operation, found, shown, generated_as(operation.to or operation.path or "", after or before or b"")
    )


def _bytes(state: NodeState, objects: ObjectStore) -> bytes | None:
    return objects.read(state.sha256) if isinstance(state, FileState) else None
