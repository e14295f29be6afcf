"""Find out from the disk alone how far a cut-off run came."""

from collections.abc import Iterable

from tandem_desktop.domain.operations import NodeState
from tandem_desktop.execution.steps import Step
from tandem_desktop.storage.workspace import Workspace

States = dict[str, NodeState | None]
"""What is at each path; None where it cannot be read as a file, link or folder."""


def look(workspace: Workspace, paths: Iterable[str]) -> States:
    """Read every path as it is now."""
    workspace.forget_directories()
    return {path: workspace.peek(path, keep=False)[0] for path in paths}


def touched_paths(steps: Iterable[Step]) -> tuple[str, ...]:
    """Every path the steps name, in order, once."""
    return tuple(dict.fromkeys(path for step in steps for path, _, _ in step.states()))


def locate(steps: tuple[Step, ...], found: States) -> int | None:
    """How many steps are done, when the disk is in a state between two of them; otherwise None.

    Steps are atomic and ordered, so without a stranger's hand some count always fits. The smallest is taken: where
    two fit, the tree looks the same.
    """
    current: dict[str, NodeState] = {}
    for step in steps:
        for path, before, _ in step.states():
            current.setdefault(path, before)
    wrong = sum(found[path] != state for path, state in current.items())
    if wrong == 0:
        return 0
    for count, step in enumerate(steps, start=1):
        for path, _, after in step.states():
            wrong += (found[path] != after) - (found[path] != current[path])
            current[path] = after
        if wrong == 0:
            return count
    return None


def histories(steps: Iterable[Step]) -> dict[str, list[NodeState]]:
    """Every state each path goes through, first to last."""
    states: dict[str, list[NodeState]] = {}
    for step in steps:
        for path, before, after in step.states():
            states.setdefault(path, [before]).append(after)
    return states
