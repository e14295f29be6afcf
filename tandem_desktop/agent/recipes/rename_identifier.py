"""Rename an identifier in code across files, leaving strings, comments and prose alone unless told otherwise."""

from dataclasses import dataclass

from tandem_desktop.agent.recipes.identifiers import Found, Language, find_words, language_of
from tandem_desktop.agent.recipes.recipe import Outcome, Recipe
from tandem_desktop.agent.recipes.report import Left
from tandem_desktop.agent.recipes.text_edits import Changed, change_texts, replaced
from tandem_desktop.agent.recipes.words import read_words
from tandem_desktop.agent.source_files import EVERYTHING, BrowsableTree, Selection
from tandem_desktop.agent.source_text import SourceText
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown

USAGE = "/rename-identifier OLD NEW [--in GLOB] [--everywhere]   for example: /rename-identifier old_name new_name"
IN_STRINGS = "in strings and comments (--everywhere takes them, too)"
IN_PROSE = "in prose, data and markup (--everywhere takes them, too)"
UNKNOWN = "in files of a language Tandem does not know (--everywhere takes them, too)"


@dataclass(frozen=True, slots=True)
class RenameIdentifier:
    """`old` becomes `new` wherever it is a name of the program."""

    old: str
    new: str
    selection: Selection = EVERYTHING
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
        return cls(old, new, Selection(words.options.get("--in", ())), words.has("--everywhere"))

    def run(self, tree: BrowsableTree) -> Outcome:
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
