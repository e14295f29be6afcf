"""The socket serves whoever presents a session's token, and nobody else; what a stranger sends has limits."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.planning_tools import server as server_module
from tandem_desktop.planning_tools.mcp import MOST_UNANSWERED
from tandem_desktop.planning_tools.relay import SOCKET_VARIABLE, TOKEN_VARIABLE
from tandem_desktop.planning_tools.server import PlanningServerHost
from tests.support.planning import SESSION, RecordingToolHandler

LIMIT = 30.0
MESSAGE_BYTES = 4096
OTHER = SessionId("SES-2")


class Line:
    """A connection on which the test says every byte itself."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, *lines: bytes) -> None:
        self.writer.write(b"".join(line + b"\n" for line in lines))
        await self.writer.drain()

    async def message(self) -> dict[str, Any]:
        async with asyncio.timeout(LIMIT):
            found: dict[str, Any] = json.loads(await self.reader.readline())
        return found

    async def ask(self, method: str, number: int | str = 1, **params: Any) -> dict[str, Any]:
        await self.send(request(method, number, **params))
        return await self.message()

    async def closed(self) -> bool:
        """Whether the host closes without a word."""
        async with asyncio.timeout(LIMIT):
            with contextlib.suppress(ConnectionError):
                return await self.reader.read() == b""
        return True


