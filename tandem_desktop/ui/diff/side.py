"""One side of a comparison as a reader sees it: decoded line by line, when a line is looked at."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property

from tandem_desktop.staging.hazard_rules import bundled_rules
from tandem_desktop.staging.hidden_characters import is_plain
from tandem_desktop.staging.text import Document, is_hidden
from tandem_desktop.ui.words import tr

TOKEN = re.compile("⟨[^⟩]*⟩|[\u2400-\u2421]")
"""What stands for a character that would not be seen. No text can imitate it: the reader escapes these too."""
_WORD = re.compile(r"\w+")
_LONE_RETURN = re.compile("\r(?!\n)")
_SCRIPT_OF_CODE = re.compile("[\x00-\x7f\u00c0-\u024f\u1e00-\u1eff]")
MOST_NAMED = 3


class Side:
    """The lines of one content. Safe to read from several threads: nothing in it changes but what it remembers."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.document = Document.of(content)

    def __len__(self) -> int:
        return len(self.document.lines)

    @cached_property
    def is_plain(self) -> bool:
        """Whether every line looks exactly as its bytes say, which most source does."""
        return is_plain(self.content.replace(b"\r\n", b"\n"), bytes([*range(0x20, 0x7F)]) + b"\t\n")

    @cached_property
    def text(self) -> str:
        """All lines as they are shown, with newlines between them; for lexing and searching."""
        return "\n".join(self.lines(0, len(self)))

    def line(self, index: int) -> str:
        """One line as shown, without its newline: hidden characters and imitated letters are tokens."""
        raw = self.document.lines[index]
        shown = self.document.display(raw)
        return shown if self.is_plain or shown.isascii() or self.document.is_binary else _imitations_told(shown)

    def lines(self, start: int, end: int) -> Iterator[str]:
        return map(self.line, range(start, end))

    def length(self, index: int) -> int:
        """About how many characters a line has, known without decoding it."""
        return len(self.document.lines[index])

    def has_newline(self, index: int) -> bool:
        return index < len(self) - 1 or self.document.lines[index].endswith((b"\n", b"\n\0", b"\0\n"))

    def hidden(self) -> tuple[str, ...]:
        """What a reader would not see in this content, named: "right-to-left override (U+202E) on line 3"."""
        if self.is_plain or self.document.is_binary:
            return ()
        text = self.content.decode(self.document.encoding)
        found = {each for each in set(text) - set("\r\ufeff") if is_hidden(each)}
        places = [(text.index(each), _named(each)) for each in found]
        lone = _LONE_RETURN.search(text)
        if lone:
            places.append((lone.start(), tr("a carriage return inside a line")))
        if bundled_rules().hidden.in_text(text):
            imitated = next((match for match in _WORD.finditer(text) if _imitates(match[0])), None)
            if imitated:
                places.append((imitated.start(), tr("letters of another alphabet that look like Latin ones")))
        return tuple(
            tr("{name} on line {line}", name=name, line=text.count(chr(10), 0, at) + 1) for at, name in sorted(places)
        )


def hidden_in_words(side: Side) -> str:
    """The sentence for a banner, or nothing."""
    found = side.hidden()
    if not found:
        return ""
    named = ", ".join(found[:MOST_NAMED])
    if len(found) > MOST_NAMED:
        named = tr("{named} and {n} more kinds", named=named, n=len(found) - MOST_NAMED)
    return tr("Characters you would not see are drawn as tokens: {named}.", named=named)


def _imitations_told(shown: str) -> str:
    """Only in words that mix alphabets: a sentence in Greek or Russian stays as it is."""
    return _WORD.sub(lambda match: _spelled(match[0]) if _imitates(match[0]) else match[0], shown)


def _imitates(word: str) -> bool:
    return not word.isascii() and bundled_rules().hidden.in_text(word)


def _spelled(word: str) -> str:
    return "".join(each if _SCRIPT_OF_CODE.match(each) else f"⟨U+{ord(each):04X}⟩" for each in word)


def _named(character: str) -> str:
    name = unicodedata.name(character, "").lower().replace("-", " ")
    code = f"U+{ord(character):04X}"
    return f"{name} ({code})" if name else tr("control character {code}", code=code)
