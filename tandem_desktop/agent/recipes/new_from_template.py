"""Make new files from a template: one that comes with Tandem, or any folder of the workspace."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.agent.edits import WriteFile
from tandem_desktop.agent.recipes.recipe import Outcome, Recipe
from tandem_desktop.agent.recipes.report import Left, counted, listed, summary
from tandem_desktop.agent.recipes.templates import bundled_files, bundled_templates, placeholders, workspace_files
from tandem_desktop.agent.recipes.words import read_words
from tandem_desktop.agent.source_files import BrowsableTree
from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError
from tandem_desktop.domain.operations import Absent
from tandem_desktop.domain.paths import check_path, shown

USAGE = "/new-from-template TEMPLATE NAME [--to FOLDER]   for example: /new-from-template python-module weather"


@dataclass(frozen=True, slots=True)
class NewFromTemplate:
    """The files of a template under a new name. Writes over nothing."""

    template: str
    name: str
    folder: str | None
    year: int

    @classmethod
    def parse(cls, text: str, year: int) -> "NewFromTemplate":
        words = read_words(text, USAGE, wanted=("TEMPLATE", "NAME"), valued=("--to",))
        template, name = words.arguments
        placeholders(name, year)
        folder = words.last("--to")
        return cls(template, name, folder if folder in (None, "", ".") else check_path(str(folder)), year)

    def run(self, tree: BrowsableTree) -> Outcome:
        values = placeholders(self.name, self.year)
        if self.template in bundled_templates():
            files = tuple(bundled_files(self.template, values))
            base = "" if self.folder in (None, ".") else str(self.folder)
        else:
            files = tuple(workspace_files(tree, self._workspace_folder(tree), values))
            base = values["slug"] if self.folder is None else "" if self.folder == "." else self.folder
        if not files:
            raise BadInputError(f"The template {shown(self.template)!r} has no files.", next=self._advice())
        edits = tuple(
            WriteFile(check_path(f"{base}/{file.path}" if base else file.path), file.data, f"Create {shown(file.path)}")
            for file in files
        )
        self._refuse_existing(tree, [edit.path for edit in edits])
        title = f"New {shown(self.name)} from {shown(self.template)}"
        names = [edit.path for edit in edits]
        return Outcome(title, edits, summary(f"{title}: {counted(len(edits), 'file')}: {listed(names)}.", Left()))

    def _workspace_folder(self, tree: BrowsableTree) -> str:
        try:
            folder = check_path(self.template)
        except OutsideWorkspaceError:
            folder = ""
        if not folder or not tree.is_directory(folder):
            raise BadInputError(
                f"{shown(self.template)!r} is neither a template of Tandem nor a folder of the workspace.",
                next=self._advice(),
            )
        return folder

    def _refuse_existing(self, tree: BrowsableTree, paths: list[str]) -> None:
        there = [path for path in paths if not isinstance(tree.state(path), Absent)]
        if there:
            raise BadInputError(
                f"{listed(there)} {'is' if len(there) == 1 else 'are'} there already, and nothing is written over.",
                path=there[0],
                next="Choose another NAME, or another folder with --to FOLDER.",
            )

    def _advice(self) -> str:
        return f"Templates: {', '.join(bundled_templates())}; or name a folder of the workspace. Write it as: {USAGE}"


def recipe(clock: Callable[[], datetime]) -> Recipe:
    """The recipe, with a clock that knows this year."""
    return Recipe(
        name="new-from-template",
        title="New from a template",
        description="Make new files from a bundled template or from a folder of the workspace; writes over nothing",
        hint="TEMPLATE NAME [--to FOLDER]",
        example="/new-from-template python-module weather",
        parse=lambda text: NewFromTemplate.parse(text, clock().year),
    )
