"""A planner that may only look proposes and ends; another agent follows up, and the plan's record names both."""

import json
from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace, kinds_and_paths, write_by_client

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
    chosen = '[minds]\nexecutor = { agent = "built-in", model = "ollama:small" }\n'
    (place.settings / "settings.toml").write_text(chosen)
    following = place.plan("--session", plan["session_id"], task="/replace hello goodbye")
    told = place.prompts(plan["session_id"])[-1]
    assert "One file says hello." in told
    assert "create hello.txt: completed" in told
    assert models(place, plan) == ("custom:strong-1", "built-in:ollama:small")
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
