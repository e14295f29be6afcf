"""The task tree model and task status text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from tandem_desktop.diff.text import visible
from tandem_desktop.domain.events import (
    OperationFinished,
    OperationStarted,
    RunFinished,
    RunStarted,
    TandemEvent,
    TaskCompleted,
    TaskFailed,
    TasksListed,
    TaskStarted,
    TaskUpdated,
)
from tandem_desktop.domain.ids import OperationId, PlanId, TaskId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.domain.tasks import PlanTask, TaskPriority, TaskProgress, TaskStatus
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.tasks.board import TaskBoard
from tandem_desktop.tasks.suggested_order import SuggestedOrder, suggest_order
from tandem_desktop.ui.i18n import later, some_of, tr, tr_marked, tr_n, tr_table
from tandem_desktop.ui.plan import wording


def _now() -> datetime:
    return datetime.now(UTC)


_NO_TASKS = TaskBoard(PlanId(""), _now)
_RUNS = (PlanStatus.EXECUTING, PlanStatus.PAUSED)
_OPEN = (PlanStatus.PROPOSED, PlanStatus.APPROVED, PlanStatus.NEEDS_REVIEW)


class TaskProgressModel(QObject):
    """Task progress from pages and events. A page replaces everything."""

    changed = Signal()
    """Tasks or operations changed."""
    task_moved = Signal(str)
    operation_moved = Signal(str)
    rested = Signal()
    """The run has ended."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan_id: PlanId | None = None
        self._run_id = ""
        self._board = _NO_TASKS
        self._views: tuple[OperationView, ...] = ()
        self._by_id: dict[OperationId, OperationView] = {}
        self._by_task: dict[TaskId | None, tuple[OperationView, ...]] = {}
        self._results: dict[OperationId, OperationResult] = {}
        self._words: dict[TaskId, str] = {}
        self._page: PlanPage | None = None
        self.is_running = False
        self.has_run = False

    # Input

    def clear(self) -> None:
        """No plan is open."""
        self._plan_id, self._run_id, self._page = None, "", None
        self._set((), (), ())
        self.is_running = self.has_run = False
        self.changed.emit()

    def show_page(self, page: PlanPage, results: Iterable[OperationResult]) -> None:
        """Show a revision, with the user's choices applied."""
        if page.version.plan_id != self._plan_id:
            self._words = {}
        self._plan_id, self._run_id = page.version.plan_id, page.meta.execution_session or ""
        self._page = page
        self.is_running = page.meta.status in _RUNS
        self._set(page.tasks, page.left or page.views, results)
        self.has_run = self.is_running or bool(page.results)
        self.changed.emit()

    def follow(self, event: TandemEvent) -> None:
        """Handle one event; events of other plans and runs are ignored."""
        match event:
            case RunStarted() if event.plan_id == self._plan_id:
                self._begin(event.run_id)
            case OperationStarted() if event.run_id == self._run_id and not self._has_ended(event.operation_id):
                self._result(OperationResult(id=event.operation_id, status=ResultStatus.RUNNING))
            case OperationFinished() if event.run_id == self._run_id:
                self._result(event.result)
            case TaskUpdated() if event.is_agents_word and event.plan_id == self._plan_id:
                self._words[event.task_id] = " ".join(f"{event.status.value.replace('_', ' ')}. {event.note}".split())
                self._moved(self._board.follow(event))
            case TaskStarted() | TaskUpdated() | TaskCompleted() | TaskFailed() | TasksListed():
                if event.plan_id == self._plan_id:
                    self._moved(self._board.follow(event))
            case RunFinished() if event.run_id == self._run_id:
                self.is_running = False
                self.rested.emit()

    # Queries

    @property
    def tasks(self) -> tuple[PlanTask, ...]:
        """In dependency order."""
        return self._board.get_tasks_in_order()

    @property
    def views(self) -> tuple[OperationView, ...]:
        """Every operation in plan order."""
        return self._views

    @property
    def is_any_under_way(self) -> bool:
        return bool(self.progress.in_progress)

    @property
    def progress(self) -> TaskProgress:
        return self._board.get_task_progress()

    def task(self, task_id: TaskId) -> PlanTask:
        return self._board.get_task(task_id)

    def blocks(self, task_id: TaskId) -> tuple[PlanTask, ...]:
        """The tasks that depend on a task."""
        return tuple(map(self.task, self._board.get_task(task_id).blocks))

    def blockers(self, task_id: TaskId) -> tuple[PlanTask, ...]:
        """The dependencies of a task."""
        return tuple(map(self.task, self._board.get_task(task_id).blocked_by))

    def views_of(self, task_id: TaskId | None) -> tuple[OperationView, ...]:
        """The operations of a task in plan order; for None, those without a task."""
        return self._by_task.get(task_id, ())

    def view(self, operation_id: OperationId) -> OperationView:
        return self._by_id[operation_id]

    def task_of(self, view: OperationView) -> TaskId | None:
        return view.operation.task if view.operation.task in self._board else None

    def status(self, operation_id: OperationId) -> ResultStatus:
        found = self._results.get(operation_id)
        return found.status if found is not None else ResultStatus.PENDING

    def error(self, operation_id: OperationId) -> str:
        found = self._results.get(operation_id)
        return (found.error or "") if found is not None else ""

    def agent_message(self, task_id: TaskId) -> str:
        """The agent's last message about a task; not stored."""
        return self._words.get(task_id, "")

    @property
    def order(self) -> tuple[OperationId, ...]:
        """All operations of the revision in the user's order, including dropped ones."""
        return tuple(view.operation.id for view in self._page.views) if self._page is not None else ()

    @property
    def may_be_reordered(self) -> bool:
        page = self._page
        if page is None or page.meta.status not in _OPEN or page.version.revision != page.meta.revision:
            return False
        return len(page.views) > 1

    def suggested_order(self) -> SuggestedOrder | None:
        """A suggested order, if the plan waits for a decision and there is one."""
        page = self._page
        if page is None or not self.may_be_reordered:
            return None
        operations = [view.operation for view in page.views]
        return suggest_order(operations, page.tasks, [operation.id for operation in page.version.operations])

    def first_failed(self) -> PlanTask | None:
        return next((task for task in self.tasks if task.status is TaskStatus.FAILED), None)

    # Updates

    def _set(
        self, tasks: Iterable[PlanTask], views: tuple[OperationView, ...], results: Iterable[OperationResult]
    ) -> None:
        self._board = TaskBoard(self._plan_id, _now, tasks) if self._plan_id is not None else _NO_TASKS
        self._views = views
        self._by_id = {view.operation.id: view for view in views}
        grouped: dict[TaskId | None, list[OperationView]] = {}
        for view in views:
            grouped.setdefault(self.task_of(view), []).append(view)
        self._by_task = {name: tuple(found) for name, found in grouped.items()}
        self._results = {result.id: result for result in results}

    def _begin(self, run_id: str) -> None:
        self._run_id, self._results = run_id, {}
        self.is_running = self.has_run = True
        self._board.begin()
        self.changed.emit()

    def _result(self, result: OperationResult) -> None:
        self._results[result.id] = result
        self.operation_moved.emit(result.id)

    def _has_ended(self, operation_id: OperationId) -> bool:
        return self.status(operation_id) not in (ResultStatus.PENDING, ResultStatus.RUNNING)

    def _moved(self, tasks: Iterable[TaskId]) -> None:
        for task_id in tasks:
            self.task_moved.emit(task_id)


