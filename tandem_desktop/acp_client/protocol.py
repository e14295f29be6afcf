"""The wire models of the Agent Client Protocol; slow to import."""

import base64
from typing import Any

from pydantic import BaseModel
from pydantic_core import ValidationError

from tandem_desktop import __version__
from tandem_desktop.acp_client.connection import INTERNAL_ERROR, LineTransport, RefusedError
from tandem_desktop.acp_client.requests import OLD_MODELS
from tandem_desktop.acp_client.tool_calls import read_tool_call
from tandem_desktop.domain.agent_protocol import Attachment, PlanningServer
from tandem_desktop.domain.models import quick_models

with quick_models():
    from acp.connection import Connection
    from acp.exceptions import RequestError
    from acp.meta import AGENT_METHODS, CLIENT_METHODS, PROTOCOL_VERSION
    from acp.schema import (
        AudioContentBlock,
        AuthenticateRequest,
        AvailableCommand,
        AvailableCommandsUpdate,
        BlobResourceContents,
        BooleanConfigOptionCapabilities,
        ClientCapabilities,
        ClientSessionCapabilities,
        ConfigOptionUpdate,
        ContentChunk,
        CurrentModeUpdate,
        ElicitationCapabilities,
        ElicitationFormCapabilities,
        ElicitationUrlCapabilities,
        EmbeddedResourceContentBlock,
        EnvVariable,
        FileSystemCapabilities,
        ImageContentBlock,
        Implementation,
        InitializeRequest,
        InitializeResponse,
        LoadSessionRequest,
        LoadSessionResponse,
        McpServerStdio,
        NewSessionRequest,
        NewSessionResponse,
        PlanEntry,
        PromptRequest,
        ResumeSessionRequest,
        SessionConfigOptionsCapabilities,
        SessionConfigOptionSelect,
        SessionInfoUpdate,
        SetSessionConfigOptionBooleanRequest,
        SetSessionConfigOptionResponse,
        SetSessionConfigOptionSelectRequest,
        SetSessionModeRequest,
        TextContentBlock,
        UsageUpdate,
    )

__all__ = [
    "CLIENT_METHODS",
    "PROTOCOL_VERSION",
    "InitializeResponse",
    "LoadSessionResponse",
    "NewSessionResponse",
    "SessionConfigOptionSelect",
    "SetSessionConfigOptionResponse",
    "Wire",
    "read_update",
]

_UPDATES: dict[str, type[BaseModel]] = {
    "agent_message_chunk": ContentChunk,
    "agent_thought_chunk": ContentChunk,
    "available_commands_update": AvailableCommandsUpdate,
    "current_mode_update": CurrentModeUpdate,
    "config_option_update": ConfigOptionUpdate,
    "session_info_update": SessionInfoUpdate,
    "usage_update": UsageUpdate,
}


def read_update(update: dict[str, Any]) -> Any:
    """A session update as its model; None if it is unknown or invalid."""
    name = update.get("sessionUpdate")
    if name in ("tool_call", "tool_call_update"):
        return read_tool_call(update)
    if name == "plan":
        return _each(PlanEntry, update.get("entries"))
    model = _UPDATES.get(name) if isinstance(name, str) else None
    if model is None:
        return None
    try:
        return model.model_validate(update)
    except ValidationError:
        if model is AvailableCommandsUpdate:
            return AvailableCommandsUpdate.model_construct(
                session_update="available_commands_update",
                available_commands=_each(AvailableCommand, update.get("availableCommands")),
            )
        return None


