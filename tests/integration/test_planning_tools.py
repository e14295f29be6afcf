"""Planning tools from end to end: a real MCP client, the real relay or the real call, and what a person then finds."""

import asyncio
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tandem_desktop.domain.agent_protocol import PlanningServer
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.planning_tools.relay import TOKEN_VARIABLE
from tandem_desktop.planning_tools.server import PlanningServerHost
from tests.support.command_line import CommandLine, a_workspace
from tests.support.patience import PATIENCE_S
from tests.support.planning import SESSION, RecordingToolHandler, a_step, an_agent, texts

ROOT = Path(__file__).resolve().parents[2]
OTHER = SessionId("SES-2")


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[PlanningServerHost]:
    found = PlanningServerHost(tmp_path / "sockets")
    await found.start()
    yield found
    await found.close()


def tandem_mcp(workspace: Path) -> PlanningServer:
    """The call as a person registers it with an agent of their own."""
    command = (sys.executable, "-m", "tandem_desktop", "-C", str(workspace), "mcp")
    return PlanningServer(name="tandem", command=command, env={"TANDEM_STATE_DIR": os.environ["TANDEM_STATE_DIR"]})


@pytest.mark.req("S1-04")
async def test_an_agent_finds_present_plan_and_the_person_gets_the_markdown(
    host: PlanningServerHost, tmp_path: Path
) -> None:
    handler = RecordingToolHandler()
    server = host.open_session(SESSION, handler, lambda: True)
    async with an_agent(server, tmp_path / "stderr") as agent:
        tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
        assert list(tools) == ["present_plan", "plan_propose", "plan_list", "plan_get", "task_update"]
        assert tools["present_plan"].input_schema["required"] == ["plan_content"]
        answer = await agent.call_tool("present_plan", {"plan_content": "# A\n\n✓ all of it", "title": "A"})
    assert texts(answer) == ["The person reads it now, in SES-1."]
    assert handler.calls == [("present", SESSION, "# A\n\n✓ all of it", "A")]
    assert (tmp_path / "stderr").read_text() == ""


async def test_log_names_connections_and_tools_but_no_token_and_no_argument(
    host: PlanningServerHost, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "tandem_desktop")
    server = host.open_session(SESSION, RecordingToolHandler(), lambda: True)
    async with an_agent(server, tmp_path / "stderr") as agent:
        await agent.call_tool("present_plan", {"plan_content": "SECRET-plan", "title": "SECRET-title"})
        await agent.call_tool("plan_get", {})
    await host.close_session(SESSION)
    log = [record.getMessage() for record in caplog.records if record.name.startswith("tandem_desktop")]
    expected = ("relay connected", "tool answered", "tool refused (bad_input)", "relay closed")
    assert [next(word for word in expected if word in line) for line in log] == list(expected)
    assert [line for line in log if "SECRET" in line or server.env[TOKEN_VARIABLE] in line] == []


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_agents_of_both_ages_of_the_protocol_are_served(host: PlanningServerHost, mode: str) -> None:
    server = host.open_session(SESSION, RecordingToolHandler(), lambda: True)
    parameters = StdioServerParameters(command=server.command[0], args=list(server.command[1:]), env=dict(server.env))
    async with Client(stdio_client(parameters), mode=mode) as agent:
        assert agent.protocol_version < "2026" if mode == "legacy" else agent.protocol_version >= "2026"
        assert not (await agent.call_tool("present_plan", {"plan_content": "# A"})).is_error


async def test_two_sessions_at_once_each_reach_their_own_desk(host: PlanningServerHost, tmp_path: Path) -> None:
    handlers = {session: RecordingToolHandler() for session in (SESSION, OTHER)}
    one, other = (host.open_session(session, handler, lambda: True) for session, handler in handlers.items())
    async with an_agent(one, tmp_path / "1") as first, an_agent(other, tmp_path / "2") as second:
        await asyncio.gather(
            *(agent.call_tool("plan_propose", {"title": "A", "steps": [a_step()]}) for agent in (first, second))
        )
        await host.close_session(SESSION)
        assert not (await second.call_tool("plan_list", {})).is_error
    assert [[call[:2] for call in handler.calls] for handler in handlers.values()] == [
        [("propose", SESSION)],
        [("propose", OTHER), ("list", OTHER)],
    ]


async def test_a_call_that_waits_for_a_person_keeps_no_other_waiting(host: PlanningServerHost, tmp_path: Path) -> None:
    handler = RecordingToolHandler()
    handler.gate = asyncio.Event()
    async with an_agent(host.open_session(SESSION, handler, lambda: True), tmp_path / "stderr") as agent:
        slow = asyncio.create_task(agent.call_tool("present_plan", {"plan_content": "# A"}))
        await handler.waiting.wait()
        assert not (await agent.call_tool("plan_list", {})).is_error
        assert not slow.done()
        handler.gate.set()
        assert not (await slow).is_error


