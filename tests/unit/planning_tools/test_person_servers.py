"""Connections to the person's MCP servers: late ones, ended ones, and calls that nobody decided on."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from tandem_desktop.domain.agent_protocol import PermissionAnswer, PermissionRequest, PermissionVerdict
from tandem_desktop.domain.errors import BadInputError, PolicyError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.planning_tools import person_servers
from tandem_desktop.planning_tools.person_servers import PersonServer, PersonTools
from tests.support.agents import ledger_server
from tests.support.patience import PATIENCE_S

SESSION = SessionId("SES-00000001")


async def allowed(request: PermissionRequest) -> PermissionAnswer:
    return PermissionAnswer(PermissionVerdict.ALLOW)


def a_ledger(tmp_path: Path, before: str = "") -> PersonServer:
    """A server whose shell notes its pid, and first does what stands in `before`."""
    program = f"{before}echo $$ > {tmp_path}/pid; exec {sys.executable} {ledger_server.__file__} {tmp_path}/ledger.txt"
    root = str(Path(__file__).resolve().parents[3])
    return PersonServer(name="ledger", command="sh", args=("-c", program), env={"PYTHONPATH": root})


async def test_an_agent_does_not_wait_for_a_slow_server_and_is_told_when_its_tools_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_servers, "_LIST_S", 0.0)
    ready = asyncio.Event()
    tools = PersonTools(SESSION, (a_ledger(tmp_path, f"while [ ! -e {tmp_path}/go ]; do sleep 0.02; done; "),), allowed)
    tools.start(ready.set)
    try:
        assert await tools.offered() == ()
        (tmp_path / "go").touch()
        async with asyncio.timeout(PATIENCE_S):
            await ready.wait()
            while not (offered := await tools.offered()):
                await asyncio.sleep(0)
        assert [each.name for each in offered] == ["held__ledger__book", "held__ledger__balance"]
        assert offered[0].full_name == "mcp__ledger__book"
    finally:
        await tools.close()


async def test_a_server_that_has_ended_is_started_again_for_the_next_call(tmp_path: Path) -> None:
    tools = PersonTools(SESSION, (a_ledger(tmp_path),), allowed)
    try:
        first = await tools.call("held__ledger__book", {"amount": 1})
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
        second = await tools.call("held__ledger__book", {"amount": 2})
        refused = await tools.call("held__ledger__book", {"amount": "much"})
    finally:
        await tools.close()
    assert (first.texts, second.texts) == (("booked 1",), ("booked 2",))
    assert refused.failed
    assert (tmp_path / "ledger.txt").read_text() == "1 \n2 \n"


async def test_a_call_nobody_decides_on_is_not_made(tmp_path: Path) -> None:
    tools = PersonTools(SESSION, (a_ledger(tmp_path),))
    with pytest.raises(BadInputError, match="Unknown tool"):
        await tools.call("held__ledger__book", {"amount": 1})
    await tools.close()
    assert not (tmp_path / "ledger.txt").exists()


async def test_a_server_that_cannot_be_reached_offers_nothing_and_a_call_says_so() -> None:
    gone = PersonServer(name="gone", url="http://127.0.0.1:9/mcp")
    tools = PersonTools(SESSION, (gone,), allowed)
    try:
        assert await tools.offered() == ()
        with pytest.raises(PolicyError, match="The MCP server gone cannot be reached"):
            await tools.call("held__gone__anything", {})
    finally:
        await tools.close()
