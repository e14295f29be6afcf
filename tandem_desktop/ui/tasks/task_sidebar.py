"""The tasks of a plan with how far each is, what it waits for, and the operations that carry it out."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.tasks.suggested_order import SuggestedOrder
from tandem_desktop.ui.models.task_tree_model import TaskTreeModel
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.tasks import task_words
from tandem_desktop.ui.tasks.order_offer import OrderOffer
from tandem_desktop.ui.tasks.plan_work import PlanWork
from tandem_desktop.ui.tasks.task_tree import TaskTree
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.empty_state import EmptyState
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.progress_line import ProgressLine
from tandem_desktop.ui.words import later, tr, tr_marked

_NARROW = 560
_ASK = later("Ask an agent for an order")
_NO_TASKS = (
    "plan",
    later("This plan has no tasks"),
    later("Its operations stand by themselves, in the order they will run. An agent may group them into tasks."),
    later("See the operations"),
)
_NO_PLAN = ("plan", later("No plan yet"), later("The tasks of a plan stand here, each with its operations."), "")


class TaskSidebar(QWidget):
    """Shows a `PlanWork`; asks for operations to be shown."""

    operation_requested = Signal(str)
    order_accepted = Signal(object)
    """Every `OperationId` in the order that was suggested."""
    order_asked = Signal()
    """An agent is to say which order would be better; answered by `show_advice` or `stop_waiting`."""
    operations_requested = Signal()
    """There are no tasks; whoever looks for something finds it among the operations."""

    def __init__(self, theme: Theme, work: PlanWork) -> None:
        super().__init__()
        self.setObjectName("task-sidebar")
        self._theme = theme
        self._work = work
        self.model = TaskTreeModel(work, self)
        self.tree = TaskTree(theme, self.model)
        self.tree.operation_requested.connect(self.operation_requested)
        self.progress = ProgressLine(theme, token="ok")
        self.progress.setObjectName("task-progress")
        self.end = plain_label("", "muted")
        self.end.setObjectName("task-summary")
        self.offer = OrderOffer(theme)
        self.offer.accepted.connect(self.order_accepted)
        self.offer.answered.connect(self._forget_advice)
        self.ask = LinkButton(theme, tr_marked(_ASK))
        self.ask.setObjectName("ask-for-an-order")
        self.ask.setAccessibleName(tr_marked(_ASK))
        self.ask.clicked.connect(self._ask)
        self._advised: SuggestedOrder | None = None
        self.empty = EmptyState(theme, *_said(_NO_PLAN), primary=False)
        self.empty.requested.connect(self.operations_requested)
        above = QHBoxLayout()
        Spacing(theme, above, (18, 10, 18, 6), 12)
        above.addWidget(self.progress)
        above.addStretch(1)
        above.addWidget(self.end)
        above.addWidget(self.ask)
        tasks = QWidget()
        column = QVBoxLayout(tasks)
        Spacing(theme, column, between=0)
        column.addLayout(above)
        column.addWidget(self.offer)
        column.addWidget(self.tree, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(tasks)
        self._stack.addWidget(self.empty)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addWidget(self._stack)
        work.changed.connect(self._show)
        work.task_moved.connect(self._sum_up)
        work.rested.connect(self._sum_up)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look_for_an_order()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.progress.line.setVisible(self.width() >= self._theme.px(_NARROW))
        self.ask.setText(self._ask_words())

    def take_keyboard(self) -> None:
        """To the first thing that can be used here."""
        (self.tree if self._work.tasks else self.empty.button).setFocus()

    @property
    def words(self) -> str:
        """What stands above the tasks."""
        return " ".join(each for each in (self.progress.words, self.end.text()) if each)

    def _show(self) -> None:
        tasks = self._work.tasks
        self._stack.setCurrentIndex(0 if tasks else 1)
        if not tasks:
            self.empty.set_words(*_said(_NO_TASKS if self._work.views else _NO_PLAN))
        self._sum_up()
        self._look_for_an_order()

    def show_advice(self, suggested: SuggestedOrder) -> None:
        """What an agent said about the order of the plan on screen."""
        self._advised = suggested
        self.offer.show_advice(suggested, self._work.order)

    def stop_waiting(self) -> None:
        """The agent has answered, or cannot."""
        self.ask.setEnabled(True)
        self.ask.setText(self._ask_words())

    def _ask(self) -> None:
        self.ask.setEnabled(False)
        self.ask.setText(self._ask_words())
        self.order_asked.emit()

    def _ask_words(self) -> str:
        """Shorter where there is little room; the name stays whole."""
        if not self.ask.isEnabled():
            return tr("Asking…")
        return tr_marked(_ASK) if self.width() >= self._theme.px(_NARROW) else tr("Ask…")

    def _forget_advice(self) -> None:
        self._advised = None

    def _look_for_an_order(self) -> None:
        """Only while somebody looks: it takes a moment in a large plan. What an agent said is not talked over."""
        self.ask.setVisible(self._work.may_be_reordered)
        if self._advised is not None and set(self._advised.order) != set(self._work.order):
            self._advised = None
        if self.isVisible() and self._advised is None:
            self.offer.show_order(self._work.suggested_order())

    def _sum_up(self) -> None:
        progress = self._work.progress
        self.progress.set_progress(progress.completed, progress.total, task_words.counts(progress))
        is_over = self._work.has_run and not self._work.is_running
        self.end.setText(task_words.summary(progress) if progress.total and is_over else "")


def _said(state: tuple[str, str, str, str]) -> tuple[str, str, str, str]:
    icon, title, words, action = state
    return icon, tr_marked(title), tr_marked(words), tr_marked(action)
