"""Run plans, take runs back, settle what was cut off: the after-the-decision half of the engine."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tandem_desktop.domain.errors import (
    InterruptedRunError,
    PlanDamagedError,
    PlanError,
    PlanModifiedError,
    PlanNotFoundError,
    PreflightError,
)
from tandem_desktop.domain.execution import FailurePolicy, OperationResult, RunKind, RunRecord, RunStatus
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan import PlanMeta, PlanStatus, PlanVersion
from tandem_desktop.domain.plan_events import EventKind, ExecutePlan, MarkUndone, Pause, PlanEvent, Resume, Stall
from tandem_desktop.domain.plan_lifecycle import can, is_running
from tandem_desktop.events.events import RunPaused, RunResumed, RunStarted
from tandem_desktop.events.stream import EventStream
from tandem_desktop.execution.control import RunControl
from tandem_desktop.execution.plan_executor import PlanExecutor, RunResult
from tandem_desktop.execution.possible import refuse_out_of_scope
from tandem_desktop.execution.recovery import InterruptedRun, Recovery
from tandem_desktop.execution.rewinding import Rewinding, is_undoable
from tandem_desktop.execution.run_changes import DoneOperation, done_operations
from tandem_desktop.execution.run_desk import RunDesk
from tandem_desktop.execution.undo import UndoExecutor, UndoneRun
from tandem_desktop.execution.undoing import WHOLE, Part, Undoing
from tandem_desktop.orchestration.run_tasks import RunTasks
from tandem_desktop.plans import plan_recovery
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.storage.steady_time import Since


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run with what can still be done about it."""

    record: RunRecord
    status: RunStatus
    undoable: bool


