"""Tasks as a tree, each with its operations below it; operations of no task stand together at the end."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.tasks import PlanTask
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.tasks import task_words
from tandem_desktop.ui.tasks.plan_work import PlanWork
from tandem_desktop.ui.words import later, tr_marked, tr_n

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
_TOP = 0
REST = later("Operations of no task")


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """All that is painted of one task; without a task it is the group of operations that have none."""

    task: PlanTask | None
    facts: str
    remark: str


@dataclass(frozen=True, slots=True)
class OperationEntry:
    """All that is painted of one operation below its task."""

    view: OperationView
    status: ResultStatus
    has_run: bool
    """Whether the plan runs or ran, so that there is a result to tell."""


class TaskTreeModel(QAbstractItemModel):
    """Shows a `PlanWork`. Holds only which operations stand below which task."""

    EntryRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, work: PlanWork, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self._groups: list[tuple[TaskId | None, tuple[OperationView, ...]]] = []
        self._places: dict[OperationId, tuple[int, int]] = {}
        work.changed.connect(self._reset)
        work.task_moved.connect(self._task_moved)
        work.operation_moved.connect(self._operation_moved)
        self._reset()

    # What Qt asks

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        if column != 0 or row < 0 or row >= self.rowCount(parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _TOP)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # Qt has another parent() without arguments
        if not index.isValid() or index.internalId() == _TOP:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, _TOP)

    def rowCount(self, parent: Index = ROOT) -> int:
        if not parent.isValid():
            return len(self._groups)
        return len(self._groups[parent.row()][1]) if self._is_task(parent) and parent.column() == 0 else 0

    def columnCount(self, parent: Index = ROOT) -> int:
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self.entry(index)
        if role == self.EntryRole:
            return entry
        if isinstance(entry, OperationEntry):
            return _about_operation(entry, role)
        return self._about_task(entry, role)

    # What is asked about rows

    def entry(self, index: Index) -> TaskEntry | OperationEntry:
        work = self._work
        if self._is_task(index):
            name = self._groups[index.row()][0]
            if name is None:
                return TaskEntry(None, tr_n("{n} operation", "{n} operations", len(self._groups[index.row()][1])), "")
            task = work.task(name)
            return TaskEntry(task, task_words.facts(work, task), task_words.remark(work, task))
        view = self._groups[index.internalId() - 1][1][index.row()]
        return OperationEntry(view, work.status(view.operation.id), work.has_run)

    @property
    def is_any_under_way(self) -> bool:
        return self._work.is_any_under_way

    def task_index(self, task_id: TaskId) -> QModelIndex:
        """The row of a task; invalid where there is none."""
        row = next((row for row, (name, _) in enumerate(self._groups) if name == task_id), -1)
        return self.index(row, 0)

    def _is_task(self, index: Index) -> bool:
        return bool(index.internalId() == _TOP)

    def _about_task(self, entry: TaskEntry, role: int) -> Any:
        if entry.task is None:
            return (
                tr_marked(REST) if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None
            )
        if role == Qt.ItemDataRole.DisplayRole:
            return task_words.subject(entry.task)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return task_words.spoken(self._work, entry.task)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return entry.task.description
        return None

    # How it follows

    def _reset(self) -> None:
        self.beginResetModel()
        work = self._work
        self._groups = [(task.id, work.views_of(task.id)) for task in work.tasks]
        rest = work.views_of(None) if self._groups else ()
        if rest:
            self._groups.append((None, rest))
        self._places = {
            view.operation.id: (row, below)
            for row, (_, views) in enumerate(self._groups)
            for below, view in enumerate(views)
        }
        self.endResetModel()

    def _task_moved(self, task_id: str) -> None:
        """Whoever waits for it says so in its own row."""
        name = TaskId(task_id)
        for each in (name, *(task.id for task in self._work.blocks(name))):
            index = self.task_index(each)
            self.dataChanged.emit(index, index)

    def _operation_moved(self, operation_id: str) -> None:
        place = self._places.get(OperationId(operation_id))
        if place is not None:
            index = self.index(place[1], 0, self.index(place[0], 0))
            self.dataChanged.emit(index, index)


def _about_operation(entry: OperationEntry, role: int) -> Any:
    words = wording.title(entry.view.operation)
    if role == Qt.ItemDataRole.DisplayRole:
        return words
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return f"{words}, {task_words.result_word(entry.status)}" if entry.has_run else words
    return None
