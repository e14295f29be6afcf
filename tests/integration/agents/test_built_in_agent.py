"""The agent that comes with Tandem plans like any other: a recipe without a model, and whatever a model says."""

import pytest

from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.scripted_model import ScriptedModel
from tests.support.tree_walker import walk


def test_a_recipe_is_planned_with_no_model_at_all_and_applied_and_undone(place: AgentPlace) -> None:
    place.put("lib/deep.py", "x = 1\n")
    before, tree = place.sight(), walk(place.root)
    plan = place.plan(task='/replace "x = 1" "x = 2"')
    assert place.sight() == before
    assert kinds_and_paths(plan) == [("modify", "app.py"), ("modify", "lib/deep.py")]
    run = place.approve_and_apply(plan)
    assert (place.root / "lib/deep.py").read_text() == "x = 2\n"
    assert place.files() == place.shadow_tree(plan["session_id"])
    place.tandem.answer("undo", run)
    assert walk(place.root) == tree


def test_modules_of_the_workspace_are_not_run_by_the_agent_that_works_in_it(place: AgentPlace) -> None:
    for name in ("acp/__init__.py", "pydantic/__init__.py", "asyncio.py", "sitecustomize.py", "tandem_desktop.py"):
        place.put(name, "open('owned.txt', 'w').write('x')\n")
    plan = place.plan(task='/replace "x = 1" "x = 2"')
    assert kinds_and_paths(plan) == [("modify", "app.py")]


@pytest.mark.req("S0-32")
def test_a_model_leads_the_agent_through_a_sequence_that_is_planned_applied_and_undone(
    place: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel() as model:
        monkeypatch.setenv("TANDEM_MODEL", "openai-compatible:fake-1")
        monkeypatch.setenv("TANDEM_MODEL_URL", model.openai_url)
        monkeypatch.setenv("TANDEM_MODEL_KEY", "x")
        before, tree = place.sight(), walk(place.root)
        plan = place.plan(task=f"Do it. [[scenario:seq]] [[cwd:{place.root}]]")
    assert place.sight() == before
    changes = [("modify", "app.py"), ("create", "hello.py")]
    assert kinds_and_paths(plan) == [*changes, ("create", "made_by_bash.txt")]
    assert [(each["command"], each["exit_code"]) for each in plan["ran"]] == [("echo hi > made_by_bash.txt", 0)]
    shadow = place.shadow_tree(plan["session_id"])
    run = place.approve_and_apply(plan)
    assert place.files() == shadow
    place.tandem.answer("undo", run)
    assert walk(place.root) == tree
