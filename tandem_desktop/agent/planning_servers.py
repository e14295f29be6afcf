"""The tools of the MCP servers a client hands over with a session, for the model to use like its own."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tandem_desktop.domain.agents import PlanningServer
from tandem_desktop.domain.errors import SidecarError

if TYPE_CHECKING:
    from mcp.client import Client

START_S = 60.0


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool of one server."""

    server: "ServerConnection"
    name: str
    description: str
    parameters: dict[str, Any]


class ServerConnection:
    """One server process. It is started, used and ended by one task, as its library wants it."""

    def __init__(self, server: PlanningServer) -> None:
        self._server = server
        self._client: Client | None = None
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._live())

    async def tools(self) -> tuple[OfferedTool, ...]:
        """What the server offers.

        Raises:
            SidecarError: it could not be started.
        """
        await self._connected()
        assert self._client is not None
        listed = await self._client.list_tools()
        return tuple(
            OfferedTool(self, tool.name, tool.description or "", dict(tool.input_schema)) for tool in listed.tools
        )

    async def use(self, name: str, arguments: dict[str, Any]) -> str:
        """The text a tool answers with.

        Raises:
            SidecarError: the server is gone, or the tool failed.
        """
        await self._connected()
        assert self._client is not None
        try:
            result = await self._client.call_tool(name, arguments)
        except Exception as error:  # whatever the library raises, the model is told in words
            raise SidecarError(f"The tool {name} did not answer: {error}.", next="Go on without it.") from error
        text = "\n".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            raise SidecarError(text or f"The tool {name} failed.")
        return text

    async def close(self) -> None:
        self._stop.set()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await self._task

    async def _connected(self) -> None:
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), START_S)
        except Exception as error:
            raise SidecarError(
                f"The server of the tools {self._server.name} could not be started: {error or 'no answer'}.",
                next="Go on without these tools.",
            ) from error

    async def _live(self) -> None:
        try:
            from mcp import StdioServerParameters
            from mcp.client import Client

            command, *arguments = self._server.command
            parameters = StdioServerParameters(command=command, args=arguments, env=dict(self._server.env))
            async with Client(parameters) as client:
                self._client = client
                self._ready.set_result(None)
                await self._stop.wait()
        except Exception as error:
            if not self._ready.done():
                self._ready.set_exception(error)


class PlanningServers:
    """All servers of one session; each is started when the model is asked for the first time."""

    def __init__(self, servers: Sequence[PlanningServer]) -> None:
        self._servers = tuple(servers)
        self._connections: tuple[ServerConnection, ...] = ()

    async def tools(self) -> tuple[tuple[OfferedTool, ...], tuple[str, ...]]:
        """Every tool of every server, and a sentence for each server that did not come up."""
        if not self._connections:
            self._connections = tuple(ServerConnection(server) for server in self._servers)
        tools: list[OfferedTool] = []
        problems: list[str] = []
        for connection in self._connections:
            try:
                tools += await connection.tools()
            except SidecarError as error:
                problems.append(error.message)
        return tuple(tools), tuple(problems)

    async def close(self) -> None:
        for connection in self._connections:
            await connection.close()
