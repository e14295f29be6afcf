"""Agents played in the test's own process: no process is started, and all else is as with one that is.

What they write goes through the same streams, framing and translation; a death is an end of the stream and an exit.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from tandem_desktop.acp_client.client import SidecarManager
from tandem_desktop.acp_client.connection import OnFrame, SidecarLimits
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.processes.child import Launch
from tests.support.sidecars import QUICK, WORKSPACE, NotingClient, a_launch, a_profile


class PlayedAgent(Protocol):
    """Acts on each line it hears."""

    def hear(self, line: bytes) -> None: ...


MakeAgent = Callable[[Callable[[bytes], object], Callable[[int], object]], PlayedAgent]
"""Makes an agent from where its bytes go and how it dies."""


class _DiedError(Exception):
    """The agent has ended itself."""


class PlayedProcess:
    """Stands where a process would."""

    def __init__(self, make_agent: MakeAgent) -> None:
        loop = asyncio.get_running_loop()
        self.stdout = asyncio.StreamReader()
        self.stderr: tuple[str, ...] = ()
        self.exit_code: int | None = None
        self._exited = asyncio.Event()
        self._agent = make_agent(self.stdout.feed_data, self._die)
        self.stdin = asyncio.StreamWriter(_ToAgent(self._hear), asyncio.streams.FlowControlMixin(), None, loop)

    async def wait(self) -> None:
        await self._exited.wait()

    async def drain_stderr(self, seconds: float = 0.5) -> None:
        await asyncio.sleep(0)

    async def end(self) -> None:
        self._exit(-15)
        self.stdin.close()

    def _hear(self, line: bytes) -> None:
        if self.exit_code is None:
            try:
                self._agent.hear(line)
            except _DiedError:
                pass

    def _die(self, code: int) -> None:
        self._exit(code)
        raise _DiedError

    def _exit(self, code: int) -> None:
        if self.exit_code is None:
            self.exit_code = code
            self.stdout.feed_eof()
            self._exited.set()


class _ToAgent(asyncio.Transport):
    """Hands over each line a little later, as a pipe would."""

    def __init__(self, hear: Callable[[bytes], None]) -> None:
        super().__init__()
        self._hear = hear
        self._rest = b""
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        *lines, self._rest = (self._rest + bytes(data)).split(b"\n")
        for line in lines:
            asyncio.get_running_loop().call_soon(self._hear, line)

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True


def a_played_manager(
    make_agent: MakeAgent,
    client: NotingClient,
    *,
    on_frame: OnFrame | None = None,
    limits: SidecarLimits = QUICK,
    **profile: Any,
) -> SidecarManager:
    async def start(launch: Launch, limits: SidecarLimits) -> PlayedProcess:
        return PlayedProcess(make_agent)

    played: AgentProfile = a_profile(**profile)
    launch = a_launch("played")
    return SidecarManager(
        played, launch, client, workspace=WORKSPACE, limits=limits, on_frame=on_frame, start_process=start
    )
