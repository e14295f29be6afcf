"""Whether what was published is what was approved, read back from the disk."""

from collections.abc import Iterable

from tandem_desktop.domain.errors import OperationError
from tandem_desktop.domain.operations import NodeState
from tandem_desktop.execution.steps import Step
from tandem_desktop.storage.workspace import AtHand, Workspace


def not_as_approved(steps: Iterable[Step], workspace: Workspace, at_hand: AtHand) -> list[OperationError]:
    """Read back every path the steps touched; whatever is not as approved is an error."""
    expected: dict[str, tuple[NodeState, Step]] = {}
    for step in steps:
        if step.to is None:
            expected[step.path] = (step.after, step)
        else:
            expected.update((path, (after, step)) for path, _, after in step.states())
    workspace.forget_directories()
    return [
        OperationError(
            f"{path} is not what was approved after writing it.",
            path=path,
            step=step.operation,
            next="Something else writes to it; stop that, then apply again.",
        )
        for path, (after, step) in expected.items()
        if not workspace.has(path, after, at_hand=at_hand)
    ]
