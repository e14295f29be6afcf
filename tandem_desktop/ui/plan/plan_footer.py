"""The foot of the panel: the keys that help, and the steps that concern the whole plan."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.domain.state_machine import PlanState, PlanStateMachine
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.plain_text import plain_tooltip

_REVIEW = "Space marks viewed · n/p next change · x drop or keep"
_AFTERWARDS = {
    PlanState.COMPLETED: "Every run can be undone: here, or later under Runs.",
    PlanState.FAILED: "What ran and how it ended stands beside each operation.",
    PlanState.DRAFTING: "Nothing on disk changes while the agent drafts.",
    PlanState.CANCELLED: "Nothing of this plan will be run.",
}
_NO_REHEARSAL = "Rehearsing a plan in a copy is not available here yet."


class PlanFooter(QFrame):
    """Execute plan is the same step as Implement: it opens the approval sheet."""

    clear_requested = Signal()
    rehearse_requested = Signal()
    execute_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plan-footer")
        self.setProperty("role", "footer")
        self.words = ElidedLabel(theme, _REVIEW, mode=Qt.TextElideMode.ElideRight, token="muted")
        self.words.setObjectName("plan-footer-words")
        self.clear = QuietButton(theme, "Clear all")
        self.rehearse = Button(theme, "Rehearse")
        self.execute = PrimaryButton(theme, "Execute plan")
        row = QHBoxLayout(self)
        Spacing(theme, row, (16, 10, 16, 10), 8)
        row.addWidget(self.words, 1)
        for name, button, asked in (
            ("clear", self.clear, self.clear_requested),
            ("rehearse", self.rehearse, self.rehearse_requested),
            ("execute", self.execute, self.execute_requested),
        ):
            button.setObjectName(f"plan-footer-{name}")
            button.clicked.connect(asked)
            row.addWidget(button)
        self.rehearse.setEnabled(False)
        self.rehearse.setToolTip(plain_tooltip(_NO_REHEARSAL))
        self.rehearse.setAccessibleDescription(_NO_REHEARSAL)

    def follow(self, machine: PlanStateMachine, *, refusal: str = "", operations: int = 0) -> None:
        may = machine.can(EventKind.EXECUTE_PLAN)
        self.execute.setEnabled(may and not refusal and operations > 0)
        self.execute.setToolTip(plain_tooltip(refusal or "Opens the approval sheet; nothing runs yet"))
        self.execute.setAccessibleDescription(refusal)
        self.clear.setEnabled(may and operations > 0)
        self.clear.setVisible(may)
        self.rehearse.setVisible(may)
        self.execute.setVisible(may)
        if may or machine.state not in (PlanState.EXECUTING, PlanState.PAUSED):  # a run has said its own
            self.words.setText((refusal or _REVIEW) if may else _AFTERWARDS.get(machine.state, ""))

    def say(self, words: str) -> None:
        self.words.setText(words)
