"""The decision bar below the plan."""

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QMenu, QWidget

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan_states import EventKind, PlanState, PlanStatus
from tandem_desktop.domain.state_machine import PlanStateMachine
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n, tr_table
from tandem_desktop.ui.plan import rehearsal_text, wording
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import PLAIN, PRIMARY, Button, IconButton, QuietButton
from tandem_desktop.ui.widgets.labels import ElidedLabel, plain_tooltip

_REVIEW = later("Space marks viewed · a next to read · n/p next change · x drop or keep")
_AFTERWARDS = tr_table(
    {
        PlanState.COMPLETED: "Every run can be undone: here, or later under Runs.",
        PlanState.DRAFTING: "Nothing on disk changes while the agent drafts.",
        PlanState.CANCELLED: "Nothing of this plan will be run.",
    }
)
_REHEARSE = later("Plays the plan in a copy, {how}; nothing on disk changes")
_ELSEWHERE = later("Another plan is being rehearsed; one at a time.")
_KEY = "Ctrl+⏎"
_RUNNING = (PlanState.EXECUTING, PlanState.PAUSED)
_DIGITS = {
    Qt.Key.Key_1: EventKind.APPROVE,
    Qt.Key.Key_2: EventKind.REQUEST_REVISION,
    Qt.Key.Key_3: EventKind.CANCEL,
}
_LEAST_WORDS = 96


