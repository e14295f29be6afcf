"""MCP messages over one pair of streams: lines in and out, with limits on what a stranger may send."""

import asyncio
import contextlib
import re
from asyncio import StreamReader, StreamWriter

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from tandem_desktop.planning_tools.bounded_lines import OverlongLine, bounded_lines

MOST_UNANSWERED = 256
"""Requests read and not answered; no more is read while there are so many."""

Inbound = SessionMessage | Exception

_ID = rb'"id"\s*:\s*(?:(\d{1,18})|"([^"\\]{1,200})")'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_ID_IN_FRONT = re.compile(rb'\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*' + _ID)
_ID_AT_THE_END = re.compile(
    rb"\}\s*,\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"\s*(?:,\s*" + _VERSION + rb"\s*)?\}\s*\Z"
)


class Wire:
    """One connection. `carry` runs until the agent is gone; meanwhile `inbound` and `outbound` hold the messages."""

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
