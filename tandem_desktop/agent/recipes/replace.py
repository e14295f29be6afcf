"""Replace one piece of text by another in every file that holds it."""

import re
from dataclasses import dataclass

from tandem_desktop.agent.recipes.recipe import Outcome, Recipe
from tandem_desktop.agent.recipes.report import Left
from tandem_desktop.agent.recipes.text_edits import Changed, change_texts, replaced
from tandem_desktop.agent.recipes.words import read_words
from tandem_desktop.agent.source_files import EVERYTHING, BrowsableTree, Selection
from tandem_desktop.agent.source_text import SourceText
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown

USAGE = '/replace OLD NEW [--in GLOB] [--case-insensitive]   for example: /replace "old text" "new text" --in *.md'


@dataclass(frozen=True, slots=True)
class ReplaceText:
    """`old` becomes `new`, letter by letter."""

    old: str
    new: str
    selection: Selection = EVERYTHING
    ignores_case: bool = False

    @classmethod
    def parse(cls, text: str) -> "ReplaceText":
        words = read_words(text, USAGE, wanted=("OLD", "NEW"), valued=("--in",), flags=("--case-insensitive",))
        old, new = (word.replace("\r\n", "\n") for word in words.arguments)
        if not old:
            raise BadInputError("OLD is empty, and empty text is everywhere.", next=f"Write it as: {USAGE}")
        if old == new:
            raise BadInputError("OLD and NEW are the same.", next=f"Write it as: {USAGE}")
        return cls(old, new, Selection(words.options.get("--in", ())), words.has("--case-insensitive"))

    def run(self, tree: BrowsableTree) -> Outcome:
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


RECIPE = Recipe(
    name="replace",
    title="Replace text",
    description="Replace text in every file that holds it; all other bytes stay as they are",
    hint="OLD NEW [--in GLOB] [--case-insensitive]",
    example='/replace "colour" "color" --in *.md',
    parse=ReplaceText.parse,
)
