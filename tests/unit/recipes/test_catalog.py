from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, StepRefusedError
from tandem_desktop.recipes.catalog import Catalog, plan_from_recipe
from tandem_desktop.staging.simulate import simulate_steps
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import A_MOMENT
from tests.support.recipes import lay_out
from tests.unit.recipes.test_apply_patch import workspace

CATALOG = Catalog(lambda: A_MOMENT)

TYPED = {
    "replace": "one 1",
    "replace-regex": r"(o)ne \1",
    "rename-identifier": "one two",
    "licence-header": "MIT",
    "apply-patch": "fix.patch",
    "new-from-template": "python-package x",
}


@pytest.mark.req("S0-90")
@pytest.mark.parametrize("recipe", [recipe.name for recipe in CATALOG])
def test_every_recipe_makes_a_plan_that_applies(tmp_path: Path, recipe: str) -> None:
    lay_out(workspace(tmp_path), {"one.py": b"one = 1  # \xe9\n"})
    with Workspace(tmp_path) as tree:
        plan = plan_from_recipe(CATALOG, recipe, TYPED[recipe], tree)
        simulation = simulate_steps(plan, tree, A_MOMENT)
    assert simulation.operations
    assert plan.title
    assert all(step.description for step in plan.steps)


def test_bytes_that_are_no_utf_8_go_into_the_plan_unchanged(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": b"caf\xe9 one"})
    with Workspace(tmp_path) as tree:
        step = plan_from_recipe(CATALOG, "replace", "one 1", tree).steps[0]
    assert step.tool == "write"
    assert step.args.data == b"caf\xe9 1"
    assert step.args.content is None


def test_a_recipe_with_nothing_to_do_makes_no_plan(tmp_path: Path) -> None:
    with Workspace(tmp_path) as tree, pytest.raises(StepRefusedError, match="was not found in any file"):
        plan_from_recipe(CATALOG, "replace", "one 1", tree)


def test_an_unknown_recipe_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with Workspace(tmp_path) as tree, pytest.raises(BadInputError) as refused:
        plan_from_recipe(CATALOG, "cook", "", tree)
    assert "rename-identifier" in refused.value.next


def test_help_names_every_recipe_and_template() -> None:
    told = CATALOG.help()
    for recipe in CATALOG:
        assert f"/{recipe.name} {recipe.hint}" in told
        assert recipe.example.startswith(f"/{recipe.name} ")
        recipe.parse(recipe.example.partition(" ")[2])
    assert "github-workflow" in told
