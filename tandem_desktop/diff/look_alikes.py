"""Finds names and words that look like others, by the Unicode confusables (UTS 39)."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from tandem_desktop.domain.paths import folded
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.storage.paths import resource

_FULLWIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SMALL = {
    code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFE50, 0xFE6C) if code not in (0xFE53, 0xFE67)
}
_DOTS = {0x3002: ".", 0xFF61: "."}
_CAPITALS = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz"
"""Small capitals: the confusables know only those that look like a small letter as well."""
_NATURAL = lazy_pattern(
    "[\u00c0-\u017e\u0180-\u0183\u0186-\u018c\u018e-\u0195\u0197-\u01a5\u01a9-\u01b6\u01b8-\u01bb\u01cd-\u01f0\u01f4-\u021b\u021d-\u0221\u0224-\u0236\u0238-\u024f"
    "\u1e00-\u1e9c\u1e9e-\u1efe]"
)
"""Letters of languages that are written in Latin script, without rare ones that pass for others, such as ſ, ǃ and ǌ."""
_MATHEMATICAL = lazy_pattern("[\U0001d400-\U0001d7ff]")
_IDEOGRAPHIC = lazy_pattern(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3105-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff65-\uffdc\U0001b000-\U0001b16f\U00020000-\U000323af]"
)
"""Chinese, Japanese and Korean: Latin words stand in them without a space."""
_MIXED_IN = lazy_pattern(
    "[\u0400-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u2c80-\u2dff\ua4d0-\ua4ff\ua640-\ua69f\uab70-\uabbf]"
)
"""Cyrillic, Armenian, Cherokee, Coptic and Lisu: no honest word has their letters beside Latin ones."""
_GREEK = lazy_pattern("[\u0370-\u03ff\u1f00-\u1fff]")
_WORD = lazy_pattern(r"\w[\w\u0300-\u036f]*")
_RAISED = lazy_pattern(
    "[\u00aa\u00ba\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2071\u207f\u2090-\u209c\u24b6-\u24e9"
    "\u2c7c\u2c7d\ua7f2-\ua7f4\ua7f8\ua7f9\U00010780-\U000107ba\U0001f130-\U0001f149]"
)
"""Raised, lowered, circled and squared letters. Python takes `ᵉval` for `eval`, and so do many a search and disk."""
_ORDINALS = "\u00aa\u00ba"
_RAISED_DOTS = frozenset("·ꞏ˙∙⋅•‧᛫")
"""Dots above the line, which the confusables do not take for a dot."""
_OVERLAYS = lazy_pattern("(?<=[A-Za-z0-9._-])[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]")
_SLASHES_OVER = frozenset("\u0337\u0338\u20eb")
_TYPOGRAPHY = frozenset("‘’“”–—…")
"""Signs that honest names have as well."""
_COMPONENT = lazy_pattern("[^/]+")
_ASCII_LETTER = lazy_pattern("[A-Za-z]")
_ALMOST_A_NAME = 2
_LAST_OF_ASCII = 0x7F
_BEFORE_A_NAME = lazy_pattern(
    r"(?:[\w)\]\"']\.|->|::|[@$<]|\b(?:def|class|function|fn|func|fun|let|var|val|const|import|use|package|struct|enum|type|"
    r"interface|trait|impl|namespace|module|sub|export|new|local|static|alias|export)\s+)$"
)
_IMPORTS = lazy_pattern(r"\b(?:import|from)\s+$")
_AFTER_A_NAME = lazy_pattern(r"[(\[]|\.[A-Za-z_]|->|::|\s*[-+*/|&:]?=(?!=)")
_QUOTED = lazy_pattern(r"([\"'`])([^\s\"'`]{3,})\1")
_ARGUMENT = lazy_pattern(r"\"[^\"\n]*\"|'[^'\n]*'|\S+")
_ADDRESS = lazy_pattern(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://([^\s\"'`<>?#]+)")
_PROGRAM = lazy_pattern(
    r"(?:^|[;&|(\n`{]|\b(?:sudo|env|exec|xargs|time|nohup|command)\s)\s*(?:\w+=\S*\s+)*([^\s;&|()]+)"
)


@lru_cache(maxsize=1)
def _prototypes() -> dict[int, str]:
    """What each character looks like, for `str.translate`."""
    lines = resource("unicode/confusables.txt").read_text(encoding="ascii").splitlines()
    forms = {code: shape for code, shape in (_FULLWIDTH | _SMALL | _DOTS).items() if shape.isascii()}
    table = dict(forms)
    for line in lines:
        if not line.startswith("#"):
            code, *prototype = (int(each, 16) for each in line.split())
            table[code] = "".join(map(chr, prototype))
    for capital, letter in zip(*_CAPITALS, strict=True):
        if not table.get(ord(capital), capital).isascii():
            table[ord(capital)] = table.get(ord(letter), letter)
    for code, shape in forms.items():  # a full-width letter looks like what its ASCII letter looks like
        table[code] = table.get(ord(shape), shape)
    return table


@lru_cache(maxsize=1)
def _ascii_prototypes() -> dict[int, str]:
    """What ASCII characters look like: the first lines of the same file, which is sorted by code point."""
    table: dict[int, str] = {}
    with resource("unicode/confusables.txt").open(encoding="ascii") as lines:
        for line in lines:
            if not line.startswith("#"):
                code, *prototype = (int(each, 16) for each in line.split())
                if code > _LAST_OF_ASCII:
                    break
                table[code] = "".join(map(chr, prototype))
    return table


@lru_cache(maxsize=1)
def _imitating() -> frozenset[str]:
    """Every character that looks like ASCII and is not."""
    return frozenset(chr(code) for code, shape in _prototypes().items() if code > _LAST_OF_ASCII and shape.isascii())


@lru_cache(maxsize=1)
def _signs() -> frozenset[str]:
    """Every character, letters included, that looks like an ASCII sign and is not."""
    return frozenset(each for each in _imitating() if not any(c.isalnum() for c in _prototypes()[ord(each)]))


@lru_cache(maxsize=1)
def _separators() -> frozenset[str]:
    """Every character that looks like a dot, a slash, a backslash or a colon and is not."""
    return frozenset(each for each in _imitating() if _prototypes()[ord(each)] in (*"./\\:", "..", "//"))


def skeleton(text: str) -> str:
    """What `text` looks like: texts with one skeleton can be taken for each other."""
    if text.isascii():
        return text.translate(_ascii_prototypes())
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", decomposed.translate(_prototypes()))


def in_text(text: str) -> list[int]:
    """Where characters of text or source pass for ASCII ones: in words of two scripts, in names, in addresses."""
    if text.isascii():
        return []
    found = set(_raised_in_names(text)) if _RAISED.search(text) else set()
    if _is_plain(text):
        return sorted(found)
    for word in _WORD.finditer(text):
        if word[0].isascii():
            continue
        if (
            _mixes(word[0])
            or (
                _imitates_whole(word[0])
                and (_is_alone(text, word) if len(word[0]) < _ALMOST_A_NAME else _is_a_name(text, word))
            )
            or (_looks_like_a_number(word[0]) and _is_alone(text, word))
        ):
            found.update(_foreign(word))
    for address in _ADDRESS.finditer(text):
        found.update(address.start(1) + at for at in (*_words_like_ascii(address[1]), *_separators_in(address[1])))
    for whole in (
        *(each.span(1) for each in _ADDRESS.finditer(text)),
        *(each.span(2) for each in _QUOTED.finditer(text)),
    ):
        found.update(_signs_within(text, *whole))
    found.update(_letters_like_signs(text))
    if not _separators().isdisjoint(text):
        found.update(_separators_in(text, between=_ALMOST_A_NAME))
    return sorted(found)


def in_name(name: str) -> list[int]:
    """Where a path, a link's target or a host passes for another one: look-alikes, and what some disks do not see."""
    odd = () if name.isascii() else (*_raised_beside_letters(name), *_dots_and_strokes(name))
    return sorted({*_unseen_by_some_disks(name), *_imitations(name), *_taken_apart(name), *odd})


