"""A change as one text, for whoever reads by ear or copies by hand: the cursor goes through it as in any editor."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr


class PlainReading(QPlainTextEdit):
    """Lies over a diff until it is left."""

    left = Signal()

    def __init__(self, theme: Theme, text: str, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("diff-as-text")
        self.setAccessibleName(tr("{name}, as text", name=name))
        self.setProperty("role", "code-block")
        self.setFont(theme.code_font())
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByKeyboard | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlainText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_T):
            self.left.emit()
        else:
            super().keyPressEvent(event)
