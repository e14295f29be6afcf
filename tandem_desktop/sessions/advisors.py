"""Asks read-only agents for typed advice."""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic

from tandem_desktop.acp_client.client import SidecarManager
from tandem_desktop.acp_client.connection import SidecarLimits
from tandem_desktop.acp_client.profiles import home_name, profile_named
from tandem_desktop.domain.advice import Advice, Question, Result
from tandem_desktop.domain.agent_protocol import (
    AgentProfile,
    AgentSaid,
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
    PermissionVerdict,
    StopReason,
    TerminalOutput,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
)
from tandem_desktop.domain.authorization import SessionPermissions, ToolCategory
from tandem_desktop.domain.errors import (
    BadInputError,
    NoAnswerError,
    SidecarError,
    SidecarTimeoutError,
    TandemError,
    TaskError,
    ToolDeniedError,
)
from tandem_desktop.domain.events import AgentProgramChanged
from tandem_desktop.domain.ids import SessionId, TerminalId, ToolCallId, new_session_id
from tandem_desktop.domain.operations import CommandCall, FileState
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.ports import AgentPort
from tandem_desktop.domain.questions import AgentQuestion, QuestionAnswer
from tandem_desktop.planning_tools.definitions import Wanted
from tandem_desktop.planning_tools.handlers import WorkspaceToolHandler
from tandem_desktop.planning_tools.server import PlanningServerHost
from tandem_desktop.policy.rules import AuthorizationPolicy
from tandem_desktop.policy.tools import tool_use
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.agent_program import ADVISOR_RECORD, AgentProgram
from tandem_desktop.sessions.interceptor import PermissionInterceptor
from tandem_desktop.sessions.launch import agent_launch, launch_environment
from tandem_desktop.sessions.network import AgentNetwork, open_network
from tandem_desktop.sessions.record import SessionRecord, TranscriptLog
from tandem_desktop.settings import AdvisorChoice, Settings
from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.staging.requests import QueuedCommand
from tandem_desktop.storage import atomic
from tandem_desktop.storage.atomic import remove_tree

_REFUSED = TerminalOutput(text="[Commands are not available: you were asked for advice.]\n", exit_code=126)
_MOST_READ = 500
"""Files noted as read; more than a person would look through."""


class AdvisorClient:
    """Implements `AgentClient` for one question at a time. Records answers, files read and requests refused."""

    def __init__(self, shadow: ShadowWorkspace) -> None:
        self._shadow = shadow

    def begin_question(self, interceptor: PermissionInterceptor, on_update: Callable[[AgentUpdate], None]) -> None:
        """Reset for a new question; late updates of the previous conversation are ignored."""
        self.session_id: SessionId | None = None
        """The conversation of the question, once it is known."""
        self._interceptor = interceptor
        self._on_update = on_update
        self._calls: dict[ToolCallId, ToolCall] = {}
        self._read: dict[str, None] = {}
        self._denied: dict[str, None] = {}
        self._said: list[str] = []

    def begin_turn(self) -> None:
        self._said = []

    @property
    def said(self) -> str:
        """What the agent said in this turn."""
        return "".join(self._said)

    @property
    def denied(self) -> tuple[str, ...]:
        return tuple(self._denied)

    def files_read(self) -> tuple[str, ...]:
        """The files it read, as far as they are files of the workspace. Looks at the shadow."""
        named = dict(self._read)
        for call in self._calls.values():
            if call.status is ToolCallStatus.COMPLETED and tool_use(call).category is ToolCategory.READ:
                named.update(dict.fromkeys(call.paths))
        inside = [path for path in named if path and not path.startswith(("/", ".."))]
        return tuple(path for path in inside[:_MOST_READ] if self._is_file(path))

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        answer = await self._interceptor.decide(request)
        if answer.verdict is not PermissionVerdict.ALLOW:
            call = request.call
            self._denied[shown(call.title or call.command or call.tool or call.kind.value)] = None
        return answer

    def turned_away(self, request: PermissionRequest, reason: str) -> None:
        self._interceptor.turned_away(request, reason)

    async def ask(self, question: AgentQuestion) -> QuestionAnswer:
        self._denied[f"ask {shown(question.summary)}"] = None
        return await self._interceptor.questions.put(question)

    def question_completed(self, elicitation_id: str) -> None:
        pass

    def on_update(self, session_id: SessionId, update: AgentUpdate) -> None:
        if self.session_id not in (None, session_id):
            return
        if isinstance(update, AgentSaid) and not update.thought:
            self._said.append(update.text)
        elif isinstance(update, ToolCallChanged):
            self._calls[update.call.id] = update.call
        self._on_update(update)

    async def read_text(self, session_id: SessionId, path: str) -> str:
        text = await asyncio.to_thread(self._shadow.read_text, path)
        self._read[path] = None
        return text

    async def save_text(self, session_id: SessionId, path: str, text: str) -> None:
        self._denied[f"write {shown(path)}"] = None
        raise ToolDeniedError(f"{shown(path)} is not written: you were asked for advice, so you may only read.")

    async def open_terminal(self, session_id: SessionId, call: CommandCall) -> TerminalId:
        self._denied[shown(call.command)] = None
        return TerminalId(f"refused-{len(self._denied)}")

    async def terminal_output(self, terminal_id: TerminalId) -> TerminalOutput:
        return _REFUSED

    async def wait_for_terminal(self, terminal_id: TerminalId) -> TerminalOutput:
        return _REFUSED

    async def kill_terminal(self, terminal_id: TerminalId) -> None:
        pass

    async def release_terminal(self, terminal_id: TerminalId) -> None:
        pass

    def _is_file(self, path: str) -> bool:
        try:
            return isinstance(self._shadow.state(path), FileState)
        except Exception:
            return False


