"""A task, several minds, one plan: look at it from three sides, put it into tasks, have each planned by its agent."""

import asyncio
from collections.abc import Awaitable, Callable

from tandem_desktop.domain.advised_plan import AdvisedPlan
from tandem_desktop.domain.agent_ports import AdvisorPort
from tandem_desktop.domain.agents import StopReason
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.perspectives import Perspectives
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.qualification import Qualification
from tandem_desktop.events.events import TurnEnded, TurnStarted
from tandem_desktop.events.perspective_events import (
    PlanApprovalRequested,
    PlanningStarted,
    PlanReady,
    SynthesisEnded,
    SynthesisStarted,
)
from tandem_desktop.orchestration.delegating import Delegation
from tandem_desktop.orchestration.drafting import Presented, title_of
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.minds import Mind, Minds
from tandem_desktop.orchestration.planning_session import PlanningSession
from tandem_desktop.orchestration.turn import Turn, last_words, problem_of
from tandem_desktop.perspectives.gather import Gathering, TaskToPlan
from tandem_desktop.perspectives.synthesis import Synthesis, synthesize
from tandem_desktop.perspectives.wording import all_as_text

OpenSession = Callable[[Mind], Awaitable[PlanningSession]]
"""The session of the task with this mind in it: the same shadow, the same plan, whoever works there."""

SYNTHESIS = "synthesis"


class PerspectivePlanning:
    """Leads one task from its first look to a plan that waits. Produces revisions; decides nothing."""

    def __init__(
        self,
        engine: Engine,
        advisor: AdvisorPort,
        minds: Minds,
        open_session: OpenSession,
    ) -> None:
        self._engine = engine
        self._publish = engine.events.publish
        self._advisor = advisor
        self._minds = minds
        self._open_session = open_session
        self._asking: asyncio.Task[tuple[Synthesis | None, Perspectives]] | None = None
        self._session: PlanningSession | None = None
        self._stopped = False

    async def run_plan_mode(self, session_id: SessionId, task: str, qualification: Qualification) -> Turn:
        """Plan a task: one turn for whoever follows it, however many agents take part.

        Raises:
            TandemError: the agent of the session cannot be started at all.
        """
        self._publish(TurnStarted(session_id=session_id, text=task))
        turn, problem = _NOTHING, ""
        details: tuple[str, ...] = ()
        try:
            turn = await self._run(TaskToPlan(session_id, task, qualification))
            problem, details = problem_of(turn.stop_reason, turn.failure), last_words(turn.failure)
        except TandemError as error:
            problem, details = error.message, (error.next,)
            raise
        finally:
            plan_id = turn.version.plan_id if turn.version else None
            self._publish(
                TurnEnded(
                    session_id=session_id,
                    stop_reason=turn.stop_reason,
                    problem=problem,
                    details=details,
                    plan_id=plan_id,
                )
            )
        return turn

    async def stop(self, grace_s: float) -> None:
        """End whoever is asked or plans just now; what was planned until then stays, marked unfinished."""
        self._stopped = True
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})  # until every agent that was asked is gone
        if self._session is not None:
            await self._session.end_turn(grace_s)

    async def _run(self, about: TaskToPlan) -> Turn:
        started = PlanningStarted(session_id=about.session_id, task=about.task, qualification=about.qualification.words)
        self._publish(started)
        self._asking = asyncio.ensure_future(self._asked_together(about))
        try:
            synthesis, found = await self._asking
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            return _NOTHING
        finally:
            self._asking.cancel()
            self._asking = None
        if synthesis is None:
            turn = await self._planned_whole(found)
        else:
            delegation = Delegation(self._engine, self._minds, about.session_id, found, synthesis)
            turn = await delegation.plan(self._seated, self._turn, lambda: self._stopped)
        if turn.version is not None and not turn.version.incomplete:
            await asyncio.to_thread(self._tell_ready, turn.version)
        return turn

    def _tell_ready(self, version: PlanVersion) -> None:
        meta = self._engine.plans.meta(version.plan_id)
        plan = AdvisedPlan.of(version, meta, self._engine.tasks(version))
        session_id, plan_id, revision = version.session_id, version.plan_id, version.revision
        self._publish(PlanReady(session_id=session_id, plan_id=plan_id, revision=revision, plan=plan))
        self._publish(PlanApprovalRequested(session_id=session_id, plan_id=plan_id, revision=revision, plan=plan))

    async def _asked_together(self, about: TaskToPlan) -> tuple[Synthesis | None, Perspectives]:
        async with self._advisor.together():
            return await self._advised(about)

    async def _advised(self, about: TaskToPlan) -> tuple[Synthesis | None, Perspectives]:
        found = await Gathering(self._advisor, self._publish, self._engine.clock).gather(about)
        session_id = about.session_id
        if not found.voices:
            return None, found.without(SYNTHESIS, "Nobody could be heard.")
        self._publish(SynthesisStarted(session_id=session_id))
        try:
            synthesis, found = await synthesize(self._advisor, found, session_id)
        except TandemError as error:
            self._publish(SynthesisEnded(session_id=session_id, problem=error.message))
            return None, found.without(SYNTHESIS, error.message, error.next)
        subjects = tuple(f"{each.id} {each.subject}" for each in synthesis.tasks)
        self._publish(SynthesisEnded(session_id=session_id, tasks=subjects))
        return synthesis, found

    async def _planned_whole(self, found: Perspectives) -> Turn:
        """Without tasks the session's agent plans the task as it would alone, knowing what was said."""
        session = await self._seated(self._minds.session_mind)
        session.brief(Presented(title=title_of(found.task), perspectives=found))
        if found.voices:
            session.tell(f"Before this task was given to you, others looked at it:\n\n{all_as_text(found)}")
        session.tell(f"The task:\n\n{found.task}")
        return await self._turn(session)

    async def _seated(self, mind: Mind) -> PlanningSession:
        self._session = await self._open_session(mind)
        return self._session

    async def _turn(self, session: PlanningSession) -> Turn:
        if self._stopped:
            session.stop_next_turn()
        return await session.plan("", announced=False)


_NOTHING = Turn(None, "", StopReason.CANCELLED)