def request(method: str, number: int | str = 1, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def note(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


GREETING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[PlanningServerHost]:
    found = PlanningServerHost(tmp_path, max_message_bytes=MESSAGE_BYTES)
    await found.start()
    yield found
    await found.close()


@contextlib.asynccontextmanager
async def connected(host: PlanningServerHost, first: bytes = b"") -> AsyncIterator[Line]:
    reader, writer = await asyncio.open_unix_connection(str(host.socket_path), limit=2**24)
    line = Line(reader, writer)
    try:
        if first:
            with contextlib.suppress(ConnectionError):
                await line.send(first)
        yield line
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def greeted(host: PlanningServerHost, session_id: SessionId = SESSION) -> AsyncIterator[Line]:
    token = host.definition(session_id).env[TOKEN_VARIABLE]
    async with connected(host, f"{token} {session_id}".encode()) as line:
        assert "result" in await line.ask("initialize", 0, **GREETING)
        await line.send(note("notifications/initialized"))
        yield line


def opened(
    host: PlanningServerHost, session_id: SessionId = SESSION, *, plan_mode: list[bool] | None = None
) -> RecordingToolHandler:
    handler = RecordingToolHandler()
    modes = plan_mode or [True]
    host.open_session(session_id, handler, lambda: modes[0])
    return handler


async def test_definition_carries_the_socket_and_a_token_of_its_own_for_each_session(host: PlanningServerHost) -> None:
    opened(host)
    opened(host, OTHER)
    one, other = host.definition(SESSION), host.definition(OTHER)
    assert one.env[SOCKET_VARIABLE] == other.env[SOCKET_VARIABLE] == str(host.socket_path)
    assert one.env[TOKEN_VARIABLE] != other.env[TOKEN_VARIABLE]
    assert len(one.env[TOKEN_VARIABLE]) >= 43
    assert one.command[-1] == SESSION


async def test_a_session_that_is_not_open_has_no_definition(host: PlanningServerHost) -> None:
    with pytest.raises(BadInputError, match="SES-1 has no planning tools"):
        host.definition(SESSION)


@pytest.mark.parametrize(
    "first",
    [
        b"wrong",
        b"",
        b" ",
        b"\xff\xfe\x00",
        b"x" * 200_000,
        request("initialize", 0, **GREETING),
        b"TOKEN SES-2",
        b"TOKEN SES-1 more",
        b"TOKE",
    ],
    ids=["wrong", "nothing", "blank", "no text", "endless", "no token", "another session", "more", "half"],
)
async def test_without_the_right_token_nothing_is_answered(host: PlanningServerHost, first: bytes) -> None:
    handler = opened(host)
    opened(host, OTHER)
    token = host.definition(SESSION).env[TOKEN_VARIABLE].encode()
    sent = first.replace(b"TOKEN", token).replace(b"TOKE", token[:-1])
    async with connected(host, sent + b"\n" + request("tools/list")) as line:
        assert await line.closed()
    assert handler.calls == []


async def test_a_stranger_who_says_nothing_is_closed_in_time(tmp_path: Path) -> None:
    host = PlanningServerHost(tmp_path, greeting_timeout_s=0.05)
    await host.start()
    async with connected(host) as line:
        assert await line.closed()
    await host.close()


async def test_strangers_beyond_the_limit_push_out_the_oldest_of_them_and_no_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "MOST_STRANGERS", 2)
    host = PlanningServerHost(tmp_path, greeting_timeout_s=10 * LIMIT)  # none is closed for its silence
    await host.start()
    opened(host)
    async with connected(host) as first, connected(host), connected(host):
        assert await first.closed()
        async with greeted(host) as line, connected(host), connected(host):
            assert "result" in await line.ask("ping")
    await host.close()


async def test_greeting_ping_list_and_call(host: PlanningServerHost) -> None:
    handler = opened(host)
    async with greeted(host) as line:
        assert (await line.ask("ping", 1))["result"] == {}
        listed = (await line.ask("tools/list", "two"))["result"]["tools"]
        assert all(tool["_meta"] == {"anthropic/alwaysLoad": True} for tool in listed), "none has to be searched for"
        assert listed[0]["name"] == "present_plan"
        assert listed[0]["description"].startswith("<description>")
        answer = await line.ask("tools/call", 3, name="present_plan", arguments={"plan_content": "# A"})
        assert (answer["id"], answer["result"]["isError"]) == (3, False)
        unknown = await line.ask("resources/list", 4)
        assert unknown["error"]["code"] == -32601
    assert handler.calls == [("present", SESSION, "# A", "")]


@pytest.mark.req("S1-22")
async def test_the_list_follows_plan_mode_and_the_agent_is_told_that_it_changed(host: PlanningServerHost) -> None:
    modes = [False]
    opened(host, plan_mode=modes)
    async with greeted(host) as line:
        names = [tool["name"] for tool in (await line.ask("tools/list"))["result"]["tools"]]
        assert "present_plan" not in names
        modes[0] = True
        await host.announce_changed_tools(SESSION)
        assert (await line.message())["method"] == "notifications/tools/list_changed"
        names = [tool["name"] for tool in (await line.ask("tools/list"))["result"]["tools"]]
        assert "present_plan" in names


async def test_a_call_that_waits_for_a_person_blocks_no_other_call_connection_or_session(
    host: PlanningServerHost,
) -> None:
    handler = opened(host)
    handler.gate = asyncio.Event()
    opened(host, OTHER)
    async with greeted(host) as slow, greeted(host) as beside, greeted(host, OTHER) as other:
        await slow.send(request("tools/call", 7, name="present_plan", arguments={"plan_content": "# A"}))
        await handler.waiting.wait()
        for line in (slow, beside, other):
            assert (await line.ask("tools/call", 8, name="plan_list", arguments={}))["id"] == 8
        handler.gate.set()
        assert (await slow.message())["id"] == 7


@pytest.mark.parametrize("id_first", [True, False], ids=["id in front", "id at the end"])
async def test_a_message_over_the_limit_is_refused_by_its_id_and_the_connection_goes_on(
    host: PlanningServerHost, id_first: bool
) -> None:
    handler = opened(host)
    params = {"name": "present_plan", "arguments": {"plan_content": 'x "id": 5 ' * MESSAGE_BYTES}}
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}
    if not id_first:
        message = {"method": "tools/call", "params": params, "jsonrpc": "2.0", "id": 9}
    async with greeted(host) as line:
        await line.send(json.dumps(message).encode())
        refused = await line.message()
        assert refused["id"] == 9
        assert "the limit is 4,096" in refused["error"]["message"]
        assert (await line.ask("ping", 10))["id"] == 10
    assert handler.calls == []


async def test_an_overlong_line_without_an_id_in_sight_is_refused_without_one(host: PlanningServerHost) -> None:
    opened(host)
    async with greeted(host) as line:
        await line.send(b"x" * 3_000_000)
        refused = await line.message()
        assert refused["id"] is None
        assert "3,000,000 bytes" in refused["error"]["message"]


@pytest.mark.parametrize(
    "garbage", [b"not JSON", b"[" * 4000, b"{}", b'{"jsonrpc": "1.0", "id": 1}', b"\xff\xfe", b'"text"']
)
async def test_a_line_that_is_no_message_is_answered_and_the_connection_goes_on(
    host: PlanningServerHost, garbage: bytes
) -> None:
    opened(host)
    async with greeted(host) as line:
        await line.send(garbage)
        assert (await line.message())["error"]["code"] == -32700
        assert (await line.ask("ping", 10))["id"] == 10


