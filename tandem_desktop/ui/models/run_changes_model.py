"""What one run changed: its operations, and under each the paths it touched."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import Absent, PathChange
from tandem_desktop.execution.run_changes import DoneOperation
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.words import tr

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """An operation, or a path below it."""

    words: str
    operation: OperationId | None
    """What can be taken back as one; None where the run has no operations of its own."""
    path: str | None
    """The one path the row is about; None for an operation with several."""
    is_below: bool = False


class RunChangesModel(QAbstractListModel):
    """Holds values; owns no rules."""

    RowRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[ChangedRow, ...] = ()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == self.RowRole:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return f"    {row.words}" if row.is_below else row.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.words
        return None

    def show(self, operations: tuple[DoneOperation, ...]) -> None:
        self.beginResetModel()
        self._rows = tuple(row for operation in operations for row in _rows(operation))
        self.endResetModel()

    def row(self, number: int) -> ChangedRow | None:
        return self._rows[number] if 0 <= number < len(self._rows) else None


def _rows(done: DoneOperation) -> list[ChangedRow]:
    paths = [ChangedRow(change_words(each), None, each.path) for each in done.changes]
    if done.staged is None:
        return paths
    title = wording.title(done.staged)
    only = done.changes[0].path if len(done.changes) == 1 else None
    if only is not None and only == done.staged.path:
        return [ChangedRow(title, done.id, only)]
    below = [ChangedRow(each.words, done.id, each.path, is_below=True) for each in paths]
    return [ChangedRow(title, done.id, None), *below]


def change_words(change: PathChange) -> str:
    """`created app/x.py`, as the run did it."""
    if isinstance(change.before, Absent):
        return tr("created {path}", path=visible(change.path))
    if isinstance(change.after, Absent):
        return tr("deleted {path}", path=visible(change.path))
    return tr("changed {path}", path=visible(change.path))
