"""Creates the widgets of chat entries."""

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible, visible_lines
from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.ui.chat.cards import PermissionCard, ProblemCard
from tandem_desktop.ui.chat.entry_widget import EntryWidget, Fold
from tandem_desktop.ui.chat.message_view import MessageView, room_for
from tandem_desktop.ui.chat.plan_card import PlanCard, PlanFacts
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.chat.question_card import QuestionCard
from tandem_desktop.ui.chat.reflection_card import ReflectionCard
from tandem_desktop.ui.chat.tool_chip import ToolChip
from tandem_desktop.ui.i18n import counted_lines, tr, tr_marked, tr_n
from tandem_desktop.ui.models.transcript import TranscriptRow
from tandem_desktop.ui.plan_text import RunFacts
from tandem_desktop.ui.theme.style import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import IconButton, LinkButton
from tandem_desktop.ui.widgets.labels import plain_label

_MOST_LINES, _LONGEST = 60, 160


class FoldedEntries(EntryWidget):
    """Shows the number of folded entries; opened, one line for each."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("set-aside")
        self._row: TranscriptRow | None = None
        self._fold = Fold(theme, self._make)
        self._fold.line.setObjectName("set-aside-fold")
        self._fold.toggled.connect(self.opened)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._fold)

    def set_row(self, row: TranscriptRow) -> None:
        self._row = row
        self._fold.line.set_words(row.words(), icon="undo")

    def set_open(self, is_open: bool) -> None:
        self._fold.set_open(is_open)

    def _make(self) -> QWidget:
        entries = self._row.entries if self._row is not None else ()
        lines = [
            TranscriptRow((entry.model_copy(update={"set_aside": False}),)).words() for entry in entries[:_MOST_LINES]
        ]
        if len(entries) > _MOST_LINES:
            lines.append(tr("… and {n} more", n=f"{len(entries) - _MOST_LINES:,}"))
        said = plain_label("\n".join(visible(" ".join(line.split()))[:_LONGEST] for line in lines), "muted", wrap=True)
        said.setContentsMargins(self.theme.px(24), 0, 0, 0)
        return said


_WIDEST = 0.86
"""Largest share of the width for a bubble; the margin shows who wrote it."""


class PersonBubble(EntryWidget):
    """The user's message as plain text, with actions to edit and resend it."""

    edit_requested = Signal(int)
    back_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("person-bubble")
        self._number = 0
        self._text = ""
        self._frame = QRect()
        self._prose = ProseView(theme, parent=self)
        self._prose.link_activated.connect(self.link_activated)
        self._buttons: tuple[IconButton, ...] = ()

    def set_row(self, row: TranscriptRow) -> None:
        self._number = row.last.number
        if row.last.text != self._text:
            self._text = row.last.text
            room = room_for(self._text)
            left = len(self._text) - room
            self._prose.set_plain(self._text[:room] + (f"\n{_left_out(left)}" if left else ""))
            self._place()
        self.setAccessibleName(tr("You: {text}", text=self._text[:200]))

    def heightForWidth(self, width: int) -> int:
        return self._bubble(width).height()

    def needed_height(self, width: int) -> int:
        return self.heightForWidth(width)

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def enterEvent(self, event: QEnterEvent) -> None:
        if not self._buttons:
            edit = IconButton(self.theme, "file-edit", tr("Edit and resend"), parent=self)
            edit.setObjectName("message-edit")
            edit.clicked.connect(lambda: self.edit_requested.emit(self._number))
            back = IconButton(self.theme, "undo", tr("Go back to here…"), parent=self)
            back.setObjectName("message-back")
            back.clicked.connect(lambda: self.back_requested.emit(self._number))
            self._buttons = (edit, back)
        self._place_buttons()
        for button in self._buttons:
            button.show()

    def _place_buttons(self) -> None:
        """Left of the bubble."""
        right = self._frame.left()
        for button in self._buttons:
            side = button.sizeHint()
            right -= side.width() + self.theme.px(4)
            button.setGeometry(QRect(max(0, right), 0, *side.toTuple()))

    def leaveEvent(self, event: QEvent) -> None:
        for button in self._buttons:
            button.hide()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setObjectName("message-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Edit and resend"), lambda: self.edit_requested.emit(self._number))
        menu.addAction(tr("Go back to here…"), lambda: self.back_requested.emit(self._number))
        menu.popup(event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.theme.color("line"), 1))
        painter.setBrush(self.theme.color("raised"))
        painter.drawPath(_bubble_path(self._frame, self.theme.px(12), self.theme.px(3)))
        painter.end()

    def _bubble(self, width: int) -> QRect:
        side, above = self.theme.px(13), self.theme.px(9)
        widest = int(width * _WIDEST) - 2 * side
        inner = max(min(self._prose.ideal_width() + 2, widest), self.theme.px(24))
        height = self._prose.heightForWidth(inner)
        return QRect(width - inner - 2 * side, 0, inner + 2 * side, height + 2 * above)

    def _place(self) -> None:
        self._frame = self._bubble(self.width())
        side, above = self.theme.px(13), self.theme.px(9)
        self._prose.setGeometry(self._frame.adjusted(side, above, -side, -above))
        self._place_buttons()
        self.update()


