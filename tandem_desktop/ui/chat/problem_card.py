"""An agent that failed: the cause in a sentence, its last words on request, and what can be done."""

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

_TALLEST = 200


class ProblemCard(EntryWidget):
    """Says what went wrong; only the latest offers to start again."""

    restart_requested = Signal()
    log_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("problem-card")
        self._details: tuple[str, ...] = ()
        mark = QLabel()
        mark.setPixmap(pixmap(theme, "error", "removed_ink", 16, self.devicePixelRatioF()))
        self._cause = plain_label("", wrap=True)
        self._cause.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._cause, 1)
        self._fold = Fold(theme, self._make)
        self._fold.line.setObjectName("problem-fold")
        self._fold.toggled.connect(self.opened)
        restart, log = Button(theme, "Restart agent", icon_name="refresh"), QuietButton(theme, "Open log")
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
        self._cause.setText(row.last.text)
        self.setAccessibleName(f"Problem: {row.last.text}")
        self._details = row.last.details
        self._fold.setVisible(bool(self._details))
        lines = "1 line" if len(self._details) == 1 else f"{len(self._details)} lines"
        self._fold.line.set_words(f"Last words of the agent ({lines})", self._details[-1] if self._details else "")

    def set_open(self, is_open: bool) -> None:
        self._fold.set_open(is_open)

    def _make(self) -> QWidget:
        view = CodeView(self.theme, tallest=_TALLEST)
        view.setObjectName("problem-details")
        view.setAccessibleName("Last words of the agent")
        view.set_code("\n".join(self._details))
        return view
