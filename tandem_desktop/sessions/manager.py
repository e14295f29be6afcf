"""Opens, assembles and closes agent sessions."""

import asyncio
import contextlib
import shlex
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from tandem_desktop.acp_client.client import SidecarManager
from tandem_desktop.acp_client.connection import SidecarLimits
from tandem_desktop.acp_client.profiles import BUILT_IN, CUSTOM, custom_profile, home_name, profile_named
from tandem_desktop.domain.agent_protocol import AgentProfile, CardContent, ToolCall
from tandem_desktop.domain.authorization import SessionPermissions
from tandem_desktop.domain.errors import BadInputError, ShadowError
from tandem_desktop.domain.events import (
    PermissionAnswered,
    PermissionAsked,
    PlanMoved,
    QuestionAnswered,
    QuestionAsked,
    QuestionCompleted,
    TandemEvent,
    TurnEnded,
)
from tandem_desktop.domain.ids import SESSION_ID, PlanId, SessionId, new_session_id
from tandem_desktop.domain.network import AllowedHost
from tandem_desktop.domain.operations import CommandCall, ExternalCall
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import EventKind, PlanAction
from tandem_desktop.domain.ports import AdvisorPort
from tandem_desktop.domain.questions import AgentQuestion, QuestionAnswer
from tandem_desktop.planning_tools.person_servers import PersonServer, PersonTools, person_servers
from tandem_desktop.planning_tools.server import PlanningServerHost
from tandem_desktop.policy.rules import AuthorizationPolicy
from tandem_desktop.processes.child import Launch
from tandem_desktop.processes.threads import done_in_thread, made_in_thread
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.advisors import Advisor, Advisors, Consultations
from tandem_desktop.sessions.agent_program import AgentProgram
from tandem_desktop.sessions.client import SessionClient, Terminals
from tandem_desktop.sessions.immediate import CardDrawing, ImmediateMode
from tandem_desktop.sessions.inclusion import include_ignored
from tandem_desktop.sessions.interceptor import Confirmation, PermissionInterceptor
from tandem_desktop.sessions.launch import agent_launch, launch_environment
from tandem_desktop.sessions.network import AgentNetwork, open_network
from tandem_desktop.sessions.notices import AgentNotices
from tandem_desktop.sessions.questions import AgentQuestions
from tandem_desktop.sessions.record import SessionFacts, SessionRecord, TranscriptLog
from tandem_desktop.sessions.session import PlanningSession, call_made
from tandem_desktop.sessions.session_prompts import mode_prompt, opening_prompt
from tandem_desktop.sessions.slots import IdleAgents, SessionSlot
from tandem_desktop.sessions.staging import LiveStaging, SessionStaging
from tandem_desktop.sessions.tool_handler import SessionToolHandler
from tandem_desktop.sessions.turn import CallMade
from tandem_desktop.settings import Settings
from tandem_desktop.settings_io import SETTINGS_FILE, config_directory, save_setting
from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.shadow.sandbox import agent_environment
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.staging.hazards import acts_by_its_name
from tandem_desktop.staging.requests import InterceptedRequest
from tandem_desktop.staging.staging_store import StagingStore
from tandem_desktop.storage import atomic

_SHELL = "/bin/sh"
_MAX_TITLE = 200
_MAX_PATHS = 20


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """Where one session works: its name, its shadow, its home, its network and its records."""

    session_id: SessionId
    shadow: ShadowWorkspace
    home: Path
    network: AgentNetwork
    record: SessionRecord
    program: AgentProgram
    first_starts: asyncio.Lock


@dataclass(frozen=True, slots=True)
class Person:
    """Whether a person can answer the questions of agents, and how long a question waits."""

    is_there: bool = False
    patience_s: float | None = None
    """None: until the turn ends."""


NOBODY = Person()


