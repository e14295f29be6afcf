"""Runs plans, undoes runs and records the results."""

from __future__ import annotations

import codecs
import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING

from tandem_desktop.domain.errors import (
    InterruptedRunError,
    JournalError,
    PlanDamagedError,
    PlanError,
    PlanModifiedError,
    PlanNotFoundError,
    PreflightError,
    RunNotFoundError,
)
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import (
    CommandPrinted,
    OperationFinished,
    OperationStarted,
    PlanProposed,
    PlanSuperseded,
    RunFinished,
    RunPaused,
    RunResumed,
    RunStarted,
    RunUndone,
    TandemEvent,
    TaskCreated,
    TasksListed,
    task_news,
)
from tandem_desktop.domain.ids import OperationId, PlanId, RunId, TaskId
from tandem_desktop.domain.lifecycle import can
from tandem_desktop.domain.operations import PathChange, StagedOperation
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import EventKind, PlanStatus, is_running, may_expire
from tandem_desktop.domain.runs import (
    FailurePolicy,
    OperationResult,
    ResultStatus,
    RunKind,
    RunRecord,
    RunResult,
    RunStatus,
    is_undoable,
)
from tandem_desktop.domain.state_machine import (
    Cancel,
    ExecutePlan,
    ExecutionFailed,
    MarkRedone,
    MarkUndone,
    Pause,
    PlanEvent,
    PlanExecuted,
    Resume,
    Stall,
    Supersede,
)
from tandem_desktop.domain.tasks import SETTLED, ExecutedTool, PlannedToolCall, PlanTask, TaskStatus, TrackedTask
from tandem_desktop.plans.index import alternatives
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.storage import atomic
from tandem_desktop.storage.clock import Since

if TYPE_CHECKING:
    from tandem_desktop.approval.enforcer import ApprovalEnforcer
    from tandem_desktop.execution.commands import RunControl
    from tandem_desktop.execution.executor import PlanExecutor
    from tandem_desktop.execution.journal import History
    from tandem_desktop.execution.recovery import InterruptedRun, Recovery
    from tandem_desktop.execution.run_manager import RunManager
    from tandem_desktop.execution.run_store import DoneOperation, RunStore
    from tandem_desktop.execution.undo import RewindPlan, UndoExecutor, UndoneRun, UndoPart, UndoPlan
    from tandem_desktop.staging.git_effects import GitEffect
    from tandem_desktop.tasks.board import TaskBoard

if TYPE_CHECKING:
    from tandem_desktop.execution.git_commit import CommitsTakenBack

_UNSETTLED = frozenset({ResultStatus.PENDING, ResultStatus.RUNNING})