@dataclass(frozen=True, slots=True)
class Advisor:
    """An agent ready to be asked."""

    profile: AgentProfile
    model: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


class Advisors:
    """Finds the advisor of a role: the choice for this task, else the settings, else the agent of the session."""

    def __init__(
        self,
        chosen: Mapping[str, AdvisorChoice],
        session_agent: AgentProfile,
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._chosen = chosen
        self._session_agent = session_agent
        self._environment = dict(environment or {})

    @property
    def session_advisor(self) -> Advisor:
        """The agent of the session."""
        return Advisor(self._session_agent, "", self._environment)

    def of(self, role: str) -> Advisor:
        """Raises BadInputError where there is no such agent, or none whose model can be chosen."""
        choice = self._chosen.get(role, AdvisorChoice())
        profile = profile_named(choice.agent) if choice.agent else self._session_agent
        return Advisor(profile, choice.model, {**self._environment, **profile.choosing(choice.model)})


_PREFIX = "advice-"
_MOST_TOLD = 20
_YOUNG_S = 3600.0


class Consultations:
    """Implements `AdvisorPort` with real agents.

    Every question has a conversation and tools of its own. Inside `together` an agent that has answered is kept, with
    its shadow, for the next question to the same advisor; questions that are open at once have an agent each.
    """

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        advisors: Advisors,
        host: Callable[[], Awaitable[PlanningServerHost]],
        person_home: Path,
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._advisors = advisors
        self._host = host
        self._person_home = person_home
        self._keeping = 0
        self._idle: list[_RunningAdvisor] = []

    @asynccontextmanager
    async def together(self) -> AsyncIterator[None]:
        self._keeping += 1
        try:
            yield
        finally:
            self._keeping -= 1
            if not self._keeping:
                idle, self._idle = self._idle, []
                await asyncio.shield(asyncio.gather(*(each.held.aclose() for each in idle)))

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        advisor = self._advisors.of(question.role)
        minutes = self._settings.advice_minutes
        try:
            async with asyncio.timeout(minutes * 60):
                return await self._ask(question, advisor)
        except TimeoutError:
            raise SidecarTimeoutError(
                f"{advisor.profile.title} had no answer for {question.role} after {minutes} minutes and was ended.",
                next="Ask again, or set `advice_minutes` in the settings higher.",
            ) from None

    async def _ask(self, question: Question[Result], advisor: Advisor) -> Advice[Result]:
        host = await self._host()
        session_id = new_session_id()
        wanted = Wanted(question)
        server = host.open_session(session_id, WorkspaceToolHandler(self._engine), lambda: False, wanted)
        about = question.session_id or session_id
        transcript = self._transcript(about, question.role)
        try:
            async with self._at_hand(advisor, host.socket_path, transcript, about) as running:
                session_client = running.session_client
                session_client.begin_question(self._interceptor(session_id), question.on_update)
                opened = await running.agent.new_session((server,))
                session_client.session_id = opened.id
                await _Conversation(running.agent, session_client, wanted, self._settings.present_plan_retries).hold(
                    opened.id
                )
                model = advisor.model or opened.model
                advice = await asyncio.to_thread(
                    _advice, wanted, advisor.profile, model, session_client, running.shadow
                )
                running.is_clean = not advice.thrown_away
                return advice
        finally:
            await host.close_session(session_id)
            await asyncio.to_thread(transcript.close)

    @asynccontextmanager
    async def _at_hand(
        self, advisor: Advisor, socket: Path, transcript: TranscriptLog, session_id: SessionId
    ) -> "AsyncIterator[_RunningAdvisor]":
        """An agent that was kept, or a new one; it is ended unless it answered and may be kept."""
        kept = next((each for each in self._idle if each.advisor == advisor and each.agent.is_running), None)
        if kept is not None:
            self._idle.remove(kept)
            kept.frames.transcript = transcript
        running = kept or await self._started(advisor, socket, transcript, session_id)
        running.is_clean = False
        try:
            yield running
        finally:
            if running.is_clean and self._keeping:
                self._idle.append(running)
            else:
                await running.held.aclose()

    async def _started(
        self, advisor: Advisor, socket: Path, transcript: TranscriptLog, session_id: SessionId
    ) -> "_RunningAdvisor":
        held, frames = AsyncExitStack(), _Frames(transcript)
        try:
            shadow = await held.enter_async_context(self._opened())
            session_client = AdvisorClient(shadow)
            environment = await asyncio.to_thread(
                launch_environment,
                advisor.profile,
                self._settings,
                advisor.environment,
            )
            network = await open_network(advisor.profile, self._settings, shadow, environment, self._person_home)
            held.push_async_callback(network.close)
            agent = await asyncio.to_thread(
                self._agent, advisor, shadow, session_client, socket, frames, environment, network
            )
            held.push_async_callback(agent.stop)
            await self._start(advisor.profile, agent, session_id)
        except BaseException:
            await held.aclose()
            raise
        return _RunningAdvisor(advisor, shadow, session_client, agent, frames, held)

    async def _start(self, profile: AgentProfile, agent: SidecarManager, session_id: SessionId) -> None:
        """Start the agent; where its program is another one than when it last advised, say so at once."""
        home = self._engine.locations.agent_home(home_name(profile))
        program = AgentProgram.of(profile, home, ADVISOR_RECORD)

        async def tell(look: Callable[[], str]) -> None:
            if told := await asyncio.to_thread(look):
                self._engine.events.publish(AgentProgramChanged(session_id=session_id, agent=profile.name, text=told))

        await tell(program.look)
        facts = await agent.start()
        await tell(lambda: program.started(facts.version))

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[ShadowWorkspace]:
        """A shadow that is discarded at the end, also if the caller is cancelled while it opens."""
        opening = asyncio.ensure_future(asyncio.to_thread(self._shadow))
        try:
            yield await asyncio.shield(opening)
        finally:
            await asyncio.shield(_discarded(opening))

    def _shadow(self) -> ShadowWorkspace:
        shadows = self._engine.locations.shadows
        _sweep(shadows)
        return open_shadow(
            self._engine.workspace,
            shadows / f"{_PREFIX}{secrets.token_hex(8)}",
            self._engine.objects,
            masked=(self._engine.locations.state,),
            person_home=self._person_home,
        )

    def _interceptor(self, session_id: SessionId) -> PermissionInterceptor:
        return PermissionInterceptor(
            session_id,
            policy=AuthorizationPolicy(),
            settings=self._settings,
            queue=_never,
            permissions=SessionPermissions(plan_mode=True, only_look=True),
        )

    def _transcript(self, session_id: SessionId, role: str) -> TranscriptLog:
        """Kept with the session the question is about, also when there was no answer."""
        place = SessionRecord(self._engine.locations.sessions / session_id).advice(role)
        with contextlib.suppress(OSError):  # ask without a transcript
            atomic.make_directory(place.parent, mode=0o700)
        return TranscriptLog(place)

    def _agent(
        self,
        advisor: Advisor,
        shadow: ShadowWorkspace,
        session_client: AdvisorClient,
        socket: Path,
        frames: "_Frames",
        environment: Mapping[str, str],
        network: AgentNetwork,
    ) -> SidecarManager:
        launch = agent_launch(
            advisor.profile,
            shadow,
            self._engine.locations.agent_home(home_name(advisor.profile)),
            person_home=self._person_home,
            environment=environment,
            network=network,
            sockets=(socket,),
        )
        limits = SidecarLimits(message_bytes=self._settings.max_message_bytes)
        return SidecarManager(
            advisor.profile,
            launch,
            session_client,
            workspace=str(shadow.seen_at),
            limits=limits,
            on_frame=frames.keep,
            may_ask=False,
        )


class _Frames:
    """Passes protocol frames to the transcript of the current question."""

    def __init__(self, transcript: TranscriptLog) -> None:
        self.transcript = transcript

    def keep(self, *frame: Any) -> None:
        self.transcript.keep(*frame)


@dataclass
class _RunningAdvisor:
    """A running agent with its shadow; `held` ends both."""

    advisor: Advisor
    shadow: ShadowWorkspace
    session_client: AdvisorClient
    agent: SidecarManager
    frames: _Frames
    held: AsyncExitStack
    is_clean: bool = False
    """Whether it answered and left its shadow as it was."""


class _Conversation(Generic[Result]):
    """Repeats the question until there is an answer or the tries are used up."""

    def __init__(self, agent: AgentPort, session_client: AdvisorClient, wanted: Wanted[Result], tries: int) -> None:
        self._agent = agent
        self._session_client = session_client
        self._wanted = wanted
        self._tries = tries

    async def hold(self, session_id: SessionId) -> None:
        prompt = _opening(self._wanted)
        for left in range(self._tries, -1, -1):
            problem = await self._turn(session_id, prompt)
            if problem is None:
                return
            prompt = f"{problem.message} {problem.next}".strip()
            if left == 0:
                question = self._wanted.question
                raise NoAnswerError(
                    f"{question.role} handed in no usable answer. {problem.message}",
                    next="Ask again, or choose another agent or model for it.",
                )

    async def _turn(self, session_id: SessionId, prompt: str) -> BadInputError | TaskError | None:
        """What is wrong with the answer of one turn; None when it is there."""
        self._session_client.begin_turn()
        try:
            stop = await self._agent.prompt(session_id, prompt)
        except SidecarError:
            if self._wanted.answer is not None:
                return None  # the answer was handed in before
            raise
        if self._wanted.answer is not None:
            return None
        if stop is not StopReason.END_TURN:
            raise NoAnswerError(
                f"{self._wanted.question.role} stopped before there was an answer: {stop.value.replace('_', ' ')}.",
                next="Ask again, or choose another agent or model for it.",
            )
        try:
            self._wanted.take_text(self._session_client.said)
        except (BadInputError, TaskError) as error:
            return error
        return None


async def _discarded(opening: "asyncio.Future[ShadowWorkspace]") -> None:
    with contextlib.suppress(TandemError):  # there was none to open, which was told already
        shadow = await opening
        await asyncio.to_thread(shadow.discard)


def _sweep(shadows: Path) -> None:
    """Remove the shadows of killed processes. Not recent ones: another question may be opening them."""
    for leftover in shadows.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.stat().st_mtime < _YOUNG_S:
                continue
            with atomic.held_or_busy(leftover / "lock") as free:
                if free:
                    remove_tree(leftover)


def _opening(wanted: Wanted[Result]) -> str:
    """The question, and how to answer it with the tool or without."""
    schema = json.dumps(wanted.definition.input_schema(), ensure_ascii=False)
    return (
        f"{wanted.question.prompt}\n\n"
        "You may read files, list them and search them. Nothing can be written or run; do not try.\n"
        f"Hand in your answer by calling the tool {wanted.tool.value} of the server tandem, once. Where there is no "
        f"such tool, end with one JSON object of this shape and nothing after it:\n{schema}"
    )


def _advice(
    wanted: Wanted[Result], profile: AgentProfile, model: str, session_client: AdvisorClient, shadow: ShadowWorkspace
) -> Advice[Result]:
    assert wanted.answer is not None
    return Advice(
        result=wanted.answer,
        agent=profile.name,
        title=profile.title,
        model=model,
        read=session_client.files_read(),
        denied=session_client.denied,
        thrown_away=tuple(sorted(change.path for change in shadow.changes()))[:_MOST_TOLD],
        said=session_client.said,
    )


async def _never(command: QueuedCommand) -> int | None:
    raise AssertionError("an running queues nothing")  # pragma: no cover - every command is denied before