async def test_with_a_wrong_token_the_relay_ends_and_says_nothing_on_the_wire(
    host: PlanningServerHost, tmp_path: Path
) -> None:
    server = host.open_session(SESSION, RecordingToolHandler(), lambda: True)
    environment = {**os.environ, **server.env, TOKEN_VARIABLE: "wrong"}
    process = await asyncio.create_subprocess_exec(
        *server.command, env=environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    assert out == b""


async def test_an_oversize_plan_is_refused_and_the_agent_can_go_on(tmp_path: Path) -> None:
    host = PlanningServerHost(tmp_path / "sockets", max_message_bytes=50_000)
    await host.start()
    handler = RecordingToolHandler()
    async with an_agent(host.open_session(SESSION, handler, lambda: True), tmp_path / "stderr") as agent:
        with pytest.raises(Exception, match="the limit is 50,000"):
            await agent.call_tool("present_plan", {"plan_content": "x" * 100_000})
        assert not (await agent.call_tool("present_plan", {"plan_content": "x" * 40_000})).is_error
    assert len(handler.calls) == 1
    await host.close()


@pytest.mark.req("S1-22")
async def test_malformed_calls_are_counted_down_for_the_agent(host: PlanningServerHost, tmp_path: Path) -> None:
    async with an_agent(host.open_session(SESSION, RecordingToolHandler(), lambda: True), tmp_path / "stderr") as agent:
        answers = [await agent.call_tool("plan_propose", {"title": "A", "steps": [{}]}) for _ in range(4)]
    assert all(answer.is_error for answer in answers)
    told = [texts(answer)[0] for answer in answers]
    assert "`steps.1.description` is missing" in told[0]
    assert ["2 tries are left" in told[0], "1 try is left" in told[1]] == [True, True]
    assert ["last of 3 tries" in told[2], "takes no more calls" in told[3]] == [True, True]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
async def test_the_relay_works_where_everything_is_read_only_and_the_state_is_out_of_sight(tmp_path: Path) -> None:
    state, workspace = tmp_path / "state", tmp_path / "project"
    state.mkdir()
    workspace.mkdir()
    host = PlanningServerHost(state / "sockets")
    await host.start()
    handler = RecordingToolHandler()
    server = host.open_session(SESSION, handler, lambda: True)
    socket = str(host.socket_path)
    sandbox = ("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", str(state))
    sandbox += ("--ro-bind", socket, socket, "--unshare-user", "--unshare-pid", "--die-with-parent")
    probe = subprocess.run([*sandbox, "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        await host.close()
        pytest.skip(f"bubblewrap cannot make a sandbox here: {probe.stderr.strip()}")
    confined = server.model_copy(update={"command": (*sandbox, "--chdir", str(workspace), *server.command)})
    async with an_agent(confined, tmp_path / "stderr") as agent:
        assert not (await agent.call_tool("present_plan", {"plan_content": "# A"})).is_error
    assert len(handler.calls) == 1
    await host.close()


@pytest.mark.req("S3-14", "S3-15")
async def test_an_agent_of_ones_own_proposes_a_real_plan_which_only_a_person_can_approve(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = a_workspace(tmp_path)
    steps: list[dict[str, Any]] = [
        {
            "description": "Shout",
            "tool": "edit",
            "args": {"path": "notes.txt", "old_string": "two", "new_string": "TWO"},
        },
        {"description": "Look at it", "tool": "read", "operation": "read", "target": "notes.txt"},
    ]
    async with an_agent(tandem_mcp(workspace), tmp_path / "stderr", cwd=ROOT) as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == ["plan_propose", "plan_list", "plan_get"]
        answer = await agent.call_tool("plan_propose", {"title": "Shout", "steps": steps, "context": {"ticket": 7}})
        assert not answer.is_error, texts(answer)
        proposed = json.loads(texts(answer)[1])
        listed = json.loads(texts(await agent.call_tool("plan_list", {}))[0])
        assert [plan["plan_id"] for plan in listed] == [proposed["plan_id"]]
        for name in ("plan_approve", "plan_reject", "plan_apply"):
            refused = await agent.call_tool(name, {"plan_id": proposed["plan_id"], "digest": proposed["digest"]})
            assert refused.is_error
            assert "only a person approves" in texts(refused)[0]
        found = json.loads(texts(await agent.call_tool("plan_get", {"plan_id": proposed["plan_id"]}))[0])
        assert (found["status"], found["context"]) == ("proposed", {"ticket": 7})
    assert (tmp_path / "stderr").read_text() == ""
    assert (workspace / "notes.txt").read_text() == "one\ntwo\nthree\n"
    assert sorted(path.name for path in workspace.iterdir()) == [".tandem", "notes.txt"]

    tandem = CommandLine(workspace, capsys)
    shown = tandem.answer("show", proposed["plan_id"])
    assert shown["plan"]["digest"] == proposed["digest"]
    assert "2. Look at it (read: read notes.txt)" in shown["plan"]["content"]
    tandem.answer("approve", proposed["plan_id"], "--digest", proposed["digest"])
    assert tandem.answer("apply", proposed["plan_id"])["status"] == "completed"
    assert (workspace / "notes.txt").read_text() == "one\nTWO\nthree\n"


def test_a_workspace_that_is_not_there_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    command = tandem_mcp(tmp_path / "nowhere").command
    ended = subprocess.run(command, cwd=ROOT, input="", capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "nowhere" in ended.stderr


def test_nothing_but_messages_is_written_to_the_wire(tmp_path: Path) -> None:
    asked = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    command = [*tandem_mcp(a_workspace(tmp_path)).command, "--json"]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(asked)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        rest, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, rest) == (0, b"")
