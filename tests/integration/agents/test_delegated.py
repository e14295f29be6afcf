"""A planner that may only look proposes and ends; another agent follows up, and the plan's record names both."""

import json
from typing import Any

import pytest

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace, kinds_and_paths, write_by_client
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel

STEPS = [{"id": "s1", "description": "Greet", "tool": "write", "args": {"path": "hello.txt", "content": "hello\n"}}]
PLAN = {"title": "Greet", "summary": "One file says hello.", "steps": STEPS}
STRONG = {"configOptions": [], "models": {"currentModelId": "strong-1", "availableModels": []}}


def planner(place: AgentPlace, *before: dict[str, Any]) -> tuple[str, ...]:
    return place.scripted([*before, {"do": "say", "text": json.dumps(PLAN)}], session=STRONG)


def models(place: AgentPlace, plan: dict[str, Any]) -> tuple[str, str]:
    shown = place.tandem.answer("show", plan["plan_id"])["plan"]
    return shown["planner_model"], shown["executor_model"]


@pytest.mark.req("S3-28")
@pytest.mark.req("S3-37d")
def test_a_planner_that_may_only_look_proposes_and_ends_and_another_agent_follows_up(place: AgentPlace) -> None:
    before = place.sight()
    plan = place.plan("--delegate", *planner(place, write_by_client(place.root / "app.py", "mine\n")))
    assert kinds_and_paths(plan) == [("create", "hello.txt")]
    assert place.sight() == before
    assert models(place, plan) == ("custom:strong-1", "")
    assert not place.shadow_folder(plan["session_id"]).exists()  # nobody is there any more

    place.approve_and_apply(plan)
    chosen = '[advisors]\nexecutor = { agent = "built-in", model = "ollama:small" }\n'
    (place.settings / "settings.toml").write_text(chosen)
    following = place.plan("--session", plan["session_id"], task="/replace hello goodbye")
    told = place.prompts(plan["session_id"])[-1]
    assert "One file says hello." in told
    assert "create hello.txt: completed" in told
    assert models(place, plan) == ("custom:strong-1", "built-in:ollama:small")
    shown = place.tandem("show", plan["plan_id"]).out
    assert "Planned by Custom agent with strong-1" in shown
    assert "Followed up by Built-in agent with ollama:small" in shown
    assert kinds_and_paths(following) == [("modify", "hello.txt")]
    assert models(place, following) == ("built-in:ollama:small", "")


@pytest.mark.req("S3-28")
def test_who_plans_directly_and_follows_up_in_the_same_session_is_kept_as_both(place: AgentPlace) -> None:
    direct = place.scripted([write_by_client(place.root / "new.txt", "new\n")], session=STRONG)
    plan = place.plan(*direct)
    place.approve_and_apply(plan)
    place.run(*place.scripted([{"do": "say", "text": "Fine."}], session=STRONG), "--session", plan["session_id"])
    assert models(place, plan) == ("custom:strong-1", "custom:strong-1")


def test_a_planner_without_a_plan_leaves_a_basic_one_that_another_can_take_over(place: AgentPlace) -> None:
    said = place.run("--delegate", *place.scripted(*[[{"do": "say", "text": "No."}]] * 9), task="Greet.")
    assert (said.code, said.data["error"]["kind"], said.data["operations"]) == (4, "agent_answer", [])
    taken = place.plan(
        *place.scripted([write_by_client(place.root / "new.txt", "new\n")]), "--session", said.data["session_id"]
    )
    assert (taken["plan_id"], taken["revision"], taken["incomplete"]) == (said.data["plan_id"], 2, "")


def test_a_delegated_plan_begins_a_session(place: AgentPlace) -> None:
    said = place.run("--delegate", "--session", "SES-12345678", *planner(place))
    assert (said.code, said.data["error"]["next"]) == (2, "Leave out --delegate to go on with the session.")


OUTSIDE_THE_TREE = {**PLAN, "steps": [{**STEPS[0], "args": {"path": "../hello.txt", "content": "hello\n"}}]}
SCRIPT = {
    "delegate": (
        Step("Reading.", (Call("read", {"path": "{cwd}/app.py"}),)),
        Step("Writing it myself.", (Call("write", {"path": "{cwd}/app.py", "content": "mine\n"}),)),
        Step("Handing in.", (Call("*plan_propose", OUTSIDE_THE_TREE),)),
        Step("Once more.", (Call("*plan_propose", PLAN),)),
        Step("Handed in."),
    ),
    "follow": (
        Step("", (Call("write", {"path": "{cwd}/followed.txt", "content": "goodbye\n"}),)),
        Step("Followed up."),
    ),
}
"""The planner tries to write, and hands in what cannot be applied, before it hands in a plan."""


@pytest.mark.agents
@pytest.mark.req("S3-28", "S3-37d")
@pytest.mark.parametrize("agent", ["opencode", "goose"])
def test_a_real_agent_plans_by_delegation_and_another_with_another_model_follows_up(
    agent: str, place: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel(SCRIPT) as model:
        npm_agents.require(agent, place, model, monkeypatch)
        before = place.sight()
        plan = place.plan("--delegate", "--agent", agent, task=f"Greet. [[scenario:delegate]] [[cwd:{place.root}]]")
        assert (kinds_and_paths(plan), plan["incomplete"]) == ([("create", "hello.txt")], "")
        assert place.sight() == before
        place.assert_nothing_left()
        told = str([message for request in model.requests for message in request.messages])
        assert "../hello.txt" in told
        place.approve_and_apply(plan)

        model.forget()
        monkeypatch.setenv("TANDEM_MODEL_URL", model.openai_url)
        monkeypatch.setenv("TANDEM_MODEL_KEY", "x")
        chosen = '[advisors]\nexecutor = { agent = "built-in", model = "openai-compatible:small-1" }\n'
        (place.settings / "settings.toml").write_text(chosen)
        task = f"Now the rest. [[scenario:follow]] [[cwd:{place.root}]]"
        following = place.plan("--session", plan["session_id"], task=task)
    assert {request.body["model"] for request in model.requests} == {"small-1"}
    assert "create hello.txt: completed" in place.prompts(plan["session_id"])[-1]
    assert kinds_and_paths(following) == [("create", "followed.txt")]
    assert models(place, plan)[0].partition(":")[0] == agent
    assert models(place, plan)[1] == "built-in:openai-compatible:small-1"
