"""The transcript model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tandem_desktop.domain.agent_protocol import ChatEntry, EntryKind, ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.ui.chat.tool_text import chip_words
from tandem_desktop.ui.i18n import tr, tr_n, tr_table

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()

_SPEAKERS = tr_table(
    {
        EntryKind.PERSON: "You",
        EntryKind.AGENT: "Agent",
        EntryKind.THOUGHT: "Thinking",
        EntryKind.PLAN: "Plan",
        EntryKind.QUESTION: "Permission",
        EntryKind.ELICITATION: "Question",
        EntryKind.NOTE: "Note",
        EntryKind.REFLECTION: "Reflection",
        EntryKind.REPORT: "Tandem",
        EntryKind.PROBLEM: "Problem",
    }
)


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """One row: an entry, a group of reads, a plan with its run, or entries folded by a restore."""

    entries: tuple[ChatEntry, ...]
    is_past: bool = False
    """Of a problem: whether the person has written since, so that its remedies are no longer offered."""

    @property
    def last(self) -> ChatEntry:
        return self.entries[-1]

    @property
    def kind(self) -> EntryKind:
        return EntryKind.NOTE if self.is_set_aside else self.last.kind

    @property
    def is_set_aside(self) -> bool:
        """Whether a restore went back to before these entries."""
        return self.last.set_aside

    @property
    def number(self) -> int:
        """The number of its first entry, which stays when the run grows."""
        return self.entries[0].number

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(entry.call for entry in self.entries if entry.call is not None)

    def words(self) -> str:
        """The row in one line, for lists and screen readers."""
        if self.is_set_aside:
            return tr_n("{n} entry set aside", "{n} entries set aside", len(self.entries))
        if self.calls:
            return chip_words(self.calls, is_allowed=bool(self.last.answer)).sentence()
        text = self.last.text or (tr("revision {revision}", revision=self.last.revision) if self.last.revision else "")
        return f"{_SPEAKERS.get(self.kind) or tr('Note')}: {text}"


class TranscriptModel(QAbstractListModel):
    """Chat entries by number, with consecutive reads grouped into rows."""

    RowRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[TranscriptRow] = []
        self._row_of: dict[int, int] = {}

    @property
    def rows(self) -> Sequence[TranscriptRow]:
        return tuple(self._rows)

    def row(self, number: int) -> TranscriptRow:
        return self._rows[number]

    def place_of(self, number: int) -> int | None:
        """The row in which the entry with this number stands."""
        return self._row_of.get(number)

    def entry(self, number: int) -> ChatEntry | None:
        place = self._row_of.get(number)
        rows = () if place is None else self._rows[place].entries
        return next((entry for entry in rows if entry.number == number), None)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.words()
        return row if role == self.RowRole else None

    def set_entries(self, entries: Iterable[ChatEntry]) -> None:
        """Show another conversation."""
        self.beginResetModel()
        self._rows, self._row_of = [], {}
        for entry in entries:
            if self._joins(entry):
                self._rows[-1] = TranscriptRow((*self._rows[-1].entries, entry))
            else:
                self._rows.append(TranscriptRow((entry,)))
            self._row_of[entry.number] = len(self._rows) - 1
            if entry.kind is EntryKind.PERSON:
                self._settle_problems()
        self.endResetModel()

    def put(self, entry: ChatEntry) -> None:
        """Add an entry, or replace the one with its number."""
        known = self._row_of.get(entry.number)
        if known is not None:
            self._replace(known, entry)
        elif self._joins(entry):
            last = len(self._rows) - 1
            self._rows[last] = TranscriptRow((*self._rows[last].entries, entry))
            self._row_of[entry.number] = last
            self._tell(last)
        else:
            last = len(self._rows)
            self.beginInsertRows(ROOT, last, last)
            self._rows.append(TranscriptRow((entry,)))
            self._row_of[entry.number] = last
            self.endInsertRows()
            if entry.kind is EntryKind.PERSON:
                for place in self._settle_problems():
                    self._tell(place)

    def _settle_problems(self) -> list[int]:
        """The person has written again: problems before that are past. The rows that changed."""
        past = [place for place, row in enumerate(self._rows) if row.kind is EntryKind.PROBLEM and not row.is_past]
        for place in past:
            self._rows[place] = replace(self._rows[place], is_past=True)
        return past

    def _replace(self, place: int, entry: ChatEntry) -> None:
        entries = tuple(entry if known.number == entry.number else known for known in self._rows[place].entries)
        if len({_group(each) for each in entries}) > 1 and not _is_its_run(entries[-1], entries[0]):
            self._split(place, entries)
            return
        self._rows[place] = TranscriptRow(entries)
        self._tell(place)

    def _split(self, place: int, entries: tuple[ChatEntry, ...]) -> None:
        """Split a group at a call that turned out not to be a read, or failed."""
        runs = [tuple(run) for _, run in groupby(entries, key=_group)]
        self.beginRemoveRows(ROOT, place, place)
        del self._rows[place]
        self._find_places()
        self.endRemoveRows()
        self.beginInsertRows(ROOT, place, place + len(runs) - 1)
        self._rows[place:place] = [TranscriptRow(run) for run in runs]
        self._find_places()
        self.endInsertRows()

    def _find_places(self) -> None:
        self._row_of = {entry.number: place for place, row in enumerate(self._rows) for entry in row.entries}

    def _tell(self, place: int) -> None:
        index = self.index(place)
        self.dataChanged.emit(index, index)

    def _joins(self, entry: ChatEntry) -> bool:
        if not self._rows:
            return False
        return _is_its_run(entry, self._rows[-1].last) or _group(entry) == _group(self._rows[-1].last)


def _is_its_run(entry: ChatEntry, before: ChatEntry) -> bool:
    """Whether a note tells the run of the plan that stands before it: one row says both."""
    is_run = entry.kind is EntryKind.NOTE and entry.run_id is not None and not entry.set_aside
    return is_run and before.kind is EntryKind.PLAN and before.plan_id == entry.plan_id and not before.set_aside


def _group(entry: ChatEntry) -> int:
    """Neighbours of the same group share a row: folded entries, and reads."""
    if entry.set_aside:
        return -1
    return 0 if _is_read(entry) else entry.number


def _is_read(entry: ChatEntry) -> bool:
    call = None if entry.set_aside else entry.call
    return call is not None and call.kind is ToolKind.READ and call.status is not ToolCallStatus.FAILED
