"""The tree of tasks on screen: arrows move and open, Enter or a click on an operation asks for its diff."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeView

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.models.task_tree_model import OperationEntry, TaskTreeModel
from tandem_desktop.ui.tasks.task_delegate import TaskDelegate
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr

_TURN_MS = 60


class TaskTree(QTreeView):
    """Shows; what is wished for is for others."""

    operation_requested = Signal(str)

    def __init__(self, theme: Theme, model: TaskTreeModel) -> None:
        super().__init__()
        self._theme = theme
        self._tasks = model
        self.setObjectName("task-tree")
        self.setAccessibleName(tr("Tasks of the plan"))
        self.setModel(model)
        self._delegate = TaskDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(False)
        self.setExpandsOnDoubleClick(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._turning = QTimer(self, interval=_TURN_MS)
        self._turning.timeout.connect(self._turn)
        self.clicked.connect(self._choose)
        model.modelReset.connect(self._arrange)
        model.dataChanged.connect(self._moved)
        theme.changed.connect(self.scheduleDelayedItemsLayout)
        self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands in this window."""

    def drawBranches(self, *_: object) -> None:
        """The card of a task has an arrow of its own."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._turn_or_rest()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._turning.stop()

    @property
    def is_turning(self) -> bool:
        return self._turning.isActive()

    def _choose(self, index: QModelIndex | QPersistentModelIndex) -> None:
        entry = index.data(TaskTreeModel.EntryRole)
        if isinstance(entry, OperationEntry):
            self.operation_requested.emit(OperationId(entry.view.operation.id))
        else:
            self.setExpanded(index, not self.isExpanded(index))

    def _arrange(self) -> None:
        """A few tasks are shown with their operations; many are opened one by one."""
        rows = sum(1 + self._tasks.rowCount(self._tasks.index(row, 0)) for row in range(self._tasks.rowCount()))
        if rows <= _OPENED:
            self.expandAll()
        elif self._tasks.rowCount():
            last = self._tasks.index(self._tasks.rowCount() - 1, 0)
            self.setExpanded(last, last.data(TaskTreeModel.EntryRole).task is None)
        if not self.currentIndex().isValid() and self._tasks.rowCount():
            self.setCurrentIndex(self._tasks.index(0, 0))
        self._turn_or_rest()

    def _moved(self, index: QModelIndex) -> None:
        if not index.parent().isValid():
            self.scheduleDelayedItemsLayout()  # a remark makes a row higher
            self._turn_or_rest()

    def _turn_or_rest(self) -> None:
        if self._tasks.is_any_under_way and self.isVisible() and not self._theme.reduced_motion:
            self._turning.start()
        else:
            self._turning.stop()

    def _turn(self) -> None:
        self._delegate.turn = (self._delegate.turn + 20) % 360
        self.viewport().update()


_OPENED = 40
"""Rows up to which everything is shown opened."""
