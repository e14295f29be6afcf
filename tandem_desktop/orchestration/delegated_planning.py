"""A planner that may only look proposes a plan and ends; who follows up finds the plan, and no conversation."""

import asyncio

from tandem_desktop.domain.agents import AgentUpdate, StopReason
from tandem_desktop.domain.errors import NoAnswerError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.events.events import AgentHeard
from tandem_desktop.events.stream import EventStream
from tandem_desktop.orchestration.plan_generator import PlanGenerator
from tandem_desktop.orchestration.turn import Turn


class DelegatedPlanning:
    """Has one plan made by a mind. The session it belongs to has no agent until somebody follows up in it."""

    def __init__(self, generator: PlanGenerator, events: EventStream) -> None:
        self._generator = generator
        self._events = events
        self._asking: asyncio.Task[PlanVersion] | None = None
        self._stopped = False

    async def plan(self, session_id: SessionId, task: str) -> Turn:
        """The plan that was proposed; where the planner handed in nothing usable, a basic one and why."""

        def heard(update: AgentUpdate) -> None:
            self._events.publish(AgentHeard(session_id=session_id, update=update))

        self._asking = asyncio.ensure_future(self._generator.generate(task, session_id=session_id, heard=heard))
        try:
            version = await self._asking
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            return Turn(None, "", StopReason.CANCELLED)
        finally:
            self._asking.cancel()
        failure = NoAnswerError(version.incomplete, next="Choose another planner.") if version.incomplete else None
        return Turn(version, "", None if failure else StopReason.END_TURN, failure)

    async def stop(self, grace_s: float) -> None:
        """End the planner; it has proposed nothing yet."""
        self._stopped = True
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})  # until the agent is gone
