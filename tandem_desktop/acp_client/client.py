"""Starts an agent process and sends requests to it."""

import asyncio
import contextlib
import importlib
import logging
import signal
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any, Protocol, TypeVar

from pydantic_core import ValidationError

from tandem_desktop.acp_client.connection import AUTH_REQUIRED, LineTransport, OnFrame, RefusedError, SidecarLimits
from tandem_desktop.acp_client.process import SidecarProcess
from tandem_desktop.acp_client.profiles import keys
from tandem_desktop.acp_client.requests import (
    OLD_MODELS,
    ON,
    AcpSession,
    AgentModes,
    AgentRequests,
    facts,
    model_of,
    modes,
    options_of,
)
from tandem_desktop.acp_client.tool_calls import ToolCalls, WorkspacePaths
from tandem_desktop.domain.agent_protocol import (
    MODEL_FAILED,
    NO_MODEL,
    AgentFacts,
    AgentOption,
    AgentProfile,
    AgentSession,
    Attachment,
    PlanningServer,
    StopReason,
)
from tandem_desktop.domain.errors import (
    LoginNeededError,
    ModelError,
    NoModelError,
    SidecarError,
    SidecarExitedError,
    SidecarLaunchError,
    SidecarProtocolError,
    SidecarTimeoutError,
)
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.ports import AgentClient
from tandem_desktop.policy.prompts import chosen_agent
from tandem_desktop.processes.child import Launch
from tandem_desktop.shadow.sandbox import REFUSED, SAYS, UNSEEN

LOOK_AT_STDERR = "Look at its output; try its command in a terminal."
_MOST_WORDS = 500
_KILLED = 128
"""A shell, or a sandbox, adds the signal to this."""
_log = logging.getLogger(__name__)
_TOLD_IN = ("details", "message", "reason")
"""Where agents put the sentence that explains an error."""
_NOT_LET = {
    REFUSED: "Start the agent again; what is missing is told by: tandem doctor",
    UNSEEN: "Install the agent, and what runs it, where nothing is hidden from it (docs/security.md, Hidden), "
    "then start it again.",
}


def of_refusal(profile: AgentProfile, facts: AgentFacts, refusal: RefusedError, what: str) -> SidecarError:
    if refusal.code == AUTH_REQUIRED:
        return login_needed(profile, facts, refusal)
    if refusal.code in (NO_MODEL, MODEL_FAILED):
        kind = NoModelError if refusal.code == NO_MODEL else ModelError
        return kind(
            str(refusal.message), next=str(refusal.data.get("next", "")) if isinstance(refusal.data, dict) else ""
        )
    return SidecarError(f"{profile.title} could not {what}: {_words(refusal)}", next=LOOK_AT_STDERR)


def login_needed(profile: AgentProfile, facts: AgentFacts, refusal: RefusedError) -> LoginNeededError:
    ways = f" It offers: {', '.join(facts.login_methods)}." if facts.login_methods else ""
    return LoginNeededError(
        f"{profile.title} wants a login first: {_words(refusal)}{ways}",
        next=profile.needs or f"Log in with {profile.command[0]} in a terminal, then start the agent again.",
    )


def of_failed_start(profile: AgentProfile, code: int | None, error: SidecarExitedError) -> SidecarLaunchError:
    """It ended before the handshake; the stderr of the sandbox tells why it did not start."""
    said = error.stderr[-1] if error.stderr else ""
    if code in _NOT_LET and said.startswith(SAYS):
        message, then = f"{profile.title} was not started: {said.removeprefix(SAYS)}", _NOT_LET[code]
    else:
        message = error.message
        then = LOOK_AT_STDERR if code is not None and _signal_of(code) else profile.needs or LOOK_AT_STDERR
    return SidecarLaunchError(message, next=then, stderr=error.stderr)


def of_exit(profile: AgentProfile, code: int | None) -> SidecarExitedError:
    if code is None:
        how = "closed its output"
    elif number := _signal_of(code):
        how = f"was killed (signal {number}, {_signal_name(number)})"
    else:
        how = f"ended with exit code {code}"
    _log.warning("agent ended: %s %s", profile.name, how)
    return SidecarExitedError(f"{profile.title} {how}.", next="What it had staged is kept.")


