"""JSON-RPC over pipes, with limits in every direction.

The library's connection makes our calls and matches the answers; this transport stands between it and the bytes. What
the agent asks is served here, side by side and each once; what it tells is passed on at once, in order.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic_core import from_json, to_json

from tandem_desktop.domain.errors import SidecarError, SidecarProtocolError, SidecarTimeoutError
from tandem_desktop.domain.strict_json import ambiguity

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SidecarLimits:
    """The bounds of one agent process; the defaults suit a desktop."""

    message_bytes: int = 16 * MIB
    """The longest line either side may send."""
    noise_lines: int = 1000
    """Invalid lines on its output before the agent is ended."""
    notices: int = 1_000_000
    """Messages without an answer that the agent may send after a call of ours, as in one turn, before it is ended."""
    open_requests: int = 1024
    """Requests of the agent that may wait for an answer at the same time; the next one is refused at once."""
    login_timeout_s: float = 600.0
    """How long a login may take; a person may have to type something on a page."""
    tool_calls: int = 4096
    """Tool calls remembered per session; the oldest are forgotten first."""
    tool_call_characters: int = 16 * MIB
    """What the remembered calls of a session may hold together."""
    output_characters: int = 64 * 1024
    """The end of a tool call's output that is kept."""
    stderr_lines: int = 200
    stderr_bytes: int = 64 * 1024
    session_timeout_s: float = 120.0
    """To open a session and to set its mode."""
    write_timeout_s: float = 60.0
    """How long the agent may leave its input unread while something waits to be written."""
    cancel_grace_s: float = 10.0
    """How long a turn may go on after it was cancelled."""
    close_grace_s: float = 1.0
    """Between closing the agent's input, which tells it to end, and asking its processes to end."""
    stop_grace_s: float = 2.0
    """Between asking the processes to end and making them."""


Message = dict[str, Any]

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
AUTH_REQUIRED = -32000
NOT_FOUND = -32002

_CHUNK = 64 * 1024
_MOST_TRACED = 4096
"""Requests whose start is remembered to log how long they took."""
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_log = logging.getLogger(__name__)


class Direction(StrEnum):
    """Which way a frame went."""

    RECEIVED = "received"
    SENT = "sent"


OnFrame = Callable[[Direction, bytes], None]
Answer = Callable[[str, str, Any], Coroutine[Any, Any, Any]]
"""The result for a request, from its id, its method and its parameters; a refusal is a `RefusedError`."""
Notice = Callable[[str, Any], None]
"""Takes what the agent tells: method and parameters."""


