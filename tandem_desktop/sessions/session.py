"""One planning session with one agent, turn by turn."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tandem_desktop.acp_client.profiles import BUILT_IN
from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.agent_protocol import (
    AgentFacts,
    AgentOption,
    AgentProfile,
    AgentSaid,
    AgentUpdate,
    Attachment,
    CommandsOffered,
    OptionsOffered,
    PlanningServer,
    SessionNamed,
    StopReason,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    ToolKind,
    UsageReported,
    agent_and_model,
)
from tandem_desktop.domain.errors import BadInputError, SidecarError, TandemError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import AgentProgramChanged, AgentUpdated, TandemEvent, TurnEnded, TurnStarted
from tandem_desktop.domain.ids import PlanId, SessionId, ToolCallId, new_message_id
from tandem_desktop.domain.operations import ExternalCall, StagedOperation
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.plan_states import RUNNING
from tandem_desktop.domain.ports import AgentPort
from tandem_desktop.domain.state_machine import PlanStateMachine
from tandem_desktop.planning_tools.person_servers import PersonTools
from tandem_desktop.planning_tools.tools import ToolAnswer
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.policy import messages
from tandem_desktop.processes.threads import done_in_thread
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.sessions.agent_program import AgentProgram
from tandem_desktop.sessions.client import SessionClient
from tandem_desktop.sessions.conversations import said_in
from tandem_desktop.sessions.drafting import Drafting, Presented
from tandem_desktop.sessions.immediate import ImmediateMode
from tandem_desktop.sessions.interceptor import PermissionInterceptor
from tandem_desktop.sessions.network import AgentNetwork
from tandem_desktop.sessions.notices import AgentNotices
from tandem_desktop.sessions.record import SessionRecord, TranscriptLog
from tandem_desktop.sessions.staging import LiveStaging, SessionStaging
from tandem_desktop.sessions.turn import (
    CallMade,
    Interruption,
    Turn,
    TurnPhase,
    TurnState,
    problem_of,
    queued_in,
    stderr_tail,
)
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.staging.requests import Handling, QueuedCommand
from tandem_desktop.staging.staging_store import StagingChange

_log = logging.getLogger(__name__)
MOST_FOLLOW_UPS = 20
MOST_TITLE = 200
THROUGH_CLIENT = ToolCallId("through client")
_ENDED = (ToolCallStatus.COMPLETED, ToolCallStatus.FAILED)


@dataclass(slots=True)
class AgentConversation:
    """What is known of the agent and of the conversation that is open with it."""

    id: SessionId | None = None
    """As the agent calls it."""
    facts: AgentFacts = field(default_factory=AgentFacts)
    model: str = ""
    is_opened: bool = False
    """Whether the agent has had its first message."""
    started_planning: bool = False
    """Whether Plan mode was on when the conversation was opened."""


class PlanningSession:
    """Lives on the engine's loop. Files and plans are worked on in threads, so that no other session waits."""

    def __init__(
        self,
        session_id: SessionId,
        *,
        profile: AgentProfile,
        agent: AgentPort,
        shadow: ShadowWorkspace,
        network: AgentNetwork,
        staging: SessionStaging,
        live: LiveStaging,
        client: SessionClient,
        interceptor: PermissionInterceptor,
        plans: PlanStore,
        proposals: Proposals,
        events: EventStream,
        clock: Callable[[], datetime],
        prompt: Callable[[], str],
        notices: AgentNotices,
        transcript: TranscriptLog,
        record: SessionRecord,
        mode_prompt: Callable[[bool], str],
        immediate: ImmediateMode,
        program: AgentProgram,
        first_starts: asyncio.Lock,
        cost_limit: float = 0.0,
    ) -> None:
        """`first_starts` is held while an agent starts for the first time in its home."""
        self.id = session_id
        self.profile = profile
        self.shadow = shadow
        self.network = network
        self.staging = staging
        self.interceptor = interceptor
        self._agent = agent
        self._client = client
        self._plans = plans
        self._proposals = proposals
        self._events = events
        self._clock = clock
        self._prompt = prompt
        self._notices = notices
        self._transcript = transcript
        self._record = record
        self._first_starts = first_starts
        self._mode_prompt = mode_prompt
        self._servers: tuple[PlanningServer, ...] = ()
        self._held: PersonTools | None = None
        self._on_turn: Callable[[], None] = lambda: None
        self._on_plan_mode: Callable[[], None] = lambda: None
        self._immediate = immediate
        self._program = program
        self._settling: set[asyncio.Task[None]] = set()
        self._live = live
        self._drafting = self._make_drafting()
        self._conversation = AgentConversation()
        self._options: tuple[AgentOption, ...] = ()
        self._commands: frozenset[str] = frozenset()
        self._chosen: dict[str, str] = {}
        self._cost_limit = cost_limit
        self._title, self._prompted = "", ""
        """What the agent calls the conversation; what Tandem told it with the last message."""
        self._spent = 0.0
        """The cost of the conversation, as the agent told it last."""
        self._to_tell: list[str] = []
        self._approved_calls: dict[ToolCallId | None, ToolCall] = {}
        """External calls that were made, until their end is told."""
        self._to_include: tuple[str, ...] = ()
        self._turn = TurnState(TurnPhase.ENDED)
        """The turn that goes on, or the last one."""
        self._next_turn = TurnState()
        """It can be stopped before it begins."""
        self._taking_turns = asyncio.Lock()
        self._left_out: tuple[str, ...] = ()
        """What no plan carried at the last look."""

    def _make_drafting(self) -> Drafting:
        """What makes plans of the work in the shadow."""
        return Drafting(
            self.id,
            self.shadow,
            self.staging,
            self._plans,
            self._proposals,
            self._clock,
            lambda: self.who,
            self._events,
            self.network.report,
            lambda: self.interceptor.questions.unanswered,
        )

    @property
    def is_planning(self) -> bool:
        """Whether Plan mode is on."""
        return self.interceptor.permissions.plan_mode

    @property
    def is_at_work(self) -> bool:
        """Whether a turn goes on."""
        return self._turn.is_under_way

    @property
    def is_idle(self) -> bool:
        """Whether nothing goes on with the agent, and no plan of it is being carried out."""
        return not self._taking_turns.locked() and self.machine.state not in RUNNING

    @property
    def untold(self) -> tuple[str, ...]:
        """What the agent is told with the next message."""
        return tuple(self._to_tell)

    def go_on(self, before: "PlanningSession") -> None:
        """Take over from an agent that was let go: its rights, what was chosen of it, and what it was to be told."""
        self._to_tell += before.untold
        self._chosen, self._spent = before._chosen, before._spent
        plan_mode = self.is_planning
        self.interceptor.set_permissions(before.interceptor.permissions)
        self.set_plan_mode(plan_mode)

    async def rested(self) -> None:
        """Return when no turn goes on."""
        async with self._taking_turns:
            return

    @property
    def who(self) -> str:
        """The agent, and its model once it has opened a conversation and the model is known."""
        return agent_and_model(self.profile.name, self._conversation.model)

    @property
    def plan_id(self) -> PlanId | None:
        """The plan the session works on; none before the first and after the end of the last."""
        return self._drafting.plan_id

    def set_plan_mode(self, plan_mode: bool) -> None:
        """Turn Plan mode on or off, from the next request on; the agent is told with the next message."""
        permissions = self.interceptor.permissions
        if permissions.plan_mode is plan_mode:
            return
        self.interceptor.set_permissions(permissions.model_copy(update={"plan_mode": plan_mode}))
        self._to_tell.append(self._mode_prompt(plan_mode))
        self._on_plan_mode()

    def brief(self, presented: Presented) -> None:
        """What was found out about the plan before its agent is told: its words, its tasks, and who said what."""
        self._drafting.prepare(presented)

    def tell(self, text: str) -> None:
        """Add a text to the next message to the agent."""
        self._to_tell.append(text)

    def include(self, globs: tuple[str, ...]) -> None:
        """Ignored files that fit these globs are part of the plan, from the next turn on."""
        self._to_include = globs

    def offer(
        self,
        server: PlanningServer,
        on_turn: Callable[[], None],
        on_plan_mode: Callable[[], None],
        held: PersonTools,
    ) -> None:
        """Planning tools for the agent, from its next conversation on, with those of the person's own servers.

        `on_turn` is called when a turn begins, `on_plan_mode` when Plan mode is turned on or off, from any thread.
        """
        self._servers = (server,)
        self._held = held
        self._on_turn = on_turn
        self._on_plan_mode = on_plan_mode

    async def _tell_change(self, look: Callable[[], str]) -> None:
        """Say where the agent's program is another one than at its last start: at once, and in the plan."""
        if told := await asyncio.to_thread(look):
            self.staging.agent_warning = told
            self._events.publish(AgentProgramChanged(session_id=self.id, agent=self.profile.name, text=told))

    async def start(self) -> None:
        """Start the agent and open a conversation with it."""
        await self._tell_change(self._program.look)
        # Two that set up one home at once get into each other's way: OpenCode makes its database then.
        is_new = await asyncio.to_thread(lambda: self._program.is_new)
        async with self._first_starts if is_new else contextlib.nullcontext():
            self._conversation.facts = await self._agent.start()
        await self._tell_change(lambda: self._program.started(self._conversation.facts.version))
        before = await asyncio.to_thread(self._record.load)
        earlier = SessionId(before.agent_session) if before.agent_session else None
        self._conversation.started_planning = self.is_planning
        opened = await self._agent.new_session(self._servers, plan_mode=self.is_planning, resume=earlier)
        self._conversation.id, self._conversation.model = opened.id, opened.model
        self._conversation.is_opened = opened.resumed
        self._offer_options(opened.options)
        for option, value in {**before.options, **self._chosen}.items():
            with contextlib.suppress(SidecarError):  # it may have other options by now
                await self.choose(option, value)
        if not opened.resumed and before.task:
            plan, said = await asyncio.to_thread(lambda: (self._latest_plan(), said_in(self._record.folder)))
            self._to_tell.insert(0, messages.continued(before.task, plan, said))
        await asyncio.to_thread(self._record.update, agent_session=opened.id)

    @property
    def login_methods(self) -> tuple[tuple[str, str], ...]:
        """The ways to log in that the agent offers: the name of each on the wire, and the one for a person."""
        ways = (each.partition(": ") for each in self._conversation.facts.login_methods)
        return tuple((method, title) for method, _, title in ways)

    async def log_in(self, method: str) -> None:
        """Log the agent in; the next message opens its conversation.

        Raises:
            SidecarError: the agent refuses, or is gone.
        """
        await self._agent.log_in(method)

    async def choose(self, option: str, value: str) -> None:
        """Set an option of the agent's session, such as its model, from its next turn on.

        Raises:
            SidecarError: the agent refuses, or is gone.
        """
        wanted = next((each for each in self._options if each.id == option), None)
        if self._conversation.id is None or wanted is None:
            return
        told = await self._agent.choose(self._conversation.id, wanted, value)
        self._chosen = {**self._chosen, option: value}
        await asyncio.to_thread(self._keep_choices)
        changed = [each.model_copy(update={"current": value}) if each.id == option else each for each in self._options]
        self._offer_options(told or tuple(changed))

    def _keep_choices(self) -> None:
        """The next agent of this conversation is set up alike, also after a restart."""
        kept = {**self._record.load().options, **self._chosen}
        if kept != self._record.load().options:
            self._record.update(options=kept)

    def _offer_options(self, options: tuple[AgentOption, ...]) -> None:
        self._options = options
        if options:
            self._events.publish(AgentUpdated(session_id=self.id, update=OptionsOffered(options=options)))

    def _latest_plan(self) -> PlanVersion | None:
        plan_id = self._plans.plan_of(self.id)
        return None if plan_id is None else self._plans.revision(plan_id)

    async def plan(
        self,
        task: str,
        origin: Origin = Origin.AGENT,
        attachments: tuple[Attachment, ...] = (),
        *,
        announced: bool = True,
        is_notice: bool = False,
    ) -> Turn:
        """Give the agent a task in Plan mode and stage what it does; nothing of it reaches the workspace.

        A failure of the agent is part of the answer: what it did until then is staged and marked incomplete.
        With `announced` off no turn events are published: the caller publishes those of a longer turn.
        A notice that was sent in the meantime is not sent again.

        Raises:
            InvalidTransitionError: the plan was sent back so often that only a person may change it.
        """
        publish = self._events.publish if announced else _to_nobody
        async with self._taking_turns:
            if is_notice and not self._to_tell:
                return Turn(None, "", None)
            turn, self._next_turn = self._next_turn, TurnState()
            self._turn, turn.phase, turn.spent = turn, TurnPhase.STARTING, self._spent
            publish(TurnStarted(session_id=self.id, text=task))
            failure, stop, version = None, None, None
            problem: str = ""
            details: tuple[str, ...] = ()
            kind = ""
            try:
                turn.begun_after = self._drafting.ended_plan
                await asyncio.to_thread(self._drafting.refuse_when_up_to_the_person)
                failure, stop = await self._converse(task, attachments)
                if turn.is_stopped:
                    stop = StopReason.CANCELLED  # some agents answer a cancelled turn as if it had ended well
                problem, details = turn.paused or problem_of(stop, failure), stderr_tail(failure)
                kind = failure.kind if failure is not None else ""
                version = await self._outcome(task, problem, origin)
            except TandemError as error:
                problem, details, kind = error.message, (error.next,), error.kind
                raise
            finally:
                await self._live.end_turn()
                if problem:
                    _log.warning("turn failed: %s, %s: %s", self.id, kind or "unfinished", problem)
                publish(
                    TurnEnded(
                        session_id=self.id,
                        stop_reason=stop,
                        problem=problem or " ".join(filter(None, ("; ".join(turn.problems), turn.limit.sentence))),
                        details=details,
                        problem_kind=kind,
                        plan_id=version.plan_id if version else None,
                        left_out=turn.left_out,
                        changed_on_disk=await asyncio.to_thread(self.shadow.changed_on_disk),
                    )
                )
                turn.phase = TurnPhase.ENDED
            ignored = None if version else await asyncio.to_thread(self.shadow.ignored)
            unanswered = self.interceptor.questions.unanswered
            return Turn(version, turn.said, stop, failure, ignored, unanswered, turn.left_out)

    async def report(self) -> Turn | None:
        """Tell an agent that is running what has become of its work; nothing is said where there is no news."""
        if self._conversation.id is None or not self.profile.told_at_once:
            return None  # it is told with the next message
        self._to_tell += await asyncio.to_thread(self._notices.after_runs)
        return await self.plan("", is_notice=True)

    async def make_call(self, call: ExternalCall) -> CallMade:
        """Have the agent make an approved external call, once; whatever else it asks for is answered as usual.

        A call of the person's own server is made without it: Tandem holds the server.
        """
        if self._held is not None and self._held.find(call.tool):
            return call_made(await self._held.make(call))
        async with self._taking_turns:
            if self._conversation.id is None:
                await self.start()
            assert self._conversation.id is not None
            self.interceptor.begin_turn()
            with self.interceptor.allowing(call) as approved:
                try:
                    await self._agent.prompt(self._conversation.id, messages.make_call(call))
                finally:
                    self.interceptor.end_turn("the turn is over")
                    await asyncio.to_thread(self._transcript.flush)
        if not approved.is_taken:
            return CallMade("", "was not made: the agent ended its turn without asking for it")
        made = self._approved_calls.pop(approved.tool_call_id, None)
        if made is None or made.status is not ToolCallStatus.FAILED:
            return CallMade(made.output if made is not None else "")
        return CallMade(made.output, "failed; its output says why")

    def take_plan_text(self, text: str) -> None:
        """A plan in the agent's own words."""
        if text.strip() and self.presented.task is None:
            self.presented.markdown = text

    async def cancel_turn(self) -> None:
        """Stop the agent where it is; every open request is answered. A turn that only begins never reaches it."""
        self._turn.stop()
        self.interceptor.answer_all("the person stopped the agent")
        if self._conversation.id is not None:
            await self._agent.cancel(self._conversation.id)
        else:
            # There is no turn yet that could be cancelled.
            await self._agent.stop()

    async def end_turn(self, grace_s: float) -> None:
        """Stop the agent where it is, and end one that does not stop in time; its turn is staged as it stands."""
        try:
            await asyncio.wait_for(self.cancel_turn(), grace_s)
        except (TimeoutError, SidecarError):
            await self._agent.stop()

    def stop_next_turn(self) -> None:
        """The person stopped a turn that could not begin yet."""
        self._next_turn.stop()

    async def stage_now(self, task: str) -> PlanVersion | None:
        """A revision of what is there at this moment, in the middle of a turn."""
        return await asyncio.to_thread(self._propose, task, "", Origin.AGENT)

    async def queue(self, command: QueuedCommand) -> int:
        """A command of the agent ends a segment; called before the agent is answered, with the operation's number."""
        number = await asyncio.to_thread(self.staging.queue, command)
        self._live.look_soon()
        return number

    async def begin_command(self) -> None:
        """A command is about to run in the shadow; called before the agent is answered."""
        await asyncio.to_thread(self.staging.begin_command)

    async def command_ended(self) -> None:
        """A command Tandem ran in the shadow has ended; called before the agent is told."""
        if self.is_planning:
            await asyncio.to_thread(self.staging.end_command)

    @property
    def presented(self) -> Presented:
        """The plan in the agent's own words."""
        return self._drafting.presented

    def on_update(self, update: AgentUpdate) -> None:
        """Listen to the agent. What exceeds the limit of a turn is heard, but neither kept nor passed on."""
        if isinstance(update, SessionNamed):
            self._name_conversation(update.title)
            return
        kept = self._turn.limit.kept(update)
        if isinstance(update, AgentSaid):
            if not update.thought and isinstance(kept, AgentSaid):
                self._turn.hear(kept.text)
        elif isinstance(update, OptionsOffered):
            self._options = update.options
        elif isinstance(update, CommandsOffered):
            self._commands = frozenset(command.name.removeprefix("/") for command in update.commands)
        elif isinstance(update, UsageReported) and update.cost is not None:
            self._count_cost(update.cost, update.currency)
        elif isinstance(update, ToolCallChanged) and update.call.status not in _ENDED:
            self._turn.last_call = update.call.id
        elif isinstance(update, ToolCallChanged):
            if self.interceptor.is_approved(update.call):
                self._approved_calls[update.call.id] = update.call
            self._call_ended(kept.call if isinstance(kept, ToolCallChanged) else update.call.shortened())
        if kept is not None:
            self._events.publish(AgentUpdated(session_id=self.id, update=kept))

    def _name_conversation(self, title: str) -> None:
        """Keep the agent's title, unless it only repeats what Tandem told the agent, as those of some agents do."""
        line = visible_line(" ".join(title.split()))[:MOST_TITLE]
        if line.rstrip(".… ").casefold() not in " ".join(self._prompted.split()).casefold():
            self._title = line
            self._events.publish(AgentUpdated(session_id=self.id, update=SessionNamed(title=line)))

    def _count_cost(self, cost: float, currency: str) -> None:
        """Stop a turn that costs more than the person allows for one message."""
        self._spent = cost
        turn, limit = self._turn, self._cost_limit
        if limit <= 0 or cost - turn.spent <= limit or turn.paused or not turn.is_under_way:
            return
        turn.paused = (
            f"The agent was stopped: since your message it has cost {cost - turn.spent:.2f} {currency}, and the "
            f"setting cost_limit is {limit:g}. Send a message to let it go on for as much again."
        )
        task = asyncio.create_task(self._pause())
        self._settling.add(task)
        task.add_done_callback(self._settled)

    async def _pause(self) -> None:
        with contextlib.suppress(SidecarError):  # an agent that is gone costs nothing more
            await self.cancel_turn()

    def on_client_request(self) -> None:
        """The agent had Tandem read, write or run something."""
        self._turn.last_call = THROUGH_CLIENT

    async def close(self) -> None:
        """End the agent; what it did stays in the shadow."""
        self.interceptor.end_turn("the session was closed")
        try:
            await self._client.close()
            await self._agent.stop()
            if self._held is not None:
                await self._held.close()
        finally:
            try:
                await self.network.close()
            finally:
                await done_in_thread(self._put_away)

    def _put_away(self) -> None:
        self._transcript.close()
        self.shadow.close()

    def approved(self) -> None:
        """The person approved the plan: the agent is told so. Plan mode stays as the person has set it."""
        plan_id = self.plan_id
        if not self.is_planning or plan_id is None or not self._plans.revision(plan_id).operations:
            return
        self._set_scope(self._plans.meta(plan_id).tools_required)
        self._to_tell.append(messages.plan_approved())

    async def abandon(self, plan_id: PlanId | None = None) -> None:
        """The person cancelled: stop the agent where it is and bring its shadow back to what the disk has.

        Word of a plan's end may come late: a turn that began after it goes on, and has seen to the shadow itself.
        """
        if plan_id is not None and plan_id == self._turn.begun_after:
            return
        if self._turn.is_under_way:
            self._turn.interruption = Interruption.ABANDONED
            with contextlib.suppress(SidecarError):  # an agent that does not run has nothing to stop
                await self.cancel_turn()

        def settle() -> None:
            self.shadow.settle(change.path for change in self.shadow.changes())
            self.clear_staging()

        async with self._taking_turns:
            await asyncio.to_thread(settle)
            self._drafting.cancel()

    @property
    def machine(self) -> PlanStateMachine:
        """Where the session's plan is."""
        return self._drafting.machine

    def on_staged(self, change: StagingChange) -> None:
        """Add newly staged operations to the draft."""
        self._drafting.add(change.staged)

    def clear_staging(self) -> tuple[StagedOperation, ...]:
        """Drain what is staged; what it was. Works in a thread."""
        return self.staging.clear()

    def _set_scope(self, tools: tuple[str, ...]) -> None:
        """While an approved plan is carried out, its agent may use what the plan is made of, and nothing else."""
        permissions = self.interceptor.permissions
        self.interceptor.set_permissions(permissions.model_copy(update={"plan_scope": tools or None}))

    def _call_ended(self, call: ToolCall) -> None:
        if not self.is_planning:
            work: Coroutine[Any, Any, None] = self._immediate.call_ended(call)
        elif call.kind is ToolKind.EXECUTE:
            work = self.command_ended()
        else:
            self._live.look_soon()
            return
        task = asyncio.create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settled)

    async def settled(self) -> None:
        """Wait until what follows on the calls that have ended is done: what was allowed is on disk."""
        await asyncio.gather(*self._settling, return_exceptions=True)

    def _settled(self, task: "asyncio.Task[None]") -> None:
        self._settling.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._turn.problems.append(error.message if isinstance(error, TandemError) else str(error))

    async def _converse(
        self, task: str, attachments: tuple[Attachment, ...]
    ) -> tuple[SidecarError | None, StopReason | None]:
        """Talk until the turn has ended, well or not."""
        if self._turn.is_stopped:
            return None, StopReason.CANCELLED
        try:
            await self._begin_turn(task)
            return None, await self._talk(task, attachments)
        except SidecarError as error:
            self._conversation.id = None  # its conversation is gone with it; the next turn opens another
            return error, None
        finally:
            self.interceptor.end_turn("the turn is over")
            self._turn.end_talk()
            await asyncio.to_thread(self._transcript.flush)

    async def _outcome(self, task: str, problem: str, origin: Origin) -> PlanVersion | None:
        """The revision the turn led to, once all that goes on beside it has come to rest."""
        await self._client.settled()
        await self._live.end_turn()
        await self.network.settle()
        await self.settled()
        if self._turn.interruption is Interruption.ABANDONED:
            return None
        # What was decided during the turn comes first: an applied plan is not proposed again.
        self._to_tell += await asyncio.to_thread(self._notices.after_runs)
        if self._title:
            await asyncio.to_thread(self._record.update, title=self._title)
        return await asyncio.to_thread(self._propose, task, problem, origin)

    async def _begin_turn(self, task: str) -> None:
        self.interceptor.begin_turn()  # an agent that is started may ask as well
        if (
            self._conversation.id is not None
            and self.profile.free_mode
            and self._conversation.started_planning != self.is_planning
        ):
            # Its own mode is set when a conversation is opened; it goes on with the same one.
            await self._agent.stop()
            self._conversation.id = None
        if self._conversation.id is None:
            await self.start()
        self.network.begin_turn()
        self.interceptor.message_id = new_message_id()
        self._transcript.keep("turn", f'{{"messageId":"{self.interceptor.message_id}"}}'.encode())
        self._on_turn()

        def look() -> tuple[str, ...]:
            texts = self._notices.catch_up()
            self.staging.begin_turn(corrects=self._drafting.has_whole_plan)
            self.shadow.refresh()
            if self.plan_id is None:
                self.staging.begin_plan()
            self.shadow.begin_turn()
            self.shadow.include((*self.shadow.included, *self._to_include))
            return texts

        self._to_tell += await asyncio.to_thread(look)
        self._live.begin_turn()
        if self.plan_id is None:
            if task:
                await asyncio.to_thread(self._note_task, task)
            self._drafting.start_planning(task)
            self._set_scope(())

    def _note_task(self, task: str) -> None:
        """Keep the first task of the session, for an agent that has lost its conversation."""
        if not self._record.load().task:
            self._record.update(task=task)

    async def _talk(self, task: str, attachments: tuple[Attachment, ...]) -> StopReason:
        assert self._conversation.id is not None
        if self._turn.is_stopped:
            return StopReason.CANCELLED
        refused = next(filter(None, map(self._conversation.facts.refuses, attachments)), "")
        if refused:
            raise BadInputError(
                f"{self.profile.title} {refused}, so nothing was sent.",
                next="Save it in the workspace and mention it with @, or choose another agent.",
            )
        self._turn.phase = TurnPhase.TALKING
        texts = [task]
        if not self._is_command(task):
            texts = [*self._to_tell, *([task] if task else [])]
            if not self._conversation.is_opened:
                texts.insert(0, self._prompt())
            self._conversation.is_opened, self._to_tell = True, []
        answered = len(self.interceptor.requests)
        self._prompted = "\n\n".join(each for each in texts if each is not task)
        stop = await self._agent.prompt(self._conversation.id, "\n\n".join(texts), attachments)
        for _ in range(MOST_FOLLOW_UPS):
            queued = queued_in(self.interceptor.requests[answered:])
            if not queued or not self._ended_by_a_refusal(stop):
                break
            answered = len(self.interceptor.requests)
            stop = await self._agent.prompt(self._conversation.id, messages.go_on(queued))
        return stop

    def _is_command(self, task: str) -> bool:
        """Whether it is a command of the agent, which understands one only at the beginning of a message.

        The built-in agent also finds one at its end. What an agent is told otherwise waits for the next message: its
        shadow holds it meanwhile.
        """
        name = task.partition(" ")[0].strip()
        return self.profile.name != BUILT_IN and name.startswith("/") and name[1:] in self._commands

    def _ended_by_a_refusal(self, stop: StopReason) -> bool:
        """Whether the last tool call of the turn is one that was queued: the agent may have stopped there."""
        if self._turn.is_stopped or stop not in (StopReason.END_TURN, StopReason.CANCELLED):
            return False
        last = self.interceptor.requests[-1]
        return last.handling is Handling.QUEUED and self._turn.last_call in (None, last.tool_call_id)

    def _propose(self, task: str, problem: str, origin: Origin) -> PlanVersion | None:
        turn = self._turn
        version = self._drafting.propose(task, turn.said.strip(), problem, origin, is_final=turn.is_announced)
        left, before = self._drafting.left_out, self._left_out
        # A turn in which the agent did nothing repeats nothing.
        turn.left_out = tuple(each for each in left if turn.last_call is not None or each not in before)
        self._left_out = left
        return version


def _to_nobody(event: TandemEvent) -> None:
    """Tell nothing."""


def call_made(answer: ToolAnswer) -> CallMade:
    """What came of a call on the person's own server."""
    return CallMade("\n".join(answer.texts), "failed; its output says why" if answer.failed else "")
