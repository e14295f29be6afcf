"""Splits bytes into displayable lines and finds hidden characters."""

import codecs
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import groupby

from tandem_desktop.diff import look_alikes
from tandem_desktop.domain.patterns import lazy_pattern

UTF16_CODECS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

# Printable by category, yet drawn as nothing: fillers, joiners and variation selectors.
_INVISIBLE = lazy_pattern(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufffc\U00016fe4\U0001d159\U000e0100-\U000e01ef]"
)
# Characters the tokens themselves are made of; escaped too, so that no text can imitate a token.
_TOKEN_ALPHABET = lazy_pattern("[⟨\u2400-\u2421]")
_PLAIN_NAME = lazy_pattern(r"[A-Za-z0-9_/-]*(?:\.[A-Za-z0-9_-][A-Za-z0-9_/-]*)*")
_BLANK = (
    "\t\x0b\x0c\r\x1c-\x20\x85\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\ufffc\U00016fe4\U0001d159\U000e0000-\U000e0fff"
)
"""Everything that is drawn as nothing, or as room."""
_ALL_BLANK = lazy_pattern(f"[{_BLANK}]*")
BLANK_RUN = lazy_pattern(f"[{_BLANK}]{{20,}}")
"""Blanks that can push what follows out of sight."""
EMPTY_LINES = 3
"""So many empty lines, or more, are drawn as their number."""
DEEPEST_INDENTATION = 80
_LARGEST_COMPARED = 2_000_000
_ASCII_BLANKS = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\0"
_TAB = 4
_RUNS_NAMED = 4
_READABLE_LATIN_1 = lazy_pattern(rb"[\t\n\f\r\x20-\x7e\xa0-\xff]*")


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
        codec = self.encoding if self.encoding.startswith("utf-16") else "ascii"
        newline, pair = "\n".encode(codec), "\r\n".encode(codec)
        every = sum(line.endswith(newline) for line in self.lines)
        pairs = sum(line.endswith(pair) for line in self.lines)
        if 0 < pairs < every:
            return "mixed"
        return "crlf" if pairs else "lf" if every else "none"

    def display(self, raw_line: bytes) -> str:
        """The line without its newline, every hidden character as a visible token.

        Two different lines of one document never look the same, save for the newline at their end.
        """
        if self.encoding == "binary":
            return _visible_bytes(raw_line.removesuffix(b"\n"))
        shown = visible_line(raw_line.decode(self.encoding).removesuffix("\n"))
        return shown if shown.isascii() or not self._twins else look_alikes.spelled(shown, self._twins)

    @cached_property
    def _twins(self) -> frozenset[str]:
        """Words that look like another word of this content."""
        odd = b"".join(line for line in self.lines if not line.isascii())
        if self.is_binary or not odd or sum(map(len, self.lines)) > _LARGEST_COMPARED:
            return frozenset()
        text = b"".join(self.lines).decode(self.encoding)
        return frozenset(word for word, _ in look_alikes.twin_words(text, text))

    def is_blank(self, raw_line: bytes) -> bool:
        """Whether nothing of a line can be seen."""
        if raw_line.isascii() or self.is_binary:
            return not raw_line.strip(_ASCII_BLANKS)
        return is_blank(raw_line.decode(self.encoding))


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
    """True if this character is invisible, or changes how its neighbours are displayed."""
    if character in "\t\n":
        return False
    return not character.isprintable() or _INVISIBLE.match(character) is not None


def visible(text: str) -> str:
    """The text with hidden characters and imitated letters as tokens: ␛, ␍, ⟨U+202E⟩. A tab stays a tab."""
    if text.isascii() and text.isprintable():
        return text
    return _with_tokens(text, look_alikes.in_text(text))


def visible_line(text: str) -> str:
    """As `visible`, and a long run of blanks as its count: ⟨·×3,000⟩. Ordinary indentation stays."""
    if BLANK_RUN.search(text) is None:
        return visible(text)
    marked = set(look_alikes.in_text(text))
    parts: list[str] = []
    at = 0
    for run in BLANK_RUN.finditer(text):
        if not _is_indentation(run):
            parts += (_part(text, marked, at, run.start()), _counted(run[0]))
            at = run.end()
    return "".join((*parts, _part(text, marked, at, len(text))))


