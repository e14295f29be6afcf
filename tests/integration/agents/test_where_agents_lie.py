"""An agent is started from wherever it lies, and sees no more for it."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.agents_on_path import put_on_path
from tests.support.sidecars import AGENTS
from tests.support.temporary import MakeFolder, make_program, temporary_folders

SCRIPT = '{"turns": [[{"do": "shell", "script": "ls -a %s > seen.txt 2>&1; exit 0"}]]}'


@pytest.fixture
def folders() -> Iterator[MakeFolder]:
    with temporary_folders() as make:
        yield make


@pytest.mark.parametrize("linked", [False, True])
def test_a_program_among_the_temporary_files_is_shown_to_itself_alone(
    place: AgentPlace, folders: MakeFolder, linked: bool
) -> None:
    temporary, other = folders(), folders()
    script = temporary / "agent.py"
    shutil.copyfile(AGENTS / "scripted_agent.py", script)
    python = temporary / "bin" / "python" if linked else Path(sys.executable)
    if linked:
        python.parent.mkdir()
        python.symlink_to(sys.executable)
    command = [str(python), "-S", "-E", str(script), SCRIPT % "/tmp"]
    plan = place.plan("--agent-command", shlex.join(command))
    assert kinds_and_paths(plan) == [("create", "seen.txt")]
    seen = place.shadow_tree(plan["session_id"])["seen.txt"].decode().split()
    assert temporary.name in seen
    assert other.name not in seen


def test_an_agent_beside_the_workspace_does_not_uncover_what_is_hidden(place: AgentPlace) -> None:
    """Its folder holds the workspace and the state as well; they stay what they are to it."""
    steps = {"do": "shell", "script": f"ls -A {shlex.quote(str(place.state))} > seen.txt; touch .tandem/x"}
    plan = place.plan(*place.scripted([steps]))
    assert place.shadow_tree(plan["session_id"])["seen.txt"].split() in ([b"agents"], [b"agents", b"sockets"])
    assert plan["confined"]


@pytest.mark.parametrize("by_env", [False, True])
def test_a_script_is_started_though_what_runs_it_lies_elsewhere_among_the_temporary_files(
    place: AgentPlace, folders: MakeFolder, monkeypatch: pytest.MonkeyPatch, by_env: bool
) -> None:
    agents, python, base, other = folders() / "bin", folders() / "venv/bin/python", folders() / "python", folders()
    python.parent.mkdir(parents=True)
    python.symlink_to(base)
    base.symlink_to(sys.executable)
    searched = [agents, *([python.parent] if by_env else []), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, searched)))
    first_line = "#!/usr/bin/env -S python -SE" if by_env else f"#!{python} -SE"
    put_on_path(agents, "opencode", {"turns": [[listing("/tmp")]]}, first_line)
    seen = place.shadow_tree(place.plan("--agent", "opencode")["session_id"])["seen.txt"].decode().split()
    assert {agents.parent.name, python.parts[2], base.parent.name} <= set(seen)
    assert other.name not in seen


def test_an_agent_from_elsewhere_can_start_what_a_tandem_among_the_temporary_files_gives_it(
    place: AgentPlace, folders: MakeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = folders() / "python"
    own.symlink_to(Path(sys.executable).resolve())
    agent = place.scripted([listing(str(own))])
    monkeypatch.setattr(sys, "executable", str(own))
    plan = place.plan(*agent)
    assert place.shadow_tree(plan["session_id"])["seen.txt"].decode() == f"{own}\n"


def test_an_agent_whose_interpreter_is_gone_is_told_with_what_to_install(
    place: AgentPlace, folders: MakeFolder
) -> None:
    gone = folders() / "venv/bin/python"
    agent = make_program(folders() / "agent", f"#!{gone}")
    error = place.run("--agent-command", str(agent)).data["error"]
    assert (error["kind"], str(gone) in error["message"], "Install" in error["next"]) == ("agent_launch", True, True)


def test_an_agent_whose_interpreter_is_hidden_names_it_and_where_it_may_lie(place: AgentPlace) -> None:
    hidden = place.person / ".ssh/python"
    hidden.symlink_to(sys.executable)
    agent = make_program(place.base / "agent", f"#!{hidden}")
    said = place.run("--agent-command", str(agent))
    assert said.data["error"] == {
        **said.data["error"],
        "kind": "agent_launch",
        "message": f"agent was not started: {hidden} is needed to start, and it cannot be seen in the sandbox.",
    }
    assert "docs/security.md" in said.data["error"]["next"]


def test_a_file_that_a_variable_names_is_seen_alone_and_a_secret_one_is_not(place: AgentPlace) -> None:
    for name in ("settings/agent.json", "settings/other.json", ".ssh/config"):
        (place.person / name).parent.mkdir(exist_ok=True)
        (place.person / name).write_text(f"{name}\n")
    script = {"do": "shell", "script": "{ cat $AGENT_CONFIG $KEY; ls ${AGENT_CONFIG%/*}; } > seen.txt 2>&1; exit 0"}
    named = ("--env", f"AGENT_CONFIG={place.person}/settings/agent.json", "--env", f"KEY={place.person}/.ssh/config")
    plan = place.plan(*place.scripted([script]), *named)
    seen = place.shadow_tree(plan["session_id"])["seen.txt"].decode().splitlines()
    assert (seen[0], seen[-1], "No such file" in seen[1]) == ("settings/agent.json", "agent.json", True)


def listing(place: str) -> dict[str, Any]:
    return {"do": "shell", "script": f"ls -a {shlex.quote(place)} > seen.txt 2>&1; exit 0"}
