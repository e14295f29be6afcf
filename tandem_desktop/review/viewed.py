"""What was viewed, in a form that can be kept: a mark fits only the operation that does exactly the same."""

import hashlib
from collections import Counter
from collections.abc import Iterable

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.operation_view import OperationView

_LENGTH = 16


class ViewedMarks:
    """Makes each mark once."""

    def __init__(self) -> None:
        self._made: dict[OperationId, tuple[StagedOperation, str]] = {}

    def of(self, views: Iterable[OperationView], viewed: frozenset[OperationId]) -> tuple[str, ...]:
        return tuple(self._mark(view.operation) for view in views if view.operation.id in viewed)

    def fitting(self, views: Iterable[OperationView], marks: Iterable[str]) -> tuple[OperationId, ...]:
        """The operations that are still what they were when they were viewed."""
        kept = set(marks)
        if not kept:
            return ()
        named = {mark.rpartition(":")[0] for mark in kept}
        every = [view.operation for view in views]
        same = {operation.id: self._mark(operation) for operation in every if operation.id in named}
        fitting = {operation_id for operation_id, made in same.items() if made in kept}
        # Numbered otherwise by now, it is still the same operation.
        left = Counter(mark.rpartition(":")[2] for mark in kept - {same[each] for each in fitting})
        for operation in every if left else ():
            digest = self._mark(operation).rpartition(":")[2] if operation.id not in fitting else ""
            if left[digest] > 0:
                left[digest] -= 1
                fitting.add(operation.id)
        return tuple(operation.id for operation in every if operation.id in fitting)

    def _mark(self, operation: StagedOperation) -> str:
        made = self._made.get(operation.id)
        if made is None or made[0] is not operation:
            made = self._made[operation.id] = (operation, mark(operation))
        return made[1]


def mark(operation: StagedOperation) -> str:
    """The operation's id and the beginning of a digest of what it does."""
    does = operation.effect().model_dump_json(exclude={"id", "blocked_by"})
    digest = hashlib.sha256(does.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{operation.id}:{digest[:_LENGTH]}"
