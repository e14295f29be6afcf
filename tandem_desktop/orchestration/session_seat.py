"""One session in the registry: who is in it, and what the person wants of it, also before it is open."""

from collections.abc import Awaitable, Callable

from tandem_desktop.domain.ids import SessionId
from tandem_desktop.orchestration.minds import Mind
from tandem_desktop.orchestration.perspective_planning import PerspectivePlanning
from tandem_desktop.orchestration.planning_session import PlanningSession

_GRACE_S = 10.0
"""How long an agent may take to end a turn that is stopped, before it is ended itself."""


class SessionSlot:
    """Agents take turns in it, in the same shadow and on the same plan.

    `plan_mode` and `is_stopped` may be set from any thread; all else happens on the engine's loop.
    """

    def __init__(
        self, session_id: SessionId, open_for: "Callable[[SessionSlot, Mind], Awaitable[PlanningSession]]"
    ) -> None:
        self.session_id = session_id
        self.session: PlanningSession | None = None
        """None while no agent was asked in it, and between two agents."""
        self.plan_mode = True
        """As the person last said; a session that is being opened has it from here."""
        self.is_stopped = False
        """Whether it was stopped before it was open."""
        self.planning: PerspectivePlanning | None = None
        """Under way with several agents."""
        self.is_confined = False
        """Whether the last agent in it was held back by a sandbox."""
        self._open_for = open_for
        self._mind: Mind | None = None

    async def take(self, mind: Mind) -> PlanningSession:
        """The session with this agent in it; another one that is in it is ended first.

        Raises what `AgentSessions.open` raises.
        """
        session = self.session
        if session is None or self._mind != mind:
            await self.leave()
            session = self.session = await self._open_for(self, mind)
            self._mind = mind
            self.is_confined = session.shadow.confinement.confined
        session.set_plan_mode(self.plan_mode)
        return session

    async def leave(self) -> None:
        """End the agent in it; the work stays."""
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
