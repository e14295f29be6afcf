"""Permission and problem cards."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.diff.hunks import hunks
from tandem_desktop.domain.agent_protocol import (
    ChatEntry,
    PermissionRequest,
    PermissionVerdict,
    ProposedDiff,
    ToolCall,
    ToolKind,
)
from tandem_desktop.domain.ids import RequestId
from tandem_desktop.domain.paths import shown
from tandem_desktop.sessions.interceptor import Decision
from tandem_desktop.ui.chat.code_block import CodeView
from tandem_desktop.ui.chat.entry_widget import EntryWidget, Fold
from tandem_desktop.ui.chat.message_view import cut_words, room_for
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n, tr_table
from tandem_desktop.ui.models.transcript import TranscriptRow
from tandem_desktop.ui.theme.style import pixmap
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands
from tandem_desktop.ui.widgets.buttons import Button, DangerButton, LinkButton, QuietButton
from tandem_desktop.ui.widgets.labels import ElidedLabel, announce, plain_label


class ReasonField(QWidget):
    """A text field for a reason: Enter sends, Shift+Enter breaks the line, Esc goes back. May require text."""

    sent = Signal(str)
    left = Signal()

    def __init__(
        self, theme: Theme, name: str, asks: str, send: str, *, needs_words: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._needs_words = needs_words
        self.edit = QPlainTextEdit()
        self.edit.setObjectName(name)
        self.edit.setAccessibleName(asks)
        self.edit.setPlaceholderText(asks)
        self.edit.setFixedHeight(theme.px(64))
        self.edit.setTabChangesFocus(True)
        self.edit.installEventFilter(self)
        self._complaint = plain_label("", "risk", wrap=True)
        self._complaint.setObjectName(f"{name}-complaint")
        self._complaint.hide()
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
        layout.addWidget(self._complaint)
        layout.addLayout(buttons)
        self.edit.textChanged.connect(self._complaint.hide)

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
                self._send()
                return True
        return super().eventFilter(watched, event)

    def _send(self) -> None:
        if self._needs_words and not self.words:
            self._complaint.setText(self._needs_words)
            self._complaint.show()
            announce(self.edit, self._needs_words, urgent=True)
            self.edit.setFocus()
            return
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

    def press(self, key: str) -> bool:
        """Choose by digit; returns whether there is such a choice."""
        button = self._buttons.get(key)
        if button is None or self.choices.isHidden() or not button.isEnabled():
            return False
        button.click()
        return True

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
        self._forget_field()
        self.choices.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if plain and self.press(text):
            return
        if plain and text and text.isprintable() and not isinstance(self.focusWidget(), QPlainTextEdit):
            self.typed.emit(text)
            return
        super().keyPressEvent(event)

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
        self.setFocus()

    def _forget_field(self) -> None:
        if self._reason is not None:
            self._layout.removeWidget(self._reason)
            self._reason.hide()
            self._reason.deleteLater()
            self._reason = None


LINES_AT_FIRST = 400
_LINE_AT_FIRST = 2_000
_COMPARED_AT_ONCE = 100_000
"""Larger texts are compared on a worker thread."""
_TALLEST = 260
_INKS = {"+": ("added", "added_ink"), "-": ("removed", "removed_ink"), " ": ("", "text"), "@": ("", "muted")}


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """A diff sign and a line with invisible characters spelled out."""

    sign: str
    text: str


def preview_lines(diff: ProposedDiff) -> tuple[PreviewLine, ...]:
    """All lines of the proposal, with a header before each hunk."""
    before = (diff.old_text or "").encode("utf-8", "surrogatepass")
    found = hunks(before, diff.new_text.encode("utf-8", "surrogatepass"))
    lines: list[PreviewLine] = []
    for hunk in found:
        lines.append(PreviewLine("@", hunk.header))
        lines.extend(PreviewLine(line.kind, visible(line.raw.decode("utf-8", "replace"))) for line in hunk.lines)
    return tuple(lines)


def visible(line: str) -> str:
    """The line without its ending; invisible characters other than tabs are spelled out."""
    bare = line.rstrip("\n")
    return "\t".join(shown(part, limit=len(part)) for part in bare.split("\t"))


class DiffPreview(QWidget):
    """Shows a proposed diff. A long one is cut, with a link to the rest."""

    def __init__(self, theme: Theme, diff: ProposedDiff, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: tuple[PreviewLine, ...] = ()
        self._answers = Commands(self)
        self._view = CodeView(theme, tallest=_TALLEST)
        self._view.setObjectName("permission-diff")
        self._view.setAccessibleName(tr("Proposed change of {path}", path=diff.path))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addWidget(self._view)
        if len(diff.old_text or "") + len(diff.new_text) < _COMPARED_AT_ONCE:
            self._show(preview_lines(diff))
        else:
            self._write((PreviewLine("@", tr("Comparing…")),))
            worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="diff-preview")
            self._answers.run(worker.submit(preview_lines, diff), self._show)
            worker.shutdown(wait=False)

    @property
    def text(self) -> str:
        return self._view.toPlainText()

    def _show(self, lines: tuple[PreviewLine, ...]) -> None:
        self._lines = lines
        self._write([_shortened(line) for line in lines[:LINES_AT_FIRST]])
        longer = len(lines) - LINES_AT_FIRST
        if longer > 0 or any(len(line.text) > _LINE_AT_FIRST for line in lines[:LINES_AT_FIRST]):
            words = tr("Long lines are cut: show them whole")
            if longer > 0:
                words = tr_n("Cut here: show {n} more line", "Cut here: show {n} more lines", longer)
            more = LinkButton(self._theme, words, ink="risk")
            more.setObjectName("permission-diff-more")
            more.clicked.connect(lambda: self._write(self._lines))
            more.clicked.connect(more.hide)
            layout = self.layout()
            assert layout is not None
            layout.addWidget(more)

    def _write(self, lines: Sequence[PreviewLine]) -> None:
        document = self._view.document()
        document.clear()
        cursor = QTextCursor(document)
        for at, line in enumerate(lines or (PreviewLine("@", tr("The text stays as it is.")),)):
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
            sign = {"-": "− ", "@": ""}.get(line.sign, f"{line.sign} ")
            cursor.insertText(f"{sign}{line.text}", form)
        self._view.moveCursor(QTextCursor.MoveOperation.Start)


def _shortened(line: PreviewLine) -> PreviewLine:
    left = len(line.text) - _LINE_AT_FIRST
    if left <= 0:
        return line
    shown = line.text[:_LINE_AT_FIRST]
    return PreviewLine(line.sign, tr_n("{text}… {n} more character", "{text}… {n} more characters", left, text=shown))


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
        card = self._card = _Question(self.theme, entry.request)
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
                widget.hide()
                widget.deleteLater()


class _Question(DecisionCard):
    decided = Signal(object, str)

    def __init__(self, theme: Theme, request: PermissionRequest, parent: QWidget | None = None) -> None:
        super().__init__(theme, "risk", parent)
        call = request.call
        self.setObjectName("permission-question")
        question = _QUESTIONS.get(call.kind, tr("Allow this?"))
        self.setAccessibleName(
            tr(
                "{question} {subject}. 1 allows once, 2 skips, 3 denies with a reason.",
                question=question,
                subject=_subject(call),
            )
        )
        self._head(question, call)
        if call.command:
            self._command(call)
        for diff in call.diffs:
            self.body.addWidget(DiffPreview(theme, diff))
        self._choices()

    def _head(self, question: str, call: ToolCall) -> None:
        theme = self.theme
        mark = QLabel()
        mark.setPixmap(pixmap(theme, "shield", "risk", 16, self.devicePixelRatioF()))
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(mark)
        row.addWidget(plain_label(question, "heading"))
        row.addStretch(1)
        self.body.addLayout(row)
        subject = _subject(call)
        if subject and subject != call.command:
            self.body.addWidget(ElidedLabel(theme, subject, code=bool(call.paths), token="muted"))

    def _command(self, call: ToolCall) -> None:
        text = ProseView(self.theme)
        text.setObjectName("permission-command")
        text.document().setDefaultFont(self.theme.code_font())
        command = "\n".join(visible(line) for line in (call.command or "").split("\n"))
        room = room_for(command)
        text.setPlainText(command[:room])
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
            inside.addWidget(more)
        self.body.addWidget(holder)
        where = tr("in {folder}", folder=shown(call.cwd)) if call.cwd else tr("in the workspace")
        self.body.addWidget(plain_label(where, "small"))

    def _choices(self) -> None:
        allow, skip, deny = (
            Button(self.theme, tr("Allow once")),
            QuietButton(self.theme, tr("Skip")),
            DangerButton(self.theme, tr("Deny…")),
        )
        for key, name, button in (("1", "allow", allow), ("2", "skip", skip), ("3", "deny", deny)):
            button.setObjectName(f"permission-{name}")
            self.add_choice(key, button)
        allow.clicked.connect(lambda: self._decide(Decision.YES, ""))
        skip.clicked.connect(lambda: self._decide(Decision.SKIP, ""))
        deny.clicked.connect(self._ask)

    def _ask(self) -> None:
        asks = tr("Why not, and what instead? The agent is told.")
        field = ReasonField(self.theme, "permission-reason", asks, tr("Deny"))
        field.sent.connect(lambda words: self._decide(Decision.NO, words))
        self.ask_words(field)

    def _decide(self, decision: Decision, words: str) -> None:
        self.settle()
        self.decided.emit(decision, words)


def _subject(call: ToolCall) -> str:
    if call.paths:
        return ", ".join(shown(path, limit=400) for path in call.paths)
    return shown(call.title, limit=400)


def _answer_line(theme: Theme, entry: ChatEntry) -> QWidget:
    name, token, words = _ANSWERS.get(PermissionVerdict(entry.answer), ("info", "muted", entry.answer))
    words = tr_marked(words)
    assert entry.request is not None
    reason = " ".join(detail for detail in entry.details if detail)
    call = entry.request.call
    line = QWidget()
    line.setToolTip("")
    mark = QLabel()
    mark.setPixmap(pixmap(theme, name, token, 14, line.devicePixelRatioF()))
    row = QHBoxLayout(line)
    row.setContentsMargins(theme.px(2), 0, 0, 0)
    row.setSpacing(theme.px(8))
    row.addWidget(mark)
    row.addWidget(plain_label(words, "muted"))
    row.addWidget(ElidedLabel(theme, call.command or _subject(call), code=True, points_delta=0), 1)
    line.setAccessibleName(f"{words}: {call.command or _subject(call)}. {reason}")
    return line


def _growing() -> QSizePolicy:
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    return policy


_TALLEST_PROBLEM = 200


class ProblemCard(EntryWidget):
    """Shows an error; only the latest one offers a retry, which restarts the agent."""

    restart_requested = Signal()
    log_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("problem-card")
        self._stderr_tail: tuple[str, ...] = ()
        mark = QLabel()
        mark.setPixmap(pixmap(theme, "error", "removed_ink", 16, self.devicePixelRatioF()))
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
        restart = Button(theme, tr("Edit and resend"), icon_name="refresh")
        log = QuietButton(theme, tr("Open log"))
        restart.setObjectName("problem-restart")
        log.setObjectName("problem-log")
        restart.clicked.connect(self.restart_requested)
        log.clicked.connect(self.log_requested)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.px(8))
        buttons.addWidget(restart)
        buttons.addWidget(log)
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
        *stderr_tail, to_do = row.last.details or ("",)
        self._cause.setText(row.last.text)
        self._next.setText(to_do)
        self._next.setVisible(bool(to_do))
        self.setAccessibleName(tr("Problem: {cause} {next}", cause=row.last.text, next=to_do).strip())
        self._stderr_tail = tuple(stderr_tail)
        self._fold.setVisible(bool(stderr_tail))
        words = tr_n("Last words of the agent ({n} line)", "Last words of the agent ({n} lines)", len(stderr_tail))
        self._fold.line.set_words(words, stderr_tail[-1] if stderr_tail else "")

    def set_open(self, is_open: bool) -> None:
        self._fold.set_open(is_open)

    def _make(self) -> QWidget:
        view = CodeView(self.theme, tallest=_TALLEST_PROBLEM)
        view.setObjectName("problem-details")
        view.setAccessibleName(tr("Last words of the agent"))
        view.set_code("\n".join(self._stderr_tail))
        return view
