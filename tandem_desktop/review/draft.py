"""What a person has chosen so far about one revision: kept beside it until it becomes the next one."""

from collections.abc import Sequence

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.choices import Drop


class DroppedHunks(Frozen):
    """Some changes of one operation that are not wanted, by their numbers from one."""

    operation: OperationId
    hunks: tuple[int, ...]


class Choices(Frozen):
    """Dropped operations, dropped hunks, another order. Belongs to one revision and dies with it."""

    plan_id: PlanId
    revision: int
    operations: tuple[OperationId, ...] = ()
    hunks: tuple[DroppedHunks, ...] = ()
    order: tuple[OperationId, ...] = ()
    """Every operation in the wanted order; empty where it stays."""

    @property
    def is_empty(self) -> bool:
        return not (self.operations or self.hunks or self.order)

    @property
    def dropped_hunks(self) -> int:
        return sum(len(each.hunks) for each in self.hunks)

    def hunks_of(self, operation: OperationId) -> tuple[int, ...]:
        return next((each.hunks for each in self.hunks if each.operation == operation), ())

    def drop(self, operation: OperationId) -> "Choices":
        return self.model_copy(update={"operations": (*self.keep(operation).operations, operation)})

    def keep(self, operation: OperationId) -> "Choices":
        """Take the whole operation again; its dropped hunks stay dropped."""
        left = tuple(each for each in self.operations if each != operation)
        return self.model_copy(update={"operations": left})

    def drop_hunk(self, operation: OperationId, hunk: int) -> "Choices":
        return self._with_hunks(operation, {*self.hunks_of(operation), hunk})

    def keep_hunk(self, operation: OperationId, hunk: int) -> "Choices":
        return self._with_hunks(operation, {*self.hunks_of(operation)} - {hunk})

    def reorder(self, order: Sequence[OperationId], planned: Sequence[OperationId]) -> "Choices":
        """Another order; the plan's own is no choice at all."""
        return self.model_copy(update={"order": () if tuple(order) == tuple(planned) else tuple(order)})

    def ordered(self, operations: tuple[StagedOperation, ...]) -> tuple[StagedOperation, ...]:
        """The operations as the person wants them to stand.

        Raises:
            BadInputError: the order does not name each of them once.
        """
        if not self.order:
            return operations
        by_id = {operation.id: operation for operation in operations}
        if sorted(self.order) != sorted(by_id):
            raise BadInputError(
                "The new order does not name each operation once.", next="Look at the plan again: it may have changed."
            )
        return tuple(by_id[each] for each in self.order)

    def drops(self) -> tuple[Drop, ...]:
        whole = tuple(Drop(each) for each in self.operations)
        parts = (Drop(each.operation, each.hunks) for each in self.hunks if each.operation not in self.operations)
        return (*whole, *parts)

    def _with_hunks(self, operation: OperationId, numbers: set[int]) -> "Choices":
        others = tuple(each for each in self.hunks if each.operation != operation)
        made = (DroppedHunks(operation=operation, hunks=tuple(sorted(numbers))),) if numbers else ()
        return self.model_copy(update={"hunks": (*others, *made)})
