"""The place of a session for one agent after the other, and which of them are kept while they have nothing to do."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.network import AllowedHost
from tandem_desktop.sessions.advisors import Advisor
from tandem_desktop.sessions.session import PlanningSession

_GRACE_S = 10.0
"""How long an agent may take to end a turn that is stopped, before it is ended itself."""


class StoppablePlanning(Protocol):
    """Planning with several agents."""

    async def stop(self, grace_s: float) -> None:
        """Stop every agent."""


class SessionSlot:
    """The place of one session, in which agents follow each other with the same shadow and plan.

    `plan_mode` and `is_stopped` may be set from any thread; all else happens on the engine's loop.
    """

    def __init__(
        self, session_id: SessionId, open_for: "Callable[[SessionSlot, Advisor], Awaitable[PlanningSession]]"
    ) -> None:
        self.session_id = session_id
        self.session: PlanningSession | None = None
        """None while no agent was asked in it, and between two agents."""
        self.plan_mode = True
        """As the person last chose; a session that is being opened takes it from here."""
        self.is_stopped = False
        """Whether it was stopped before it was open."""
        self.has_other_model = False
        """Whether the settings name another model than its agent was started with."""
        self.planning: StoppablePlanning | None = None
        """Planning with several agents, while it runs."""
        self.is_confined = False
        """Whether the last agent ran in a sandbox."""
        self.allowed_once: tuple[str, ...] = ()
        """Hosts the person allowed for this session alone."""
        self.idle_since = 0.0
        """When the last turn ended, by the clock of the loop."""
        self._open_for = open_for
        self._advisor: Advisor | None = None
        self._changing = asyncio.Lock()
        """Held while an agent comes or goes, so that a shadow is never opened before it was closed."""
        self._before: PlanningSession | None = None
        """The one that was let go, closed."""

    async def take(self, advisor: Advisor) -> PlanningSession:
        """The session with this agent in it; another one that is in it is ended first.

        Raises what `AgentSessions.open` raises.
        """
        async with self._changing:
            session = self.session
            if session is None or self._advisor != advisor or self.has_other_model:
                await self._end()
                self.has_other_model = False
                session = self.session = await self._open_for(self, advisor)
                if self._before is not None and self._advisor == advisor:
                    session.go_on(self._before)
                self._advisor, self._before = advisor, None
                self.is_confined = session.shadow.confinement.confined
            session.set_plan_mode(self.plan_mode)
            return session

    @property
    def is_idle(self) -> bool:
        """Whether its agent runs and has nothing to do; one that was not taken here is left to whoever opened it."""
        session = self.session
        return session is not None and self._advisor is not None and self.planning is None and session.is_idle

    async def let_go(self) -> None:
        """End an agent that has nothing to do; the next message resumes it."""
        async with self._changing:
            if self.session is not None and self.is_idle:
                self._before = self.session
                await self._end()

    async def allow_once(self, host: AllowedHost) -> None:
        """Let the agents of this session reach a host, the one that runs as well."""
        self.allowed_once = (*self.allowed_once, str(host))
        if self.session is not None:
            await self.session.network.allow(host)

    async def leave(self) -> None:
        """End the agent in it; the work stays."""
        if self.session is not None:
            async with self._changing:
                await self._end()

    async def _end(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            await session.close()

    async def stop(self) -> None:
        """Stop the agent where it is, or the turn that waits for it."""
        if self.planning is not None:
            await self.planning.stop(_GRACE_S)
        elif self.session is not None:
            await self.session.cancel_turn()
        else:
            self.is_stopped = True

    async def abandon(self) -> None:
        """Stop the agent where it is and forget what it has drafted."""
        if self.planning is not None:
            await self.planning.stop(_GRACE_S)
        if self.session is not None:
            await self.session.abandon()

    async def close(self) -> None:
        """Stop the planning and end the agent."""
        try:
            if self.planning is not None:
                await self.planning.stop(_GRACE_S)
        finally:
            await self.leave()


class IdleAgents:
    """Lets agents go that have nothing to do: all but the last few at once, those after a while."""

    def __init__(self, slots: Callable[[], Iterable[SessionSlot]], most: int, minutes: int) -> None:
        self._slots = slots
        self._most = most
        self._seconds = minutes * 60.0
        self._waiting: set[asyncio.Task[None]] = set()

    def turn_ended(self, slot: SessionSlot) -> None:
        """Call it on the engine's loop when a turn has ended."""
        task = asyncio.create_task(self._rest(slot))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    def close(self) -> None:
        for task in self._waiting:
            task.cancel()

    async def _rest(self, slot: SessionSlot) -> None:
        if slot.session is not None:
            await slot.session.rested()
        slot.idle_since = ended = asyncio.get_running_loop().time()
        idle = sorted((each for each in self._slots() if each.is_idle), key=lambda each: each.idle_since)
        for each in idle[: max(len(idle) - self._most, 0)]:
            await _let_go(each)
        await asyncio.sleep(self._seconds)
        if slot.idle_since == ended:
            await _let_go(slot)


async def _let_go(slot: SessionSlot) -> None:
    with contextlib.suppress(Exception):  # the agent is gone either way; the next message says what is wrong
        await slot.let_go()
