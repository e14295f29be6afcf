"""Permission and problem cards."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible_command, visible_in_a_line, visible_lines, visible_name
from tandem_desktop.domain.agent_protocol import (
    CardChange,
    CardContent,
    CardLine,
    ChatEntry,
    PermissionRequest,
    PermissionVerdict,
    ToolCall,
    ToolKind,
    WaitReason,
)
from tandem_desktop.domain.errors import LoginNeededError, ModelError, NoModelError
from tandem_desktop.domain.ids import RequestId
from tandem_desktop.domain.operations import Absent, FileState, StagedOperation
from tandem_desktop.services.chat_log import LEFT_OUT
from tandem_desktop.sessions.interceptor import Decision
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.ui.chat.code_block import CodeView
from tandem_desktop.ui.chat.entry_widget import EntryWidget, Fold
from tandem_desktop.ui.chat.message_view import cut_words, room_for
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n, tr_table
from tandem_desktop.ui.models.transcript import TranscriptRow
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.theme.style import pixmap
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, DangerButton, LinkButton, QuietButton
from tandem_desktop.ui.widgets.decision_guard import BoundedScroll, DecisionGuard, release_focus
from tandem_desktop.ui.widgets.labels import Badge, ElidedLabel, IconLabel, plain_label


class ReasonField(QWidget):
    """A text field for a reason: Enter sends, Shift+Enter breaks the line, Esc goes back."""

    sent = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme, name: str, asks: str, send: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = QPlainTextEdit()
        self.edit.setObjectName(name)
        self.edit.setAccessibleName(asks)
        self.edit.setPlaceholderText(asks)
        self.edit.setFixedHeight(theme.px(64))
        self.edit.setTabChangesFocus(True)
        self.edit.installEventFilter(self)
        send_button = Button(theme, send, hint="Enter")
        send_button.setObjectName(f"{name}-send")
        send_button.clicked.connect(self._send)
        back = QuietButton(theme, tr("Back"), hint="Esc")
        back.setObjectName(f"{name}-back")
        back.clicked.connect(self.left)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.px(8))
        buttons.addWidget(send_button)
        buttons.addWidget(back)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(self.edit)
        layout.addLayout(buttons)

    @property
    def words(self) -> str:
        return self.edit.toPlainText().strip()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.left.emit()
                return True
            breaks_line = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not breaks_line:
                if not event.isAutoRepeat():
                    self._send()
                return True
        return super().eventFilter(watched, event)

    def _send(self) -> None:
        self.sent.emit(self.words)


class DecisionCard(EntryWidget):
    """A card with a body, a row of choices and, on request, a text field."""

    typed = Signal(str)
    """Typed characters that are no choice; the composer takes them."""

    def __init__(self, theme: Theme, edge: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._edge = edge
        self._buttons: dict[str, Button] = {}
        self._reason: ReasonField | None = None
        self.guard = DecisionGuard(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(theme.px(14), theme.px(12), theme.px(14), theme.px(12))
        self._layout.setSpacing(theme.px(10))
        self.body = QVBoxLayout()
        self.body.setSpacing(theme.px(6))
        self._layout.addLayout(self.body)
        self.choices = QWidget()
        self._row = QHBoxLayout(self.choices)
        self._row.setContentsMargins(0, theme.px(2), 0, 0)
        self._row.setSpacing(theme.px(8))
        self._row.addStretch(1)
        self._layout.addWidget(self.choices)

    @property
    def is_waiting(self) -> bool:
        return not self.choices.isHidden() or self._reason is not None

    @property
    def is_kept(self) -> bool:
        return super().is_kept or (self._reason is not None and bool(self._reason.words))

    def add_choice(self, key: str, button: Button) -> None:
        button.set_hint(key)
        self._buttons[key] = button
        self._row.insertWidget(self._row.count() - 1, button)
        self.guard.decides(button)

    def press(self, key: str) -> bool:
        """Choose by digit; returns whether there is such a choice."""
        button = self._buttons.get(key)
        if button is None or self.choices.isHidden() or not button.isEnabled():
            return False
        button.click()
        return True

    @property
    def digits(self) -> frozenset[str]:
        """The keys that choose."""
        return frozenset() if self.choices.isHidden() else frozenset(self._buttons)

    def ask_words(self, field: ReasonField) -> None:
        """Replace the choices by a text field."""
        self._reason = field
        self.choices.hide()
        self._layout.addWidget(field)
        field.left.connect(self._stop_asking)
        field.show()
        field.edit.setFocus()

    def settle(self) -> None:
        """Hide the choices; the decision is made."""
        release_focus(self)
        self._forget_field()
        self.choices.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if plain and text in self.digits:
            if self.guard.takes(event):
                self.press(text)
            return
        if plain and text and text.isprintable() and not isinstance(self.focusWidget(), QPlainTextEdit):
            self.typed.emit(text)
            return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.guard.watch_focus()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.hasFocus()
        width = 2 if focused else 1
        painter.setPen(QPen(self.theme.color("focus" if focused else self._edge), width))
        painter.setBrush(self.theme.color("panel"))
        inset = width / 2
        frame = self.rect().toRectF().adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(frame, self.theme.px(10), self.theme.px(10))
        painter.end()

    def _stop_asking(self) -> None:
        self._forget_field()
        self.choices.show()
        self.setFocus(Qt.FocusReason.BacktabFocusReason)  # the person went back

    def _forget_field(self) -> None:
        if self._reason is not None:
            self._layout.removeWidget(self._reason)
            self._reason.hide()
            self._reason.deleteLater()
            self._reason = None


_INKS = {
    "+": ("added", "added_ink"),
    "-": ("removed", "removed_ink"),
    " ": ("", "text"),
    "@": ("", "muted"),
    "\\": ("", "muted"),
}
_SIGNS = {"-": "− ", "@": "", "\\": ""}


class DrawnChange(QWidget):
    """One change of a card: its whole path, its flags, and its lines, wrapped and uncut."""

    def __init__(self, theme: Theme, change: CardChange, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("permission-change")
        operation = change.operation
        path = visible_name(operation.path or "")
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        kind, tone = _kind(operation)
        head.addWidget(Badge(theme, kind, tone), 0, Qt.AlignmentFlag.AlignTop)
        name = code_text(theme, path)
        name.setObjectName("permission-path")
        beside = QVBoxLayout()
        beside.setContentsMargins(0, theme.px(2), 0, 0)
        beside.addWidget(name)
        head.addLayout(beside, 1)
        for count, sign, role in ((_count(change, "+"), "+", "added"), (_count(change, "-"), "−", "removed")):
            if count:
                head.addWidget(plain_label(f"{sign}{count:,}", role), 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addLayout(head)
        for flag in map(Hazard, change.flags):
            words = f"{wording.flag_sentence(flag, operation)}: {tr_marked(change.why[flag])}"
            layout.addWidget(plain_label(words, "risk", wrap=True))
        self.setAccessibleName(tr("Change of {path}", path=path))
        if change.lines:
            layout.addWidget(self._diff(change.lines))
        elif words := _without_lines(operation):
            layout.addWidget(plain_label(words, "muted", wrap=True))

    def _diff(self, lines: Sequence[CardLine]) -> QWidget:
        text = ProseView(self._theme)
        text.setObjectName("permission-diff")
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        cursor = QTextCursor(text.document())
        cursor.beginEditBlock()
        for at, line in enumerate(lines):
            ground, ink = _INKS[line.sign]
            block = QTextBlockFormat()
            if ground:
                block.setBackground(self._theme.color(ground))
            if at:
                cursor.insertBlock(block)
            else:
                cursor.setBlockFormat(block)
            form = QTextCharFormat()
            form.setFont(self._theme.code_font())
            form.setForeground(self._theme.color(ink))
            words = line.text if line.sign != "\\" else tr("No newline at the end of the file")
            cursor.insertText(f"{_SIGNS.get(line.sign, f'{line.sign} ')}{words}", form)
        cursor.endEditBlock()
        text.moveCursor(QTextCursor.MoveOperation.Start)
        return text


def code_text(theme: Theme, text: str) -> ProseView:
    """Selectable code that wraps anywhere and is never elided."""
    view = ProseView(theme)
    view.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    view.document().setDefaultFont(theme.code_font())
    view.setPlainText(text)
    view.setAccessibleName(text)
    return view


def _kind(operation: StagedOperation) -> tuple[str, str]:
    if operation.base == operation.after:
        return tr("as it is"), "neutral"
    return wording.kind_word(operation), "ok" if isinstance(operation.base, Absent) else "neutral"


def _count(change: CardChange, sign: str) -> int:
    return sum(line.sign == sign for line in change.lines)


def _without_lines(operation: StagedOperation) -> str:
    if operation.base == operation.after:
        return tr("The file stays as it is.")
    return tr("An empty file.") if isinstance(operation.after, FileState) and not operation.after.size else ""


_WAITS = tr_table(
    {
        WaitReason.FLAGGED: "It needs your attention: you acknowledge it in the plan.",
        WaitReason.MANY: "These are too many files for a card.",
        WaitReason.LARGE: "It is too large for a card.",
        WaitReason.STALE: "The agent starts from another text than the one on disk.",
        WaitReason.NOT_A_FILE: "There is a link, a folder or something else at the path.",
        WaitReason.OUTSIDE: "The path is outside the workspace, or Tandem never writes it.",
        WaitReason.UNKNOWN: "The agent does not say what it will write.",
    }
)


_QUESTIONS = tr_table(
    {
        ToolKind.EDIT: "Allow this change?",
        ToolKind.DELETE: "Allow this deletion?",
        ToolKind.MOVE: "Allow this move?",
        ToolKind.EXECUTE: "Run this command?",
        ToolKind.FETCH: "Allow this request to the network?",
        ToolKind.READ: "Allow reading this?",
    }
)
_ANSWERS = {
    PermissionVerdict.ALLOW: ("check", "ok", later("Allowed once")),
    PermissionVerdict.REJECT: ("cross", "muted", later("Not allowed")),
    PermissionVerdict.CANCELLED: ("cross", "muted", later("No longer asked")),
}


class PermissionCard(EntryWidget):
    """Asks for permission and emits one answer. Enter alone never allows anything."""

    answered = Signal(str, object, str)
    """Request id, `Decision`, and the reason."""
    typed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("permission-card")
        self._request_id = RequestId("")
        self._card: _Question | None = None
        self._shown: ChatEntry | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)

    @property
    def card(self) -> DecisionCard | None:
        return self._card if self._card is not None and self._card.is_waiting else None

    @property
    def is_kept(self) -> bool:
        return super().is_kept or (self._card is not None and self._card.is_kept)

    def set_row(self, row: TranscriptRow) -> None:
        entry = row.last
        if entry == self._shown or entry.request is None:
            return
        self._shown = entry
        self._request_id = entry.request.id
        self._clear()
        layout = self.layout()
        assert layout is not None
        if entry.answer:
            layout.addWidget(_answer_line(self.theme, entry))
            return
        card = self._card = _Question(self.theme, entry.request, entry.card)
        card.decided.connect(lambda decision, words: self.answered.emit(self._request_id, decision, words))
        card.typed.connect(self.typed)
        layout.addWidget(card)
        card.show()

    def _clear(self) -> None:
        self._card = None
        layout = self.layout()
        while layout is not None and (item := layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                release_focus(widget)
                widget.hide()
                widget.deleteLater()


class _Question(DecisionCard):
    """What is asked, between a heading and a row of choices that both stay in sight."""

    decided = Signal(object, str)

    def __init__(
        self, theme: Theme, request: PermissionRequest, content: CardContent | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "risk", parent)
        call = request.call
        if content is None and call.diffs:
            content = CardContent(paths=call.paths, waits=(WaitReason.UNKNOWN,))
        self._content = content
        self._cuts = 0
        self.setObjectName("permission-question")
        question = _QUESTIONS.get(call.kind, tr("Allow this?"))
        self.setAccessibleName(
            tr(
                "{question} {subject}. 1 allows once, 2 skips, 3 denies with a reason.",
                question=question,
                subject=", ".join(_subjects(call, content)),
            )
        )
        self._head(question, len(content.changes) + len(content.paths) if content is not None else 0)
        page = QWidget()
        page.setProperty("role", "bare")
        self._page = QVBoxLayout(page)
        self._page.setContentsMargins(0, 0, theme.px(4), 0)
        self._page.setSpacing(theme.px(10))
        self._fill(call)
        self._scroll = BoundedScroll(theme, page)
        self._scroll.setObjectName("permission-scroll")
        self._scroll.setAccessibleName(tr("What is asked"))
        self._scroll.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._scroll.end.changed.connect(self._may_allow)
        self.body.addWidget(self._scroll)
        if content is not None and content.waits:
            self.body.addWidget(_waits(theme, content))
        self._choices()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self._scroll.verticalScrollBar()
        page, step = bar.pageStep(), self.theme.px(32)
        moves = {
            Qt.Key.Key_Down: step,
            Qt.Key.Key_Up: -step,
            Qt.Key.Key_PageDown: page - step,
            Qt.Key.Key_PageUp: step - page,
            Qt.Key.Key_End: bar.maximum(),
            Qt.Key.Key_Home: -bar.maximum(),
        }
        by = moves.get(Qt.Key(event.key()))
        if by is not None and self._scroll.scrolls:
            bar.setValue(bar.value() + by)
            return
        super().keyPressEvent(event)

    def _head(self, question: str, files: int) -> None:
        theme = self.theme
        mark = QLabel()
        mark.setPixmap(pixmap(theme, "shield", "risk", 16, self.devicePixelRatioF()))
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(mark)
        row.addWidget(plain_label(question, "heading"))
        row.addStretch(1)
        if files > 1:
            row.addWidget(plain_label(tr_n("{n} file", "{n} files", files), "muted"))
        self.body.addLayout(row)

    def _fill(self, call: ToolCall) -> None:
        if call.command:
            self._command(call)
        content = self._content
        for change in content.changes if content is not None else ():
            self._page.addWidget(DrawnChange(self.theme, change))
        if content is not None:
            others = tuple(map(visible_name, content.paths))
        else:
            others = () if call.command else tuple(_subjects(call, None))
        if others:
            listed = code_text(self.theme, "\n".join(others))
            listed.setObjectName("permission-paths")
            self._page.addWidget(listed)

    def _command(self, call: ToolCall) -> None:
        command = "\n".join(visible_command(call.command or ""))
        room = room_for(command)
        text = code_text(self.theme, command[:room])
        text.setObjectName("permission-command")
        text.setAccessibleName(tr("Command {command}", command=command[:room]))
        text.setSizePolicy(_growing())
        holder = QFrame()
        holder.setProperty("role", "card-raised")
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(self.theme.px(10), self.theme.px(8), self.theme.px(10), self.theme.px(8))
        inside.addWidget(text)
        if room < len(command):
            more = LinkButton(self.theme, cut_words(len(command) - room), ink="risk")
            more.setObjectName("permission-command-more")
            more.clicked.connect(lambda: text.setPlainText(command))
            more.clicked.connect(more.hide)
            more.clicked.connect(self._opened)
            inside.addWidget(more)
            self._cuts += 1
        self._page.addWidget(holder)
        where = tr("in {folder}", folder=visible_name(call.cwd)) if call.cwd else tr("in the workspace")
        self._page.addWidget(plain_label(where, "small", wrap=True))

    def _opened(self) -> None:
        """A cut part was opened: its end has to be seen as well."""
        self._cuts -= 1
        self._scroll.end.look_again()
        self._may_allow()

    def _may_allow(self) -> None:
        has_seen = self._scroll.end.has_seen and not self._cuts
        self.guard.decides(self._allow, has_seen)
        self._unseen.setVisible(not has_seen)
        self._unseen.setText(tr("Open what is cut to allow it") if self._cuts else tr("Scroll to the end to allow it"))

    def _choices(self) -> None:
        waits = self._content is not None and bool(self._content.waits)
        allow, skip, deny = (
            Button(self.theme, tr("Allow, then review") if waits else tr("Allow once")),
            QuietButton(self.theme, tr("Skip")),
            DangerButton(self.theme, tr("Deny…")),
        )
        self._allow = allow
        self._unseen = plain_label("", "small", wrap=True)
        self._unseen.setObjectName("permission-unseen")
        self.body.addWidget(self._unseen)
        for key, name, button in (("1", "allow", allow), ("2", "skip", skip), ("3", "deny", deny)):
            button.setObjectName(f"permission-{name}")
            self.add_choice(key, button)
        allow.clicked.connect(lambda: self._decide(Decision.YES, ""))
        skip.clicked.connect(lambda: self._decide(Decision.SKIP, ""))
        deny.clicked.connect(self._ask)
        self._may_allow()

    def _ask(self) -> None:
        asks = tr("Why not, and what instead? The agent is told.")
        field = ReasonField(self.theme, "permission-reason", asks, tr("Deny"))
        field.sent.connect(lambda words: self._decide(Decision.NO, words))
        self.ask_words(field)

    def _decide(self, decision: Decision, words: str) -> None:
        self.settle()
        self.decided.emit(decision, words)


def _waits(theme: Theme, content: CardContent) -> QWidget:
    """Says that a yes writes nothing yet, and why."""
    frame = QFrame()
    frame.setObjectName("permission-waits")
    frame.setProperty("role", "banner-risk")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(theme.px(10), theme.px(6), theme.px(10), theme.px(6))
    why = " ".join(_WAITS[reason] for reason in content.waits)
    told = tr("{why} What the agent changes waits for you as a plan; nothing is written before that.", why=why)
    layout.addWidget(plain_label(told, "risk", wrap=True))
    return frame


def _subjects(call: ToolCall, content: CardContent | None) -> Iterator[str]:
    """What a card is about: the paths Tandem drew or named, or what the agent says."""
    if content is not None and (content.changes or content.paths):
        yield from (visible_name(change.operation.path or "") for change in content.changes)
        yield from map(visible_name, content.paths)
    elif call.paths and not call.command:
        yield from map(visible_name, call.paths)
    else:
        yield visible_in_a_line(call.command or call.title)


def _answer_line(theme: Theme, entry: ChatEntry) -> QWidget:
    name, token, words = _ANSWERS.get(PermissionVerdict(entry.answer), ("info", "muted", entry.answer))
    words = tr_marked(words)
    assert entry.request is not None
    reason = " ".join(detail for detail in entry.details if detail)
    subject = ", ".join(_subjects(entry.request.call, entry.card))
    line = QWidget()
    line.setToolTip("")
    mark = QLabel()
    mark.setPixmap(pixmap(theme, name, token, 14, line.devicePixelRatioF()))
    row = QHBoxLayout(line)
    row.setContentsMargins(theme.px(2), 0, 0, 0)
    row.setSpacing(theme.px(8))
    row.addWidget(mark)
    row.addWidget(plain_label(words, "muted"))
    row.addWidget(ElidedLabel(theme, subject, code=True, points_delta=0), 1)
    line.setAccessibleName(f"{words}: {subject}. {reason}")
    return line


def _growing() -> QSizePolicy:
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    return policy


_TALLEST_PROBLEM = 200


_NO_MODEL, _MODEL, _LOGIN = NoModelError.kind, ModelError.kind, LoginNeededError.kind
_TOLD_ONLY = {"agent_program_changed", LEFT_OUT}
"""Kinds of problems that are only told: there is nothing to send again."""


class ProblemCard(EntryWidget):
    """Shows an error and its remedies: send the message again, another model, or the log."""

    restart_requested = Signal()
    """Send the last message again."""
    model_requested = Signal()
    login_requested = Signal(object)
    """Log in; the button that asks."""
    log_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("problem-card")
        self._stderr_tail: tuple[str, ...] = ()
        self._mark = mark = IconLabel(theme, "error", "removed_ink")
        self._cause = plain_label("", wrap=True)
        self._cause.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._next = plain_label("", "muted", wrap=True)
        self._next.setObjectName("problem-next")
        self._next.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        said = QVBoxLayout()
        said.setSpacing(theme.px(4))
        said.addWidget(self._cause)
        said.addWidget(self._next)
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(said, 1)
        self._fold = Fold(theme, self._make)
        self._fold.line.setObjectName("problem-fold")
        self._fold.toggled.connect(self.opened)
        self._again = Button(theme, tr("Send again"), icon_name="refresh")
        self._model = Button(theme, tr("Add a model…"))
        self._login = Button(theme, tr("Log in…"))
        self._login.setObjectName("problem-login")
        self._login.clicked.connect(lambda: self.login_requested.emit(self._login))
        self._log = QuietButton(theme, tr("Show output"))
        self._again.setObjectName("problem-restart")
        self._model.setObjectName("problem-model")
        self._log.setObjectName("problem-log")
        self._again.clicked.connect(self.restart_requested)
        self._model.clicked.connect(self.model_requested)
        self._log.clicked.connect(self.log_requested)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.px(8))
        for button in (self._login, self._again, self._model, self._log):
            buttons.addWidget(button)
        buttons.addStretch(1)
        frame = QFrame()
        frame.setProperty("role", "card")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(theme.px(14), theme.px(12), theme.px(14), theme.px(12))
        inside.setSpacing(theme.px(8))
        inside.addLayout(head)
        inside.addWidget(self._fold)
        inside.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(frame)

    def set_row(self, row: TranscriptRow) -> None:
        *stderr_tail, last_detail = row.last.details or ("",)
        to_do = visible_lines(last_detail)
        kind = row.last.problem_kind
        has_no_model = kind == _NO_MODEL
        if has_no_model:
            stderr_tail, to_do = [], tr("Add a model to ask in your own words, or type / for the recipes.")
        self._mark.set_icon("info" if has_no_model else "error", "link" if has_no_model else "removed_ink")
        self._login.setVisible(kind == _LOGIN and not row.is_past)
        is_told_only = has_no_model or kind in _TOLD_ONLY
        self._again.setVisible(not is_told_only and not row.is_past)
        self._again.setText(tr("Try again") if kind == _MODEL else tr("Send again"))
        self._model.setVisible(kind in (_NO_MODEL, _MODEL) and not row.is_past)
        self._model.setText(tr("Add a model…") if has_no_model else tr("Change the model…"))
        self._log.setVisible(not is_told_only)
        self._cause.setText(tr("There is no model yet.") if has_no_model else visible_lines(row.last.text))
        self._next.setText(to_do)
        self._next.setVisible(bool(to_do) and not row.is_past)
        self.setAccessibleName(tr("Problem: {cause} {next}", cause=self._cause.text(), next=to_do).strip())
        self._stderr_tail = tuple(stderr_tail)
        self._fold.setVisible(bool(stderr_tail))
        words = tr_n("Output of the agent ({n} line)", "Output of the agent ({n} lines)", len(stderr_tail))
        telling = (line for line in reversed(stderr_tail) if any(map(str.isalpha, line)))
        self._fold.line.set_words(words, next(telling, ""))

    def set_open(self, is_open: bool) -> None:
        self._fold.set_open(is_open)

    def _make(self) -> QWidget:
        view = CodeView(self.theme, tallest=_TALLEST_PROBLEM)
        view.setObjectName("problem-details")
        view.setAccessibleName(tr("Output of the agent"))
        view.set_code("\n".join(self._stderr_tail))
        return view
