"""All recipes by name, and recipes as plan templates."""

import base64
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from tandem_desktop.domain.errors import BadInputError, StepRefusedError
from tandem_desktop.recipes import apply_patch, licence_header, rename, replace
from tandem_desktop.recipes import templates as recipe_templates
from tandem_desktop.recipes.recipe import ChangeMode, DeleteFile, Edit, MakeLink, MoveFile, Recipe, WriteFile
from tandem_desktop.recipes.sources import BrowsableTree
from tandem_desktop.recipes.templates import bundled_templates
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.steps import PlanInput


class Catalog:
    """The recipes, in the order people are shown them."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        recipes = (
            replace.REPLACE_RECIPE,
            replace.REPLACE_REGEX_RECIPE,
            rename.RECIPE,
            licence_header.recipe(clock),
            apply_patch.RECIPE,
            recipe_templates.recipe(clock),
        )
        self._by_name = {recipe.name: recipe for recipe in recipes}

    def __iter__(self) -> Iterator[Recipe]:
        return iter(self._by_name.values())

    def get(self, name: str) -> Recipe | None:
        return self._by_name.get(name)

    def named(self, name: str) -> Recipe:
        """The recipe called `name`, with or without its slash.

        Raises:
            BadInputError: there is none.
        """
        recipe = self._by_name.get(name.removeprefix("/"))
        if recipe is None:
            raise BadInputError(f"No recipe is called {name!r}.", next=f"Recipes: {', '.join(self._by_name)}.")
        return recipe

    def help(self) -> str:
        """What the recipes do and how they are typed."""
        lines = [f"- `/{each.name} {each.hint}`: {each.description}. For example: `{each.example}`" for each in self]
        templates = "; ".join(f"`{name}` ({words.lower()})" for name, words in bundled_templates().items())
        return (
            "Recipes work without a model:\n\n"
            + "\n".join(lines)
            + "\n\nText with spaces goes in quotes. GLOB is written as in .gitignore (`*.py`, `src/`, `!tests/`), "
            "and may be given more than once. What git ignores is left alone.\n\n"
            f"Templates: {templates}."
        )


def plan_from_recipe(catalog: Catalog, name: str, text: str, tree: BrowsableTree) -> PlanInput:
    """The plan for what the recipe would do in this workspace now.

    Raises:
        BadInputError: no recipe is called so, or its arguments cannot be understood.
        StepRefusedError: it has nothing to do here.
    """
    outcome = catalog.named(name).parse(text).run(tree)
    if not outcome.edits:
        raise StepRefusedError(outcome.summary, next="Try other words, or look at the files with --in GLOB.")
    steps = [{"description": edit.description, **_call(edit)} for edit in outcome.edits]
    return plan_from({"title": outcome.title, "summary": outcome.summary, "steps": steps})


def _call(edit: Edit) -> dict[str, Any]:
    match edit:
        case WriteFile(path, data, _, mode):
            permissions = {} if mode is None else {"mode": f"{mode:04o}"}
            return {"tool": "write", "args": {"path": path, **_content(data), **permissions}}
        case DeleteFile(path):
            return {"tool": "delete", "args": {"path": path}}
        case MoveFile(path, to):
            return {"tool": "move", "args": {"path": path, "to": to}}
        case ChangeMode(path, mode):
            return {"tool": "chmod", "args": {"path": path, "mode": f"{mode:04o}"}}
        case MakeLink(path, target):
            return {"tool": "symlink", "args": {"path": path, "target": target}}


def _content(data: bytes) -> dict[str, str]:
    try:
        return {"content": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"content_base64": base64.b64encode(data).decode()}
