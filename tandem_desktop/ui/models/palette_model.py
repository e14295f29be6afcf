"""What the palette offers: actions and plans, the best fits for what was typed first."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class PaletteItem:
    """One line: what it is called, where it belongs, its key, and what choosing it does."""

    title: str
    group: str
    keys: str
    do: Callable[[], None]


class PaletteModel(QAbstractListModel):
    """Items ranked by how well they fit."""

    ItemRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self) -> None:
        super().__init__()
        self._items: tuple[PaletteItem, ...] = ()
        self._shown: tuple[PaletteItem, ...] = ()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        item = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return item.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (item.title, item.group, item.keys)))
        if role == self.ItemRole:
            return item
        return None

    def set_items(self, items: Iterable[PaletteItem]) -> None:
        self._items = tuple(items)
        self.search("")

    def search(self, text: str) -> None:
        """Show what contains the letters typed, in order; the closer together, the higher."""
        ranked = [(rank, n, item) for n, item in enumerate(self._items) if (rank := fit(text, item.title)) is not None]
        self.beginResetModel()
        self._shown = tuple(item for _, _, item in sorted(ranked, key=lambda found: found[:2]))
        self.endResetModel()


def fit(wanted: str, title: str) -> int | None:
    """How far apart the wanted letters stand in a title, 0 being best; None when they are not all there in order."""
    letters, text = wanted.lower().replace(" ", ""), title.lower()
    if not letters:
        return 0
    if letters in text.replace(" ", ""):
        return text.replace(" ", "").index(letters)
    position, first, last = 0, -1, -1
    for letter in letters:
        position = text.find(letter, position)
        if position < 0:
            return None
        first = position if first < 0 else first
        last = position
        position += 1
    return 100 + last - first
