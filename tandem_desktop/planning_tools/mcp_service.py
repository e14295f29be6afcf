"""Speak MCP with one agent over one pair of streams. Loads the `mcp` library: import it only where it is used."""

from asyncio import StreamReader, StreamWriter
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from tandem_desktop import __version__
from tandem_desktop.planning_tools.planning_tools import PlanningTools
from tandem_desktop.planning_tools.tool_definitions import ToolDefinition
from tandem_desktop.planning_tools.wire import Wire

SERVER_NAME = "tandem"
_LAST_WORDS_S = 1.0
"""How long an agent that has said its last word may take to read ours."""


class McpService:
    """One connection of one session."""

    def __init__(
        self, tools: PlanningTools, reader: StreamReader, writer: StreamWriter, max_message_bytes: int
    ) -> None:
        self._tools = tools
        self._wire = Wire(reader, writer, max_message_bytes)
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
        return ListToolsResult(tools=[self._tool(definition) for definition in self._tools.offered()])

    def _tool(self, definition: ToolDefinition) -> Tool:
        return Tool(
            name=definition.name.value,
            description=definition.description(self._tools.prompts),
            input_schema=definition.input_schema(),
            annotations=ToolAnnotations(
                read_only_hint=definition.changes_nothing, destructive_hint=False, open_world_hint=False
            ),
        )

    async def _call_tool(self, context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        answer = await self._tools.call(params.name, params.arguments or {})
        return CallToolResult(
            content=[TextContent(type="text", text=text) for text in answer.texts], is_error=answer.failed
        )


_INSTRUCTIONS = "Plan with these tools; nothing is written until a person approves the plan in Tandem."
