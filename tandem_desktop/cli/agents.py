"""The run and agents commands."""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

from tandem_desktop.acp_client.own_agents import profile_of_command, read_registry, remove_profile
from tandem_desktop.acp_client.profiles import (
    BUILT_IN,
    FoundAgent,
    custom_profile,
    find_agent,
    load_profiles,
    profile_named,
)
from tandem_desktop.advisors.perspective_planning import DelegatedPlanning, PerspectivePlanning
from tandem_desktop.cli import json_output
from tandem_desktop.cli.console import Line, Piece, Span, Tone, UsageError, sentence
from tandem_desktop.cli.formatting import ignored_lines, perspective_lines, ran_lines
from tandem_desktop.cli.main import CommandContext, CommandResult, count, read_input
from tandem_desktop.cli.plans import proposed
from tandem_desktop.cli.questions import TerminalQuestions
from tandem_desktop.diff.text import visible_in_a_line
from tandem_desktop.domain.advice import Qualification
from tandem_desktop.domain.agent_protocol import AgentProfile, AgentSaid, ToolCallChanged, ToolCallStatus
from tandem_desktop.domain.errors import BadInputError, SidecarError, SidecarTimeoutError, TandemError, UserAbortError
from tandem_desktop.domain.events import (
    AgentProgramChanged,
    AgentUpdated,
    PermissionAnswered,
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    QuestionAnswered,
    QuestionAsked,
    SynthesisEnded,
    SynthesisStarted,
    TandemEvent,
    TaskDelegated,
)
from tandem_desktop.domain.ids import RequestId, SessionId, new_session_id
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.perspectives import Role
from tandem_desktop.domain.plan_states import phase_of
from tandem_desktop.domain.questions import QuestionAction
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.sessions.advisors import Advisors
from tandem_desktop.sessions.launch import keep_agent
from tandem_desktop.sessions.manager import AgentSessions, Person, profile_of
from tandem_desktop.sessions.network import allowing
from tandem_desktop.sessions.slots import SessionSlot
from tandem_desktop.sessions.turn import Turn
from tandem_desktop.settings import AdvisorChoice, Settings
from tandem_desktop.shadow.factory import describe_confinement

EXECUTOR = "executor"
"""The role that follows up on a delegated plan."""
_GRACE_S = 3.0
"""How long an agent may take to end a turn that is stopped, before it is ended itself."""


