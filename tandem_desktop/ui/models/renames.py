"""Renames with an edit: two operations of a plan that are one row."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.review.operation_view import OperationView, edited_renames


@dataclass(frozen=True)
class Renames:
    """Which edits share a row with the move of their file; listed is the edit."""

    moves: Mapping[OperationId, OperationId] = field(default_factory=dict)
    """Each edit with its move."""

    edits: Mapping[OperationId, OperationId] = field(default_factory=dict)
    """Each move with its edit."""

    @classmethod
    def of(cls, views: Iterable[OperationView], dropped: Collection[OperationId]) -> "Renames":
        """Those of a plan, unless only one of the two was dropped, as the command line can."""
        every = edited_renames(views)
        moves = {edit: move for edit, move in every.items() if (edit in dropped) == (move in dropped)}
        return cls(moves, {move: edit for edit, move in moves.items()})

    def listed(self, operation_id: OperationId) -> OperationId:
        """The operation whose row it is part of."""
        return self.edits.get(operation_id, operation_id)

    def whole(self, operation_ids: Iterable[OperationId]) -> tuple[OperationId, ...]:
        """These operations with those that share a row with them."""
        found = dict[OperationId, None]()
        for each in map(self.listed, operation_ids):
            found |= dict.fromkeys((self.moves[each], each) if each in self.moves else (each,))
        return tuple(found)

    def count_rows(self, operation_ids: Iterable[OperationId]) -> int:
        """How many rows these operations are, listed or not."""
        return len({*map(self.listed, operation_ids)})


def result_of_both(move: OperationResult | None, edit: OperationResult | None) -> OperationResult | None:
    """What the result of their row is: that of the edit once the move is done."""
    return edit if move is None or move.status is ResultStatus.COMPLETED else move
