"""Terminals an agent opens: a command that runs in the shadow, or a word on what became of it instead."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tandem_desktop.domain.agents import TerminalOutput
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import TerminalId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.processes.child import Outcome, run_child
from tandem_desktop.processes.launch import Launch

_SHOWN_BYTES = 256 * 1024
_NOT_STARTED = 126


@dataclass(slots=True)
class _Terminal:
    """One command: what it has said so far, and its end."""

    ended: "asyncio.Future[TerminalOutput]"
    said: bytearray = field(default_factory=bytearray)
    stop: bool = False
    has_dropped: bool = False

    def hear(self, chunk: bytes) -> None:
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
        self, launch: Callable[[CommandCall], Launch], *, command_ended: Callable[[], Awaitable[None]]
    ) -> None:
        """`command_ended` is awaited before anyone hears of a command's end."""
        self._launch = launch
        self._command_ended = command_ended
        self._terminals: dict[TerminalId, _Terminal] = {}
        self._numbers = itertools.count(1)
        self._running: set[asyncio.Task[None]] = set()

    def say(self, text: str, exit_code: int = 0) -> TerminalId:
        """A terminal in which nothing ran; it shows why."""
        terminal_id, terminal = self._new()
        terminal.hear(text.encode())
        terminal.ended.set_result(terminal.now(exit_code))
        return terminal_id

    def run(self, call: CommandCall) -> TerminalId:
        """A terminal in which the command runs, in the shadow."""
        terminal_id, terminal = self._new()
        task = asyncio.create_task(self._run(call, terminal))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return terminal_id

    def output(self, terminal_id: TerminalId) -> TerminalOutput:
        terminal = self._known(terminal_id)
        return terminal.ended.result() if terminal.ended.done() else terminal.now()

    async def wait(self, terminal_id: TerminalId) -> TerminalOutput:
        return await asyncio.shield(self._known(terminal_id).ended)

    async def kill(self, terminal_id: TerminalId) -> None:
        """End the command; what it said stays."""
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

    async def _run(self, call: CommandCall, terminal: _Terminal) -> None:
        loop = asyncio.get_running_loop()

        def hear(chunk: bytes) -> None:
            loop.call_soon_threadsafe(terminal.hear, chunk)

        def work() -> Outcome:
            launch = self._launch(call)
            return run_child(
                launch.argv,
                cwd=launch.cwd,
                environment=launch.environment,
                timeout_s=call.timeout_s,
                should_abort=lambda: terminal.stop,
                on_output=hear,
            )

        try:
            outcome = await asyncio.to_thread(work)
            await self._command_ended()
        except Exception as error:  # whatever kept it from starting, the agent has to hear of it
            terminal.hear(f"{error}\n".encode())
            terminal.ended.set_result(terminal.now(_NOT_STARTED))
            return
        if outcome.timed_out:
            terminal.hear(f"\n[ended after {call.timeout_s} s]\n".encode())
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
