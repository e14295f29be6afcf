"""The task tab."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.diff.text import visible
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.tasks.suggested_order import SuggestedOrder
from tandem_desktop.ui.i18n import later, some_of, tr, tr_marked
from tandem_desktop.ui.models import tasks as model_tasks
from tandem_desktop.ui.models.tasks import OperationEntry, TaskEntry, TaskProgressModel, TaskTreeModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.operation_delegate import RowPaintCache
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner, EmptyState
from tandem_desktop.ui.widgets.buttons import LinkButton
from tandem_desktop.ui.widgets.labels import TONES, plain_label
from tandem_desktop.ui.widgets.progress import ProgressLine, paint_status_mark

_USE, _NOT_NOW = "use", "not-now"
_NAMED = 8


class OrderOffer(QWidget):
    """Suggests an order. Hidden without a suggestion, or if the user dismissed it."""

    accepted = Signal(object)
    """All `OperationId`s in the new order."""
    answered = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("order-offer")
        self._suggested: SuggestedOrder | None = None
        self._unwanted: tuple[OperationId, ...] = ()
        self.banner = Banner(theme, parent=self)
        self.banner.requested.connect(self._answer)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, (12, 0, 12, 4))
        layout.addWidget(self.banner)
        self.hide()

    def show_order(self, suggested: SuggestedOrder | None) -> None:
        self._suggested = suggested
        self.setVisible(suggested is not None and suggested.order != self._unwanted)
        if suggested is not None:
            actions = ((_USE, tr("Use this order")), (_NOT_NOW, tr("Not now")))
            self.banner.set_message("info", words(suggested), actions)

    def show_advice(self, suggested: SuggestedOrder, present: tuple[OperationId, ...]) -> None:
        """Show an agent's suggestion, or that the order is already good."""
        self._unwanted = ()
        self.show_order(suggested)
        if suggested.order == present:
            reasons = visible(" ".join(suggested.reasons))
            said = tr("{agent} finds the order good as it is: {reasons}", agent=visible(suggested.by), reasons=reasons)
            self.banner.set_message("info", said, ((_NOT_NOW, tr("Done")),))

    def _answer(self, action: str) -> None:
        if self._suggested is None:
            return
        order = self._suggested.order
        if action == _NOT_NOW:
            self._unwanted = order
        self.hide()
        self.answered.emit()
        if action == _USE:
            self.accepted.emit(order)


def words(suggested: SuggestedOrder) -> str:
    """`Suggested order: s1, s3, s2. The 2 operations of “Tests” stay together.`, and the agent that suggests it."""
    names, reasons = some_of(suggested.order, _NAMED), visible(" ".join(suggested.reasons))
    if suggested.by:
        agent = visible(suggested.by)
        return tr("{agent} suggests the order {names}: {reasons}", agent=agent, names=names, reasons=reasons)
    return tr("Suggested order: {names}. {reasons}", names=names, reasons=reasons)


_TASK, _REMARK, _GROUP, _OPERATION = 60, 20, 32, 30
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RESULT_INKS = {ResultStatus.FAILED: "removed_ink", ResultStatus.ROLLED_BACK: "risk", ResultStatus.SKIPPED: "risk"}