def _raised_in_names(text: str) -> Iterator[int]:
    """Letters of identifiers that Python reads as plain ones. `1ª` and `the 1ˢᵗ` in prose are no identifiers."""
    for word in _WORD.finditer(text):
        raised = [] if word[0].isascii() else [at for at, each in enumerate(word[0], word.start()) if _is_raised(each)]
        if not raised or not unicodedata.normalize("NFKC", word[0]).isascii():
            continue
        is_index = len(word[0]) == 2 and raised == [word.end() - 1]  # of mathematics: xᵢ, Aᵀ
        is_used = text[word.end() : word.end() + 1] in ("(", ".") or _IMPORTS.search(text[: word.start()]) is not None
        if is_used or (_is_a_name(text, word) and not is_index):
            yield from raised


def _raised_beside_letters(name: str) -> Iterator[int]:
    """The same in a name, beside another letter; an ordinal after a digit or in `nº` is one."""
    for at, each in enumerate(name):
        if not _is_raised(each):
            continue
        before, after = name[max(0, at - 1) : at], name[at + 1 : at + 2]
        is_ordinal = each in _ORDINALS and not _ASCII_LETTER.match(after) and (before.isdecimal() or before in "nN")
        if not is_ordinal and any(_ASCII_LETTER.match(beside) or _is_raised(beside) for beside in (before, after)):
            yield at


