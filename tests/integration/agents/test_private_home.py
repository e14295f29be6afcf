"""What an agent leaves in its private home leads Tandem nowhere else, and no other agent finds it."""

import json
import os
from pathlib import Path

import pytest

from tests.support.agent_runs import AgentPlace
from tests.support.agents_on_path import put_on_path, searched

KEY = "sk-the-person's"


@pytest.fixture
def opencode(place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of an agent whose profile copies log-ins and writes a plan agent."""
    config = place.person / ".config/opencode/opencode.json"
    auth = place.person / ".local/share/opencode/auth.json"
    for file in (config, auth):
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"key": KEY}))
    put_on_path(place.base / "programs", "opencode", {"turns": [[{"do": "say", "text": "hello"}]]})
    monkeypatch.setenv("PATH", searched(place.base / "programs"))
    return place.state / "agents/opencode/home"


def touched(place: AgentPlace) -> list[str]:
    """Files of the workspace and the place outside that hold the person's key, or are new."""
    found = [path for top in (place.root, place.outside) for path in top.rglob("*") if ".tandem" not in path.parts]
    return sorted(path.name for path in found if path.is_file())


LINKS = {
    "the folder of its settings": (".config/opencode", "root"),
    "the folder above": (".config", "root"),
    "the folder of its log-in": (".local/share/opencode", "outside"),
    "the log-in itself": (".local/share/opencode/auth.json", "outside/file"),
    "the plan agent itself": (".config/opencode/agents/plan.md", "outside/file"),
    "the folder of the plan agent": (".config/opencode/agents", "root"),
}


@pytest.mark.parametrize("case", LINKS)
def test_a_link_planted_in_the_home_makes_tandem_write_nothing_outside_it(
    place: AgentPlace, opencode: Path, case: str
) -> None:
    name, target = LINKS[case]
    before = touched(place)
    link = opencode / name
    link.parent.mkdir(parents=True)
    link.symlink_to(place.base / target.replace("root", "project"))
    said = place.run("--agent", "opencode")
    assert said.code != 0
    assert f"{link}, in its private home, is a symbolic link" in said.err + said.out
    assert f"rm {link}" in said.err + said.out
    assert touched(place) == before
    assert (place.outside / "file").read_text() == "outside\n"


def test_a_special_file_in_the_place_of_a_log_in_is_refused_and_nothing_hangs(
    place: AgentPlace, opencode: Path
) -> None:
    fifo = opencode / ".config/opencode/opencode.json"
    fifo.parent.mkdir(parents=True)
    os.mkfifo(fifo)
    os.utime(fifo, (1, 1))
    said = place.run("--agent", "opencode")
    assert said.code != 0
    assert str(fifo) in said.err + said.out


def test_a_link_in_the_place_of_its_temporary_files_is_refused(place: AgentPlace, opencode: Path) -> None:
    opencode.mkdir(parents=True)
    (opencode / "tmp").symlink_to(place.outside)
    said = place.run("--agent", "opencode")
    assert said.code != 0
    assert f"rm {opencode / 'tmp'}" in said.err + said.out


def test_a_clean_home_gets_the_newer_log_in_and_keeps_its_own_newer_one(place: AgentPlace, opencode: Path) -> None:
    assert place.run("--agent", "opencode").data["said"] == "hello"
    copied = opencode / ".local/share/opencode/auth.json"
    assert (json.loads(copied.read_text()), copied.stat().st_mode & 0o777) == ({"key": KEY}, 0o600)
    copied.write_text("renewed by the agent")
    assert place.run("--agent", "opencode").data["said"] == "hello"
    assert copied.read_text() == "renewed by the agent"


def test_each_custom_agent_has_a_home_of_its_own_and_finds_it_again(place: AgentPlace) -> None:
    first = place.scripted([{"do": "shell", "script": "echo TOKEN > $HOME/token; cat $HOME/token > one.txt"}])
    second = place.scripted([{"do": "shell", "script": "cat $HOME/token > two.txt || echo nothing > two.txt"}])
    place.plan(*first)
    plan = place.plan(*second)
    assert [(each["path"], "TOKEN" in json.dumps(each)) for each in plan["operations"]] == [("two.txt", False)]
    homes = sorted(folder.name for folder in (place.state / "agents").iterdir())
    assert len(homes) == 2
    assert all(name.startswith("custom-") for name in homes)
    place.plan(*first)
    assert sorted(folder.name for folder in (place.state / "agents").iterdir()) == homes
