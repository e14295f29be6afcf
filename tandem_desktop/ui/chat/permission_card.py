"""An agent asks before it acts: what it wants in full, and three answers."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.domain.agents import PermissionRequest, ToolCall, ToolKind, Verdict
from tandem_desktop.domain.chat import ChatEntry
from tandem_desktop.domain.ids import RequestId
from tandem_desktop.domain.paths import shown
from tandem_desktop.staging.confirmation import Decision
from tandem_desktop.ui.chat.cut_text import cut_words, room_for
from tandem_desktop.ui.chat.decision_card import DecisionCard
from tandem_desktop.ui.chat.diff_preview import DiffPreview, visible
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.chat.reason_field import ReasonField
from tandem_desktop.ui.models.transcript_model import Row
from tandem_desktop.ui.theme.icons import pixmap
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, DangerButton, QuietButton
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import later, tr, tr_marked, tr_table

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
    Verdict.ALLOW: ("check", "ok", later("Allowed once")),
    Verdict.REJECT: ("cross", "muted", later("Not allowed")),
    Verdict.CANCELLED: ("cross", "muted", later("No longer asked")),
}


class PermissionCard(EntryWidget):
    """Gives one answer, once. Enter alone never allows anything."""

    answered = Signal(str, object, str)
    """Request id, `Decision`, and the person's words."""
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

    def set_row(self, row: Row) -> None:
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
    name, token, words = _ANSWERS.get(Verdict(entry.answer), ("info", "muted", entry.answer))
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
