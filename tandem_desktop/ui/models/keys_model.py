"""The page of keys as rows: a heading for each group, and what was searched for."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from tandem_desktop.ui.keys import KEYS, KeyLine
from tandem_desktop.ui.words import tr_marked

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
