"""How a workspace's plans have fared: figures from the store and the runs, never from events."""

from collections import Counter
from dataclasses import dataclass

from tandem_desktop.domain.execution import ResultStatus, RunKind, RunStatus
from tandem_desktop.domain.plan import Origin, PlanStatus
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.plans import lifecycle
from tandem_desktop.plans.plan_index import PlanSummary

_BY_AGENTS = (Origin.AGENT, Origin.REWORK)


@dataclass(frozen=True, slots=True)
class PlanFigures:
    """Counts; every rate is None where there is nothing to divide by."""

    by_status: tuple[tuple[PlanStatus, int], ...]
    """In the order of the life of a plan; statuses without a plan are left out."""
    plans: int
    ended: int
    completed: int
    proposals: int
    """Revisions that agents handed in; a person's own are not counted."""
    operations: int
    """Operations whose run came to a decision about them."""
    operations_done: int
    runs: int
    undone: int

    @property
    def completion_rate(self) -> float | None:
        """Of the plans that came to an end, how many were carried out."""
        return self.completed / self.ended if self.ended else None

    @property
    def proposals_per_plan(self) -> float | None:
        return self.proposals / self.plans if self.plans else None

    @property
    def success_rate(self) -> float | None:
        """Of the operations that were tried, how many did what was approved."""
        return self.operations_done / self.operations if self.operations else None


def plan_figures(engine: Engine) -> PlanFigures:
    """Count. Reads every run and every plan with more than one revision: not for the GUI thread."""
    plans = engine.plans.list().plans
    statuses = Counter(plan.status for plan in plans)
    applied = [run for run in engine.runs.runs() if run.record.kind is RunKind.APPLY]
    results = Counter(result.status for run in applied for result in engine.runs.results_of(run.record.run_id))
    return PlanFigures(
        by_status=tuple((status, statuses[status]) for status in PlanStatus if statuses[status]),
        plans=len(plans),
        ended=sum(statuses[status] for status in lifecycle.ENDED),
        completed=statuses[PlanStatus.COMPLETED],
        proposals=sum(_proposals(engine, plan) for plan in plans),
        operations=results[ResultStatus.COMPLETED] + results[ResultStatus.FAILED],
        operations_done=results[ResultStatus.COMPLETED],
        runs=len(applied),
        undone=sum(run.status is RunStatus.UNDONE for run in applied),
    )


def _proposals(engine: Engine, plan: PlanSummary) -> int:
    if plan.revision <= 1:
        return 1
    return sum(version.origin in _BY_AGENTS for version in engine.plans.revisions(plan.plan_id))