class RunTasks:
    """One board per run that has tasks. Each call returns the tasks whose status changed, for the caller to publish."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._live: dict[RunId, LiveTasks] = {}

    def begin(self, run_id: RunId, version: PlanVersion) -> None:
        if version.tasks:
            from tandem_desktop.tasks.board import TaskBoard

            board = TaskBoard(version.plan_id, self._clock, standing(version, (), None))
            with self._lock:
                self._live[run_id] = LiveTasks(version, board)

    def of(self, version: PlanVersion) -> TaskBoard | None:
        """The board of a revision that runs now."""
        with self._lock:
            return next((each.board for each in self._live.values() if each.is_of(version)), None)

    def started(self, run_id: RunId, operation: OperationId) -> list[TrackedTask]:
        live = self._live.get(run_id)
        return live.started(operation) if live is not None else []

    def finished(self, run_id: RunId, result: OperationResult) -> list[TrackedTask]:
        live = self._live.get(run_id)
        return live.finished(result) if live is not None else []

    def end(self, run_id: RunId) -> LiveTasks | None:
        """Forget a run that has ended; what was known of its tasks."""
        with self._lock:
            return self._live.pop(run_id, None)


class LiveTasks:
    """The tasks of one run in progress. Called from one thread at a time."""

    def __init__(self, version: PlanVersion, board: TaskBoard) -> None:
        from tandem_desktop.tasks.graph import TaskMapper

        self.version = version
        self.board = board
        self._mapper = TaskMapper(version.operations)
        self._tools = {operation.id: _tool(operation) for operation in version.operations}
        self._done = Counter[TaskId]()
        self._told = {task.id: _place(task) for task in board.get_tasks()}

    def is_of(self, version: PlanVersion) -> bool:
        return (self.version.plan_id, self.version.revision) == (version.plan_id, version.revision)

    def started(self, operation: OperationId) -> list[TrackedTask]:
        """The task that has begun with this operation, if one has."""
        task_id = self._mapper.get_operation_task(operation)
        if task_id is None or self.board.get_task(task_id).status is not TaskStatus.PENDING:
            return []
        return self._news(self.board.update_task_status(task_id, TaskStatus.IN_PROGRESS))

    def finished(self, result: OperationResult) -> list[TrackedTask]:
        """Every task whose status this result changes, including a start that was not reported."""
        task_id = self._mapper.get_operation_task(result.id)
        if task_id is None:
            return []
        begun = self.started(result.id) if result.status in _BEGUN else []
        if result.status in _BEGUN:
            self.board.add_executed_tool(task_id, _executed(self._tools[result.id], result))
        self._done[task_id] += 1
        status = self._mapper.update_task_status(task_id, [result])
        total = len(self._mapper.get_task_operations(task_id))
        task = self.board.update_task_status(
            task_id,
            status,
            progress=100 * min(self._done[task_id], total) // total,
            result=_summary(total, total) if status is TaskStatus.COMPLETED else None,
            error=result.error,
        )
        skipped = self.board.get_tasks_by_status(TaskStatus.SKIPPED) if status is TaskStatus.FAILED else ()
        return [*begun, *self._news(task, *skipped)]

    def _news(self, *tasks: TrackedTask) -> list[TrackedTask]:
        """The tasks that changed since they were last published."""
        moved = [task for task in tasks if self._told[task.id] != _place(task)]
        self._told |= {task.id: _place(task) for task in moved}
        return moved


def _place(task: PlanTask) -> tuple[TaskStatus, int]:
    """What is compared to publish a task: its status, and its progress only while it runs."""
    return task.status, task.progress if task.status is TaskStatus.IN_PROGRESS else 0


_BEGUN = frozenset({ResultStatus.COMPLETED, ResultStatus.FAILED})


def standing(
    version: PlanVersion, results: tuple[OperationResult, ...], record: RunRecord | None
) -> Iterable[PlanTask]:
    """The tasks of a revision, with the status that follows from the results."""
    from tandem_desktop.tasks.graph import TaskMapper

    mapper = TaskMapper(version.operations)
    operations = {operation.id: operation for operation in version.operations}
    by_id = {result.id: result for result in results}
    for task in version.tasks:
        mapped = mapper.get_task_operations(task.id)
        found = [by_id[each] for each in mapped if each in by_id]
        status = mapper.update_task_status(task.id, found)
        settled = [each for each in found if each.status not in _UNSETTLED]
        done = sum(each.status is ResultStatus.COMPLETED for each in found)
        yield task.model_copy(
            update={
                "status": status,
                "progress": 100 * len(settled) // len(mapped) if mapped else 0,
                "tools_to_execute": tuple(_tool(operations[each]) for each in mapped),
                "tools_executed": tuple(
                    _executed(_tool(operations[each.id]), each) for each in found if each.status in _BEGUN
                ),
                "created_at": task.created_at or version.created_at,
                "started_at": record.started_at if record and status is not TaskStatus.PENDING else None,
                "completed_at": record.ended_at if record and status in SETTLED else None,
                "result": _summary(done, len(mapped)) if status is TaskStatus.COMPLETED else None,
                "error": next((each.error for each in found if each.error), None),
            }
        )


def _summary(done: int, total: int) -> str:
    return f"{done} of {total} operations done."


def _tool(operation: StagedOperation) -> PlannedToolCall:
    tool = operation.tool or operation.kind.value
    return PlannedToolCall(tool=tool, operation_id=operation.id, description=operation.description)


def _executed(call: PlannedToolCall, result: OperationResult) -> ExecutedTool:
    is_good = result.status is ResultStatus.COMPLETED
    return ExecutedTool(tool=call.tool, operation_id=result.id, succeeded=is_good, error=result.error)


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
        manager: RunManager,
        plans: PlanStore,
        enforcer: ApprovalEnforcer,
        events: EventStream,
        clock: Callable[[], datetime],
        since: Since,
        stalls_after: timedelta,
        tasks: RunTasks,
        refuse_without_team: Callable[[PlanVersion], None],
    ) -> None:
        """`refuse_without_team` raises where the repository asks for more approvals than there are."""
        self._refuse_without_team = refuse_without_team
        self._manager = manager
        self._plans = plans
        self._enforcer = enforcer
        self._events = events
        self._clock = clock
        self._since = since
        self._stalls_after = stalls_after
        self._tasks = tasks

    # Each is imported when a call needs it: a list of runs needs none.

    @cached_property
    def _executor(self) -> PlanExecutor:
        from tandem_desktop.execution.executor import PlanExecutor

        return PlanExecutor(self._manager, self._enforcer)

    @cached_property
    def _undo(self) -> UndoExecutor:
        from tandem_desktop.execution.undo import UndoExecutor

        return UndoExecutor(self._manager)

    @cached_property
    def _recovery(self) -> Recovery:
        from tandem_desktop.execution.recovery import Recovery

        return Recovery(self._manager)

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
            from tandem_desktop.execution.preflight import refuse_out_of_scope

            found = self._plans.meta(plan_id)
            if found.version != meta.version:
                raise PlanModifiedError(plan_id, expected=meta.version, found=found.version)
            if found.status is not PlanStatus.APPROVED:
                raise PreflightError(
                    f"{plan_id} is {meta.status.value}, not approved.",
                    next=f"Look at it with: tandem show {plan_id}",
                )
            refuse_out_of_scope(version.operations, meta.tools_required)
            self._refuse_without_team(version)

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
        open_runs = set(self._manager.journal_store.open_runs())
        if open_runs and self._manager.is_busy():
            open_runs = set()
        return tuple(self._listed(record, open_runs) for record in self._manager.runs.list())

    def preview_undo(self, run_id: str, part: UndoPart | None = None) -> UndoPlan:
        found = self._undo.preview(run_id, part)
        is_partial = part is not None and not part.is_whole
        return found if found.conflicts or is_partial else self._with_commits(found, (run_id,))

    def undo(self, run_id: str, part: UndoPart | None = None, control: RunControl | None = None) -> UndoneRun:
        """Take a run back. Its commits go too, where they are the last ones and nobody else has them."""
        self.refuse_if_interrupted()
        undone = self._undo.undo(run_id, part=part, control=control)
        return self._without_commits(undone, (run_id,)) if part is None or part.is_whole else undone

    def preview_rewind(self, run_id: str, *, keep_git: bool = False) -> RewindPlan:
        found = self._undo.preview_rewind(run_id, keep_git=keep_git)
        if found.undoing.conflicts or keep_git:
            return found
        return replace(found, undoing=self._with_commits(found.undoing, found.runs))

    def rewind(self, run_id: str, control: RunControl | None = None, *, keep_git: bool = False) -> UndoneRun:
        """Undo a run and every run since, as one."""
        self.refuse_if_interrupted()
        undone = self._undo.rewind(run_id, keep_git=keep_git, control=control)
        return undone if keep_git else self._without_commits(undone, (*undone.record.also, run_id))

    def _with_commits(self, undoing: UndoPlan, runs: tuple[str, ...]) -> UndoPlan:
        """What an undo would do, and what would become of the commits of its runs."""
        found = self._commits(runs, is_preview=True)
        return replace(undoing, git=(*undoing.git, *found.effects), notes=(*undoing.notes, *found.notes))

    def _without_commits(self, undone: UndoneRun, runs: tuple[str, ...]) -> UndoneRun:
        """Take the commits of undone runs back as well, where that is possible."""
        if undone.record.status is not RunStatus.COMPLETED:
            return undone
        found = self._commits(runs, undo=undone.record.run_id)
        return replace(undone, git=(*undone.git, *found.effects), notes=(*undone.notes, *found.notes))

    def _commits(
        self, runs: tuple[str, ...], *, is_preview: bool = False, undo: RunId | None = None
    ) -> CommitsTakenBack:
        from tandem_desktop.execution.git_commit import take_back  # most runs are in no commit

        return take_back(self._manager.workspace.path, runs, is_preview=is_preview, undo=undo)

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
        if run_id is None or (record := self._manager.runs.get(run_id)).revision != version.revision:
            return ()
        results, under_way = self._manager.runs.results(run_id), self._command_under_way(record)
        begun = {"status": ResultStatus.RUNNING}
        return tuple(each.model_copy(update=begun) if each.id == under_way else each for each in results)

    def _command_under_way(self, record: RunRecord) -> OperationId | None:
        """The command that runs, or ran when the run was cut off."""
        if record.ended_at is not None or not self._manager.journal_store.has(record.run_id):
            return None
        with contextlib.suppress(JournalError):
            return self._manager.journal_store.history(record.run_id).command_open
        return None

    def record(self, run_id: RunId) -> RunRecord:
        """One run.

        Raises:
            RunNotFoundError: there is none of this name.
        """
        return self._manager.runs.get(run_id)

    def results_of(self, run_id: RunId) -> tuple[OperationResult, ...]:
        """What came of each operation of one run."""
        return self._manager.runs.results(run_id)

    def changes(self, run_id: RunId) -> tuple[DoneOperation, ...]:
        """What a run did and left in place; nothing of one that was rolled back or whose journal is gone."""
        if self._manager.runs.get(run_id).rolled_back or not self._manager.journal_store.has(run_id):
            return ()
        from tandem_desktop.execution.run_store import done_operations

        history = self._manager.journal_store.history(run_id)
        return tuple(replace(each, git=self._git_effects(each.changes, history)) for each in done_operations(history))

    def git_effects(self, run_id: RunId) -> tuple[GitEffect, ...]:
        """What a run did to git repositories by its commands, all together; nothing of what it took back itself."""
        record = self._manager.runs.get(run_id)
        if record.rolled_back or not self._manager.journal_store.has(run_id):
            return ()
        from tandem_desktop.execution.steps import net_changes

        history = self._manager.journal_store.history(run_id)
        net = net_changes(history.done).items()
        changes = (PathChange(path=path, before=before, after=after) for path, (before, after) in net)
        return self._git_effects(changes, history)

    def _git_effects(self, changes: Iterable[PathChange], history: History) -> tuple[GitEffect, ...]:
        from tandem_desktop.staging.git_effects import git_effects

        self._manager.workspace.forget_directories()
        return git_effects(changes, self._manager.objects.read_state, self._manager.workspace, history.seen)

    def resume(self, run_id: str | None, *, run_command_again: bool = False) -> RunResult:
        return RunResult(*self._recovery.resume(run_id, run_command_again=run_command_again))

    def roll_back(self, run_id: str | None) -> RunResult:
        return RunResult(*self._recovery.roll_back(run_id))

    def cancel(self, run_id: str | None) -> RunResult:
        """Close an interrupted run, and its plan, as cancelled."""
        return RunResult(*self._recovery.cancel(run_id))

    def mark_failed(self, run_id: str | None) -> RunResult:
        return RunResult(*self._recovery.mark_failed(run_id))

    def recover(self, run_id: str, way: str) -> RunResult:
        """Settle an interrupted run.

        `way` is `resume`, `resume-again` (its command too), `rollback`, `cancel` or `mark-failed`.
        """
        ways: dict[str, Callable[[str], RunResult]] = {
            "resume": self.resume,
            "resume-again": partial(self.resume, run_command_again=True),
            "rollback": self.roll_back,
            "cancel": self.cancel,
            "mark-failed": self.mark_failed,
        }
        return ways[way](run_id)

    def refuse_if_interrupted(self) -> None:
        """Called before every write.

        Raises:
            InterruptedRunError: a cut-off run has to be settled.
        """
        waiting = self._recovery.interrupted() if self._manager.journal_store.open_runs() else ()
        if waiting:
            run = waiting[0]
            raise InterruptedRunError(
                f"{run.run_id} was interrupted ({run.done} of {run.total} done) and must be settled first.",
                next="tandem recover --resume, --rollback, --cancel or --mark-failed",
            )

    def _stall(self, meta: PlanMeta) -> PlanEvent | None:
        from tandem_desktop.execution.recovery import is_overdue

        return Stall() if is_overdue(meta, self._since, self._stalls_after) else None

    def _waits(self, plan_id: PlanId, run_id: RunId, waits: bool) -> None:
        """The run was paused or resumed. A plan that cannot follow does not end the run."""
        with contextlib.suppress(PlanError):
            self._plans.send(plan_id, Pause() if waits else Resume())
        self._events.publish(RunPaused(run_id=run_id) if waits else RunResumed(run_id=run_id))

    def _listed(self, record: RunRecord, open_runs: set[RunId]) -> ListedRun:
        interrupted = record.run_id in open_runs and record.status is RunStatus.RUNNING
        status = RunStatus.INTERRUPTED if interrupted else record.status
        has_journal = self._manager.journal_store.has(record.run_id)
        return ListedRun(record, status, is_undoable(record, has_journal=has_journal))


_ENDS: dict[RunStatus, type[PlanExecuted | ExecutionFailed | Cancel]] = {
    RunStatus.COMPLETED: PlanExecuted,
    RunStatus.FAILED: ExecutionFailed,
    RunStatus.CANCELLED: Cancel,
}


class PlanRunCompletion:
    """Records a run that has ended. Idempotent, as a crash may repeat it."""

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
        # Outside `together`: the entry must be durable before another process appends.
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
        """Supersede the open alternatives of an applied plan."""
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
        """Mark the plan of a redone run as completed."""
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


TAIL = 8_000
"""Characters of a command's output that are told while it runs; all of it comes with its result."""
_GATHER_S = 0.1


