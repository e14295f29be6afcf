"""MCP over a pair of streams; slow to import."""

import asyncio
import contextlib
import socket
import threading
from asyncio import StreamReader, StreamWriter
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    ListToolsResult,
    PaginatedRequestParams,
    RequestId,
    TextContent,
    Tool,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from pydantic_core import ValidationError

from tandem_desktop import __version__
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.strict_json import ambiguity
from tandem_desktop.planning_tools import relay
from tandem_desktop.planning_tools.definitions import ToolDefinition
from tandem_desktop.planning_tools.person_servers import HeldTool, PersonTools
from tandem_desktop.planning_tools.server import OverlongLine, bounded_lines
from tandem_desktop.planning_tools.tools import PlanningTools

MOST_UNANSWERED = 256
"""Requests read and not answered; no more is read while there are so many."""

Inbound = SessionMessage | Exception

_ID = rb'"id"\s*:\s*(?:(\d{1,18})|"([^"\\]{1,200})")'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_ID_IN_FRONT = lazy_pattern(rb'\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*' + _ID)
_ID_AT_THE_END = lazy_pattern(
    rb"\}\s*,\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"\s*(?:,\s*" + _VERSION + rb"\s*)?\}\s*\Z"
)


class McpStream:
    """One connection. `carry` runs until the agent disconnects; `inbound` and `outbound` hold the messages."""

    def __init__(self, reader: StreamReader, writer: StreamWriter, max_message_bytes: int) -> None:
        self._reader = reader
        self._writer = writer
        self._limit = max_message_bytes
        self._sending = asyncio.Lock()
        self._unanswered: set[RequestId] = set()
        self._answered = asyncio.Event()
        self._initialized = False
        self.all_written = asyncio.Event()
        """Set when nothing more will be sent."""
        self._incoming: MemoryObjectSendStream[Inbound]
        self.inbound: MemoryObjectReceiveStream[Inbound]
        self.outbound: MemoryObjectSendStream[SessionMessage]
        self._outgoing: MemoryObjectReceiveStream[SessionMessage]
        self._incoming, self.inbound = anyio.create_memory_object_stream[Inbound](0)
        self.outbound, self._outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def carry(self) -> None:
        """Both directions; ends when both have."""
        async with anyio.create_task_group() as directions:
            directions.start_soon(self._read)
            directions.start_soon(self._write)

    async def announce_changed_tools(self) -> None:
        """Say that the list of tools is another one now, to an agent that greeted in a way that allows it."""
        if self._initialized:
            await self._send(JSONRPCNotification(jsonrpc="2.0", method="notifications/tools/list_changed"))

    async def _read(self) -> None:
        async with self._incoming:
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
                async for line in bounded_lines(self._reader, self._limit):
                    if isinstance(line, OverlongLine):
                        await self._refuse_overlong(line)
                    elif line.strip():
                        await self._take(line)

    async def _take(self, line: bytes) -> None:
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            await self._send(_error(None, PARSE_ERROR, "This line is not a JSON-RPC message."))
            return
        if (unclear := ambiguity(line)) is not None:
            # An id that is still open, or was given twice, would be answered for another request.
            known = message.id if isinstance(message, JSONRPCRequest) and "'id'" not in unclear else None
            told = f"The message is refused: {unclear}. Send each key once."
            await self._send(_error(None if known in self._unanswered else known, INVALID_REQUEST, told))
            return
        if isinstance(message, JSONRPCRequest):
            if message.id in self._unanswered:
                await self._send(_error(message.id, INVALID_REQUEST, "A request with this id is still open."))
                return
            self._unanswered.add(message.id)
        elif isinstance(message, JSONRPCNotification):
            self._note(message)
        await self._incoming.send(SessionMessage(message))
        while len(self._unanswered) >= MOST_UNANSWERED:
            self._answered.clear()
            await self._answered.wait()

    def _note(self, message: JSONRPCNotification) -> None:
        if message.method == "notifications/initialized":
            self._initialized = True
        elif message.method == "notifications/cancelled":  # such a request gets no answer
            request = (message.params or {}).get("requestId")
            if isinstance(request, int | str):
                self._unanswered.discard(request)

    async def _refuse_overlong(self, line: OverlongLine) -> None:
        told = f"The message has {line.size:,} bytes; the limit is {self._limit:,}. Propose the plan in smaller parts."
        await self._send(_error(_id_of(line), INVALID_REQUEST, told))

    async def _write(self) -> None:
        try:
            async with self._outgoing:
                async for item in self._outgoing:
                    await self._send(item.message)
                    if isinstance(item.message, JSONRPCResponse | JSONRPCError) and item.message.id is not None:
                        self._unanswered.discard(item.message.id)
                        self._answered.set()
        except (anyio.ClosedResourceError, ConnectionError):
            pass  # the agent is gone
        finally:
            self.all_written.set()

    async def _send(self, message: JSONRPCMessage) -> None:
        line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        async with self._sending:
            self._writer.write(line)
            await self._writer.drain()


