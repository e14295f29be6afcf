"""The four steps a person can take with a plan, enabled exactly as the state machine allows."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.domain.state_machine import PlanState, PlanStateMachine
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_tooltip

_KEY = "Ctrl+⏎"


class PlanActionButtons(QWidget):
    """Ask for a plan event; never perform one."""

    requested = Signal(object)
    """An `EventKind`."""
    tasks_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plan-action-buttons")
        self.setAccessibleName("What to do with the plan")
        implement = PrimaryButton(theme, "Implement", _KEY)
        rework = Button(theme, "Rework")
        cancel = QuietButton(theme, "Cancel")
        self._buttons: dict[EventKind, Button] = {
            EventKind.EXECUTE_PLAN: implement,
            EventKind.REQUEST_REVISION: rework,
            EventKind.CANCEL: cancel,
        }
        for kind, button in self._buttons.items():
            button.setObjectName(f"plan-action-{kind.value.lower()}")
            button.clicked.connect(lambda _checked=False, kind=kind: self.requested.emit(kind))
        self.tasks = QuietButton(theme, "View tasks")
        self.tasks.setObjectName("plan-action-view_tasks")
        self.tasks.clicked.connect(self.tasks_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(16), theme.px(10), theme.px(16), theme.px(10))
        layout.setSpacing(theme.px(8))
        for each in (implement, rework, cancel, self.tasks):
            layout.addWidget(each)
        layout.addStretch(1)
        self.follow(PlanStateMachine())

    def follow(self, machine: PlanStateMachine, *, refusal: str = "", comments: int = 0, tasks: int = 0) -> None:
        """Enable exactly what the machine allows; `refusal` says why Implement has to wait all the same."""
        for kind, button in self._buttons.items():
            button.setEnabled(machine.can(kind))
        implement = self._buttons[EventKind.EXECUTE_PLAN]
        implement.setEnabled(implement.isEnabled() and not refusal)
        implement.setToolTip(plain_tooltip(refusal or "Opens the approval sheet; nothing runs yet"))
        implement.setAccessibleDescription(refusal)
        self._buttons[EventKind.REQUEST_REVISION].set_hint(wording.counted(comments, "comment") if comments else "")
        is_running = machine.state in (PlanState.EXECUTING, PlanState.PAUSED)
        self._buttons[EventKind.CANCEL].setText("Stop" if is_running else "Cancel")
        self.tasks.setEnabled(tasks > 0)
        self.tasks.set_hint(str(tasks) if tasks else "")
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _make_room(self) -> None:
        """Words come before the key that does the same."""
        implement = self._buttons[EventKind.EXECUTE_PLAN]
        implement.set_hint(_KEY)
        every = (*self._buttons.values(), self.tasks)
        layout = self.layout()
        spacing = layout.spacing() if layout is not None else 0
        wanted = sum(button.sizeHint().width() for button in every) + spacing * (len(every) - 1)
        if wanted > self.width():
            implement.set_hint("")

    def button(self, kind: EventKind) -> Button:
        return self._buttons[kind]