STATUSES = tr_table(
    {
        TaskStatus.PENDING: "waiting",
        TaskStatus.IN_PROGRESS: "in progress",
        TaskStatus.COMPLETED: "completed",
        TaskStatus.FAILED: "failed",
        TaskStatus.SKIPPED: "skipped",
    }
)
_PRIORITIES = tr_table(
    {
        TaskPriority.CRITICAL: "critical priority",
        TaskPriority.HIGH: "high priority",
        TaskPriority.LOW: "low priority",
    }
)
MARKS = {
    TaskStatus.PENDING: "waiting",
    TaskStatus.IN_PROGRESS: "running",
    TaskStatus.COMPLETED: "done",
    TaskStatus.FAILED: "failed",
    TaskStatus.SKIPPED: "skipped",
}
TONES = {
    TaskStatus.PENDING: "neutral",
    TaskStatus.IN_PROGRESS: "info",
    TaskStatus.COMPLETED: "ok",
    TaskStatus.FAILED: "error",
    TaskStatus.SKIPPED: "risk",
}
RESULT_MARKS = {
    ResultStatus.PENDING: "waiting",
    ResultStatus.RUNNING: "running",
    ResultStatus.COMPLETED: "done",
    ResultStatus.FAILED: "failed",
    ResultStatus.SKIPPED: "skipped",
    ResultStatus.ROLLED_BACK: "skipped",
    ResultStatus.CANCELLED: "skipped",
}
_NAMED = 2


def status_word(task: PlanTask) -> str:
    """`in progress · 60 %`."""
    word = STATUSES[task.status]
    return f"{word} · {task.progress} %" if task.status is TaskStatus.IN_PROGRESS and task.progress else word


def subject(task: PlanTask) -> str:
    return in_one_line(task.subject)


