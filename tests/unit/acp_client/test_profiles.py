"""Agents are known by data: bundled profiles that make them ask, any other command, and what of it is installed."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from tandem_desktop.acp_client.profiles import (
    BUILT_IN,
    FoundAgent,
    custom_profile,
    find_agent,
    has_access,
    load_profiles,
    profile_named,
    title_of,
)
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import BadInputError

EXPECTED = {
    *("built-in", "opencode", "goose", "claude", "qwen", "gemini", "codex", "vibe"),
    *("copilot", "kimi", "pi", "deepagents", "cline", "openhands", "kilo", "fast-agent"),
    *("droid", "auggie", "qoder"),
}


@pytest.mark.parametrize(
    ("name", "title"), [("opencode", "OpenCode"), ("custom", "Custom agent"), ("long-gone", "long-gone")]
)
def test_agent_a_record_names_is_told_by_what_people_call_it(name: str, title: str) -> None:
    assert title_of(name) == title


def an_executable(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_every_agent_is_bundled_and_the_built_in_one_comes_first() -> None:
    names = [profile.name for profile in load_profiles()]
    assert set(names) == EXPECTED
    assert names[0] == BUILT_IN


@pytest.mark.parametrize("profile", load_profiles(), ids=lambda profile: profile.name)
def test_no_profile_uses_an_agents_own_plan_mode_or_leaves_out_what_is_known(profile: AgentProfile) -> None:
    assert profile.asking_mode != "plan"
    assert profile.known
    assert profile.needs
    assert profile.install
    assert not [name for name in profile.credentials if name.startswith("/") or ".." in name]


def test_opencode_is_told_to_ask_and_to_go_on_after_a_refusal() -> None:
    settings = json.loads(profile_named("opencode").set_env["OPENCODE_CONFIG_CONTENT"])
    assert settings["permission"] == {"edit": "ask", "bash": "ask", "webfetch": "ask"}
    assert settings["experimental"] == {"continue_loop_on_deny": True}


def test_an_unknown_agent_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(BadInputError, match="No agent is called clippy") as raised:
        profile_named("clippy")
    assert "opencode" in raised.value.next


def test_any_command_can_be_an_agent() -> None:
    profile = custom_profile("/opt/my agent/run --acp 'two words'".replace("my agent", "'my agent'"), env=("MY_KEY",))
    assert profile.command == ("/opt/my agent/run", "--acp", "two words")
    assert (profile.title, profile.env, profile.asking_mode) == ("run", ("MY_KEY",), None)


@pytest.mark.parametrize("line", ["", "   ", "agent 'unfinished"])
def test_a_command_that_cannot_be_read_is_refused(line: str) -> None:
    with pytest.raises(BadInputError):
        custom_profile(line)


def test_an_agent_is_found_on_the_path_with_its_version(tmp_path: Path) -> None:
    path = an_executable(tmp_path / "bin", "goose", 'test "$1" = --version && echo "goose 1.34.0 (abc)"')
    found = find_agent(profile_named("goose"), {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}"})
    assert (found.profile, found.path, found.version) == (profile_named("goose"), path, "1.34.0")
    assert found.command == (str(path), "acp")


def test_an_agent_whose_interpreter_is_gone_cannot_start(tmp_path: Path) -> None:
    path = an_executable(tmp_path / "bin", "goose", "echo 1.0")
    path.write_text("#!/usr/bin/env no-such-node\n")
    found = find_agent(profile_named("goose"), {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}"})
    assert (found.path, found.lacks, found.can_start, found.version) == (path, "no-such-node", False, None)


def test_an_agent_that_is_not_installed_has_no_path(tmp_path: Path) -> None:
    assert find_agent(profile_named("goose"), {"PATH": str(tmp_path)}) == FoundAgent(profile_named("goose"), None)


def test_an_agent_in_the_current_folder_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    an_executable(tmp_path, "goose", "echo 1.0")
    monkeypatch.chdir(tmp_path)
    assert find_agent(profile_named("goose"), {"PATH": ".:"}).path is None


def test_an_agent_that_does_not_tell_its_version_is_found_all_the_same(tmp_path: Path) -> None:
    an_executable(tmp_path / "bin", "goose", "exit 1")
    found = find_agent(profile_named("goose"), {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}"})
    assert (found.path, found.version) == (tmp_path / "bin" / "goose", None)


def test_the_built_in_agent_is_this_program() -> None:
    found = find_agent(profile_named(BUILT_IN))
    assert found.command == (sys.executable, "-P", "-m", "tandem_desktop", "agent")
    assert found.version


def test_log_in_is_known_by_its_file_or_by_a_key_and_not_by_an_address(tmp_path: Path) -> None:
    claude = profile_named("claude")
    assert not has_access(claude, {"ANTHROPIC_BASE_URL": "http://here"}, tmp_path)
    assert has_access(claude, {"ANTHROPIC_API_KEY": "x"}, tmp_path)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / ".credentials.json").write_text("{}")
    assert has_access(claude, {}, tmp_path)
    assert has_access(profile_named("built-in"), {}, tmp_path / "nowhere")


def test_agent_can_start_only_where_its_command_and_what_runs_it_are_there(tmp_path: Path) -> None:
    profile = custom_profile("agent")
    assert not FoundAgent(profile, None).can_start
    assert not FoundAgent(profile, tmp_path / "agent", lacks="node").can_start
    assert FoundAgent(profile, tmp_path / "agent").can_start


def an_agent_that_notes_each_start(tmp_path: Path) -> tuple[AgentProfile, Path]:
    an_executable(tmp_path / "bin", "agent", f"echo started >> {tmp_path}/starts; echo 1.2.3")
    profile = custom_profile("agent").model_copy(update={"version_command": ("agent", "--version")})
    return profile, tmp_path / "starts"


@pytest.mark.parametrize(("ask", "version"), [(True, "1.2.3"), (False, None)])
def test_agent_is_started_for_its_version_only_when_it_is_asked_for(
    tmp_path: Path, ask: bool, version: str | None
) -> None:
    profile, starts = an_agent_that_notes_each_start(tmp_path)
    found = find_agent(profile, {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}, ask_version=ask)
    assert (found.version, starts.exists()) == (version, ask)


def test_agent_whose_interpreter_is_missing_is_not_started_for_its_version(tmp_path: Path) -> None:
    profile, starts = an_agent_that_notes_each_start(tmp_path)
    (tmp_path / "bin" / "agent").write_text("#!/usr/bin/env no-such-interpreter\n")
    found = find_agent(profile, {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    assert (found.lacks, found.version, found.can_start) == ("no-such-interpreter", None, False)
    assert not starts.exists()
