"""One conversation with one agent in one shadow: a task goes in, a plan for review comes out, the truth goes back."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

from tandem_desktop.domain.agent_ports import AgentPort
from tandem_desktop.domain.agents import (
    AgentFacts,
    AgentProfile,
    AgentSaid,
    AgentUpdate,
    OnReject,
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
from tandem_desktop.domain.ids import PlanId, SessionId, new_message_id
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.state_machine import PlanStateMachine
from tandem_desktop.events.events import AgentHeard, TandemEvent, TurnEnded, TurnStarted
from tandem_desktop.events.stream import EventStream
from tandem_desktop.orchestration.drafting import Drafting, Presented
from tandem_desktop.orchestration.immediate_mode import ImmediateMode
from tandem_desktop.orchestration.live_staging import LiveStaging
from tandem_desktop.orchestration.proposals import Proposals
from tandem_desktop.orchestration.session_doors import SessionClient
from tandem_desktop.orchestration.session_news import AgentNotices
from tandem_desktop.orchestration.session_staging import SessionStaging
from tandem_desktop.orchestration.transcript_log import TranscriptLog
from tandem_desktop.orchestration.turn import (
    Interruption,
    Turn,
    TurnPhase,
    TurnState,
    last_words,
    problem_of,
    queued_in,
)
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.policy import messages
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace
from tandem_desktop.staging.intercepted import QueuedCommand
from tandem_desktop.staging.permission_interceptor import PermissionInterceptor
from tandem_desktop.staging.staging_store import StagingChange

MOST_FOLLOW_UPS = 20
_ENDED = (ToolCallStatus.COMPLETED, ToolCallStatus.FAILED)


class PlanningSession:
    """Lives on the engine's loop. Files and plans are worked on in threads, so that no other session waits."""

    def __init__(
        self,
        session_id: SessionId,
        *,
        profile: AgentProfile,
        agent: AgentPort,
        shadow: ShadowWorkspace,
        staging: SessionStaging,
        live: LiveStaging,
        client: SessionClient,
        interceptor: PermissionInterceptor,
        plans: PlanStore,
        proposals: Proposals,
        events: EventStream,
        clock: Callable[[], datetime],
        opening: Callable[[], str],
        notices: AgentNotices,
        transcript: TranscriptLog,
        mode_words: Callable[[bool], str],
        immediate: ImmediateMode,
    ) -> None:
        self.id = session_id
        self.profile = profile
        self.shadow = shadow
        self.staging = staging
        self.interceptor = interceptor
        self._agent = agent
        self._client = client
        self._plans = plans
        self._proposals = proposals
        self._events = events
        self._clock = clock
        self._opening = opening
        self._notices = notices
        self._transcript = transcript
        self._mode_words = mode_words
        self._servers: tuple[PlanningServer, ...] = ()
        self._on_turn: Callable[[], None] = lambda: None
        self._immediate = immediate
        self._settling: set[asyncio.Task[None]] = set()
        self._live = live
        self._drafting = Drafting(session_id, shadow, staging, plans, proposals, clock, lambda: self.who, events)
        self._agent_session: SessionId | None = None
        self._facts = AgentFacts()
        self._model = ""
        self._is_opened = False
        self._to_tell: list[str] = []
        self._turn = TurnState(TurnPhase.ENDED)
        """The turn that goes on, or the last one."""
        self._next_turn = TurnState()
        """It can be stopped before it begins."""
        self._taking_turns = asyncio.Lock()

    @property
    def is_planning(self) -> bool:
        """Whether Plan mode is on."""
        return self.interceptor.permissions.plan_mode

    @property
    def who(self) -> str:
        """The agent, and its model once it has opened a conversation and the model is known."""
        return agent_and_model(self.profile.name, self._model)

    @property
    def plan_id(self) -> PlanId | None:
        """The plan the session works on; none before the first and after the end of the last."""
        return self._drafting.plan_id

    def set_plan_mode(self, plan_mode: bool) -> None:
        """Turn Plan mode on or off, from the next request on; the agent hears of it with the next message."""
        permissions = self.interceptor.permissions
        if permissions.plan_mode is plan_mode:
            return
        self.interceptor.set_permissions(permissions.model_copy(update={"plan_mode": plan_mode}))
        self._to_tell.append(self._mode_words(plan_mode))

    def brief(self, presented: Presented) -> None:
        """What was found out about the plan before its agent is told: its words, its tasks, and who said what."""
        self._drafting.prepare(presented)

    def tell(self, words: str) -> None:
        """Something the agent hears with the next message."""
        self._to_tell.append(words)

    def offer(self, server: PlanningServer, on_turn: Callable[[], None]) -> None:
        """Planning tools for the agent, from its next conversation on; `on_turn` hears of every turn that begins."""
        self._servers = (server,)
        self._on_turn = on_turn

    async def start(self) -> None:
        """Start the agent and open a conversation with it."""
        self._facts = await self._agent.start()
        opened = await self._agent.new_session(self._servers, plan_mode=self.is_planning)
        self._agent_session, self._model = opened.id, opened.model
        self._is_opened = False

    async def plan(
        self,
        task: str,
        origin: Origin = Origin.AGENT,
        pictures: tuple[Picture, ...] = (),
        *,
        announced: bool = True,
    ) -> Turn:
        """Give the agent a task in Plan mode and stage what it does; nothing of it reaches the workspace.

        A failure of the agent is part of the answer: what it did until then is staged and marked incomplete.
        A turn that is part of a longer one, which somebody else tells of, is not `announced`.

        Raises:
            InvalidTransitionError: the plan was sent back so often that only a person may change it.
        """
        publish = self._events.publish if announced else _to_nobody
        async with self._taking_turns:
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
                problem, details = problem_of(stop, failure), last_words(failure)
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
                        problem=problem or "; ".join(turn.problems),
                        details=details,
                        plan_id=version.plan_id if version else None,
                    )
                )
                turn.phase = TurnPhase.ENDED
            return Turn(version, turn.said, stop, failure)

    async def report(self) -> Turn | None:
        """Tell the agent at once what has become of its work; nothing is said where there is no news."""
        words = await asyncio.to_thread(self._notices.catch_up)
        self._to_tell += words
        return await self.plan("") if words else None

    async def cancel_turn(self) -> None:
        """Stop the agent where it is; every open request is answered. A turn that only begins never reaches it."""
        self._turn.stop()
        self.interceptor.answer_all("the person stopped the agent")
        if self._agent_session is not None:
            await self._agent.cancel(self._agent_session)
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

    async def begin_rehearsal(self) -> None:
        """A command is about to run in the shadow; called before the agent is answered."""
        await asyncio.to_thread(self.staging.begin_rehearsal)

    async def command_ended(self) -> None:
        """A command Tandem ran in the shadow has ended; called before the agent hears of it."""
        if self.is_planning:
            await asyncio.to_thread(self.staging.end_rehearsal)

    @property
    def presented(self) -> Presented:
        """The plan in the agent's own words."""
        return self._drafting.presented

    def heard(self, update: AgentUpdate) -> None:
        """Listen to the agent."""
        if isinstance(update, AgentSaid) and not update.thought:
            self._turn.hear(update.text)
        elif isinstance(update, ToolCallChanged) and update.call.status in _ENDED:
            self._call_ended(update.call)
        self._events.publish(AgentHeard(session_id=self.id, update=update))

    async def close(self) -> None:
        """End the agent; what it did stays in the shadow."""
        self.interceptor.end_turn("the session was closed")
        try:
            await self._client.close()
            await self._agent.stop()
        finally:
            await asyncio.to_thread(self._transcript.close)
            await asyncio.to_thread(self.shadow.close)

    def approved(self) -> None:
        """The person approved the plan: Plan mode ends, and the agent is told so. A plan of text alone goes on."""
        plan_id = self.plan_id
        if not self.is_planning or plan_id is None or not self._plans.revision(plan_id).operations:
            return
        self.set_plan_mode(False)
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
        """Follow the staging store."""
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
            self._agent_session = None  # its conversation is gone with it; the next turn opens another
            return error, None
        finally:
            self.interceptor.end_turn("the turn is over")
            self._turn.end_talk()
            await asyncio.to_thread(self._transcript.flush)

    async def _outcome(self, task: str, problem: str, origin: Origin) -> PlanVersion | None:
        """The revision the turn led to, once all that goes on beside it has come to rest."""
        await self._client.settled()
        await self._live.end_turn()
        await asyncio.gather(*self._settling, return_exceptions=True)
        if self._turn.interruption is Interruption.ABANDONED:
            return None
        # What was decided during the turn comes first: an applied plan is not proposed again.
        self._to_tell += await asyncio.to_thread(self._notices.after_runs)
        return await asyncio.to_thread(self._propose, task, problem, origin)

    async def _begin_turn(self, task: str) -> None:
        if self._agent_session is None:
            await self.start()
        self.interceptor.begin_turn()
        self.interceptor.message_id = new_message_id()
        self._transcript.keep("turn", f'{{"messageId":"{self.interceptor.message_id}"}}'.encode())
        self._on_turn()

        def look() -> tuple[str, ...]:
            words = self._notices.catch_up()
            self.staging.begin_turn()
            self.shadow.refresh()
            self.shadow.begin_turn()
            return words

        self._to_tell += await asyncio.to_thread(look)
        self._live.begin_turn()
        if self.plan_id is None:
            self._drafting.start_planning(task)
            self._set_scope(())

    async def _talk(self, task: str, pictures: tuple[Picture, ...]) -> StopReason:
        assert self._agent_session is not None
        if self._turn.is_stopped:
            return StopReason.CANCELLED
        if pictures and not self._facts.sees_pictures:
            raise BadInputError(
                f"{self.profile.title} cannot see pictures, so nothing was sent.",
                next="Save the picture in the workspace and mention it with @, or choose another agent.",
            )
        self._turn.phase = TurnPhase.TALKING
        words = [*self._to_tell, *([task] if task else [])]
        if not self._is_opened:
            words.insert(0, self._opening())
        self._is_opened, self._to_tell = True, []
        answered = len(self.interceptor.requests)
        stop = await self._agent.prompt(self._agent_session, "\n\n".join(words), pictures)
        for _ in range(MOST_FOLLOW_UPS):
            queued = queued_in(self.interceptor.requests[answered:])
            if self.profile.on_reject is not OnReject.STOPS or stop is not StopReason.END_TURN or not queued:
                break
            answered = len(self.interceptor.requests)
            stop = await self._agent.prompt(self._agent_session, messages.go_on(queued))
        return stop

    def _propose(self, task: str, problem: str, origin: Origin) -> PlanVersion | None:
        turn = self._turn
        return self._drafting.propose(task, turn.said.strip(), problem, origin, is_final=turn.is_announced)


def _to_nobody(event: TandemEvent) -> None:
    """Nobody is told."""
