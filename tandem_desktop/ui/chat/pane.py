"""The chat pane and the message queue."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.domain.agent_protocol import ChatEntry, EntryKind, UsageReported
from tandem_desktop.ui.chat.completion import ChatCommand, window_command
from tandem_desktop.ui.chat.composer import Composer, FindFiles
from tandem_desktop.ui.chat.empty_chat import EmptyChat
from tandem_desktop.ui.chat.plan_card import PlanFacts
from tandem_desktop.ui.chat.reflection_card import ReflectionFacts
from tandem_desktop.ui.chat.transcript import WIDEST, Transcript
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.models.transcript import TranscriptModel
from tandem_desktop.ui.plan_text import RunFacts
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, IconButton
from tandem_desktop.ui.widgets.labels import ElidedLabel, announce, plain_label


class QueueList(QWidget):
    """Shows the queued messages."""

    edit_requested = Signal(int)
    remove_requested = Signal(int)
    send_now_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("chat-queue")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.px(2))
        self.hide()

    def show_messages(self, messages: Sequence[str]) -> None:
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if messages:
            self._layout.addWidget(plain_label(tr("Queued ({count})", count=len(messages)), "section"))
        for at, message in enumerate(messages):
            self._layout.addWidget(self._line(at, message))
        self.setVisible(bool(messages))

    def _line(self, at: int, message: str) -> QWidget:
        theme, line = self._theme, QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(theme.px(2), 0, 0, 0)
        row.setSpacing(theme.px(2))
        row.addWidget(ElidedLabel(theme, " ".join(message.split()), mode=Qt.TextElideMode.ElideRight), 1)
        n = at + 1
        for icon, name, tip, spoken, signal in (
            ("send", "send-now", tr("Send now"), tr("Send now queued message {n}", n=n), self.send_now_requested),
            ("file-edit", "edit", tr("Edit"), tr("Edit queued message {n}", n=n), self.edit_requested),
            ("cross", "remove", tr("Remove"), tr("Remove queued message {n}", n=n), self.remove_requested),
        ):
            button = IconButton(theme, icon, spoken, size=26)
            button.setObjectName(f"queue-{name}-{at}")
            button.setToolTip(tip)
            button.clicked.connect(lambda checked=False, told=signal: told.emit(at))
            row.addWidget(button)
        return line


class ChatPane(QWidget):
    """Transcript, queue and composer. Emits the user's requests and, after each turn, the next queued message."""

    sent = Signal(str)
    stop_requested = Signal()
    command = Signal(str, str)
    """A window command without its slash, and its argument."""
    view_requested = Signal(str, int)
    """Plan id and revision; 0 is the latest."""
    undo_requested = Signal(str)
    """Id of the run to undo or redo."""
    back_requested = Signal(int)
    """Number of the user's message to go back to."""
    permission_answered = Signal(str, object, str)
    """Request id, `Decision`, and the reason."""
    link_activated = Signal(str)
    file_activated = Signal(str)
    restart_requested = Signal()
    """Send the last message again."""
    model_requested = Signal()
    """Choose a model for the agent."""
    login_requested = Signal(object)
    """Log the agent in; the button that asks."""
    log_requested = Signal()
    record_requested = Signal()
    """Open the folder with the stored conversation."""
    reflection_requested = Signal(object)
    """A `ReflectionRequest`."""
    question_answered = Signal(str, object, object)
    """Question id, `QuestionAction` and the values by field."""
    address_opened = Signal(str)
    refused = Signal(str)
    queue_changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._works = False
        self._holds_queue = False
        self._queue: tuple[str, ...] = ()
        self.setObjectName("chat-pane")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = TranscriptModel(self)
        self.transcript = Transcript(self.model, theme)
        self._empty = EmptyChat(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.transcript)
        self._jump = Button(theme, tr("Latest"), icon_name="chevron-down", parent=self.transcript)
        self._jump.setObjectName("jump-to-latest")
        self._jump.setAccessibleName(tr("Jump to the latest message"))
        self._jump.hide()
        self._status = plain_label("", "small")
        self._status.setObjectName("chat-status")
        self._status.hide()
        self._queue_list = QueueList(theme)
        self.composer = Composer(theme, popup_parent=self)
        self.setFocusProxy(self.composer.edit)
        self._lay_out()
        self._connect()
        self._restyle()

    # Content

    def set_entries(self, entries: Iterable[ChatEntry]) -> None:
        """Show another conversation, scrolled to its end."""
        self.model.set_entries(entries)
        self._show_what_there_is()
        self.transcript.jump_to_end()

    def put_entry(self, entry: ChatEntry) -> None:
        """Add or update an entry."""
        is_new = self.model.place_of(entry.number) is None
        self.model.put(entry)
        self._show_what_there_is()
        if is_new and entry.kind is EntryKind.PERSON:
            self.transcript.jump_to_end()
        elif is_new and entry.kind in (EntryKind.PLAN, EntryKind.QUESTION):
            self.transcript.settle_now()  # without the focus: the keys may be meant for the composer
        elif is_new and entry.kind in (EntryKind.ELICITATION, EntryKind.PROBLEM):
            self.transcript.show_start(entry.number)

    def set_plan(self, facts: PlanFacts) -> None:
        """Update the card of a revision."""
        self.transcript.know(facts)

    def set_reflection(self, facts: ReflectionFacts) -> None:
        """Update the card of a reflection."""
        self.transcript.know(facts)

    def set_runs(self, runs: Iterable[RunFacts]) -> None:
        """Update the undo and redo buttons of run notes."""
        self.transcript.set_runs(runs)

    def set_working(self, works: bool, words: str = "", *, go_on: bool = True) -> None:
        """Show whether the agent works. When a turn ends the next queued message is sent, unless `go_on` is false."""
        ended = self._works and not works
        self._works = works
        self.composer.set_working(works)
        self._status.setText(tr("{doing}   Esc stops", doing=words or tr("The agent is working…")) if works else words)
        self._status.setVisible(bool(self._status.text()))
        if works and words:
            announce(self, words)
        if ended and go_on and not self._holds_queue and self._queue:
            self._send_queued(0)

    def set_commands(self, commands: Sequence[ChatCommand]) -> None:
        """Set the slash commands; see `with_window_commands`."""
        self.composer.set_commands(commands)

    def set_files(self, root: Path | None, find: FindFiles | None) -> None:
        self.composer.set_files(root, find)

    def set_usage(self, usage: UsageReported | None) -> None:
        self.composer.set_usage(usage)

    def set_queue(self, messages: Sequence[str]) -> None:
        focused = self.window().focusWidget()
        if focused is not None and self._queue_list.isAncestorOf(focused):
            self.focus_composer()  # the focused row is about to be deleted; without focus Escape would be lost
        self._queue = tuple(messages)
        self._queue_list.show_messages(self._queue)
        self.queue_changed.emit(self._queue)

    def show_beginning(self, *, has_files: bool, has_recipes: bool, plan_mode: bool) -> None:
        """Choose the words and examples of the empty chat, by workspace, agent and mode."""
        self._empty.show_beginning(has_files=has_files, has_recipes=has_recipes, plan_mode=plan_mode)

    def place_above_composer(self, widget: QWidget) -> None:
        """Add a widget above the composer, such as a question about the message."""
        self._below.insertWidget(0, widget)

    def ask_to_go_back(self) -> None:
        """Request going back to the user's last message."""
        rows = (row for row in reversed(self.model.rows) if row.kind is EntryKind.PERSON)
        if (last := next(rows, None)) is not None:
            self.back_requested.emit(last.number)

    def focus_composer(self) -> None:
        self.composer.edit.setFocus()

    def _focus_what_is_next(self) -> None:
        """After the last answer the next thing is a message; what the keyboard is elsewhere for goes on."""
        focused = self.window().focusWidget()
        is_here = focused is None or focused is self.transcript or self.transcript.isAncestorOf(focused)
        if is_here and self.transcript.waiting_card() is None:
            self.focus_composer()

    def send_again(self) -> None:
        """Send the person's last message once more."""
        said = self._last_said()
        if said:
            self._submitted(said)
        self.focus_composer()

    @property
    def queue(self) -> tuple[str, ...]:
        return self._queue

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_jump()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._works:
            self._stop()  # wherever in the pane the focus is
            return
        super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.transcript and event.type() == QEvent.Type.Resize:
            self._place_jump()
        return super().eventFilter(watched, event)

    # Layout and connections

    def _lay_out(self) -> None:
        below = QVBoxLayout()
        below.addWidget(self._status)
        below.addWidget(self._queue_list)
        below.addWidget(self.composer)
        self._below = below
        foot = QWidget()
        foot.setLayout(below)
        foot.setMaximumWidth(self._theme.px(WIDEST + 32))
        self._foot = foot
        across = QHBoxLayout()
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        across.addWidget(foot, 1000)
        across.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._stack, 1)
        layout.addLayout(across)

    def _connect(self) -> None:
        transcript, composer, queue = self.transcript, self.composer, self._queue_list
        for name in (
            "view_requested",
            "undo_requested",
            "back_requested",
            "permission_answered",
            "link_activated",
            "file_activated",
            "restart_requested",
            "model_requested",
            "login_requested",
            "log_requested",
            "reflection_requested",
            "question_answered",
            "address_opened",
        ):
            getattr(transcript, name).connect(getattr(self, name))
        for answered in (transcript.permission_answered, transcript.question_answered):
            answered.connect(lambda *_: QTimer.singleShot(0, self, self._focus_what_is_next))
        transcript.typed.connect(composer.type_on)
        transcript.edit_requested.connect(self._edit_message)
        transcript.at_end_changed.connect(self._show_jump)
        transcript.verticalScrollBar().valueChanged.connect(self._show_jump)
        transcript.installEventFilter(self)
        self._jump.clicked.connect(transcript.jump_to_end)
        self._empty.chosen.connect(composer.set_text)
        composer.submitted.connect(self._submitted)
        composer.stop_requested.connect(self._stop)
        composer.recalled.connect(self._recall)
        composer.refused.connect(self.refused)
        queue.edit_requested.connect(self._edit_queued)
        queue.remove_requested.connect(self._take_queued)
        queue.send_now_requested.connect(self._send_now)
        self._theme.changed.connect(self._restyle)

    def _restyle(self) -> None:
        px = self._theme.px
        self._below.setContentsMargins(px(16), px(10), px(16), px(14))
        self._below.setSpacing(px(8))
        self._foot.setMaximumWidth(px(WIDEST + 32))

    def _show_what_there_is(self) -> None:
        self._stack.setCurrentWidget(self.transcript if self.model.rowCount() else self._empty)

    def _show_jump(self) -> None:
        # Over the fields of a question it would be in the way.
        self._jump.setVisible(not self.transcript.is_at_end and not self.transcript.shows_question)
        self._place_jump()

    def _place_jump(self) -> None:
        size, area = self._jump.sizeHint(), self.transcript.rect()
        self._jump.setGeometry(
            (area.width() - size.width()) // 2, area.height() - size.height() - self._theme.px(12), *size.toTuple()
        )
        self._jump.raise_()

    def begin_command(self, name: str) -> None:
        """Put a command into the composer, with its current text as the argument."""
        own = window_command(self.composer.text)
        self.composer.set_text(f"/{name} {own[1] if own else self.composer.text}")
        self.focus_composer()

    # Requests

    def _submitted(self, text: str) -> None:
        own = window_command(text)
        if own is not None:
            self.command.emit(*own)
        elif self._works:
            self.set_queue((*self._queue, text))
        else:
            self._holds_queue = False
            self.sent.emit(text)

    def _stop(self) -> None:
        self._holds_queue = True  # a stop also holds the queue, or the next message would restart the agent
        self.stop_requested.emit()

    def _recall(self) -> None:
        """Put the last queued or sent message into the composer for editing."""
        if self._queue:
            self._edit_queued(len(self._queue) - 1)
            return
        if said := self._last_said():
            self.composer.set_text(said, is_edit=True)

    def _last_said(self) -> str:
        said = (row.last.text for row in reversed(self.model.rows) if row.kind is EntryKind.PERSON)
        return next(said, "")

    def _edit_message(self, number: int) -> None:
        entry = self.model.entry(number)
        if entry is not None:
            self.composer.set_text(entry.text, is_edit=True)

    def _edit_queued(self, at: int) -> None:
        self.composer.set_text(self._take_queued(at))

    def _take_queued(self, at: int) -> str:
        text = self._queue[at]
        self.set_queue((*self._queue[:at], *self._queue[at + 1 :]))
        return text

    def _send_queued(self, at: int) -> None:
        self._submitted(self._take_queued(at))

    def _send_now(self, at: int) -> None:
        if not self._works:
            self._send_queued(at)
            return
        text = self._take_queued(at)
        self.set_queue((text, *self._queue))
        self._holds_queue = False
        self.stop_requested.emit()
