"""A task given over HTTP: an agent plans it, perhaps after three minds have looked at it; nothing runs undecided."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tandem_desktop.api.following import Follower
from tandem_desktop.api.reading import Reading
from tandem_desktop.api.refusals import RequestRefusedError, error_line
from tandem_desktop.api.telling import told
from tandem_desktop.api.wire import PlanRequest, QualificationObject
from tandem_desktop.domain.agents import AgentProfile
from tandem_desktop.domain.errors import BadInputError, BusyError, SidecarError, UserAbortError
from tandem_desktop.domain.ids import SessionId, new_session_id
from tandem_desktop.domain.qualification import Qualification
from tandem_desktop.events.events import TandemEvent, TurnEnded
from tandem_desktop.orchestration.agent_sessions import AgentSessions
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.minds import Minds
from tandem_desktop.orchestration.perspective_planning import PerspectivePlanning
from tandem_desktop.orchestration.turn import Turn
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.sidecar.profiles import BUILT_IN, profile_named
from tandem_desktop.storage.failures import as_refusal

MOST_AT_ONCE = 2
"""Each starts an agent, or several."""
_GRACE_S = 3.0
_LAST_EVENTS_S = 5.0
_LONGEST_NAME = 200

End = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be planned, by whom, and whether others look at it first."""

    session_id: SessionId
    is_new: bool
    words: str
    profile: AgentProfile
    qualification: Qualification
    perspectives: bool


class Planning:
    """Plans as `tandem run` does. It goes on when whoever asked for it stops listening; on the event loop."""

    def __init__(self, engine: Engine, reading: Reading) -> None:
        self._engine = engine
        self._reading = reading
        self._under_way: dict[SessionId, asyncio.Task[Turn]] = {}
        self._ends: dict[SessionId, End] = {}
        self._is_stopping = False

    async def plan(self, asked: PlanRequest) -> AsyncIterator[dict[str, Any]]:
        """Begin; the answer tells how it goes on, and last what came of it.

        Raises:
            TandemError: it cannot be begun so; nothing was started.
        """
        if self._is_stopping:
            raise RequestRefusedError(503, "The server is about to end.", next="Start it again with: tandem serve")
        task = await asyncio.to_thread(self._looked_at, asked)
        if task.session_id in self._under_way:
            raise BusyError(f"{task.session_id} is planning already.", next="Wait for the end of its turn.")
        if len(self._under_way) >= MOST_AT_ONCE:
            raise RequestRefusedError(429, f"{MOST_AT_ONCE} tasks are planned already.", next="Wait for one of them.")
        follower = Follower(self._engine.events)
        unsubscribe = self._engine.events.subscribe(_closing(follower, task.session_id))

        def close() -> None:
            unsubscribe()
            follower.close()

        work = self._under_way[task.session_id] = asyncio.ensure_future(self._planned(task))
        work.add_done_callback(lambda ended: self._rest(task.session_id, ended, close))
        return self._told_while(work, follower, task)

    async def stop(self) -> None:
        """Take no more on and end every agent; what was planned until then stays, marked unfinished."""
        self._is_stopping = True
        await asyncio.gather(*(end(_GRACE_S) for end in tuple(self._ends.values())), return_exceptions=True)
        left = tuple(self._under_way.values())
        if left:
            _, late = await asyncio.wait(left, timeout=2 * _GRACE_S)
            for work in late:
                work.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def _looked_at(self, asked: PlanRequest) -> _Task:
        engine = self._engine
        profile = profile_named(asked.agent or engine.settings.agent or BUILT_IN)
        if not asked.task.strip():
            raise BadInputError("The task is empty.", next='Say what to do in "task".')
        found = qualify(asked.task, self._is_here)
        by_settings = engine.settings.perspectives and found.plan_required
        return _Task(
            session_id=SessionId(asked.session_id) if asked.session_id is not None else new_session_id(),
            is_new=asked.session_id is None,
            words=asked.task,
            profile=profile,
            qualification=found,
            perspectives=by_settings if asked.perspectives is None else asked.perspectives,
        )

    def _is_here(self, name: str) -> bool:
        return ".." not in name and len(name) < _LONGEST_NAME and (self._engine.locations.workspace / name).exists()

    async def _planned(self, task: _Task) -> Turn:
        engine = self._engine
        sessions = AgentSessions(engine, engine.settings, engine.clock)
        try:
            if task.perspectives:
                if not task.is_new:
                    sessions.facts(task.session_id)
                minds = Minds(engine.settings.minds, task.profile)
                slot = sessions.slot(task.session_id)
                planning = PerspectivePlanning(engine, sessions.advisor(minds), minds, slot.take)
                self._ends[task.session_id] = planning.stop
                return await planning.run_plan_mode(task.session_id, task.words, task.qualification)
            session = await sessions.open(task.profile, session_id=task.session_id, new=task.is_new)
            self._ends[task.session_id] = session.end_turn
            return await session.plan(task.words)
        finally:
            await sessions.close()

    async def _told_while(
        self, work: "asyncio.Task[Turn]", follower: Follower, task: _Task
    ) -> AsyncIterator[dict[str, Any]]:
        look = QualificationObject.model_validate(task.qualification).as_json()
        yield {"type": "qualification", "sessionId": task.session_id, "perspectives": task.perspectives, **look}
        while (event := await follower.next()) is not None:
            if await asyncio.to_thread(self._concerns, event, task.session_id):
                for line in told(event):
                    yield line
        try:
            turn = await asyncio.shield(work)
        except asyncio.CancelledError:
            if not work.cancelled():
                raise  # nobody listens any more
            stopped = UserAbortError("Planning was stopped.", next="Give the task again.")
            yield {"type": "error", **error_line(stopped)}
            return
        except Exception as error:
            yield {"type": "error", **error_line(as_refusal(error))}
            return
        if turn.version is None or turn.failure is not None:
            yield {"type": "error", **error_line(turn.failure or _nothing(turn))}
            return
        answer = await asyncio.to_thread(self._reading.plan, task.session_id)
        yield {"type": "plan_result", **answer.as_json()}

    def _concerns(self, event: TandemEvent, session_id: SessionId) -> bool:
        if getattr(event, "session_id", None) == session_id:
            return True
        plan_id = getattr(event, "plan_id", None)
        return plan_id is not None and self._engine.plans.plan_of(session_id) == plan_id

    def _rest(self, session_id: SessionId, ended: "asyncio.Task[Turn]", close: Callable[[], None]) -> None:
        """The turn is over. Its last events may still be on their way from another thread; the very last closes."""
        del self._under_way[session_id]
        self._ends.pop(session_id, None)
        patience_s = 0.0 if ended.cancelled() or ended.exception() is not None else _LAST_EVENTS_S
        asyncio.get_running_loop().call_later(patience_s, close)


def _closing(follower: Follower, session_id: SessionId) -> Callable[[TandemEvent], None]:
    """Close the follower with the end of the turn: all that was told before has reached it by then."""
    loop = asyncio.get_running_loop()

    def hear(event: TandemEvent) -> None:
        if isinstance(event, TurnEnded) and event.session_id == session_id:
            loop.call_soon_threadsafe(follower.close)

    return hear


def _nothing(turn: Turn) -> SidecarError | UserAbortError:
    if turn.stop_reason is not None and turn.stop_reason.value == "cancelled":
        return UserAbortError("Planning was stopped; there is no plan yet.", next="Give the task again.")
    return SidecarError(
        "The agent ended its turn without changing anything or presenting a plan.",
        next="Give the task in other words.",
    )
