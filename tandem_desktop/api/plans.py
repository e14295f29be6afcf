"""Plan requests and plan queries of the API."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tandem_desktop.acp_client.profiles import BUILT_IN, profile_named
from tandem_desktop.advisors.perspective_planning import PerspectivePlanning
from tandem_desktop.api import schema
from tandem_desktop.api.events import Follower, told
from tandem_desktop.api.schema import (
    AnswerRequest,
    PlanRequest,
    QualificationObject,
    QuestionObject,
    QuestionsAnswer,
    RequestRefusedError,
    error_line,
)
from tandem_desktop.domain.advice import Qualification
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import (
    BadInputError,
    BusyError,
    PlanNotFoundError,
    RunNotFoundError,
    SidecarError,
    UserAbortError,
)
from tandem_desktop.domain.events import TandemEvent, TurnEnded
from tandem_desktop.domain.ids import SESSION_ID, OperationId, PlanId, RequestId, SessionId, new_session_id
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_steps import AdvisedPlan
from tandem_desktop.domain.questions import QuestionAction
from tandem_desktop.domain.tasks import TrackedTask
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.review.attention import attention
from tandem_desktop.review.operation_view import MOST_COMPARED_BYTES, OperationView
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.sessions.advisors import Advisors
from tandem_desktop.sessions.manager import AgentSessions, Person, profile_of
from tandem_desktop.sessions.questions import AgentQuestions
from tandem_desktop.sessions.record import SessionRecord
from tandem_desktop.sessions.turn import Turn
from tandem_desktop.storage.errors import as_refusal
from tandem_desktop.tasks.board import TaskBoard


class PlanQueries:
    """Answers from the store, never from memory. Every call reads files: not for the event loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def plan_of(self, session_id: str) -> PlanId:
        """The plan a session works on, or worked on last.

        Raises:
            PlanNotFoundError: there is no such session, or it has no plan.
        """
        plan_id = self._engine.plans.plan_of(SessionId(session_id))
        if plan_id is None:
            raise _no_plan(session_id)
        return plan_id

    def plan(self, session_id: str) -> schema.PlanAnswer:
        plan_id = self.plan_of(session_id)
        version, board = self._version(plan_id)
        return schema.PlanAnswer(plan=self._plan(version, board), progress=progress(board))

    def revisions(self, session_id: str) -> schema.RevisionsAnswer:
        """Every revision of the plan of a session, oldest first.

        Raises:
            PlanNotFoundError: there is no such session, or it has no plan.
        """
        found = self._engine.plans.get_revisions(SessionId(session_id))
        if not found:
            raise _no_plan(session_id)
        return schema.RevisionsAnswer(revisions=tuple(map(self._revision, found)))

    def revision(self, session_id: str, number: str) -> schema.RevisionAnswer:
        """One revision of the plan of a session.

        Raises:
            PlanNotFoundError: there is no such session, or no such revision of its plan.
        """
        is_number = number.isascii() and number.isdigit() and len(number) < 10
        found = self._engine.plans.get_revision(SessionId(session_id), int(number)) if is_number else None
        if found is None:
            raise PlanNotFoundError(
                f"There is no revision {number[:80]!r} of a plan of the session {session_id[:80]!r} here.",
                next=f"See them with: GET /chat/agents/{session_id[:80]}/plan/revisions",
            )
        return schema.RevisionAnswer(revision=self._revision(found))

    def tasks(self, session_id: str) -> schema.TasksAnswer:
        """In the order they can be done."""
        _, board = self._version(self.plan_of(session_id))
        return schema.TasksAnswer(tasks=tasks(board), progress=progress(board))

    def tracked(self, plan_id: PlanId) -> tuple[TrackedTask, ...]:
        """The tasks of a plan as they stand, in the order they can be done."""
        return self._version(plan_id)[1].get_tasks_in_order()

    def plans(self) -> schema.PlansAnswer:
        listing = self._engine.listing()
        return schema.PlansAnswer(
            plans=tuple(schema.ListedPlanObject.model_validate(each) for each in listing.plans),
            damaged=tuple(schema.DamagedPlanObject.model_validate(each) for each in listing.damaged),
        )

    def history(self, session_id: str) -> schema.PlansAnswer:
        """Every plan of a session, newest first; raises as `plan_of` does."""
        self.plan_of(session_id)
        ours = set(self._engine.plans.plans_of(SessionId(session_id)))
        plans = (each for each in self._engine.listing().plans if each.plan_id in ours)
        return schema.PlansAnswer(plans=tuple(map(schema.ListedPlanObject.model_validate, plans)), damaged=())

    def runs(self) -> schema.RunsAnswer:
        return schema.RunsAnswer(runs=tuple(_run(each) for each in self._engine.runs.runs()))

    def run(self, run_id: str) -> schema.RunAnswer:
        """One run with its results.

        Raises:
            RunNotFoundError: there is none of this id.
        """
        found = next((each for each in self._engine.runs.runs() if each.record.run_id == run_id), None)
        if found is None:
            raise RunNotFoundError(f"There is no run {run_id[:80]!r} here.", next="See them with: GET /runs")
        results = self._engine.runs.results_of(found.record.run_id)
        return schema.RunAnswer(
            run=_run(found), results=tuple(schema.ResultObject.model_validate(each) for each in results)
        )

    def _version(self, plan_id: PlanId) -> tuple[PlanVersion, TaskBoard]:
        version = self._engine.plans.revision(plan_id)
        return version, self._engine.boards.board(version)

    def _operations(self, version: PlanVersion) -> tuple[schema.OperationObject, ...]:
        beside = self._engine.beside(version)
        views = self._engine.views(version, MOST_COMPARED_BYTES)
        return tuple(_operation(view, beside.get(view.operation.id, ())) for view in views)

    def _attention(self, version: PlanVersion) -> tuple[schema.AttentionObject, ...]:
        return tuple(
            schema.AttentionObject(
                flags=tuple(flag.value for flag in group.flags),
                kind=group.kind,
                operations=tuple(view.operation.id for view in group.views),
            )
            for group in attention(self._engine.views(version, MOST_COMPARED_BYTES))
        )

    def _revision(self, version: PlanVersion) -> schema.RevisionObject:
        return schema.RevisionObject(
            id=version.id,
            plan_id=version.plan_id,
            revision=version.revision,
            parent_revision=version.parent_revision,
            origin=version.origin,
            title=version.title,
            summary=version.content,
            operations=self._operations(version),
            created_at=version.created_at,
            digest=ApprovalHash.of(version).combined_hash,
        )

    def _plan(self, version: PlanVersion, board: TaskBoard) -> schema.PlanObject:
        meta = self._engine.meta(version.plan_id)
        advised = AdvisedPlan.of(version, meta)
        chapo, koda, devo = advised.chapo_perspective, advised.koda_perspective, advised.devo_perspective
        return schema.PlanObject(
            plan_id=version.plan_id,
            session_id=version.session_id,
            status=meta.status,
            phase=advised.phase,
            chapo_perspective=chapo and schema.ChapoObject.model_validate(chapo),
            koda_perspective=koda and schema.KodaObject.model_validate(koda),
            devo_perspective=devo and schema.DevoObject.model_validate(devo),
            estimated_duration=advised.estimated_duration,
            overall_risk=advised.overall_risk,
            title=version.title,
            summary=version.content,
            revision=version.revision,
            digest=ApprovalHash.of(version).combined_hash,
            operations=self._operations(version),
            attention=self._attention(version),
            tasks=tasks(board),
            warnings=version.warnings,
            network=version.network,
            changed_on_disk=version.changed_on_disk,
            incomplete=version.incomplete,
            drifted=version.drifted,
            ran=tuple(schema.RanCommandObject.model_validate(each) for each in version.ran),
            ignored=schema.IgnoredObject.model_validate(version.ignored) if version.ignored else schema.IgnoredObject(),
            planner_model=meta.planner_model,
            executor_model=meta.executor_model,
            run_id=meta.execution_session,
            approved_at=advised.approved_at,
            rejected_at=advised.rejected_at,
            rejection_reason=advised.rejection_reason,
            created_at=version.created_at,
            updated_at=meta.updated_at,
        )


