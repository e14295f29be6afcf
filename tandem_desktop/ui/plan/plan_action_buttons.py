"""The four steps a person can take with a plan, enabled exactly as the state machine allows."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.domain.state_machine import PlanState, PlanStateMachine
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import PLAIN, PRIMARY, Button, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_tooltip
from tandem_desktop.ui.words import tr, tr_n

_KEY = "Ctrl+⏎"
_IN_A_ROW = 4


class PlanActionButtons(QWidget):
    """Ask for a plan event; never perform one."""

    requested = Signal(object)
    """An `EventKind`."""
    tasks_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plan-action-buttons")
        self.setAccessibleName(tr("What to do with the plan"))
        implement = Button(theme, tr("Implement"), _KEY)
        rework = Button(theme, tr("Rework"))
        cancel = QuietButton(theme, tr("Cancel"))
        self._buttons: dict[EventKind, Button] = {
            EventKind.APPROVE: implement,
            EventKind.REQUEST_REVISION: rework,
            EventKind.CANCEL: cancel,
        }
        self._comments = self._task_count = 0
        for kind, button in self._buttons.items():
            button.setObjectName(f"plan-action-{kind.value.lower()}")
            button.clicked.connect(lambda _checked=False, kind=kind: self.requested.emit(kind))
        self.tasks = QuietButton(theme, tr("View tasks"))
        self.tasks.setObjectName("plan-action-view_tasks")
        self.tasks.clicked.connect(self.tasks_requested)
        self._grid = QGridLayout(self)
        self._spacing = Spacing(theme, self._grid, (16, 10, 16, 10), 8)
        self._grid.setColumnStretch(_IN_A_ROW, 1)
        self._columns = 0
        self._arrange(_IN_A_ROW)
        self.follow(PlanStateMachine())

    def follow(self, machine: PlanStateMachine, *, refusal: str = "", comments: int = 0, tasks: int = 0) -> None:
        """Enable exactly what the machine allows; `refusal` says why Implement has to wait all the same."""
        for kind, button in self._buttons.items():
            button.setEnabled(machine.can(kind))
        implement = self._buttons[EventKind.APPROVE]
        implement.setEnabled(implement.isEnabled() and not refusal)
        implement.setToolTip(plain_tooltip(refusal or tr("Opens the approval sheet; nothing runs yet")))
        implement.setAccessibleDescription(refusal)
        # With something to say that was not sent, sending it comes first.
        implement.wear(PLAIN if comments else PRIMARY)
        self._buttons[EventKind.REQUEST_REVISION].wear(PRIMARY if comments else PLAIN)
        self._comments, self._task_count = comments, tasks
        is_running = machine.state in (PlanState.EXECUTING, PlanState.PAUSED)
        self._buttons[EventKind.CANCEL].setText(tr("Stop") if is_running else tr("Cancel"))
        self.tasks.setEnabled(tasks > 0)
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _make_room(self) -> None:
        """What is left out first is what is least missed: a word, the key that does the same, a count in words."""
        counted = tr_n("{n} comment", "{n} comments", self._comments) if self._comments else ""
        short = str(self._comments) if self._comments else ""
        tasks = str(self._task_count) if self._task_count else ""
        for key, comments, name in (
            (_KEY, counted, tr("View tasks")),
            (_KEY, counted, tr("Tasks")),
            ("", counted, tr("Tasks")),
            ("", short, tr("Tasks")),
        ):
            self._buttons[EventKind.APPROVE].set_hint(key)
            self._buttons[EventKind.REQUEST_REVISION].set_hint(comments)
            self.tasks.setText(name)
            self.tasks.set_hint(tasks)
            if self._needed() <= self.width():
                break
        self._arrange(_IN_A_ROW if self._needed() <= self.width() else 2)

    def _arrange(self, columns: int) -> None:
        """All in a row, or in two rows where the pane is too narrow even so."""
        if columns == self._columns:
            return
        self._columns = columns
        for at, button in enumerate(self._every()):
            self._grid.addWidget(button, at // columns, at % columns)

    def _needed(self) -> int:
        margins, gap = self._grid.contentsMargins(), self._grid.horizontalSpacing()
        every = self._every()
        widths = sum(button.sizeHint().width() for button in every) + gap * (len(every) - 1)
        return widths + margins.left() + margins.right()

    def _every(self) -> tuple[Button, ...]:
        return (*self._buttons.values(), self.tasks)

    def button(self, kind: EventKind) -> Button:
        return self._buttons[kind]
