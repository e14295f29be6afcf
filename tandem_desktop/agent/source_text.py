"""A file as text that goes back to the same bytes: encoding, byte order mark and line endings stay as they are."""

from dataclasses import dataclass

from tandem_desktop.staging.text import Document

MAX_TEXT_BYTES = 4 * 1024 * 1024
"""Larger files are rarely written by people; they are named and left alone."""

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of one file, lines ending in a plain new line, and how it was written."""

    text: str
    encoding: str
    has_bom: bool = False
    has_crlf: bool = False
    """Every line ends in CRLF; a file that mixes endings keeps them inside `text`."""

    @classmethod
    def of(cls, data: bytes) -> "SourceText | None":
        """The text in `data`; None when it is not text."""
        document = Document.of(data)
        if document.is_binary:
            return None
        text = data.decode(document.encoding)
        has_crlf = document.endings == "crlf"
        text = text.replace("\r\n", "\n") if has_crlf else text
        has_bom = text.startswith(_BOM)
        return cls(text[1:] if has_bom else text, document.encoding, has_bom, has_crlf)

    def encoded(self, text: str) -> bytes | None:
        """`text` as this file would hold it; None when its encoding has no such characters."""
        if self.has_crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        try:
            return ((_BOM if self.has_bom else "") + text).encode(self.encoding)
        except UnicodeEncodeError:
            return None