def _signal_of(code: int) -> int:
    """The signal that ended a process; 0 where it ended by itself."""
    return -code if code < 0 else max(0, code - _KILLED)


def of_closed_input(profile: AgentProfile) -> SidecarExitedError:
    return SidecarExitedError(f"{profile.title} no longer reads what it is sent.", next="Start the agent again.")


def stop_reason(result: Any) -> StopReason:
    """Why the turn ended; an unknown reason counts as an ordinary end.

    Raises:
        SidecarProtocolError: the answer is no answer to a message.
    """
    reason = result.get("stopReason") if isinstance(result, dict) else None
    if not isinstance(reason, str):
        raise SidecarProtocolError(
            "The agent ended its turn without saying why.", next="Install another version of the agent."
        )
    return StopReason(reason) if reason in frozenset(StopReason) else StopReason.END_TURN


def first_problem(problem: ValidationError) -> str:
    first = problem.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


def _words(refusal: RefusedError) -> str:
    """The agent's own reason: its message, and the details it put beside it."""
    words = str(refusal.message)
    data = refusal.data
    if isinstance(data, dict):
        data = {name: value for name, value in data.items() if name != "authMethods"}  # named as its ways to log in
    if details := _plainly(data):
        words = f"{words.removesuffix('.')} ({details})"
    words = words[:_MOST_WORDS]
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _plainly(data: Any) -> str:
    """What stands beside an error, for a person: its own sentence, or its parts without brackets and quotes."""
    if isinstance(data, dict):
        sentence = next((data[name] for name in _TOLD_IN if isinstance(data.get(name), str)), "")
        return sentence or ", ".join(f"{name}: {said}" for name, value in data.items() if (said := _plainly(value)))
    if isinstance(data, list):
        return ", ".join(filter(None, map(_plainly, data)))
    return "" if data is None else str(data).strip()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


_LAST_MESSAGES_S = 1.0
"""How long the other sign of an end is waited for: the exit after the last byte, or the last byte after the exit."""
_STEPS = 8
_Result = TypeVar("_Result")