async def test_an_id_that_is_still_open_cannot_be_used_again(host: PlanningServerHost) -> None:
    handler = opened(host)
    handler.gate = asyncio.Event()
    async with greeted(host) as line:
        await line.send(request("tools/call", 7, name="present_plan", arguments={"plan_content": "# A"}))
        await handler.waiting.wait()
        assert "still open" in (await line.ask("ping", 7))["error"]["message"]


async def test_cancelled_requests_do_not_use_up_the_connection(host: PlanningServerHost) -> None:
    handler = opened(host)
    handler.gate = asyncio.Event()
    async with greeted(host) as line:
        for number in range(MOST_UNANSWERED + 20):
            await line.send(
                request("tools/call", number, name="present_plan", arguments={"plan_content": "# A"}),
                note("notifications/cancelled", requestId=number),
            )
        await line.send(request("ping", "last"))
        while (await line.message())["id"] != "last":
            pass


async def test_an_agent_that_reads_nothing_is_soon_not_read_either(host: PlanningServerHost) -> None:
    opened(host)
    opened(host, OTHER)
    token = host.definition(SESSION).env[TOKEN_VARIABLE].encode()
    waiting = b"\n".join((token, request("initialize", 0, **GREETING), note("notifications/initialized"), b""))
    sent, blocked = 0, 0
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.setblocking(False)
        deaf.connect(str(host.socket_path))
        async with greeted(host, OTHER) as other:
            while blocked < 1000:
                waiting = waiting or b"".join(request("tools/list", sent + n) + b"\n" for n in range(100))
                try:
                    done = deaf.send(waiting)
                except BlockingIOError:
                    blocked += 1
                    assert "result" in await other.ask("ping")
                else:
                    sent, blocked, waiting = sent + done, 0, waiting[done:]
                assert sent < 1_000_000
            await host.announce_changed_tools(SESSION)


async def test_closing_a_session_ends_its_connections_and_forgets_its_token(host: PlanningServerHost) -> None:
    handler = opened(host)
    handler.gate = asyncio.Event()
    opened(host, OTHER)
    token = host.definition(SESSION).env[TOKEN_VARIABLE].encode()
    async with greeted(host) as line, greeted(host, OTHER) as other:
        await line.send(request("tools/call", 7, name="present_plan", arguments={"plan_content": "# A"}))
        await handler.waiting.wait()
        await host.close_session(SESSION)
        await line.closed()
        assert "result" in await other.ask("ping")
    async with connected(host, token) as line:
        assert await line.closed()
    with pytest.raises(BadInputError):
        host.definition(SESSION)


async def test_opening_a_session_again_gives_a_new_token_and_ends_the_old_connections(
    host: PlanningServerHost,
) -> None:
    opened(host)
    old = host.definition(SESSION).env[TOKEN_VARIABLE].encode()
    async with greeted(host) as line:
        opened(host)
        await line.closed()
    async with connected(host, old) as line:
        assert await line.closed()
    async with greeted(host) as line:
        assert "result" in await line.ask("ping")


@pytest.mark.req("S1-22")
async def test_tries_are_counted_over_connections_until_the_next_turn(tmp_path: Path) -> None:
    host = PlanningServerHost(tmp_path, tries=2)
    await host.start()
    opened(host)
    told = []
    for _ in range(3):
        async with greeted(host) as line:
            answer = await line.ask("tools/call", name="present_plan", arguments={"plan": "# A"})
            assert answer["result"]["isError"]
            told.append(answer["result"]["content"][0]["text"])
    assert "1 try is left" in told[0]
    assert "the last of 2 tries" in told[1]
    assert "takes no more calls" in told[2]
    host.start_turn(SESSION)
    async with greeted(host) as line:
        answer = await line.ask("tools/call", name="present_plan", arguments={"plan_content": "# A"})
        assert not answer["result"]["isError"]
    await host.close()


async def test_closing_the_host_leaves_no_socket(tmp_path: Path) -> None:
    host = PlanningServerHost(tmp_path)
    await host.start()
    opened(host)
    async with greeted(host) as line, connected(host) as stranger:
        await host.close()
        await line.closed()
        assert await stranger.closed()
    assert not host.socket_path.exists()
