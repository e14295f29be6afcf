"""One session, whoever sits in it: agents take turns in the same shadow and on the same plan."""

from tandem_desktop.domain.ids import SessionId
from tandem_desktop.orchestration.agent_sessions import AgentSessions
from tandem_desktop.orchestration.minds import Mind
from tandem_desktop.orchestration.planning_session import PlanningSession


class SessionSeat:
    """Opens the session for a mind, and again for another one. Lives on the engine's loop."""

    def __init__(self, sessions: AgentSessions, session_id: SessionId) -> None:
        self._sessions = sessions
        self._session_id = session_id
        self._mind: Mind | None = None
        self._session: PlanningSession | None = None
        self.is_confined = False
        """Whether whoever sat here last was held back by a sandbox."""

    async def take(self, mind: Mind) -> PlanningSession:
        """Raises what `AgentSessions.open` raises."""
        if self._session is not None and self._mind == mind:
            return self._session
        await self.leave()
        self._session = await self._sessions.open(
            mind.profile, session_id=self._session_id, extra_environment=mind.environment, new=True
        )
        self._mind = mind
        self.is_confined = self._session.shadow.confinement.confined
        return self._session

    async def leave(self) -> None:
        """End whoever sits here; the work stays."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
