"""Starts the built-in agent on stdio."""

import asyncio
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tandem_desktop.builtin_agent.edits import ClientPort
    from tandem_desktop.builtin_agent.session import Session
    from tandem_desktop.domain.agent_protocol import PlanningServer


def main() -> int:
    """Serve one client until it goes away."""
    # Standard output belongs to the protocol; what a library prints by accident must not get there.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    try:
        asyncio.run(_serve())
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        return 0
    return 0


async def _serve() -> None:
    import acp

    from tandem_desktop.builtin_agent.server import BuiltInAgent
    from tandem_desktop.recipes.catalog import Catalog

    catalog = Catalog(lambda: datetime.now(UTC))

    def open_session(root: Path, client: "ClientPort", servers: "tuple[PlanningServer, ...]") -> "Session":
        from tandem_desktop.builtin_agent.session import open_session

        return open_session(root, client, servers, catalog, os.environ)

    agent = BuiltInAgent(open_session, catalog)
    try:
        await acp.run_agent(agent)  # type: ignore[arg-type]  # the rest of the protocol is optional, and not offered
    finally:
        await agent.close()