def visible_sentence(message: str) -> str:
    """A sentence of Tandem's own, which may hold tokens already, with what else is hidden or imitated as tokens."""
    if message.isascii() and message.isprintable():
        return message
    marked = set(look_alikes.in_text(message))
    return "".join(_token(c) if at in marked or is_hidden(c) or c == "\n" else c for at, c in enumerate(message))


def visible_lines(message: str) -> str:
    """A message of several lines as `visible_sentence` shows each, blanks that push text away as their number."""
    shown = (visible_sentence(line) for line in message.split("\n"))
    return "\n".join(BLANK_RUN.sub(lambda run: _counted(run[0]), line) for line in shown)


def visible_name(name: str) -> str:
    """A path, a link's target or a host; what looks like another name is spelled out, and so is each odd blank."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return _with_tokens(name, look_alikes.in_name(name)).replace("\t", "␉")


def visible_command(command: str) -> list[str]:
    """The lines of a command: hidden characters and look-alikes as tokens, blanks and empty lines as their number."""
    marked = set(look_alikes.in_command(command)) | set(look_alikes.in_text(command))
    shown: list[str] = []
    start = 0
    for is_empty, run in groupby(command.split("\n"), key=is_blank):
        lines = [*run]
        size = sum(map(len, lines)) + len(lines)
        if is_empty and len(lines) >= EMPTY_LINES:
            shown.append(f"⟨¶×{len(lines):,}⟩")
        else:
            at = start
            for line in lines:
                shown.append(_command_line(line, {each - at for each in marked if at <= each < at + len(line)}))
                at += len(line) + 1
        start += size
    return shown


def visible_in_a_line(command: str) -> str:
    """A command in one line, as `visible_command` shows it; its ends of lines are ⏎."""
    return " ⏎ ".join(visible_command(command))


def is_blank(line: str) -> bool:
    """True if nothing of a line can be seen."""
    if "!" <= line[:1] <= "~":
        return False
    return not line or line.isspace() or _ALL_BLANK.fullmatch(line) is not None


def _command_line(line: str, marked: Collection[int]) -> str:
    parts: list[str] = []
    at = 0
    for run in BLANK_RUN.finditer(line):
        parts += (_part(line, marked, at, run.start()), _counted(run[0]))
        at = run.end()
    return "".join((*parts, _part(line, marked, at, len(line))))


def _part(text: str, marked: Collection[int], start: int, end: int) -> str:
    return _with_tokens(text[start:end], [at - start for at in marked if start <= at < end])


def _with_tokens(text: str, marked: Collection[int]) -> str:
    if text.isascii() and text.isprintable() and not marked:
        return text
    hidden = {c: _token(c) for c in set(text) if is_hidden(c) or c == "\n" or _TOKEN_ALPHABET.match(c)}
    if not marked:
        return text.translate({ord(c): token for c, token in hidden.items()})
    chosen = frozenset(marked)
    return "".join(hidden.get(c) or (f"⟨U+{ord(c):04X}⟩" if at in chosen else c) for at, c in enumerate(text))


def _is_indentation(run: re.Match[str]) -> bool:
    """True of blanks at the beginning of a line that leave its text in sight."""
    return run.start() == 0 and not run[0].strip(" \t") and len(run[0].expandtabs(_TAB)) <= DEEPEST_INDENTATION


def _counted(blanks: str) -> str:
    """`⟨·×3,000⟩`, or `⟨·×20+→×2⟩`. A mixture of many runs is told by its sum, and told apart from others by a hash."""
    runs = [(each, len([*run])) for each, run in groupby(blanks)]
    if len(runs) <= _RUNS_NAMED:
        return f"⟨{'+'.join(f'{_blank_name(each)}×{count:,}' for each, count in runs)}⟩"
    kinds = [f"{_blank_name(each)}×{count:,}" for each, count in Counter(blanks).most_common(_RUNS_NAMED)]
    apart = blake2b(blanks.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"⟨{'+'.join(kinds)}#{apart}⟩"


def _blank_name(character: str) -> str:
    return {" ": "·", "\t": "→"}.get(character) or f"U+{ord(character):04X}"


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


_PRINTABLE_ASCII = bytes([*range(0x20, 0x7F)])
PLAIN_IN_CONTENT = _PRINTABLE_ASCII + b"\t\n\r"
PLAIN_IN_COMMAND = _PRINTABLE_ASCII + b"\t\n"
PLAIN_IN_PATH = _PRINTABLE_ASCII

_HIDING_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"
_EMOJI_SELECTORS = "\ufe0e\ufe0f"
_MONGOLIAN_SELECTORS = "\u180b\u180c\u180d\u180f"
_DEPENDS_ON_PLACE = lazy_pattern(f"[{_JOINERS}{_EMOJI_SELECTORS}{_MONGOLIAN_SELECTORS}\U000e0100-\U000e01ef]")
_HAN = lazy_pattern("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_MONGOLIAN = lazy_pattern("[\u1820-\u18aa]")
_JOINING_SCRIPT = lazy_pattern("[\u0600-\u109f\u1780-\u18af\ua840-\ua8ff\U00011000-\U00011fff]")
_EMOJI_AMONG_OTHERS = frozenset("\u203c\u2049\u2139\u3030\u303d")

Ranges = Sequence[tuple[int, int]]


class HiddenCharacters:
    """Detects characters that are invisible or change how others are displayed."""

    def __init__(self, *, invisible: Ranges, visible: Ranges) -> None:
        self._invisible = _members(invisible)
        self._visible = _members(visible)
        self._is_hidden = lru_cache(maxsize=4096)(self._hidden)

    def in_text(self, text: str, *, plain: bytes = PLAIN_IN_CONTENT) -> bool:
        """Whether `text` hides something; `plain` are the ASCII characters that belong in such a text."""
        if text.isascii():
            return not is_plain(text.encode(), plain)
        characters = set(text)
        suspicious = {each for each in characters if not self._belongs(each, plain)}
        if not all(_DEPENDS_ON_PLACE.fullmatch(each) for each in suspicious):
            return True
        return bool(suspicious) and any(
            _out_of_place(text, found.start()) for found in _DEPENDS_ON_PLACE.finditer(text)
        )

    def _belongs(self, character: str, plain: bytes) -> bool:
        if character.isascii():
            return ord(character) in plain
        if self._is_hidden(character):
            return False
        # Odd spaces are common in prose; in a path or a command they only deceive.
        return plain is PLAIN_IN_CONTENT or not character.isspace()

    def _hidden(self, character: str) -> bool:
        code = ord(character)
        if code in self._visible:
            return False
        return (
            unicodedata.category(character) in _HIDING_CATEGORIES or code in self._invisible or code & 0xFFFE == 0xFFFE
        )


def is_plain(content: bytes, plain: bytes = PLAIN_IN_CONTENT) -> bool:
    """True if there are only visible ASCII characters; fast on any size."""
    return not content.translate(None, plain)


def _members(ranges: Ranges) -> frozenset[int]:
    return frozenset(code for first, last in ranges for code in range(first, last + 1))


def _out_of_place(text: str, at: int) -> bool:
    """True if a joiner or selector is at a position where no script and no emoji needs it."""
    before, character, after = text[at - 1 : at] if at else "", text[at], text[at + 1 : at + 2]
    if character in _EMOJI_SELECTORS:
        keycap = before in frozenset("0123456789#*") and after == "\u20e3"
        return not (keycap or _is_emoji(before))
    if character in _MONGOLIAN_SELECTORS:
        return not _MONGOLIAN.fullmatch(before)
    if character in _JOINERS:
        within_word = _JOINING_SCRIPT.fullmatch(before) and _JOINING_SCRIPT.fullmatch(after)
        between_emoji = (_is_emoji(before) or before in frozenset(_EMOJI_SELECTORS)) and _is_emoji(after)
        return not (within_word or (character == "\u200d" and between_emoji))
    return not _HAN.fullmatch(before)


def _is_emoji(character: str) -> bool:
    if not character or character.isascii():
        return False
    # Check the block too, since emoji are added faster than interpreters are updated.
    return (
        unicodedata.category(character) in {"So", "Sm", "Sk"}
        or character in _EMOJI_AMONG_OTHERS
        or 0x1F000 <= ord(character) <= 0x1FAFF
    )
