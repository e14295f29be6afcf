"""One planning session with one agent, turn by turn."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum, auto
from typing import Any

from tandem_desktop.domain.agent_protocol import (
    AgentFacts,
    AgentProfile,
    AgentSaid,
    AgentUpdate,
    Picture,
    PlanningServer,
    StopReason,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    ToolKind,
    agent_and_model,
)
from tandem_desktop.domain.errors import BadInputError, SidecarError, TandemError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import AgentProgramChanged, AgentUpdated, TandemEvent, TurnEnded, TurnStarted
from tandem_desktop.domain.ids import PlanId, SessionId, ToolCallId, new_message_id
from tandem_desktop.domain.operations import ExternalCall, StagedOperation
from tandem_desktop.domain.plan import IgnoredFiles, Origin, PlanVersion
from tandem_desktop.domain.ports import AgentPort
from tandem_desktop.domain.state_machine import PlanStateMachine
from tandem_desktop.planning_tools.definitions import offered_while_planning
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.policy import messages
from tandem_desktop.policy.prompts import PromptComposer
from tandem_desktop.policy.qualification import SignalListener
from tandem_desktop.policy.tools import planning_bundle, tool_inventory
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.sessions.agent_program import AgentProgram
from tandem_desktop.sessions.client import SessionClient
from tandem_desktop.sessions.drafting import Drafting, Presented
from tandem_desktop.sessions.immediate import ImmediateMode
from tandem_desktop.sessions.interceptor import PermissionInterceptor
from tandem_desktop.sessions.network import AgentNetwork
from tandem_desktop.sessions.notices import AgentNotices
from tandem_desktop.sessions.record import SessionRecord, TranscriptLog
from tandem_desktop.sessions.staging import LiveStaging, SessionStaging
from tandem_desktop.settings import Settings
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.staging.requests import Handling, InterceptedRequest, QueuedCommand
from tandem_desktop.staging.staging_store import StagingChange

_LAST_WORDS = 20
_UNFINISHED = {
    StopReason.MAX_TOKENS: "The agent ran out of room for its answer.",
    StopReason.MAX_TURN_REQUESTS: "The agent used up its turns.",
    StopReason.REFUSAL: "The agent refused to go on.",
    StopReason.CANCELLED: "The turn was cancelled before the agent had finished.",
}


class TurnPhase(Enum):
    """How far a turn is."""

    WAITING = auto()
    """It has not begun."""
    STARTING = auto()
    """The agent is started and brought up to date; it was told nothing yet."""
    TALKING = auto()
    """From the first message on, until the revision is made."""
    ENDED = auto()


class Interruption(Enum):
    """Whether the person ended a turn before its agent did."""

    NONE = auto()
    STOPPED = auto()
    """What was done until then is staged."""
    ABANDONED = auto()
    """What was done until then is forgotten."""


MOST_SAID = 4 * 1024 * 1024
"""Characters of words and thoughts that are kept of one turn."""
MOST_CALLED = 16 * 1024 * 1024
"""Characters that are kept of the tool calls of one turn; later ones are kept without their output."""
MOST_CALL_UPDATES = 20_000


@dataclass(slots=True)
class TurnLimit:
    """What one turn may keep of what the agent tells; beyond it the rest is counted."""

    _said: int = 0
    _called: int = 0
    _updates: int = 0
    left_out: int = 0
    """Characters that were not kept."""

    def kept(self, update: AgentUpdate) -> AgentUpdate | None:
        """The update as far as it is kept; None for nothing of it."""
        if isinstance(update, AgentSaid):
            return self._kept_words(update)
        return self._kept_call(update) if isinstance(update, ToolCallChanged) else update

    @property
    def sentence(self) -> str:
        """What is said of a turn that exceeded the limit; empty where none did."""
        if not self.left_out:
            return ""
        return (
            f"The agent told more in one turn than is kept: {self.left_out:,} characters of its words and of the "
            "output of its tools were left out. Nothing of its work on files is lost."
        )

    def _kept_words(self, said: AgentSaid) -> AgentSaid | None:
        room = MOST_SAID - self._said
        text = said.text[: max(room, 0)]
        self._said += len(text)
        self.left_out += len(said.text) - len(text)
        if len(text) == len(said.text):
            return said
        return said.model_copy(update={"text": f"{text}\n\n[…]\n"}) if text else None

    def _kept_call(self, changed: ToolCallChanged) -> ToolCallChanged | None:
        """The call; beyond the limit without its output and with its arguments cut, and at last not at all."""
        call = changed.call
        size = call.weight
        self._updates += 1
        if self._updates > MOST_CALL_UPDATES:
            self.left_out += size
            return None
        if self._called + size <= MOST_CALLED:
            self._called += size
            return changed
        self.left_out += size
        return ToolCallChanged(call=call.shortened())


@dataclass(slots=True)
class TurnState:
    """What belongs to one turn and to no other. A new one is made for each turn."""

    phase: TurnPhase = TurnPhase.WAITING
    interruption: Interruption = Interruption.NONE
    begun_after: PlanId | None = None
    """The plan that had ended when the turn began; a late notice of its end does not concern this turn."""
    problems: list[str] = field(default_factory=list)
    """What failed beside the conversation."""
    last_call: ToolCallId | None = None
    """The tool call that the agent began last; `THROUGH_CLIENT` for something it had Tandem do."""
    is_announced: bool = False
    """Whether the agent said that a plan is ready."""
    limit: TurnLimit = field(default_factory=TurnLimit)
    _said: list[str] = field(default_factory=list)
    _signals: SignalListener = field(default_factory=SignalListener)

    @property
    def said(self) -> str:
        return "".join(self._said)

    def hear(self, text: str) -> None:
        """The agent said something; what it says before it was told anything is no answer."""
        if self.phase is TurnPhase.TALKING:
            self._said.append(text)
            self.is_announced |= bool(self._signals.hear(text))

    def end_talk(self) -> None:
        """The agent says no more: a signal that stood last counts as well."""
        self.is_announced |= bool(self._signals.end())

    @property
    def is_under_way(self) -> bool:
        return self.phase in (TurnPhase.STARTING, TurnPhase.TALKING)

    @property
    def is_stopped(self) -> bool:
        return self.interruption is not Interruption.NONE

    def stop(self) -> None:
        """Of a turn that has ended, nothing changes."""
        if self.interruption is Interruption.NONE and self.phase is not TurnPhase.ENDED:
            self.interruption = Interruption.STOPPED


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of one message to the agent."""

    version: PlanVersion | None
    """The revision it led to; none when nothing was changed and nothing presented."""
    said: str
    stop_reason: StopReason | None
    failure: SidecarError | None = None
    ignored: IgnoredFiles | None = None
    """What is left of a turn that led to no revision."""
    unanswered: tuple[str, ...] = ()
    """Questions of the agent that nobody could answer."""


