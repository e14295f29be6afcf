"""Keep plans, runs and the audit in step with a run that has ended."""

import contextlib
from collections.abc import Callable
from datetime import datetime

from tandem_desktop.approval.approval_enforcer import ApprovalEnforcer
from tandem_desktop.domain.errors import PlanDamagedError, PlanError, PlanNotFoundError, RunNotFoundError
from tandem_desktop.domain.execution import OperationResult, RunKind, RunRecord, RunStatus
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan import PlanMeta, PlanStatus
from tandem_desktop.domain.plan_events import (
    Cancel,
    ExecutePlan,
    ExecutionFailed,
    MarkRedone,
    MarkUndone,
    PlanEvent,
    PlanExecuted,
    Supersede,
)
from tandem_desktop.domain.plan_lifecycle import can, is_running, may_expire
from tandem_desktop.events.events import PlanSuperseded, RunFinished, RunUndone
from tandem_desktop.events.stream import EventStream
from tandem_desktop.execution.run_store import RunStore
from tandem_desktop.plans.families import alternatives
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.storage import atomic

_ENDS: dict[RunStatus, type[PlanExecuted | ExecutionFailed | Cancel]] = {
    RunStatus.COMPLETED: PlanExecuted,
    RunStatus.FAILED: ExecutionFailed,
    RunStatus.CANCELLED: Cancel,
}


class PlanPaperwork:
    """File a run that has ended. A crash may make it file twice; plan and run come out the same."""

    def __init__(
        self,
        plans: PlanStore,
        runs: RunStore,
        enforcer: ApprovalEnforcer,
        events: EventStream,
        clock: Callable[[], datetime],
    ) -> None:
        self._plans = plans
        self._runs = runs
        self._enforcer = enforcer
        self._events = events
        self._clock = clock

    def file(self, record: RunRecord, results: tuple[OperationResult, ...]) -> None:
        with atomic.together():
            if record.kind is RunKind.APPLY:
                self._finish_plan(record, results)
                if record.status is RunStatus.COMPLETED:
                    self._supersede_alternatives(record.plan_id)
            elif record.status is RunStatus.COMPLETED and record.of is not None and not record.partial:
                self._mark_undone(record, record.of)
        # By itself: the end of the audit must be durable before anybody else adds to it.
        self._enforcer.record_execution(record.digest, record.run_id, results)
        self._events.publish(
            RunFinished(
                run_id=record.run_id,
                plan_id=record.plan_id,
                status=record.status,
                rolled_back=record.rolled_back,
                summary=record.summary,
            )
        )

    def _finish_plan(self, record: RunRecord, results: tuple[OperationResult, ...]) -> None:
        def started(meta: PlanMeta) -> PlanEvent | None:
            # Cut off after the journal began and before the plan was marked as executing.
            missed = meta.status is PlanStatus.APPROVED and meta.revision == record.revision
            return ExecutePlan(run_id=record.run_id, at=record.started_at) if missed else None

        def ended(meta: PlanMeta) -> PlanEvent | None:
            if meta.execution_session != record.run_id or not is_running(meta.status):
                return None
            return _ENDS[record.status](
                results=results,
                rolled_back=record.rolled_back,
                summary=record.summary,
                at=record.ended_at or self._clock(),
            )

        # The plan may have been deleted by hand while its run went on; the run is recorded all the same.
        with contextlib.suppress(PlanNotFoundError, PlanDamagedError):
            self._plans.send_if(record.plan_id, started)
            self._plans.send_if(record.plan_id, ended)

    def _supersede_alternatives(self, plan_id: PlanId) -> None:
        """What was applied was the choice: the alternatives that still wait give way to it."""
        for other in alternatives(self._plans.list().plans, plan_id):
            if may_expire(other.status):
                with contextlib.suppress(PlanError):
                    self._plans.send(other.plan_id, Supersede())
                    self._events.publish(PlanSuperseded(plan_id=other.plan_id, by=plan_id))

    def _mark_undone(self, record: RunRecord, of: RunId) -> None:
        for run_id in (*record.also, of):
            with contextlib.suppress(RunNotFoundError, PlanDamagedError):
                taken_back = self._runs.get(run_id)
                self._runs.save(taken_back.model_copy(update={"status": RunStatus.UNDONE, "undone_by": record.run_id}))
                self._mark_plan(taken_back, MarkUndone())
                self._events.publish(RunUndone(run_id=run_id, undone_by=record.run_id))
                if record.kind is RunKind.REDO and taken_back.of is not None:
                    self._mark_back(taken_back, taken_back.of)

    def _mark_back(self, undo: RunRecord, of: RunId) -> None:
        """What an undo had taken away is there again."""
        for run_id in (*undo.also, of):
            with contextlib.suppress(RunNotFoundError, PlanDamagedError):
                original = self._runs.get(run_id)
                if original.undone_by == undo.run_id:
                    self._mark_plan(original, MarkRedone())
                    self._runs.save(original.model_copy(update={"status": RunStatus.COMPLETED, "undone_by": None}))

    def _mark_plan(self, run: RunRecord, event: MarkUndone | MarkRedone) -> None:
        """Only a plan whose last run this was, and that has not gone on since."""

        def marked(meta: PlanMeta) -> PlanEvent | None:
            return event if meta.execution_session == run.run_id and can(meta, event.kind) else None

        with contextlib.suppress(PlanError):
            self._plans.send_if(run.plan_id, marked)
