"""The models of the shortcut page and the palette."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from tandem_desktop.ui.i18n import tr_marked
from tandem_desktop.ui.keys import KEYS, KeyLine

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A heading, or a key under it."""

    group: str
    line: KeyLine | None = None


class KeysModel(QAbstractListModel):
    """Finds a key by what it does, by its letters, or by its group."""

    RowRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, lines: tuple[KeyLine, ...] = KEYS) -> None:
        super().__init__()
        self._lines = lines
        self._rows: tuple[KeyRow, ...] = ()
        self.search("")

    @property
    def found(self) -> int:
        return sum(row.line is not None for row in self._rows)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == self.RowRole:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return tr_marked(row.group) if row.line is None else f"{tr_marked(row.line.title)}: {row.line.shown}"
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        is_key = index.isValid() and self._rows[index.row()].line is not None
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable if is_key else Qt.ItemFlag.NoItemFlags

    def set_lines(self, lines: tuple[KeyLine, ...]) -> None:
        self._lines = lines
        self.search("")

    def search(self, text: str) -> None:
        wanted = text.lower().split()
        rows: list[KeyRow] = []
        for group in dict.fromkeys(line.group for line in self._lines):
            found = [line for line in self._lines if line.group == group and _answers(line, wanted)]
            rows += [KeyRow(group), *(KeyRow(group, line) for line in found)] if found else []
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()


def _answers(line: KeyLine, wanted: list[str]) -> bool:
    words = f"{tr_marked(line.title)} {line.shown} {tr_marked(line.group)}".lower()
    return all(word in words for word in wanted)


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
        """Show items that contain the letters in order, ranked by how close they are."""
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
