"""Which commands may run side by side, and what happens when two of them touch one path."""

from collections.abc import Iterable, Iterator, Sequence

from tandem_desktop.domain.errors import OperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import NodeState, PathChange, StagedOperation
from tandem_desktop.execution.commands import CommandRunner
from tandem_desktop.execution.segments import Segment, segments

AT_ONCE = 4


def batches(all_segments: Sequence[Segment]) -> Iterator[tuple[Segment, ...]]:
    """Segments in order; neighbouring commands of independent tasks together, everything else by itself.

    All that is looked at was approved: commands are hashed with their tasks and with what they wait for.
    """
    waits = _everything_waited_for(operation for segment in all_segments for operation in segment)
    batch: list[Segment] = []
    for segment in all_segments:
        if batch and not (len(batch) < AT_ONCE and all(_independent(each[0], segment[0], waits) for each in batch)):
            yield tuple(batch)
            batch = []
        batch.append(segment)
    if batch:
        yield tuple(batch)


def in_turn(all_segments: Sequence[Segment], commands: CommandRunner) -> Iterator[tuple[Segment, ...]]:
    """Batches as they can run here: where effects are not held back each command keeps its turn.

    Whether they are is found out by trying, so it is asked only where it counts.
    """
    for batch in batches(all_segments):
        if len(batch) == 1 or commands.together is not None:
            yield batch
        else:
            yield from ((segment,) for segment in batch)


Beside = dict[OperationId, tuple[OperationId, ...]]


def beside(operations: Sequence[StagedOperation], commands: CommandRunner) -> Beside:
    """For each command that a run starts together with others, which ones: a person approves that too."""
    together = [[segment[0].id for segment in batch] for batch in in_turn(segments(operations), commands) if batch[1:]]
    return {each: tuple(other for other in group if other != each) for group in together for each in group}


def _independent(earlier: StagedOperation, later: StagedOperation, waits: dict[OperationId, set[OperationId]]) -> bool:
    """Two commands of different tasks of which neither waits for the other. A command of no task keeps its turn."""
    if not (earlier.is_run and later.is_run):
        return False
    if earlier.task is None or later.task is None or earlier.task == later.task:
        return False
    return earlier.id not in waits[later.id] and later.id not in waits[earlier.id]


def _everything_waited_for(operations: Iterable[StagedOperation]) -> dict[OperationId, set[OperationId]]:
    """For each operation what it waits for, directly or through others; blockers come first in a plan."""
    found: dict[OperationId, set[OperationId]] = {}
    for operation in operations:
        found[operation.id] = set(operation.blocked_by).union(*(found.get(each, ()) for each in operation.blocked_by))
    return found


class Touched:
    """What the commands of one batch have left so far, in plan order."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[NodeState, OperationId]] = {}

    def take(self, operation: OperationId, effects: tuple[PathChange, ...]) -> tuple[PathChange, ...]:
        """What is still to be written of a command's effects: what another left in the same state is there already.

        Raises:
            OperationError: another command of the batch left something else at one of its paths.
        """
        wanted = []
        for change in effects:
            known = self._left.get(change.path)
            if known is None:
                wanted.append(change)
            elif known[0] != change.after:
                raise OperationError(
                    f"{known[1]}, which ran beside it, changed {change.path} as well.",
                    path=change.path,
                    step=operation,
                    next=f"Let the task of {operation} wait for that of {known[1]}, then they run one after the other.",
                )
        self._left |= {change.path: (change.after, operation) for change in wanted}
        return tuple(wanted)
