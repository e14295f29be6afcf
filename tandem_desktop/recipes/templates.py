"""The recipe that creates files from a template."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError
from tandem_desktop.domain.operations import Absent
from tandem_desktop.domain.paths import check_path, shown
from tandem_desktop.recipes.recipe import Left, Recipe, RecipeOutcome, WriteFile, counted, listed, read_words, summary
from tandem_desktop.recipes.sources import BrowsableTree, SourceText, read_source, source_paths
from tandem_desktop.storage.paths import resource

MAX_TEMPLATE_FILES = 2_000
_PLACEHOLDER = re.compile(r"\{\{(name|package|slug|title|class|year)\}\}")
_DOT = "dot-"
"""Bundled files whose name begins so begin with a dot where they are made."""


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """One file of a template, its path and content as they will be."""

    path: str
    data: bytes


def placeholders(name: str, year: int) -> Mapping[str, str]:
    """What each placeholder stands for, all derived from one name.

    Raises:
        BadInputError: no name can be made of it.
    """
    words = re.findall(r"[^\W_]+", name)
    package = "_".join(words).lower()
    if not package.isidentifier():
        raise BadInputError(
            f"{shown(name, 40)!r} cannot be a name: it needs letters, and cannot begin with a digit.",
            next="Choose a name such as weather-report.",
        )
    return {
        "name": name,
        "package": package,
        "slug": "-".join(words).lower(),
        "title": " ".join(word[0].upper() + word[1:] for word in words),
        "class": "".join(word[0].upper() + word[1:] for word in words),
        "year": str(year),
    }


def bundled_templates() -> dict[str, str]:
    """The templates that come with Tandem, and what each is for."""
    folder = resource("templates")
    return {
        entry.name: str(tomllib.loads((entry / "template.toml").read_text("utf-8"))["description"])
        for entry in sorted(folder.iterdir())
        if (entry / "template.toml").is_file()
    }


def bundled_files(template: str, values: Mapping[str, str]) -> Iterator[TemplateFile]:
    """The files of a bundled template."""
    folder = resource(f"templates/{template}/files")
    for path in sorted(entry for entry in folder.rglob("*") if entry.is_file()):
        if "__pycache__" not in path.parts:
            name = "/".join(_dotted(part) for part in path.relative_to(folder).parts)
            yield _filled(name, path.read_bytes(), values)


def workspace_files(tree: BrowsableTree, folder: str, values: Mapping[str, str]) -> Iterator[TemplateFile]:
    """The files below a folder of the workspace, without what git ignores.

    Raises:
        BadInputError: there are too many for a template.
    """
    paths = list(source_paths(tree, folder))
    if len(paths) > MAX_TEMPLATE_FILES:
        raise BadInputError(
            f"{shown(folder)} has {len(paths):,} files; a template may have {MAX_TEMPLATE_FILES:,}.",
            path=folder,
            next="Name a smaller folder.",
        )
    for path in paths:
        data = read_source(tree, path)
        if data is not None:
            yield _filled(path.removeprefix(f"{folder}/"), data, values)


def _filled(path: str, data: bytes, values: Mapping[str, str]) -> TemplateFile:
    def fill(text: str) -> str:
        return _PLACEHOLDER.sub(lambda found: values[found[1]], text)

    source = SourceText.of(data)
    filled = None if source is None else source.encoded(fill(source.text))
    return TemplateFile(check_path(fill(path)), data if filled is None else filled)


def _dotted(part: str) -> str:
    return f".{part.removeprefix(_DOT)}" if part.startswith(_DOT) else part


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

    def run(self, tree: BrowsableTree) -> RecipeOutcome:
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
        return RecipeOutcome(title, edits, summary(f"{title}: {counted(len(edits), 'file')}: {listed(names)}.", Left()))

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