class PlanRuns:
    """Apply, undo, redo, recover."""

    def __init__(
        self,
        *,
        desk: RunDesk,
        plans: PlanStore,
        executor: PlanExecutor,
        events: EventStream,
        clock: Callable[[], datetime],
        since: Since,
        stalls_after: timedelta,
        tasks: RunTasks,
    ) -> None:
        self._desk = desk
        self._plans = plans
        self._executor = executor
        self._events = events
        self._clock = clock
        self._since = since
        self._stalls_after = stalls_after
        self._tasks = tasks
        self._undo = UndoExecutor(desk)
        self._recovery = Recovery(desk)

    def apply(
        self,
        plan_id: PlanId,
        policy: FailurePolicy = FailurePolicy.ROLLBACK,
        control: RunControl | None = None,
    ) -> RunResult:
        """Run the latest revision, if exactly that was approved."""
        self.refuse_if_interrupted()
        version = self._plans.revision(plan_id)
        meta = self._plans.meta(plan_id)
        if not version.operations:
            raise PreflightError(
                f"{plan_id} r{version.revision} has no operations: it is text, and there is nothing to write.",
                next=f"Let its agent carry it out: tandem run --session {version.session_id} --task TEXT",
            )

        def started(run_id: RunId) -> None:
            self._plans.send(plan_id, ExecutePlan(run_id=run_id, at=self._clock()))
            self._tasks.begin(run_id, version)
            self._events.publish(
                RunStarted(
                    run_id=run_id,
                    plan_id=plan_id,
                    revision=version.revision,
                    run_kind=RunKind.APPLY,
                    on_failure=policy,
                    operations=len(version.operations),
                )
            )
            if control is not None:
                control.watch(lambda waits: self._waits(plan_id, run_id, waits))

        def check_status() -> None:
            found = self._plans.meta(plan_id)
            if found.version != meta.version:
                raise PlanModifiedError(plan_id, expected=meta.version, found=found.version)
            if found.status is not PlanStatus.APPROVED:
                raise PreflightError(
                    f"{plan_id} is {meta.status.value}, not approved.",
                    next=f"Look at it with: tandem show {plan_id}",
                )
            refuse_out_of_scope(version.operations, meta.tools_required)

        return self._executor.execute(
            version,
            latest_revision=meta.revision,
            policy=policy,
            control=control,
            check_status=check_status,
            on_start=started,
        )

    def runs(self) -> tuple[ListedRun, ...]:
        """Every run of this workspace, newest first."""
        open_runs = set() if self._desk.is_busy() else set(self._desk.shelf.open_runs())
        return tuple(self._listed(record, open_runs) for record in self._desk.runs.list())

    def preview_undo(self, run_id: str, part: Part = WHOLE) -> Undoing:
        return self._undo.preview(run_id, part)

    def undo(self, run_id: str, part: Part = WHOLE, control: RunControl | None = None) -> UndoneRun:
        self.refuse_if_interrupted()
        return self._undo.undo(run_id, part=part, control=control)

    def preview_rewind(self, run_id: str) -> Rewinding:
        return self._undo.preview_rewind(run_id)

    def rewind(self, run_id: str, control: RunControl | None = None) -> UndoneRun:
        """The files as before a run: it and every run since are taken back, as one."""
        self.refuse_if_interrupted()
        return self._undo.rewind(run_id, control=control)

    def redo(self, run_id: str, control: RunControl | None = None) -> UndoneRun:
        self.refuse_if_interrupted()
        return self._undo.redo(run_id, control=control)

    def interrupted(self) -> tuple[InterruptedRun, ...]:
        """Runs that need a decision. A plan whose run is silent for too long is stored as stalled, and no more."""
        waiting = self._recovery.interrupted()
        for run in waiting:
            with contextlib.suppress(PlanNotFoundError, PlanDamagedError):
                self._plans.send_if(run.plan_id, self._stall)
        return waiting

    def settle(self, plan_id: PlanId) -> None:
        """Record what has become of a plan's run: stalled if it was cut off, undone if an older version undid it."""
        meta = self._plans.meta(plan_id)
        if is_running(meta.status):
            self.interrupted()
            return
        run_id = meta.execution_session
        if run_id is not None and can(meta, EventKind.RUN_UNDONE) and self.record(run_id).status is RunStatus.UNDONE:
            self._plans.send_if(plan_id, lambda now: MarkUndone() if can(now, EventKind.RUN_UNDONE) else None)

    def results(self, version: PlanVersion) -> tuple[OperationResult, ...]:
        """What came of the last run of this revision; nothing when it never ran."""
        run_id = self._plans.meta(version.plan_id).execution_session
        if run_id is None or self._desk.runs.get(run_id).revision != version.revision:
            return ()
        return self._desk.runs.results(run_id)

    def record(self, run_id: RunId) -> RunRecord:
        """One run.

        Raises:
            RunNotFoundError: there is none of this name.
        """
        return self._desk.runs.get(run_id)

    def results_of(self, run_id: RunId) -> tuple[OperationResult, ...]:
        """What came of each operation of one run."""
        return self._desk.runs.results(run_id)

    def changes(self, run_id: RunId) -> tuple[DoneOperation, ...]:
        """What a run did and left in place; nothing of one that was rolled back or whose journal is gone."""
        if self._desk.runs.get(run_id).rolled_back or not self._desk.shelf.has(run_id):
            return ()
        return done_operations(self._desk.shelf.history(run_id))

    def resume(self, run_id: str | None, *, run_command_again: bool = False) -> RunResult:
        return RunResult(*self._recovery.resume(run_id, run_command_again=run_command_again))

    def roll_back(self, run_id: str | None) -> RunResult:
        return RunResult(*self._recovery.roll_back(run_id))

    def mark_failed(self, run_id: str | None) -> RunResult:
        return RunResult(*self._recovery.mark_failed(run_id))

    def refuse_if_interrupted(self) -> None:
        """Every writing call comes by here first.

        Raises:
            InterruptedRunError: a cut-off run has to be settled.
        """
        waiting = self._recovery.interrupted() if self._desk.shelf.open_runs() else ()
        if waiting:
            run = waiting[0]
            raise InterruptedRunError(
                f"{run.run_id} was interrupted ({run.done} of {run.total} done) and must be settled first.",
                next="tandem recover --resume, --rollback or --mark-failed",
            )

    def _stall(self, meta: PlanMeta) -> PlanEvent | None:
        return Stall() if plan_recovery.is_overdue(meta, self._since, self._stalls_after) else None

    def _waits(self, plan_id: PlanId, run_id: RunId, waits: bool) -> None:
        """The run was paused, or goes on; whatever has become of the plan meanwhile is no reason to end it."""
        with contextlib.suppress(PlanError):
            self._plans.send(plan_id, Pause() if waits else Resume())
        self._events.publish(RunPaused(run_id=run_id) if waits else RunResumed(run_id=run_id))

    def _listed(self, record: RunRecord, open_runs: set[RunId]) -> ListedRun:
        interrupted = record.run_id in open_runs and record.status is RunStatus.RUNNING
        status = RunStatus.INTERRUPTED if interrupted else record.status
        has_journal = self._desk.shelf.has(record.run_id)
        return ListedRun(record, status, is_undoable(record, has_journal=has_journal))
