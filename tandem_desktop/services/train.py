"""Applies approved plans one after the other, each rebased onto what the ones before it left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.domain.errors import (
    ApprovalMissingError,
    BadInputError,
    PreflightError,
    RebaseConflictError,
    TandemError,
    UserAbortError,
)
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import FailurePolicy, RunResult
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.review.compare import why_not_same_patch
from tandem_desktop.review.drift import drift
from tandem_desktop.services.checks import Checks
from tandem_desktop.services.decisions import Decisions
from tandem_desktop.services.rebases import Rebases
from tandem_desktop.services.runs import PlanRuns
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace


class TrainOutcome(StrEnum):
    """What became of one plan of a train; all but the first stop it."""

    APPLIED = "applied"
    CONFLICT = "conflict"
    """It changes what an earlier plan changed; only the person can say how."""
    CHANGED = "changed"
    """The rebased revision is not provably the patch that was approved, so it waits for an approval of its own."""
    WORSE = "worse"
    """Its checks fail anew on what the earlier plans left."""
    REFUSED = "refused"
    FAILED = "failed"
    """It ran, and an operation failed."""


@dataclass(frozen=True, slots=True)
class TrainedPlan:
    """One plan of a train that was tried."""

    plan_id: PlanId
    revision: int
    outcome: TrainOutcome
    is_carried: bool = False
    """Whether the approval was carried over to a rebased revision."""
    ended: RunResult | None = None
    problem: TandemError | None = None


class PlanTrain:
    """Runs approved plans in the person's order. The first that conflicts, fails or makes a check fail stops it."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        objects: ObjectStore,
        plans: PlanStore,
        enforcer: ApprovalEnforcer,
        decisions: Decisions,
        rebases: Rebases,
        runs: PlanRuns,
        checks: Checks,
    ) -> None:
        self._workspace = workspace
        self._objects = objects
        self._plans = plans
        self._enforcer = enforcer
        self._decisions = decisions
        self._rebases = rebases
        self._runs = runs
        self._checks = checks

    def run(
        self, plan_ids: Sequence[PlanId], policy: FailurePolicy, control: RunControl, *, with_checks: bool = True
    ) -> Iterator[TrainedPlan]:
        """Apply the plans in this order; each is told when it has ended, and the last may be the one that stopped.

        With `with_checks`, and a list of checks that the person has accepted, each is checked on what is there then.

        Raises:
            BadInputError: a plan is named twice.
            ApprovalMissingError: one is not approved. Nothing was applied.
        """
        twice = next((each for at, each in enumerate(plan_ids) if each in plan_ids[:at]), None)
        if twice is not None:
            raise BadInputError(f"{twice} is named twice.", next="Name each plan once, in the order to apply them.")
        self._runs.refuse_if_interrupted()
        waiting = [each for each in plan_ids if self._plans.meta(each).status is not PlanStatus.APPROVED]
        if waiting:
            raise ApprovalMissingError(
                f"Not approved: {', '.join(waiting)}. Nothing was applied.",
                next=f"Look at it, and approve it: tandem show {waiting[0]}",
            )
        return self._applied(plan_ids, policy, control, with_checks=with_checks)

    def _applied(
        self, plan_ids: Sequence[PlanId], policy: FailurePolicy, control: RunControl, *, with_checks: bool
    ) -> Iterator[TrainedPlan]:
        for plan_id in plan_ids:
            told = self._one(plan_id, policy, control, with_checks=with_checks)
            yield told
            if told.outcome is not TrainOutcome.APPLIED:
                return

    def _one(self, plan_id: PlanId, policy: FailurePolicy, control: RunControl, *, with_checks: bool) -> TrainedPlan:
        approved = version = self._plans.revision(plan_id)

        def stopped(outcome: TrainOutcome, problem: TandemError) -> TrainedPlan:
            return TrainedPlan(plan_id, version.revision, outcome, problem=problem)

        try:
            if control.is_aborted:
                raise UserAbortError("The train was stopped.", next=f"Go on with: tandem train {plan_id}")
            approval = self._enforcer.enforce_execution(version, version.revision, self._workspace.identity)
            if drift(version.operations, self._workspace):
                version = self._rebases.rebase(plan_id)
                if why := why_not_same_patch(approved, version, self._workspace, self._objects):
                    return stopped(TrainOutcome.CHANGED, _asks_again(version, why))
            if with_checks and (worse := self._newly_failing(version, control)):
                return stopped(TrainOutcome.WORSE, worse)
            if version is not approved:
                self._decisions.carry_over(approval, version)
            ended = self._runs.apply(plan_id, policy, control)
        except RebaseConflictError as conflict:
            return stopped(TrainOutcome.CONFLICT, conflict)
        except TandemError as problem:
            return stopped(TrainOutcome.REFUSED, problem)
        outcome = TrainOutcome.APPLIED if ended.succeeded else TrainOutcome.FAILED
        return TrainedPlan(plan_id, version.revision, outcome, is_carried=version is not approved, ended=ended)

    def _newly_failing(self, version: PlanVersion, control: RunControl) -> TandemError | None:
        offered = self._checks.offered()
        if not offered.is_accepted or not offered.list.checks:
            return None
        found = self._checks.run(version.plan_id, control=control).evidence
        if not found.is_worse:
            return None
        return PreflightError(
            f"{version.plan_id} r{version.revision}: {found.summary}; it was not applied.",
            next=f"See which: tandem check {version.plan_id}. Or go on without checks: --no-checks",
        )


def _asks_again(version: PlanVersion, why: str) -> ApprovalMissingError:
    return ApprovalMissingError(
        f"{version.plan_id} was rebased onto what is on disk now, and that is not provably what was approved ({why}). "
        f"It was not applied.",
        next=f"Look at it, and approve it again: tandem show {version.plan_id} --diff",
    )