class _SessionBuilder:
    """Builds one session whose agent is not started yet.

    Parts that call the session back do so through `self._session`, which is set when all of them exist.
    """

    _session: PlanningSession

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        profile: AgentProfile,
        place: SessionPlace,
        clock: Callable[[], datetime],
        *,
        plan_mode: bool,
        person: "Person",
    ) -> None:
        self._engine = engine
        if not place.shadow.confinement.confined and settings.commands_while_planning == "run":
            # Nothing would hold the command back.
            settings = settings.model_copy(update={"commands_while_planning": "stage"})
        self._settings = settings
        self._profile = profile
        self._place = place
        self._clock = clock
        self._plan_mode = plan_mode
        self._person = person
        shadow = place.shadow
        self._cwd = str(shadow.seen_at)
        self._store = StagingStore(place.record.staging)
        self._staging = SessionStaging(shadow, self._store, clock, settings.commands_while_planning)

    def build(self, launch: Launch) -> PlanningSession:
        engine, place = self._engine, self._place
        transcript = TranscriptLog(place.record.transcript)
        interceptor = self._interceptor()
        client = self._client(interceptor)
        notices = self._notices()
        self._session = PlanningSession(
            place.session_id,
            profile=self._profile,
            agent=self._agent(launch, client, transcript),
            shadow=place.shadow,
            network=place.network,
            staging=self._staging,
            live=LiveStaging(place.session_id, self._staging, self._store, engine.objects, engine.events),
            client=client,
            interceptor=interceptor,
            plans=engine.plans,
            proposals=engine.proposals,
            events=engine.events,
            clock=self._clock,
            prompt=self._prompt,
            notices=notices,
            transcript=transcript,
            record=place.record,
            mode_prompt=self._mode_prompt,
            immediate=self._immediate_mode(interceptor, notices),
            program=place.program,
            first_starts=place.first_starts,
            cost_limit=self._settings.cost_limit,
        )
        self._store.listen(self._session.on_staged)
        return self._session

    def _interceptor(self) -> PermissionInterceptor:
        settings = self._settings
        return PermissionInterceptor(
            self._place.session_id,
            policy=AuthorizationPolicy(),
            settings=settings,
            queue=lambda command: self._session.queue(command),
            begin_command=lambda: self._session.begin_command(),
            ask=self._publish_question,
            decided=self._record_decision,
            present=lambda text: self._session.take_plan_text(text),
            permissions=SessionPermissions(
                plan_mode=self._plan_mode, yolo=settings.yolo, tool_ignore=settings.tool_ignore
            ),
            questions=self._questions(),
            draw=self._drawn,
        )

    async def _drawn(self, call: ToolCall) -> CardContent:
        """What a permission card shows: the disk with all that was allowed before."""
        await self._session.settled()
        return await asyncio.to_thread(CardDrawing(self._engine.workspace).draw, call)

    def _questions(self) -> AgentQuestions:
        session_id, publish, person = self._place.session_id, self._engine.events.publish, self._person
        return AgentQuestions(
            session_id,
            self._profile.title,
            ask=self._publish_agent_question if person.is_there else None,
            answered=self._publish_answer,
            completed=lambda question_id: publish(QuestionCompleted(session_id=session_id, question_id=question_id)),
            patience_s=person.patience_s,
        )

    def _client(self, interceptor: PermissionInterceptor) -> SessionClient:
        terminals = Terminals(
            self._command_launch,
            note=self._store.note_call,
            command_ended=lambda: self._session.command_ended(),
        )
        return SessionClient(
            self._place.shadow,
            interceptor,
            self._store,
            terminals,
            lambda update: self._session.on_update(update),
            lambda: self._session.on_client_request(),
        )

    def _agent(self, launch: Launch, client: SessionClient, transcript: TranscriptLog) -> SidecarManager:
        return SidecarManager(
            self._profile,
            launch,
            client,
            workspace=self._cwd,
            limits=SidecarLimits(message_bytes=self._settings.max_message_bytes),
            on_frame=transcript.keep,
            runs_freely=self._settings.commands_while_planning == "run",
        )

    def _notices(self) -> AgentNotices:
        return AgentNotices(
            runs=self._engine.runs,
            plans=self._engine.plans,
            objects=self._engine.objects,
            shadow=self._place.shadow,
            staging=self._staging,
            clear_staging=lambda: self._session.clear_staging(),
            record=self._place.record,
            who=lambda: self._session.who,
        )

    def _immediate_mode(self, interceptor: PermissionInterceptor, notices: AgentNotices) -> ImmediateMode:
        engine = self._engine
        return ImmediateMode(
            self._place.session_id,
            staging=self._staging,
            plans=engine.plans,
            proposals=engine.proposals,
            decisions=engine.decisions,
            runs=engine.runs,
            workspace=engine.workspace,
            events=engine.events,
            clock=self._clock,
            answered=lambda: interceptor.requests,
            catch_up=notices.after_runs,
            planner=lambda: self._session.who,
        )

    def _prompt(self) -> str:
        return opening_prompt(
            self._profile,
            self._place.shadow,
            self._settings,
            cwd=self._cwd,
            today=lambda: self._clock().date(),
            plan_mode=self._session.is_planning,
        )

    def _mode_prompt(self, planning: bool) -> str:
        return mode_prompt(self._profile, self._settings, cwd=self._cwd, plan_mode=planning)

    def _publish_question(self, confirmation: Confirmation) -> None:
        self._engine.events.publish(
            PermissionAsked(session_id=self._place.session_id, request=confirmation.request, card=confirmation.card)
        )

    def _publish_agent_question(self, question: AgentQuestion) -> None:
        self._engine.events.publish(QuestionAsked(session_id=self._place.session_id, question=question))

    def _publish_answer(self, question: AgentQuestion, answer: QuestionAnswer) -> None:
        self._engine.events.publish(
            QuestionAnswered(
                session_id=self._place.session_id,
                question_id=question.id,
                action=answer.action,
                reason=answer.reason,
                answers=question.lines(answer.values),
            )
        )

    def _record_decision(self, request: InterceptedRequest) -> None:
        self._store.note_request(request)
        if request.guard_blocked or request.warning:
            self._engine.guarded_calls.note(
                request.tool,
                at=self._clock().isoformat(),
                session_id=self._place.session_id,
                title=request.title[:_MAX_TITLE],
                paths=list(request.paths[:_MAX_PATHS]),
                plan_mode=request.plan_mode,
                blocked=request.guard_blocked,
                reason=request.reason or request.warning,
            )
        self._engine.events.publish(
            PermissionAnswered(
                session_id=self._place.session_id,
                request_id=request.request_id,
                verdict=request.verdict,
                reason=request.reason,
            )
        )

    def _command_launch(self, call: CommandCall) -> Launch:
        """A command Tandem itself runs in the shadow for the agent, with the network the agent has."""
        network = self._place.network
        return self._place.shadow.launch(
            (_SHELL, "-c", call.command),
            home=self._place.home,
            environment={**agent_environment((), dict(call.env)), **network.environment},
            cwd=call.cwd,
            network=network.is_on,
            network_joining=network.joining,
            addresses=network.addresses,
        )