class RefusedError(Exception):
    """A request of the agent, or of ours, is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class WireTrace:
    """Logs each message at level debug: method, id, size, and how long an answer took; never its content."""

    def __init__(self) -> None:
        self._asked: dict[tuple[Direction, int | str], tuple[str, float]] = {}

    def received(self, message: Message, size: int) -> None:
        if _log.isEnabledFor(logging.DEBUG):
            self._log(Direction.RECEIVED, message, size)

    def sent(self, message: Message, size: int) -> None:
        if _log.isEnabledFor(logging.DEBUG):
            self._log(Direction.SENT, message, size)

    def _log(self, direction: Direction, message: Message, size: int) -> None:
        method, number = message.get("method"), message.get("id")
        if isinstance(method, str) and isinstance(number, int | str):
            if len(self._asked) < _MOST_TRACED:
                self._asked[direction, number] = (method, time.monotonic())
            _log.debug("acp %s: request %s, id %s, %d bytes", direction, method[:60], str(number)[:60], size)
        elif isinstance(method, str):
            _log.debug("acp %s: notice %s%s, %d bytes", direction, method[:60], _update_kind(message), size)
        elif isinstance(number, int | str):
            other = Direction.SENT if direction is Direction.RECEIVED else Direction.RECEIVED
            asked, begun = self._asked.pop((other, number), ("an unknown request", time.monotonic()))
            outcome = f"error {_code(message)}" if "error" in message else "answer"
            facts = (outcome, asked[:60], str(number)[:60], size, 1000 * (time.monotonic() - begun))
            _log.debug("acp %s: %s to %s, id %s, %d bytes, %.0f ms", direction, *facts)


def _update_kind(message: Message) -> str:
    params = message.get("params")
    update = params.get("update") if isinstance(params, dict) else None
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    return f" ({kind[:60]})" if isinstance(kind, str) else ""


def _code(message: Message) -> object:
    error = message["error"]
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else "without a code"


class LineTransport:
    """One message per line, both ways."""

    def __init__(
        self,
        stdout: asyncio.StreamReader,
        stdin: asyncio.StreamWriter,
        limits: SidecarLimits,
        *,
        answer: Answer,
        notice: Notice,
        settle: Callable[[], None] = lambda: None,
        on_frame: OnFrame | None = None,
        peer: str = "agent",
    ) -> None:
        """`settle` is called before anything but a notice is handed on, and when nothing more is there to be read.

        `peer` is what the other side is called in errors.
        """
        self._peer = peer
        self._stdout = stdout
        self._stdin = stdin
        self._limits = limits
        self._answer = answer
        self._notice = notice
        self._settle = settle
        self._on_frame = on_frame
        self._serving: set[asyncio.Task[Any] | None] = set()
        self._buffer = bytearray()
        self._scanned = 0
        self._open: set[int | str] = set()
        self._writing = asyncio.Lock()
        self._trace = WireTrace()
        self._closed = False
        self._notices = 0
        self.noise = 0
        self.refused = 0
        self.failure: SidecarError | None = None
        """Why nothing more is read, when it was not the end of the stream."""
        self.ended = asyncio.Event()
        """Set when nothing more will be received."""

    @property
    def open_requests(self) -> int:
        return len(self._open)

    def fail(self, error: SidecarError) -> None:
        """Stop listening; the first reason stands."""
        if self.failure is None:
            self.failure = error
        self._closed = True
        self.ended.set()

    async def receive(self) -> Message | None:
        """The next answer to a call of ours, or None when there will be none."""
        try:
            while not self._closed:
                line = await self._next_line()
                if line is None:
                    break
                message = self._read(line)
                if message is None:
                    continue
                self._trace.received(message, len(line))
                if (unclear := _ambiguity(message, line)) is not None:
                    if (failed := await self._refuse_unclear(message, unclear)) is not None:
                        return failed
                elif "method" not in message:
                    if _is_answer(message):
                        self._settle()
                        return message
                elif "id" in message:
                    self._settle()
                    await self._take(message)
                elif isinstance(message["method"], str):
                    self._count_notice()
                    self._notice(message["method"], message.get("params"))
        except SidecarError as error:
            self.fail(error)
        except OSError as problem:
            _log.debug("reading from the agent failed: %s", problem)
        self.ended.set()
        return None

    async def send(self, message: Message) -> None:
        """Write one call of ours.

        Raises:
            RefusedError: it is too long.
            ConnectionError: the agent cannot be reached.
        """
        data = _encoded(message)
        self._notices = 0
        if len(data) > self._limits.message_bytes:
            raise RefusedError(INVALID_PARAMS, f"The message is larger than {self._limits.message_bytes:,} bytes.")
        try:
            await self._write(data)
        except (OSError, SidecarTimeoutError):
            raise ConnectionError("the agent cannot be reached") from None
        self._trace.sent(message, len(data))

    async def close(self) -> None:
        """Stop listening and abandon requests that are still being served."""
        self._closed = True
        self.ended.set()
        # A task that never began would leave its request without even a note; one step takes each to where it waits.
        await asyncio.sleep(0)
        serving = [task for task in self._serving if task is not None]
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    async def _next_line(self) -> bytes | None:
        while True:
            end = self._buffer.find(b"\n", self._scanned)
            if (end if end >= 0 else len(self._buffer)) > self._limits.message_bytes:
                self._buffer.clear()
                raise SidecarProtocolError(
                    f"The {self._peer} sent a message larger than {self._limits.message_bytes:,} bytes.",
                    next=f"Start the {self._peer} again; if it happens again, report it to its makers.",
                )
            if end >= 0:
                with memoryview(self._buffer) as held:
                    line = bytes(held[:end])
                del self._buffer[: end + 1]
                self._scanned = 0
                return line
            self._scanned = len(self._buffer)
            self._settle()
            # Bytes that are there already are handed out without a pause: handlers get their turn here.
            await asyncio.sleep(0)
            chunk = await self._stdout.read(_CHUNK)
            if not chunk:
                return None
            self._buffer += chunk

    def _read(self, line: bytes) -> Message | None:
        """The line as a message, or None for noise."""
        message = _parsed(line)
        if message is None:
            if line.strip():
                self._count_noise(line)
            return None
        self._show(Direction.RECEIVED, line)
        return message

    def _count_noise(self, line: bytes) -> None:
        self.noise += 1
        if self.noise > self._limits.noise_lines:
            raise SidecarProtocolError(
                f"The {self._peer} wrote more than {self._limits.noise_lines:,} lines that are no messages, "
                f"the last one: {line[:120].decode(errors='replace')}",
                next="Check that the command speaks the Agent Client Protocol on its standard output.",
            )

    def _count_notice(self) -> None:
        self._notices += 1
        if self._notices > self._limits.notices:
            raise SidecarProtocolError(
                f"The {self._peer} sent more than {self._limits.notices:,} messages in one turn, so it was ended.",
                next="Start the agent again; what it did so far is in its shadow.",
            )

    async def _take(self, message: Message) -> None:
        """Serve a request in a task of its own, or refuse it."""
        number, method = message["id"], message["method"]
        reason = ""
        if not isinstance(number, int | str) or isinstance(number, bool):
            reason = "a request id must be a string or an integer"
        elif number in self._open:
            reason = f"request id {number!r} is still waiting for its answer"
        elif not isinstance(method, str):
            reason = "a method must be a string"
        if reason:
            # With the id it would be taken for the answer to the first request.
            await self._refuse(None, reason)
        elif len(self._open) >= self._limits.open_requests:
            await self._refuse(number, f"{len(self._open):,} requests are waiting already")
        else:
            self._open.add(number)
            self._serving.add(asyncio.create_task(self._serve(number, method, message.get("params"))))

    async def _serve(self, number: int | str, method: str, params: Any) -> None:
        try:
            try:
                result = await self._answer(str(number), method, params)
                message = {"jsonrpc": "2.0", "id": number, "result": result}
            except RefusedError as refusal:
                message = _error(number, refusal.code, refusal.message, refusal.data)
            data = _encoded(message)
            if len(data) > self._limits.message_bytes:
                reason = f"the answer is larger than {self._limits.message_bytes:,} bytes"
                data = _encoded(_error(number, INTERNAL_ERROR, reason))
            self._open.discard(number)
            await self._write(data)
            self._trace.sent(message, len(data))
        except (OSError, SidecarTimeoutError) as problem:
            _log.debug("an answer did not reach the agent: %s", problem)
        finally:
            self._serving.discard(asyncio.current_task())

    async def _refuse_unclear(self, message: Message, reason: str) -> Message | None:
        """Refuse a message that could be read in two ways; an answer to a call of ours becomes the failure of it."""
        _log.warning("acp received: message refused, %s", reason)
        number = message.get("id")
        if "method" not in message:
            return _error(number, INVALID_REQUEST, f"its answer is refused: {reason}") if _is_answer(message) else None
        is_own = isinstance(number, int | str) and not isinstance(number, bool) and number not in self._open
        # An id that is given twice, or is still open, would be taken for the answer to another request.
        await self._refuse(number if is_own and "'id'" not in reason else None, reason)
        return None

    async def _refuse(self, number: int | str | None, reason: str) -> None:
        self.refused += 1
        await self._write(_encoded(_error(number, INVALID_REQUEST, reason)))

    async def _write(self, data: bytes) -> None:
        """Write and wait until the agent has read most of it (backpressure)."""
        if not self._writing.locked() and self._stdin.transport.get_write_buffer_size() == 0:
            # It reads as fast as we write: nothing to wait for, as long as the pipe takes it.
            self._put(data)
            if self._stdin.transport.get_write_buffer_size() < _CHUNK:
                return
            data = b""
        async with self._writing:
            if data:
                self._put(data)
            try:
                async with asyncio.timeout(self._limits.write_timeout_s):
                    await self._stdin.drain()
            except TimeoutError:
                error = SidecarTimeoutError(
                    f"The {self._peer} has not read what it was sent for {self._limits.write_timeout_s:g} seconds.",
                    next=f"Start the {self._peer} again.",
                )
                self.fail(error)
                raise error from None

    def _put(self, data: bytes) -> None:
        if self._closed or self._stdin.is_closing():
            raise ConnectionError("closed")
        self._stdin.write(data + b"\n")
        self._show(Direction.SENT, data)

    def _show(self, direction: Direction, data: bytes) -> None:
        if self._on_frame is None:
            return
        try:
            self._on_frame(direction, data)
        except Exception:
            _log.exception("the frame log failed")


def _parsed(line: bytes) -> Message | None:
    # No batch, no bare value: nothing else than an object is worth building in memory.
    if not line.startswith(b"{") and not line.lstrip().startswith(b"{"):
        return None
    try:
        message = from_json(line, allow_inf_nan=False)
    except ValueError:
        return None
    if not isinstance(message, dict) or not ("method" in message or "id" in message):
        return None
    return message


def _ambiguity(message: Message, line: bytes) -> str | None:
    """Why a line could be read in two ways. One that encodes to the same bytes cannot, which is quicker to see."""
    return None if to_json(message) == line else ambiguity(line)


def _encoded(message: Message) -> bytes:
    try:
        return to_json(message)
    except ValueError:
        # Half a surrogate pair, in a name from the disk: only escaped it can be sent.
        return _ENCODER.encode(message).encode()


def _is_answer(message: Message) -> bool:
    """Whether the message may be an answer to one of our calls; an error without form is given one, so that it ends."""
    number = message["id"]
    if not isinstance(number, int) or isinstance(number, bool):
        return False
    if "error" in message and "result" not in message and not isinstance(message["error"], dict):
        message["error"] = {"code": INTERNAL_ERROR, "message": str(message["error"])}
    return True


def _error(number: int | str | None, code: int, reason: str, data: Any = None) -> Message:
    error = {"code": code, "message": reason} if data is None else {"code": code, "message": reason, "data": data}
    return {"jsonrpc": "2.0", "id": number, "error": error}
