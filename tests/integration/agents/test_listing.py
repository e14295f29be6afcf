"""`tandem agents` says which agents there are, what they need, and what would hold them back."""

import json
import os
import shlex
from pathlib import Path

import pytest

from tests.support.agent_runs import AgentPlace
from tests.support.agent_scripts import Steps

FIELDS = {"name", "version", "found", "confined", "needs"}


def test_every_agent_is_listed_with_what_it_needs(place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = place.base / "programs"
    programs.mkdir()
    goose = programs / "goose"
    goose.write_text("#!/bin/sh\necho ' 1.34.0'\n")
    goose.chmod(0o755)
    qwen = programs / "qwen"
    qwen.write_text("#!/usr/bin/env no-such-node\n")
    qwen.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs), "/usr/bin", "/bin"]))
    found = place.tandem.answer("agents")["agents"]
    assert all(set(agent) >= FIELDS for agent in found)
    agents = {agent["name"]: agent for agent in found}
    assert found[0]["name"] == "built-in"
    assert {"opencode", "claude", "goose", "qwen", "gemini", "codex", "vibe"} < set(agents)
    assert (agents["goose"]["found"], agents["goose"]["version"]) == (True, "1.34.0")
    assert (agents["vibe"]["found"], agents["vibe"]["version"]) == (False, None)
    assert all(agent["needs"] for agent in found)
    assert agents["qwen"]["needs"].startswith("`no-such-node`, which runs it, was not found: install that, or Qwen")
    assert "cannot start" in place.tandem("agents").out
    assert {type(agent["confined"]) for agent in found} == {bool}


def test_a_program_in_the_workspace_is_nobodys_agent(place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = place.put("goose", "#!/bin/sh\ntouch sprung\n")
    trap.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "/usr/bin", "/bin"]))
    monkeypatch.chdir(place.root)
    agents = {agent["name"]: agent for agent in place.tandem.answer("agents")["agents"]}
    assert not agents["goose"]["found"]
    assert not Path("sprung").exists()


def test_agent_that_was_added_plans_by_its_name_in_a_home_of_its_own_and_goes_on_after_a_rework(
    place: AgentPlace,
) -> None:
    steps = Steps(place.root)
    turns = [[steps.write("hello.py", "print(1)\n")], [steps.write("hello.py", "print(2)\n")]]
    command = shlex.split(place.scripted(*turns)[1])
    added = place.tandem("agents", "add", "--json", "mine", "--title", "My agent", "--", *command).data
    assert (added["name"], added["command"], added["found"]) == ("mine", command, True)
    listed = {each["name"]: each for each in place.tandem.answer("agents")["agents"]}
    assert (listed["mine"]["title"], listed["mine"]["found"]) == ("My agent", True)
    plan = place.plan("--agent", "mine")
    assert [each["path"] for each in plan["operations"]] == ["hello.py"]
    assert (place.state / "agents" / "mine" / "home").is_dir()
    place.tandem.answer("reject", plan["plan_id"], "--feedback", "Print 2.")
    again = place.plan("--session", plan["session_id"])
    assert again["revision"] == 2
    assert place.tandem.answer("agents", "remove", "mine")["removed"] == "mine"
    gone = place.run("--session", plan["session_id"])
    assert (gone.code, gone.data["error"]["message"]) == (2, "No agent is called mine.")


def test_title_that_passes_for_another_is_added_neither_by_hand_nor_from_a_registry(place: AgentPlace) -> None:
    for title in ("Сlaude Code", "ＯｐｅｎCode"):
        said = place.tandem("agents", "add", "--json", "mine", "--title", title, "--", "mine")
        assert said.code == 2
        assert "has a letter that passes for another" in said.data["error"]["message"]
    package = {"npx": {"package": "@example/alpha"}}
    entries = [{"id": "alpha", "name": "\u0421odex", "distribution": package}]
    file = place.base / "registry.json"
    file.write_text(json.dumps({"version": "1.0.0", "agents": entries}))
    answer = place.tandem.answer("agents", "import", str(file))
    assert (answer["added"], [each["name"] for each in answer["skipped"]]) == ([], ["alpha"])
    own = place.tandem("agents", "add", "--json", "mine", "--title", "Мой помощник", "--", "mine").data
    assert own["title"] == "Мой помощник"


def test_registry_file_adds_what_is_packaged_and_says_what_it_leaves_out(place: AgentPlace) -> None:
    entries = [
        {"id": "alpha", "name": "Alpha", "distribution": {"npx": {"package": "@example/alpha", "args": ["--acp"]}}},
        {"id": "codex", "distribution": {"npx": {"package": "@example/codex"}}},
        {"id": "beta", "distribution": {"binary": {}}},
    ]
    file = place.base / "registry.json"
    file.write_text(json.dumps({"version": "1.0.0", "agents": entries}))
    answer = place.tandem.answer("agents", "import", str(file))
    assert answer["added"] == [
        {"name": "alpha", "title": "Alpha", "command": ["npx", "--yes", "@example/alpha", "--acp"]}
    ]
    assert [each["name"] for each in answer["skipped"]] == ["codex", "beta"]
    unknown = place.tandem("agents", "import", "--json", str(file), "gamma")
    assert (unknown.code, unknown.data["error"]["next"]) == (2, "It has: alpha, codex, beta.")
