"""Keep plans, runs and the audit in step with a run that has ended."""

import contextlib
from collections.abc import Callable
from datetime import datetime

from tandem_desktop.approval.approval_enforcer import ApprovalEnforcer
from tandem_desktop.domain.errors import PlanDamagedError, PlanError, PlanNotFoundError, RunNotFoundError
from tandem_desktop.domain.execution import OperationResult, RunKind, RunRecord, RunStatus
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan import PlanMeta, PlanStatus
from tandem_desktop.events.events import PlanSuperseded, RunFinished, RunUndone
from tandem_desktop.events.stream import EventStream
from tandem_desktop.execution.run_store import RunStore
from tandem_desktop.plans import lifecycle
from tandem_desktop.plans.families import alternatives
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.storage import atomic

_PLAN_STATUS = {
    RunStatus.COMPLETED: PlanStatus.COMPLETED,
    RunStatus.FAILED: PlanStatus.FAILED,
    RunStatus.CANCELLED: PlanStatus.CANCELLED,
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
                self._finish_plan(record)
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

    def _finish_plan(self, record: RunRecord) -> None:
        def finished(meta: PlanMeta) -> PlanMeta:
            if meta.status is PlanStatus.APPROVED and meta.revision == record.revision:
                # The run was cut off after its journal began and before the plan heard of it.
                meta = lifecycle.start(meta, record.run_id, record.started_at)
            if meta.execution_session != record.run_id or meta.status in lifecycle.ENDED:
                return meta
            return lifecycle.finish(meta, _PLAN_STATUS[record.status], record.summary, record.ended_at or self._clock())

        # The plan may have been deleted by hand while its run went on; the run is what counts.
        with contextlib.suppress(PlanNotFoundError, PlanDamagedError):
            self._plans.update(record.plan_id, finished)

    def _supersede_alternatives(self, plan_id: PlanId) -> None:
        """What was applied was the choice: the alternatives that still wait give way to it."""
        for other in alternatives(self._plans.list().plans, plan_id):
            if PlanStatus.SUPERSEDED in lifecycle.FOLLOWS[other.status]:
                with contextlib.suppress(PlanError):
                    self._plans.update(other.plan_id, lifecycle.supersede)
                    self._events.publish(PlanSuperseded(plan_id=other.plan_id, by=plan_id))

    def _mark_undone(self, record: RunRecord, of: RunId) -> None:
        for run_id in (*record.also, of):
            with contextlib.suppress(RunNotFoundError, PlanDamagedError):
                taken_back = self._runs.get(run_id)
                self._runs.save(taken_back.model_copy(update={"status": RunStatus.UNDONE, "undone_by": record.run_id}))
                self._events.publish(RunUndone(run_id=run_id, undone_by=record.run_id))
                if record.kind is RunKind.REDO and taken_back.of is not None:
                    self._mark_back(taken_back, taken_back.of)

    def _mark_back(self, undo: RunRecord, of: RunId) -> None:
        """What an undo had taken away is there again."""
        for run_id in (*undo.also, of):
            with contextlib.suppress(RunNotFoundError, PlanDamagedError):
                original = self._runs.get(run_id)
                if original.undone_by == undo.run_id:
                    self._runs.save(original.model_copy(update={"status": RunStatus.COMPLETED, "undone_by": None}))