class AgentMessage(EntryWidget):
    """An agent's answer as Markdown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("agent-message")
        self.view = MessageView(theme)
        self.view.link_activated.connect(self.link_activated)
        self.view.file_activated.connect(self.file_activated)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)

    def set_row(self, row: TranscriptRow) -> None:
        self.view.set_text(row.last.text)


class Report(EntryWidget):
    """A report of the window, framed to distinguish it from the agent's messages."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("report")
        frame = QFrame()
        set_role(frame, "card")
        self.view = MessageView(theme)
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(theme.px(14), theme.px(12), theme.px(14), theme.px(12))
        inside.addWidget(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(frame)

    def set_row(self, row: TranscriptRow) -> None:
        self.view.set_text(row.last.text)
        self.setAccessibleName(tr("Tandem: {text}", text=row.last.text[:200]))


class Thinking(EntryWidget):
    """An agent's thoughts, folded to one line."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("thinking")
        self._text = ""
        self._fold = Fold(theme, self._make)
        self._fold.line.setObjectName("thinking-fold")
        self._fold.toggled.connect(self.opened)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._fold)

    def set_row(self, row: TranscriptRow) -> None:
        self._text = row.last.text
        last_line = self._text.strip().rpartition("\n")[2]
        self._fold.line.set_words(tr("Thinking"), last_line.strip("*_# "), icon="thinking")
        body = self._fold.content
        if isinstance(body, _Quoted):
            body.view.set_text(self._text)

    def set_open(self, is_open: bool) -> None:
        self._fold.set_open(is_open)

    def _make(self) -> QWidget:
        body = _Quoted(self.theme)
        body.view.link_activated.connect(self.link_activated)
        body.view.file_activated.connect(self.file_activated)
        body.view.set_text(self._text)
        return body


class NoteLine(EntryWidget):
    """A note; after a run, with buttons to view and undo it."""

    view_requested = Signal(str, int)
    undo_requested = Signal(str)
    """Id of the run to undo or redo."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("note-line")
        self._plan_id = PlanId("")
        self.run_id: RunId | None = None
        self._words = plain_label("", "muted", wrap=True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._words.setFont(theme.ui_font(-1))
        self._view, self._undo = LinkButton(theme, tr("View")), LinkButton(theme, tr("Undo"))
        self._view.setObjectName("note-view")
        self._undo.setObjectName("note-undo")
        self._view.clicked.connect(lambda: self.view_requested.emit(self._plan_id, 0))
        self._undo.clicked.connect(lambda: self.undo_requested.emit(self.run_id))
        self._undo.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addWidget(self._words, 1)
        layout.addWidget(self._view)
        layout.addWidget(self._undo)

    def set_row(self, row: TranscriptRow) -> None:
        self._plan_id = row.last.plan_id or PlanId("")
        self.run_id = row.last.run_id
        self._words.setText(visible_lines(row.last.text[:1].upper() + row.last.text[1:]))
        self._view.setVisible(row.last.plan_id is not None)

    def show_run(self, run: RunFacts, revision: PlanFacts | None) -> None:
        """Show the run's buttons and, if known, what it wrote."""
        if run.is_applied and revision is not None and revision.files:
            files = tr_n("Completed: {n} file", "Completed: {n} files", revision.files)
            self._words.setText(f"{files} {counted_lines(revision.added, revision.removed)}".rstrip())
        self._undo.setText(tr_marked(run.way_back))
        self._undo.setAccessibleName(tr_marked(run.way_back))
        self._undo.updateGeometry()
        self._undo.setVisible(bool(run.way_back))


class _Quoted(QWidget):
    """Text with a line at its left, to distinguish it from the answer."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        bar = QLabel()
        bar.setFixedWidth(theme.px(2))
        bar.setStyleSheet(f"background: {theme.tokens.line};")
        self.view = MessageView(theme, ink="muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(8), 0, 0, 0)
        layout.setSpacing(theme.px(12))
        layout.addWidget(bar)
        layout.addWidget(self.view, 1)


def _bubble_path(frame: QRect, radius: float, corner: float) -> QPainterPath:
    """A rounded box with a sharper lower right corner."""
    box = frame.toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
    path = QPainterPath()
    path.addRoundedRect(box, radius, radius)
    point = QPainterPath()
    quarter = box.adjusted(box.width() / 2, box.height() / 2, 0, 0)
    point.addRoundedRect(quarter, corner, corner)
    return path.united(point).simplified()


def _left_out(characters: int) -> str:
    return tr_n(
        "… {n} more character was sent; Edit and resend shows it",
        "… {n} more characters were sent; Edit and resend shows them",
        characters,
    )


EDGE = 16
"""Space above the first row and below the last."""

PASSED_ON = (
    "link_activated",
    "file_activated",
    "edit_requested",
    "back_requested",
    "view_requested",
    "undo_requested",
    "restart_requested",
    "model_requested",
    "login_requested",
    "log_requested",
    "reflection_requested",
    "question_answered",
    "address_opened",
    "typed",
)
"""Signals forwarded from entry widgets; each widget has some of them."""
_WIDGETS: dict[EntryKind, type[EntryWidget]] = {
    EntryKind.PERSON: PersonBubble,
    EntryKind.AGENT: AgentMessage,
    EntryKind.THOUGHT: Thinking,
    EntryKind.TOOL: ToolChip,
    EntryKind.PLAN: PlanCard,
    EntryKind.QUESTION: PermissionCard,
    EntryKind.ELICITATION: QuestionCard,
    EntryKind.NOTE: NoteLine,
    EntryKind.REFLECTION: ReflectionCard,
    EntryKind.REPORT: Report,
    EntryKind.PROBLEM: ProblemCard,
}
_FIRST_GUESS = {EntryKind.TOOL: 30, EntryKind.THOUGHT: 24, EntryKind.NOTE: 20}
_QUIET = (EntryKind.TOOL, EntryKind.THOUGHT)


def make_entry(row: TranscriptRow, theme: Theme, parent: QWidget) -> EntryWidget:
    """Create the row's widget, without content."""
    return (FoldedEntries if row.is_set_aside else _WIDGETS[row.kind])(theme, parent)


def is_for(widget: EntryWidget, row: TranscriptRow) -> bool:
    """Whether a widget shows this kind of row."""
    return type(widget) is (FoldedEntries if row.is_set_aside else _WIDGETS[row.kind])


def gap(before: TranscriptRow | None, row: TranscriptRow) -> int:
    """Pixels above a row, before zoom; related rows are closer."""
    if before is None:
        return EDGE
    if row.kind in _QUIET and before.kind in (*_QUIET, EntryKind.AGENT):
        return 8
    return 16 if EntryKind.PERSON in (before.kind, row.kind) else 12


def guessed_height(row: TranscriptRow) -> int:
    """An estimate for the scroll bar until the row is measured."""
    if row.kind is not EntryKind.AGENT:
        return _FIRST_GUESS.get(row.kind, 48)
    text = row.last.text
    return 18 * (1 + len(text) // 60 + text.count("\n"))
