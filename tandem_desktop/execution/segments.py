"""A plan as units of durability: runs of file operations, and each command on its own."""

from collections.abc import Iterable
from itertools import groupby

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation

Segment = tuple[StagedOperation, ...]


def segments(operations: Iterable[StagedOperation]) -> tuple[Segment, ...]:
    """Neighbouring file operations together, every command alone, in plan order."""
    groups: list[Segment] = []
    for is_run, group in groupby(operations, key=lambda operation: operation.is_run):
        members = tuple(group)
        groups.extend([(one,) for one in members] if is_run else [members])
    return tuple(groups)


def dependents(operations: Iterable[StagedOperation], failed: OperationId) -> frozenset[OperationId]:
    """Everything that cannot go on without `failed`: blocked by it, or building on a path it should have made."""
    lost = {failed}
    paths: set[str] = set()
    for operation in operations:
        if operation.id == failed:
            paths.update(operation.paths)
        elif not lost.isdisjoint(operation.blocked_by) or any(_overlaps(path, paths) for path in operation.paths):
            lost.add(operation.id)
            paths.update(operation.paths)
    return frozenset(lost - {failed})


def _overlaps(path: str, paths: set[str]) -> bool:
    if path in paths or any(other.startswith(f"{path}/") for other in paths):
        return True
    above = path.rpartition("/")[0]
    while above:
        if above in paths:
            return True
        above = above.rpartition("/")[0]
    return False
