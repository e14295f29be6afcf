"""The graph tab."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.storage import atomic
from tandem_desktop.ui.graph.layout import Drawing, Measures, lay_out
from tandem_desktop.ui.graph.svg import Colours, as_svg
from tandem_desktop.ui.graph.view import GraphCard, GraphView, operation_card, operation_waits, task_card, task_waits
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.models import tasks
from tandem_desktop.ui.models.tasks import TaskProgressModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Card, EmptyState
from tandem_desktop.ui.widgets.buttons import Button, IconButton, QuietButton
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.labels import ElidedLabel
from tandem_desktop.ui.widgets.progress import StatusMark


class FailureLine(QWidget):
    """Hidden while nothing has failed."""

    log_requested = Signal(str)

    def __init__(self, theme: Theme, work: TaskProgressModel) -> None:
        super().__init__()
        self.setObjectName("graph-failure")
        self._work = work
        self._operation = OperationId("")
        card = Card(theme)
        row = QHBoxLayout()
        Spacing(theme, row, between=12)
        card.body.addLayout(row)
        self.title = ElidedLabel(theme, "", bold=True)
        self.words = ElidedLabel(theme, "", token="muted")
        self.log = Button(theme, tr("Open log"))
        self.log.setObjectName("graph-open-log")
        self.log.clicked.connect(lambda: self.log_requested.emit(self._operation))
        row.addWidget(StatusMark(theme, "failed"))
        row.addWidget(self.title, 1)
        row.addWidget(self.words, 2)
        row.addWidget(self.log)
        layout = QHBoxLayout(self)
        Spacing(theme, layout, (18, 8, 18, 12))
        layout.addWidget(card)
        self.hide()

    def show_work(self) -> None:
        """Update from the task states."""
        task = self._work.first_failed()
        self.setVisible(task is not None)
        if task is None:
            return
        views = self._work.views_of(task.id)
        failed = next((v for v in views if self._work.status(v.operation.id) is ResultStatus.FAILED), None)
        self._operation = failed.operation.id if failed is not None else OperationId("")
        self.log.setVisible(failed is not None)
        self.title.setText(tr("{subject} failed", subject=tasks.subject(task)))
        parts = (wording.title(failed.operation) if failed else "", tasks.remark(self._work, task))
        self.words.setText(" · ".join(part for part in parts if part))


_TASKS, _OPERATIONS = "tasks", "operations"
_MARKS = {"waiting": "line_strong", "running": "accent", "done": "ok", "failed": "removed_ink", "skipped": "risk"}
AskPath = Callable[[QWidget, str, str], str]
"""Asks for a file name: parent window, suggested name, filter; empty if cancelled."""


def ask_for_a_place(parent: QWidget, name: str, kinds: str) -> str:
    return QFileDialog.getSaveFileName(parent, tr("Save the graph"), name, kinds)[0]


class GraphTab(QWidget):
    """Shows a `TaskProgressModel` as a graph, and exports it."""

    operation_requested = Signal(str)
    failed = Signal(str)
    """Why an export failed."""

    def __init__(self, theme: Theme, work: TaskProgressModel, ask_path: AskPath = ask_for_a_place) -> None:
        super().__init__()
        self.setObjectName("graph-tab")
        self._theme, self._work, self._ask_path = theme, work, ask_path
        self._drawing = Drawing()
        self._cards: dict[str, GraphCard] = {}
        self._is_stale = True
        self._pending = QTimer(self, interval=0, singleShot=True)
        self._pending.timeout.connect(self._draw)
        self.view = GraphView(theme)
        self.view.operation_requested.connect(self.operation_requested)
        self.failure = FailureLine(theme, work)
        self.failure.log_requested.connect(self.operation_requested)
        self.which = Segmented(theme, ((_TASKS, tr("Tasks")), (_OPERATIONS, tr("Operations"))), tr("Graph of"))
        self.which.chosen.connect(lambda _: self._draw())
        self.words = ElidedLabel(theme, "", token="muted", mode=Qt.TextElideMode.ElideRight)
        self.words.setObjectName("graph-words")
        self.empty = EmptyState(
            theme, "plan", tr("Nothing to draw yet"), tr("What waits for what in a plan is drawn here.")
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self.empty)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addLayout(self._above())
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.failure)
        work.changed.connect(self._forget)
        work.task_moved.connect(self._task_moved)
        work.operation_moved.connect(self._operation_moved)
        theme.changed.connect(self._forget)
        self._draw()

    def take_keyboard(self) -> None:
        self.view.setFocus()

    def save(self, path: Path) -> None:
        """Write the whole drawing, as SVG or PNG by the ending of the name.

        Raises:
            OSError: the disk refused.
        """
        if path.suffix.lower() == ".svg":
            atomic.replace(path, as_svg(self._drawing, self._cards, self._colours(), tr("Graph of the plan")).encode())
            return
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self.view.picture().save(buffer, "PNG")  # type: ignore[call-overload]  # Qt takes the device and bytes or str
        atomic.replace(path, bytes(buffer.data().data()))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._draw()

    def _above(self) -> QHBoxLayout:
        theme = self._theme
        row = QHBoxLayout()
        Spacing(theme, row, (18, 8, 12, 8), 8)
        row.addWidget(self.which)
        row.addWidget(self.words, 1)
        for icon, name, key, slot in (
            ("minus", tr("Zoom out"), "-", self.view.zoom_out),
            ("plus", tr("Zoom in"), "+", self.view.zoom_in),
        ):
            button = IconButton(theme, icon, name, key=key)
            button.clicked.connect(slot)
            row.addWidget(button)
        fit = QuietButton(theme, tr("Fit"), "0")
        fit.setObjectName("graph-fit")
        fit.clicked.connect(self.view.fit)
        save = QuietButton(theme, tr("Save as…"))
        save.setObjectName("graph-save")
        save.clicked.connect(self._offer_to_save)
        row.addWidget(fit)
        row.addWidget(save)
        self._save_button = save
        return row

    def _offer_to_save(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("graph-save-menu")
        for words, kind in ((tr("Drawing (SVG)…"), "svg"), (tr("Picture (PNG)…"), "png")):
            menu.addAction(words).triggered.connect(lambda _checked=False, kind=kind: self.save_as(kind))
        menu.popup(self._save_button.mapToGlobal(self._save_button.rect().bottomLeft()))

    def save_as(self, kind: str) -> None:
        """Ask where, then write."""
        chosen = self._ask_path(self, f"plan.{kind}", f"{kind.upper()} (*.{kind})")
        if not chosen:
            return
        path = Path(chosen)
        path = path if path.suffix.lower() == f".{kind}" else path.with_name(f"{path.name}.{kind}")
        try:
            self.save(path)
        except OSError as error:
            self.failed.emit(
                tr("{path} could not be written: {strerror}. Choose another place.", path=path, strerror=error.strerror)
            )

    def _forget(self) -> None:
        """Mark the drawing as stale; redraw it soon if visible."""
        self._is_stale = True
        self.failure.show_work()
        if self.isVisible():
            self._pending.start()

    def _draw(self) -> None:
        self._is_stale = False
        self.failure.show_work()
        work, px = self._work, self._theme.px
        has_tasks = bool(work.tasks)
        self.which.set_allowed(_TASKS, has_tasks)
        if not has_tasks and self.which.current == _TASKS:
            self.which.set_current(_OPERATIONS)
        elif has_tasks and not self._had_tasks:
            self.which.set_current(_TASKS)
        self._had_tasks = has_tasks
        of_tasks = self.which.current == _TASKS
        measures = Measures(px(204), px(54), px(20), px(56), px(14))
        self._drawing = lay_out(task_waits(work) if of_tasks else operation_waits(work), measures)
        cards = [task_card(work, task) for task in work.tasks] if of_tasks else []
        cards += [] if of_tasks else [operation_card(work, view) for view in work.views]
        self._cards = {card.name: card for card in cards}
        self.view.show_drawing(self._drawing, self._cards)
        self._stack.setCurrentIndex(0 if cards else 1)
        self._say()

    _had_tasks = False

    def _say(self) -> None:
        work = self._work
        if work.tasks:
            self.words.setText(tasks.counts(work.progress))
        else:
            words = tr("No dependencies.") if not self._drawing.routes else ""
            self.words.setText(words if self._cards else "")

    def _task_moved(self, task_id: str) -> None:
        self.failure.show_work()
        self._say()
        if f"task {task_id}" in self._cards:
            self._put(lambda: task_card(self._work, self._work.task(TaskId(task_id))))

    def _operation_moved(self, operation_id: str) -> None:
        if operation_id in self._cards:
            self._put(lambda: operation_card(self._work, self._work.view(OperationId(operation_id))))

    def _put(self, make: Callable[[], GraphCard]) -> None:
        """Update a card; while hidden, only mark the drawing as stale."""
        if not self.isVisible():
            self._is_stale = True
            return
        card = make()
        self._cards[card.name] = card
        self.view.show_card(card)

    def _colours(self) -> Colours:
        tokens = self._theme.tokens
        marks = {mark: str(getattr(tokens, token)) for mark, token in _MARKS.items()}
        return Colours(
            tokens.surface,
            tokens.raised if self._theme.is_dark else tokens.panel,
            tokens.line_strong,
            tokens.line_strong,
            tokens.text,
            tokens.muted,
            marks,
        )