@dataclass(frozen=True, slots=True)
class CallMade:
    """What came of an external call that the agent was asked to make."""

    output: str
    problem: str = ""


def stderr_tail(failure: SidecarError | None) -> tuple[str, ...]:
    """What a dying agent left behind, and what to do next."""
    return (*failure.stderr[-_LAST_WORDS:], failure.next) if failure is not None else ()


def problem_of(stop: StopReason | None, failure: TandemError | None) -> str:
    """Why what was staged may be incomplete; nothing when the turn ended well."""
    if failure is not None:
        return failure.message
    return _UNFINISHED.get(stop, "") if stop is not None else ""


def queued_in(requests: Sequence[InterceptedRequest]) -> tuple[int, ...]:
    """The numbers of the operations that commands among these requests became."""
    numbers = [request.queued_as for request in requests if request.handling is Handling.QUEUED]
    return tuple(number for number in numbers if number is not None)


MOST_FOLLOW_UPS = 20
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
    ) -> None:
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
        self._mode_prompt = mode_prompt
        self._servers: tuple[PlanningServer, ...] = ()
        self._on_turn: Callable[[], None] = lambda: None
        self._on_plan_mode: Callable[[], None] = lambda: None
        self._immediate = immediate
        self._program = program
        self._settling: set[asyncio.Task[None]] = set()
        self._live = live
        self._drafting = self._make_drafting()
        self._conversation = AgentConversation()
        self._to_tell: list[str] = []
        self._approved_calls: dict[ToolCallId | None, ToolCall] = {}
        """External calls that were made, until their end is told."""
        self._to_include: tuple[str, ...] = ()
        self._turn = TurnState(TurnPhase.ENDED)
        """The turn that goes on, or the last one."""
        self._next_turn = TurnState()
        """It can be stopped before it begins."""
        self._taking_turns = asyncio.Lock()

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

    def offer(self, server: PlanningServer, on_turn: Callable[[], None], on_plan_mode: Callable[[], None]) -> None:
        """Planning tools for the agent, from its next conversation on.

        `on_turn` is called when a turn begins, `on_plan_mode` when Plan mode is turned on or off, from any thread.
        """
        self._servers = (server,)
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
        self._conversation.facts = await self._agent.start()
        await self._tell_change(lambda: self._program.started(self._conversation.facts.version))
        before = await asyncio.to_thread(self._record.load)
        earlier = SessionId(before.agent_session) if before.agent_session else None
        self._conversation.started_planning = self.is_planning
        opened = await self._agent.new_session(self._servers, plan_mode=self.is_planning, resume=earlier)
        self._conversation.id, self._conversation.model = opened.id, opened.model
        self._conversation.is_opened = opened.resumed
        if not opened.resumed and before.task:
            self._to_tell.insert(0, messages.continued(before.task, await asyncio.to_thread(self._latest_plan)))
        await asyncio.to_thread(self._record.update, agent_session=opened.id)

    def _latest_plan(self) -> PlanVersion | None:
        plan_id = self._plans.plan_of(self.id)
        return None if plan_id is None else self._plans.revision(plan_id)

    async def plan(
        self,
        task: str,
        origin: Origin = Origin.AGENT,
        pictures: tuple[Picture, ...] = (),
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
            self._turn, turn.phase = turn, TurnPhase.STARTING
            publish(TurnStarted(session_id=self.id, text=task))
            failure, stop, version = None, None, None
            problem: str = ""
            details: tuple[str, ...] = ()
            try:
                turn.begun_after = self._drafting.ended_plan
                await asyncio.to_thread(self._drafting.refuse_when_up_to_the_person)
                failure, stop = await self._converse(task, pictures)
                if turn.is_stopped:
                    stop = StopReason.CANCELLED  # some agents answer a cancelled turn as if it had ended well
                problem, details = problem_of(stop, failure), stderr_tail(failure)
                version = await self._outcome(task, problem, origin)
            except TandemError as error:
                problem, details = error.message, (error.next,)
                raise
            finally:
                await self._live.end_turn()
                publish(
                    TurnEnded(
                        session_id=self.id,
                        stop_reason=stop,
                        problem=problem or " ".join(filter(None, ("; ".join(turn.problems), turn.limit.sentence))),
                        details=details,
                        plan_id=version.plan_id if version else None,
                        changed_on_disk=await asyncio.to_thread(self.shadow.changed_on_disk),
                    )
                )
                turn.phase = TurnPhase.ENDED
            ignored = None if version else await asyncio.to_thread(self.shadow.ignored)
            return Turn(version, turn.said, stop, failure, ignored, self.interceptor.questions.unanswered)

    async def report(self) -> Turn | None:
        """Tell an agent that is running what has become of its work; nothing is said where there is no news."""
        if self._conversation.id is None or not self.profile.told_at_once:
            return None  # it is told with the next message
        self._to_tell += await asyncio.to_thread(self._notices.after_runs)
        return await self.plan("", is_notice=True)

    async def make_call(self, call: ExternalCall) -> CallMade:
        """Have the agent make an approved external call, once; whatever else it asks for is answered as usual."""
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
        kept = self._turn.limit.kept(update)
        if isinstance(update, AgentSaid):
            if not update.thought and isinstance(kept, AgentSaid):
                self._turn.hear(kept.text)
        elif isinstance(update, ToolCallChanged) and update.call.status not in _ENDED:
            self._turn.last_call = update.call.id
        elif isinstance(update, ToolCallChanged):
            if self.interceptor.is_approved(update.call):
                self._approved_calls[update.call.id] = update.call
            self._call_ended(kept.call if isinstance(kept, ToolCallChanged) else update.call.shortened())
        if kept is not None:
            self._events.publish(AgentUpdated(session_id=self.id, update=kept))

    def on_client_request(self) -> None:
        """The agent had Tandem read, write or run something."""
        self._turn.last_call = THROUGH_CLIENT

    async def close(self) -> None:
        """End the agent; what it did stays in the shadow."""
        self.interceptor.end_turn("the session was closed")
        try:
            await self._client.close()
            await self._agent.stop()
        finally:
            await self.network.close()
            await asyncio.to_thread(self._transcript.close)
            await asyncio.to_thread(self.shadow.close)

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

    def _settled(self, task: "asyncio.Task[None]") -> None:
        self._settling.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._turn.problems.append(error.message if isinstance(error, TandemError) else str(error))

    async def _converse(
        self, task: str, pictures: tuple[Picture, ...]
    ) -> tuple[SidecarError | None, StopReason | None]:
        """Talk until the turn has ended, well or not."""
        if self._turn.is_stopped:
            return None, StopReason.CANCELLED
        try:
            await self._begin_turn(task)
            return None, await self._talk(task, pictures)
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
        await asyncio.gather(*self._settling, return_exceptions=True)
        if self._turn.interruption is Interruption.ABANDONED:
            return None
        # What was decided during the turn comes first: an applied plan is not proposed again.
        self._to_tell += await asyncio.to_thread(self._notices.after_runs)
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
            self.staging.begin_turn()
            self.shadow.refresh()
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

    async def _talk(self, task: str, pictures: tuple[Picture, ...]) -> StopReason:
        assert self._conversation.id is not None
        if self._turn.is_stopped:
            return StopReason.CANCELLED
        if pictures and not self._conversation.facts.sees_pictures:
            raise BadInputError(
                f"{self.profile.title} cannot see pictures, so nothing was sent.",
                next="Save the picture in the workspace and mention it with @, or choose another agent.",
            )
        self._turn.phase = TurnPhase.TALKING
        texts = [*self._to_tell, *([task] if task else [])]
        if not self._conversation.is_opened:
            texts.insert(0, self._prompt())
        self._conversation.is_opened, self._to_tell = True, []
        answered = len(self.interceptor.requests)
        stop = await self._agent.prompt(self._conversation.id, "\n\n".join(texts), pictures)
        for _ in range(MOST_FOLLOW_UPS):
            queued = queued_in(self.interceptor.requests[answered:])
            if not queued or not self._ended_by_a_refusal(stop):
                break
            answered = len(self.interceptor.requests)
            stop = await self._agent.prompt(self._conversation.id, messages.go_on(queued))
        return stop

    def _ended_by_a_refusal(self, stop: StopReason) -> bool:
        """Whether the last tool call of the turn is one that was queued: the agent may have stopped there."""
        if self._turn.is_stopped or stop not in (StopReason.END_TURN, StopReason.CANCELLED):
            return False
        last = self.interceptor.requests[-1]
        return last.handling is Handling.QUEUED and self._turn.last_call in (None, last.tool_call_id)

    def _propose(self, task: str, problem: str, origin: Origin) -> PlanVersion | None:
        turn = self._turn
        return self._drafting.propose(task, turn.said.strip(), problem, origin, is_final=turn.is_announced)


def _to_nobody(event: TandemEvent) -> None:
    """Tell nothing."""


INSTRUCTION_FILES = ("AGENTS.md", "CLAUDE.md")
_LONGEST = 64 * 1024


def opening_prompt(
    profile: AgentProfile,
    shadow: ShadowWorkspace,
    settings: Settings,
    *,
    cwd: str,
    today: Callable[[], date],
    plan_mode: bool,
) -> str:
    """What is said before the first task."""
    composer = _composer(profile, settings, cwd, today)
    parts = [composer.compose(plan_mode=plan_mode)]
    if plan_mode and profile.planning_tools:
        parts.append(planning_bundle().instructions)
    if plan_mode:
        parts.append(tool_inventory(settings.guarded_tools))
    parts += [_instructions(name, shadow) for name in INSTRUCTION_FILES if name not in profile.instruction_files]
    return "\n\n".join(part for part in parts if part)


def mode_prompt(profile: AgentProfile, settings: Settings, *, cwd: str, plan_mode: bool) -> str:
    """What is said when Plan mode is turned on or off in the middle of a conversation."""
    if not plan_mode:
        return "Plan mode is off. The person is asked about each change and command, and sees it before it happens."
    return _composer(profile, settings, cwd, date.today).plan_mode_text()


def _composer(profile: AgentProfile, settings: Settings, cwd: str, today: Callable[[], date]) -> PromptComposer:
    return PromptComposer(
        cwd=cwd,
        today=today,
        commands=settings.commands_while_planning,
        disabled_tools=settings.guarded_tools,
        own_tools=profile.own_tools,
        planning_tools=offered_while_planning() if profile.planning_tools else (),
    )


def _instructions(name: str, shadow: ShadowWorkspace) -> str:
    """A project file of instructions that this agent would not read by itself."""
    try:
        text = shadow.read(name)[:_LONGEST].decode("utf-8", "replace").strip()
    except TandemError:
        return ""
    return f"The project's own instructions, from {name}:\n\n{text}" if text else ""
