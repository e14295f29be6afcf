"""The conversations of one window: each with its agent, which is started when something is said to it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

from tandem_desktop.domain.agents import AgentProfile, Picture
from tandem_desktop.domain.ids import PlanId, RequestId, SessionId
from tandem_desktop.domain.plan import Origin, PlanStatus, PlanVersion
from tandem_desktop.domain.qualification import Qualification
from tandem_desktop.orchestration.agent_sessions import AgentSessions
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.engine_thread import EngineThread
from tandem_desktop.orchestration.minds import Mind, Minds
from tandem_desktop.orchestration.perspective_planning import PerspectivePlanning
from tandem_desktop.orchestration.turn import Turn
from tandem_desktop.perspectives.order_advice import advise_order
from tandem_desktop.policy import messages
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.policy.tool_bundle import planning_bundle
from tandem_desktop.staging.confirmation import Decision
from tandem_desktop.tasks.suggested_order import SuggestedOrder

Pictures = tuple[Picture, ...]
_LONGEST = 200
"""Of a name in a request that may be a path."""


class Conversations:
    """Call it from any thread; nothing here blocks."""

    def __init__(self, engine: Engine, sessions: AgentSessions, thread: EngineThread) -> None:
        self._engine = engine
        self._sessions = sessions
        self._thread = thread

    def is_open(self, session_id: SessionId) -> bool:
        """Whether its agent was started here."""
        return self._sessions.find(session_id) is not None

    def send(
        self, session_id: SessionId, text: str, profile: AgentProfile, *, plan_mode: bool, pictures: Pictures = ()
    ) -> "Future[Turn]":
        """Say something to the session's agent, starting it where it does not run.

        A new task that should be planned is looked at by several minds first, where the settings want that.
        """
        if plan_mode and not pictures and self._wants_perspectives(session_id, text):
            return self.plan_with_perspectives(session_id, text, profile)
        self._begin(session_id, plan_mode=plan_mode)
        return self._thread.submit(self._send(session_id, text, profile, Origin.AGENT, pictures))

    def plan_with_perspectives(self, session_id: SessionId, task: str, profile: AgentProfile) -> "Future[Turn]":
        """Have CHAPO, KODA and DEVO look at a task, then plan it by tasks. Plan mode is on for it."""
        self._begin(session_id, plan_mode=True)
        return self._thread.submit(self._plan_with_perspectives(session_id, task, profile))

    def advise_order(self, version: PlanVersion, profile: AgentProfile) -> "Future[SuggestedOrder]":
        """Ask a mind, which may only look, for a better order of a revision."""
        advisor = self._sessions.advisor(Minds(self._engine.settings.minds, profile))
        return self._thread.submit(advise_order(advisor, version))

    def rework(self, plan_id: PlanId, feedback: str, profile: AgentProfile) -> "Future[Turn]":
        """Send the plan back with words; its agent makes a new revision."""
        return self._thread.submit(self._rework(plan_id, feedback, profile))

    def carry_out(self, plan_id: PlanId, words: str, profile: AgentProfile) -> "Future[Turn]":
        """Hand an approved plan of text alone back to its agent; what it changes becomes the next revision."""
        return self._thread.submit(self._carry_out(plan_id, words, profile))

    def set_plan_mode(self, session_id: SessionId, plan_mode: bool) -> None:
        """At once, for a turn under way as well."""
        self._sessions.slot(session_id).plan_mode = plan_mode
        session = self._sessions.find(session_id)
        if session is not None:
            self._thread.submit(_soon(lambda: session.set_plan_mode(plan_mode)))

    def inject_planning_tools(self, session_id: SessionId) -> bool:
        """Hand the agent the planning bundle with its next message; False where no agent is there to hear it."""
        session = self._sessions.find(session_id)
        if session is not None:
            session.tell(planning_bundle().words)
        return session is not None

    def stop(self, session_id: SessionId) -> "Future[None]":
        """Stop the agent where it is."""
        return self._thread.submit(self._sessions.slot(session_id).stop())

    def abandon(self, session_id: SessionId) -> "Future[None]":
        """Stop the agent where it is and forget what it has drafted."""
        return self._thread.submit(self._sessions.slot(session_id).abandon())

    def answer(self, session_id: SessionId, request_id: RequestId, decision: Decision, words: str = "") -> bool:
        """Answer a permission card; False when it no longer waits."""
        session = self._sessions.find(session_id)
        return session is not None and session.interceptor.resolve(request_id, decision, words)

    def close(self) -> None:
        """End every agent and wait for it; what they did stays in their shadows."""
        closing = self._thread.submit(self._sessions.close())
        if not closing.cancelled():
            closing.result()

    def _begin(self, session_id: SessionId, *, plan_mode: bool) -> None:
        """Something is said to the session: a stop of before does not concern it."""
        slot = self._sessions.slot(session_id)
        slot.plan_mode, slot.is_stopped = plan_mode, False

    def _wants_perspectives(self, session_id: SessionId, text: str) -> bool:
        if not self._engine.settings.perspectives or text.lstrip().startswith("/"):
            return False
        return self._engine.plans.plan_of(session_id) is None and self._qualified(text).plan_required

    def _qualified(self, text: str) -> Qualification:
        workspace = self._engine.locations.workspace
        return qualify(text, lambda name: ".." not in name and len(name) < _LONGEST and (workspace / name).exists())

    async def _plan_with_perspectives(self, session_id: SessionId, task: str, profile: AgentProfile) -> Turn:
        minds = Minds(self._engine.settings.minds, profile)
        slot = self._sessions.slot(session_id)
        slot.planning = PerspectivePlanning(self._engine, self._sessions.advisor(minds), minds, slot.take)
        try:
            return await slot.planning.run_plan_mode(session_id, task, self._qualified(task))
        finally:
            slot.planning = None

    async def _send(
        self, session_id: SessionId, text: str, profile: AgentProfile, origin: Origin, pictures: Pictures = ()
    ) -> Turn:
        slot = self._sessions.slot(session_id)
        session = await slot.take(Mind(profile))
        if slot.is_stopped:
            slot.is_stopped = False
            session.stop_next_turn()
        return await session.plan(text, origin, pictures)

    async def _rework(self, plan_id: PlanId, feedback: str, profile: AgentProfile) -> Turn:
        meta = await asyncio.to_thread(self._engine.decisions.reject, plan_id, feedback)
        if meta.status is PlanStatus.NEEDS_REVIEW:
            # The words are kept with the plan, which says that it is the person's turn; no agent is started.
            return Turn(None, "", None)
        # The rejection itself is the news the agent hears first.
        self._sessions.slot(meta.session_id).plan_mode = True
        return await self._send(meta.session_id, "", profile, Origin.REWORK)

    async def _carry_out(self, plan_id: PlanId, words: str, profile: AgentProfile) -> Turn:
        version = await asyncio.to_thread(self._engine.plans.revision, plan_id)
        slot = self._sessions.slot(version.session_id)
        slot.plan_mode = True
        session = await slot.take(Mind(profile))
        session.tell(messages.carry_out(version.title, version.content))
        return await session.plan(words, Origin.AGENT, ())


async def _soon(work: Callable[[], None]) -> None:
    work()