def _no_plan(session_id: str) -> PlanNotFoundError:
    return PlanNotFoundError(
        f"There is no plan of the session {session_id[:80]!r} here.", next="See the plans with: GET /plans"
    )


def tasks(board: TaskBoard) -> tuple[schema.TaskObject, ...]:
    return tuple(schema.TaskObject.model_validate(task) for task in board.get_tasks_in_order())


def progress(board: TaskBoard) -> schema.ProgressObject:
    return schema.ProgressObject.model_validate(board.get_task_progress())


def _operation(view: OperationView, beside: tuple[OperationId, ...]) -> schema.OperationObject:
    staged = view.operation
    return schema.OperationObject(
        id=staged.id,
        kind=staged.kind,
        path=staged.path,
        to=staged.to,
        command=staged.command,
        added=view.added,
        removed=view.removed,
        flags=tuple(flag.value for flag in view.flags),
        why={flag.value: view.why(flag) for flag in view.flags},
        notes=view.notes,
        must_be_opened=view.must_be_opened,
        description=staged.description,
        task=staged.task,
        blocked_by=staged.blocked_by,
        beside=beside,
    )


def _run(found: ListedRun) -> schema.RunObject:
    record = found.record
    return schema.RunObject(
        run_id=record.run_id,
        plan_id=record.plan_id,
        revision=record.revision,
        kind=record.kind,
        of=record.of,
        status=found.status,
        rolled_back=record.rolled_back,
        started_at=record.started_at,
        ended_at=record.ended_at,
        undoable=found.undoable,
        summary=record.summary,
    )


