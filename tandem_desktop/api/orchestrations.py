"""Orchestrations of the API."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from tandem_desktop.acp_client.profiles import BUILT_IN, profile_named
from tandem_desktop.advisors.orchestrator import OrchestrationService
from tandem_desktop.api.events import Follower, told
from tandem_desktop.api.plans import PlanQueries
from tandem_desktop.api.schema import (
    AdjustmentRequest,
    OrchestrationRequest,
    PlanAnswer,
    RequestRefusedError,
    error_line,
)
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.events import OrchestrationEnded, ReflectionCompleted
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.reflection import Judged, Orchestration
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.advisors import Advisors
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.storage.errors import as_refusal


class Orchestrations:
    """Runs one orchestration at a time, as `tandem orchestrate` does; plans are decided about as any other."""

    def __init__(self, engine: Engine, reading: PlanQueries) -> None:
        self._engine = engine
        self._reading = reading
        self._service = OrchestrationService(engine)
        self._under_way: asyncio.Task[Orchestration] | None = None
        self._is_stopping = False

    async def begin(self, asked: OrchestrationRequest) -> AsyncIterator[dict[str, Any]]:
        """Begin; the answer tells how it goes on, and last what came of it.

        Raises:
            TandemError: it cannot be begun so; nothing was started.
        """
        if self._is_stopping:
            raise RequestRefusedError(503, "The server is about to end.", next="Start it again with: tandem serve")
        if not asked.task.strip():
            raise BadInputError("The task is empty.", next='Say what to do in "task".')
        profile = await asyncio.to_thread(profile_named, asked.agent or self._engine.settings.agent or BUILT_IN)
        if self._under_way is not None:
            raise RequestRefusedError(429, "A task is orchestrated already.", next="Wait for its end.")
        follower = Follower(self._engine.events)
        work = self._under_way = asyncio.ensure_future(self._run(asked, profile))
        work.add_done_callback(self._rest)
        return self._told_while(work, follower)

    def is_about(self, plan_id: PlanId) -> bool:
        """Whether an orchestration leads this plan."""
        return self._service.is_about(plan_id)

    def adjust(self, asked: AdjustmentRequest) -> PlanAnswer:
        """Make a revision of the accepted adjustments, which waits for its own approval.

        Raises:
            TandemError: the run has no reflection, or they cannot be accepted any more.
        """
        run_id = RunId(asked.run_id)
        self._engine.reflections.decide(run_id, asked.accept)
        version = self._engine.reflections.make_revision(run_id)
        return self._reading.plan(version.session_id)

    async def stop(self) -> None:
        """Take no more on and stop what is under way; a plan that waits goes on waiting."""
        self._is_stopping = True
        self._service.stop()
        if self._under_way is not None:
            await asyncio.wait({self._under_way})

    async def _run(self, asked: OrchestrationRequest, profile: AgentProfile) -> Orchestration:
        engine = self._engine
        sessions = AgentSessions(engine, engine.settings, engine.clock)
        advisor = sessions.advisor(Advisors(engine.settings.advisors, profile))
        try:
            return await self._service.run(advisor, asked.task, asked.context)
        finally:
            await sessions.close()

    async def _told_while(
        self, work: "asyncio.Task[Orchestration]", follower: Follower
    ) -> AsyncIterator[dict[str, Any]]:
        try:
            while (event := await follower.next()) is not None:
                for line in told(event):
                    yield line
                if isinstance(event, ReflectionCompleted):
                    yield await asyncio.to_thread(self._reflection, event.run_id)
                if isinstance(event, OrchestrationEnded):
                    break
        finally:
            follower.close()
        try:
            ended = await asyncio.shield(work)
        except Exception as error:
            yield {"type": "error", **error_line(as_refusal(error))}
            return
        plan = ended.plan
        yield {
            "type": "orchestration_result",
            "outcome": ended.outcome.value,
            "stage": ended.stage.value,
            "planId": plan.plan_id if plan else None,
            "revision": plan.revision if plan else None,
            "status": plan.status.value if plan else None,
            "cycles": ended.cycles,
            "problem": ended.problem,
        }

    def _reflection(self, run_id: RunId) -> dict[str, Any]:
        """What was found, with the number by which each adjustment is accepted."""
        found = self._engine.reflections.of_run(run_id)
        line = {"type": "reflection", "runId": run_id}
        if found is None:
            return line
        adjustments = [_adjustment(number, each) for number, each in enumerate(found.adjustments, start=1)]
        return {
            **line,
            "planId": found.plan_id,
            "assessment": found.assessment.value,
            "reasoning": found.reasoning,
            "adjustments": adjustments,
        }

    def _rest(self, ended: "asyncio.Task[Orchestration]") -> None:
        self._under_way = None


def _adjustment(number: int, judged: Judged) -> dict[str, Any]:
    proposed = judged.adjustment
    return {
        "number": number,
        "action": proposed.action.value,
        "stepId": proposed.step_id,
        "reason": proposed.reason,
        "tool": proposed.tool,
        "toolInput": proposed.tool_input,
        "problem": judged.problem,
    }
