"""Approval requests of the API."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tandem_desktop.advisors.orchestrator import ExecutionEvents
from tandem_desktop.api.events import Follower, told
from tandem_desktop.api.plans import PlanQueries
from tandem_desktop.api.schema import ApprovalRequest, RequestRefusedError, error_line
from tandem_desktop.domain.errors import BadInputError, NotApprovableError, PlanNotFoundError
from tandem_desktop.domain.events import (
    CommandPrinted,
    RunFinished,
    RunStarted,
    TandemEvent,
    TaskCompleted,
    TaskFailed,
    TasksListed,
    TaskStarted,
    TaskUpdated,
    task_news,
)
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.review import LockFileReview
from tandem_desktop.domain.runs import FailurePolicy, RunResult
from tandem_desktop.domain.tasks import TaskStatus
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.services.engine import Engine
from tandem_desktop.storage.errors import as_refusal

_LAST_EVENTS_S = 5.0
_STANDING = {
    "task_started": TaskStatus.IN_PROGRESS,
    "task_completed": TaskStatus.COMPLETED,
    "task_failed": TaskStatus.FAILED,
}


class Approvals:
    """Approve and run, or send back. A run continues if the client disconnects."""

    def __init__(
        self, engine: Engine, reading: PlanQueries, is_orchestrated: Callable[[PlanId], bool] = lambda plan_id: False
    ) -> None:
        self._engine = engine
        self._reading = reading
        self._is_orchestrated = is_orchestrated
        self._edit_executor = ThreadPoolExecutor(thread_name_prefix="run")
        self._under_way: set[RunControl] = set()
        self._is_stopping = False

    async def decide(self, asked: ApprovalRequest) -> AsyncIterator[dict[str, Any]]:
        """Make the decision durable; the answer tells what follows from it.

        Raises:
            TandemError: it cannot be decided so; nothing has changed.
        """
        if self._is_stopping:
            raise RequestRefusedError(503, "The server is about to end.", next="Start it again with: tandem serve")
        plan_id = await asyncio.to_thread(self._named, asked)
        if not asked.approved:
            return await self._heard(lambda: self._send_back(plan_id, asked.reason), plan_id)
        if not asked.digest:
            raise BadInputError(
                "An approval needs the digest of what was looked at.",
                next=f'Read it with: GET /chat/agents/{asked.session_id}/plan, then send it as "digest".',
            )
        digest = asked.digest
        follower = Follower(self._engine.events)
        try:
            await asyncio.to_thread(self._approve, plan_id, digest, asked)
        except BaseException:
            follower.close()
            raise
        control = RunControl()
        self._under_way.add(control)
        policy = asked.on_failure or FailurePolicy(self._engine.settings.on_failure)
        run = asyncio.get_running_loop().run_in_executor(
            self._edit_executor, lambda: self._apply(plan_id, policy, control)
        )
        run.add_done_callback(lambda ended: self._forget(control, ended, follower))
        return self._told_while(run, follower, plan_id)

    def stop(self) -> None:
        """Accept no more, stop the run before its next operation, and wait for it."""
        self._is_stopping = True
        for control in tuple(self._under_way):
            control.abort()
        self._edit_executor.shutdown(wait=True)

    def _apply(self, plan_id: PlanId, policy: FailurePolicy, control: RunControl) -> RunResult:
        """Run an approved plan and announce its execution step by step, as an orchestration does."""
        engine = self._engine
        if self._is_orchestrated(plan_id):  # which announces the steps itself
            return engine.runs.apply(plan_id, policy, control)
        story = ExecutionEvents(engine.events, plan_id)
        story.begin(engine.plans.revision(plan_id))
        try:
            ended = engine.runs.apply(plan_id, policy, control)
            story.wait()
            return ended
        finally:
            story.end(engine.plans.meta(plan_id).status, engine.reflections.cycles(plan_id))

    def _named(self, asked: ApprovalRequest) -> PlanId:
        plan_id = self._reading.plan_of(asked.session_id)
        if plan_id != asked.plan_id:
            raise PlanNotFoundError(
                f"{asked.plan_id} is not the plan of this session; {plan_id} is.",
                next=f"Look at it with: GET /chat/agents/{asked.session_id}/plan",
            )
        return plan_id

    def _approve(self, plan_id: PlanId, digest: str, asked: ApprovalRequest) -> None:
        drafts = self._engine.commenting.comments(plan_id).drafts
        if drafts and not asked.comments_as_notes:
            raise NotApprovableError(
                f"{plan_id} has comments that were not sent yet.",
                next='Send the plan back with "approved": false, or approve it with "commentsAsNotes": true.',
            )
        lock_files = LockFileReview(opened=asked.opened_lock_files, skipped=asked.skipped_lock_files)
        self._engine.decisions.approve(plan_id, digest, lock_files=lock_files, notes=asked.reason, drafts=drafts)

    def _send_back(self, plan_id: PlanId, reason: str) -> None:
        self._engine.decisions.reject(plan_id, reason if reason.strip() else None)

    async def _heard(self, decide: Callable[[], None], plan_id: PlanId) -> AsyncIterator[dict[str, Any]]:
        follower = Follower(self._engine.events)
        try:
            await asyncio.to_thread(decide)
        finally:
            follower.close()
        return _drained(follower, plan_id, {})

    async def _told_while(
        self, run: "asyncio.Future[RunResult]", follower: Follower, plan_id: PlanId
    ) -> AsyncIterator[dict[str, Any]]:
        standing: dict[str, TaskStatus] = {}
        async for line in _drained(follower, plan_id, standing):
            yield line
        try:
            ended = await asyncio.shield(run)
        except Exception as error:  # the decision stands; that it could not be carried out is told in its place
            yield {"type": "error", **error_line(as_refusal(error))}
            return
        tasks = await asyncio.to_thread(self._reading.tracked, plan_id)
        moved = (task for task in tasks if task.status is not standing.get(task.id, TaskStatus.PENDING))
        for event in (*map(task_news, moved), TasksListed(plan_id=plan_id, tasks=tasks)):
            for line in told(event):
                yield line
        answer = await asyncio.to_thread(self._reading.run, ended.record.run_id)
        yield {"type": "run_result", **answer.as_json()}

    def _forget(self, control: RunControl, ended: "asyncio.Future[RunResult]", follower: Follower) -> None:
        """The run is over. Its last events may still be on their way from another thread."""
        self._under_way.discard(control)
        if ended.cancelled() or ended.exception() is not None:
            follower.close()
        else:
            asyncio.get_running_loop().call_later(_LAST_EVENTS_S, follower.close)


async def _drained(
    follower: Follower, plan_id: PlanId, standing: dict[str, TaskStatus]
) -> AsyncIterator[dict[str, Any]]:
    """What concerns one plan, until its run has finished or the follower is closed; `standing` keeps its tasks."""
    ours: set[RunId] = set()
    while (event := await follower.next()) is not None:
        if _concerns(event, plan_id, ours):
            standing |= _standing_after(event)
            for line in told(event):
                yield line
        if isinstance(event, RunFinished) and event.run_id in ours:
            follower.close()
            return


def _standing_after(event: TandemEvent) -> dict[str, TaskStatus]:
    """The status of a task after an event."""
    match event:
        case TaskUpdated():
            return {event.task_id: event.status}
        case TaskStarted() | TaskCompleted() | TaskFailed():
            return {event.task_id: _STANDING[event.type]}
    return {}


def _concerns(event: TandemEvent, plan_id: PlanId, ours: set[RunId]) -> bool:
    """One run at a time is under way here, so what a command prints while ours is under way is ours."""
    if isinstance(event, RunStarted) and event.plan_id == plan_id:
        ours.add(event.run_id)
    if getattr(event, "plan_id", None) == plan_id or getattr(event, "run_id", None) in ours:
        return True
    return isinstance(event, CommandPrinted) and bool(ours)
