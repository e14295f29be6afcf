"""How a text is written, in two words for the line below everything."""

from tandem_desktop.staging.text import Document
from tandem_desktop.ui.words import tr, tr_table

_ENCODINGS = {"utf-8": "UTF-8", "utf-16-le": "UTF-16 LE", "utf-16-be": "UTF-16 BE", "latin-1": "Latin-1"}
_ENDINGS = tr_table({"lf": "LF", "crlf": "CRLF", "mixed": "mixed line ends"})


def text_form(content: bytes) -> str:
    """`UTF-8 · LF`, `Latin-1 · CRLF`, `binary`; nothing for nothing."""
    if not content:
        return ""
    document = Document.of(content)
    if document.is_binary:
        return tr("binary")
    return " · ".join(filter(None, (_ENCODINGS[document.encoding], _ENDINGS.get(document.endings, ""))))
