"""Where proposed operations wait, in order, until they become a revision or are thrown away."""

import threading
from collections.abc import Sequence

from tandem_desktop.domain.errors import StagingError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation


class StagingStore:
    """Hold operations in staging order. Safe from any thread.

    It lives in memory and does not survive the process: what must survive is a revision in the plan store.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._operations: dict[OperationId, StagedOperation] = {}

    def __len__(self) -> int:
        with self._lock:
            return len(self._operations)

    def stage(self, operation: StagedOperation) -> int:
        """Add at the end, or replace the operation of the same id in its place; answer how many are staged."""
        with self._lock:
            self._operations[operation.id] = operation
            return len(self._operations)

    def get(self, operation_id: OperationId) -> StagedOperation:
        """One operation by id.

        Raises:
            UnknownOperationError: nothing of this id is staged.
        """
        with self._lock:
            return self._operations[self._known(operation_id)]

    def get_all(self) -> tuple[StagedOperation, ...]:
        with self._lock:
            return tuple(self._operations.values())

    def remove(self, operation_id: OperationId) -> StagedOperation:
        """Take one out and answer it.

        Raises:
            UnknownOperationError: nothing of this id is staged.
        """
        with self._lock:
            return self._operations.pop(self._known(operation_id))

    def reorder(self, order: Sequence[OperationId]) -> tuple[StagedOperation, ...]:
        """Put exactly the staged operations in this order; refused if one is missing, unknown or named twice.

        Raises:
            UnknownOperationError: an id is not staged.
            StagingError: an id is missing or named twice, perhaps because something was staged meanwhile.
        """
        with self._lock:
            for operation_id in order:
                self._known(operation_id)
            if len(order) != len(self._operations) or len(set(order)) != len(order):
                missing = next((each for each in self._operations if each not in order), None)
                problem = f"'{missing}' is missing from it" if missing else "an operation is named twice"
                raise StagingError(
                    f"The new order cannot be taken: {problem}.",
                    step=missing,
                    next="Read the staged operations again and name each of them once.",
                )
            self._operations = {operation_id: self._operations[operation_id] for operation_id in order}
            return tuple(self._operations.values())

    def clear(self) -> tuple[StagedOperation, ...]:
        """Empty the store and answer what was in it; of several callers each operation goes to exactly one."""
        with self._lock:
            drained = tuple(self._operations.values())
            self._operations = {}
            return drained

    def _known(self, operation_id: OperationId) -> OperationId:
        if operation_id not in self._operations:
            raise UnknownOperationError(
                f"No staged operation is called '{operation_id}'.",
                step=operation_id,
                next="Read the staged operations again: it may have been removed.",
            )
        return operation_id
