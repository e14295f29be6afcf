"""Run an approved revision: exactly what was reviewed, or not at all."""

from collections.abc import Callable
from dataclasses import dataclass

from tandem_desktop.approval.approval_enforcer import ApprovalEnforcer
from tandem_desktop.domain.execution import FailurePolicy, OperationResult, RunKind, RunRecord, RunStatus
from tandem_desktop.domain.ids import RunId, new_run_id
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.control import RunControl
from tandem_desktop.execution.meanwhile import Meanwhile
from tandem_desktop.execution.preflight import preflight
from tandem_desktop.execution.run import Run
from tandem_desktop.execution.run_desk import RunDesk
from tandem_desktop.execution.segments import segments


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run."""

    record: RunRecord
    results: tuple[OperationResult, ...]

    @property
    def succeeded(self) -> bool:
        return self.record.status is RunStatus.COMPLETED


class PlanExecutor:
    """Enforce, check, consume the approval, then carry out segment by segment under the journal."""

    def __init__(self, desk: RunDesk, enforcer: ApprovalEnforcer) -> None:
        self._desk = desk
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
        desk = self._desk
        approval = self._enforcer.enforce_execution(version, latest_revision, desk.workspace.identity)
        with desk.only_run():
            desk.refuse_if_interrupted()
            check_status()
            sights = preflight(version.operations, desk.workspace, desk.objects)
            record = RunRecord(
                run_id=new_run_id(),
                kind=RunKind.APPLY,
                plan_id=version.plan_id,
                revision=version.revision,
                digest=approval.digest,
                on_failure=policy,
                status=RunStatus.RUNNING,
                started_at=desk.clock(),
            )
            self._enforcer.consume(approval, record.run_id)
            journal = desk.begin(record, version.operations)
            paths = (path for operation in version.operations for path in operation.paths)
            meanwhile = Meanwhile(desk.workspace, paths)

            def work(run: Run) -> None:
                on_start(record.run_id)
                run.carry_out(segments(version.operations))

            ended, results = desk.conduct(
                record, version.operations, journal, work, control=control, sights=sights, meanwhile=meanwhile
            )
        return RunResult(ended, results)