class TaskDelegate(QStyledItemDelegate):
    """Draws tasks and operations; `turn` animates the running mark."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._paint_cache = RowPaintCache(theme)
        self.turn = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        entry = index.data(TaskTreeModel.EntryRole)
        if isinstance(entry, OperationEntry):
            return QSize(0, self._theme.px(_OPERATION))
        if entry.task is None:
            return QSize(0, self._theme.px(_GROUP))
        return QSize(0, self._theme.px(_TASK + (_REMARK if entry.remark else 0) + 8))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry = index.data(TaskTreeModel.EntryRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(entry, OperationEntry):
            self._operation(painter, option.rect, option.state, entry)
        elif entry.task is None:
            self._group(painter, option.rect, entry)
        else:
            self._task(painter, option.rect, option.state, entry, entry.task)
        painter.restore()

    def _task(self, painter: QPainter, place: QRect, state: QStyle.StateFlag, entry: TaskEntry, task: PlanTask) -> None:
        px = self._theme.px
        card = place.adjusted(px(12), px(4), -px(12), -px(4))
        self._card(painter, card, state)
        is_open = bool(state & QStyle.StateFlag.State_Open)
        has_more = bool(state & QStyle.StateFlag.State_Children)
        middle = card.top() + px(_TASK) // 2
        if has_more:
            arrow = QRectF(card.left() + px(8), middle - px(7), px(14), px(14))
            self._paint_cache.icon(painter, "chevron-down" if is_open else "chevron-right", "muted", arrow)
        mark = QRectF(card.left() + px(28), middle - px(9), px(18), px(18))
        paint_status_mark(painter, self._theme, model_tasks.MARKS[task.status], mark, self.turn)
        right = self._badge(painter, card.right() - px(12), card.top() + px(10), task)
        left = card.left() + px(56)
        room = QRect(left, card.top() + px(10), right - left - px(8), px(20))
        self._text(painter, room, model_tasks.subject(task), "title", "text")
        room = QRect(left, card.top() + px(32), card.right() - px(12) - left, px(18))
        self._text(painter, room, entry.facts, "small", "muted")
        if entry.remark:
            ink = {TaskStatus.FAILED: "removed_ink", TaskStatus.SKIPPED: "risk"}.get(task.status, "muted")
            self._text(painter, room.translated(0, px(_REMARK)), entry.remark, "small", ink)
        if task.status is TaskStatus.IN_PROGRESS and task.progress:
            self._progress(painter, card, task.progress)

    def _card(self, painter: QPainter, card: QRect, state: QStyle.StateFlag) -> None:
        current = bool(state & QStyle.StateFlag.State_Selected)
        focused = current and bool(state & QStyle.StateFlag.State_HasFocus)
        painter.setBrush(self._paint_cache.color("raised" if current else "panel"))
        edge = "focus" if focused else "line_strong" if current else "line"
        painter.setPen(QPen(self._paint_cache.color(edge), 2 if focused else 1))
        corner = self._theme.px(8)
        painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)

    def _badge(self, painter: QPainter, right: int, top: int, task: PlanTask) -> int:
        """Draw the state badge; returns its left edge."""
        px, words = self._theme.px, model_tasks.status_word(task)
        ground, ink = TONES[model_tasks.TONES[task.status]]
        width = self._paint_cache.metrics("tag").horizontalAdvance(words) + 2 * px(8)
        box = QRect(right - width, top, width, px(20))
        painter.setPen(self._paint_cache.color("line") if ground == "raised" else Qt.PenStyle.NoPen)
        painter.setBrush(self._paint_cache.color(ground))
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), px(5), px(5))
        painter.setFont(self._paint_cache.font("tag"))
        painter.setPen(self._paint_cache.color(ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        return box.left()

    def _progress(self, painter: QPainter, card: QRect, percent: int) -> None:
        px = self._theme.px
        room = QRectF(card.left() + px(8), card.bottom() - px(3), card.width() - px(16), px(2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._paint_cache.color("line"))
        painter.drawRect(room)
        painter.setBrush(self._paint_cache.color("accent"))
        painter.drawRect(QRectF(room.left(), room.top(), room.width() * percent / 100, room.height()))

    def _group(self, painter: QPainter, place: QRect, entry: TaskEntry) -> None:
        px = self._theme.px
        room = place.adjusted(px(20), 0, -px(20), 0)
        self._text(painter, room, tr("Operations of no task · {facts}", facts=entry.facts), "small", "muted")

    def _operation(self, painter: QPainter, place: QRect, state: QStyle.StateFlag, entry: OperationEntry) -> None:
        px, operation = self._theme.px, entry.view.operation
        line = place.adjusted(px(56), px(1), -px(12), -px(1))
        current = bool(state & QStyle.StateFlag.State_Selected)
        if current:
            focused = bool(state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(self._paint_cache.color("focus" if focused else "line_strong"), 2 if focused else 1))
            painter.setBrush(self._paint_cache.color("raised"))
            painter.drawRoundedRect(QRectF(line).adjusted(1, 1, -1, -1), px(6), px(6))
        left, right, middle = line.left() + px(10), line.right() - px(10), line.center().y()
        if entry.has_run:
            mark = QRectF(left, middle - px(7), px(14), px(14))
            paint_status_mark(painter, self._theme, model_tasks.RESULT_MARKS[entry.status], mark, self.turn)
            left += px(22)
            words = model_tasks.result_word(entry.status)
            width = self._paint_cache.metrics("words").horizontalAdvance(words)
            self._text(
                painter,
                QRect(right - width, line.top(), width + 1, line.height()),
                words,
                "words",
                _RESULT_INKS.get(entry.status, "muted"),
            )
            right -= width + px(10)
        kind = wording.kind_word(operation)
        tag = QRect(left, middle - px(9), px(48), px(18))
        painter.setPen(self._paint_cache.color("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(tag).adjusted(0.5, 0.5, -0.5, -0.5), px(4), px(4))
        painter.setFont(self._paint_cache.font("tag"))
        painter.setPen(self._paint_cache.color("muted"))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, kind)
        left += px(58)
        folder, name = wording.subject(operation)
        self._text(painter, QRect(left, line.top(), right - left, line.height()), f"{folder}{name}", "code", "text")

    def _text(self, painter: QPainter, room: QRect, text: str, face: str, token: str) -> None:
        font = {"title": self._theme.ui_font(bold=True), "small": self._theme.ui_font(-1)}.get(face)
        painter.setFont(font or self._paint_cache.font(face))
        painter.setPen(self._paint_cache.color(token))
        mode = Qt.TextElideMode.ElideMiddle if face == "code" else Qt.TextElideMode.ElideRight
        painter.drawText(room, _LEFT, painter.fontMetrics().elidedText(text, mode, room.width()))


_TURN_MS = 60


class TaskTree(QTreeView):
    """The tree of tasks and their operations."""

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
        """Disabled: letters are shortcuts in this window."""

    def drawBranches(self, *_: object) -> None:
        """Disabled: task cards draw their own arrow."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._turn_or_rest()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._turning.stop()

    def _choose(self, index: QModelIndex | QPersistentModelIndex) -> None:
        entry = index.data(TaskTreeModel.EntryRole)
        if isinstance(entry, OperationEntry):
            self.operation_requested.emit(OperationId(entry.view.operation.id))
        else:
            self.setExpanded(index, not self.isExpanded(index))

    def _arrange(self) -> None:
        """Expand all tasks if they are few."""
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
            self.scheduleDelayedItemsLayout()  # a note makes a row taller
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
"""Up to this many rows, all tasks are expanded."""


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
    """Shows a `TaskProgressModel` and the suggested order."""

    operation_requested = Signal(str)
    order_accepted = Signal(object)
    """All `OperationId`s in the suggested order."""
    order_asked = Signal()
    """Ask an agent for a better order; answered by `show_advice` or `stop_waiting`."""
    operations_requested = Signal()
    """There are no tasks; show the operations instead."""

    def __init__(self, theme: Theme, work: TaskProgressModel) -> None:
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
        """Focus the first usable widget."""
        (self.tree if self._work.tasks else self.empty.button).setFocus()

    @property
    def words(self) -> str:
        """The text above the tasks."""
        return " ".join(each for each in (self.progress.words, self.end.text()) if each)

    def _show(self) -> None:
        tasks = self._work.tasks
        self._stack.setCurrentIndex(0 if tasks else 1)
        if not tasks:
            self.empty.set_words(*_said(_NO_TASKS if self._work.views else _NO_PLAN))
        self._sum_up()
        self._look_for_an_order()

    def show_advice(self, suggested: SuggestedOrder) -> None:
        """Show an agent's suggestion for the shown plan."""
        self._advised = suggested
        self.offer.show_advice(suggested, self._work.order)

    def stop_waiting(self) -> None:
        """The agent has answered or failed."""
        self.ask.setEnabled(True)
        self.ask.setText(self._ask_words())

    def _ask(self) -> None:
        self.ask.setEnabled(False)
        self.ask.setText(self._ask_words())
        self.order_asked.emit()

    def _ask_words(self) -> str:
        """Shorter in a narrow tab; the accessible name stays complete."""
        if not self.ask.isEnabled():
            return tr("Asking…")
        return tr_marked(_ASK) if self.width() >= self._theme.px(_NARROW) else tr("Ask…")

    def _forget_advice(self) -> None:
        self._advised = None

    def _look_for_an_order(self) -> None:
        """Compute a suggestion while the tab is visible, unless an agent's one is shown. Slow for large plans."""
        self.ask.setVisible(self._work.may_be_reordered)
        if self._advised is not None and set(self._advised.order) != set(self._work.order):
            self._advised = None
        if self.isVisible() and self._advised is None:
            self.offer.show_order(self._work.suggested_order())

    def _sum_up(self) -> None:
        progress = self._work.progress
        self.progress.set_progress(progress.completed, progress.total, model_tasks.counts(progress))
        is_over = self._work.has_run and not self._work.is_running
        self.end.setText(model_tasks.summary(progress) if progress.total and is_over else "")


def _said(state: tuple[str, str, str, str]) -> tuple[str, str, str, str]:
    icon, title, words, action = state
    return icon, tr_marked(title), tr_marked(words), tr_marked(action)