def profile_of(facts: SessionFacts) -> AgentProfile:
    """The agent of a session."""
    return custom_profile(shlex.join(facts.command)) if facts.agent == CUSTOM else profile_named(facts.agent)


def shadow_folder(shadows: Path, session_id: SessionId) -> Path:
    return shadows / session_id


def discard_shadow(engine: Engine, session_id: SessionId) -> None:
    """Discard the shadow of a session, unless it is open elsewhere."""
    folder = shadow_folder(engine.locations.shadows, session_id)
    if not folder.is_dir():
        return
    # Only a cancelled plan of an agent leads here.
    from tandem_desktop.shadow.factory import open_shadow

    with contextlib.suppress(ShadowError):
        open_shadow(engine.workspace, folder, engine.objects, masked=()).discard()


def open_session_shadow(engine: Engine, session_id: SessionId, person_home: Path | None = None) -> ShadowWorkspace:
    """The shadow of a session, with ignored files left out of its changes.

    Raises:
        ShadowBusyError: it is open elsewhere.
        ShadowError: it cannot be opened.
    """
    shadow = open_shadow(
        engine.workspace,
        shadow_folder(engine.locations.shadows, session_id),
        engine.objects,
        masked=(engine.locations.state,),
        person_home=person_home,
    )
    shadow.fold_by_products(acts_by_its_name)
    return shadow


def _model(settings: Settings, profile: AgentProfile) -> tuple[str, str]:
    return settings.models.get(profile.name, ""), settings.model_address if profile.name == BUILT_IN else ""


_GIVEN_UP = (EventKind.CANCEL, EventKind.REJECT_PLAN, EventKind.SUPERSEDE)
"""Events by which a person ends a plan; a run that is stopped is settled when it has ended."""


