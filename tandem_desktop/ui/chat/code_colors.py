"""Syntax colours of code blocks."""

from functools import cache
from typing import Any

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument

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
    return next((token for prefix, token in _TOKENS if name.startswith(prefix)), "text")


_TOKENS = (
    ("Comment.Preproc", "syntax_decorator"),
    ("Comment", "syntax_comment"),
    ("Keyword.Type", "syntax_type"),
    ("Keyword", "syntax_keyword"),
    ("Operator.Word", "syntax_keyword"),
    ("Operator", "syntax_operator"),
    ("Name.Decorator", "syntax_decorator"),
    ("Name.Function", "syntax_function"),
    ("Name.Class", "syntax_type"),
    ("Name.Builtin", "syntax_type"),
    ("Name.Exception", "syntax_type"),
    ("Name.Tag", "syntax_keyword"),
    ("Name.Attribute", "syntax_function"),
    ("Literal.String", "syntax_string"),
    ("Literal.Number", "syntax_number"),
    ("Generic.Inserted", "added_ink"),
    ("Generic.Deleted", "removed_ink"),
    ("Generic.Subheading", "syntax_comment"),
)
