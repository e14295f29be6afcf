"""The engine's end of the planning tools: a socket that knows agents by the token of their session, and nobody else."""

import asyncio
import hmac
import secrets
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem_desktop.domain.agents import PlanningServer
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.planning_tools import relay
from tandem_desktop.planning_tools.door import Door
from tandem_desktop.planning_tools.planning_desk import PlanningDesk
from tandem_desktop.planning_tools.planning_tools import PlanningTools
from tandem_desktop.planning_tools.socket_place import PlanningSocket
from tandem_desktop.planning_tools.tool_prompts import ToolPrompts
from tandem_desktop.planning_tools.tries import DEFAULT_TRIES, Tries
from tandem_desktop.planning_tools.wanted import Wanted
from tandem_desktop.processes.own_program import own_script

if TYPE_CHECKING:
    from tandem_desktop.planning_tools.mcp_service import McpService

SERVER_NAME = "tandem"
DEFAULT_MESSAGE_BYTES = 1024 * 1024
MOST_CONNECTIONS = 64
"""Of one session, and of strangers who have not presented a token yet."""
_LONGEST_GREETING = 512
_PATIENCE_S = 1.0


@dataclass(slots=True)
class _Guest:
    """A session with its token and whoever is connected in its name."""

    token: str
    tools: PlanningTools
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
        self._guests: dict[SessionId, _Guest] = {}
        self._strangers = 0
        self._door: Door | None = None
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
        self._door = Door(self._socket.open(), self._connected)
        self._door.open()

    def open_session(
        self,
        session_id: SessionId,
        desk: PlanningDesk,
        plan_mode: Callable[[], bool],
        wanted: Wanted[Any] | None = None,
    ) -> PlanningServer:
        """Let the agent of a session in; what it has to start is the answer. Opening again gives a new token."""
        if session_id in self._guests:
            self._dismiss(self._guests.pop(session_id))
        tools = PlanningTools(
            session_id, desk, plan_mode=plan_mode, prompts=self._prompts, tries=Tries(self._tries), wanted=wanted
        )
        self._guests[session_id] = _Guest(secrets.token_urlsafe(32), tools)
        if self._service is None:  # agents connect soon, and the library takes a while to load
            self._service = asyncio.create_task(asyncio.to_thread(_load_service))
        return self.definition(session_id)

    def definition(self, session_id: SessionId) -> PlanningServer:
        """What an agent starts to reach its tools.

        Raises:
            BadInputError: the session is not open.
        """
        guest = self._guests.get(session_id)
        if guest is None:
            raise BadInputError(
                f"The session {session_id} has no planning tools.", next="Open the session before its agent starts."
            )
        environment = {relay.SOCKET_VARIABLE: str(self.socket_path), relay.TOKEN_VARIABLE: guest.token}
        return PlanningServer(name=SERVER_NAME, command=relay_command(session_id), env=environment)

    def start_turn(self, session_id: SessionId) -> None:
        """The person has spoken: malformed calls are counted from nothing again."""
        if session_id in self._guests:
            self._guests[session_id].tools.tries.start_again()

    async def announce_changed_tools(self, session_id: SessionId) -> None:
        """Plan mode was turned on or off: agents that care ask for the list again. One that does not listen is left."""
        guest = self._guests.get(session_id)
        services = [service for service in guest.connections.values() if service is not None] if guest else []
        words = [asyncio.wait_for(service.announce_changed_tools(), _PATIENCE_S) for service in services]
        await asyncio.gather(*words, return_exceptions=True)

    async def close_session(self, session_id: SessionId) -> None:
        """Forget the token and end the session's connections; open calls are cancelled."""
        guest = self._guests.pop(session_id, None)
        if guest is not None:
            await _ended(self._dismiss(guest))

    async def close(self) -> None:
        """End everything and take the socket away."""
        self._guests.clear()
        if self._door is not None:
            await self._door.close()
        if self._service is not None:
            await asyncio.gather(self._service, return_exceptions=True)
        self._socket.close()

    def _dismiss(self, guest: _Guest) -> "list[asyncio.Task[None]]":
        tasks = list(guest.connections)
        for task in tasks:
            task.cancel()
        return tasks

    async def _connected(self, task: "asyncio.Task[None]", reader: StreamReader, writer: StreamWriter) -> None:
        guest = await self._greeted(reader) if self._strangers < MOST_CONNECTIONS else None
        if guest is not None:
            await self._serve(guest, task, reader, writer)

    async def _greeted(self, reader: StreamReader) -> _Guest | None:
        self._strangers += 1
        try:
            async with asyncio.timeout(self._greeting_timeout_s):
                line = await reader.readuntil(b"\n")
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return None
        finally:
            self._strangers -= 1
        return self._guest(line) if len(line) <= _LONGEST_GREETING else None

    def _guest(self, line: bytes) -> _Guest | None:
        token, _, named = line.rstrip(b"\n").partition(b" ")
        known = [
            (session_id, guest)
            for session_id, guest in self._guests.items()
            if hmac.compare_digest(guest.token.encode(), token)
        ]
        return next((guest for session_id, guest in known if named in (b"", session_id.encode())), None)

    async def _serve(
        self, guest: _Guest, task: "asyncio.Task[None]", reader: StreamReader, writer: StreamWriter
    ) -> None:
        if len(guest.connections) >= MOST_CONNECTIONS or self._service is None:
            return
        guest.connections[task] = None
        try:
            service_type = await asyncio.shield(self._service)
            service = service_type(guest.tools, reader, writer, self._max_message_bytes)
            guest.connections[task] = service
            await service.serve()
        finally:
            guest.connections.pop(task, None)


def relay_command(session_id: SessionId) -> tuple[str, ...]:
    """How an agent starts the relay."""
    return own_script(relay.__file__, session_id, frozen=("mcp", "--session", session_id))


def _load_service() -> "type[McpService]":
    from tandem_desktop.planning_tools.mcp_service import McpService

    return McpService


async def _ended(tasks: "list[asyncio.Task[None]]") -> None:
    await asyncio.gather(*tasks, return_exceptions=True)
