"""Run a recipe on a real folder and look at the files as they would be."""

from collections.abc import Mapping
from pathlib import Path

from tandem_desktop.recipes.catalog import Catalog
from tandem_desktop.recipes.recipe import RecipeOutcome, WriteFile
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import A_MOMENT


def lay_out(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder with these files."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def outcome_of(root: Path, command: str) -> RecipeOutcome:
    """What a recipe, typed as in the chat, would do in `root`."""
    name, _, text = command.partition(" ")
    with Workspace(root) as tree:
        return Catalog(lambda: A_MOMENT).named(name).parse(text).run(tree)


def written(outcome: RecipeOutcome) -> dict[str, bytes]:
    """The bytes of every file the outcome writes."""
    return {edit.path: edit.data for edit in outcome.edits if isinstance(edit, WriteFile)}
