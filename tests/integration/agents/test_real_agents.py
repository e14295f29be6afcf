"""Real agents, driven by a scripted model, plan through `tandem run`: nothing is written before it is approved."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.scripted_model import ScriptedModel
from tests.support.tree_walker import walk

CHANGES = [("modify", "app.py"), ("create", "hello.py")]
MORE = pytest.mark.agents


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as served:
        yield served


def planned(place: AgentPlace, agent: str, scenario: str) -> dict[str, Any]:
    """The plan an agent comes to; until then nothing whatever has changed outside its shadow."""
    before = place.sight()
    plan = place.plan("--agent", agent, task=f"Please do it. [[scenario:{scenario}]] [[cwd:{place.root}]]")
    place.assert_nothing_left()
    assert place.sight() == before
    assert plan["confined"]
    assert plan["incomplete"] == ""
    return plan


def carried_out_and_taken_back(place: AgentPlace, plan: dict[str, Any], made_by_commands: set[str]) -> None:
    """Once approved, the workspace is what the agent saw in its shadow, and what its commands make; undo ends that."""
    before = walk(place.root)
    shadow = place.shadow_tree(plan["session_id"])
    run = place.approve_and_apply(plan)
    made = {name: data for name, data in place.files().items() if name not in made_by_commands}
    assert made == shadow
    assert made_by_commands <= set(place.files())
    place.tandem.answer("undo", run)
    assert walk(place.root) == before


@pytest.mark.parametrize(
    "agent", ["opencode", *(pytest.param(name, marks=MORE) for name in ("goose", "claude", "qwen"))]
)
def test_a_real_agent_plans_a_sequence_that_is_approved_applied_and_undone(
    agent: str, place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm_agents.require(agent, place, model, monkeypatch)
    place.use_git()
    plan = planned(place, agent, "seq")
    assert kinds_and_paths(plan) == [*CHANGES, ("create", "made_by_bash.txt")]
    assert [each["command"] for each in plan["ran"]] == ["echo hi > made_by_bash.txt"]
    assert "Finished the sequence." in plan["said"]
    assert plan["warnings"] == []  # OpenCode leaves a note of its own in .git, unasked; that means nothing to git
    carried_out_and_taken_back(place, plan, set())


@MORE
@pytest.mark.parametrize("agent", ["opencode", "goose", "claude", "claude-newest"])
def test_a_real_agent_hands_in_a_plan_through_the_planning_tools(
    agent: str, place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = npm_agents.require(agent, place, model, monkeypatch)
    plan = planned(place, profile, "planning-tools")
    assert kinds_and_paths(plan) == [*CHANGES, ("command", "python3 app.py > out.txt")]
    shown = place.tandem.answer("show", plan["plan_id"])["plan"]
    assert shown["title"] == "Two files"
    assert "One new, one changed." in shown["content"]
    carried_out_and_taken_back(place, plan, {"out.txt"})


@pytest.mark.exhaustive
def test_where_no_namespace_can_be_had_a_real_agent_plans_under_landlock_and_reaches_its_model_alone(
    without_namespace: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = without_namespace
    npm_agents.require("opencode", place, model, monkeypatch)
    place.use_git()
    before = place.sight()
    plan = place.plan("--agent", "opencode", task="Please do it. [[scenario:planning-tools]] [[cwd:.]]")
    place.assert_nothing_left()
    assert place.sight() == before
    assert (plan["confined"], plan["incomplete"]) == (True, "")
    assert kinds_and_paths(plan) == [*CHANGES, ("command", "python3 app.py > out.txt")]
    shown = place.tandem.answer("show", plan["plan_id"])["plan"]
    assert shown["confinement"].startswith("confined by Landlock ABI")
    assert shown["title"] == "Two files"
    assert model.url.removeprefix("http://") in shown["network"]["allowed"]


@MORE
@pytest.mark.parametrize("agent", ["opencode", "goose"])
def test_what_a_real_agent_does_at_once_is_staged_in_order(
    agent: str, place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm_agents.require(agent, place, model, monkeypatch)
    plan = planned(place, agent, "parallel")
    assert set(kinds_and_paths(plan)) == {("create", "p1.txt"), ("create", "p2.txt"), ("create", "p3.txt")}
    carried_out_and_taken_back(place, plan, set())


@MORE
@pytest.mark.parametrize("commands", ["stage", "run"])
@pytest.mark.parametrize("agent", ["opencode", "goose"])
def test_a_real_agent_that_writes_outside_the_workspace_gets_nowhere(
    agent: str, commands: str, place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm_agents.require(agent, place, model, monkeypatch)
    place.choose(commands_while_planning=commands)
    plan = planned(place, agent, "escape")
    assert not (place.base / "ESCAPE.txt").exists()
    command = ("command", f"echo in > inside.txt; echo bad > {place.root}/../ESCAPE.txt")
    last = command if commands == "stage" else ("create", "inside.txt")
    assert kinds_and_paths(plan) == [("create", "hello.py"), last]
