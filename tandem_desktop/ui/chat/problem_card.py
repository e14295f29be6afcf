"""An agent that failed: the cause and what can be done about it in sight, its last words on request."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from tandem_desktop.ui.chat.code_block import CodeView
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.fold import Fold
from tandem_desktop.ui.models.transcript_model import Row
from tandem_desktop.ui.theme.icons import pixmap
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr, tr_n

_TALLEST = 200


class ProblemCard(EntryWidget):
    """Says what went wrong; only the latest offers to say it again, which starts the agent anew."""

    restart_requested = Signal()
    log_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("problem-card")
        self._last_words: tuple[str, ...] = ()
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

    def set_row(self, row: Row) -> None:
        *last_words, to_do = row.last.details or ("",)
        self._cause.setText(row.last.text)
        self._next.setText(to_do)
        self._next.setVisible(bool(to_do))
        self.setAccessibleName(tr("Problem: {cause} {next}", cause=row.last.text, next=to_do).strip())
        self._last_words = tuple(last_words)
        self._fold.setVisible(bool(last_words))
        words = tr_n("Last words of the agent ({n} line)", "Last words of the agent ({n} lines)", len(last_words))
        self._fold.line.set_words(words, last_words[-1] if last_words else "")

    def set_open(self, is_open: bool) -> None:
        self._fold.set_open(is_open)

    def _make(self) -> QWidget:
        view = CodeView(self.theme, tallest=_TALLEST)
        view.setObjectName("problem-details")
        view.setAccessibleName(tr("Last words of the agent"))
        view.set_code("\n".join(self._last_words))
        return view
