"""A place for several lines of words: Enter is a new line, Ctrl+Enter sends them, Esc leaves."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit


class WordsEdit(QPlainTextEdit):
    """Says by signal what the keys mean; what becomes of the words is for others."""

    sent = Signal()
    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.sent.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
