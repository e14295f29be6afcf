"""Requests reflections on failed runs for the window."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from tandem_desktop.acp_client.profiles import BUILT_IN
from tandem_desktop.builtin_agent.models import CHOICE
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.reflection import AdjustmentVerdict, Reflection
from tandem_desktop.domain.runs import RunKind, RunStatus
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.services.reflector import ROLE, PlanReflector
from tandem_desktop.sessions.advisors import Advisors
from tandem_desktop.sessions.manager import AgentSessions

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class CurrentReflection:
    """A reflection as it stands by now."""

    reflection: Reflection
    is_open: bool
    """Whether its adjustments can still be decided: the plan has not gone on since."""


class ReflectionService:
    """Call it from any thread; nothing here blocks."""

    def __init__(
        self,
        engine: Engine,
        sessions: AgentSessions,
        thread: EngineThread,
        is_orchestrated: Callable[[PlanId], bool] = lambda plan_id: False,
    ) -> None:
        self._engine = engine
        self._is_orchestrated = is_orchestrated
        self._sessions = sessions
        self._thread = thread
        self._asking: set[asyncio.Task[Any]] = set()
        self._answering = asyncio.Lock()

    def is_wanted(self, run_id: RunId, profile: AgentProfile) -> "Future[bool]":
        """Whether the settings ask for a reflection on this run, and an advisor is available."""
        return self._thread.submit(_apart(lambda: self._is_wanted(run_id, profile)))

    def reflect(self, run_id: RunId, profile: AgentProfile) -> "Future[Reflection]":
        """Ask the reflector; cancelling the answer ends its agent, and nothing is kept."""
        return self._thread.submit(self._reflect(run_id, profile))

    def reflected(self, run_id: RunId) -> "Future[CurrentReflection | None]":
        return self._thread.submit(_apart(lambda: self._reflected(run_id)))

    def judge(self, run_id: RunId, number: int, verdict: AdjustmentVerdict) -> "Future[Reflection]":
        """Store the person's decision on one adjustment; the last one counts."""
        return self._thread.submit(self._in_turn(lambda: self._engine.reflections.judge(run_id, number, verdict)))

    def make_revision(self, run_id: RunId) -> "Future[PlanVersion]":
        """Make the accepted adjustments the next revision, after all decisions are stored."""
        return self._thread.submit(self._in_turn(lambda: self._engine.reflections.make_revision(run_id)))

    async def _in_turn(self, work: Callable[[], _Answer]) -> _Answer:
        async with self._answering:
            return await asyncio.to_thread(work)

    def close(self) -> None:
        """End every agent that is being asked, and wait for it."""
        closing = self._thread.submit(self._end())
        if not closing.cancelled():
            closing.result()

    async def _end(self) -> None:
        for task in self._asking:
            if not task.cancelling():  # already being ended
                task.cancel()
        if self._asking:
            await asyncio.wait(self._asking)

    def _is_wanted(self, run_id: RunId, profile: AgentProfile) -> bool:
        settings, reflections = self._engine.settings, self._engine.reflections
        record = self._engine.runs.record(run_id)
        if settings.reflection == "off" or record.kind is not RunKind.APPLY:
            return False
        if self._is_orchestrated(record.plan_id):  # the orchestration asks itself
            return False
        if record.status is RunStatus.COMPLETED and settings.reflection_after_success != "always":
            return False
        if record.status not in (RunStatus.FAILED, RunStatus.COMPLETED):
            return False
        if settings.reflection == "unless_simple" and reflections.is_simple(record.plan_id):
            return False
        may_adjust = record.status is RunStatus.COMPLETED or reflections.cycles(record.plan_id) < reflections.max_cycles
        return self._has_advisor(profile) and may_adjust

    def _has_advisor(self, profile: AgentProfile) -> bool:
        """The built-in agent needs a model to reflect."""
        chosen = self._engine.settings.advisors.get(ROLE)
        other = chosen is not None and chosen.agent not in ("", BUILT_IN)
        return other or profile.name != BUILT_IN or bool(os.environ.get(CHOICE, "").strip())

    async def _reflect(self, run_id: RunId, profile: AgentProfile) -> Reflection:
        task = asyncio.current_task()
        assert task is not None
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        reflections = self._engine.reflections
        snapshot = await asyncio.to_thread(reflections.snapshot, run_id)
        advisor = self._sessions.advisor(Advisors(self._engine.settings.advisors, profile))
        reflected = await PlanReflector(advisor).reflect(snapshot)
        return await asyncio.to_thread(reflections.keep, snapshot, reflected)

    def _reflected(self, run_id: RunId) -> CurrentReflection | None:
        try:
            found = self._engine.reflections.of_run(run_id)
            if found is None:
                return None
            newest = self._engine.reflections.of_plan(found.plan_id)
        except TandemError:
            return None
        return CurrentReflection(found, newest == found and found.made_revision is None)


async def _apart(work: Callable[[], _Answer]) -> _Answer:
    return await asyncio.to_thread(work)
