"""The built-in agent as an ACP server."""

import asyncio
import logging
import os
import sys
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from tandem_desktop import __version__
from tandem_desktop.builtin_agent.edits import ClientPort, in_words
from tandem_desktop.builtin_agent.session import Session, open_session
from tandem_desktop.domain.agent_protocol import (
    MODEL_FAILED,
    NO_MODEL,
    AgentSaid,
    AgentUpdate,
    CommandsOffered,
    ModeChanged,
    OfferedCommand,
    OptionsOffered,
    PermissionVerdict,
    PlanningServer,
    TodosChanged,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    UsageReported,
)
from tandem_desktop.domain.errors import ModelError, NoModelError, TandemError
from tandem_desktop.domain.models import quick_models
from tandem_desktop.recipes.catalog import Catalog

with quick_models():
    import acp
    from acp import schema
    from acp.helpers import (
        plan_entry,
        start_tool_call,
        text_block,
        tool_content,
        tool_diff_content,
        update_agent_message_text,
        update_agent_thought_text,
        update_available_commands,
        update_current_mode,
        update_plan,
        update_tool_call,
    )

ALLOW = schema.PermissionOption(option_id="allow", name="Allow", kind="allow_once")
REJECT = schema.PermissionOption(option_id="reject", name="Reject", kind="reject_once")


def update_on_wire(update: AgentUpdate, root: str) -> Any:
    """One session update."""
    match update:
        case AgentSaid(text=text, thought=thought):
            return update_agent_thought_text(text) if thought else update_agent_message_text(text)
        case ToolCallChanged(call=call):
            return _tool_call(call, root)
        case TodosChanged(todos=todos):
            return update_plan(
                plan_entry(todo.content, priority=_priority(todo.priority), status=_status(todo.status))
                for todo in todos
            )
        case CommandsOffered(commands=commands):
            return update_available_commands(
                schema.AvailableCommand(
                    name=command.name,
                    description=command.description,
                    input=schema.AvailableCommandInput(schema.UnstructuredCommandInput(hint=command.hint))
                    if command.hint
                    else None,
                )
                for command in commands
            )
        case ModeChanged(mode=mode):
            return update_current_mode(mode)
        case UsageReported(used=used, size=size):
            return schema.UsageUpdate(session_update="usage_update", used=used, size=size)
        case OptionsOffered():
            raise ValueError("the built-in agent offers no options")


def request_on_wire(call: ToolCall, root: str) -> schema.ToolCallUpdate:
    """The tool call of a permission request: kind, locations, and whole files before and after."""
    return schema.ToolCallUpdate(
        tool_call_id=call.id,
        title=call.title,
        kind=_word(call.kind),
        status="pending",
        locations=[schema.ToolCallLocation(path=f"{root}/{path}") for path in call.paths],
        content=_diffs(call, root),
        raw_input=call.arguments,
    )


def verdict_from_wire(response: schema.RequestPermissionResponse) -> PermissionVerdict:
    """What was chosen; anything unknown is a refusal."""
    outcome = response.outcome
    if isinstance(outcome, schema.DeniedOutcome):
        return PermissionVerdict.CANCELLED
    return PermissionVerdict.ALLOW if outcome.option_id == ALLOW.option_id else PermissionVerdict.REJECT


def _tool_call(call: ToolCall, root: str) -> Any:
    locations = [schema.ToolCallLocation(path=f"{root}/{path}") for path in call.paths]
    if call.status is ToolCallStatus.PENDING:
        return start_tool_call(
            call.id,
            call.title or call.tool,
            kind=_word(call.kind),
            status=_word(call.status),
            content=_diffs(call, root),
            locations=locations,
            raw_input=call.arguments,
        )
    content = [tool_content(text_block(call.output))] if call.output else None
    return update_tool_call(
        call.id,
        status=_word(call.status),
        content=[*_diffs(call, root), *content] if content and call.diffs else content,
        raw_output=None if call.exit_code is None else {"exit_code": call.exit_code},
    )


def _word(value: StrEnum) -> Any:
    """The same word on the wire as in the domain."""
    return value.value


def _diffs(call: ToolCall, root: str) -> list[Any]:
    return [tool_diff_content(f"{root}/{diff.path}", diff.new_text, diff.old_text) for diff in call.diffs]


def _priority(text: str) -> Any:
    return text if text in ("high", "medium", "low") else "medium"


def _status(text: str) -> Any:
    return text if text in ("pending", "in_progress", "completed") else "pending"


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
        try:
            reason = await session.prompt([text for block in prompt if (text := _text(block))])
        except (NoModelError, ModelError) as error:
            code = NO_MODEL if isinstance(error, NoModelError) else MODEL_FAILED
            raise acp.RequestError(code, error.message, {"next": error.next}) from error
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

    async def ask(self, call: ToolCall) -> PermissionVerdict:
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


def main() -> int:
    """Serve one client on standard input and output until it disconnects."""
    # Standard output belongs to the protocol; what a library prints by accident must not get there.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    try:
        asyncio.run(_serve())
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        return 0
    return 0


async def _serve() -> None:
    catalog = Catalog(lambda: datetime.now(UTC))
    agent = BuiltInAgent(partial(open_session, catalog=catalog, environment=os.environ), catalog)
    try:
        await acp.run_agent(agent)  # type: ignore[arg-type]  # the rest of the protocol is optional, and not offered
    finally:
        await agent.close()