def _is_raised(character: str) -> bool:
    return bool(character and _RAISED.match(character)) and unicodedata.normalize("NFKC", character).isascii()


def _dots_and_strokes(name: str) -> Iterator[int]:
    """Raised dots before a name and between its letters, save in Catalan `l·l`, and strokes through a letter."""
    yield from (found.start() for found in _OVERLAYS.finditer(name))
    for at, each in enumerate(name):
        if each not in _RAISED_DOTS:
            continue
        before, after = name[max(0, at - 1) : at], name[at + 1 : at + 2]
        is_catalan = each == "·" and before in ("l", "L") and after in ("l", "L")
        begins_or_follows = before in ("", "/") or (before.isascii() and before.isalnum())
        if begins_or_follows and after.isascii() and after.isalnum() and not is_catalan:
            yield at


def _taken_apart(name: str) -> Iterator[int]:
    """Accents and letters that have one character together and stand apart: `e` and U+0301 for `é`."""
    if name.isascii() or unicodedata.is_normalized("NFC", name):
        return
    for at, each in enumerate(name):
        beside = name[max(0, at - 1) : at + 1]
        if not unicodedata.is_normalized("NFC", beside):
            yield from (at - 1, at) if len(beside) > 1 and not beside[0].isascii() else (at,)
        elif unicodedata.combining(each):
            yield at


def in_command(command: str) -> list[int]:
    """Where a command passes for another one: words as in names, and signs that a shell does not know."""
    if command.isascii():
        return []
    found = set(_words_like_ascii(command))
    for program in _PROGRAM.finditer(command):
        if not program[1].isascii() and skeleton(program[1]).isascii():
            found.update(program.start(1) + at for at, each in enumerate(program[1]) if not each.isascii())
    single = {each for each in _imitating().intersection(command) if len(_prototypes()[ord(each)]) == 1}
    signs = {each for each in (*single, *_signs().intersection(command)) if not each.isalnum() or each in _signs()}
    found.update(at for at, each in enumerate(command) if each in signs and not each.isspace())
    found.update(reordered(command))
    return sorted(found)


def reordered(command: str) -> list[int]:
    """The letters of scripts written from right to left, where they change the order in which arguments are drawn.

    `cp א ב` is drawn as `cp ב א`. What is in one pair of quotes is a text of its own.
    """
    if command.isascii():
        return []
    letters: list[int] = []
    is_turned, follows = False, False
    for argument in _ARGUMENT.finditer(command):
        for at, each in enumerate(argument[0], argument.start()):
            direction = unicodedata.bidirectional(each)
            is_letter = direction in ("R", "AL")
            if is_letter:
                letters.append(at)
            if direction == "L":
                follows = False
            is_turned |= follows and (is_letter or direction in ("EN", "AN"))
        follows |= bool(letters) and letters[-1] >= _after_latin(argument)
    return letters if is_turned else []


def _after_latin(argument: re.Match[str]) -> int:
    """Where what follows the last letter written from left to right begins."""
    latin = [at for at, each in enumerate(argument[0]) if unicodedata.bidirectional(each) == "L"]
    return argument.start() + (latin[-1] + 1 if latin else 0)


def read_as(name: str, marked: Iterable[int]) -> str:
    """The name that a reader takes `name` for, where its marked characters pass for ASCII ones."""
    chosen, table = frozenset(marked), _prototypes()
    odd = {at for at, each in enumerate(name) if at in chosen and not each.isascii()}
    return "".join((table.get(ord(each)) or _plain(each)) if at in odd else each for at, each in enumerate(name))


