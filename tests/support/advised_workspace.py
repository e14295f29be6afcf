"""A workspace whose tasks several advisors look at: a real engine and real sessions, scripted advisors and agents."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.advisors.perspective_planning import PerspectivePlanning
from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.events import TandemEvent
from tandem_desktop.domain.ids import SessionId, new_session_id
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.advisors import Advisors
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.sessions.slots import SessionSlot
from tandem_desktop.sessions.turn import Turn
from tandem_desktop.settings import Settings
from tests.support.agent_scripts import Step, Steps
from tests.support.scripted_perspectives import ScriptedPerspectives
from tests.support.sidecars import AGENTS

TASK = "Refactor the auth system and deploy to staging"


@dataclass
class AdvisedWorkspace:
    """A workspace with its engine, and everything that was told."""

    engine: Engine
    sessions: AgentSessions
    steps: Steps
    told: list[TandemEvent]
    slot: SessionSlot | None = None

    def planning(
        self, advisor: ScriptedPerspectives, *turns: list[Step], session_id: SessionId | None = None
    ) -> tuple[PerspectivePlanning, "asyncio.Task[Turn]"]:
        script = json.dumps({"turns": list(turns)})
        command = (sys.executable, "-S", "-E", str(AGENTS / "scripted_agent.py"), script)
        advisors = Advisors({}, AgentProfile(name="scripted", title="Scripted", command=command))
        used = session_id or new_session_id()
        self.slot = self.sessions.slot(used)
        planning = PerspectivePlanning(self.engine, advisor, advisors, self.slot.take)
        return planning, asyncio.create_task(planning.run_plan_mode(used, TASK, qualify(TASK)))

    async def planned(self, advisor: ScriptedPerspectives, *turns: list[Step]) -> Turn:
        return await self.planning(advisor, *turns)[1]

    async def planned_in(self, session_id: SessionId, advisor: ScriptedPerspectives, *turns: list[Step]) -> Turn:
        """Another task for a session whose agent has gone."""
        assert self.slot is not None
        await self.slot.leave()
        return await self.planning(advisor, *turns, session_id=session_id)[1]

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.told]


@asynccontextmanager
async def an_advised_workspace(tmp_path: Path) -> AsyncIterator[AdvisedWorkspace]:
    (tmp_path / "ws").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "ws" / "a.txt").write_text("old\n")
    engine = build_engine(tmp_path / "ws", state=tmp_path / "state")
    told: list[TandemEvent] = []
    engine.events.subscribe(told.append)
    sessions = AgentSessions(engine, Settings(), engine.clock, person_home=tmp_path / "home")
    yield AdvisedWorkspace(engine, sessions, Steps(tmp_path / "ws"), told)
    await sessions.close()
    engine.close()
