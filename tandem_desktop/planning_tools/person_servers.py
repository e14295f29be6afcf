"""The person's own MCP servers, behind Tandem: an agent is offered their tools, and each call is decided on first.

A server runs outside every shadow, with the person's rights: what its tools do cannot be staged. So no agent reaches
it. Its tools stand beside the planning tools; a call of one is a permission request like that of any tool with effects
outside, and only when that is allowed does Tandem make the call.
"""

import asyncio
import contextlib
import itertools
import json
import logging
import re
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast

from pydantic_core import ValidationError

from tandem_desktop.domain.agent_protocol import PermissionAnswer, PermissionRequest, PermissionVerdict, ToolCall
from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import BadInputError, PolicyError, TandemError
from tandem_desktop.domain.ids import RequestId, SessionId, ToolCallId
from tandem_desktop.domain.operations import ExternalCall
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.strict_json import ambiguity
from tandem_desktop.planning_tools.tools import ToolAnswer
from tandem_desktop.policy.tools import HELD
from tandem_desktop.settings_io import config_directory, read_small_file

if TYPE_CHECKING:
    from mcp import Client

FILE = "mcp.json"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,38}")
_START_S = 60.0
_LIST_S = 3.0
_CALL_S = 600.0
_END_S = 5.0
_log = logging.getLogger(__name__)
Decide = Callable[[PermissionRequest], Awaitable[PermissionAnswer]]


class PersonServer(Frozen):
    """One entry of the person's file: a command, or an address. What it says besides is left to other programs."""

    name: str
    type: Literal["stdio", "http", "streamable-http", "sse"] | None = None
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class HeldTool:
    """A tool of a server, as an agent is offered it."""

    server: str
    tool: str
    description: str
    schema: dict[str, Any]

    @property
    def name(self) -> str:
        """What the agent calls."""
        return f"{HELD}{self.server}__{self.tool}"

    @property
    def full_name(self) -> str:
        """What the plan, the audit and the person's rules call it."""
        return f"mcp__{self.server}__{self.tool}"


def servers_file() -> Path:
    return config_directory() / FILE


