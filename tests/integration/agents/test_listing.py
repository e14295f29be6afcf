"""`tandem agents` says which agents there are, what they need, and what would hold them back."""

import os
from pathlib import Path

import pytest

from tests.support.agent_runs import AgentPlace

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