class StopRequest:
    """A stop request made in a signal handler; it can be made once, and only while `wait` is running."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._made: asyncio.Event | None = None

    def request(self) -> bool:
        """Request the stop. False if `wait` is not running or a stop was requested before."""
        loop, made = self._loop, self._made
        if loop is None or made is None:
            return False
        self._loop = None
        loop.call_soon_threadsafe(made.set)
        return True

    async def wait(self) -> None:
        self._made = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        await self._made.wait()


def run(call: CommandContext) -> CommandResult:
    environment = chosen_environment(call)
    include = tuple(call.arguments.include)
    person = Person(is_there=call.console.can_ask)
    sessions = AgentSessions(call.engine, _with_hosts(call), call.engine.clock, include=include, person=person)
    progress = AgentProgress(call, TerminalQuestions(call.console, partial(_answer_question, sessions)))
    unsubscribe = call.engine.events.subscribe(progress.on_event)
    profile = chosen_profile(call, sessions)
    if _follows_up_on_a_delegated_plan(call, sessions):
        advisor = Advisors(call.engine.settings.advisors, profile, environment=environment).of(EXECUTOR)
        profile, environment = advisor.profile, dict(advisor.environment)
    try:
        with EngineThread() as thread:
            stop = StopRequest()
            work = thread.submit(_plan(call, sessions, profile, environment, stop))
            ended = _awaited(call, work, stop)
    finally:
        unsubscribe()
        progress.finish()
    return _answer(call, ended)


def _answer_question(
    sessions: AgentSessions,
    session_id: SessionId,
    question_id: RequestId,
    action: QuestionAction,
    values: dict[str, Any],
) -> bool:
    session = sessions.find(session_id)
    return session is not None and session.interceptor.questions.answer(question_id, action, values)


def _with_hosts(call: CommandContext) -> Settings:
    """The settings, with the hosts this call allows.

    Raises:
        BadInputError: one of them is no host.
    """
    return allowing(call.engine.settings, call.arguments.allow_host)


def agents(call: CommandContext) -> CommandResult:
    confinement = describe_confinement(call.engine.locations.shadows).with_network(call.engine.settings.network)
    found = [find_agent(profile) for profile in load_profiles()]
    data: dict[str, Any] = {
        "agents": [
            {
                "name": each.profile.name,
                "title": each.profile.title,
                "version": each.version,
                "found": each.path is not None,
                "path": str(each.path) if each.path else None,
                "confined": confinement.confined,
                "needs": _needs(each),
                "known": each.profile.known.strip(),
            }
            for each in found
        ],
        "confinement": confinement.description,
    }
    lines: list[Line] = []
    width = max(len(each.profile.name) for each in found) + 1
    for each in found:
        lines.append((Span(f"{each.profile.name:<{width}}", Tone.STRONG), " ", *_here(each)))
        needs = _needs(each)
        if each.path is None and each.profile.install:
            needs = f"Install: {needs}"
        lines += [f"{'':<{width}} {needs}"] if needs else []
    lines.append(f"Agents are {confinement.description}.")
    return CommandResult(data, lines, next=call.command("run", "--agent", "NAME", "--task", "TEXT"))


def add_agent(call: CommandContext) -> CommandResult:
    given = call.arguments
    profile = profile_of_command(
        given.name, given.words, title=given.title, env=given.env, credentials=given.credentials
    )
    path = keep_agent(profile)
    found = find_agent(profile, ask_version=False)
    lines: list[Line] = [(Span(visible_in_a_line(profile.title), Tone.STRONG), f" is added, in {shown(str(path))}.")]
    if found.path is None:
        lines.append(
            f"Its program {shown(profile.command[0])} was not found; it cannot start before that is installed."
        )
    elif found.lacks:
        lines.append(
            f"`{found.lacks}`, which runs its program, was not found; it cannot start before that is installed."
        )
    data = {**_added(profile), "path": str(path), "found": found.can_start}
    return CommandResult(data, lines, next=call.command("run", "--agent", profile.name, "--task", "TEXT"))


def remove_agent(call: CommandContext) -> CommandResult:
    path = remove_profile(call.arguments.name)
    words = f"The agent {call.arguments.name} is forgotten. Its plans and its private home stay."
    data = {"removed": call.arguments.name, "path": str(path)}
    return CommandResult(data, [words], next=call.command("agents"))


def import_agents(call: CommandContext) -> CommandResult:
    file, wanted = call.arguments.file, set(call.arguments.names)
    entries = read_registry(read_input(file, "a registry of agents", call.console), file)
    if unknown := wanted - {each.name for each in entries}:
        raise BadInputError(
            f"{shown(file)} has no agent called {', '.join(map(shown, sorted(unknown)))}.",
            path=file,
            next=f"It has: {', '.join(shown(each.name) for each in entries)}.",
        )
    added: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for each in entries:
        if wanted and each.name not in wanted:
            continue
        try:
            if each.profile is None:
                raise BadInputError(f"{each.reason[0].upper()}{each.reason[1:]}.")
            keep_agent(each.profile)
            added.append(_added(each.profile))
        except BadInputError as refusal:
            skipped.append({"name": each.name, "reason": refusal.message})
    lines: list[Line] = [f"{count(len(added), 'agent')} added, {len(skipped)} left out."]
    lines += [(Span(str(each["name"]), Tone.STRONG), f"  {shown(' '.join(each['command']))}") for each in added]
    lines += [f"Left out: {shown(each['name'])}: {visible_in_a_line(each['reason'])}" for each in skipped]
    return CommandResult({"added": added, "skipped": skipped}, lines, next=call.command("agents"))


def _added(profile: AgentProfile) -> dict[str, Any]:
    return {"name": profile.name, "title": profile.title, "command": list(profile.command)}


def _here(found: FoundAgent) -> tuple[Piece, ...]:
    if found.path is None:
        return (Span("not here", Tone.QUIET),)
    if found.lacks:
        return (Span("cannot start", Tone.WARNING),)
    return (Span("found", Tone.ADDED), f"  {found.version or ''}")


def _needs(found: FoundAgent) -> str:
    profile = found.profile
    if found.path is None:
        return profile.install or f"{shown(profile.command[0])} was not found."
    if found.lacks:
        return (
            f"`{found.lacks}`, which runs it, was not found: install that, or {profile.title} again: {profile.install}"
        )
    return profile.needs


@dataclass(frozen=True, slots=True)
class _Ended:
    """A turn, and what kept it from being a whole one."""

    turn: Turn
    confined: bool
    failure: TandemError | None


async def _plan(
    call: CommandContext, sessions: AgentSessions, profile: AgentProfile, environment: dict[str, str], stop: StopRequest
) -> _Ended:
    session_id = SessionId(call.arguments.session) if call.arguments.session is not None else None
    try:
        if call.arguments.delegate:
            return await _plan_by_delegation(call, sessions, profile, environment, stop)
        call.console.remark(_first_look(call, _qualified(call)))
        if _wants_perspectives(call, _qualified(call)):
            return await _plan_with_perspectives(call, sessions, profile, environment, stop)
        session = await sessions.open(profile, session_id=session_id, extra_environment=environment)
        confined = session.shadow.confinement.confined
        call.known.update(session_id=session.id, confined=confined)
        work = _Work(session.plan(_task(call)), session.end_turn, session.id, session.profile.title)
        turn, failure = await _turn(call, work, stop)
        return _Ended(turn, confined, failure)
    finally:
        await sessions.close()


async def _plan_with_perspectives(
    call: CommandContext, sessions: AgentSessions, profile: AgentProfile, environment: dict[str, str], stop: StopRequest
) -> _Ended:
    advisors = _advisors(call, profile, environment)
    session_id, slot, planning = _open_perspectives(call, sessions, advisors)
    call.known.update(session_id=session_id)
    plan = planning.run_plan_mode(session_id, _task(call), _qualified(call))
    turn, failure = await _turn(call, _Work(plan, planning.stop, session_id, profile.title), stop)
    return _Ended(turn, slot.is_confined, failure)


async def _plan_by_delegation(
    call: CommandContext, sessions: AgentSessions, profile: AgentProfile, environment: dict[str, str], stop: StopRequest
) -> _Ended:
    if call.arguments.session is not None:
        raise UsageError(
            "--delegate and --session exclude each other: a delegated plan begins a session.",
            next="Leave out --delegate to go on with the session.",
        )
    is_named = call.arguments.agent or call.arguments.agent_command is not None
    advisors = Advisors({} if is_named else call.engine.settings.advisors, profile, environment=environment)
    session_id = new_session_id()
    call.known.update(session_id=session_id)
    planning = DelegatedPlanning(call.engine.generator(sessions.advisor(advisors)), call.engine.events)
    plan = planning.plan(session_id, _task(call))
    turn, failure = await _turn(call, _Work(plan, planning.stop, session_id, profile.title, keeps=False), stop)
    return _Ended(turn, describe_confinement(call.engine.locations.shadows).confined, failure)


@dataclass(frozen=True, slots=True)
class _Work:
    """What goes on, how it is ended, and whose it is."""

    planning: Awaitable[Turn]
    end: Callable[[float], Awaitable[None]]
    session_id: SessionId
    title: str
    keeps: bool = True
    """Whether the session can go on, also where there is no plan yet."""


async def _turn(call: CommandContext, work: _Work, stop: StopRequest) -> tuple[Turn, TandemError | None]:
    seconds = call.arguments.timeout
    working = asyncio.ensure_future(work.planning)
    stopped = asyncio.ensure_future(stop.wait())
    await asyncio.wait({working, stopped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    try:
        if working.done():
            turn = working.result()
            return turn, turn.failure
        # What it did until now is staged, marked as unfinished.
        await work.end(_GRACE_S)
        turn = await working
    finally:
        stopped.cancel()
    go_on = call.command("run", "--session", work.session_id, "--task", "TEXT")
    if stopped.done():
        kept = "What it had done is kept, marked as unfinished." if turn.version else "It had not done anything yet."
        return turn, UserAbortError(
            f"Stopped; the agent was ended. {kept} Tandem has written no file of the workspace.",
            next=f"Let it go on with: {go_on}" if turn.version else "Run it again.",
        )
    late = SidecarTimeoutError(
        f"{work.title} had not finished after {seconds:g} seconds and was stopped.",
        next=f"Give it more time with --timeout{f', or go on: {go_on}' if work.keeps else ''}.",
        stderr=turn.failure.stderr if turn.failure else (),
    )
    return turn, late


def _awaited(call: CommandContext, work: "Future[_Ended]", stop: StopRequest) -> _Ended:
    with _stopped_by_signals(call, work, stop):
        try:
            return work.result()
        except CancelledError:
            raise UserAbortError(
                "Stopped; the agent was ended. Tandem has written no file of the workspace.", next="Run it again."
            ) from None


def _answer(call: CommandContext, ended: _Ended) -> CommandResult:
    turn, confined = ended.turn, ended.confined
    if turn.version is None:
        failure = ended.failure or _nothing_to_review(call, turn)
        said = {"said": turn.said, "warnings": list(_warnings(turn)), "confined": confined}
        data = {**call.known, **said, **_stderr(failure)}
        return CommandResult(data, _warning_lines(turn), exit_code=failure.exit_code, failure=failure)
    answer = proposed(call, turn.version)
    advice = turn.version.perspectives
    found = _qualified(call)
    if advice is not None and advice.chapo is not None:
        found = advice.chapo.qualified(found)
    data = {
        **answer.data,
        **({"perspectives": advice.model_dump(mode="json")} if advice is not None else {}),
        "tasks": [task.model_dump(mode="json") for task in turn.version.tasks],
        "phase": phase_of(call.engine.plans.meta(turn.version.plan_id).status),
        "qualification": {**found.model_dump(mode="json"), "plan_required": found.plan_required},
        "warnings": list(_warnings(turn)),
        "ignored": json_output.ignored(turn.version),
        "ran": json_output.ran(turn.version),
        "confined": confined,
        "confinement": turn.version.confinement,
        "said": turn.said,
        "incomplete": turn.version.incomplete,
        "notes": [note.model_dump(mode="json") for note in turn.version.notes],
        **_stderr(ended.failure),
    }
    include = call.command("include", turn.version.plan_id, "GLOB")
    lines = [*answer.lines, *ignored_lines(turn.version, include), *ran_lines(turn.version, whole=False)]
    lines += _warning_lines(turn)
    if advice is not None:
        lines += perspective_lines(advice)
    if ended.failure is None:
        return CommandResult(data, lines, answer.next)
    return CommandResult(data, lines, answer.next, exit_code=ended.failure.exit_code, failure=ended.failure)


def _warnings(turn: Turn) -> tuple[str, ...]:
    """Of the revision, and of a turn that left it as it was."""
    before = turn.version.warnings if turn.version is not None else ()
    return tuple(dict.fromkeys((*before, *turn.unanswered, *turn.left_out)))


def _warning_lines(turn: Turn) -> list[Line]:
    return [(Span("! ", Tone.WARNING), sentence(warning)) for warning in _warnings(turn)]


def _nothing_to_review(call: CommandContext, turn: Turn) -> SidecarError:
    if turn.left_out:
        return SidecarError(
            "The agent left nothing that can be part of a plan, and presented none.",
            next="Read the warnings, and give the task in other words.",
        )
    if turn.ignored is None:
        return SidecarError(
            "The agent ended its turn without changing anything or presenting a plan.",
            next="Read what it said, and give the task in other words.",
        )
    again = call.command("run", "--session", call.known["session_id"], "--include", "GLOB", "--task", "TEXT")
    return SidecarError(
        f"The agent changed nothing but what git ignores, and presented no plan. {turn.ignored.sentence()}",
        next=f"Read what it said. To have such files in a plan: {again}",
    )


def _stderr(failure: TandemError | None) -> dict[str, Any]:
    return {"stderr": list(failure.stderr)} if isinstance(failure, SidecarError) else {}


def chosen_profile(call: CommandContext, sessions: AgentSessions) -> AgentProfile:
    """The agent that was named, or the one of the session, or the one of the settings."""
    name, command = call.arguments.agent, call.arguments.agent_command
    if name and command is not None:
        raise UsageError("--agent and --agent-command exclude each other.", next="Give one of them.")
    if command is not None:
        return custom_profile(command)
    if name:
        return profile_named(name)
    session = getattr(call.arguments, "session", None)
    if session is not None and sessions.has_agent(SessionId(session)):
        return profile_of(sessions.facts(SessionId(session)))
    return profile_named(call.engine.settings.agent or BUILT_IN)


def _follows_up_on_a_delegated_plan(call: CommandContext, sessions: AgentSessions) -> bool:
    """Whether the settings choose the agent: the call names none, and the session has a plan and no agent."""
    given = call.arguments
    is_named = given.agent or given.agent_command is not None
    return not is_named and given.session is not None and not sessions.has_agent(SessionId(given.session))


def chosen_environment(call: CommandContext) -> dict[str, str]:
    """`--env NAME` passes a variable on, `--env NAME=VALUE` sets one; beside those of its profile nothing does."""
    found = {}
    for word in call.arguments.env:
        name, given, value = word.partition("=")
        if not name:
            raise UsageError(f"--env {word} names no variable.", next="Write --env NAME or --env NAME=VALUE.")
        if not given and name not in os.environ:
            raise UsageError(f"--env {name}: there is no such variable here.", next=f"Set it: --env {name}=VALUE")
        found[name] = value if given else os.environ[name]
    return found


def _qualified(call: CommandContext) -> Qualification:
    return qualify(_task(call), lambda name: ".." not in name and (call.workspace / name).exists())


def _task(call: CommandContext) -> str:
    task: str = call.arguments.task
    if not task.strip():
        raise UsageError("The task is empty.", next='Say what to do: --task "…"')
    return task


class AgentProgress:
    """What the agent says and does, on stderr while it goes on; a script sees only the answer."""

    def __init__(self, call: CommandContext, questions: TerminalQuestions) -> None:
        self._call = call
        self._questions = questions
        self._line = ""
        self._shown: dict[str, ToolCallStatus] = {}

    def on_event(self, event: TandemEvent) -> None:
        if isinstance(event, AgentUpdated) and isinstance(event.update, AgentSaid) and not event.update.thought:
            *lines, self._line = (self._line + event.update.text).split("\n")
            for line in lines:
                self._say(line)
        elif isinstance(event, AgentUpdated) and isinstance(event.update, ToolCallChanged):
            self._tool(event.update)
        elif isinstance(event, PermissionAnswered):
            self.finish()
            self._call.console.remark((Span("  asked: ", Tone.QUIET), f"{event.verdict.value}  ", event.reason))
        elif isinstance(event, AgentProgramChanged):
            self._call.console.remark((Span("! ", Tone.WARNING), sentence(event.text)))
        elif isinstance(event, QuestionAsked):
            self.finish()
            self._questions.ask(event.session_id, event.question)
        elif isinstance(event, QuestionAnswered):
            self._questions.withdraw(event.question_id)
            if event.action is QuestionAction.DECLINE and event.reason:
                self.finish()
                self._call.console.remark((Span("! ", Tone.WARNING), sentence(event.reason)))
        elif (remark := _perspective_progress(event)) is not None:
            self.finish()
            self._call.console.remark(remark)

    def finish(self) -> None:
        if self._line:
            self._say(self._line)
            self._line = ""

    def _tool(self, update: ToolCallChanged) -> None:
        found = update.call
        if self._shown.get(found.id) is found.status or found.status is ToolCallStatus.PENDING:
            return
        self._shown[found.id] = found.status
        self.finish()
        what = found.title or found.tool or found.kind.value
        self._call.console.remark((Span(f"  {found.status.value}: ", Tone.QUIET), what))

    def _say(self, line: str) -> None:
        self._call.console.remark((Span("| ", Tone.QUIET), line))


@contextmanager
def _stopped_by_signals(call: CommandContext, work: "Future[Any]", stop: StopRequest) -> Iterator[None]:
    """The first signal ends the turn and keeps what there is; the second, or one before the turn, ends all at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(number: int, frame: FrameType | None) -> None:
        if stop.request():
            call.console.remark("Stopping the agent; once more ends it at once.")
        elif work.cancel():
            call.console.remark("Stopping the agent.")

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wants_perspectives(call: CommandContext, qualification: Qualification) -> bool:
    """As the call says; else as the settings say, for a task that should be planned."""
    chosen: bool | None = call.arguments.perspectives
    return call.engine.settings.perspectives and qualification.plan_required if chosen is None else chosen


