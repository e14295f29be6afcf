"""Cut any bytes into lines that a person can read and that join again to the same bytes."""

import codecs
import io
import re
from dataclasses import dataclass
from functools import cached_property

UTF16_CODECS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

# Printable by category, yet drawn as nothing: fillers, joiners and variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Characters the tokens themselves are made of; escaped too, so that no text can imitate a token.
_TOKEN_ALPHABET = re.compile("[⟨\u2400-\u2421]")
_READABLE_LATIN_1 = re.compile(rb"[\t\n\f\r\x20-\x7e\xa0-\xff]*")


@dataclass(frozen=True)
class Document:
    """One content, cut for display. `b"".join(lines)` is the content, whatever it is."""

    encoding: str
    """`utf-8`, `utf-16-le`, `utf-16-be`, `latin-1`, or `binary` for a view of bytes."""
    lines: tuple[bytes, ...]

    @classmethod
    def of(cls, content: bytes) -> "Document":
        return cls(detect_encoding(content), tuple(split_lines(content)))

    @property
    def is_binary(self) -> bool:
        return self.encoding == "binary"

    @cached_property
    def endings(self) -> str:
        """`lf`, `crlf`, `mixed`, or `none`: so that a flip of line ends can be said in words."""
        found = {self._ending(line) for line in self.lines}
        found.discard("none")
        return "mixed" if len(found) > 1 else next(iter(found), "none")

    def display(self, raw_line: bytes) -> str:
        """The line without its newline, every hidden character as a visible token.

        Two different lines of one document never look the same, save for the newline at their end.
        """
        if self.encoding == "binary":
            return _visible_bytes(raw_line.removesuffix(b"\n"))
        return visible(raw_line.decode(self.encoding).removesuffix("\n"))

    def _ending(self, raw_line: bytes) -> str:
        wide = self.encoding.startswith("utf-16")
        text = raw_line[-4:].decode(self.encoding, "replace") if wide else raw_line[-2:].decode("latin-1")
        if not text.endswith("\n"):
            return "none"
        return "crlf" if text.endswith("\r\n") else "lf"


def split_lines(content: bytes) -> list[bytes]:
    """Cut after every newline and nowhere else; in UTF-16 a newline is a code unit, not a byte."""
    codec = _utf16_codec(content)
    if codec is None:
        return split_at_newlines(content)
    return [line.encode(codec) for line in io.StringIO(content.decode(codec), newline="\n")]


def split_at_newlines(content: bytes) -> list[bytes]:
    """Cut after every 0x0A byte, whatever the encoding: the lines that diff tools mean."""
    return io.BytesIO(content).readlines()


def ends_without_newline(content: bytes) -> bool:
    codec = _utf16_codec(content)
    if codec is None:
        return bool(content) and not content.endswith(b"\n")
    return not content.endswith("\n".encode(codec))


def newline_of(content: bytes) -> bytes:
    """The bytes that end a line in such a content."""
    codec = _utf16_codec(content)
    return b"\n" if codec is None else "\n".encode(codec)


def detect_encoding(content: bytes) -> str:
    wide = _utf16_codec(content)
    if wide is not None:
        return wide
    if b"\0" in content:
        return "binary"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1" if _READABLE_LATIN_1.fullmatch(content) else "binary"
    return "utf-8"


def is_hidden(character: str) -> bool:
    """Whether a reader would not see this character, or see it act on its neighbours."""
    if character in "\t\n":
        return False
    return not character.isprintable() or _INVISIBLE.match(character) is not None


def visible(text: str) -> str:
    """The text with hidden characters as tokens: ␛, ␍, ⟨U+202E⟩. A tab stays a tab."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(
        {ord(c): _token(c) for c in set(text) if is_hidden(c) or c == "\n" or _TOKEN_ALPHABET.match(c)}
    )


def _token(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"⟨U+{code:04X}⟩"


def _visible_bytes(raw: bytes) -> str:
    text = raw.decode("latin-1")
    return text.translate({c: f"⟨{c:02X}⟩" if c > 0x7F else _token(chr(c)) for c in set(raw) if not 0x20 <= c < 0x7F})


def _utf16_codec(content: bytes) -> str | None:
    """The codec, if the content says that it is UTF-16 and is; a NUL inside means it is something else."""
    codec = UTF16_CODECS.get(content[:2])
    if codec is None:
        return None
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else codec
