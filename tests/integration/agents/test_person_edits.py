"""The person edits what the agent is working on, in the middle of its turn: the edit survives everything."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace
from tests.support.shadows import wait_until

MINE = "the person's own words\n"
TOLD = {"toolCallId": "one", "title": "change", "kind": "edit", "status": "completed"}
WAIT = 'touch "$HOME/first"; while [ ! -e "$HOME/go" ]; do sleep 0.02; done'


def in_the_middle(place: AgentPlace, script: str, edit: Callable[[], object], *, tells: bool) -> dict[str, Any]:
    """The plan of an agent that runs a script; in the middle of it the person edits (when it tells: once looked at)."""

    def was_looked_at() -> bool:
        records = (place.state / "shadows").glob("*/bases.json")
        return any(json.loads(record.read_bytes())["bases"] for record in records)

    def person() -> None:
        wait_until(lambda: place.in_custom_home("first") is not None)
        if tells:
            wait_until(was_looked_at)
        edit()
        first = place.in_custom_home("first")
        assert first is not None
        first.with_name("go").touch()

    telling = [{"do": "update", "update": {"sessionUpdate": "tool_call", **TOLD}}] if tells else []
    steps = [{"do": "shell", "script": script}, *telling, {"do": "shell", "script": WAIT}]
    editing = threading.Thread(target=person)
    editing.start()
    try:
        return place.plan(*place.scripted(steps))
    finally:
        editing.join()


CASES = {
    "changes": ("notes.txt", "echo agent > notes.txt"),
    "deletes": ("notes.txt", "rm notes.txt"),
    "creates": ("new.txt", "echo agent > new.txt"),
    "moves": ("notes.txt", "mv notes.txt moved.txt"),
    "creates in a new folder": ("folder/new.txt", "mkdir folder; echo agent > folder/new.txt"),
}


@pytest.mark.parametrize("tells", [True, False], ids=["told", "untold"])
@pytest.mark.parametrize("case", CASES)
def test_an_edit_made_in_the_middle_of_a_turn_survives_everything(place: AgentPlace, case: str, tells: bool) -> None:
    path, script = CASES[case]
    place.put("notes.txt", "before\n")
    plan = in_the_middle(place, script, lambda: place.put(path, MINE), tells=tells)
    assert f"{path} was changed on disk while the agent worked on it." in plan["warnings"]

    refused = place.tandem("approve", plan["plan_id"], "--digest", plan["digest"], "--json")
    assert (refused.code, refused.data["error"]["kind"]) == (3, "not_approvable")
    assert path in refused.data["error"]["message"]
    assert refused.data["error"]["next"]
    applied = place.tandem("apply", plan["plan_id"], "--json")
    assert (applied.code, applied.data["error"]["kind"]) == (3, "approval_missing")
    assert (place.root / path).read_text() == MINE
    assert place.tandem.answer("runs")["runs"] == []
    place.tandem.answer("cancel", plan["plan_id"])
    assert (place.root / path).read_text() == MINE
    assert not (place.root / "moved.txt").exists()


def test_rebase_brings_the_edit_and_the_agents_change_together(place: AgentPlace) -> None:
    place.put("notes.txt", "one\ntwo\nthree\n")
    change = "sed -i s/one/ONE/ notes.txt"
    plan = in_the_middle(place, change, lambda: place.put("notes.txt", "one\ntwo\nMINE\n"), tells=True)
    rebased = place.tandem.answer("rebase", plan["plan_id"])
    assert rebased["revision"] == plan["revision"] + 1
    place.approve_and_apply(rebased)
    assert (place.root / "notes.txt").read_text() == "ONE\ntwo\nMINE\n"


def test_an_edit_of_another_file_is_no_obstacle_and_is_kept(place: AgentPlace) -> None:
    place.put("notes.txt", "before\n")
    plan = in_the_middle(place, "echo agent > notes.txt", lambda: place.put("app.py", MINE), tells=True)
    assert [each["path"] for each in plan["operations"]] == ["notes.txt"]
    run = place.approve_and_apply(plan)
    assert (place.root / "app.py").read_text() == MINE
    place.tandem.answer("undo", run)
    assert (place.root / "app.py").read_text() == MINE
    assert (place.root / "notes.txt").read_text() == "before\n"


@pytest.mark.parametrize(("script", "way_out"), [("", "cancel {plan}"), ("echo new > new.txt; ", "drop {plan} {id}")])
def test_once_its_version_is_taken_out_the_agent_works_on_the_edit_itself(
    place: AgentPlace, script: str, way_out: str
) -> None:
    place.put("notes.txt", "one\ntwo\nthree\n")
    change = "sed -i s/one/ONE/ notes.txt"
    plan = in_the_middle(place, script + change, lambda: place.put("notes.txt", "one\ntwo\nMINE\n"), tells=True)
    refused = place.tandem("approve", plan["plan_id"], "--digest", plan["digest"], "--json")
    [number] = [each["id"] for each in plan["operations"] if each["path"] == "notes.txt"]
    words = way_out.format(plan=plan["plan_id"], id=number)
    assert f"Or take it out: tandem {words}; then" in refused.data["error"]["next"]
    place.tandem.answer(*words.split())
    again = place.scripted([{"do": "shell", "script": change}])
    plan = place.plan(*again, "--session", plan["session_id"], task="Look again.")
    assert plan["warnings"] == []
    place.approve_and_apply(plan)
    assert (place.root / "notes.txt").read_text() == "ONE\ntwo\nMINE\n"
