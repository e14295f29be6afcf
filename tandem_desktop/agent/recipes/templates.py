"""What a template is made of: files with `{{name}}` in their paths and texts, bundled or from the workspace."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tandem_desktop.agent.source_files import BrowsableTree, read_source, source_paths
from tandem_desktop.agent.source_text import SourceText
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import check_path, shown
from tandem_desktop.storage.resources import resource

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
