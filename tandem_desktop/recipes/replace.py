"""Recipes that replace text or regular expressions."""

import re
from dataclasses import dataclass

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown
from tandem_desktop.recipes.bounded_regex import BoundedRegex
from tandem_desktop.recipes.recipe import Changed, Left, Recipe, RecipeOutcome, change_texts, read_words, replaced
from tandem_desktop.recipes.sources import EVERYTHING, BrowsableTree, SourceSelection, SourceText

REPLACE_USAGE = (
    '/replace OLD NEW [--in GLOB] [--case-insensitive]   for example: /replace "old text" "new text" --in *.md'
)


@dataclass(frozen=True, slots=True)
class ReplaceText:
    """`old` becomes `new`, letter by letter."""

    old: str
    new: str
    selection: SourceSelection = EVERYTHING
    ignores_case: bool = False

    @classmethod
    def parse(cls, text: str) -> "ReplaceText":
        words = read_words(text, REPLACE_USAGE, wanted=("OLD", "NEW"), valued=("--in",), flags=("--case-insensitive",))
        old, new = (word.replace("\r\n", "\n") for word in words.arguments)
        if not old:
            raise BadInputError("OLD is empty, and empty text is everywhere.", next=f"Write it as: {REPLACE_USAGE}")
        if old == new:
            raise BadInputError("OLD and NEW are the same.", next=f"Write it as: {REPLACE_USAGE}")
        return cls(old, new, SourceSelection(words.options.get("--in", ())), words.has("--case-insensitive"))

    def run(self, tree: BrowsableTree) -> RecipeOutcome:
        left = Left()
        pattern = re.compile(re.escape(self.old), re.IGNORECASE if self.ignores_case else 0)

        def change(path: str, source: SourceText) -> Changed | None:
            if not self.ignores_case and self.old not in source.text:
                return None
            text, places = pattern.subn(lambda _: self.new, source.text)
            return Changed(text, places) if places else None

        edits, places = change_texts(tree, self.selection, left, change, "Replace")
        title = f"Replace {shown(self.old, 40)!r} by {shown(self.new, 40)!r}"
        return replaced(title, edits, places, left, nothing=f"{shown(self.old, 40)!r} was not found in any file.")


REPLACE_RECIPE = Recipe(
    name="replace",
    title="Replace text",
    description="Replace text in every file that holds it; all other bytes stay as they are",
    hint="OLD NEW [--in GLOB] [--case-insensitive]",
    example='/replace "colour" "color" --in *.md',
    parse=ReplaceText.parse,
)


REPLACE_REGEX_USAGE = (
    r"/replace-regex PATTERN REPLACEMENT [--in GLOB] [--case-insensitive]   "
    r'for example: /replace-regex "(\w+)_id\b" "\1_key" --in *.py'
)


@dataclass(frozen=True, slots=True)
class ReplaceRegex:
    """Every match of `pattern` becomes `replacement`; `^` and `$` are the ends of lines."""

    pattern: str
    replacement: str
    selection: SourceSelection = EVERYTHING
    ignores_case: bool = False

    @classmethod
    def parse(cls, text: str) -> "ReplaceRegex":
        words = read_words(
            text,
            REPLACE_REGEX_USAGE,
            wanted=("PATTERN", "REPLACEMENT"),
            valued=("--in",),
            flags=("--case-insensitive",),
        )
        pattern, replacement = words.arguments
        if not pattern:
            raise BadInputError("PATTERN is empty, and matches everywhere.", next=f"Write it as: {REPLACE_REGEX_USAGE}")
        return cls(
            pattern, replacement, SourceSelection(words.options.get("--in", ())), words.has("--case-insensitive")
        )

    def run(self, tree: BrowsableTree) -> RecipeOutcome:
        left = Left()
        flags = re.MULTILINE | (re.IGNORECASE if self.ignores_case else 0)
        with BoundedRegex(self.pattern, self.replacement, int(flags)) as regex:
            edits, places = change_texts(
                tree, self.selection, left, lambda path, source: regex.substitute(source.text, path), "Replace"
            )
        title = f"Replace matches of {shown(self.pattern, 40)!r} by {shown(self.replacement, 40)!r}"
        return replaced(title, edits, places, left, nothing=f"{shown(self.pattern, 40)!r} changes nothing in any file.")


REPLACE_REGEX_RECIPE = Recipe(
    name="replace-regex",
    title="Replace by regular expression",
    description="Replace what a regular expression matches, with a time limit; all other bytes stay as they are",
    hint="PATTERN REPLACEMENT [--in GLOB] [--case-insensitive]",
    example=r'/replace-regex "(\w+)_id\b" "\1_key" --in *.py',
    parse=ReplaceRegex.parse,
)
