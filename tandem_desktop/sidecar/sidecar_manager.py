"""One agent, kept healthy: started, greeted, talked to, cancelled, started again, and ended without leftovers."""

import asyncio
import contextlib
import importlib
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import ValidationError

from tandem_desktop.domain.agent_ports import AgentClient
from tandem_desktop.domain.agents import AgentFacts, AgentProfile, AgentSession, Picture, PlanningServer, StopReason
from tandem_desktop.domain.errors import (
    SidecarError,
    SidecarExitedError,
    SidecarProtocolError,
    SidecarTimeoutError,
)
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.policy.plan_agent import chosen_agent
from tandem_desktop.processes.launch import Launch
from tandem_desktop.sidecar import failures
from tandem_desktop.sidecar.connection import OnFrame, RefusedError
from tandem_desktop.sidecar.conversation import Conversation
from tandem_desktop.sidecar.limits import SidecarLimits
from tandem_desktop.sidecar.link import AgentProcess, Link
from tandem_desktop.sidecar.process import SidecarProcess
from tandem_desktop.sidecar.tool_calls import ToolCalls
from tandem_desktop.sidecar.translate import Modes, facts, model_of, modes
from tandem_desktop.sidecar.workspace_paths import WorkspacePaths

StartProcess = Callable[[Launch, SidecarLimits], Awaitable[AgentProcess]]
_Result = TypeVar("_Result")


