"""A tool with effects outside waits for the person, and is called once, by the agent that asked."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace, ask, kinds_and_paths, write_by_client

TOOL = "mcp__odoo__create_invoice"
ARGUMENTS = {"customer": "A", "amount": 10}


def posts(number: int, **more: Any) -> list[dict[str, Any]]:
    """Ask for the tool, and really do it when it is allowed."""
    call = {"title": TOOL, "rawInput": {**ARGUMENTS, **more}}
    effect = {"do": "shell", "script": "echo posted >> $HOME/posted", "if_allowed": f"ask-{number}"}
    done = {"sessionUpdate": "tool_call_update", "toolCallId": f"call-{number}", "status": "completed"}
    return [ask("other", number, **call), effect, {"do": "update", "update": done}]


def posted(place: AgentPlace) -> str:
    files = list((place.state / "agents").rglob("posted"))
    return files[0].read_text() if files else ""


def an_agent(place: AgentPlace, after: list[dict[str, Any]]) -> tuple[str, ...]:
    turn = [write_by_client(place.root / "a.txt", "1\n"), *posts(1)]
    return place.scripted(turn, by_words={"The person approved this call": after})


@pytest.mark.req("S1-31", "S3-54")
def test_a_call_that_reaches_out_waits_for_approval_and_is_made_once_with_exactly_these_arguments(
    place: AgentPlace,
) -> None:
    before = place.sight()
    plan = place.plan(*an_agent(place, [*posts(2, amount=99), *posts(3), *posts(4)]))
    assert place.sight() == before
    assert posted(place) == ""
    assert [kind for kind, _ in kinds_and_paths(plan)] == ["create", "external"]
    held = plan["operations"][1]
    assert held["external"] == {"tool": TOOL, "arguments": ARGUMENTS, "target": ""}
    assert set(held["flags"]) == {"irreversible", "outside"}
    shown = place.tandem("show", plan["plan_id"])
    assert TOOL in shown.out
    assert "once, after approval" in shown.out
    place.tandem.answer("approve", plan["plan_id"], "--digest", plan["digest"])
    run = place.tandem.answer("apply", plan["plan_id"])
    assert run["status"] == "completed", run
    assert posted(place) == "posted\n"
    assert (place.root / "a.txt").read_text() == "1\n"
    place.assert_nothing_left()


def test_a_call_the_agent_does_not_make_fails_and_the_files_go_back(place: AgentPlace) -> None:
    plan = place.plan(*an_agent(place, [{"do": "say", "text": "I would rather not."}]))
    place.tandem.answer("approve", plan["plan_id"], "--digest", plan["digest"])
    said = place.tandem("apply", plan["plan_id"], "--json")
    assert said.code != 0
    assert "was not made" in json.dumps(said.data)
    assert posted(place) == ""
    assert not (place.root / "a.txt").exists()


def test_a_persons_rule_lets_a_reading_tool_through_by_name(place: AgentPlace) -> None:
    (place.settings / "settings.toml").write_text('[[rules]]\nanswer = "allow"\ntool = "mcp__odoo__*"\n')
    place.plan(*an_agent(place, []))
    assert posted(place) == "posted\n"


@pytest.mark.req("S3-54", "S3-14", "S3-35")
def test_a_plan_file_cannot_call_what_only_an_agent_can(place: AgentPlace, tmp_path: Path) -> None:
    step = {"description": "d", "tool": "external", "args": {"tool": TOOL, "arguments": ARGUMENTS}}
    (tmp_path / "plan.json").write_text(json.dumps({"title": "t", "steps": [step]}))
    said = place.tandem("propose", str(tmp_path / "plan.json"))
    assert said.code != 0
    assert "only an agent can do" in said.err
