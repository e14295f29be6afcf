"""A command or its output inside the card of an operation."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.theme.theme import Theme


class CodeBox(QPlainTextEdit):
    """Text as it will be run or as it was printed: whole, selectable, as high as its lines up to a limit."""

    fitted = Signal()
    """It has become higher or lower."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._shown: str | None = None
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setProperty("role", "code-block")
        self.setFont(theme.code_font())
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(theme.px(8))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setStyleSheet(
            f"QPlainTextEdit {{ background: {theme.tokens.surface}; border: 1px solid {theme.tokens.line};"
            f" border-radius: {theme.px(6)}px; color: {theme.tokens.text}; padding: 0; }}"
            f"QPlainTextEdit:focus {{ border: 1px solid {theme.tokens.focus}; padding: 0; }}"
        )
        self.textChanged.connect(self._fit)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def show_text(self, text: str) -> bool:
        """Hidden characters become tokens; answers whether it is another text than before."""
        if text == self._shown:
            return False
        self._shown = text
        self.setPlainText("\n".join(wording.visible_lines(text.rstrip("\n"))))
        self._fit()
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Wrapped lines count: a long command is read without scrolling sideways."""
        lines = round(self.document().size().height()) or 1
        height = min(lines, 16) * self.fontMetrics().lineSpacing() + 2 * self._theme.px(8) + 4
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)
            self.fitted.emit()