class SidecarManager:
    """Speaks to one agent process for any number of sessions. Every failure is a `SidecarError` with its last words."""

    def __init__(
        self,
        profile: AgentProfile,
        launch: Launch,
        client: AgentClient,
        *,
        workspace: str,
        limits: SidecarLimits | None = None,
        on_frame: OnFrame | None = None,
        start_process: StartProcess = SidecarProcess.start,
    ) -> None:
        """`workspace` is the absolute path the agent sees; `on_frame` is given every message as it crossed the wire."""
        self._profile = profile
        self._launch = launch
        self._client = client
        self._paths = WorkspacePaths(workspace)
        self._limits = limits or SidecarLimits()
        self._on_frame = on_frame
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
        """What the agent said about itself when it was last greeted."""
        return self._facts

    @property
    def stderr(self) -> tuple[str, ...]:
        """The agent's last words on its error output."""
        return self._link.process.stderr if self._link else ()

    async def start(self) -> AgentFacts:
        """Start the process and greet it; an agent that runs already is left alone."""
        async with self._lifecycle:
            if not self.is_running:
                await self._end()
                await self._begin()
            return self._facts

    async def restart(self) -> AgentFacts:
        """Start anew, after a crash or on demand. Its sessions are gone."""
        async with self._lifecycle:
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

    async def new_session(self, servers: tuple[PlanningServer, ...] = (), *, plan_mode: bool = False) -> AgentSession:
        """Open a conversation, in the mode in which the agent asks before it acts."""
        link = self._running()
        offered = servers if self._profile.planning_tools else ()
        opening = self._open(link, offered, plan_mode)
        return await self._within(link, opening, self._limits.session_timeout_s, "open a session")

    async def prompt(self, session_id: SessionId, text: str, pictures: tuple[Picture, ...] = ()) -> StopReason:
        """Say something and wait for the end of the turn; what the agent says meanwhile goes to the client."""
        link = self._running()
        conversation = self._conversation(link, session_id)
        if conversation.turn is not None:
            raise SidecarError(
                f"{self._profile.title} is still busy with the last message of this session.",
                next="Wait for the end of the turn, or cancel it.",
            )
        conversation.begin_turn()
        try:
            await self._tools_ready(conversation)
            return failures.stop_reason(await link.wire_call(link.wire.prompt(session_id, text, pictures)))
        except asyncio.CancelledError:
            conversation.cancelled = True
            conversation.settle()
            await link.send_cancel(session_id)
            raise
        except RefusedError as refusal:
            # Some agents answer a cancelled turn with an error.
            if conversation.cancelled:
                return StopReason.CANCELLED
            raise link.error(failures.of_refusal(self._profile, self._facts, refusal, "go on")) from refusal
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
        # A second of loading, so not on the loop.
        protocol = await asyncio.to_thread(importlib.import_module, "tandem_desktop.sidecar.protocol")
        process = await self._start_process(self._launch, self._limits)
        link = Link.open(protocol, self._profile, process, self._client, self._paths, self._limits, self._on_frame)
        self._link = link
        if self._is_unwanted:
            link.abandon()
        try:
            self._facts = await self._within(link, self._greet(link), self._profile.start_timeout_s, "start")
        except SidecarExitedError as error:
            await self._end()
            raise failures.of_failed_start(self._profile, process.exit_code, error) from error
        except BaseException:
            await self._end()
            raise

    async def _greet(self, link: Link) -> AgentFacts:
        result = await self._call(link, link.wire.initialize(), "be greeted")
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
                raise link.error(failures.login_needed(self._profile, greeted, refusal)) from refusal
        return greeted

    async def _open(self, link: Link, servers: tuple[PlanningServer, ...], plan_mode: bool) -> AgentSession:
        result = await self._call(link, link.wire.new_session(self._paths.workspace, servers), "open a session")
        response = self._read(link, link.protocol.NewSessionResponse, result)
        session_id = SessionId(response.session_id)
        if session_id in link.requests.conversations:
            raise link.error(SidecarProtocolError(f"{self._profile.title} gave two sessions the name {session_id}."))
        offered = modes(response)
        calls = ToolCalls(self._paths, self._limits, tuple(server.name for server in servers))
        conversation = Conversation(session_id, calls, mode=offered.current)
        if servers:
            conversation.ready_at = asyncio.get_running_loop().time() + self._profile.planning_tools_delay_s
        link.requests.opened(conversation)
        try:
            await self._ask_first(link, conversation, offered, plan_mode)
        except BaseException:
            del link.requests.conversations[session_id]
            raise
        # After whoever opened it has learned its name.
        asyncio.get_running_loop().call_soon(link.requests.release, conversation)
        model = model_of(response, result) or self._profile.model_in(self._launch.environment)
        return AgentSession(id=session_id, modes=offered.available, mode=conversation.mode, model=model)

    async def _ask_first(self, link: Link, conversation: Conversation, offered: Modes, plan_mode: bool) -> None:
        """Set the mode in which the agent asks before it acts, even if it says it is in it.

        An agent whose profile names none plans in its own `plan`, where it has one; its shadow holds it either way.
        """
        wanted = chosen_agent(self._profile.asking_mode, plan_mode=plan_mode)
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

    def _read(self, link: Link, model: Any, result: Any) -> Any:
        try:
            return model.model_validate(result)
        except ValidationError as problem:
            raise link.error(
                SidecarProtocolError(
                    f"{self._profile.title} gave an answer that cannot be read: {failures.first_problem(problem)}",
                    next="Install another version of the agent.",
                )
            ) from problem

    async def _call(self, link: Link, call: Awaitable[_Result], what: str) -> _Result:
        try:
            return await link.wire_call(call)
        except RefusedError as refusal:
            raise link.error(failures.of_refusal(self._profile, self._facts, refusal, what)) from refusal

    async def _within(self, link: Link, work: Awaitable[_Result], seconds: float, what: str) -> _Result:
        try:
            async with asyncio.timeout(seconds) as limit:
                return await work
        except TimeoutError:
            if not limit.expired():
                raise
            error = SidecarTimeoutError(
                f"{self._profile.title} did not {what} within {seconds:g} seconds.",
                next=self._profile.needs or failures.LOOK_AT_STDERR,
            )
            raise await link.give_up(error) from None

    async def _tools_ready(self, conversation: Conversation) -> None:
        """Some agents connect to the planning tools only after they have opened the session."""
        left = conversation.ready_at - asyncio.get_running_loop().time()
        if left > 0:
            await asyncio.sleep(left)

    def _running(self) -> Link:
        link = self._link
        if link is None:
            raise SidecarExitedError(f"{self._profile.title} is not running.", next="Start the agent.")
        if not link.is_alive:
            raise link.gone()
        return link

    def _conversation(self, link: Link, session_id: SessionId) -> Conversation:
        conversation = link.requests.conversations.get(session_id)
        if conversation is None:
            raise SidecarError(
                f"{self._profile.title} has no session called {session_id}.", next="Open a new session with it."
            )
        return conversation

    async def _end(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            # Ending is not to be left half done, even when whoever asked for it no longer waits.
            ending = asyncio.ensure_future(link.close())
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:
                with contextlib.suppress(asyncio.CancelledError):
                    await ending
                raise