class Wire:
    """Calls an agent understands, over a transport of ours."""

    def __init__(self, transport: LineTransport) -> None:
        self._connection = Connection(_nothing_else, transport)

    async def initialize(self, *, works_through_client: bool = True, may_ask: bool = True) -> Any:
        """`may_ask` offers the agent to ask the person questions."""
        asking = ElicitationCapabilities(form=ElicitationFormCapabilities(), url=ElicitationUrlCapabilities())
        return await self._request(
            "initialize",
            InitializeRequest(
                protocol_version=PROTOCOL_VERSION,
                client_capabilities=ClientCapabilities(
                    fs=FileSystemCapabilities(
                        read_text_file=works_through_client, write_text_file=works_through_client
                    ),
                    terminal=works_through_client,
                    elicitation=asking if may_ask else None,
                    session=ClientSessionCapabilities(
                        config_options=SessionConfigOptionsCapabilities(boolean=BooleanConfigOptionCapabilities())
                    ),
                ),
                client_info=Implementation(name="tandem", title="Tandem Desktop", version=__version__),
            ),
        )

    async def authenticate(self, method: str) -> None:
        await self._request("authenticate", AuthenticateRequest(method_id=method))

    async def new_session(self, cwd: str, servers: tuple[PlanningServer, ...]) -> Any:
        return await self._request("session_new", NewSessionRequest(cwd=cwd, mcp_servers=_mcp(servers)))

    async def resume_session(self, session_id: str, cwd: str, servers: tuple[PlanningServer, ...]) -> Any:
        request = ResumeSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=_mcp(servers))
        return await self._request("session_resume", request)

    async def load_session(self, session_id: str, cwd: str, servers: tuple[PlanningServer, ...]) -> Any:
        request = LoadSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=_mcp(servers))
        return await self._request("session_load", request)

    async def set_mode(self, session_id: str, mode: str) -> None:
        await self._request("session_set_mode", SetSessionModeRequest(session_id=session_id, mode_id=mode))

    async def set_option(self, session_id: str, option: str, value: str) -> Any:
        request = SetSessionConfigOptionSelectRequest(session_id=session_id, config_id=option, value=value)
        return await self._request("session_set_config_option", request)

    async def set_switch(self, session_id: str, option: str, value: bool) -> Any:
        request = SetSessionConfigOptionBooleanRequest(
            session_id=session_id, config_id=option, value=value, type="boolean"
        )
        return await self._request("session_set_config_option", request)

    async def set_model(self, session_id: str, model: str) -> None:
        """For agents that list their models beside the options; the library no longer knows this call."""
        await self._send(OLD_MODELS, {"sessionId": session_id, "modelId": model})

    async def prompt(self, session_id: str, text: str, attachments: tuple[Attachment, ...] = ()) -> Any:
        blocks: list[Any] = [TextContentBlock(type="text", text=text)]
        blocks += map(_block, attachments)
        return await self._request("session_prompt", PromptRequest(session_id=session_id, prompt=blocks))

    async def cancel(self, session_id: str) -> None:
        await self._connection.send_notification(AGENT_METHODS["session_cancel"], {"sessionId": session_id})

    async def close(self) -> None:
        """Every call still waiting gets a ConnectionError; every request still being served is abandoned."""
        await self._connection.close()

    async def _request(self, name: str, request: BaseModel) -> Any:
        return await self._send(AGENT_METHODS[name], request.model_dump(mode="json", by_alias=True, exclude_none=True))

    async def _send(self, method: str, params: dict[str, Any]) -> Any:
        try:
            return await self._connection.send_request(method, params)
        except RequestError as error:
            code = error.code if isinstance(error.code, int) else INTERNAL_ERROR
            raise RefusedError(code, str(error), error.data) from error


def _block(attachment: Attachment) -> Any:
    kind, data = attachment.mime_type, base64.b64encode(attachment.data).decode()
    if attachment.uri:
        file = BlobResourceContents(blob=data, mime_type=kind or None, uri=attachment.uri)
        return EmbeddedResourceContentBlock(type="resource", resource=file)
    if kind.startswith("audio/"):
        return AudioContentBlock(type="audio", data=data, mime_type=kind)
    return ImageContentBlock(type="image", data=data, mime_type=kind)


def _mcp(servers: tuple[PlanningServer, ...]) -> list[Any]:
    return [
        McpServerStdio(
            name=server.name,
            command=server.command[0],
            args=list(server.command[1:]),
            env=[EnvVariable(name=name, value=value) for name, value in server.env.items()],
        )
        for server in servers
    ]


async def _nothing_else(method: str, params: Any, is_notification: bool) -> None:
    """The transport passes on nothing but answers."""
    raise RequestError.method_not_found(method)


def _each(model: type[BaseModel], values: Any) -> list[Any]:
    """The values that can be read; one bad entry does not lose the list."""
    found = []
    for value in values if isinstance(values, list) else ():
        try:
            found.append(model.model_validate(value))
        except ValidationError:
            continue
    return found
