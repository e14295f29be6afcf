"""Open sessions with agents: each in a shadow of its own, with its own tools, doors and queue."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path

from tandem_desktop.domain.agents import AgentProfile, AgentUpdate
from tandem_desktop.domain.authorization import SessionPermissions
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import SessionId, new_session_id
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.events.events import PermissionAnswered, PermissionAsked
from tandem_desktop.orchestration.agent_launch import agent_launch
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.heard_since import HeardSince
from tandem_desktop.orchestration.immediate_mode import ImmediateMode
from tandem_desktop.orchestration.opening import mode_words, opening_words
from tandem_desktop.orchestration.planning_session import PlanningSession
from tandem_desktop.orchestration.session_desk import SessionDesk
from tandem_desktop.orchestration.session_doors import SessionDoors
from tandem_desktop.orchestration.session_news import SessionNews
from tandem_desktop.orchestration.session_record import SessionFacts, SessionRecord
from tandem_desktop.orchestration.session_staging import SessionStaging
from tandem_desktop.orchestration.shadow_folders import shadow_folder
from tandem_desktop.orchestration.terminals import Terminals
from tandem_desktop.planning_tools.server import PlanningServerHost
from tandem_desktop.policy.authorization_policy import AuthorizationPolicy
from tandem_desktop.processes.launch import Launch
from tandem_desktop.settings.settings import Settings
from tandem_desktop.shadow.agent_environment import agent_environment
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace, open_shadow
from tandem_desktop.sidecar.connection import OnFrame
from tandem_desktop.sidecar.limits import SidecarLimits
from tandem_desktop.sidecar.sidecar_manager import SidecarManager
from tandem_desktop.staging.confirmation import Confirmation
from tandem_desktop.staging.intercepted import InterceptedRequest, QueuedCommand
from tandem_desktop.staging.permission_interceptor import PermissionInterceptor
from tandem_desktop.storage import atomic

_SHELL = "/bin/sh"


class AgentSessions:
    """Opens, finds again and throws away sessions of one workspace. Lives on the engine's loop."""

    def __init__(
        self, engine: Engine, settings: Settings, clock: Callable[[], datetime], *, person_home: Path | None = None
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._clock = clock
        self._person_home = person_home or Path.home()
        self._host: PlanningServerHost | None = None
        self._open: dict[SessionId, PlanningSession] = {}

    async def open(
        self,
        profile: AgentProfile,
        *,
        session_id: SessionId | None = None,
        extra_environment: Mapping[str, str] | None = None,
        plan_mode: bool = True,
    ) -> PlanningSession:
        """A session with an agent that is not started yet; one that was opened before has its shadow and queue again.

        Raises:
            SidecarLaunchError: the agent is not on this machine.
            ShadowError: there is no shadow to work in.
        """
        own_id = session_id or new_session_id()
        locations, settings = self._engine.locations, self._settings
        record = SessionRecord(locations.sessions / own_id)
        host = await self._planning_host()
        shadow = await asyncio.to_thread(self._shadow, own_id)
        try:
            home = locations.agent_home(profile.name)
            launch = await asyncio.to_thread(
                agent_launch,
                profile,
                shadow,
                home,
                person_home=self._person_home,
                sockets=(host.socket_path,),
                extra_environment=extra_environment,
            )
            self._note(record, own_id, profile)
            doors: SessionDoors | None = None
            session: PlanningSession | None = None

            async def queue(command: QueuedCommand) -> None:
                assert session is not None
                await session.queue(command)

            interceptor = PermissionInterceptor(
                own_id,
                policy=AuthorizationPolicy(),
                settings=settings,
                queue=queue,
                ask=lambda confirmation: self._asked(own_id, confirmation),
                decided=lambda request: self._decided(own_id, request),
                permissions=SessionPermissions(
                    plan_mode=plan_mode, yolo=settings.yolo, tool_ignore=settings.tool_ignore
                ),
            )

            def heard(update: AgentUpdate) -> None:
                assert session is not None
                session.heard(update)

            terminals = Terminals(lambda call: self._command_launch(shadow, home, call))
            doors = SessionDoors(shadow, interceptor, terminals, heard)
            staging = SessionStaging(shadow, record, HeardSince(lambda: doors.calls, interceptor))
            manager = SidecarManager(
                profile,
                launch,
                doors,
                workspace=str(locations.workspace),
                limits=SidecarLimits(message_bytes=settings.max_message_bytes),
                on_frame=_transcript(record.transcript),
            )
            news = SessionNews(
                runs=self._engine.runs,
                plans=self._engine.plans,
                objects=self._engine.objects,
                shadow=shadow,
                staging=staging,
                record=record,
            )
            session = PlanningSession(
                own_id,
                profile=profile,
                agent=manager,
                shadow=shadow,
                staging=staging,
                doors=doors,
                interceptor=interceptor,
                plans=self._engine.plans,
                proposals=self._engine.proposals,
                events=self._engine.events,
                clock=self._clock,
                opening=lambda: opening_words(
                    profile, shadow, settings, cwd=str(locations.workspace), today=self._today, plan_mode=plan_mode
                ),
                news=news.catch_up,
                mode_words=lambda planning: mode_words(settings, cwd=str(locations.workspace), plan_mode=planning),
            )
            session.work_immediately(
                ImmediateMode(
                    own_id,
                    staging=staging,
                    plans=self._engine.plans,
                    proposals=self._engine.proposals,
                    decisions=self._engine.decisions,
                    runs=self._engine.runs,
                    objects=self._engine.objects,
                    events=self._engine.events,
                    clock=self._clock,
                    answered=lambda: interceptor.requests,
                    catch_up=news.catch_up,
                )
            )
            desk = SessionDesk(session, self._engine, self._engine.events, self._clock)
            server = host.open_session(own_id, desk, lambda: interceptor.permissions.plan_mode)
            session.offer(server, on_turn=lambda: host.start_turn(own_id))
        except BaseException:
            await asyncio.to_thread(shadow.close)
            raise
        self._open[own_id] = session
        return session

    async def close(self) -> None:
        """End every agent; their work stays."""
        for session_id, session in list(self._open.items()):
            del self._open[session_id]
            with contextlib.suppress(Exception):
                await session.close()
        if self._host is not None:
            await self._host.close()
            self._host = None

    def facts(self, session_id: SessionId) -> SessionFacts:
        """What is kept of a session.

        Raises:
            BadInputError: it is not one of this workspace.
        """
        facts = SessionRecord(self._engine.locations.sessions / session_id).load()
        if facts.workspace != str(self._engine.locations.workspace):
            raise BadInputError(
                f"The session {session_id} belongs to {facts.workspace}.",
                next=f"Go there: -C {facts.workspace}",
            )
        return facts

    def _note(self, record: SessionRecord, session_id: SessionId, profile: AgentProfile) -> None:
        known = self.facts(session_id) if record.exists() else None
        workspace = str(self._engine.locations.workspace)
        facts = known or SessionFacts(id=session_id, agent=profile.name, workspace=workspace)
        record.save(facts.model_copy(update={"agent": profile.name, "command": profile.command}))

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

    def _command_launch(self, shadow: ShadowWorkspace, home: Path, call: CommandCall) -> Launch:
        """A command Tandem itself rehearses for the agent."""
        environment = agent_environment((), dict(call.env))
        return shadow.launch(
            (_SHELL, "-c", call.command),
            home=home,
            environment=environment,
            cwd=call.cwd,
            network=self._settings.rehearse_with_network,
        )

    def _asked(self, session_id: SessionId, confirmation: Confirmation) -> None:
        self._engine.events.publish(PermissionAsked(session_id=session_id, request=confirmation.request))

    def _decided(self, session_id: SessionId, request: InterceptedRequest) -> None:
        self._engine.events.publish(
            PermissionAnswered(
                session_id=session_id, request_id=request.request_id, verdict=request.verdict, reason=request.reason
            )
        )

    def _today(self) -> date:
        return self._clock().date()


def _transcript(path: Path) -> OnFrame:
    """Every message as it crossed the wire, a line each."""

    def write(direction: str, frame: bytes) -> None:
        line = {"dir": direction, "msg": frame.decode("utf-8", "replace")}
        with contextlib.suppress(OSError), path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    return write
