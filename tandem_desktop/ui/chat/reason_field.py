"""A few lines in which a person says why, inside the card that asks."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr


class ReasonField(QWidget):
    """Enter sends, Shift+Enter makes a line, Esc goes back. Where words are needed, none are refused."""

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
