"""Serves the planning tools on a local socket."""

import asyncio
import contextlib
import hmac
import logging
import os
import secrets
import socket
import stat
import tempfile
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem_desktop.domain.agent_protocol import PlanningServer
from tandem_desktop.domain.errors import BadInputError, NotInstalledError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.planning_tools import relay
from tandem_desktop.planning_tools.definitions import ToolPrompts, Wanted
from tandem_desktop.planning_tools.handlers import PlanningToolHandler
from tandem_desktop.planning_tools.person_servers import PersonTools
from tandem_desktop.planning_tools.tools import DEFAULT_TRIES, PlanningTools, RetryBudget
from tandem_desktop.processes.own_program import own_script
from tandem_desktop.storage import atomic, syscalls

if TYPE_CHECKING:
    from tandem_desktop.planning_tools.mcp import McpService


Receive = Callable[["asyncio.Task[None]", StreamReader, StreamWriter], Awaitable[None]]

_logger = logging.getLogger(__name__)
_LAST_BYTES_S = 1.0
"""How long the last answer may take to be read before the connection is cut."""
_PAUSE_S = 1.0
"""Until the next look when the system has no room for another connection."""


class SocketListener:
    """A listening socket. Unlike the library's own server it loses no connection that arrives while it closes."""

    def __init__(self, listener: socket.socket, receive: Receive) -> None:
        self._listener = listener
        self._receive = receive
        self._inside: set[asyncio.Task[None]] = set()
        self._is_open = False

    def open(self) -> None:
        self._is_open = True
        self._listener.setblocking(False)
        self._listener.listen()
        self._watch()

    async def close(self) -> None:
        """Stop accepting and close all connections."""
        if self._is_open:
            self._is_open = False
            asyncio.get_running_loop().remove_reader(self._listener)
        self._listener.close()
        inside = list(self._inside)
        for task in inside:
            task.cancel()
        await asyncio.gather(*inside, return_exceptions=True)

    def _watch(self) -> None:
        if self._is_open:
            asyncio.get_running_loop().add_reader(self._listener, self._let_in)

    def _let_in(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError:  # no descriptors or memory left: accept again later
            loop.remove_reader(self._listener)
            loop.call_later(_PAUSE_S, self._watch)
            return
        task = loop.create_task(self._host(connection))
        self._inside.add(task)
        task.add_done_callback(self._inside.discard)
        task.add_done_callback(lambda _: connection.close())  # also when it was cancelled before it began

    async def _host(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=connection)
        task = asyncio.current_task()
        assert task is not None
        try:
            await self._receive(task, reader, writer)
            writer.close()
            async with asyncio.timeout(_LAST_BYTES_S):
                await writer.wait_closed()
        except (ConnectionError, TimeoutError):
            pass  # the peer is gone
        except Exception:
            _logger.exception("a connection of the planning tools failed")
        finally:
            writer.transport.abort()


LONGEST_PATH = 103
"""What fits into a socket's address everywhere: 108 bytes on Linux, 104 on macOS, with the byte that ends it."""

_SHORT_FOLDER = "tandem-"
_NAME = "planning-"


class PlanningSocket:
    """Make the socket, readable by its owner alone, and take it away again."""

    def __init__(self, folder: Path) -> None:
        name = f"{_NAME}{secrets.token_hex(4)}.sock"
        self._made: Path | None = None
        self.path = folder / name
        if len(os.fsencode(self.path)) > LONGEST_PATH:
            self._made = _short_base() / f"{_SHORT_FOLDER}{secrets.token_hex(8)}"
            self.path = self._made / name

    def open(self) -> socket.socket:
        """A socket, ready to accept.

        Raises:
            OSError: the folder cannot be made or belongs to another user, or the path is too long even so.
        """
        self._prepare_folder()
        self._sweep()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with contextlib.suppress(OSError):  # born private where the system allows it; the folder is, everywhere
                syscalls.chmod(listener.fileno(), 0o600)
            syscalls.bind(listener, str(self.path))
        except BaseException:
            listener.close()
            raise
        return listener

    def close(self) -> None:
        """Nothing is left of it; what is gone already is fine."""
        with contextlib.suppress(FileNotFoundError):
            syscalls.unlink(str(self.path))
        if self._made is not None:
            with contextlib.suppress(OSError):
                syscalls.rmdir(str(self._made))

    def _sweep(self) -> None:
        """Remove the sockets of engines that crashed; one that answers stays."""
        for left in self.path.parent.glob(f"{_NAME}*.sock"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knocking:
                knocking.setblocking(False)
                try:
                    knocking.connect(str(left))
                except ConnectionRefusedError:
                    with contextlib.suppress(OSError):
                        syscalls.unlink(str(left))
                except OSError:
                    continue  # busy, or another user's

    def _prepare_folder(self) -> None:
        folder = self.path.parent
        if self._made is not None:
            syscalls.mkdir(str(folder), mode=0o700)
            return
        atomic.make_directory(folder, mode=0o700)
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if stat.S_IMODE(os.fstat(fd).st_mode) & 0o077:
                syscalls.chmod(fd, 0o700)
        finally:
            os.close(fd)


def _short_base() -> Path:
    """The first place for what lives as long as a session in which there is room for the rest of the path."""
    bases = (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp")
    room = LONGEST_PATH - len(_SHORT_FOLDER) - 45
    return Path(next((base for base in bases if base and len(os.fsencode(base)) <= room), "/tmp"))


SERVER_NAME = "tandem"
DEFAULT_MESSAGE_BYTES = 1024 * 1024
MOST_CONNECTIONS = 64
"""Of one session."""
MOST_STRANGERS = 64
"""Connections that have not presented a token yet; beyond it the oldest of them is closed."""
_LONGEST_GREETING = 512
_PATIENCE_S = 1.0


@dataclass(slots=True)
class _ToolSession:
    """A session with its token and its connections."""

    token: str
    tools: PlanningTools
    held: PersonTools | None = None
    connections: "dict[asyncio.Task[None], McpService | None]" = field(default_factory=dict)


class PlanningServerHost:
    """Serve the planning tools to the agents of many sessions; lives on one event loop.

    A connection that does not present a known token in time is closed without a word. No connection and no call waits
    for another.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_message_bytes: int = DEFAULT_MESSAGE_BYTES,
        greeting_timeout_s: float = 5.0,
        tries: int = DEFAULT_TRIES,
        prompts: ToolPrompts | None = None,
    ) -> None:
        self._socket = PlanningSocket(folder)
        self._max_message_bytes = max_message_bytes
        self._greeting_timeout_s = greeting_timeout_s
        self._tries = tries
        self._prompts = prompts or ToolPrompts()
        self._sessions: dict[SessionId, _ToolSession] = {}
        self._strangers: dict[asyncio.Task[None], None] = {}
        """Connections without a token, the oldest first."""
        self._door: SocketListener | None = None
        self._service: asyncio.Task[type[McpService]] | None = None

    @property
    def socket_path(self) -> Path:
        """What a sandbox has to let its agent reach."""
        return self._socket.path

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: the socket cannot be made.
        """
        self._door = SocketListener(self._socket.open(), self._connected)
        self._door.open()

    def open_session(
        self,
        session_id: SessionId,
        handler: PlanningToolHandler,
        plan_mode: Callable[[], bool],
        wanted: Wanted[Any] | None = None,
        held: PersonTools | None = None,
    ) -> PlanningServer:
        """Let the agent of a session in; what it has to start is the answer. Opening again gives a new token.

        `held` are the tools of the person's own servers, which it is offered besides.

        Raises:
            NotInstalledError: the MCP library is missing.
        """
        check_mcp_installed()
        if session_id in self._sessions:
            self._disconnect(self._sessions.pop(session_id))
        tools = PlanningTools(
            session_id,
            handler,
            plan_mode=plan_mode,
            prompts=self._prompts,
            tries=RetryBudget(self._tries),
            wanted=wanted,
        )
        self._sessions[session_id] = _ToolSession(secrets.token_urlsafe(32), tools, held)
        if self._service is None:  # agents connect soon, and the library takes a while to load
            self._service = asyncio.create_task(asyncio.to_thread(_load_service))
        return self.definition(session_id)

    def definition(self, session_id: SessionId) -> PlanningServer:
        """What an agent starts to reach its tools.

        Raises:
            BadInputError: the session is not open.
        """
        session = self._sessions.get(session_id)
        if session is None:
            raise BadInputError(
                f"The session {session_id} has no planning tools.", next="Open the session before its agent starts."
            )
        environment = {relay.SOCKET_VARIABLE: str(self.socket_path), relay.TOKEN_VARIABLE: session.token}
        return PlanningServer(name=SERVER_NAME, command=relay_command(session_id), env=environment)

    def start_turn(self, session_id: SessionId) -> None:
        """The person has spoken: malformed calls are counted from nothing again."""
        if session_id in self._sessions:
            self._sessions[session_id].tools.tries.start_again()

    async def announce_changed_tools(self, session_id: SessionId) -> None:
        """Plan mode was turned on or off: agents that care ask for the list again. One that does not listen is left."""
        session = self._sessions.get(session_id)
        services = [service for service in session.connections.values() if service is not None] if session else []
        words = [asyncio.wait_for(service.announce_changed_tools(), _PATIENCE_S) for service in services]
        await asyncio.gather(*words, return_exceptions=True)

    async def close_session(self, session_id: SessionId) -> None:
        """Forget the token and end the session's connections; open calls are cancelled."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            await _ended(self._disconnect(session))

    async def close(self) -> None:
        """End everything and take the socket away."""
        self._sessions.clear()
        if self._door is not None:
            await self._door.close()
        if self._service is not None:
            await asyncio.gather(self._service, return_exceptions=True)
        self._socket.close()

    def _disconnect(self, session: _ToolSession) -> "list[asyncio.Task[None]]":
        tasks = list(session.connections)
        for task in tasks:
            task.cancel()
        return tasks

    async def _connected(self, task: "asyncio.Task[None]", reader: StreamReader, writer: StreamWriter) -> None:
        session = await self._authenticated(task, reader)
        if session is None:
            _logger.debug("planning socket: connection refused, no known token")
            return
        session_id = session.tools.session_id
        _logger.debug("planning socket: relay connected, session %s", session_id)
        try:
            await self._serve(session, task, reader, writer)
        finally:
            _logger.debug("planning socket: relay closed, session %s", session_id)

    async def _authenticated(self, task: "asyncio.Task[None]", reader: StreamReader) -> _ToolSession | None:
        self._strangers[task] = None
        if len(self._strangers) > MOST_STRANGERS:
            # An agent presents its token at once: the one that has waited longest is none.
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()
        try:
            async with asyncio.timeout(self._greeting_timeout_s):
                line = await reader.readuntil(b"\n")
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return None
        finally:
            self._strangers.pop(task, None)
        return self._session_of(line) if len(line) <= _LONGEST_GREETING else None

    def _session_of(self, line: bytes) -> _ToolSession | None:
        token, _, named = line.rstrip(b"\n").partition(b" ")
        known = [
            (session_id, session)
            for session_id, session in self._sessions.items()
            if hmac.compare_digest(session.token.encode(), token)
        ]
        return next((session for session_id, session in known if named in (b"", session_id.encode())), None)

    async def _serve(
        self, session: _ToolSession, task: "asyncio.Task[None]", reader: StreamReader, writer: StreamWriter
    ) -> None:
        if len(session.connections) >= MOST_CONNECTIONS or self._service is None:
            return
        session.connections[task] = None
        try:
            service_type = await asyncio.shield(self._service)
            service = service_type(session.tools, reader, writer, self._max_message_bytes, session.held)
            session.connections[task] = service
            await service.serve()
        finally:
            session.connections.pop(task, None)


def relay_command(session_id: SessionId) -> tuple[str, ...]:
    """How an agent starts the relay."""
    return own_script(relay.__file__, session_id, frozen=("mcp", "--session", session_id))


def check_mcp_installed() -> None:
    """Ask before an agent is started, without the time that the import takes.

    Raises:
        NotInstalledError: the MCP library is missing.
    """
    if find_spec("mcp") is None:
        raise NotInstalledError("The library of the planning tools", "mcp")


def _load_service() -> "type[McpService]":
    from tandem_desktop.planning_tools.mcp import McpService

    return McpService


async def _ended(tasks: "list[asyncio.Task[None]]") -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


CHUNK = 64 * 1024
EDGE = 512
"""How much of both ends of an overlong line is kept, to find out what it was about."""


@dataclass(frozen=True, slots=True)
class OverlongLine:
    """A line that was skipped."""

    size: int
    head: bytes
    tail: bytes


async def bounded_lines(reader: StreamReader, limit: int) -> AsyncIterator[bytes | OverlongLine]:
    """Every line without its end; one longer than `limit` is skipped and only told of. The last may lack its end."""
    held = bytearray()
    skipped = 0
    head = b""
    while data := await reader.read(CHUNK):
        *ended, rest = data.split(b"\n")
        for piece in ended:
            held += piece
            size = skipped + len(held)
            if size > limit:
                yield OverlongLine(size, head or bytes(held[:EDGE]), bytes(held[-EDGE:]))
            else:
                yield bytes(held)
            held.clear()
            skipped, head = 0, b""
        held += rest
        if skipped + len(held) > limit:
            head = head or bytes(held[:EDGE])
            skipped += max(0, len(held) - EDGE)
            del held[:-EDGE]
    if held and not skipped:
        yield bytes(held)