def _plain(character: str) -> str:
    """What a sign that the confusables do not know is read as."""
    if character in _RAISED_DOTS:
        return "."
    if _OVERLAYS.match(f"a{character}", 1):
        return "/" if character in _SLASHES_OVER else ""
    return unicodedata.normalize("NFKC", character) if _is_raised(character) else character


def twin_words(text: str, among: str) -> Iterator[tuple[str, str]]:
    """Each word of `text` that is not ASCII and looks like another word `among` these, with that other word."""
    if text.isascii():
        return
    suspects = {word for word in set(_WORD.findall(text)) if not word.isascii()}
    shapes = {skeleton(word): word for word in sorted(suspects) if len(word) > 1}
    if not shapes:
        return
    for word in sorted(set(_WORD.findall(among))):
        like = shapes.get(skeleton(word)) if len(word) > 1 else None
        if like is not None and like != word:
            yield like, word


def spelled(text: str, words: Collection[str]) -> str:
    """The text with these words spelled out as far as they are not ASCII."""
    return _WORD.sub(lambda found: _spelled(found[0]) if found[0] in words else found[0], text)


def _spelled(word: str) -> str:
    return "".join(each if each.isascii() else f"⟨U+{ord(each):04X}⟩" for each in word)


def forgiven(name: str) -> str:
    """The name as the most forgiving disk compares it."""
    return folded(name).partition(":")[0].rstrip(". ")


def _is_plain(text: str) -> bool:
    """Quick: true of nearly every text."""
    return text.isascii() or (_imitating().isdisjoint(text) and not _MIXED_IN.search(text))


def _imitations(name: str) -> Iterator[int]:
    if _is_plain(name):
        return
    for component in _COMPONENT.finditer(name):
        if component[0].isascii():
            continue
        is_like_ascii = skeleton(component[0]).isascii()
        for word in _WORD.finditer(name, *component.span()):
            if not word[0].isascii() and (_mixes(word[0]) or (is_like_ascii and _imitates_whole(word[0]))):
                yield from _foreign(word)
        if is_like_ascii:
            odd = _signs() - _TYPOGRAPHY
            is_of_a_tool = component[0].startswith(".")  # not even ı belongs there
            yield from (
                at
                for at, each in enumerate(component[0], component.start())
                if each in odd or (is_of_a_tool and not each.isascii() and each not in _TYPOGRAPHY)
            )
    yield from _separators_in(name)
    yield from _symbols_like_letters(name)


def _symbols_like_letters(text: str) -> Iterator[int]:
    """Signs that are no letters and look like one, beside a letter."""
    for at, each in enumerate(text):
        is_sign = each > "\u00ff" and not each.isalnum() and each in _imitating()
        beside = text[max(0, at - 1) : at] + text[at + 1 : at + 2]
        if is_sign and _prototypes()[ord(each)].isalnum() and any(_ASCII_LETTER.match(c) for c in beside):
            yield at


def _signs_within(text: str, start: int, end: int) -> Iterator[int]:
    """Signs that pass for ASCII ones between two ASCII letters or digits; an apostrophe is none."""
    for at in range(start + 1, end - 1):
        if text[at] in _signs() and "'" not in _prototypes()[ord(text[at])]:
            beside = text[at - 1] + text[at + 1]
            if beside.isascii() and beside.isalnum():
                yield at


def _letters_like_signs(text: str) -> Iterator[int]:
    """Letters that pass for a sign beside ASCII: `a ǃ= b` assigns. An apostrophe is no such sign."""
    for each in {each for each in _signs().intersection(text) if each.isalpha() and not _IDEOGRAPHIC.match(each)}:
        if "'" in _prototypes()[ord(each)]:
            continue
        for found in re.finditer(re.escape(each), text):
            beside = text[max(0, found.start() - 1) : found.start()] + text[found.end() : found.end() + 1]
            if any(c.isascii() and not c.isspace() for c in beside):
                yield found.start()


def _words_like_ascii(text: str) -> Iterator[int]:
    for word in _WORD.finditer(text):
        if not word[0].isascii() and (_mixes(word[0]) or _imitates_whole(word[0])):
            yield from _foreign(word)