def _first_look(call: CommandContext, qualification: Qualification) -> Line:
    """Whether planning is advised and why, and how to have it otherwise."""
    if _wants_perspectives(call, qualification):
        otherwise = "Three advisors look at it first; --no-perspectives leaves them out."
    else:
        otherwise = "With --perspectives three advisors look at it first." if qualification.plan_required else ""
    return (Span("First look: ", Tone.QUIET), f"{qualification.summary} {otherwise}".strip())


def _advisors(call: CommandContext, profile: AgentProfile, environment: Mapping[str, str]) -> Advisors:
    """Raises UsageError, BadInputError: --voice names an unknown role or agent."""
    advisors = Advisors({**call.engine.settings.advisors, **_voices(call)}, profile, environment=environment)
    for voice in Role:
        advisors.of(voice.value)  # an unknown agent is refused before the first is asked
    return advisors


def _open_perspectives(
    call: CommandContext, sessions: AgentSessions, advisors: Advisors
) -> tuple[SessionId, SessionSlot, PerspectivePlanning]:
    chosen = call.arguments.session
    if chosen is not None:
        sessions.facts(SessionId(chosen))
    session_id = SessionId(chosen) if chosen is not None else new_session_id()
    slot = sessions.slot(session_id)
    return session_id, slot, PerspectivePlanning(call.engine, sessions.advisor(advisors), advisors, slot.take)


