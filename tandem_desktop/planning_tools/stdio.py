"""Serve the planning tools on this process's own stdin and stdout, for an agent that Tandem did not start."""

import asyncio
import socket
import threading

from tandem_desktop.planning_tools import relay
from tandem_desktop.planning_tools.mcp_service import McpService
from tandem_desktop.planning_tools.planning_tools import PlanningTools

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
