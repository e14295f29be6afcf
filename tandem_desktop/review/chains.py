"""Operations that follow one file, link or folder, from what the plan first saw of it to what it leaves."""

from collections.abc import Sequence
from dataclasses import dataclass

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import Absent, FileState, NodeState, StagedOperation


@dataclass(frozen=True, slots=True)
class Chain:
    """One node's way through the plan, moves included."""

    operations: tuple[StagedOperation, ...]

    @property
    def path(self) -> str:
        """Where the plan found it, or made it."""
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
        """The last operation that writes rather than carries: the one that decides how the file ends."""
        writers = (
            each.id for each in reversed(self.operations) if each.to is None and isinstance(each.after, FileState)
        )
        return next(writers, self.operations[0].id)


def chains(operations: Sequence[StagedOperation]) -> dict[OperationId, Chain]:
    """The chain of every operation that is no command. What is made where something was deleted is another chain."""
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
    made = (Chain(tuple(chain)) for chain in found)
    return {operation.id: chain for chain in made for operation in chain.operations}
