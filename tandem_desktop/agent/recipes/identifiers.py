"""Find an identifier in source code by the rules of its language, told apart from strings and comments."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_EXTRA_CHARACTERS = {
    "$": {"javascript", "typescript", "jsx", "tsx", "java", "scala", "groovy", "kotlin", "dart", "objective-c"},
    "'": {"haskell", "ocaml", "fsharp", "coq", "lean", "purescript", "idris"},
    "-": {"common-lisp", "clojure", "scheme", "racket", "emacs-lisp", "css", "scss", "less", "hylang"},
    "?!": {"ruby", "elixir", "crystal"},
}
"""Characters that belong to an identifier in some languages only."""

_NOT_CODE = {
    *("bibtex", "cfg", "console", "css", "css+lasso", "csv", "diff", "docker", "doscon", "dotenv", "gettext", "html"),
    *("ini", "json", "json5", "jsonld", "json-object", "less", "markdown", "output", "properties", "pycon", "pytb"),
    *("restructuredtext", "sass", "scss", "svg", "tex", "text", "toml", "xml", "xslt", "yaml", "desktop", "mediawiki"),
}
"""Prose, data and markup: an identifier there is a word about the code, not the code."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where an identifier stands in one file: in the code, and elsewhere."""

    in_code: tuple[int, ...]
    elsewhere: tuple[int, ...]


class Language:
    """What the name of a file says about the language in it."""

    def __init__(self, lexer: "Lexer") -> None:
        self._lexer = lexer
        aliases = {alias.lower() for alias in lexer.aliases}
        self.name = str(lexer.name)
        self.is_code = not aliases & _NOT_CODE
        self.extra = "".join(extra for extra, languages in _EXTRA_CHARACTERS.items() if aliases & languages)

    def is_keyword(self, word: str) -> bool:
        from pygments.token import Keyword

        # Some lexers know a keyword only by what follows it.
        readings = (next(iter(self._lexer.get_tokens_unprocessed(text))) for text in (word, f"{word} x"))
        return any(kind in Keyword and value == word for _, kind, value in readings)

    def find(self, text: str, identifier: str) -> Found:
        """Every place of the identifier; those the lexer calls names are code."""
        places = find_words(text, identifier, self.extra)
        if not places or not self.is_code:
            return Found((), places)
        names = self._names(text)
        starts = [start for start, _ in names]
        in_code: list[int] = []
        elsewhere: list[int] = []
        for place in places:
            index = bisect_right(starts, place) - 1
            inside = index >= 0 and place + len(identifier) <= names[index][1]
            (in_code if inside else elsewhere).append(place)
        return Found(tuple(in_code), tuple(elsewhere))

    def _names(self, text: str) -> list[tuple[int, int]]:
        """The stretches of `text` that are names, in order. A lexer that miscounts has named nothing there."""
        from pygments.token import Name

        found = [
            (start, start + len(value))
            for start, kind, value in self._lexer.get_tokens_unprocessed(text)
            if kind in Name and text.startswith(value, start)
        ]
        return sorted(found)


def language_of(path: str) -> Language | None:
    """The language of a file by its name; None when nobody knows."""
    name = path.rpartition("/")[2]
    suffix = name.rpartition(".")[2] if "." in name else ""
    return _language(f"file.{suffix}" if suffix and not name.startswith(".") else name)


def find_words(text: str, identifier: str, extra: str = "") -> tuple[int, ...]:
    """Where the identifier stands as a whole word, not as a part of a longer one."""
    part = rf"[\w{re.escape(extra)}]" if extra else r"\w"
    pattern = rf"(?<!{part}){re.escape(identifier)}(?!{part})"
    return tuple(match.start() for match in re.finditer(pattern, text))


@cache
def _language(name: str) -> Language | None:
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        return Language(get_lexer_for_filename(name))
    except ClassNotFound:
        return None
