"""The recipe that renames an identifier."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown
from tandem_desktop.recipes.recipe import Changed, Left, Recipe, RecipeOutcome, change_texts, read_words, replaced
from tandem_desktop.recipes.sources import EVERYTHING, BrowsableTree, SourceSelection, SourceText

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
    """The language of a file by its name; None if unknown."""
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


USAGE = "/rename-identifier OLD NEW [--in GLOB] [--everywhere]   for example: /rename-identifier old_name new_name"
IN_STRINGS = "in strings and comments (--everywhere takes them, too)"
IN_PROSE = "in prose, data and markup (--everywhere takes them, too)"
UNKNOWN = "in files of a language Tandem does not know (--everywhere takes them, too)"


@dataclass(frozen=True, slots=True)
class RenameIdentifier:
    """`old` becomes `new` wherever it is a name of the program."""

    old: str
    new: str
    selection: SourceSelection = EVERYTHING
    everywhere: bool = False

    @classmethod
    def parse(cls, text: str) -> "RenameIdentifier":
        words = read_words(text, USAGE, wanted=("OLD", "NEW"), valued=("--in",), flags=("--everywhere",))
        for what, word in zip(("OLD", "NEW"), words.arguments, strict=True):
            if not word.replace("$", "_").isidentifier():
                raise BadInputError(
                    f"{what} is not an identifier: {shown(word, 40)!r}.",
                    next="Give one name without dots or spaces; for other text use /replace.",
                )
        old, new = words.arguments
        if old == new:
            raise BadInputError("OLD and NEW are the same.", next=f"Write it as: {USAGE}")
        return cls(old, new, SourceSelection(words.options.get("--in", ())), words.has("--everywhere"))

    def run(self, tree: BrowsableTree) -> RecipeOutcome:
        left = Left()
        taken: list[str] = []

        def change(path: str, source: SourceText) -> Changed | None:
            if self.old not in source.text:
                return None
            language = language_of(path)
            places = self._places(path, source, language, left)
            if not places:
                return None
            self._refuse_keyword(language)
            if find_words(source.text, self.new, language.extra if language else ""):
                taken.append(path)
            return Changed(_spliced(source.text, places, len(self.old), self.new), len(places))

        edits, places = change_texts(tree, self.selection, left, change, f"Rename {self.old} in")
        title = f"Rename {self.old} to {self.new}"
        warning = f"Look closely: {self.new} was already used in {', '.join(taken[:8])}." if taken else ""
        nothing = f"{self.old} is not a name in the code of any file."
        return replaced(title, edits, places, left, warning, nothing=nothing)

    def _places(self, path: str, source: SourceText, language: Language | None, left: Left) -> tuple[int, ...]:
        if language is None:
            found = Found((), find_words(source.text, self.old))
        else:
            found = language.find(source.text, self.old)
        if self.everywhere:
            return tuple(sorted((*found.in_code, *found.elsewhere)))
        if found.elsewhere:
            reason = UNKNOWN if language is None else IN_STRINGS if language.is_code else IN_PROSE
            line = source.text.count("\n", 0, found.elsewhere[0]) + 1
            more = f" and {len(found.elsewhere) - 1} more" if len(found.elsewhere) > 1 else ""
            left.add(reason, f"{path}:{line}{more}")
        return found.in_code

    def _refuse_keyword(self, language: Language | None) -> None:
        if language is not None and language.is_code and language.is_keyword(self.new):
            raise BadInputError(f"{self.new} is a keyword of {language.name}.", next="Choose another name.")


def _spliced(text: str, places: tuple[int, ...], length: int, new: str) -> str:
    parts = []
    done = 0
    for place in places:
        parts.append(text[done:place])
        done = place + length
    parts.append(text[done:])
    return new.join(parts)


RECIPE = Recipe(
    name="rename-identifier",
    title="Rename an identifier",
    description="Rename a name of the program in code, by the rules of each language; strings and comments stay",
    hint="OLD NEW [--in GLOB] [--everywhere]",
    example="/rename-identifier get_user fetch_user --in src/",
    parse=RenameIdentifier.parse,
)