class PlanActionButtons(QWidget):
    """Approve (Implement), Request changes (Rework), Discard (Cancel), View tasks: emits plan events, performs none.

    Shown is what the state allows; 1, 2 and 3 press the first three while the bar has the keyboard.
    """

    requested = Signal(object)
    """An `EventKind`."""
    tasks_requested = Signal()
    rest_requested = Signal()
    """Drop the command at which the run failed, and implement the rest."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plan-action-buttons")
        self.setAccessibleName(tr("What to do with the plan"))
        self._buttons: dict[EventKind, Button] = {
            EventKind.CANCEL: QuietButton(theme, tr("Discard")),
            EventKind.REQUEST_REVISION: Button(theme, tr("Request changes")),
            EventKind.APPROVE: Button(theme, tr("Approve…"), _KEY),
        }
        self._comments = self._task_count = 0
        self._is_command = True
        for kind, button in self._buttons.items():
            button.setObjectName(f"plan-action-{kind.value.lower()}")
            button.clicked.connect(lambda _checked=False, kind=kind: self.requested.emit(kind))
        self.tasks = QuietButton(theme, tr("View tasks"))
        self.tasks.setObjectName("plan-action-view_tasks")
        self.tasks.clicked.connect(self.tasks_requested)
        self.rest = Button(theme, tr("Drop this command…"))
        self.rest.setObjectName("plan-action-rest")
        self.rest.clicked.connect(self.rest_requested)
        row = QHBoxLayout(self)
        Spacing(theme, row, between=8)
        for button in (self.tasks, *self._buttons.values()):
            row.addWidget(button)
        row.insertWidget(row.count() - 1, self.rest)
        self.follow(PlanStateMachine())

    def follow(
        self,
        machine: PlanStateMachine,
        *,
        refusal: str = "",
        comments: int = 0,
        tasks: int = 0,
        failed: StagedOperation | None = None,
    ) -> None:
        """Offer what the state machine allows; a `refusal` disables Approve and says why.

        `failed` is the operation at which a run failed.
        """
        is_running = machine.state in _RUNNING
        is_cut_off = machine.status is PlanStatus.STALLED
        has_failed = machine.status is PlanStatus.FAILED
        for kind, button in self._buttons.items():
            button.setEnabled(machine.can(kind))
            button.setVisible(machine.can(kind) and (is_cut_off or not is_running))
        approve, change = self.button(EventKind.APPROVE), self.button(EventKind.REQUEST_REVISION)
        approve.setEnabled(approve.isEnabled() and not refusal)
        approve.setText(tr("Try again…") if has_failed else tr("Approve…"))
        approve.setToolTip(plain_tooltip(refusal or tr("Opens the approval sheet; nothing runs yet")))
        approve.setAccessibleDescription(refusal)
        # With unsent comments, asking for changes is the next step.
        approve.set_look(PLAIN if comments else PRIMARY)
        change.set_look(PRIMARY if comments else PLAIN)
        self.button(EventKind.CANCEL).setText(tr("Settle…") if is_cut_off else tr("Discard"))
        self.rest.setVisible(has_failed and failed is not None and machine.can(EventKind.APPROVE))
        self.rest.setToolTip(plain_tooltip(wording.title(failed)) if failed is not None else "")
        self._comments, self._task_count, self._is_command = comments, tasks, failed is None or failed.is_run
        self.make_room(10**6)

    def make_room(self, width: int) -> None:
        """Leave out what can be had elsewhere until the buttons fit: tasks, the key, then long words."""
        counted = tr_n("{n} comment", "{n} comments", self._comments) if self._comments else ""
        short = str(self._comments) if self._comments else ""
        rest, brief = (
            (tr("Drop this command and implement the rest…"), tr("Drop this command…"))
            if self._is_command
            else (tr("Drop this operation and implement the rest…"), tr("Drop this operation…"))
        )
        for tasks, key, comments, dropping in (
            (True, _KEY, counted, rest),
            (False, _KEY, counted, rest),
            (False, "", counted, rest),
            (False, "", short, brief),
        ):
            self.tasks.setVisible(tasks and self._task_count > 0)
            self.tasks.set_hint(str(self._task_count))
            self.button(EventKind.APPROVE).set_hint(key)
            self.button(EventKind.REQUEST_REVISION).set_hint(comments)
            self.rest.setText(dropping)
            if self.needed <= width:
                break

    @property
    def needed(self) -> int:
        """The width of what is offered now."""
        shown = [each for each in (self.tasks, self.rest, *self._buttons.values()) if not each.isHidden()]
        layout = self.layout()
        gap = layout.spacing() if layout is not None else 0
        return sum(each.sizeHint().width() for each in shown) + gap * max(0, len(shown) - 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        kind = _DIGITS.get(Qt.Key(event.key()))
        if kind is not None and not event.isAutoRepeat() and self.button(kind).isVisible():
            self.button(kind).click()
        else:
            super().keyPressEvent(event)

    def button(self, kind: EventKind) -> Button:
        return self._buttons[kind]


class PlanFooter(QFrame):
    """The only place where a plan is decided: a hint, Rehearse, and the buttons of the plan's state."""

    rehearse_requested = Signal(bool)
    """Whether with network."""
    stop_rehearsal_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("plan-footer")
        self.setProperty("role", "footer")
        self.words = ElidedLabel(
            theme,
            tr_marked(_REVIEW),
            mode=Qt.TextElideMode.ElideRight,
            token="muted",
            least=_LEAST_WORDS,
            by_parts=True,
        )
        self.words.setObjectName("plan-footer-words")
        self.rehearse = QuietButton(theme, tr("Rehearse"))
        self.rehearse.setObjectName("plan-footer-rehearse")
        self.rehearse.clicked.connect(self._rehearse)
        self.rehearse_how = IconButton(theme, "chevron-up", tr("How to rehearse"), framed=True, size=32)
        self.rehearse_how.setObjectName("plan-footer-rehearse-how")
        self.rehearse_how.clicked.connect(self._choose_how)
        self.with_network = False
        """The default of the button; the menu has the other way."""
        self._is_rehearsing = False
        self._is_elsewhere = False
        self.buttons = PlanActionButtons(theme)
        self._rehearsing = QWidget()
        pair = QHBoxLayout(self._rehearsing)
        Spacing(theme, pair, between=-1)
        pair.addWidget(self.rehearse)
        pair.addWidget(self.rehearse_how)
        self._grid = QGridLayout(self)
        self._grid.setSizeConstraint(QGridLayout.SizeConstraint.SetNoConstraint)
        Spacing(theme, self._grid, (18, 10, 18, 10), 8)
        self._grid.addWidget(self.words, 0, 0)
        self._grid.addWidget(self._rehearsing, 0, 1)
        self._grid.setColumnStretch(0, 1)
        self._is_in_one_row: bool | None = None
        self._arrange()

    def follow(
        self,
        machine: PlanStateMachine,
        *,
        refusal: str = "",
        operations: int = 0,
        comments: int = 0,
        tasks: int = 0,
        failed: StagedOperation | None = None,
    ) -> None:
        may = machine.can(EventKind.APPROVE)
        self.buttons.follow(machine, refusal=refusal, comments=comments, tasks=tasks, failed=failed)
        self._rehearsing.setVisible(may and operations > 0)
        for button in (self.rehearse, self.rehearse_how):
            button.setEnabled(not self._is_elsewhere)
        if machine.status is PlanStatus.STALLED:
            self.words.setText(tr("Nothing else can run until this run is settled."))
        elif may or machine.state not in _RUNNING:  # a run sets its own text
            self.words.setText((refusal or tr_marked(_REVIEW)) if may else _AFTERWARDS.get(machine.state, ""))
        self._arrange()

    def show_rehearsing(self, here: bool, *, elsewhere: bool = False) -> None:
        """Whether the plan on screen is being rehearsed, or another one."""
        self._is_rehearsing, self._is_elsewhere = here, elsewhere
        self.rehearse.setText(tr("Stop rehearsal") if here else tr("Rehearse"))
        self.rehearse.set_icon_name("stop" if here else "")
        how = tr_marked(_REHEARSE, how=rehearsal_text.conditions(self.with_network))
        words = tr_marked(_ELSEWHERE) if elsewhere else "" if here else how
        self.rehearse.setToolTip(plain_tooltip(words))
        self.rehearse.setAccessibleDescription(words)
        self._arrange()

    def rehearsal_menu(self) -> QMenu:
        """The other way to rehearse than the button's."""
        menu = QMenu(self)
        menu.setObjectName("rehearse-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = tr("Rehearse with network off") if self.with_network else tr("Rehearse with network")
        menu.addAction(words, lambda: self.rehearse_requested.emit(not self.with_network))
        for action in menu.actions():
            action.setEnabled(not self._is_rehearsing)
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def say(self, words: str) -> None:
        self.words.setText(words)

    def _arrange(self) -> None:
        """One row; the buttons of the plan below it where there is no room for both."""
        margins, gap = self._grid.contentsMargins(), self._grid.horizontalSpacing()
        room = self.width() - margins.left() - margins.right()
        beside = 0 if self._rehearsing.isHidden() else self._rehearsing.sizeHint().width() + gap
        self.buttons.make_room(room - beside - gap)
        fits = self.buttons.needed <= room - beside - gap
        if not fits:
            self.buttons.make_room(room)
        if fits is not self._is_in_one_row:
            self._is_in_one_row = fits
            row, column, columns = (0, 2, 1) if fits else (1, 0, 2)
            self._grid.addWidget(self.buttons, row, column, 1, columns, alignment=Qt.AlignmentFlag.AlignRight)

    def _rehearse(self) -> None:
        if self._is_rehearsing:
            self.stop_rehearsal_requested.emit()
        else:
            self.rehearse_requested.emit(self.with_network)

    def _choose_how(self) -> None:
        menu = self.rehearsal_menu()
        menu.popup(self.rehearse_how.mapToGlobal(QPoint(0, -menu.sizeHint().height())))
