"""Statistics of a workspace's plans and runs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus, has_ended
from tandem_desktop.domain.runs import OperationResult, ResultStatus, RunKind, RunStatus
from tandem_desktop.plans.index import PlanSummary
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.runs import ListedRun

_BY_AGENTS = (Origin.AGENT, Origin.REWORK, Origin.ADJUSTMENT)
_NOT_FOUND = 127
"""The exit code of a shell for an unknown program."""
_MISSING_PROGRAM = lazy_pattern(r"([^\s:]+): (?:command )?not found")


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure with the aim it is measured against."""

    name: str
    value: float | None
    """None where there is nothing to count yet."""
    aim: Literal["above", "below"]
    target: float

    @property
    def is_met(self) -> bool | None:
        if self.value is None:
            return None
        return self.value > self.target if self.aim == "above" else self.value < self.target


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
    ratings: tuple[int, ...] = ()
    timed_operations: int = 0
    """Operations of runs that came to their end, which took `seconds` together."""
    seconds: float = 0.0
    tool_gaps: tuple[tuple[str, int], ...] = ()
    """Missing tools: refused in proposals or not found by a command, most frequent first."""
    would_block: tuple[tuple[str, int], ...] = ()
    """Guarded tools that were called while the guard only logged."""

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

    @property
    def satisfaction(self) -> float | None:
        """The mean of what people said, from 1 to 5."""
        return sum(self.ratings) / len(self.ratings) if self.ratings else None

    @property
    def seconds_for_ten(self) -> float | None:
        """How long ten operations take, on average."""
        return 10 * self.seconds / self.timed_operations if self.timed_operations else None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The measures of success, each with its aim."""
        return (
            Metric("completion_rate", self.completion_rate, "above", 0.8),
            Metric("revisions_per_plan", self.proposals_per_plan, "below", 2.0),
            Metric("operation_success_rate", self.success_rate, "above", 0.95),
            Metric("satisfaction", self.satisfaction, "above", 4.5),
            Metric("seconds_for_ten_operations", self.seconds_for_ten, "below", 30.0),
        )


def plan_figures(engine: Engine) -> PlanFigures:
    """Count. Reads every plan and every run: not for the GUI thread."""
    plans = engine.plans.list().plans
    statuses = Counter(plan.status for plan in plans)
    applied = [run for run in engine.runs.runs() if run.record.kind is RunKind.APPLY]
    by_run = [(run, engine.runs.results_of(run.record.run_id)) for run in applied]
    results = [result for _, found in by_run for result in found]
    outcomes = Counter(result.status for result in results)
    timed = [(run, found) for run, found in by_run if _came_to_its_end(run)]
    ratings = (engine.plans.meta(plan.plan_id).rating for plan in plans)
    return PlanFigures(
        by_status=tuple((status, statuses[status]) for status in PlanStatus if statuses[status]),
        plans=len(plans),
        ended=sum(statuses[status] for status in PlanStatus if has_ended(status)),
        completed=statuses[PlanStatus.COMPLETED],
        proposals=sum(_proposals(engine, plan) for plan in plans),
        operations=outcomes[ResultStatus.COMPLETED] + outcomes[ResultStatus.FAILED],
        operations_done=outcomes[ResultStatus.COMPLETED],
        runs=len(applied),
        undone=sum(run.status is RunStatus.UNDONE for run in applied),
        ratings=tuple(rating for rating in ratings if rating is not None),
        timed_operations=sum(len(found) for _, found in timed),
        seconds=sum(_seconds(run) for run, _ in timed),
        tool_gaps=tuple((engine.proposals.gaps.counts() + _missing_programs(results)).most_common()),
        would_block=tuple(engine.guarded_calls.counts().most_common()),
    )


def _proposals(engine: Engine, plan: PlanSummary) -> int:
    if plan.revision <= 1:
        return 1
    return sum(version.origin in _BY_AGENTS for version in engine.plans.revisions(plan.plan_id))


def _came_to_its_end(run: ListedRun) -> bool:
    return run.record.ended_at is not None and run.status in (RunStatus.COMPLETED, RunStatus.UNDONE)


def _seconds(run: ListedRun) -> float:
    ended = run.record.ended_at or run.record.started_at
    return max(0.0, (ended - run.record.started_at).total_seconds())


def _missing_programs(results: Iterable[OperationResult]) -> Counter[str]:
    found: Counter[str] = Counter()
    for result in results:
        if result.exit_code == _NOT_FOUND:
            named = _MISSING_PROGRAM.search(result.output or "")
            found[named[1] if named else "a program"] += 1
    return found
