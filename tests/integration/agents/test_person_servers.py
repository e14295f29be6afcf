"""The person's own MCP servers: an agent may use their tools, and no call is made before the person approved it."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.agents import ledger_server
from tests.support.patience import PATIENCE_S
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel
from tests.support.shadows import wait_until

SERVER = str(ledger_server.__file__)
BOOKED = {"tool": "mcp__ledger__book", "arguments": {"amount": 7, "text": "tea"}, "target": ""}
MAY_READ = '[[rules]]\nanswer = "allow"\ntool = "mcp__ledger__balance"\n'
SCRIPT = {
    "book": (
        Step("Writing.", (Call("write", {"path": "{cwd}/tea.txt", "content": "tea\n"}),)),
        Step("Looking.", (Call("*balance", {}),)),
        Step("Booking.", (Call("*book", {"amount": 7, "text": "tea"}),)),
        Step("Done."),
    )
}


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.txt"


@pytest.fixture
def served(ledger: Path) -> Iterator[Callable[[str], str]]:
    """Starts the server behind an address, by a kind of transport; what that address is."""
    started: list[subprocess.Popen[bytes]] = []

    def start(kind: str) -> str:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [sys.executable, SERVER, str(ledger), str(port), kind]
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_until(lambda: _listens(port))
        return f"http://127.0.0.1:{port}/{'sse' if kind == 'sse' else 'mcp'}"

    yield start
    for each in started:
        each.kill()
        each.wait(PATIENCE_S)


def _listens(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def name_server(place: AgentPlace, **server: Any) -> None:
    (place.settings / "mcp.json").write_text(json.dumps({"mcpServers": {"ledger": server}}))


def planned(place: AgentPlace, agent: str) -> tuple[dict[str, Any], list[str]]:
    """What the agent came to, and what its model was told by its tools."""
    with ScriptedModel(SCRIPT) as model, pytest.MonkeyPatch.context() as environment:
        if agent == "built-in":
            environment.setenv("TANDEM_MODEL", "openai-compatible:fake-1")
            environment.setenv("TANDEM_MODEL_URL", model.openai_url)
            environment.setenv("TANDEM_MODEL_KEY", "x")
        else:
            npm_agents.require(agent, place, model, environment)
        plan = place.plan("--agent", agent, task=f"Book the tea. [[scenario:book]] [[cwd:{place.root}]]")
        told = [str(message) for request in model.requests for message in request.messages]
    return plan, told


def approved_and_made(place: AgentPlace, plan: dict[str, Any]) -> None:
    place.tandem.answer("approve", plan["plan_id"], "--digest", plan["digest"])
    run = place.tandem.answer("apply", plan["plan_id"])
    assert run["status"] == "completed", run
    [results] = (place.root / ".tandem" / "runs").glob("*/results.json")
    assert "booked 7" in results.read_text()


@pytest.mark.parametrize("agent", ["built-in", "opencode", pytest.param("claude", marks=pytest.mark.agents)])
def test_a_call_of_the_persons_server_waits_for_the_approval_and_is_made_once_with_what_was_shown(
    agent: str, place: AgentPlace, ledger: Path
) -> None:
    name_server(place, command=sys.executable, args=[SERVER, str(ledger)])
    (place.settings / "settings.toml").write_text(MAY_READ)
    plan, told = planned(place, agent)
    assert ledger.read_text() == "asked\n", "what the person's rule lets through, and nothing else"
    assert any("the balance is 7" in each for each in told)
    assert any("queued for approval" in each for each in told)
    place.assert_nothing_left()
    assert [kind for kind, _ in kinds_and_paths(plan)] == ["create", "external"]
    held = plan["operations"][1]
    assert held["external"] == BOOKED
    assert set(held["flags"]) == {"irreversible", "outside"}
    assert (plan["incomplete"], plan["warnings"]) == ("", [])
    approved_and_made(place, plan)
    place.assert_nothing_left()
    assert ledger.read_text() == "asked\n7 tea\n"
    assert place.tandem("apply", plan["plan_id"], "--json").code != 0
    assert ledger.read_text() == "asked\n7 tea\n"


@pytest.mark.parametrize("kind", ["streamable-http", "sse"])
def test_a_server_behind_an_address_is_held_like_one_that_is_started(
    kind: str, place: AgentPlace, ledger: Path, served: Callable[[str], str]
) -> None:
    name_server(place, type=kind.removeprefix("streamable-"), url=served(kind), headers={"X-Key": "k"})
    plan, told = planned(place, "built-in")
    assert not ledger.exists()
    assert [each.get("external", {}).get("tool") for each in plan["operations"][1:]] == [
        "mcp__ledger__balance",
        "mcp__ledger__book",
    ]
    assert not any("the balance is 7" in each for each in told)
    approved_and_made(place, plan)
    assert ledger.read_text() == "asked\n7 tea\n"


def test_a_server_that_cannot_be_started_keeps_no_agent_from_its_work(place: AgentPlace) -> None:
    name_server(place, command="/no/such/program")
    plan, _ = planned(place, "built-in")
    assert [each["kind"] for each in plan["operations"]] == ["create"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "it is JSON that not every reader understands"),
        ("[]", "it is not JSON of the form"),
        ('{"mcpServers": {"a__b": {"command": "x"}}}', "is no name for a server"),
        ('{"mcpServers": {"a": {}}}', "a needs a command or a url"),
        ('{"mcpServers": {"a": {"command": 5}}}', "`command`"),
    ],
)
def test_a_file_of_servers_that_cannot_be_understood_is_named_before_an_agent_starts(
    text: str, reason: str, place: AgentPlace
) -> None:
    (place.settings / "mcp.json").write_text(text)
    said = place.run(task='/replace "x = 1" "x = 2"')
    assert said.code == 2
    assert reason in said.data["error"]["message"]
    assert reason in place.tandem("doctor").out


def test_a_workspace_names_no_servers(place: AgentPlace, ledger: Path) -> None:
    command = {"command": sys.executable, "args": [SERVER, str(ledger)]}
    for name in (".mcp.json", "mcp.json", ".tandem/mcp.json"):
        place.put(name, json.dumps({"mcpServers": {"ledger": command}}))
    (place.settings / "settings.toml").write_text(MAY_READ)
    _, told = planned(place, "built-in")
    assert not ledger.exists()
    assert not any("the balance is 7" in each for each in told)