class RunEvents:
    """Call it from the thread of the run.

    A task starts before its first operation does, and moves after the result that moved it.
    """

    def __init__(self, events: EventStream, tasks: RunTasks) -> None:
        self._events = events
        self._tasks = tasks
        self._lock = threading.Lock()
        self._printed: dict[OperationId, str] = {}
        self._decoders: dict[OperationId, codecs.IncrementalDecoder] = {}
        self._timer: threading.Timer | None = None

    def started(self, run_id: RunId, operation: OperationId) -> None:
        for task in self._tasks.started(run_id, operation):
            self._events.publish(task_news(task))
        self._events.publish(OperationStarted(run_id=run_id, operation_id=operation))

    def printed(self, operation: OperationId, chunk: bytes) -> None:
        with self._lock:
            decoder = self._decoders.setdefault(operation, codecs.getincrementaldecoder("utf-8")("replace"))
            text = self._printed.get(operation, "") + decoder.decode(chunk)
            self._printed[operation] = text[-TAIL:]
            self._tell_soon()

    def finished(self, run_id: RunId, result: OperationResult) -> None:
        if self._decoders:
            with self._lock:
                self._printed.pop(result.id, None)
                self._decoders.pop(result.id, None)
        self._events.publish(OperationFinished(run_id=run_id, result=result))
        for task in self._tasks.finished(run_id, result):
            self._events.publish(task_news(task))

    def _tell_soon(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(_GATHER_S, self._tell)
            self._timer.daemon = True
            self._timer.start()

    def _tell(self) -> None:
        with self._lock:
            self._timer = None
            told = tuple(self._printed.items())
        for operation, text in told:
            self._events.publish(CommandPrinted(operation_id=operation, tail=text))


class TaskBoards:
    """The task board of a revision: the live one during a run in this process, else built from the stored results."""

    def __init__(
        self, plans: PlanStore, runs: PlanRuns, events: EventStream, clock: Callable[[], datetime], tasks: RunTasks
    ) -> None:
        self._plans = plans
        self._runs = runs
        self._events = events
        self._clock = clock
        self._tasks = tasks

    def board(self, version: PlanVersion) -> TaskBoard:
        """The tasks of a revision; tasks without events of their own have the times of the run."""
        return self._tasks.of(version) or self._stored(version)

    def _stored(self, version: PlanVersion) -> TaskBoard:
        results = self._runs.results(version) if version.tasks else ()
        run_id = self._plans.meta(version.plan_id).execution_session if results else None
        record = self._runs.record(run_id) if run_id is not None else None
        from tandem_desktop.tasks.board import TaskBoard

        return TaskBoard(version.plan_id, self._clock, standing(version, results, record))

    def follow(self, event: TandemEvent) -> None:
        """Tell what an event means for the tasks. Subscribed to the engine's events before anything else."""
        if isinstance(event, PlanProposed):
            if event.tasks:
                self._proposed(event)
        elif isinstance(event, RunFinished):
            self._ended(event)

    def _ended(self, event: RunFinished) -> None:
        """Publish the tasks that were rolled back or never started."""
        live = self._tasks.end(event.run_id)
        if live is None:
            return
        try:
            stored = self._stored(live.version)
        except PlanError:  # deleted by hand while its run went on
            return
        told = {task.id: task.status for task in live.board.get_tasks()}
        self._tell(task for task in stored.get_tasks() if task.status is not told[task.id])
        self._list(stored)

    def _proposed(self, event: PlanProposed) -> None:
        """Tasks that the revision before did not have are new."""
        try:
            version = self._plans.revision(event.plan_id, event.revision)
            parent = version.parent_revision
            known = self._plans.revision(event.plan_id, parent).tasks if parent is not None else ()
            board = self._stored(version)
        except PlanError:  # deleted by hand in between
            return
        before = {task.id for task in known}
        for task in board.get_tasks():
            if task.id not in before:
                self._events.publish(TaskCreated(plan_id=event.plan_id, task=task))
        if version.tasks != known:
            self._list(board)

    def _tell(self, moved: Iterable[TrackedTask]) -> None:
        for task in moved:
            self._events.publish(task_news(task))

    def _list(self, board: TaskBoard) -> None:
        self._events.publish(TasksListed(plan_id=board.plan_id, tasks=board.get_tasks_in_order()))
