"""Put a session together: its client, its queue, its agent and its tools, each knowing only its neighbours."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tandem_desktop.domain.agents import AgentProfile
from tandem_desktop.domain.authorization import SessionPermissions
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.events.events import PermissionAnswered, PermissionAsked
from tandem_desktop.events.stream import EventStream
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.immediate_mode import ImmediateMode
from tandem_desktop.orchestration.live_staging import LiveStaging
from tandem_desktop.orchestration.opening import mode_words, opening_words
from tandem_desktop.orchestration.planning_session import PlanningSession
from tandem_desktop.orchestration.session_doors import SessionClient
from tandem_desktop.orchestration.session_news import AgentNotices
from tandem_desktop.orchestration.session_record import SessionRecord
from tandem_desktop.orchestration.session_staging import SessionStaging
from tandem_desktop.orchestration.terminals import Terminals
from tandem_desktop.orchestration.transcript_log import TranscriptLog
from tandem_desktop.policy.authorization_policy import AuthorizationPolicy
from tandem_desktop.processes.launch import Launch
from tandem_desktop.settings.settings import Settings
from tandem_desktop.shadow.agent_environment import agent_environment
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace
from tandem_desktop.sidecar.limits import SidecarLimits
from tandem_desktop.sidecar.sidecar_manager import SidecarManager
from tandem_desktop.staging.confirmation import Confirmation
from tandem_desktop.staging.intercepted import InterceptedRequest
from tandem_desktop.staging.permission_interceptor import PermissionInterceptor
from tandem_desktop.staging.staging_store import StagingStore

_SHELL = "/bin/sh"


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """Where one session works: its name, its shadow, its home and its records."""

    session_id: SessionId
    shadow: ShadowWorkspace
    home: Path
    record: SessionRecord


def assemble(
    engine: Engine,
    settings: Settings,
    profile: AgentProfile,
    place: SessionPlace,
    launch: Launch,
    clock: Callable[[], datetime],
    *,
    plan_mode: bool,
) -> PlanningSession:
    """A session whose agent is not started yet."""
    shadow, record, session_id = place.shadow, place.record, place.session_id
    transcript = TranscriptLog(record.transcript)
    store = StagingStore(record.staging)
    session: PlanningSession
    interceptor = PermissionInterceptor(
        session_id,
        policy=AuthorizationPolicy(),
        settings=settings,
        queue=lambda command: session.queue(command),
        rehearse=lambda: session.begin_rehearsal(),
        ask=_asking(engine.events, session_id),
        decided=_deciding(engine, session_id, store),
        permissions=SessionPermissions(plan_mode=plan_mode, yolo=settings.yolo, tool_ignore=settings.tool_ignore),
    )
    terminals = Terminals(
        lambda call: _command_launch(place, settings, call), command_ended=lambda: session.command_ended()
    )
    client = SessionClient(shadow, interceptor, store, terminals, lambda update: session.heard(update))
    staging = SessionStaging(shadow, store, clock)
    notices = AgentNotices(
        runs=engine.runs,
        plans=engine.plans,
        objects=engine.objects,
        shadow=shadow,
        staging=staging,
        clear_staging=lambda: session.clear_staging(),
        record=record,
        who=lambda: session.who,
    )
    # Without a sandbox the copy is not at the workspace's own path, and that path is the person's files.
    seen = engine.locations.workspace if shadow.confinement.confined else shadow.place
    workspace = str(seen)
    session = PlanningSession(
        session_id,
        profile=profile,
        agent=SidecarManager(
            profile,
            launch,
            client,
            workspace=workspace,
            limits=SidecarLimits(message_bytes=settings.max_message_bytes),
            on_frame=transcript.keep,
        ),
        shadow=shadow,
        staging=staging,
        live=LiveStaging(session_id, staging, store, engine.objects, engine.events),
        client=client,
        interceptor=interceptor,
        plans=engine.plans,
        proposals=engine.proposals,
        events=engine.events,
        clock=clock,
        opening=lambda: opening_words(
            profile, shadow, settings, cwd=workspace, today=lambda: clock().date(), plan_mode=session.is_planning
        ),
        notices=notices,
        transcript=transcript,
        mode_words=lambda planning: mode_words(profile, settings, cwd=workspace, plan_mode=planning),
        immediate=ImmediateMode(
            session_id,
            staging=staging,
            plans=engine.plans,
            proposals=engine.proposals,
            decisions=engine.decisions,
            runs=engine.runs,
            objects=engine.objects,
            events=engine.events,
            clock=clock,
            answered=lambda: interceptor.requests,
            catch_up=notices.after_runs,
            planner=lambda: session.who,
        ),
    )
    store.listen(session.on_staged)
    return session


def _asking(events: EventStream, session_id: SessionId) -> Callable[[Confirmation], None]:
    return lambda confirmation: events.publish(PermissionAsked(session_id=session_id, request=confirmation.request))


def _deciding(engine: Engine, session_id: SessionId, store: StagingStore) -> Callable[[InterceptedRequest], None]:
    def decided(request: InterceptedRequest) -> None:
        store.note_request(request)
        if request.warning:
            engine.would_block.note(request.tool)
        engine.events.publish(
            PermissionAnswered(
                session_id=session_id, request_id=request.request_id, verdict=request.verdict, reason=request.reason
            )
        )

    return decided


def _command_launch(place: SessionPlace, settings: Settings, call: CommandCall) -> Launch:
    """A command Tandem itself runs in the shadow for the agent."""
    return place.shadow.launch(
        (_SHELL, "-c", call.command),
        home=place.home,
        environment=agent_environment((), dict(call.env)),
        cwd=call.cwd,
        network=settings.rehearse_with_network,
    )
