"""The client side of one session: what an agent asks, reads, writes, runs and says."""

import asyncio
from collections.abc import Callable

from tandem_desktop.domain.agents import (
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
    TerminalOutput,
    ToolCallChanged,
    ToolKind,
    Verdict,
)
from tandem_desktop.domain.ids import SessionId, TerminalId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.orchestration.terminals import Terminals
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace
from tandem_desktop.staging.permission_interceptor import PermissionInterceptor
from tandem_desktop.staging.staging_store import StagingStore

_REFUSED = 126


class SessionClient:
    """Fills `AgentClient` for one session. Everything lands in the shadow; every question goes to the interceptor."""

    def __init__(
        self,
        shadow: ShadowWorkspace,
        interceptor: PermissionInterceptor,
        staging: StagingStore,
        terminals: Terminals,
        on_update: Callable[[AgentUpdate], None],
    ) -> None:
        self._shadow = shadow
        self._interceptor = interceptor
        self._staging = staging
        self._terminals = terminals
        self._on_update = on_update
        self._looking: asyncio.Task[None] | None = None
        self._look_again = False

    async def close(self) -> None:
        """End every command that runs for the agent."""
        await self._terminals.close()

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        self._staging.note_call(request.call)
        return await self._interceptor.decide(request)

    def turned_away(self, request: PermissionRequest, reason: str) -> None:
        self._interceptor.turned_away(request, reason)

    def heard(self, session_id: SessionId, update: AgentUpdate) -> None:
        if isinstance(update, ToolCallChanged):
            self._staging.note_call(update.call)
            if update.call.kind not in (ToolKind.READ, ToolKind.SEARCH, ToolKind.THINK):
                self.look()
        self._on_update(update)

    def look(self) -> None:
        """See soon what the agent touched, so that what the person changes later is never taken for what it saw."""
        if self._looking is not None and not self._looking.done():
            self._look_again = True
            return
        self._looking = asyncio.create_task(self._note_bases())

    async def settled(self) -> None:
        """Wait until the last look is over."""
        if self._looking is not None:
            await self._looking

    async def read_text(self, session_id: SessionId, path: str) -> str:
        data = await asyncio.to_thread(self._shadow.read, path)
        return data.decode("utf-8", "replace")

    async def save_text(self, session_id: SessionId, path: str, text: str) -> None:
        await asyncio.to_thread(self._shadow.write, path, text.encode())

    async def open_terminal(self, session_id: SessionId, call: CommandCall) -> TerminalId:
        answer = await self._interceptor.decide_command(session_id, call)
        if answer.verdict is Verdict.ALLOW:
            return self._terminals.run(call)
        was_queued = self._interceptor.requests[-1].queued_as is not None
        return self._terminals.say(f"[{answer.reason}]\n", 0 if was_queued else _REFUSED)

    async def terminal_output(self, terminal_id: TerminalId) -> TerminalOutput:
        return self._terminals.output(terminal_id)

    async def wait_for_terminal(self, terminal_id: TerminalId) -> TerminalOutput:
        return await self._terminals.wait(terminal_id)

    async def kill_terminal(self, terminal_id: TerminalId) -> None:
        await self._terminals.kill(terminal_id)

    async def release_terminal(self, terminal_id: TerminalId) -> None:
        await self._terminals.release(terminal_id)

    async def _note_bases(self) -> None:
        while True:
            self._look_again = False
            await asyncio.to_thread(self._shadow.note_bases)
            if not self._look_again:
                return