class AgentSessions:
    """Opens and finds the sessions of one workspace. Lives on the engine's loop, except `slot` and `find`."""

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        clock: Callable[[], datetime],
        *,
        person_home: Path | None = None,
        include: tuple[str, ...] = (),
        person: Person = NOBODY,
    ) -> None:
        """`include` are globs of ignored files that agents' turns make part of their plans.

        `person` answers what agents ask.
        """
        self._engine = engine
        self._settings = settings
        self._clock = clock
        self._person_home = person_home or Path.home()
        self._include = include
        self._person = person
        self._host: PlanningServerHost | None = None
        self._slots: dict[SessionId, SessionSlot] = {}
        self._first_starts: dict[Path, asyncio.Lock] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._idle = IdleAgents(lambda: tuple(self._slots.values()), settings.idle_agents, settings.idle_agent_minutes)
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
            BadInputError: there is no such session, or it is one of another workspace; or the file of the person's
                MCP servers cannot be understood.
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
        servers = await asyncio.to_thread(person_servers)
        shadow = await self._opened_shadow(own_id)
        try:
            # Only now: a session that is open elsewhere keeps its record.
            record = self._noted(own_id, profile)
            session = await self._built(profile, shadow, record, slot, host, extra_environment)
        except BaseException:
            await done_in_thread(shadow.close)
            raise
        self._offer_tools(session, host, servers)
        session.set_plan_mode(slot.plan_mode)
        session.include(self._include)
        slot.session = session
        return session

    async def _built(
        self,
        profile: AgentProfile,
        shadow: ShadowWorkspace,
        record: SessionRecord,
        slot: SessionSlot,
        host: PlanningServerHost,
        extra_environment: Mapping[str, str] | None,
    ) -> PlanningSession:
        """The session with its network and the way its agent is started."""
        home = self._engine.locations.agent_home(home_name(profile))
        environment = await asyncio.to_thread(launch_environment, profile, self._settings, extra_environment)
        network = await open_network(profile, self._settings, shadow, environment, self._person_home, slot.allowed_once)
        try:
            launch = await asyncio.to_thread(
                agent_launch,
                profile,
                shadow,
                home,
                person_home=self._person_home,
                environment=environment,
                network=network,
                sockets=(host.socket_path,),
            )
            program = AgentProgram.of(profile, home)
            alone = self._first_starts.setdefault(home, asyncio.Lock())
            place = SessionPlace(slot.session_id, shadow, home, network, record, program, alone)
            builder = _SessionBuilder(
                self._engine, self._settings, profile, place, self._clock, plan_mode=slot.plan_mode, person=self._person
            )
            return builder.build(launch)
        except BaseException:
            await network.close()
            raise

    def _offer_tools(
        self, session: PlanningSession, host: PlanningServerHost, servers: tuple[PersonServer, ...]
    ) -> None:
        """Give the agent of a session its planning tools, and the tools of the person's servers."""
        held = PersonTools(session.id, servers, session.interceptor.decide)
        held.start(lambda: self._soon(partial(host.announce_changed_tools, session.id)))
        handler = SessionToolHandler(session, self._engine, self._engine.events, self._clock)
        session.offer(
            host.open_session(session.id, handler, lambda: session.is_planning, held=held),
            on_turn=lambda: host.start_turn(session.id),
            on_plan_mode=lambda: self._soon(partial(host.announce_changed_tools, session.id)),
            held=held,
        )

    def include(self, plan_id: PlanId, globs: Iterable[str]) -> PlanVersion:
        """Take ignored files of a plan's session into the plan, as the person's own revision. Works in a thread.

        Raises:
            BadInputError: the session's agent is at work, or left no such files behind; nothing was saved.
            ShadowBusyError: the session is open elsewhere.
        """
        session_id = self._engine.plans.meta(plan_id).session_id
        session = self.find(session_id)
        if session is not None:
            if session.is_at_work:
                raise BadInputError("The agent is still at work on this plan.", next="Wait until its turn has ended.")
            return include_ignored(self._engine, plan_id, globs, session.shadow)
        if not shadow_folder(self._engine.locations.shadows, session_id).is_dir():
            raise BadInputError(f"No agent left ignored files for {plan_id}.", next="Look at it with: tandem show PLAN")
        shadow = self._shadow(session_id)
        try:
            return include_ignored(self._engine, plan_id, globs, shadow)
        finally:
            shadow.close()

    async def session_of(self, plan_id: PlanId) -> PlanningSession:
        """The session of the agent that made a plan; opened again where it is not open here.

        Raises what `open` raises.
        """
        session_id = await asyncio.to_thread(lambda: self._engine.plans.revision(plan_id).session_id)
        session = self.find(session_id)
        if session is not None:
            return session
        facts = await asyncio.to_thread(self.facts, session_id)
        return await self.open(profile_of(facts), session_id=session_id)

    async def make_call(self, plan_id: PlanId, call: ExternalCall) -> CallMade:
        """Make an external call that the person approved, once: by the agent that asked, or on the person's own server.

        Raises what `open` raises, and PolicyError where the server cannot be reached.
        """
        session_id = await asyncio.to_thread(lambda: self._engine.plans.revision(plan_id).session_id)
        if self.find(session_id) is None:
            held = PersonTools(session_id, await asyncio.to_thread(person_servers))
            if held.find(call.tool):
                try:
                    return call_made(await held.make(call))
                finally:
                    await held.close()
        return await (await self.session_of(plan_id)).make_call(call)

    async def allow_hosts(self, session_id: SessionId, hosts: Iterable[str], agent: str = "") -> None:
        """Let the agents of a session reach further hosts; with `agent` the person's settings keep them for that one.

        Raises:
            BadInputError: one is no host, or the settings cannot be understood; nothing was allowed then.
            StorageError: the settings cannot be written.
        """
        allowed = [AllowedHost.parse(each) for each in hosts]
        if agent:
            kept = self._settings.network_hosts
            ours = tuple(dict.fromkeys((*kept.get(agent, ()), *map(str, allowed))))
            config = config_directory() / SETTINGS_FILE
            saved = await asyncio.to_thread(save_setting, config, "network_hosts", {**kept, agent: ours})
            self._settings = self._settings.model_copy(update={"network_hosts": saved.network_hosts})
        for each in allowed:
            await self.slot(session_id).allow_once(each)

    def use_models(self, settings: Settings, with_new_key: str = "") -> None:
        """Start agents with these models from now on; one that runs with another is started anew by its next message.

        `with_new_key` names an agent whose model has another key.
        """
        before, chosen = self._settings, {"models": settings.models, "model_address": settings.model_address}
        self._settings = before.model_copy(update=chosen)
        for slot in self._slots.values():
            agent = slot.session.profile if slot.session is not None else None
            if agent is not None and (agent.name == with_new_key or _model(before, agent) != _model(settings, agent)):
                slot.has_other_model = True

    def advisor(self, advisors: Advisors) -> AdvisorPort:
        """Agents that answer questions and may only read."""
        return Consultations(self._engine, self._settings, advisors, self._planning_host, self._person_home)

    async def close(self) -> None:
        """End every agent; their work stays."""
        self._unsubscribe()
        self._idle.close()
        await asyncio.gather(*(slot.close() for slot in list(self._slots.values())), return_exceptions=True)
        if self._host is not None:
            await self._host.close()
            self._host = None

    async def delete(self, session_id: SessionId) -> None:
        """Delete the records and the shadow of a session that led to no plan.

        Raises:
            BadInputError: its agent is at work, or it has a plan.
        """
        self.facts(session_id)
        slot = self.slot(session_id)
        if slot.session is not None and slot.session.is_at_work:
            raise BadInputError("The agent is still at work.", next="Stop it first.")
        if await asyncio.to_thread(self._engine.plans.plans_of, session_id):
            raise BadInputError("This conversation has a plan, so it is kept.", next="Archive it instead.")
        await slot.close()
        self._slots.pop(session_id, None)
        await asyncio.to_thread(discard_shadow, self._engine, session_id)
        await asyncio.to_thread(atomic.remove_tree, self._engine.locations.sessions / session_id)

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
        if isinstance(event, TurnEnded) and self._loop is not None and event.session_id in self._slots:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the agents with it
                self._loop.call_soon_threadsafe(self._idle.turn_ended, self._slots[event.session_id])
            return
        if not isinstance(event, PlanMoved) or event.plan_id is None or self._loop is None:
            return
        slot = self._slots.get(event.session_id)
        session = slot.session if slot is not None else None
        if session is None or self._engine.plans.plan_of(session.id) != event.plan_id:
            return
        if PlanAction.RECORD_APPROVAL in event.actions:
            self._loop.call_soon_threadsafe(session.approved)
        elif PlanAction.NOTIFY_AI in event.actions:
            asyncio.run_coroutine_threadsafe(session.report(), self._loop)
        elif event.event in _GIVEN_UP and PlanAction.STOP_EXECUTION not in event.actions:
            asyncio.run_coroutine_threadsafe(session.abandon(event.plan_id), self._loop)

    def _soon(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start something on the engine's loop, from any thread; nothing once the loop has ended."""

        def start() -> None:
            task = asyncio.create_task(work())
            self._background.add(task)
            task.add_done_callback(self._background.discard)

        with contextlib.suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(start)

    async def _open_for(self, slot: SessionSlot, advisor: Advisor) -> PlanningSession:
        return await self.open(
            advisor.profile,
            session_id=slot.session_id,
            extra_environment=advisor.environment,
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
        if (facts.agent, facts.command) not in ((profile.name, profile.command), (profile.name, ())):
            facts = facts.model_copy(update={"agent_session": "", "options": {}})  # another agent does not know it
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

    async def _opened_shadow(self, session_id: SessionId) -> ShadowWorkspace:
        """The shadow of a session; if the caller is cancelled while it opens, it is closed again."""
        return await made_in_thread(partial(self._shadow, session_id), ShadowWorkspace.close)

    def _shadow(self, session_id: SessionId) -> ShadowWorkspace:
        return open_session_shadow(self._engine, session_id, self._person_home)
