"""What becomes of a command while an agent plans is the person's choice: into the plan, into the shadow, or no."""

from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace, ask, kinds_and_paths, write_by_client

COMMAND = "echo made > made.txt"


def by_request(place: AgentPlace) -> list[dict[str, Any]]:
    """An agent that asks, and runs the command itself when it may."""
    run = {"do": "shell", "script": COMMAND, "if_allowed": "ask-1"}
    return [ask("execute", 1, rawInput={"command": COMMAND, "cwd": str(place.root)}), run]


def by_terminal(place: AgentPlace) -> list[dict[str, Any]]:
    """An agent that has Tandem run the command."""
    params = {"command": COMMAND, "cwd": str(place.root)}
    wait = {"do": "request", "id": "wait", "method": "terminal/wait_for_exit", "params": {"terminalId": "terminal-1"}}
    seen = {"do": "request", "id": "seen", "method": "terminal/output", "params": {"terminalId": "terminal-1"}}
    return [{"do": "request", "id": "create", "method": "terminal/create", "params": params}, wait, seen]


def around(place: AgentPlace, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With a change before and a change after."""
    first = write_by_client(place.root / "a-first.txt", "1\n", 1)
    second = write_by_client(place.root / "b-second.txt", "2\n", 2)
    return [first, *steps, second]


FIRST, SECOND, MADE = ("create", "a-first.txt"), ("create", "b-second.txt"), ("create", "made.txt")


@pytest.mark.parametrize("way", [by_request, by_terminal])
def test_a_staged_command_stands_between_what_came_before_and_after_it(place: AgentPlace, way: Any) -> None:
    place.choose(commands_while_planning="stage")
    plan = place.plan(*place.scripted(around(place, way(place))))
    assert kinds_and_paths(plan) == [FIRST, ("command", COMMAND), SECOND]
    assert "made.txt" not in place.shadow_tree(plan["session_id"])
    place.approve_and_apply(plan)
    assert (place.root / "made.txt").read_text() == "made\n"


@pytest.mark.parametrize("way", [by_request, by_terminal])
def test_a_command_runs_in_the_shadow_unasked_and_leaves_its_effects_as_operations(place: AgentPlace, way: Any) -> None:
    before = place.sight()
    plan = place.plan(*place.scripted(around(place, way(place))))
    assert place.sight() == before
    assert sorted(kinds_and_paths(plan)) == [FIRST, SECOND, MADE]
    assert [each["command"] for each in plan["ran"]] == [COMMAND]
    place.approve_and_apply(plan)
    assert (place.root / "made.txt").read_text() == "made\n"


def test_the_plan_lists_what_ran_with_its_exit_code_and_the_end_of_its_output(place: AgentPlace) -> None:
    steps = by_terminal(place)
    steps[0]["params"]["command"] = "seq 1 9; exit 3"
    plan = place.plan(*place.scripted([write_by_client(place.root / "a.txt", "1\n", 1), *steps]))
    ran = {"command": "seq 1 9; exit 3", "cwd": ".", "exit_code": 3, "has_failed": True}
    output = "".join(f"{number}\n" for number in range(1, 10))
    assert plan["ran"] == [{**ran, "output": output}]
    assert place.tandem.answer("show", plan["plan_id"])["plan"]["ran"] == plan["ran"]
    told = place.tandem("show", plan["plan_id"]).out
    assert "$ seq 1 9; exit 3\n      exit 3\n      … 6 more lines of output; --diff shows them\n      │ 7\n" in told
    assert "│ 1\n" in place.tandem("show", plan["plan_id"], "--diff").out


def test_a_command_that_the_agent_says_it_ran_is_listed_once_with_the_code_it_tells(place: AgentPlace) -> None:
    call = {"toolCallId": "c1", "title": "make", "kind": "execute", "rawInput": {"command": "make all"}}
    ended = {"toolCallId": "c1", "status": "failed", "rawOutput": {"output": "no rule", "metadata": {"exit": 2}}}
    steps = [
        {"do": "update", "update": {"sessionUpdate": "tool_call", "status": "in_progress", **call}},
        {"do": "shell", "script": "echo built > built.txt"},
        {"do": "update", "update": {"sessionUpdate": "tool_call_update", **ended}},
    ]
    plan = place.plan(*place.scripted(steps))
    assert [(each["command"], each["exit_code"], each["output"]) for each in plan["ran"]] == [
        ("make all", 2, "no rule")
    ]
    assert plan["warnings"] == []


def test_a_command_the_person_adds_runs_for_real_and_stays_when_the_agent_goes_on(place: AgentPlace) -> None:
    plan = place.plan(*place.scripted(around(place, by_request(place))))
    changed = place.tandem.answer("add", plan["plan_id"], "echo real >> real.txt")
    assert kinds_and_paths(changed)[-1] == ("command", "echo real >> real.txt")
    assert changed["operations"][-1]["description"] == "", "the person's own, not in the agent's words"
    assert changed["digest"] != plan["digest"]
    more = [write_by_client(place.root / "c-third.txt", "3\n", 3)]
    plan = place.plan(*place.scripted(more), "--session", plan["session_id"], task="Go on.")
    assert {("command", "echo real >> real.txt"), ("create", "c-third.txt")} <= set(kinds_and_paths(plan))
    place.approve_and_apply(plan)
    assert (place.root / "real.txt").read_text() == "real\n"


@pytest.mark.parametrize(("command", "said"), [(" ", "is empty"), ("a\0b", "NUL")])
def test_a_command_no_plan_can_carry_is_not_added(place: AgentPlace, command: str, said: str) -> None:
    plan = place.plan(*place.scripted([write_by_client(place.root / "a.txt", "1\n", 1)]))
    refused = place.tandem("add", plan["plan_id"], command, "--json")
    assert (refused.code, said in refused.data["error"]["message"]) == (3, True)
    assert place.tandem.answer("show", plan["plan_id"])["plan"]["revision"] == 1


@pytest.mark.setting("commands_while_planning")
@pytest.mark.parametrize("way", [by_request, by_terminal])
def test_a_denied_command_neither_runs_nor_is_planned(place: AgentPlace, way: Any) -> None:
    place.choose(commands_while_planning="deny")
    plan = place.plan(*place.scripted(around(place, way(place))))
    assert kinds_and_paths(plan) == [FIRST, SECOND]
    assert "made.txt" not in place.shadow_tree(plan["session_id"])


def test_the_agent_hears_from_a_terminal_what_became_of_its_command(place: AgentPlace) -> None:
    place.choose(commands_while_planning="stage")
    plan = place.plan(*place.scripted(by_terminal(place)))
    seen = place.messages(plan["session_id"])["seen"]["result"]
    assert "queued" in seen["output"]
    assert seen["exitStatus"]["exitCode"] == 0


@pytest.mark.parametrize("network", ["leashed", "open"])
def test_a_command_that_tandem_runs_for_an_agent_has_the_network_of_the_agent(place: AgentPlace, network: str) -> None:
    place.choose(network=network)
    steps = by_terminal(place)
    steps[0]["params"]["command"] = "readlink /proc/self/ns/net > network.txt"
    plan = place.plan(*place.scripted([*steps, {"do": "shell", "script": "readlink /proc/self/ns/net > own.txt"}]))
    tree = place.shadow_tree(plan["session_id"])
    assert tree["network.txt"] == tree["own.txt"]


def test_what_a_command_that_tandem_runs_for_an_agent_is_refused_is_listed_on_the_plan(place: AgentPlace) -> None:
    steps = by_terminal(place)
    steps[0]["params"]["command"] = f"curl -sS -m 10 http://not-allowed.example/; {COMMAND}"
    plan = place.plan(*place.scripted(steps))
    network = place.tandem.answer("show", plan["plan_id"])["plan"]["network"]
    assert [each["host"] for each in network["refused"]] == ["not-allowed.example"]


def silently(path: str) -> dict[str, Any]:
    """A change the agent says nothing about."""
    return {"do": "shell", "script": f"echo 1 > {path}"}


@pytest.mark.parametrize("way", [by_request, by_terminal])
def test_a_command_is_credited_with_what_changed_while_it_ran_alone(place: AgentPlace, way: Any) -> None:
    after = [silently("c-after.txt")] if way is by_terminal else []
    plan = place.plan(*place.scripted([silently("a-before.txt"), *way(place), *after]))
    words = {each["path"]: each["description"] for each in plan["operations"]}
    credited = [path for path, said in words.items() if "ran in the shadow" in said]
    assert credited == ["made.txt"]
    assert words["a-before.txt"] == "Create a-before.txt"
