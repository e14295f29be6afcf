"""One operation as a reviewer sees it: what it does, how many lines, which flags, which hunks."""

from dataclasses import dataclass
from functools import cached_property

from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation
from tandem_desktop.review.generated import generated_as
from tandem_desktop.staging.diff import changes
from tandem_desktop.staging.hazards import Hazard, flags
from tandem_desktop.staging.hunks import Hunk, hunks
from tandem_desktop.staging.text import detect_encoding, split_lines
from tandem_desktop.storage.objects import ObjectStore

COUNTED_BYTES = 512 * 1024
"""Both sides together; longer ones are only compared for a plan, so that reading along stays cheap."""


@dataclass(frozen=True)
class OperationView:
    """Facts computed from the operation and its bytes, never from anybody's words."""

    operation: StagedOperation
    flags: tuple[Hazard, ...]
    hunks: tuple[Hunk, ...]
    generated: str = ""
    """`lock file` or `generated file`, for what programs write."""
    counted: tuple[int, int] | None = None
    """Lines added and removed, where they were counted before there are hunks."""

    @cached_property
    def added(self) -> int:
        return self.counted[0] if self.counted else sum(hunk.added for hunk in self.hunks)

    @cached_property
    def removed(self) -> int:
        return self.counted[1] if self.counted else sum(hunk.removed for hunk in self.hunks)

    @property
    def has_lines(self) -> bool:
        """Whether there are lines to count."""
        return bool(self.hunks or self.counted)


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


def count_lines(operation: StagedOperation, objects: ObjectStore) -> tuple[int, int] | None:
    """Lines added and removed, as the view will say; None for what is not text, or too long to be counted in passing.

    Raises:
        StorageError: stored bytes are missing or altered.
    """
    sides = [state for state in (operation.base, operation.after) if isinstance(state, FileState)]
    if not sides or sum(state.size for state in sides) > COUNTED_BYTES:
        return None
    before, after = _bytes(operation.base, objects) or b"", _bytes(operation.after, objects) or b""
    if before == after or "binary" in (detect_encoding(before), detect_encoding(after)):
        return None
    found = changes(split_lines(before), split_lines(after))
    return sum(each.new_end - each.new_start for each in found), sum(each.old_end - each.old_start for each in found)


def _bytes(state: NodeState, objects: ObjectStore) -> bytes | None:
    return objects.read(state.sha256) if isinstance(state, FileState) else None
