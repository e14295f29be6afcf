"""The field a person types in: it grows with the text, and Enter sends."""

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QImage, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from tandem_desktop.ui.chat.completion_popup import CompletionPopup
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import later, tr, tr_marked

_MOST_LINES = 12
_PLACEHOLDERS = (
    later("Ask for a change, / for commands, @ for files"),
    later("Ask for a change, / commands, @ files"),
    later("Ask for a change"),
)


_CONTROL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
_READLINE = {
    (_CONTROL, Qt.Key.Key_E): (QTextCursor.MoveOperation.EndOfBlock, False),
    (_CONTROL, Qt.Key.Key_K): (QTextCursor.MoveOperation.EndOfBlock, True),
    (_CONTROL, Qt.Key.Key_U): (QTextCursor.MoveOperation.StartOfBlock, True),
    (_CONTROL, Qt.Key.Key_W): (QTextCursor.MoveOperation.PreviousWord, True),
    (_ALT, Qt.Key.Key_B): (QTextCursor.MoveOperation.PreviousWord, False),
    (_ALT, Qt.Key.Key_F): (QTextCursor.MoveOperation.NextWord, False),
    (_ALT, Qt.Key.Key_D): (QTextCursor.MoveOperation.NextWord, True),
}
"""Where the cursor goes and whether what it passes is deleted. Ctrl+A selects all, as everywhere on a desktop."""


class ComposerEdit(QPlainTextEdit):
    """Turns keys, pastes and drops into intentions; what they lead to is somebody else's business."""

    submitted = Signal()
    escaped = Signal()
    recalled = Signal()
    """Up in an empty field: the last message is wanted back."""
    files_given = Signal(object)
    """A tuple of paths, pasted or dropped."""
    image_given = Signal(QImage)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.popup: CompletionPopup | None = None
        self.setObjectName("composer-text")
        self.setAccessibleName(tr("Message"))
        self.setProperty("role", "bare")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        theme.changed.connect(self._grow)
        self._grow()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(200), self._wanted_height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        if self.popup is not None and not modifiers and self.popup.take(key):
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if modifiers & Qt.KeyboardModifier.ShiftModifier:
                self.insertPlainText("\n")
            elif not modifiers & ~Qt.KeyboardModifier.KeypadModifier:
                self.submitted.emit()
            else:
                event.ignore()
            return
        if key == Qt.Key.Key_Escape:
            self.escaped.emit()
            return
        if key == Qt.Key.Key_Up and not modifiers & ~Qt.KeyboardModifier.KeypadModifier and not self.toPlainText():
            self.recalled.emit()
            return
        if (way := _READLINE.get((modifiers, Qt.Key(key)))) is not None:
            self._edit_as_in_a_shell(*way)
            return
        super().keyPressEvent(event)

    def _edit_as_in_a_shell(self, move: QTextCursor.MoveOperation, deletes: bool) -> None:
        cursor = self.textCursor()
        if not (deletes and cursor.hasSelection()):
            keep = QTextCursor.MoveMode.KeepAnchor if deletes else QTextCursor.MoveMode.MoveAnchor
            cursor.movePosition(move, keep)
        if deletes:
            cursor.removeSelectedText()
        self.setTextCursor(cursor)

    def focusNextPrevChild(self, forward: bool) -> bool:
        # While something is offered, Tab chooses it.
        chooses = forward and self.popup is not None and not self.popup.isHidden()
        return not chooses and super().focusNextPrevChild(forward)

    def set_text(self, text: str) -> None:
        """Replace everything, in a way that Ctrl+Z takes back, and stand at the end."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def before_cursor(self) -> str:
        cursor = self.textCursor()
        return self.toPlainText()[: cursor.position()]

    def replace_before_cursor(self, length: int, text: str) -> None:
        """Put `text` in the place of the last `length` characters before the cursor."""
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, length)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def insert_words(self, words: str) -> None:
        """Put words at the cursor, apart from what stands around it."""
        before = self.before_cursor()
        space = "" if not before or before[-1].isspace() else " "
        self.insertPlainText(f"{space}{words} ")

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or source.hasImage() or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = tuple(url.toLocalFile() for url in source.urls() if url.isLocalFile())
        if paths:
            self.files_given.emit(paths)
        elif source.hasImage() and not source.hasText():
            self.image_given.emit(QImage(source.imageData()))
        elif source.hasText():
            self.insertPlainText(source.text())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.canInsertFromMimeData(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # A placeholder that wraps would be cut in a field of one line.
        room = self.viewport().width()
        fitting = (
            words for words in map(tr_marked, _PLACEHOLDERS) if self.fontMetrics().horizontalAdvance(words) < room
        )
        self.setPlaceholderText(next(fitting, ""))
        self._grow()

    def _wanted_height(self) -> int:
        line = self.fontMetrics().lineSpacing()
        lines = max(1, min(int(self.document().size().height()), _MOST_LINES))
        return lines * line + self._theme.px(4)

    def _grow(self) -> None:
        height = self._wanted_height()
        if height != self.height():
            self.setFixedHeight(height)
        whole = int(self.document().size().height()) <= _MOST_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if whole else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(policy)
