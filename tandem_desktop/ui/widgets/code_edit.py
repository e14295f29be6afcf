"""Code a person writes: one face, tabs that stay tabs, nothing wrapped. Ctrl+Enter is done, Esc leaves."""

from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.words_edit import WordsEdit

_TAB_CELLS = 4


class CodeEdit(WordsEdit):
    """Gives back exactly the characters that were typed or set."""

    def __init__(self, theme: Theme, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def text(self) -> str:
        """Not `toPlainText`, which turns spaces that do not break into ordinary ones."""
        return self.document().toRawText().replace("\u2029", "\n")

    def _dress(self) -> None:
        font = self._theme.code_font()
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(" ") * _TAB_CELLS)
