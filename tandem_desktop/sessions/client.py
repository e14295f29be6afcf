"""Handles file, terminal and permission requests and questions of a session's agent."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tandem_desktop.domain.agent_protocol import (
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
    PermissionVerdict,
    TerminalOutput,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    ToolKind,
)
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import SessionId, TerminalId, ToolCallId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.domain.questions import AgentQuestion, QuestionAnswer
from tandem_desktop.processes.child import Launch, ProcessOutcome, run_child
from tandem_desktop.sessions.interceptor import PermissionInterceptor
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.staging.segments import TERMINAL
from tandem_desktop.staging.staging_store import StagingStore

_SHOWN_BYTES = 256 * 1024
_NOT_STARTED = 126


@dataclass(slots=True)
class _Terminal:
    """One command: its output so far, and its end."""

    ended: "asyncio.Future[TerminalOutput]"
    said: bytearray = field(default_factory=bytearray)
    stop: bool = False
    has_dropped: bool = False

    def append(self, chunk: bytes) -> None:
        self.said += chunk
        if len(self.said) > _SHOWN_BYTES:
            self.has_dropped = True
            del self.said[:-_SHOWN_BYTES]

    def now(self, exit_code: int | None = None) -> TerminalOutput:
        text = self.said.decode("utf-8", "replace")
        return TerminalOutput(text=text, truncated=self.has_dropped, exit_code=exit_code)


class Terminals:
    """The terminals of one session. Lives on the engine's loop; commands run beside it."""

    def __init__(
        self,
        launch: Callable[[CommandCall], Launch],
        *,
        note: Callable[[ToolCall], None],
        command_ended: Callable[[], Awaitable[None]],
    ) -> None:
        """`note` gets each command that has ended; `command_ended` is awaited before the agent is told."""
        self._launch = launch
        self._note = note
        self._command_ended = command_ended
        self._terminals: dict[TerminalId, _Terminal] = {}
        self._numbers = itertools.count(1)
        self._running: set[asyncio.Task[None]] = set()

    def say(self, text: str, exit_code: int = 0) -> TerminalId:
        """A terminal that only shows why the command was refused."""
        terminal_id, terminal = self._new()
        terminal.append(text.encode())
        terminal.ended.set_result(terminal.now(exit_code))
        return terminal_id

    def run(self, call: CommandCall) -> TerminalId:
        """A terminal in which the command runs, in the shadow."""
        terminal_id, terminal = self._new()
        task = asyncio.create_task(self._run(terminal_id, call, terminal))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return terminal_id

    def output(self, terminal_id: TerminalId) -> TerminalOutput:
        terminal = self._known(terminal_id)
        return terminal.ended.result() if terminal.ended.done() else terminal.now()

    async def wait(self, terminal_id: TerminalId) -> TerminalOutput:
        return await asyncio.shield(self._known(terminal_id).ended)

    async def kill(self, terminal_id: TerminalId) -> None:
        """End the command; its output stays."""
        terminal = self._known(terminal_id)
        terminal.stop = True
        await asyncio.shield(terminal.ended)

    async def release(self, terminal_id: TerminalId) -> None:
        await self.kill(terminal_id)
        del self._terminals[terminal_id]

    async def close(self) -> None:
        """End every command."""
        for terminal in self._terminals.values():
            terminal.stop = True
        await asyncio.gather(*self._running, return_exceptions=True)
        self._terminals.clear()

    async def _run(self, terminal_id: TerminalId, call: CommandCall, terminal: _Terminal) -> None:
        loop = asyncio.get_running_loop()

        def on_output(chunk: bytes) -> None:
            loop.call_soon_threadsafe(terminal.append, chunk)

        def work() -> ProcessOutcome:
            launch = self._launch(call)
            return run_child(
                launch.argv,
                cwd=launch.cwd,
                environment=launch.environment,
                timeout_s=call.timeout_s,
                should_abort=lambda: terminal.stop,
                on_output=on_output,
            )

        try:
            outcome = await asyncio.to_thread(work)
            self._note(
                ToolCall(
                    id=ToolCallId(f"{TERMINAL}{terminal_id}"),
                    tool="bash",
                    title=call.command,
                    kind=ToolKind.EXECUTE,
                    status=ToolCallStatus.FAILED if outcome.exit_code else ToolCallStatus.COMPLETED,
                    command=call.command,
                    cwd=call.cwd,
                    output=terminal.now().text,
                    exit_code=outcome.exit_code,
                    asked=True,
                )
            )
            await self._command_ended()
        except Exception as error:  # report every start failure to the agent
            terminal.append(f"{error}\n".encode())
            terminal.ended.set_result(terminal.now(_NOT_STARTED))
            return
        if outcome.timed_out:
            terminal.append(f"\n[ended after {call.timeout_s} s]\n".encode())
        terminal.ended.set_result(terminal.now(outcome.exit_code))

    def _new(self) -> tuple[TerminalId, _Terminal]:
        terminal_id = TerminalId(f"terminal-{next(self._numbers)}")
        terminal = _Terminal(asyncio.get_running_loop().create_future())
        self._terminals[terminal_id] = terminal
        return terminal_id, terminal

    def _known(self, terminal_id: TerminalId) -> _Terminal:
        if terminal_id not in self._terminals:
            raise BadInputError(f"There is no terminal {terminal_id}.", next="Open one first.")
        return self._terminals[terminal_id]


_REFUSED = 126


class SessionClient:
    """Implements `AgentClient` for one session. Works on files in the shadow; requests go to the interceptor."""

    def __init__(
        self,
        shadow: ShadowWorkspace,
        interceptor: PermissionInterceptor,
        staging: StagingStore,
        terminals: Terminals,
        on_update: Callable[[AgentUpdate], None],
        on_request: Callable[[], None],
    ) -> None:
        self._shadow = shadow
        self._interceptor = interceptor
        self._staging = staging
        self._terminals = terminals
        self._on_update = on_update
        self._on_request = on_request
        """Called for each request to read, write or run something."""
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

    async def ask(self, question: AgentQuestion) -> QuestionAnswer:
        return await self._interceptor.questions.put(question)

    def question_completed(self, elicitation_id: str) -> None:
        self._interceptor.questions.complete(elicitation_id)

    def on_update(self, session_id: SessionId, update: AgentUpdate) -> None:
        if isinstance(update, ToolCallChanged):
            self._staging.note_call(update.call)
            if update.call.kind not in (ToolKind.READ, ToolKind.SEARCH, ToolKind.THINK):
                self.look()
        self._on_update(update)

    def look(self) -> None:
        """Start a scan of what the agent touched, to tell its changes from later ones by the person."""
        if self._looking is not None and not self._looking.done():
            self._look_again = True
            return
        self._looking = asyncio.create_task(self._note_bases())

    async def settled(self) -> None:
        """Wait for the last scan."""
        if self._looking is not None:
            await self._looking

    async def read_text(self, session_id: SessionId, path: str) -> str:
        self._on_request()
        return await asyncio.to_thread(self._shadow.read_text, path)

    async def save_text(self, session_id: SessionId, path: str, text: str) -> None:
        self._on_request()
        await asyncio.to_thread(self._shadow.write, path, text.encode())

    async def open_terminal(self, session_id: SessionId, call: CommandCall) -> TerminalId:
        self._on_request()
        answer = await self._interceptor.decide_command(session_id, call)
        if answer.verdict is PermissionVerdict.ALLOW:
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
