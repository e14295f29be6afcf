"""What a person has chosen so far about one revision: kept beside it until it becomes the next one."""

from collections.abc import Sequence

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import Sha256, StagedOperation
from tandem_desktop.review.choices import Drop


class Part(Frozen):
    """What the person wants otherwise inside one operation: hunks and lines left out, or a version of their own."""

    operation: OperationId
    hunks: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    """Lines that do not come, by their numbers in the proposed file."""
    removed: tuple[int, ...] = ()
    """Lines that stay, by their numbers in the file as it was."""
    edited: Sha256 | None = None
    """The person's own bytes, in the object store; nothing else counts then."""

    def drop(self) -> Drop:
        if self.edited is not None:
            return Drop(self.operation, edited=self.edited)
        return Drop(self.operation, self.hunks, self.added, self.removed)


class Choices(Frozen):
    """Dropped operations, hunks and lines, another order, another text. Belongs to one revision and dies with it."""

    plan_id: PlanId
    revision: int
    operations: tuple[OperationId, ...] = ()
    parts: tuple[Part, ...] = ()
    order: tuple[OperationId, ...] = ()
    """Every operation in the wanted order; empty where it stays."""
    text: str | None = None
    """The plan text as the person wants it."""

    @property
    def is_empty(self) -> bool:
        return not (self.operations or self.parts or self.order) and self.text is None

    @property
    def dropped_hunks(self) -> int:
        return sum(len(each.hunks) for each in self.parts)

    @property
    def dropped_lines(self) -> int:
        return sum(len(each.added) + len(each.removed) for each in self.parts)

    @property
    def edited_files(self) -> int:
        return sum(each.edited is not None for each in self.parts)

    def part(self, operation: OperationId) -> Part:
        return next((each for each in self.parts if each.operation == operation), Part(operation=operation))

    def hunks_of(self, operation: OperationId) -> tuple[int, ...]:
        return self.part(operation).hunks

    def drop(self, operation: OperationId) -> "Choices":
        return self.model_copy(update={"operations": (*self.keep(operation).operations, operation)})

    def keep(self, operation: OperationId) -> "Choices":
        """Take the whole operation again; its dropped hunks stay dropped."""
        left = tuple(each for each in self.operations if each != operation)
        return self.model_copy(update={"operations": left})

    def drop_hunk(self, operation: OperationId, hunk: int) -> "Choices":
        return self._with(operation, hunks=_sorted({*self.hunks_of(operation), hunk}))

    def keep_hunk(self, operation: OperationId, hunk: int) -> "Choices":
        return self._with(operation, hunks=_sorted({*self.hunks_of(operation)} - {hunk}))

    def toggle_lines(self, operation: OperationId, added: Sequence[int], removed: Sequence[int]) -> "Choices":
        """Leave lines out, or, when all of them are left out already, take them again."""
        part = self.part(operation)
        come_back = {*added} <= {*part.added} and {*removed} <= {*part.removed}
        change = set.difference if come_back else set.union
        return self._with(
            operation,
            added=_sorted(change({*part.added}, added)),
            removed=_sorted(change({*part.removed}, removed)),
        )

    def edit(self, operation: OperationId, content: str | None) -> "Choices":
        """The person's own version of a file, by the digest of its bytes; none takes the proposed one again."""
        return self._with(operation, edited=content)

    def rewrite(self, text: str | None) -> "Choices":
        """Another plan text, or, with none, the proposed one again."""
        return self.model_copy(update={"text": text})

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
        return (*whole, *(each.drop() for each in self.parts if each.operation not in self.operations))

    def _with(self, operation: OperationId, **fields: object) -> "Choices":
        others = tuple(each for each in self.parts if each.operation != operation)
        made = self.part(operation).model_copy(update=fields)
        return self.model_copy(update={"parts": others if made == Part(operation=operation) else (*others, made)})


def _sorted(numbers: set[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers))
