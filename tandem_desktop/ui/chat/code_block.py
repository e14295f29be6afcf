"""A code block in the chat and its syntax colours."""

import math
from functools import cache
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QTextEdit, QToolButton, QVBoxLayout, QWidget

from tandem_desktop.ui.chat.prose_view import SafeDocument
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.style import icon
from tandem_desktop.ui.theme.theme import Theme

_LINE_HEIGHT = 115
LARGEST_COLOURED = 20_000
"""Longer code is not highlighted: lexing it would be noticeably slow."""


def write_code(document: QTextDocument, code: str, language: str, theme: Theme) -> None:
    """Replace the document's text with code in the theme's font and colours."""
    document.clear()
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    lines = QTextBlockFormat()
    lines.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    cursor.setBlockFormat(lines)
    for text, token in pieces(code, language):
        form = QTextCharFormat()
        form.setFont(theme.code_font())
        form.setForeground(theme.color(token))
        cursor.insertText(text, form)
    cursor.endEditBlock()


def pieces(code: str, language: str) -> list[tuple[str, str]]:
    """The code split into runs of one colour, each with its token name. Joined, they equal the code."""
    lexer = _lexer(language)
    if lexer is None or len(code) > LARGEST_COLOURED:
        return [(code, "text")]
    found: list[tuple[str, str]] = []
    for kind, text in lexer.get_tokens(code):
        token = _token(str(kind))
        if found and found[-1][1] == token:
            found[-1] = (found[-1][0] + text, token)
        else:
            found.append((text, token))
    if "".join(text for text, _ in found) != code:
        return [(code, "text")]  # a lexer that normalises must not change what is shown and copied
    return found


@cache
def _lexer(language: str) -> Any:
    # Imported on first use, as it is slow.
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    if not language:
        return None
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@cache
def _token(kind: str) -> str:
    name = kind.removeprefix("Token.")
    return next((token for prefix, token in _TOKENS.items() if name.startswith(prefix)), "text")


_TOKENS = {
    "Comment.Preproc": "syntax_decorator",
    "Comment": "syntax_comment",
    "Keyword.Type": "syntax_type",
    "Keyword": "syntax_keyword",
    "Operator.Word": "syntax_keyword",
    "Operator": "syntax_operator",
    "Name.Decorator": "syntax_decorator",
    "Name.Function": "syntax_function",
    "Name.Class": "syntax_type",
    "Name.Builtin": "syntax_type",
    "Name.Exception": "syntax_type",
    "Name.Tag": "syntax_keyword",
    "Name.Attribute": "syntax_function",
    "Literal.String": "syntax_string",
    "Literal.Number": "syntax_number",
    "Generic.Inserted": "added_ink",
    "Generic.Deleted": "removed_ink",
    "Generic.Subheading": "syntax_comment",
}


_COPIED_MS = 1500


class CodeView(QTextEdit):
    """Shows code in full up to a height limit, then scrolls."""

    def __init__(self, theme: Theme, tallest: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tallest = tallest
        document = SafeDocument(self)
        document.setDocumentMargin(0)
        document.setUndoRedoEnabled(False)
        document.setDefaultFont(theme.code_font())
        self.setDocument(document)
        self.setProperty("role", "bare")
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded if tallest else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        self.viewport().setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        document.contentsChanged.connect(self.updateGeometry)

    def set_code(self, code: str, language: str = "") -> None:
        """Show code, scrolled to the top."""
        write_code(self.document(), code, language, self._theme)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.horizontalScrollBar().setValue(0)

    def sizeHint(self) -> QSize:
        size = self.document().size()
        height = math.ceil(size.height())
        if math.ceil(self.document().idealWidth()) > self.width() > 0:
            height += self.horizontalScrollBar().sizeHint().height()
        if self._tallest:
            height = min(height, self._theme.px(self._tallest))
        return QSize(self._theme.px(200), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(40), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def wheelEvent(self, event: QWheelEvent) -> None:
        sideways = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        bar = self.verticalScrollBar()
        can_move = bar.maximum() > 0 and self.hasFocus()
        if sideways or can_move:
            super().wheelEvent(event)
        else:
            event.ignore()  # pass the wheel on to the conversation


class CodeBlock(QFrame):
    """A code block with its language and a Copy button."""

    copied = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._code = ""
        self.setObjectName("code-block")
        self.setProperty("role", "card")
        self._language = QLabel()
        self._language.setTextFormat(Qt.TextFormat.PlainText)
        self._language.setProperty("role", "small")
        self._copy = QToolButton()
        self._copy.setObjectName("code-copy")
        self._copy.setAccessibleName(tr("Copy code"))
        self._copy.setToolTip(tr("Copy code"))
        self._copy.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._copy.setStyleSheet(f"color: {theme.tokens.muted}; font-size: {theme.px(11)}px;")
        self._copy.clicked.connect(self._copy_code)
        self._view = CodeView(theme)
        self._view.setObjectName("code-text")
        head = QHBoxLayout()
        head.setContentsMargins(theme.px(12), theme.px(4), theme.px(4), 0)
        head.addWidget(self._language, 1)
        head.addWidget(self._copy)
        body = QVBoxLayout()
        body.setContentsMargins(theme.px(12), theme.px(2), theme.px(12), theme.px(10))
        body.addWidget(self._view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(body)
        self._done = QTimer(self)
        self._done.setSingleShot(True)
        self._done.setInterval(_COPIED_MS)
        self._done.timeout.connect(self._offer_copy)
        self._offer_copy()

    @property
    def code(self) -> str:
        return self._code

    def set_code(self, code: str, language: str) -> None:
        self._code = code
        self._language.setText(language or tr("text"))
        self._view.setAccessibleName(tr("{language} code", language=language) if language else tr("plain code"))
        self._view.set_code(code, language)

    def _copy_code(self) -> None:
        QGuiApplication.clipboard().setText(self._code)
        self._copy.setIcon(icon(self._theme, "check", "ok", 14))
        self._copy.setText(tr("Copied"))
        self._done.start()
        self.copied.emit(self._code)

    def _offer_copy(self) -> None:
        self._copy.setIcon(icon(self._theme, "copy", "muted", 14))
        self._copy.setText(tr("Copy"))
