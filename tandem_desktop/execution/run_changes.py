"""What a run did, operation by operation and path by path, as its journal has it: what can be taken back singly."""

from dataclasses import dataclass

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import PathChange, StagedOperation
from tandem_desktop.execution.journal_shelf import History
from tandem_desktop.execution.steps import Step, net_changes


@dataclass(frozen=True, slots=True)
class DoneOperation:
    """One operation of a run with every path it changed; a captured command's effects are among them."""

    id: OperationId
    staged: StagedOperation | None
    """None in an undo or redo, which has no operations of its own."""
    changes: tuple[PathChange, ...]


def done_operations(history: History) -> tuple[DoneOperation, ...]:
    """In the order they were done; one that changed nothing in the end is left out."""
    staged = {operation.id: operation for operation in history.operations}
    steps: dict[OperationId, list[Step]] = {}
    for step in history.done:
        steps.setdefault(step.operation, []).append(step)
    found = (DoneOperation(name, staged.get(name), _changes(own)) for name, own in steps.items())
    return tuple(each for each in found if each.changes)


def _changes(steps: list[Step]) -> tuple[PathChange, ...]:
    return tuple(
        PathChange(path=path, before=before, after=after) for path, (before, after) in net_changes(steps).items()
    )