class AgentProcess(Protocol):
    """A process as far as talking to it needs."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""

    @property
    def stderr(self) -> tuple[str, ...]:
        """The end of its stderr."""

    async def wait(self) -> None:
        """Until it has ended."""

    async def drain_stderr(self, seconds: float = 0.5) -> None:
        """Wait a moment for the rest of its stderr."""

    async def end(self) -> None:
        """End it and every descendant."""


class Link:
    """The connection to a running agent. When the agent ends, every open call fails with the reason."""

    def __init__(
        self,
        protocol: ModuleType,
        profile: AgentProfile,
        process: AgentProcess,
        transport: LineTransport,
        requests: AgentRequests,
    ) -> None:
        self.protocol = protocol
        self.process = process
        self.wire: Any = None
        self.requests = requests
        self._profile = profile
        self._transport = transport
        self._stopping = False
        self._over: asyncio.Task[None]

    @classmethod
    def open(
        cls,
        protocol: ModuleType,
        profile: AgentProfile,
        process: AgentProcess,
        client: AgentClient,
        paths: WorkspacePaths,
        limits: SidecarLimits,
        on_frame: OnFrame | None,
    ) -> "Link":
        """Listen to a process that was just started."""
        requests = AgentRequests(client, paths, read_update=protocol.read_update)
        transport = LineTransport(
            process.stdout,
            process.stdin,
            limits,
            answer=requests.answer,
            notice=requests.notice,
            settle=requests.pass_words_on,
            on_frame=on_frame,
        )
        link = cls(protocol, profile, process, transport, requests)
        link.wire = protocol.Wire(transport)
        link._over = asyncio.create_task(link._watch(), name="sidecar-watch")
        return link

    @property
    def is_alive(self) -> bool:
        return not self._stopping and self._transport.failure is None and not self._over.done()

    async def wire_call(self, call: Awaitable[_Result]) -> _Result:
        """The agent's answer.

        Raises:
            RefusedError: it answered with an error.
            SidecarError: it is gone.
        """
        try:
            return await call
        except ConnectionError:
            await self._see_it_end()
            raise self.gone() from None

    async def send_cancel(self, session_id: str) -> None:
        """Tell the agent to end a turn; one that is gone has ended it."""
        with contextlib.suppress(ConnectionError):
            await self.wire.cancel(session_id)

    async def settled(self, conversation: AcpSession) -> None:
        """Let the tasks of requests that were just settled give their answers, which takes them one step each."""
        for _ in range(_STEPS):
            if not conversation.open:
                break
            await asyncio.sleep(0)

    async def give_up(self, error: SidecarError) -> SidecarError:
        """End the agent; returns the reason with the end of its stderr."""
        self._transport.fail(error)
        await asyncio.wait({self._over})
        return self.gone()

    def abandon(self) -> None:
        """Fail every open call; the caller of the first cleans up."""
        self._transport.fail(SidecarExitedError(f"{self._profile.title} was stopped.", next="Start the agent again."))

    def gone(self) -> SidecarError:
        """Why the agent is gone."""
        failure = self._transport.failure
        if failure is None:
            failure = SidecarExitedError(f"{self._profile.title} was stopped.", next="Start the agent again.")
        return self.error(failure)

    def error(self, error: SidecarError) -> SidecarError:
        """A copy of the error with the end of the agent's stderr."""
        return type(error)(error.message, next=error.next, stderr=self.process.stderr)

    async def close(self) -> None:
        """Answer what is open, then end everything."""
        self._stopping = True
        self.requests.settle_all()
        for conversation in self.requests.conversations.values():
            await self.settled(conversation)
        await self._transport.close()
        await asyncio.wait({self._over})

    async def _see_it_end(self) -> None:
        """An agent that cannot be written to has ended, or is of no more use."""
        try:
            await asyncio.wait_for(self._transport.ended.wait(), _LAST_MESSAGES_S)
        except TimeoutError:
            self._transport.fail(of_closed_input(self._profile))
        await asyncio.wait({self._over})

    async def _watch(self) -> None:
        exited = asyncio.create_task(self.process.wait())
        silent = asyncio.create_task(self._transport.ended.wait())
        try:
            await asyncio.wait({exited, silent}, return_when=asyncio.FIRST_COMPLETED)
            if self._transport.failure is None and not self._stopping:
                await asyncio.wait({exited, silent}, timeout=_LAST_MESSAGES_S)
                await self.process.drain_stderr()
                self._transport.fail(of_exit(self._profile, self.process.exit_code))
            self.requests.settle_all()
            await self.process.end()
        finally:
            for task in (exited, silent):
                task.cancel()
            await self._transport.close()
            await self.wire.close()


StartProcess = Callable[[Launch, SidecarLimits], Awaitable[AgentProcess]]