def person_servers() -> tuple[PersonServer, ...]:
    """The servers of the person's file; none where there is no such file.

    Raises:
        BadInputError: the file cannot be understood.
        StorageError: it cannot be read.
    """
    path = servers_file()
    text = read_small_file(path, follow_links=True)
    if text is None:
        return ()
    if (unclear := ambiguity(text.encode())) is not None:
        raise _refused(path, unclear)
    try:
        entries = json.loads(text)["mcpServers"].items()
        known = PersonServer.__annotations__.keys()
        found = [
            PersonServer.model_validate({**{key: entry[key] for key in known if key in entry}, "name": name})
            for name, entry in entries
        ]
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise _refused(path, f"`{shown(str(problem['loc'][-1]))}`: {problem['msg']}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _refused(path, 'it is not JSON of the form {"mcpServers": {"NAME": {"command": …}}}') from None
    for server in found:
        if not _NAME.fullmatch(server.name):
            raise _refused(path, f"{shown(server.name)} is no name for a server: letters, digits and single hyphens")
        if bool(server.command) is bool(server.url):
            raise _refused(path, f"{server.name} needs a command or a url")
    return tuple(server for server in found if not server.disabled)


class PersonTools:
    """The tools of the person's servers, for one session; lives on the loop of its agent.

    `decide` answers a call of the agent before it is made; it is that of the session's interceptor. Without it no call
    of an agent is made.
    """

    def __init__(self, session_id: SessionId, servers: tuple[PersonServer, ...], decide: Decide | None = None) -> None:
        self._session_id = session_id
        self._servers = {server.name: _Connection(server) for server in servers}
        self._decide = decide
        self._numbers = itertools.count(1)
        self._changed: Callable[[], None] = lambda: None
        self._late: set[asyncio.Future[tuple[HeldTool, ...]]] = set()

    def start(self, changed: Callable[[], None]) -> None:
        """Start the servers; `changed` is called when one is ready after the agent has asked for its tools."""
        self._changed = changed
        for server in self._servers.values():
            server.start()

    async def offered(self) -> tuple[HeldTool, ...]:
        """The tools of every server that is ready, or is so in a moment: an agent does not wait long for a list."""
        asked = [asyncio.ensure_future(server.tools()) for server in self._servers.values()]
        if not asked:
            return ()
        ready, late = await asyncio.wait(asked, timeout=_LIST_S)
        self._late |= late
        for each in late:
            each.add_done_callback(self._came_late)
        return tuple(itertools.chain.from_iterable(each.result() for each in asked if each in ready))

    def _came_late(self, asked: "asyncio.Future[tuple[HeldTool, ...]]") -> None:
        self._late.discard(asked)
        if not asked.cancelled() and asked.result():
            self._changed()

    def find(self, name: str) -> tuple[str, str] | None:
        """The server and the tool that an offered name, or the full one of a plan, stands for."""
        for before in (HELD, "mcp__"):
            if name.startswith(before):
                server, _, tool = name.removeprefix(before).partition("__")
                return (server, tool) if server in self._servers and tool else None
        return None

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolAnswer:
        """What an agent's call comes to: the server's answer, or the reason why it was not asked."""
        found = self.find(name)
        if found is None or self._decide is None:
            raise BadInputError(f"Unknown tool {shown(name[:60])!r}.", next="Ask for the list of tools.")
        server, tool = found
        number = f"held-{next(self._numbers)}"
        asked = ToolCall(
            id=ToolCallId(number),
            tool=f"mcp__{server}__{tool}",
            title=f"{tool} of {server}",
            arguments=arguments,
            asked=True,
        )
        request = PermissionRequest(id=RequestId(number), session_id=self._session_id, call=asked, options=())
        answer = await self._decide(request)
        if answer.verdict is not PermissionVerdict.ALLOW:
            return ToolAnswer((answer.reason or "It was not called.",))
        return await self._servers[server].call(tool, arguments)

    async def make(self, call: ExternalCall) -> ToolAnswer:
        """Make a call that the person approved, once.

        Raises:
            PolicyError: the server cannot be reached; whether the call had an effect is not known then.
        """
        found = self.find(call.tool)
        assert found is not None
        return await self._servers[found[0]].call(found[1], json.loads(call.arguments))

    async def close(self) -> None:
        """End every server."""
        for each in tuple(self._late):
            each.cancel()
        await asyncio.gather(*(server.close() for server in self._servers.values()))


class _Connection:
    """One server, started when it is first needed, and again when it has ended.

    A task of its own opens and closes it: the library wants both in the same one.
    """

    def __init__(self, server: PersonServer) -> None:
        self._server = server
        self._task: asyncio.Task[None] | None = None
        self._open: asyncio.Future[tuple[Client, tuple[HeldTool, ...]]] | None = None
        self._closing = asyncio.Event()
        self._ending: set[asyncio.Task[None]] = set()

    async def tools(self) -> tuple[HeldTool, ...]:
        """Its tools; none, and a line in the log, where it cannot be started."""
        try:
            return (await self._opened())[1]
        except TandemError as error:
            _log.warning("%s", error.message)
            return ()

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolAnswer:
        """Raises PolicyError where the server cannot be reached or does not answer."""
        client = await self._living()
        _log.info("tool of the person's server called: %s of %s", tool, self._server.name)
        try:
            async with asyncio.timeout(_CALL_S):
                result = await client.call_tool(tool, arguments)
        except Exception as problem:
            if (refusal := _refusal(problem)) is not None:
                return ToolAnswer((refusal,), failed=True)
            self._let_go()
            raise PolicyError(
                f"The MCP server {self._server.name} did not answer the call of {shown(tool)}: {_reason(problem)}.",
                next="Whether the call had an effect is not known: look at what it acts on.",
            ) from problem
        texts = tuple(str(getattr(each, "text", f"({each.type})")) for each in result.content)
        if not texts and result.structured_content is not None:
            texts = (json.dumps(result.structured_content),)
        return ToolAnswer(texts, failed=bool(result.is_error))

    async def _living(self) -> "Client":
        """The connection, made anew where the server has ended since: a call that is sent is not sent again."""
        client, tools = await self._opened()
        try:
            async with asyncio.timeout(_END_S):
                if tools:
                    await client.list_tools(cache_mode="refresh")
        except Exception as problem:
            if _refusal(problem) is None:
                self._let_go()
                client, _ = await self._opened()
        return client

    async def close(self) -> None:
        """End the server, by force where it does not end by itself."""
        self._let_go()
        if self._ending:
            _, left = await asyncio.wait(self._ending, timeout=_END_S)
            for task in left:
                task.cancel()
            if left:
                await asyncio.wait(left, timeout=_END_S)

    def _let_go(self) -> None:
        """End the connection; the next call opens another."""
        self._closing.set()
        if self._task is not None:
            self._ending.add(self._task)
            self._task.add_done_callback(self._ending.discard)
        self._task = self._open = None

    def start(self) -> "asyncio.Future[tuple[Client, tuple[HeldTool, ...]]]":
        """The connection, as soon as there is one."""
        if self._open is None or self._task is None or self._task.done():
            self._open, self._closing = asyncio.get_running_loop().create_future(), asyncio.Event()
            running = self._run(self._open, self._closing)
            self._task = asyncio.create_task(running, name=f"mcp-{self._server.name}")
        return self._open

    async def _opened(self) -> "tuple[Client, tuple[HeldTool, ...]]":
        try:
            async with asyncio.timeout(_START_S):
                return await asyncio.shield(self.start())
        except TimeoutError:
            raise self._unreachable(f"it did not start within {_START_S:g} seconds") from None

    async def _run(self, opened: "asyncio.Future[tuple[Client, tuple[HeldTool, ...]]]", closing: asyncio.Event) -> None:
        try:
            async with _client(self._server) as client:
                tools = [
                    HeldTool(self._server.name, tool.name, tool.description or "", tool.input_schema)
                    for tool in (await client.list_tools()).tools
                ]
                opened.set_result((client, tuple(tools)))
                await closing.wait()
        except Exception as problem:
            if opened.done():
                _log.warning("the MCP server %s has ended: %s", self._server.name, _reason(problem))
            else:
                opened.set_exception(self._unreachable(_reason(problem)))
                opened.exception()  # nobody may be waiting

    def _unreachable(self, reason: str) -> PolicyError:
        return PolicyError(
            f"The MCP server {self._server.name} cannot be reached: {reason}.", next=f"Correct it in {servers_file()}."
        )


@contextlib.asynccontextmanager
async def _client(server: PersonServer) -> "AsyncIterator[Client]":
    """A connection by the server's own transport; the library is slow to import."""
    from mcp import Client, StdioServerParameters
    from mcp.client.sse import sse_client
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async with contextlib.AsyncExitStack() as stack:
        if server.command:
            silent = cast("TextIO", subprocess.DEVNULL)  # the library hands it on to subprocess, which knows it
            started = StdioServerParameters(command=server.command, args=list(server.args), env=server.env)
            transport = stdio_client(started, errlog=silent)
        elif server.type == "sse":
            transport = sse_client(server.url, headers=server.headers)
        else:
            http = await stack.enter_async_context(create_mcp_http_client(headers=server.headers))
            transport = streamable_http_client(server.url, http_client=http)
        yield await stack.enter_async_context(Client(transport))


def _refusal(problem: Exception) -> str | None:
    """What the server answered in place of a result; None where it did not answer."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

    is_answer = isinstance(problem, MCPError) and problem.error.code not in (CONNECTION_CLOSED, REQUEST_TIMEOUT)
    return f"The server refused the call: {problem}" if is_answer else None


def _reason(problem: BaseException) -> str:
    while isinstance(problem, BaseExceptionGroup) and problem.exceptions:
        problem = problem.exceptions[0]
    return (str(problem) or type(problem).__name__).rstrip(".")


def _refused(path: Path, reason: str) -> BadInputError:
    return BadInputError(f"{path} cannot be used: {reason}.", path=str(path), next="Correct or remove it.")
