"""The doors of an agent that was asked for advice: it reads, and every other one is shut."""

import asyncio
from collections.abc import Callable

from tandem_desktop.domain.agents import (
    AgentSaid,
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
    TerminalOutput,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    Verdict,
)
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.errors import ToolDeniedError
from tandem_desktop.domain.ids import SessionId, TerminalId, ToolCallId
from tandem_desktop.domain.operations import CommandCall, FileState
from tandem_desktop.domain.paths import shown
from tandem_desktop.policy.tool_catalog import tool_use
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace
from tandem_desktop.staging.permission_interceptor import PermissionInterceptor

_REFUSED = TerminalOutput(text="[Commands are not available: you were asked for advice.]\n", exit_code=126)
_MOST_READ = 500
"""Files noted as read; more than a person would look through."""


class AdviserDoors:
    """Fills `AgentClient` for one question at a time. Keeps what was said, what was read and what was refused."""

    def __init__(self, shadow: ShadowWorkspace) -> None:
        self._shadow = shadow

    def begin_question(self, interceptor: PermissionInterceptor, heard: Callable[[AgentUpdate], None]) -> None:
        """Forget the question before; what its conversation may still say is not heard."""
        self.session_id: SessionId | None = None
        """The conversation of the question, once it is known."""
        self._interceptor = interceptor
        self._heard = heard
        self._calls: dict[ToolCallId, ToolCall] = {}
        self._read: dict[str, None] = {}
        self._denied: dict[str, None] = {}
        self._said: list[str] = []

    def begin_turn(self) -> None:
        self._said = []

    @property
    def said(self) -> str:
        """What the agent said in this turn."""
        return "".join(self._said)

    @property
    def denied(self) -> tuple[str, ...]:
        return tuple(self._denied)

    def files_read(self) -> tuple[str, ...]:
        """The files it read, as far as they are files of the workspace. Looks at the shadow."""
        named = dict(self._read)
        for call in self._calls.values():
            if call.status is ToolCallStatus.COMPLETED and tool_use(call).category is ToolCategory.READ:
                named.update(dict.fromkeys(call.paths))
        inside = [path for path in named if path and not path.startswith(("/", ".."))]
        return tuple(path for path in inside[:_MOST_READ] if self._is_file(path))

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        answer = await self._interceptor.decide(request)
        if answer.verdict is not Verdict.ALLOW:
            call = request.call
            self._denied[shown(call.title or call.command or call.tool or call.kind.value)] = None
        return answer

    def turned_away(self, request: PermissionRequest, reason: str) -> None:
        self._interceptor.turned_away(request, reason)

    def heard(self, session_id: SessionId, update: AgentUpdate) -> None:
        if self.session_id not in (None, session_id):
            return
        if isinstance(update, AgentSaid) and not update.thought:
            self._said.append(update.text)
        elif isinstance(update, ToolCallChanged):
            self._calls[update.call.id] = update.call
        self._heard(update)

    async def read_text(self, session_id: SessionId, path: str) -> str:
        data = await asyncio.to_thread(self._shadow.read, path)
        self._read[path] = None
        return data.decode("utf-8", "replace")

    async def save_text(self, session_id: SessionId, path: str, text: str) -> None:
        self._denied[f"write {shown(path)}"] = None
        raise ToolDeniedError(f"{shown(path)} is not written: you were asked for advice, so you may only read.")

    async def open_terminal(self, session_id: SessionId, call: CommandCall) -> TerminalId:
        self._denied[shown(call.command)] = None
        return TerminalId(f"refused-{len(self._denied)}")

    async def terminal_output(self, terminal_id: TerminalId) -> TerminalOutput:
        return _REFUSED

    async def wait_for_terminal(self, terminal_id: TerminalId) -> TerminalOutput:
        return _REFUSED

    async def kill_terminal(self, terminal_id: TerminalId) -> None:
        pass

    async def release_terminal(self, terminal_id: TerminalId) -> None:
        pass

    def _is_file(self, path: str) -> bool:
        try:
            return isinstance(self._shadow.state(path), FileState)
        except Exception:
            return False
