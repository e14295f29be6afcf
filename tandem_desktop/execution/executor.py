"""Executes approved revisions after preflight checks."""

from collections.abc import Callable

from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.domain.ids import RunId, new_run_id
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.runs import FailurePolicy, RunKind, RunRecord, RunResult, RunStatus
from tandem_desktop.execution.commands import RunControl, segments
from tandem_desktop.execution.preflight import preflight
from tandem_desktop.execution.run import Run
from tandem_desktop.execution.run_manager import ConcurrentChanges, RunManager


class PlanExecutor:
    """Enforce and consume the approval, run the preflight checks, then execute the segments under the journal."""

    def __init__(self, manager: RunManager, enforcer: ApprovalEnforcer) -> None:
        self._manager = manager
        self._enforcer = enforcer

    def execute(
        self,
        version: PlanVersion,
        *,
        latest_revision: int,
        policy: FailurePolicy = FailurePolicy.ROLLBACK,
        control: RunControl | None = None,
        check_status: Callable[[], None],
        on_start: Callable[[RunId], None],
    ) -> RunResult:
        """Run `version` once.

        Raises:
            ApprovalError: it is not what a person approved; nothing was written.
            PreflightError: the disk is not what the plan was made for; nothing was written.
            RollbackError: the tree could not be put back; the run waits for recovery.
        """
        manager = self._manager
        approval = self._enforcer.enforce_execution(version, latest_revision, manager.workspace.identity)
        with manager.only_run():
            manager.refuse_if_interrupted()
            check_status()
            manager.calls.check(version.operations)
            signatures = preflight(version.operations, manager.workspace, manager.objects)
            record = RunRecord(
                run_id=new_run_id(),
                kind=RunKind.APPLY,
                plan_id=version.plan_id,
                revision=version.revision,
                digest=approval.digest,
                on_failure=policy,
                status=RunStatus.RUNNING,
                started_at=manager.clock(),
            )
            self._enforcer.consume(approval, record.run_id)
            journal = manager.begin(record, version.operations)
            paths = (path for operation in version.operations for path in operation.paths)
            concurrent = ConcurrentChanges(manager.workspace, paths)

            def work(run: Run) -> None:
                on_start(record.run_id)
                run.carry_out(segments(version.operations))

            ended, results = manager.conduct(
                record, version.operations, journal, work, control=control, signatures=signatures, concurrent=concurrent
            )
        return RunResult(ended, results)
