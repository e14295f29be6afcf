"""Give each task of a plan to the agent it is assigned to, in an order the dependencies allow, in one session."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from tandem_desktop.domain.agents import StopReason
from tandem_desktop.domain.errors import NoAnswerError, SidecarError, TandemError, UserAbortError
from tandem_desktop.domain.ids import SessionId, new_plan_id
from tandem_desktop.domain.perspectives import Perspectives
from tandem_desktop.domain.tasks import PlanTask, TaskStatus, TrackedTask
from tandem_desktop.events.perspective_events import TaskDelegated
from tandem_desktop.orchestration.drafting import Presented
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.minds import Mind, Minds
from tandem_desktop.orchestration.planning_session import PlanningSession
from tandem_desktop.orchestration.turn import Turn, problem_of
from tandem_desktop.perspectives.synthesis import Synthesis
from tandem_desktop.perspectives.wording import all_as_text
from tandem_desktop.tasks.task_board import TaskBoard
from tandem_desktop.tasks.task_runner import TaskRunner

Seat = Callable[[Mind], Awaitable[PlanningSession]]
TakeTurn = Callable[[PlanningSession], Awaitable[Turn]]


class Delegation:
    """One task after the other: they share a shadow. What waits for a task that could not be planned is left out."""

    def __init__(
        self,
        engine: Engine,
        minds: Minds,
        session_id: SessionId,
        found: Perspectives,
        synthesis: Synthesis,
    ) -> None:
        self._publish = engine.events.publish
        self._minds = minds
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

    async def plan(self, seat: Seat, take_turn: TakeTurn, is_stopped: Callable[[], bool]) -> Turn:
        """Plan every task that can be; the last revision, and what first went wrong.

        Raises:
            TandemError: there is no agent for any of them.
        """

        async def planned(task: TrackedTask) -> str:
            if is_stopped():
                raise UserAbortError(f"Stopped before {task.id} was planned.")
            turn = await self._turn(task, seat, take_turn)
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

    async def _turn(self, task: TrackedTask, seat: Seat, take_turn: TakeTurn) -> Turn:
        mind = self._minds.of(task.agent)
        try:
            session = await seat(mind)
        except TandemError as error:
            self._nobody = self._nobody or error
            raise
        session.brief(replace(self._presented, task=task.id, unfinished=self._unfinished(task)))
        if not any(session is other for other in self._briefed):
            self._briefed.append(session)
            session.tell(_briefing(self._found, self._synthesis, self._board.get_tasks_by_agent(task.agent)))
        session.tell(_delegation(task))
        self._publish(_delegated(self._session_id, task, mind))
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


def _delegated(session_id: SessionId, task: PlanTask, mind: Mind) -> TaskDelegated:
    return TaskDelegated(
        session_id=session_id, task_id=task.id, subject=task.subject, agent=task.agent, spoken_by=mind.profile.title
    )


def _briefing(found: Perspectives, synthesis: Synthesis, own: tuple[TrackedTask, ...]) -> str:
    return (
        f"A person asked for this:\n\n{found.task}\n\nThree minds have looked at it:\n\n{all_as_text(found)}\n\n"
        f"They made this plan of it:\n\n# {synthesis.title}\n\n{synthesis.text}\n\n"
        f"Yours: {', '.join(task.id for task in own)}. You are given one task at a time. Make its changes in your copy "
        "of the workspace, and nothing that belongs to another task; then end your turn. The whole is reviewed by the "
        "person before anything is written."
    )


def _delegation(task: PlanTask) -> str:
    after = f"\n\nIt comes after {', '.join(task.blocked_by)}." if task.blocked_by else ""
    return f"Your task now: {task.id}, {task.subject}\n\n{task.description}{after}".strip()
