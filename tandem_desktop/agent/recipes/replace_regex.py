"""Replace what a regular expression matches in every file, with a limit on how long it may take."""

import re
from dataclasses import dataclass

from tandem_desktop.agent.recipes.bounded_regex import BoundedRegex
from tandem_desktop.agent.recipes.recipe import Outcome, Recipe
from tandem_desktop.agent.recipes.report import Left
from tandem_desktop.agent.recipes.text_edits import change_texts, replaced
from tandem_desktop.agent.recipes.words import read_words
from tandem_desktop.agent.source_files import EVERYTHING, BrowsableTree, Selection
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown

USAGE = (
    r"/replace-regex PATTERN REPLACEMENT [--in GLOB] [--case-insensitive]   "
    r'for example: /replace-regex "(\w+)_id\b" "\1_key" --in *.py'
)


@dataclass(frozen=True, slots=True)
class ReplaceRegex:
    """Every match of `pattern` becomes `replacement`; `^` and `$` are the ends of lines."""

    pattern: str
    replacement: str
    selection: Selection = EVERYTHING
    ignores_case: bool = False

    @classmethod
    def parse(cls, text: str) -> "ReplaceRegex":
        words = read_words(
            text, USAGE, wanted=("PATTERN", "REPLACEMENT"), valued=("--in",), flags=("--case-insensitive",)
        )
        pattern, replacement = words.arguments
        if not pattern:
            raise BadInputError("PATTERN is empty, and matches everywhere.", next=f"Write it as: {USAGE}")
        return cls(pattern, replacement, Selection(words.options.get("--in", ())), words.has("--case-insensitive"))

    def run(self, tree: BrowsableTree) -> Outcome:
        left = Left()
        flags = re.MULTILINE | (re.IGNORECASE if self.ignores_case else 0)
        with BoundedRegex(self.pattern, self.replacement, int(flags)) as regex:
            edits, places = change_texts(
                tree, self.selection, left, lambda path, source: regex.substitute(source.text, path), "Replace"
            )
        title = f"Replace matches of {shown(self.pattern, 40)!r} by {shown(self.replacement, 40)!r}"
        return replaced(title, edits, places, left, nothing=f"{shown(self.pattern, 40)!r} changes nothing in any file.")


RECIPE = Recipe(
    name="replace-regex",
    title="Replace by regular expression",
    description="Replace what a regular expression matches, with a time limit; all other bytes stay as they are",
    hint="PATTERN REPLACEMENT [--in GLOB] [--case-insensitive]",
    example=r'/replace-regex "(\w+)_id\b" "\1_key" --in *.py',
    parse=ReplaceRegex.parse,
)
