"""Put a licence header at the top of source files, or bring its year up to date."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.agent.recipes.comment_styles import CommentStyle, is_code, lines_that_stay_first, style_of
from tandem_desktop.agent.recipes.licence_text import LicenceText, licence_text
from tandem_desktop.agent.recipes.recipe import Outcome, Recipe
from tandem_desktop.agent.recipes.report import Left, counted, summary
from tandem_desktop.agent.recipes.text_edits import Changed, change_texts
from tandem_desktop.agent.recipes.words import read_words
from tandem_desktop.agent.source_files import EVERYTHING, BrowsableTree, Selection
from tandem_desktop.agent.source_text import SourceText
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown

USAGE = (
    "/licence-header FILE-or-SPDX-id [--holder NAME] [--year YEAR] [--in GLOB]   "
    'for example: /licence-header MIT --holder "Jane Doe"'
)
OTHER = "has another licence or copyright line"
EMPTY = "empty"
_HEAD_LINES = 40
_FOREIGN = re.compile(r"SPDX-License-Identifier:|\bcopyright\b|\blicen[sc]ed\b|@licen[sc]e\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LicenceHeader:
    """Every source file begins with the header, after what has to stay first."""

    source: str
    holder: str | None
    year: int
    selection: Selection = EVERYTHING

    @classmethod
    def parse(cls, text: str, year: int) -> "LicenceHeader":
        words = read_words(text, USAGE, wanted=("FILE-or-SPDX-id",), valued=("--in", "--holder", "--year"))
        given = words.last("--year")
        if given is not None and not re.fullmatch(r"[12]\d{3}", given):
            raise BadInputError(f"{given!r} is not a year.", next=f"Write it as: {USAGE}")
        holder = words.last("--holder")
        if holder is not None and (not holder.strip() or not holder.isprintable()):
            raise BadInputError("The name after --holder is empty or cannot be printed.", next=f"Write it as: {USAGE}")
        return cls(words.arguments[0], holder, int(given) if given else year, Selection(words.options.get("--in", ())))

    def run(self, tree: BrowsableTree) -> Outcome:
        header = licence_text(tree, self.source, self.holder, USAGE)
        left = Left()
        has_it: list[str] = []
        updated: list[str] = []

        def change(path: str, source: SourceText) -> Changed | None:
            style = style_of(path)
            if style is None or path == self.source or not (self.selection.patterns or is_code(path)):
                return None
            if not source.text.strip():
                left.add(EMPTY, path)
                return None
            head = "\n".join(source.text.split("\n")[:_HEAD_LINES])
            found = header.find(head, style)
            if found is None and _FOREIGN.search(head):
                left.add(OTHER, path)
                return None
            if found is None:
                return Changed(self._with_header(source.text, header, style), 1)
            text = self._up_to_date(source.text, found)
            (updated if text is not None else has_it).append(path)
            return None if text is None else Changed(text, 1)

        edits, _ = change_texts(tree, self.selection, left, change, "Licence header:")
        title = f"Licence header {shown(self.source, 60)}"
        new = len(edits) - len(updated)
        headline = f"{title}: added to {counted(new, 'file')}, year changed in {counted(len(updated), 'file')}."
        already = f"{counted(len(has_it), 'file')} had it already." if has_it else ""
        if not edits:
            headline = f"{title}: nothing to do."
        return Outcome(title, edits, summary(headline, left, already))

    def _with_header(self, text: str, header: LicenceText, style: CommentStyle) -> str:
        lines = text.split("\n")
        kept = lines_that_stay_first(text, style)
        before = "".join(f"{line}\n" for line in lines[:kept])
        after = "\n".join(lines[kept:])
        gap = "\n" if after.strip() and not after.startswith("\n") else ""
        return f"{before}{header.comment(style, str(self.year))}{gap}{after}"

    def _up_to_date(self, text: str, found: re.Match[str]) -> str | None:
        """The text with this year in the header; None when it says so already, or names no year."""
        groups = found.groupdict()
        first, last = groups.get("first"), groups.get("last")
        if first is None or int(last or first) >= self.year:
            return None
        start = found.start("first")
        end = found.end("last") if last else found.end("first")
        return f"{text[:start]}{first}-{self.year}{text[end:]}"


def recipe(clock: Callable[[], datetime]) -> Recipe:
    """The recipe, with a clock that knows this year."""
    return Recipe(
        name="licence-header",
        title="Licence header",
        description="Put a licence header at the top of source files, or bring its year up to date",
        hint="FILE-or-SPDX-id [--holder NAME] [--year YEAR] [--in GLOB]",
        example='/licence-header MIT --holder "Jane Doe"',
        parse=lambda text: LicenceHeader.parse(text, clock().year),
    )
