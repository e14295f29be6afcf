"""One life of an agent process: its pipes, the calls over them, and what is said when it ends."""

import asyncio
import contextlib
from collections.abc import Awaitable
from types import ModuleType
from typing import Any, Protocol, TypeVar

from tandem_desktop.domain.agent_ports import AgentClient
from tandem_desktop.domain.agents import AgentProfile
from tandem_desktop.domain.errors import SidecarError, SidecarExitedError
from tandem_desktop.sidecar import failures
from tandem_desktop.sidecar.agent_requests import AgentRequests
from tandem_desktop.sidecar.connection import LineTransport, OnFrame
from tandem_desktop.sidecar.conversation import Conversation
from tandem_desktop.sidecar.limits import SidecarLimits
from tandem_desktop.sidecar.workspace_paths import WorkspacePaths

_LAST_MESSAGES_S = 1.0
"""How long the other sign of an end is waited for: the exit after the last byte, or the last byte after the exit."""
_STEPS = 8
_Result = TypeVar("_Result")


class AgentProcess(Protocol):
    """A process as far as talking to it needs."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""

    @property
    def stderr(self) -> tuple[str, ...]:
        """Its last words."""

    async def wait(self) -> None:
        """Until it has ended."""

    async def hear_out(self, seconds: float = 0.5) -> None:
        """Wait a moment for its last words."""

    async def end(self) -> None:
        """End it and every descendant."""


class Link:
    """A running agent. When it is gone, for whatever reason, every call over it fails with that reason."""

    def __init__(
        self,
        protocol: ModuleType,
        profile: AgentProfile,
        process: AgentProcess,
        transport: LineTransport,
        requests: AgentRequests,
    ) -> None:
        self.protocol = protocol
        self.process = process
        self.wire: Any = None
        self.requests = requests
        self._profile = profile
        self._transport = transport
        self._stopping = False
        self._over: asyncio.Task[None]

    @classmethod
    def open(
        cls,
        protocol: ModuleType,
        profile: AgentProfile,
        process: AgentProcess,
        client: AgentClient,
        paths: WorkspacePaths,
        limits: SidecarLimits,
        on_frame: OnFrame | None,
    ) -> "Link":
        """Listen to a process that was just started."""
        requests = AgentRequests(client, paths, read_update=protocol.read_update)
        transport = LineTransport(
            process.stdout,
            process.stdin,
            limits,
            answer=requests.answer,
            notice=requests.notice,
            on_frame=on_frame,
        )
        link = cls(protocol, profile, process, transport, requests)
        link.wire = protocol.Wire(transport)
        link._over = asyncio.create_task(link._watch(), name="sidecar-watch")
        return link

    @property
    def is_alive(self) -> bool:
        return not self._stopping and self._transport.failure is None and not self._over.done()

    async def wire_call(self, call: Awaitable[_Result]) -> _Result:
        """The agent's answer.

        Raises:
            RefusedError: it answered with an error.
            SidecarError: it is gone.
        """
        try:
            return await call
        except ConnectionError:
            await self._see_it_end()
            raise self.gone() from None

    async def send_cancel(self, session_id: str) -> None:
        """Tell the agent to end a turn; one that is gone has ended it."""
        with contextlib.suppress(ConnectionError):
            await self.wire.cancel(session_id)

    async def settled(self, conversation: Conversation) -> None:
        """Let the tasks of requests that were just settled give their answers, which takes them one step each."""
        for _ in range(_STEPS):
            if not conversation.open:
                break
            await asyncio.sleep(0)

    async def give_up(self, error: SidecarError) -> SidecarError:
        """End the agent for a reason; the reason, with its last words."""
        self._transport.fail(error)
        await asyncio.wait({self._over})
        return self.gone()

    def abandon(self) -> None:
        """Let every call fail; whoever made the first of them cleans up."""
        self._transport.fail(SidecarExitedError(f"{self._profile.title} was stopped.", next="Start the agent again."))

    def gone(self) -> SidecarError:
        """Why the agent is gone."""
        failure = self._transport.failure
        if failure is None:
            failure = SidecarExitedError(f"{self._profile.title} was stopped.", next="Start the agent again.")
        return self.error(failure)

    def error(self, error: SidecarError) -> SidecarError:
        """The same error with the agent's last words, to be raised once more."""
        return type(error)(error.message, next=error.next, stderr=self.process.stderr)

    async def close(self) -> None:
        """Answer what is open, then end everything."""
        self._stopping = True
        self.requests.settle_all()
        for conversation in self.requests.conversations.values():
            await self.settled(conversation)
        await self._transport.close()
        await asyncio.wait({self._over})

    async def _see_it_end(self) -> None:
        """An agent that cannot be written to has ended, or is of no more use."""
        try:
            await asyncio.wait_for(self._transport.ended.wait(), _LAST_MESSAGES_S)
        except TimeoutError:
            self._transport.fail(failures.of_closed_input(self._profile))
        await asyncio.wait({self._over})

    async def _watch(self) -> None:
        exited = asyncio.create_task(self.process.wait())
        silent = asyncio.create_task(self._transport.ended.wait())
        try:
            await asyncio.wait({exited, silent}, return_when=asyncio.FIRST_COMPLETED)
            if self._transport.failure is None and not self._stopping:
                await asyncio.wait({exited, silent}, timeout=_LAST_MESSAGES_S)
                await self.process.hear_out()
                self._transport.fail(failures.of_exit(self._profile, self.process.exit_code))
            self.requests.settle_all()
            await self.process.end()
        finally:
            for task in (exited, silent):
                task.cancel()
            await self._transport.close()
            await self.wire.close()
