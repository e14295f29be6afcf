"""Characters that make text look like something else: invisible, reordering, terminal escapes, imitated letters."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_PRINTABLE_ASCII = bytes([*range(0x20, 0x7F)])
PLAIN_IN_CONTENT = _PRINTABLE_ASCII + b"\t\n\r"
PLAIN_IN_COMMAND = _PRINTABLE_ASCII + b"\t\n"
PLAIN_IN_PATH = _PRINTABLE_ASCII

_HIDING_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"
_EMOJI_SELECTORS = "\ufe0e\ufe0f"
_MONGOLIAN_SELECTORS = "\u180b\u180c\u180d\u180f"
_DEPENDS_ON_PLACE = re.compile(f"[{_JOINERS}{_EMOJI_SELECTORS}{_MONGOLIAN_SELECTORS}\U000e0100-\U000e01ef]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
_JOINING_SCRIPT = re.compile("[\u0600-\u109f\u1780-\u18af\ua840-\ua8ff\U00011000-\U00011fff]")
_EMOJI_AMONG_OTHERS = frozenset("\u203c\u2049\u2139\u3030\u303d")
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")

Ranges = Sequence[tuple[int, int]]


class HiddenCharacters:
    """Decide whether text contains what a reader cannot see or would misread."""

    def __init__(self, *, invisible: Ranges, visible: Ranges, lookalikes: Ranges) -> None:
        self._invisible = _members(invisible)
        self._visible = _members(visible)
        self._lookalike = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in lookalikes) + "]")
        self._is_hidden = lru_cache(maxsize=4096)(self._hidden)

    def in_text(self, text: str, *, plain: bytes = PLAIN_IN_CONTENT) -> bool:
        """Whether `text` hides something; `plain` are the ASCII characters that belong in such a text."""
        if text.isascii():
            return not is_plain(text.encode(), plain)
        characters = set(text)
        suspicious = {each for each in characters if not self._belongs(each, plain)}
        if not all(_DEPENDS_ON_PLACE.fullmatch(each) for each in suspicious):
            return True
        if suspicious and any(_out_of_place(text, found.start()) for found in _DEPENDS_ON_PLACE.finditer(text)):
            return True
        return any(self._lookalike.match(each) for each in characters) and any(
            self._lookalike.search(word) and _LATIN.search(word) for word in _WORD.findall(text)
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
    """Whether there are only ASCII characters that everybody can see; fast on any size."""
    return not content.translate(None, plain)


def _members(ranges: Ranges) -> frozenset[int]:
    return frozenset(code for first, last in ranges for code in range(first, last + 1))


def _out_of_place(text: str, at: int) -> bool:
    """Whether a joiner or selector stands where no script and no emoji asks for one."""
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
    # The block is asked as well, since emoji are added to it faster than interpreters learn about them.
    return (
        unicodedata.category(character) in {"So", "Sm", "Sk"}
        or character in _EMOJI_AMONG_OTHERS
        or 0x1F000 <= ord(character) <= 0x1FAFF
    )
