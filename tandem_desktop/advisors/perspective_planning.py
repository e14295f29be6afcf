"""Plans a task from perspectives and delegates its parts to agents."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from tandem_desktop.advisors.perspectives import Gathering, Synthesis, TaskToPlan, synthesize
from tandem_desktop.domain.advice import Qualification
from tandem_desktop.domain.agent_protocol import AgentUpdate, StopReason
from tandem_desktop.domain.errors import NoAnswerError, SidecarError, TandemError, UserAbortError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import (
    AgentUpdated,
    PlanApprovalRequested,
    PlanningStarted,
    PlanReady,
    SynthesisEnded,
    SynthesisStarted,
    TaskDelegated,
    TurnEnded,
    TurnStarted,
)
from tandem_desktop.domain.ids import SessionId, new_plan_id
from tandem_desktop.domain.perspectives import Perspectives, all_as_text
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_steps import AdvisedPlan
from tandem_desktop.domain.ports import AdvisorPort
from tandem_desktop.domain.tasks import PlanTask, TaskStatus, TrackedTask
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.generator import PlanGenerator
from tandem_desktop.sessions.advisors import Advisor, Advisors
from tandem_desktop.sessions.drafting import Presented, title_of
from tandem_desktop.sessions.session import PlanningSession
from tandem_desktop.sessions.turn import Turn, problem_of, stderr_tail
from tandem_desktop.tasks.board import TaskBoard
from tandem_desktop.tasks.runner import TaskRunner

OpenSession = Callable[[Advisor], Awaitable[PlanningSession]]
"""Opens the session of the task for an advisor; shadow and plan stay the same."""
TakeTurn = Callable[[PlanningSession], Awaitable[Turn]]


class Delegation:
    """One task after the other: they share a shadow. What waits for a task that could not be planned is left out."""

    def __init__(
        self,
        engine: Engine,
        advisors: Advisors,
        session_id: SessionId,
        found: Perspectives,
        synthesis: Synthesis,
    ) -> None:
        self._publish = engine.events.publish
        self._advisors = advisors
        self._session_id = session_id
        self._found = found
        self._synthesis = synthesis
        self._presented = Presented(synthesis.title, synthesis.text, synthesis.tasks, found)
        # The plan has no name before the first of its tasks is planned.
        self._board = _laid_out(TaskBoard(new_plan_id(), engine.clock), synthesis.tasks)
        self._briefed: list[PlanningSession] = []
        self._turns: list[Turn] = []
        self._nobody: TandemError | None = None
        """Why there was no agent for a task."""

    async def plan(self, slot: OpenSession, take_turn: TakeTurn, is_stopped: Callable[[], bool]) -> Turn:
        """Plan every task that can be; the last revision, and what first went wrong.

        Raises:
            TandemError: there is no agent for any of them.
        """

        async def planned(task: TrackedTask) -> str:
            if is_stopped():
                raise UserAbortError(f"Stopped before {task.id} was planned.")
            turn = await self._turn(task, slot, take_turn)
            self._turns.append(turn)
            if problem := problem_of(turn.stop_reason, turn.failure):
                raise NoAnswerError(problem)
            return turn.said

        await TaskRunner(self._board, planned, at_once=1).run()
        if self._briefed:
            # What is said from now on is about the whole plan again.
            self._briefed[-1].brief(self._presented)
        if self._turns:
            return self._ended()
        if self._nobody is not None:
            raise self._nobody
        return Turn(None, "", StopReason.CANCELLED)

    async def _turn(self, task: TrackedTask, slot: OpenSession, take_turn: TakeTurn) -> Turn:
        advisor = self._advisors.of(task.agent)
        try:
            session = await slot(advisor)
        except TandemError as error:
            self._nobody = self._nobody or error
            raise
        session.brief(replace(self._presented, task=task.id, unfinished=self._unfinished(task)))
        if not any(session is other for other in self._briefed):
            self._briefed.append(session)
            session.tell(_briefing(self._found, self._synthesis, self._board.get_tasks_by_agent(task.agent)))
        session.tell(_delegation(task))
        self._publish(_delegated(self._session_id, task, advisor))
        return await take_turn(session)

    def _unfinished(self, now: TrackedTask) -> str:
        done = self._board.get_tasks_by_status(TaskStatus.COMPLETED)
        left = [task.id for task in self._synthesis.tasks if task.id not in {now.id, *(each.id for each in done)}]
        return f"Still to be planned: {', '.join(left)}." if left else ""

    def _ended(self) -> Turn:
        last = self._turns[-1]
        if self._board.are_all_tasks_completed():
            return last
        version = next((turn.version for turn in reversed(self._turns) if turn.version is not None), None)
        bad = next((turn for turn in self._turns if problem_of(turn.stop_reason, turn.failure)), None)
        if bad is not None or self._nobody is None:
            return replace(bad or last, version=version)
        return Turn(version, last.said, None, SidecarError(self._nobody.message, next=self._nobody.next))


def _laid_out(board: TaskBoard, tasks: Iterable[PlanTask]) -> TaskBoard:
    """Every task first, then who waits for whom: a task may be named before the one it waits for."""
    tasks = tuple(tasks)
    for task in tasks:
        board.create_task(task.model_copy(update={"blocked_by": ()}))
    for task in tasks:
        for other in task.blocked_by:
            board.add_task_dependency(task.id, other)
    return board


def _delegated(session_id: SessionId, task: PlanTask, advisor: Advisor) -> TaskDelegated:
    return TaskDelegated(
        session_id=session_id, task_id=task.id, subject=task.subject, agent=task.agent, spoken_by=advisor.profile.title
    )


def _briefing(found: Perspectives, synthesis: Synthesis, own: tuple[TrackedTask, ...]) -> str:
    return (
        f"A person asked for this:\n\n{found.task}\n\nThree advisors have looked at it:\n\n{all_as_text(found)}\n\n"
        f"They made this plan of it:\n\n# {synthesis.title}\n\n{synthesis.text}\n\n"
        f"Yours: {', '.join(task.id for task in own)}. You are given one task at a time. Make its changes in your copy "
        "of the workspace, and nothing that belongs to another task; then end your turn. The whole is reviewed by the "
        "person before anything is written."
    )


def _delegation(task: PlanTask) -> str:
    after = f"\n\nIt comes after {', '.join(task.blocked_by)}." if task.blocked_by else ""
    return f"Your task now: {task.id}, {task.subject}\n\n{task.description}{after}".strip()


SYNTHESIS = "synthesis"


class PerspectivePlanning:
    """Takes one task from the first look to a plan that waits for approval."""

    def __init__(
        self,
        engine: Engine,
        advisor: AdvisorPort,
        advisors: Advisors,
        open_session: OpenSession,
    ) -> None:
        self._engine = engine
        self._publish = engine.events.publish
        self._advisor = advisor
        self._advisors = advisors
        self._open_session = open_session
        self._asking: asyncio.Task[tuple[Synthesis | None, Perspectives]] | None = None
        self._session: PlanningSession | None = None
        self._stopped = False

    async def run_plan_mode(self, session_id: SessionId, task: str, qualification: Qualification) -> Turn:
        """Plan a task. Publishes one turn, however many agents take part.

        Raises:
            TandemError: the agent of the session cannot be started at all.
        """
        self._publish(TurnStarted(session_id=session_id, text=task))
        turn, problem = _NOTHING, ""
        details: tuple[str, ...] = ()
        try:
            turn = await self._run(TaskToPlan(session_id, task, qualification))
            problem, details = problem_of(turn.stop_reason, turn.failure), stderr_tail(turn.failure)
        except TandemError as error:
            problem, details = error.message, (error.next,)
            raise
        finally:
            plan_id = turn.version.plan_id if turn.version else None
            self._publish(
                TurnEnded(
                    session_id=session_id,
                    stop_reason=turn.stop_reason,
                    problem=problem,
                    details=details,
                    plan_id=plan_id,
                )
            )
        return turn

    async def stop(self, grace_s: float) -> None:
        """Stop the running agents; what was planned so far stays, marked unfinished."""
        self._stopped = True
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})  # until every agent that was asked is gone
        if self._session is not None:
            await self._session.end_turn(grace_s)

    async def _run(self, about: TaskToPlan) -> Turn:
        started = PlanningStarted(
            session_id=about.session_id, task=about.task, qualification=about.qualification.summary
        )
        self._publish(started)
        self._asking = asyncio.ensure_future(self._asked_together(about))
        try:
            synthesis, found = await self._asking
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            return _NOTHING
        finally:
            self._asking.cancel()
            self._asking = None
        if synthesis is None:
            turn = await self._planned_whole(found)
        else:
            delegation = Delegation(self._engine, self._advisors, about.session_id, found, synthesis)
            turn = await delegation.plan(self._seated, self._turn, lambda: self._stopped)
        if turn.version is not None and not turn.version.incomplete:
            await asyncio.to_thread(self._tell_ready, turn.version)
        return turn

    def _tell_ready(self, version: PlanVersion) -> None:
        meta = self._engine.plans.meta(version.plan_id)
        plan = AdvisedPlan.of(version, meta, self._engine.tasks(version))
        session_id, plan_id, revision = version.session_id, version.plan_id, version.revision
        self._publish(PlanReady(session_id=session_id, plan_id=plan_id, revision=revision, plan=plan))
        self._publish(PlanApprovalRequested(session_id=session_id, plan_id=plan_id, revision=revision, plan=plan))

    async def _asked_together(self, about: TaskToPlan) -> tuple[Synthesis | None, Perspectives]:
        async with self._advisor.together():
            return await self._advised(about)

    async def _advised(self, about: TaskToPlan) -> tuple[Synthesis | None, Perspectives]:
        found = await Gathering(self._advisor, self._publish, self._engine.clock).gather(about)
        session_id = about.session_id
        if not found.voices:
            return None, found.without(SYNTHESIS, "No advisor gave an answer.")
        self._publish(SynthesisStarted(session_id=session_id))
        try:
            synthesis, found = await synthesize(self._advisor, found, session_id)
        except TandemError as error:
            self._publish(SynthesisEnded(session_id=session_id, problem=error.message))
            return None, found.without(SYNTHESIS, error.message, error.next)
        subjects = tuple(f"{each.id} {each.subject}" for each in synthesis.tasks)
        self._publish(SynthesisEnded(session_id=session_id, tasks=subjects))
        return synthesis, found

    async def _planned_whole(self, found: Perspectives) -> Turn:
        """Without tasks the session's agent plans the task as it would alone, knowing what was said."""
        session = await self._seated(self._advisors.session_advisor)
        session.brief(Presented(title=title_of(found.task), perspectives=found))
        if found.voices:
            session.tell(f"Before this task was given to you, others looked at it:\n\n{all_as_text(found)}")
        session.tell(f"The task:\n\n{found.task}")
        return await self._turn(session)

    async def _seated(self, advisor: Advisor) -> PlanningSession:
        self._session = await self._open_session(advisor)
        return self._session

    async def _turn(self, session: PlanningSession) -> Turn:
        if self._stopped:
            session.stop_next_turn()
        return await session.plan("", announced=False)


_NOTHING = Turn(None, "", StopReason.CANCELLED)


class DelegatedPlanning:
    """Has one plan made by an advisor. Its session has no agent until a later turn."""

    def __init__(self, generator: PlanGenerator, events: EventStream) -> None:
        self._generator = generator
        self._events = events
        self._asking: asyncio.Task[PlanVersion] | None = None
        self._stopped = False

    async def plan(self, session_id: SessionId, task: str) -> Turn:
        """The plan that was proposed; where the planner handed in nothing usable, a basic one and why."""

        def on_update(update: AgentUpdate) -> None:
            self._events.publish(AgentUpdated(session_id=session_id, update=update))

        self._asking = asyncio.ensure_future(self._generator.generate(task, session_id=session_id, on_update=on_update))
        try:
            version = await self._asking
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            return Turn(None, "", StopReason.CANCELLED)
        finally:
            self._asking.cancel()
        failure = NoAnswerError(version.incomplete, next="Choose another planner.") if version.incomplete else None
        return Turn(version, "", None if failure else StopReason.END_TURN, failure)

    async def stop(self, grace_s: float) -> None:
        """End the planner; it has proposed nothing yet."""
        self._stopped = True
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})  # until the agent is gone
