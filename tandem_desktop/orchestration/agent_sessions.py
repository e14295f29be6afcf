"""Open sessions with agents, each in a shadow of its own, and the registry of those that are open."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from tandem_desktop.domain.agent_ports import AdvisorPort
from tandem_desktop.domain.agents import AgentProfile
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import SESSION_ID, SessionId, new_session_id
from tandem_desktop.domain.plan_context import PlanAction
from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.events.events import PlanMoved, TandemEvent
from tandem_desktop.orchestration.agent_launch import agent_launch
from tandem_desktop.orchestration.consultations import Consultations
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.minds import Mind, Minds
from tandem_desktop.orchestration.planning_session import PlanningSession
from tandem_desktop.orchestration.session_assembly import SessionPlace, assemble
from tandem_desktop.orchestration.session_desk import SessionDesk
from tandem_desktop.orchestration.session_record import SessionFacts, SessionRecord
from tandem_desktop.orchestration.session_seat import SessionSlot
from tandem_desktop.orchestration.shadow_folders import shadow_folder
from tandem_desktop.planning_tools.server import PlanningServerHost
from tandem_desktop.settings.settings import Settings
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace, open_shadow
from tandem_desktop.storage import atomic

_GIVEN_UP = (EventKind.CANCEL, EventKind.REJECT_PLAN, EventKind.SUPERSEDE)
"""Events by which a person ends a plan; a run that is stopped is settled when it has ended."""


class AgentSessions:
    """Opens and finds again the sessions of one workspace. Lives on the engine's loop, but for `slot` and `find`."""

    def __init__(
        self, engine: Engine, settings: Settings, clock: Callable[[], datetime], *, person_home: Path | None = None
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._clock = clock
        self._person_home = person_home or Path.home()
        self._host: PlanningServerHost | None = None
        self._slots: dict[SessionId, SessionSlot] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unsubscribe = engine.events.subscribe(self._on_event)

    def slot(self, session_id: SessionId) -> SessionSlot:
        """What is known of a session, open or not."""
        return self._slots.setdefault(session_id, SessionSlot(session_id, self._open_for))

    def find(self, session_id: SessionId) -> PlanningSession | None:
        """The session, where it is open."""
        slot = self._slots.get(session_id)
        return slot.session if slot is not None else None

    async def open(
        self,
        profile: AgentProfile,
        *,
        session_id: SessionId | None = None,
        extra_environment: Mapping[str, str] | None = None,
        plan_mode: bool = True,
        new: bool = False,
    ) -> PlanningSession:
        """A session with an agent that is not started yet; one that was opened before has its shadow and queue again.

        `new` says that a session of this name need not be known yet.

        Raises:
            BadInputError: there is no such session, or it is one of another workspace.
            SidecarLaunchError: the agent is not on this machine.
            ShadowBusyError: the session is open elsewhere.
            ShadowError: there is no shadow to work in.
        """
        self._loop = asyncio.get_running_loop()
        own_id = session_id or new_session_id()
        if session_id is not None and not new and not self._has_plan(session_id):
            self.facts(session_id)
        slot = self.slot(own_id)
        slot.plan_mode = plan_mode  # before anything is awaited: the person may switch while it opens
        host = await self._planning_host()
        shadow = await asyncio.to_thread(self._shadow, own_id)
        try:
            # Only now: a session that is open elsewhere keeps its record.
            record = self._noted(own_id, profile)
            home = self._engine.locations.agent_home(profile.name)
            launch = await asyncio.to_thread(
                agent_launch,
                profile,
                shadow,
                home,
                person_home=self._person_home,
                model=self._settings.models.get(profile.name, ""),
                sockets=(host.socket_path,),
                extra_environment=extra_environment,
            )
            place = SessionPlace(own_id, shadow, home, record)
            session = assemble(self._engine, self._settings, profile, place, launch, self._clock, plan_mode=plan_mode)
        except BaseException:
            await asyncio.to_thread(shadow.close)
            raise
        desk = SessionDesk(session, self._engine, self._engine.events, self._clock)
        server = host.open_session(own_id, desk, lambda: session.is_planning)
        session.offer(server, on_turn=lambda: host.start_turn(own_id))
        session.set_plan_mode(slot.plan_mode)
        slot.session = session
        return session

    def advisor(self, minds: Minds) -> AdvisorPort:
        """Agents that can be asked something and may only look."""
        return Consultations(self._engine, self._settings, minds, self._planning_host, self._person_home)

    async def close(self) -> None:
        """End every agent; their work stays."""
        self._unsubscribe()
        for slot in list(self._slots.values()):
            with contextlib.suppress(Exception):
                await slot.close()
        if self._host is not None:
            await self._host.close()
            self._host = None

    def has_agent(self, session_id: SessionId) -> bool:
        """Whether an agent was asked in it; a plan may have a session before it has an agent."""
        return not self._has_plan(session_id) or self._record(session_id).exists()

    def facts(self, session_id: SessionId) -> SessionFacts:
        """What is kept of a session.

        Raises:
            BadInputError: it is not one of this workspace.
        """
        if not SESSION_ID.fullmatch(session_id):
            raise BadInputError(f"There is no session {session_id}.", next="Start one: tandem run --agent NAME")
        facts = self._record(session_id).load()
        if facts.workspace != str(self._engine.locations.workspace):
            raise BadInputError(
                f"The session {session_id} belongs to {facts.workspace}.", next=f"Go there: -C {facts.workspace}"
            )
        return facts

    def _on_event(self, event: TandemEvent) -> None:
        """A decision about a plan concerns the session it came from; it may be made on any thread."""
        if not isinstance(event, PlanMoved) or event.plan_id is None or self._loop is None:
            return
        slot = self._slots.get(event.session_id)
        session = slot.session if slot is not None else None
        if session is None or self._engine.plans.plan_of(session.id) != event.plan_id:
            return
        if PlanAction.RECORD_APPROVAL in event.actions:
            self._loop.call_soon_threadsafe(session.approved)
        elif event.event in _GIVEN_UP and PlanAction.STOP_EXECUTION not in event.actions:
            asyncio.run_coroutine_threadsafe(session.abandon(event.plan_id), self._loop)

    async def _open_for(self, slot: SessionSlot, mind: Mind) -> PlanningSession:
        return await self.open(
            mind.profile,
            session_id=slot.session_id,
            extra_environment=mind.environment,
            plan_mode=slot.plan_mode,
            new=True,
        )

    def _noted(self, session_id: SessionId, profile: AgentProfile) -> SessionRecord:
        record = self._record(session_id)
        workspace = str(self._engine.locations.workspace)
        plan_id = self._engine.plans.plan_of(session_id)
        facts = SessionFacts(id=session_id, agent=profile.name, workspace=workspace, takes_over=plan_id)
        if record.exists():
            facts = self.facts(session_id)
        record.save(facts.model_copy(update={"agent": profile.name, "command": profile.command}))
        return record

    def _record(self, session_id: SessionId) -> SessionRecord:
        return SessionRecord(self._engine.locations.sessions / session_id)

    def _has_plan(self, session_id: SessionId) -> bool:
        return bool(SESSION_ID.fullmatch(session_id)) and self._engine.plans.plan_of(session_id) is not None

    async def _planning_host(self) -> PlanningServerHost:
        if self._host is None:
            folder = self._engine.locations.sockets
            atomic.make_directory(folder, mode=0o700)
            self._host = PlanningServerHost(folder, tries=self._settings.present_plan_retries)
            await self._host.start()
        return self._host

    def _shadow(self, session_id: SessionId) -> ShadowWorkspace:
        locations = self._engine.locations
        return open_shadow(
            self._engine.workspace,
            shadow_folder(locations.shadows, session_id),
            self._engine.objects,
            masked=(locations.state,),
            person_home=self._person_home,
        )