class SidecarManager:
    """The client of one agent process, for any number of sessions.

    Every failure is a `SidecarError` with the end of the agent's stderr.
    """

    def __init__(
        self,
        profile: AgentProfile,
        launch: Launch,
        client: AgentClient,
        *,
        workspace: str,
        limits: SidecarLimits | None = None,
        on_frame: OnFrame | None = None,
        may_ask: bool = True,
        runs_freely: bool = False,
        start_process: StartProcess = SidecarProcess.start,
    ) -> None:
        """`workspace` is the absolute path the agent sees; `on_frame` is given every message as it crossed the wire.

        `may_ask` says whether the agent is offered to ask the person questions, `runs_freely` whether it is confined
        and may run commands without asking in Plan mode.
        """
        self._profile = profile
        self._launch = launch
        self._client = client
        self._paths = WorkspacePaths(workspace)
        self._limits = limits or SidecarLimits()
        self._on_frame = on_frame
        self._may_ask = may_ask
        self._runs_freely = runs_freely
        self._start_process = start_process
        self._link: Link | None = None
        self._facts = AgentFacts()
        self._lifecycle = asyncio.Lock()
        self._is_unwanted = False
        """Stopped while it was being started, perhaps before there was anything to stop."""

    @property
    def is_running(self) -> bool:
        return self._link is not None and self._link.is_alive

    @property
    def facts(self) -> AgentFacts:
        """What the agent told about itself in the last handshake."""
        return self._facts

    @property
    def stderr(self) -> tuple[str, ...]:
        """The end of the agent's stderr."""
        return self._link.process.stderr if self._link else ()

    async def start(self) -> AgentFacts:
        """Start and initialize the agent, unless it is running."""
        async with self._lifecycle:
            if not self.is_running:
                await self._end()
                await self._begin()
            return self._facts

    async def stop(self) -> None:
        """Answer what is open and end the whole process tree; a start that is under way fails."""
        if self._lifecycle.locked():
            self._is_unwanted = True
            if self._link is not None:
                self._link.abandon()
        async with self._lifecycle:
            self._is_unwanted = False
            await self._end()

    async def new_session(
        self, servers: tuple[PlanningServer, ...] = (), *, plan_mode: bool = False, resume: SessionId | None = None
    ) -> AgentSession:
        """Open a conversation, in the mode in which the agent asks before it acts.

        With `resume`, that earlier conversation goes on where the agent can do so; otherwise a new one begins.
        """
        link = self._running()
        offered = servers if self._profile.planning_tools else ()
        if resume is not None and (self._facts.can_resume or self._facts.can_load):
            try:
                opening = self._open_again(link, resume, offered, plan_mode)
                return await self._within(link, opening, self._limits.session_timeout_s, "open the session again")
            except RefusedError as refusal:
                _log.info("%s could not open session %s again: %s", self._profile.name, resume, refusal)
        opening = self._open(link, offered, plan_mode)
        return await self._within(link, opening, self._limits.session_timeout_s, "open a session")

    async def prompt(self, session_id: SessionId, text: str, attachments: tuple[Attachment, ...] = ()) -> StopReason:
        """Send a prompt and wait for the end of the turn; updates go to the client."""
        link = self._running()
        conversation = self._conversation(link, session_id)
        if conversation.turn is not None:
            raise SidecarError(
                f"{self._profile.title} is still busy with the last message of this session.",
                next="Wait for the end of the turn, or cancel it.",
            )
        conversation.begin_turn()
        try:
            return stop_reason(await link.wire_call(link.wire.prompt(session_id, text, attachments)))
        except asyncio.CancelledError:
            conversation.cancelled = True
            conversation.settle()
            await link.send_cancel(session_id)
            raise
        except RefusedError as refusal:
            # Some agents answer a cancelled turn with an error.
            if conversation.cancelled:
                return StopReason.CANCELLED
            raise link.error(of_refusal(self._profile, self._facts, refusal, "go on")) from refusal
        finally:
            conversation.end_turn()
            await link.settled(conversation)

    async def cancel(self, session_id: SessionId) -> None:
        """End the turn; every open request of the session is answered as cancelled.

        Raises:
            SidecarTimeoutError: the turn went on, so the agent was ended.
        """
        link = self._running()
        conversation = self._conversation(link, session_id)
        turn = conversation.turn
        if turn is None:
            return
        conversation.cancelled = True
        conversation.settle()
        await link.send_cancel(session_id)
        try:
            await asyncio.wait_for(turn.wait(), self._limits.cancel_grace_s)
        except TimeoutError:
            error = SidecarTimeoutError(
                f"{self._profile.title} went on for {self._limits.cancel_grace_s:g} seconds after it was told to stop, "
                "so it was ended.",
                next="Start the agent again; what it did so far is in its shadow.",
            )
            raise await link.give_up(error) from None

    async def _begin(self) -> None:
        _log.info("agent starting: %s", self._profile.name)
        # A second of loading, so not on the loop.
        protocol = await asyncio.to_thread(_load_protocol)
        process = await self._start_process(self._launch, self._limits)
        link = Link.open(protocol, self._profile, process, self._client, self._paths, self._limits, self._on_frame)
        self._link = link
        if self._is_unwanted:
            link.abandon()
        try:
            self._facts = await self._within(link, self._greet(link), self._profile.start_timeout_s, "start")
        except SidecarExitedError as error:
            await self._end()
            raise of_failed_start(self._profile, process.exit_code, error) from error
        except BaseException:
            await self._end()
            raise
        _log.info("agent ready: %s, version %s", self._profile.name, self._facts.version or "unknown")

    async def _greet(self, link: Link) -> AgentFacts:
        greeting = link.wire.initialize(works_through_client=self._profile.works_through_client, may_ask=self._may_ask)
        result = await self._call(link, greeting, "be greeted")
        spoken = result.get("protocolVersion") if isinstance(result, dict) else None
        ours = link.protocol.PROTOCOL_VERSION
        if spoken != ours:
            raise link.error(
                SidecarProtocolError(
                    f"{self._profile.title} speaks version {spoken} of the Agent Client Protocol, "
                    f"Tandem speaks version {ours}.",
                    next="Install a version of the agent, or of Tandem, that speaks the same.",
                )
            )
        greeted = facts(self._read(link, link.protocol.InitializeResponse, result))
        method = self._profile.login_method
        if method and any(offered.startswith(f"{method}: ") for offered in greeted.login_methods):
            try:
                await link.wire_call(link.wire.authenticate(method))
            except RefusedError as refusal:
                raise link.error(login_needed(self._profile, greeted, refusal)) from refusal
        return greeted

    async def _open(self, link: Link, servers: tuple[PlanningServer, ...], plan_mode: bool) -> AgentSession:
        try:
            result = await link.wire_call(link.wire.new_session(self._paths.workspace, servers))
        except RefusedError as refusal:
            if refusal.code != AUTH_REQUIRED or not self._has_key_for(self._profile.key_login):
                raise link.error(of_refusal(self._profile, self._facts, refusal, "open a session")) from refusal
            await self._call(link, link.wire.authenticate(self._profile.key_login), "log in with its key")
            result = await self._call(link, link.wire.new_session(self._paths.workspace, servers), "open a session")
        response = self._read(link, link.protocol.NewSessionResponse, result)
        return await self._opened(link, SessionId(response.session_id), response, result, servers, plan_mode)

    async def _open_again(
        self, link: Link, session_id: SessionId, servers: tuple[PlanningServer, ...], plan_mode: bool
    ) -> AgentSession:
        """Go on with an earlier conversation; what the agent repeats of it is not passed on.

        Some agents offer both ways and have only one (Qwen 0.15 has no `session/resume`).

        Raises:
            RefusedError: the agent does not have it any more.
        """
        where = (session_id, self._paths.workspace, servers)
        with link.requests.ignoring_updates(session_id):
            try:
                call = link.wire.resume_session if self._facts.can_resume else link.wire.load_session
                result = await link.wire_call(call(*where))
            except RefusedError:
                if not (self._facts.can_resume and self._facts.can_load):
                    raise
                result = await link.wire_call(link.wire.load_session(*where))
        response = self._read(link, link.protocol.LoadSessionResponse, result or {})
        opened = await self._opened(link, session_id, response, result, servers, plan_mode)
        return opened.model_copy(update={"resumed": True})

    async def _opened(
        self,
        link: Link,
        session_id: SessionId,
        response: Any,
        result: Any,
        servers: tuple[PlanningServer, ...],
        plan_mode: bool,
    ) -> AgentSession:
        if session_id in link.requests.conversations:
            raise link.error(SidecarProtocolError(f"{self._profile.title} gave two sessions the name {session_id}."))
        offered = modes(response)
        names, by_title = tuple(server.name for server in servers), self._profile.titles_name_tools
        calls = ToolCalls(self._paths, self._limits, names, titles_name_tools=by_title)
        conversation = AcpSession(session_id, calls, mode=offered.current)
        link.requests.opened(conversation)
        try:
            await self._ask_first(link, conversation, offered, plan_mode)
        except BaseException:
            del link.requests.conversations[session_id]
            raise
        # After `new_session` has returned its id.
        asyncio.get_running_loop().call_soon(link.requests.release, conversation)
        model = model_of(response, result) or self._profile.model_in(self._launch.environment)
        options = options_of(response.config_options, result)
        return AgentSession(
            id=session_id, modes=offered.available, mode=conversation.mode, model=model, options=options
        )

    async def log_in(self, method: str) -> None:
        """Log the agent in by one of the ways it offers; it may open a page, or ask.

        Raises:
            SidecarError: it refuses, or is gone.
        """
        await self.start()
        link = self._running()
        call = self._call(link, link.wire.authenticate(method), "log in")
        await self._within(link, call, self._limits.login_timeout_s, "log in")

    async def choose(self, session_id: SessionId, option: AgentOption, value: str) -> tuple[AgentOption, ...]:
        """Set an option of a session, such as its model; all its options then, as far as the agent tells them.

        Raises:
            SidecarError: the agent refuses, or is gone.
        """
        link = self._running()
        if option.id == OLD_MODELS:
            setting = link.wire.set_model(session_id, value)
        elif option.is_switch:
            setting = link.wire.set_switch(session_id, option.id, value == ON)
        else:
            setting = link.wire.set_option(session_id, option.id, value)
        what = f"use {value}"
        result = await self._within(link, self._call(link, setting, what), self._limits.session_timeout_s, what)
        if not isinstance(result, dict) or "configOptions" not in result:
            return ()
        return options_of(self._read(link, link.protocol.SetSessionConfigOptionResponse, result).config_options)

    async def _ask_first(self, link: Link, conversation: AcpSession, offered: AgentModes, plan_mode: bool) -> None:
        """Set the mode in which the agent asks before it acts, even if it says it is in it; in Plan mode its free one.

        The free mode is for an agent whose own sandbox, inside ours, refuses what Tandem allows and lists nothing.
        An agent whose profile names none is left in the mode it chooses: its shadow holds it. Its own plan mode would
        keep it from making the changes that become the plan.
        """
        knows_plan = self._profile.plan_agent_file is not None
        named = (plan_mode and self._runs_freely and self._profile.free_mode) or self._profile.asking_mode
        wanted = chosen_agent(named, plan_mode=plan_mode and knows_plan)
        if wanted is None or (self._profile.asking_mode is None and wanted not in offered.available):
            return
        if wanted not in offered.available:
            raise link.error(
                SidecarProtocolError(
                    f"{self._profile.title} has no mode called {wanted}, in which it would ask before it acts; "
                    f"it offers {', '.join(offered.available) or 'none'}.",
                    next="Choose another version of the agent, or another mode in its profile.",
                )
            )
        setting = (
            link.wire.set_mode(conversation.id, wanted)
            if offered.option is None
            else link.wire.set_option(conversation.id, offered.option, wanted)
        )
        await self._call(link, setting, f"go into the mode {wanted}")
        conversation.mode = wanted

    def _has_key_for(self, method: str | None) -> bool:
        offered = any(each.startswith(f"{method}: ") for each in self._facts.login_methods)
        return offered and any(self._launch.environment.get(name) for name in keys(self._profile))

    def _read(self, link: Link, model: Any, result: Any) -> Any:
        try:
            return model.model_validate(result)
        except ValidationError as problem:
            raise link.error(
                SidecarProtocolError(
                    f"{self._profile.title} gave an answer that cannot be read: {first_problem(problem)}",
                    next="Install another version of the agent.",
                )
            ) from problem

    async def _call(self, link: Link, call: Awaitable[_Result], what: str) -> _Result:
        try:
            return await link.wire_call(call)
        except RefusedError as refusal:
            raise link.error(of_refusal(self._profile, self._facts, refusal, what)) from refusal

    async def _within(self, link: Link, work: Awaitable[_Result], seconds: float, what: str) -> _Result:
        try:
            async with asyncio.timeout(seconds) as limit:
                return await work
        except TimeoutError:
            if not limit.expired():
                raise
            error = SidecarTimeoutError(
                f"{self._profile.title} did not {what} within {seconds:g} seconds.",
                next=self._profile.needs or LOOK_AT_STDERR,
            )
            raise await link.give_up(error) from None

    def _running(self) -> Link:
        link = self._link
        if link is None:
            raise SidecarExitedError(f"{self._profile.title} is not running.", next="Start the agent.")
        if not link.is_alive:
            raise link.gone()
        return link

    def _conversation(self, link: Link, session_id: SessionId) -> AcpSession:
        conversation = link.requests.conversations.get(session_id)
        if conversation is None:
            raise SidecarError(
                f"{self._profile.title} has no session called {session_id}.", next="Open a new session with it."
            )
        return conversation

    async def _end(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            # Finish the shutdown even if the caller was cancelled.
            ending = asyncio.ensure_future(link.close())
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:
                with contextlib.suppress(asyncio.CancelledError):
                    await ending
                raise


def _load_protocol() -> ModuleType:
    """Import the protocol. CPython 3.11 may fail when two threads parse source at once (gh-106905); once more works."""
    try:
        return importlib.import_module("tandem_desktop.acp_client.protocol")
    except SystemError:
        return importlib.import_module("tandem_desktop.acp_client.protocol")
