"""The built-in agent as a server of the agent client protocol: what a client may ask of it, and nothing more."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import acp
from acp import schema

from tandem_desktop import __version__
from tandem_desktop.agent.client_port import ClientPort
from tandem_desktop.agent.recipes.catalog import Catalog
from tandem_desktop.agent.session import Session
from tandem_desktop.agent.wire import ALLOW, REJECT, request_on_wire, update_on_wire, verdict_from_wire
from tandem_desktop.agent.work_tree import in_words
from tandem_desktop.domain.agents import (
    AgentUpdate,
    CommandsOffered,
    OfferedCommand,
    PlanningServer,
    ToolCall,
    Verdict,
)
from tandem_desktop.domain.errors import TandemError

ASK = "ask"
"""The one mode: whatever changes something is asked for."""

OpenSession = Callable[[Path, ClientPort, tuple[PlanningServer, ...]], Session]


class BuiltInAgent:
    """Answers one client; its sessions do not know each other."""

    def __init__(self, open_session: OpenSession, catalog: Catalog) -> None:
        self._open_session = open_session
        self._catalog = catalog
        self._sessions: dict[str, Session] = {}
        self._client: Any = None

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        return schema.InitializeResponse(
            protocol_version=min(protocol_version, acp.PROTOCOL_VERSION),
            agent_capabilities=schema.AgentCapabilities(
                load_session=False,
                prompt_capabilities=schema.PromptCapabilities(image=False, audio=False, embedded_context=True),
                mcp_capabilities=schema.McpCapabilities(http=False, sse=False),
            ),
            auth_methods=[],
            agent_info=schema.Implementation(name="tandem", title="Tandem", version=__version__),
        )

    async def new_session(self, cwd: str, mcp_servers: list[Any] | None = None, **_: Any) -> schema.NewSessionResponse:
        session_id = f"ses_{uuid.uuid4().hex}"
        servers = tuple(_server(each) for each in mcp_servers or () if isinstance(each, schema.McpServerStdio))
        client = _Client(self._client, session_id, cwd)
        try:
            self._sessions[session_id] = self._open_session(Path(cwd), client, servers)
        except TandemError as error:
            raise acp.RequestError.invalid_params({"details": in_words(error)}) from error
        await client.tell(self._offered())
        mode = schema.SessionMode(id=ASK, name="Ask", description="Asks before every change and every command.")
        return schema.NewSessionResponse(
            session_id=session_id, modes=schema.SessionModeState(current_mode_id=ASK, available_modes=[mode])
        )

    async def set_session_mode(self, mode_id: str, session_id: str, **_: Any) -> schema.SetSessionModeResponse:
        self._session(session_id)
        if mode_id != ASK:
            raise acp.RequestError.invalid_params(
                {"details": f"There is no mode {mode_id!r}; the one mode is {ASK!r}."}
            )
        return schema.SetSessionModeResponse()

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> schema.PromptResponse:
        session = self._session(session_id)
        if session.is_busy:
            raise acp.RequestError.invalid_request({"details": "This session is still answering the last prompt."})
        reason = await session.prompt([text for block in prompt if (text := _text(block))])
        return schema.PromptResponse(stop_reason=reason.value)

    async def cancel(self, session_id: str, **_: Any) -> None:
        if session_id in self._sessions:
            self._sessions[session_id].cancel()

    async def close(self) -> None:
        """End every session; called when the client has gone."""
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    def _session(self, session_id: str) -> Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise acp.RequestError.invalid_params({"details": f"There is no session {session_id!r}."})
        return session

    def _offered(self) -> CommandsOffered:
        recipes = [
            OfferedCommand(name=each.name, description=each.description, hint=each.hint) for each in self._catalog
        ]
        helping = OfferedCommand(name="help", description="What the recipes do and how they are typed")
        return CommandsOffered(commands=(*recipes, helping))


class _Client:
    """One session's end of the wire."""

    def __init__(self, connection: Any, session_id: str, root: str) -> None:
        self._connection = connection
        self._session_id = session_id
        self._root = root.rstrip("/")

    async def tell(self, update: AgentUpdate) -> None:
        await self._connection.session_update(self._session_id, update_on_wire(update, self._root))

    async def ask(self, call: ToolCall) -> Verdict:
        response = await self._connection.request_permission(
            session_id=self._session_id, tool_call=request_on_wire(call, self._root), options=[ALLOW, REJECT]
        )
        return verdict_from_wire(response)


def _server(given: schema.McpServerStdio) -> PlanningServer:
    return PlanningServer(
        name=given.name,
        command=(given.command, *given.args),
        env={variable.name: variable.value for variable in given.env},
    )


def _text(block: Any) -> str:
    """The text of a prompt's block; a link is named, an embedded file is quoted."""
    match block:
        case schema.TextContentBlock(text=text):
            return text
        case schema.ResourceContentBlock(uri=uri):
            return f"[{uri}]"
        case schema.EmbeddedResourceContentBlock(resource=schema.TextResourceContents(uri=uri, text=text)):
            return f"[{uri}]\n{text}"
    return ""
