"""The revisions of one plan, newest first, to choose which one is looked at."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tandem_desktop.ui.words import tr

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class RevisionsModel(QAbstractListModel):
    """Knows numbers only: which is the latest and which is shown."""

    NumberRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._latest = 0
        self._current = 0

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._latest

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self._latest:
            return None
        number = self._latest - index.row()
        if role == self.NumberRole:
            return number
        if role == Qt.ItemDataRole.DisplayRole:
            return tr("r{number} · latest", number=number) if number == self._latest else f"r{number}"
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if number == self._current else Qt.CheckState.Unchecked
        return None

    @property
    def current(self) -> int:
        return self._current

    @property
    def latest(self) -> int:
        return self._latest

    def show(self, latest: int, current: int) -> None:
        if latest != self._latest:
            self.beginResetModel()
            self._latest, self._current = latest, current
            self.endResetModel()
        elif current != self._current:
            self._current = current
            self.dataChanged.emit(self.index(0), self.index(latest - 1))