def named(tasks: Sequence[PlanTask]) -> str:
    """The first few by name, the rest counted."""
    return some_of([subject(task) for task in tasks], _NAMED)


def facts(work: TaskProgressModel, task: PlanTask) -> str:
    """One line: who, how urgent, what it waits for, what waits for it."""
    waiting = [each for each in work.blockers(task.id) if each.status is not TaskStatus.COMPLETED]
    count = len(work.views_of(task.id))
    parts = (
        visible(task.active_form).strip() if task.status is TaskStatus.IN_PROGRESS else "",
        visible(task.agent).upper() if task.agent else "",
        _PRIORITIES.get(task.priority, ""),
        tr_n("{n} operation", "{n} operations", count) if count else tr("no operations"),
        tr("waits for {named}", named=named(waiting)) if waiting else "",
        tr("blocks {named}", named=named(blocked)) if (blocked := work.blocks(task.id)) else "",
    )
    return " · ".join(part for part in parts if part)


def remark(work: TaskProgressModel, task: PlanTask) -> str:
    """Why it failed or was skipped, or what its agent says about it; one line, or nothing."""
    lost = [each for each in work.blockers(task.id) if each.status in (TaskStatus.FAILED, TaskStatus.SKIPPED)]
    if task.status is TaskStatus.SKIPPED and lost:
        return tr_n(
            "It waits for {tasks}, which was not completed.",
            "It waits for {tasks}, which were not completed.",
            len(lost),
            tasks=named(lost),
        )
    if task.status in (TaskStatus.FAILED, TaskStatus.SKIPPED) and task.error:
        return in_one_line(task.error)
    said = work.agent_message(task.id)
    return tr("The agent says: {said}", said=visible(said)) if said else ""


def spoken(work: TaskProgressModel, task: PlanTask) -> str:
    """The whole row for a screen reader."""
    parts = (
        tr("Task {subject}", subject=subject(task)),
        status_word(task),
        facts(work, task).replace(" · ", ", "),
        remark(work, task),
    )
    return ", ".join(part for part in parts if part)


def counts(progress: TaskProgress) -> str:
    """`4 tasks · 2 completed · 1 failed · 1 skipped`."""
    told = [(progress.in_progress, TaskStatus.IN_PROGRESS), (progress.completed, TaskStatus.COMPLETED)]
    told += [(progress.failed, TaskStatus.FAILED), (progress.skipped, TaskStatus.SKIPPED)]
    told += [(progress.pending, TaskStatus.PENDING)]
    parts = [f"{number:,} {STATUSES[status]}" for number, status in told if number]
    return " · ".join((tr_n("{n} task", "{n} tasks", progress.total), *parts))


def summary(progress: TaskProgress) -> str:
    """`(5/5 tasks succeeded)`."""
    done, total = progress.completed, progress.total
    return tr_n("({done}/{n} task succeeded)", "({done}/{n} tasks succeeded)", total, done=done)


def result_word(status: ResultStatus) -> str:
    return wording.RESULTS[status]


def in_one_line(text: str) -> str:
    """Agent text on one line, hidden characters as tokens."""
    return visible(" ".join(text.split()))


Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
_TOP = 0
REST = later("Operations of no task")


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """Everything shown of one task; without a task, the group of operations that have none."""

    task: PlanTask | None
    facts: str
    remark: str


@dataclass(frozen=True, slots=True)
class OperationEntry:
    """Everything shown of one operation below its task."""

    view: OperationView
    status: ResultStatus
    has_run: bool
    """Whether the plan runs or ran, so that there is a result."""


class TaskTreeModel(QAbstractItemModel):
    """The tree of a `TaskProgressModel`: operations below their tasks."""

    EntryRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, work: TaskProgressModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self._groups: list[tuple[TaskId | None, tuple[OperationView, ...]]] = []
        self._places: dict[OperationId, tuple[int, int]] = {}
        work.changed.connect(self._reset)
        work.task_moved.connect(self._task_moved)
        work.operation_moved.connect(self._operation_moved)
        self._reset()

    # Qt model interface

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

    # Queries

    def entry(self, index: Index) -> TaskEntry | OperationEntry:
        work = self._work
        if self._is_task(index):
            name = self._groups[index.row()][0]
            if name is None:
                return TaskEntry(None, tr_n("{n} operation", "{n} operations", len(self._groups[index.row()][1])), "")
            task = work.task(name)
            return TaskEntry(task, facts(work, task), remark(work, task))
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
            return subject(entry.task)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(self._work, entry.task)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return entry.task.description
        return None

    # Updates

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
        """Update the rows of dependent tasks too: they show what they wait for."""
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
        return f"{words}, {result_word(entry.status)}" if entry.has_run else words
    return None
