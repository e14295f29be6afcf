"""What was done to the workspace, run by run, newest first, with what can still be done about it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tandem_desktop.domain.execution import RunKind, RunStatus
from tandem_desktop.domain.ids import RunId
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.words import tr, tr_n

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class RunsModel(QAbstractListModel):
    """Holds runs and the titles of their plans."""

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
        """Plans and runs are listed one after the other; whichever comes last, every run gets its title."""
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
        """Whether there is anything to take back to come to before this run."""
        return any(run.undoable for run in self._runs[: row + 1])

    def _heading(self, row: int) -> str:
        now = self._now()
        day = wording.day(self._runs[row].record.started_at, now)
        before = wording.day(self._runs[row - 1].record.started_at, now) if row else ""
        return day if day != before else ""

    def _title(self, run: ListedRun) -> str:
        name = visible(self._titles.get(run.record.plan_id, run.record.plan_id))
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
            parts.append(tr("can be undone") if record.kind is not RunKind.UNDO else tr("can be taken back"))
        elif run.status is RunStatus.UNDONE:
            parts.append(tr("can be brought back"))
        return " · ".join(parts)