def _perspective_progress(event: TandemEvent) -> Line | None:
    """The line on stderr while the advisors are asked."""
    match event:
        case PerspectiveStarted():
            return (Span(f"  {event.agent.value.upper()}", Tone.STRONG), " looks at it")
        case PerspectiveMoved():
            return (Span(f"  {event.agent.value.upper()}: ", Tone.QUIET), event.doing)
        case PerspectiveCompleted():
            return (Span(f"  {event.agent.value.upper()}: ", Tone.STRONG), event.perspective.analysis)
        case PerspectiveFailed():
            return (Span(f"  {event.agent.value.upper()} gave no answer: ", Tone.WARNING), event.reason)
        case SynthesisStarted():
            return "  Putting it together"
        case SynthesisEnded(problem=""):
            return f"  {len(event.tasks)} tasks: {'; '.join(event.tasks)}"
        case SynthesisEnded():
            return (Span("  No tasks: ", Tone.WARNING), event.problem)
        case TaskDelegated():
            return (Span(f"  {event.task_id} ", Tone.STRONG), f"{event.subject} ({event.agent.upper()})")
    return None


def _voices(call: CommandContext) -> dict[str, AdvisorChoice]:
    found = {}
    for word in call.arguments.voice:
        role, given, choice = word.partition("=")
        if role not in {voice.value for voice in Role} or not given:
            names = ", ".join(voice.value for voice in Role)
            raise UsageError(f"--voice {word} names none of {names}.", next="Write --voice koda=AGENT[:MODEL].")
        agent, _, model = choice.partition(":")
        found[role] = AdvisorChoice(agent=agent, model=model)
    return found
