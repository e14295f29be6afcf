"""The foot of the panel: the keys that help, and the steps that concern the whole plan."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QWidget

from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.domain.state_machine import PlanState, PlanStateMachine
from tandem_desktop.ui.plan import rehearsal_words
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.icon_button import IconButton
from tandem_desktop.ui.widgets.plain_text import plain_tooltip
from tandem_desktop.ui.words import later, tr, tr_marked, tr_table

_REVIEW = later("Space marks viewed · n/p next change · x drop or keep")
_AFTERWARDS = tr_table(
    {
        PlanState.COMPLETED: "Every run can be undone: here, or later under Runs.",
        PlanState.UNDONE: "The files are as they were before the run.",
        PlanState.FAILED: "What ran and how it ended stands beside each operation.",
        PlanState.DRAFTING: "Nothing on disk changes while the agent drafts.",
        PlanState.CANCELLED: "Nothing of this plan will be run.",
    }
)
_REHEARSE = later("Plays the plan in a copy, {how}; nothing on disk changes")
_ELSEWHERE = later("Another plan is being rehearsed; one at a time.")


class PlanFooter(QFrame):
    """Execute plan is the same step as Implement: it opens the approval sheet."""

    clear_requested = Signal()
    rehearse_requested = Signal(bool)
    """Whether with network."""
    stop_rehearsal_requested = Signal()
    execute_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plan-footer")
        self.setProperty("role", "footer")
        self.words = ElidedLabel(theme, tr_marked(_REVIEW), mode=Qt.TextElideMode.ElideRight, token="muted", least=96)
        self.words.setObjectName("plan-footer-words")
        self.clear = QuietButton(theme, tr("Clear all"))
        self.rehearse = Button(theme, tr("Rehearse"))
        self.rehearse_how = IconButton(theme, "chevron-up", tr("How to rehearse"), framed=True, size=32)
        self.with_network = False
        """What the button does; the menu has both."""
        self._is_rehearsing = False
        self._is_elsewhere = False
        self.execute = PrimaryButton(theme, tr("Execute plan"))
        row = QHBoxLayout(self)
        Spacing(theme, row, (16, 10, 16, 10), 8)
        row.addWidget(self.words, 1)
        for name, button, asked in (
            ("clear", self.clear, self.clear_requested),
            ("rehearse", self.rehearse, self._rehearse),
            ("rehearse-how", self.rehearse_how, self._choose_how),
            ("execute", self.execute, self.execute_requested),
        ):
            button.setObjectName(f"plan-footer-{name}")
            button.clicked.connect(asked)
            row.addWidget(button)

    def follow(self, machine: PlanStateMachine, *, refusal: str = "", operations: int = 0) -> None:
        may = machine.can(EventKind.APPROVE)
        self.execute.setEnabled(may and not refusal and operations > 0)
        self.execute.setToolTip(plain_tooltip(refusal or tr("Opens the approval sheet; nothing runs yet")))
        self.execute.setAccessibleDescription(refusal)
        self.clear.setEnabled(may and operations > 0)
        self.clear.setVisible(may)
        for button in (self.rehearse, self.rehearse_how):
            button.setVisible(may)
            button.setEnabled(may and operations > 0 and not self._is_elsewhere)
        self.execute.setVisible(may)
        if may or machine.state not in (PlanState.EXECUTING, PlanState.PAUSED):  # a run has said its own
            self.words.setText((refusal or tr_marked(_REVIEW)) if may else _AFTERWARDS.get(machine.state, ""))

    def show_rehearsing(self, here: bool, *, elsewhere: bool = False) -> None:
        """Whether the plan on screen is being rehearsed, or another one."""
        self._is_rehearsing, self._is_elsewhere = here, elsewhere
        self.rehearse.setText(tr("Stop rehearsal") if here else tr("Rehearse"))
        self.rehearse.set_icon_name("stop" if here else "")
        how = tr_marked(_REHEARSE, how=rehearsal_words.conditions(self.with_network))
        words = tr_marked(_ELSEWHERE) if elsewhere else "" if here else how
        self.rehearse.setToolTip(plain_tooltip(words))
        self.rehearse.setAccessibleDescription(words)

    def rehearsal_menu(self) -> QMenu:
        """How to rehearse; without network unless it is chosen."""
        menu = QMenu(self)
        menu.setObjectName("rehearse-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Rehearse with network off"), lambda: self.rehearse_requested.emit(False))
        menu.addAction(tr("Rehearse with network"), lambda: self.rehearse_requested.emit(True))
        for action in menu.actions():
            action.setEnabled(not self._is_rehearsing)
        return menu

    def _rehearse(self) -> None:
        if self._is_rehearsing:
            self.stop_rehearsal_requested.emit()
        else:
            self.rehearse_requested.emit(self.with_network)

    def _choose_how(self) -> None:
        menu = self.rehearsal_menu()
        menu.popup(self.rehearse_how.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def say(self, words: str) -> None:
        self.words.setText(words)