def _mixes(word: str) -> bool:
    """True if letters that pass for Latin stand beside Latin ones."""
    has_latin = _ASCII_LETTER.search(word) is not None or _NATURAL.search(word) is not None
    if not has_latin:
        return False
    if _MIXED_IN.search(word):
        return True
    imitating = {each for each in _imitating().intersection(word) if not _NATURAL.match(each)}
    is_cjk = any(_IDEOGRAPHIC.match(each) and each not in imitating for each in word)
    if not imitating or (is_cjk and all(_is_part_of_cjk(each) for each in imitating)):
        return False
    if any(not _GREEK.match(each) for each in imitating):
        return True
    beside = [each for at, each in enumerate(word) if _GREEK.match(each) and _is_latin_beside(word, at)]
    is_several = sum(each in imitating for each in word) > 1
    return any(each in imitating or is_several for each in beside)


def _is_part_of_cjk(character: str) -> bool:
    """Full-width letters and digits are usual in Chinese, Japanese and Korean."""
    return bool(_IDEOGRAPHIC.match(character)) or ord(character) in _FULLWIDTH


def _is_latin_beside(word: str, at: int) -> bool:
    """A Greek letter that stands alone, as in `α_max`, is a symbol."""
    beside = word[max(0, at - 1) : at] + word[at + 1 : at + 2]
    return any(_ASCII_LETTER.match(each) or _NATURAL.match(each) for each in beside)


def _imitates_whole(word: str) -> bool:
    """True if the whole word is drawn like an ASCII one, without a letter of a language in Latin script."""
    if word.isascii() or _ASCII_LETTER.search(word) or _NATURAL.search(word):
        return False
    shape = skeleton(word)
    return shape.isascii() and _ASCII_LETTER.search(shape) is not None and any(each.isalpha() for each in word)


def _looks_like_a_number(word: str) -> bool:
    """True of digits with letters that pass for digits: 1З."""
    has_digit = any(each.isascii() and each.isdigit() for each in word)
    return has_digit and _MIXED_IN.search(word) is not None and skeleton(word).isascii()


def _is_alone(text: str, word: re.Match[str]) -> bool:
    """True of a word in Cyrillic or the like on a line where every other word is ASCII."""
    if not _MIXED_IN.search(word[0]):
        return False
    start, end = text.rfind("\n", 0, word.start()) + 1, text.find("\n", word.end())
    others = {each for each in _WORD.findall(text[start : end if end >= 0 else len(text)]) if each != word[0]}
    return bool(others) and all(each.isascii() for each in others)


def _is_a_name(text: str, word: re.Match[str]) -> bool:
    """True if the word stands where source code or an address has a name."""
    if _MATHEMATICAL.match(word[0]):
        return True
    before = text[max(0, word.start() - 24) : word.start()]
    return bool(_BEFORE_A_NAME.search(before) or _AFTER_A_NAME.match(text, word.end()))


def _foreign(word: re.Match[str]) -> Iterator[int]:
    """The characters of a word that are to be spelled out."""
    for at, each in enumerate(word[0], word.start()):
        if not each.isascii() and not _NATURAL.match(each):
            yield at


def _separators_in(text: str, between: int = 0) -> Iterator[int]:
    """Look-alikes of dots, slashes and colons outside of Chinese, Japanese and Korean text."""
    for at, each in enumerate(text):
        if each not in _separators():
            continue
        before, after = text[max(0, at - max(1, between)) : at], text[at + 1 : at + 1 + max(1, between)]
        if between:
            if len(before) == len(after) == between and all(c.isascii() and c.isalnum() for c in before + after):
                yield at
        elif not any(_IDEOGRAPHIC.match(c) and c not in _separators() for c in before + after):
            yield at


_UNSEEN = lazy_pattern(r"\\|(?<=[^/. ])[. ]*[. ](?=/|$)|(?:(?<=/)|^) +(?=[^/])|(?<![0-9]):|:(?![0-9])")


def _unseen_by_some_disks(name: str) -> Iterator[int]:
    """Backslashes, colons of drives and streams, and dots or blanks at the end of a name."""
    if "\\" in name or ":" in name or ". " in name or " " in name or "./" in name or name.endswith("."):
        for found in _UNSEEN.finditer(name):
            yield from range(*found.span())