MOST_AT_ONCE = 2
"""Each starts an agent, or several."""
_GRACE_S = 3.0
_LAST_EVENTS_S = 5.0
QUESTION_S = 600.0
"""How long a question of an agent waits for a program to answer it; then it is declined, and the plan names it."""
_LONGEST_NAME = 200

End = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be planned, by whom, and whether others look at it first."""

    session_id: SessionId
    is_new: bool
    words: str
    profile: AgentProfile
    qualification: Qualification
    perspectives: bool


class Planning:
    """Plans as `tandem run` does. Planning continues if the client disconnects. Lives on the event loop."""

    def __init__(self, engine: Engine, reading: PlanQueries) -> None:
        self._engine = engine
        self._reading = reading
        self._under_way: dict[SessionId, asyncio.Task[Turn]] = {}
        self._ends: dict[SessionId, End] = {}
        self._sessions: dict[SessionId, AgentSessions] = {}
        self._is_stopping = False

    async def plan(self, asked: PlanRequest) -> AsyncIterator[dict[str, Any]]:
        """Begin; the answer tells how it goes on, and last what came of it.

        Raises:
            TandemError: it cannot be begun so; nothing was started.
        """
        if self._is_stopping:
            raise RequestRefusedError(503, "The server is about to end.", next="Start it again with: tandem serve")
        task = await asyncio.to_thread(self._looked_at, asked)
        if task.session_id in self._under_way:
            raise BusyError(f"{task.session_id} is planning already.", next="Wait for the end of its turn.")
        if len(self._under_way) >= MOST_AT_ONCE:
            raise RequestRefusedError(429, f"{MOST_AT_ONCE} tasks are planned already.", next="Wait for one of them.")
        follower = Follower(self._engine.events)
        unsubscribe = self._engine.events.subscribe(_closing(follower, task.session_id))

        def close() -> None:
            unsubscribe()
            follower.close()

        work = self._under_way[task.session_id] = asyncio.ensure_future(self._planned(task))
        work.add_done_callback(lambda ended: self._rest(task.session_id, ended, close))
        return self._told_while(work, follower, task)

    def questions(self, session_id: SessionId) -> QuestionsAnswer:
        """The questions of a session's agent that wait for an answer; none where no agent works.

        Raises:
            RequestRefusedError: it is not the id of a session.
        """
        if not SESSION_ID.fullmatch(session_id):
            raise RequestRefusedError(404, f"There is no session {session_id[:60]!r}.", next="Name a session: SES-…")
        asked = self._asked(session_id)
        found = asked.open if asked is not None else ()
        return QuestionsAnswer(questions=tuple(map(QuestionObject.model_validate, found)))

    def answer(self, given: AnswerRequest) -> QuestionsAnswer:
        """Answer or decline a question; what is open then.

        Raises:
            RequestRefusedError: there is no such question, or not any more.
            BadInputError: the values are not what the agent asks for.
        """
        session_id = SessionId(given.session_id)
        asked = self._asked(session_id)
        action = QuestionAction(given.action)
        if asked is None or not asked.answer(RequestId(given.question_id), action, given.content):
            raise RequestRefusedError(
                404,
                "That question does not wait for an answer.",
                next=f"See what is open: GET /chat/agents/{session_id}/questions",
            )
        left = self.questions(session_id).questions
        return QuestionsAnswer(questions=tuple(each for each in left if each.question_id != given.question_id))

    def _asked(self, session_id: SessionId) -> AgentQuestions | None:
        sessions = self._sessions.get(session_id)
        session = sessions.find(session_id) if sessions is not None else None
        return session.interceptor.questions if session is not None else None

    async def stop(self) -> None:
        """Take no more on and end every agent; what was planned until then stays, marked unfinished."""
        self._is_stopping = True
        await asyncio.gather(*(end(_GRACE_S) for end in tuple(self._ends.values())), return_exceptions=True)
        left = tuple(self._under_way.values())
        if left:
            _, late = await asyncio.wait(left, timeout=2 * _GRACE_S)
            for work in late:
                work.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def _looked_at(self, asked: PlanRequest) -> _Task:
        engine = self._engine
        profile = self._agent_for(asked)
        if not asked.task.strip():
            raise BadInputError("The task is empty.", next='Say what to do in "task".')
        found = qualify(asked.task, self._is_here)
        by_settings = engine.settings.perspectives and found.plan_required
        return _Task(
            session_id=SessionId(asked.session_id) if asked.session_id is not None else new_session_id(),
            is_new=asked.session_id is None,
            words=asked.task,
            profile=profile,
            qualification=found,
            perspectives=by_settings if asked.perspectives is None else asked.perspectives,
        )

    def _agent_for(self, asked: PlanRequest) -> AgentProfile:
        """The agent that was named, or that of the session that goes on, or that of the settings."""
        if asked.agent is None and asked.session_id is not None and SESSION_ID.fullmatch(asked.session_id):
            record = SessionRecord(self._engine.locations.sessions / asked.session_id)
            if record.exists():
                return profile_of(record.load())
        return profile_named(asked.agent or self._engine.settings.agent or BUILT_IN)

    def _is_here(self, name: str) -> bool:
        return ".." not in name and len(name) < _LONGEST_NAME and (self._engine.locations.workspace / name).exists()

    async def _planned(self, task: _Task) -> Turn:
        engine = self._engine
        person = Person(is_there=True, patience_s=QUESTION_S)
        sessions = self._sessions[task.session_id] = AgentSessions(engine, engine.settings, engine.clock, person=person)
        try:
            if task.perspectives:
                if not task.is_new:
                    sessions.facts(task.session_id)
                advisors = Advisors(engine.settings.advisors, task.profile)
                slot = sessions.slot(task.session_id)
                planning = PerspectivePlanning(engine, sessions.advisor(advisors), advisors, slot.take)
                self._ends[task.session_id] = planning.stop
                return await planning.run_plan_mode(task.session_id, task.words, task.qualification)
            session = await sessions.open(task.profile, session_id=task.session_id, new=task.is_new)
            self._ends[task.session_id] = session.end_turn
            return await session.plan(task.words)
        finally:
            await sessions.close()

    async def _told_while(
        self, work: "asyncio.Task[Turn]", follower: Follower, task: _Task
    ) -> AsyncIterator[dict[str, Any]]:
        look = QualificationObject.model_validate(task.qualification).as_json()
        yield {"type": "qualification", "sessionId": task.session_id, "perspectives": task.perspectives, **look}
        while (event := await follower.next()) is not None:
            if await asyncio.to_thread(self._concerns, event, task.session_id):
                for line in told(event):
                    yield line
        try:
            turn = await asyncio.shield(work)
        except asyncio.CancelledError:
            if not work.cancelled():
                raise  # the client disconnected
            stopped = UserAbortError("Planning was stopped.", next="Give the task again.")
            yield {"type": "error", **error_line(stopped)}
            return
        except Exception as error:
            yield {"type": "error", **error_line(as_refusal(error))}
            return
        if turn.version is None or turn.failure is not None:
            yield {"type": "error", **error_line(turn.failure or _nothing(turn))}
            return
        answer = await asyncio.to_thread(self._reading.plan, task.session_id)
        yield {"type": "plan_result", **answer.as_json()}

    def _concerns(self, event: TandemEvent, session_id: SessionId) -> bool:
        if getattr(event, "session_id", None) == session_id:
            return True
        plan_id = getattr(event, "plan_id", None)
        return plan_id is not None and self._engine.plans.plan_of(session_id) == plan_id

    def _rest(self, session_id: SessionId, ended: "asyncio.Task[Turn]", close: Callable[[], None]) -> None:
        """The turn is over. Its last events may still be on their way from another thread; the very last closes."""
        del self._under_way[session_id]
        self._ends.pop(session_id, None)
        self._sessions.pop(session_id, None)
        patience_s = 0.0 if ended.cancelled() or ended.exception() is not None else _LAST_EVENTS_S
        asyncio.get_running_loop().call_later(patience_s, close)


def _closing(follower: Follower, session_id: SessionId) -> Callable[[TandemEvent], None]:
    """Close the follower with the end of the turn: all that was told before has reached it by then."""
    loop = asyncio.get_running_loop()

    def receive(event: TandemEvent) -> None:
        if isinstance(event, TurnEnded) and event.session_id == session_id:
            loop.call_soon_threadsafe(follower.close)

    return receive


def _nothing(turn: Turn) -> SidecarError | UserAbortError:
    if turn.stop_reason is not None and turn.stop_reason.value == "cancelled":
        return UserAbortError("Planning was stopped; there is no plan yet.", next="Give the task again.")
    if turn.left_out:
        return SidecarError(
            f"The agent left nothing that can be part of a plan, and presented none. {' '.join(turn.left_out[:3])}",
            next="Give the task in other words; the event turn_ended names all of it.",
        )
    return SidecarError(
        "The agent ended its turn without changing anything or presenting a plan.",
        next="Give the task in other words.",
    )
