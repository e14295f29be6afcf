"""Every recipe there is, found by its name."""

from collections.abc import Callable, Iterator
from datetime import datetime

from tandem_desktop.agent.recipes import (
    apply_patch,
    licence_header,
    new_from_template,
    rename_identifier,
    replace,
    replace_regex,
)
from tandem_desktop.agent.recipes.recipe import Recipe
from tandem_desktop.agent.recipes.templates import bundled_templates
from tandem_desktop.domain.errors import BadInputError


class Catalog:
    """The recipes, in the order people are shown them."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        recipes = (
            replace.RECIPE,
            replace_regex.RECIPE,
            rename_identifier.RECIPE,
            licence_header.recipe(clock),
            apply_patch.RECIPE,
            new_from_template.recipe(clock),
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