def _error(request: RequestId | None, code: int, told: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=told))


def _id_of(line: OverlongLine) -> RequestId | None:
    """The id of a request that is too long to be read, where it stands in front or at the end."""
    found = _ID_IN_FRONT.match(line.head) or _ID_AT_THE_END.search(line.tail)
    if found is None:
        return None
    return int(found[1]) if found[1] is not None else found[2].decode(errors="replace")


SERVER_NAME = "tandem"
_LAST_WORDS_S = 1.0
"""How long an agent that has said its last word may take to read ours."""


class McpService:
    """One connection of one session."""

    def __init__(
        self,
        tools: PlanningTools,
        reader: StreamReader,
        writer: StreamWriter,
        max_message_bytes: int,
        held: PersonTools | None = None,
    ) -> None:
        """`held` are the tools of the person's own servers."""
        self._tools = tools
        self._held = held
        self._wire = McpStream(reader, writer, max_message_bytes)
        self._server: Server[Any] = Server(
            SERVER_NAME,
            version=__version__,
            title="Tandem",
            instructions=tools.prompts.text("planning", _INSTRUCTIONS),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def serve(self) -> None:
        """Answer until the agent is gone."""
        options = self._server.create_initialization_options(NotificationOptions(tools_changed=True))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._wire.carry)
            await self._server.run(self._wire.inbound, self._wire.outbound, options)
            with anyio.move_on_after(_LAST_WORDS_S):
                await self._wire.all_written.wait()
            tasks.cancel_scope.cancel()

    async def announce_changed_tools(self) -> None:
        await self._wire.announce_changed_tools()

    async def _list_tools(
        self, context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        held = await self._held.offered() if self._held is not None else ()
        return ListToolsResult(tools=[*map(self._tool, self._tools.offered()), *map(_held_tool, held)])

    def _tool(self, definition: ToolDefinition) -> Tool:
        return Tool(
            name=definition.name.value,
            description=definition.description(self._tools.prompts),
            input_schema=definition.input_schema(),
            annotations=ToolAnnotations(
                read_only_hint=definition.changes_nothing, destructive_hint=False, open_world_hint=False
            ),
            _meta=_SHOWN_AT_ONCE,
        )

    async def _call_tool(self, context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        call = self._held.call if self._held is not None and self._held.find(params.name) else None
        answer = await self._tools.call(params.name, params.arguments or {}, call)
        return CallToolResult(
            content=[TextContent(type="text", text=text) for text in answer.texts], is_error=answer.failed
        )


def _held_tool(tool: HeldTool) -> Tool:
    return Tool(name=tool.name, description=f"{_HELD} {tool.description}", input_schema=tool.schema)


_HELD = "Acts outside the workspace: while planning, a call waits in the plan until the person has approved it."
_SHOWN_AT_ONCE = {"anthropic/alwaysLoad": True}
"""An agent that lets its model search for tools, rather than list them all, lists these."""
_INSTRUCTIONS = "Plan with these tools; nothing is written until a person approves the plan in Tandem."


_LAST_BYTES_S = 5.0


async def serve_stdio(tools: PlanningTools, max_message_bytes: int, *, source: int = 0, target: int = 1) -> None:
    """Answer until `source` ends or `target` is gone. Either may be a pipe, a file or a terminal: threads copy."""
    ours, theirs = socket.socketpair()
    copying = threading.Thread(target=relay.copy_both_ways, args=(theirs, source, target), daemon=True)
    copying.start()
    reader, writer = await asyncio.open_connection(sock=ours)
    try:
        await McpService(tools, reader, writer, max_message_bytes).serve()
    finally:
        writer.close()
    await asyncio.to_thread(copying.join, _LAST_BYTES_S)
