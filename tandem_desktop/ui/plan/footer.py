"""The footer of the plan panel and its action buttons."""

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QMenu, QWidget

from tandem_desktop.domain.state_machine import EventKind, PlanState, PlanStateMachine
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n, tr_table
from tandem_desktop.ui.plan import rehearsal_text
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import PLAIN, PRIMARY, Button, IconButton, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.labels import ElidedLabel, plain_tooltip

_REVIEW = later("Space marks viewed · n/p next change · x drop or keep")
_AFTERWARDS = tr_table(
    {
        PlanState.COMPLETED: "Every run can be undone: here, or later under Runs.",
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
        """The default of the button; the menu has both."""
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
        if may or machine.state not in (PlanState.EXECUTING, PlanState.PAUSED):  # a run sets its own text
            self.words.setText((refusal or tr_marked(_REVIEW)) if may else _AFTERWARDS.get(machine.state, ""))

    def show_rehearsing(self, here: bool, *, elsewhere: bool = False) -> None:
        """Whether the plan on screen is being rehearsed, or another one."""
        self._is_rehearsing, self._is_elsewhere = here, elsewhere
        self.rehearse.setText(tr("Stop rehearsal") if here else tr("Rehearse"))
        self.rehearse.set_icon_name("stop" if here else "")
        how = tr_marked(_REHEARSE, how=rehearsal_text.conditions(self.with_network))
        words = tr_marked(_ELSEWHERE) if elsewhere else "" if here else how
        self.rehearse.setToolTip(plain_tooltip(words))
        self.rehearse.setAccessibleDescription(words)

    def rehearsal_menu(self) -> QMenu:
        """Rehearse with or without network."""
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


_KEY = "Ctrl+⏎"
_IN_A_ROW = 4


class PlanActionButtons(QWidget):
    """Emits plan events; performs none."""

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
        """Enable the buttons whose events the state machine allows; a `refusal` disables Implement and says why."""
        for kind, button in self._buttons.items():
            button.setEnabled(machine.can(kind))
        implement = self._buttons[EventKind.APPROVE]
        implement.setEnabled(implement.isEnabled() and not refusal)
        implement.setToolTip(plain_tooltip(refusal or tr("Opens the approval sheet; nothing runs yet")))
        implement.setAccessibleDescription(refusal)
        # With unsent comments, Rework is the primary button.
        implement.set_look(PLAIN if comments else PRIMARY)
        self._buttons[EventKind.REQUEST_REVISION].set_look(PRIMARY if comments else PLAIN)
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
        """Shorten labels until the buttons fit: first the name of Tasks, then the key hint, then the comment count."""
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
        """In one row, or in two if the pane is too narrow."""
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
