"""The models of runs and their changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tandem_desktop.diff.text import visible, visible_line, visible_name
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.operations import Absent, PathChange
from tandem_desktop.domain.runs import RunKind, RunStatus
from tandem_desktop.execution.run_store import DoneOperation
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.staging.git_effects import GitEffect
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.plan import wording

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class RunsModel(QAbstractListModel):
    """Runs and the titles of their plans."""

    RunRole = Qt.ItemDataRole.UserRole + 1
    DetailRole = Qt.ItemDataRole.UserRole + 2
    DayRole = Qt.ItemDataRole.UserRole + 3
    """The day as a heading, for the first run of it; empty for the others."""
    TimeRole = Qt.ItemDataRole.UserRole + 4

    def __init__(self, now: Callable[[], datetime], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._now = now
        self._runs: tuple[ListedRun, ...] = ()
        self._titles: Mapping[str, str] = {}

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._runs)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._runs):
            return None
        run = self._runs[index.row()]
        if role == self.RunRole:
            return run
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title(run)
        if role == self.DetailRole:
            return self._detail(run)
        if role == self.DayRole:
            return self._heading(index.row())
        if role == self.TimeRole:
            return f"{run.record.started_at.astimezone():%H:%M}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            day = wording.day(run.record.started_at, self._now())
            return f"{self._title(run)}, {day} {self.data(index, self.TimeRole)}, {self._detail(run)}"
        return None

    def show(self, runs: tuple[ListedRun, ...], titles: Mapping[str, str] | None = None) -> None:
        self.beginResetModel()
        self._runs = runs
        self._titles = dict(titles or {})
        self.endResetModel()

    def set_titles(self, titles: Mapping[str, str]) -> None:
        """Plans and runs arrive in any order; update the titles of all runs."""
        if titles != self._titles:
            self._titles = dict(titles)
            if self._runs:
                self.dataChanged.emit(self.index(0), self.index(len(self._runs) - 1))

    def run(self, row: int) -> ListedRun | None:
        return self._runs[row] if 0 <= row < len(self._runs) else None

    def row_of(self, run_id: RunId) -> int:
        """Its row, or -1 where it is not listed."""
        return next((row for row, run in enumerate(self._runs) if run.record.run_id == run_id), -1)

    def title_of(self, run_id: RunId) -> str:
        run = self.run(self.row_of(run_id))
        return f"{self._title(run)}, {wording.since(run.record.started_at, self._now())}" if run else run_id

    def can_go_back_to(self, row: int) -> bool:
        """Whether there is anything to undo to return to before this run."""
        return any(run.undoable for run in self._runs[: row + 1])

    def _heading(self, row: int) -> str:
        now = self._now()
        day = wording.day(self._runs[row].record.started_at, now)
        before = wording.day(self._runs[row - 1].record.started_at, now) if row else ""
        return day if day != before else ""

    def _title(self, run: ListedRun) -> str:
        name = visible_line(self._titles.get(run.record.plan_id, run.record.plan_id))
        what = f"{name} r{run.record.revision}"
        if run.record.partial:
            what = tr("a part of {what}", what=what)
        if run.record.also:
            also = len(run.record.also)
            what = tr_n("{what} and {n} later run", "{what} and {n} later runs", also, what=what)
        return f"{wording.RUN_KINDS[run.record.kind]} {what}"

    def _detail(self, run: ListedRun) -> str:
        record = run.record
        parts = [wording.since(record.started_at, self._now()), wording.RUNS[run.status]]
        if record.rolled_back:
            parts.append(tr("rolled back, nothing on disk has changed"))
        if record.summary:
            parts.append(visible(record.summary))
        if run.undoable:
            parts.append(tr("can be redone") if record.kind is RunKind.UNDO else tr("can be undone"))
        elif run.status is RunStatus.UNDONE:
            parts.append(tr("can be redone"))
        return " · ".join(parts)


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """An operation, or a path below it."""

    words: str
    operation: OperationId | None
    """What can be undone as one; None where the run has no operations of its own."""
    path: str | None
    """The one path the row is about; None for an operation with several."""
    is_below: bool = False


class RunChangesModel(QAbstractListModel):
    """The changes of one run."""

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
    paths = [ChangedRow(change_words(each), None, each.path) for each in done.files]
    paths += [ChangedRow(visible(line), None, None) for effect in done.git for line in _git_lines(effect)]
    if done.staged is None:
        return paths
    title = wording.title(done.staged)
    only = done.changes[0].path if len(done.changes) == 1 else None
    if only is not None and only == done.staged.path:
        return [ChangedRow(title, done.id, only)]
    below = [ChangedRow(each.words, done.id, each.path, is_below=True) for each in paths]
    return [ChangedRow(title, done.id, None), *below]


def _git_lines(effect: GitEffect) -> list[str]:
    return [line if effect.repository == "." else f"{effect.repository}: {line}" for line in effect.lines]


def change_words(change: PathChange) -> str:
    """`created app/x.py`, as the run did it."""
    if isinstance(change.before, Absent):
        return tr("created {path}", path=visible_name(change.path))
    if isinstance(change.after, Absent):
        return tr("deleted {path}", path=visible_name(change.path))
    return tr("changed {path}", path=visible_name(change.path))
