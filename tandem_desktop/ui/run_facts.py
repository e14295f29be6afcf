"""What the conversation and the plans' list tell of a run: how it ended, and what can still be done about it."""

from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.domain.execution import RunKind, RunStatus
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.ui.words import later

UNDO, BRING_BACK = later("Undo"), later("Bring back")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run in short."""

    run_id: RunId
    plan_id: PlanId
    revision: int
    at: datetime
    way_back: str = ""
    """`Undo` or `Bring back` while that is possible."""
    is_applied: bool = False
    """Whether it wrote the plan, and what it wrote is still there."""


def run_facts(run: ListedRun) -> RunFacts:
    record = run.record
    is_undo = record.kind is RunKind.UNDO
    way_back = UNDO if run.undoable and not is_undo else BRING_BACK if run.status is RunStatus.UNDONE else ""
    return RunFacts(
        run_id=record.run_id,
        plan_id=record.plan_id,
        revision=record.revision,
        at=record.ended_at or record.started_at,
        way_back="" if is_undo else way_back,
        is_applied=run.status is RunStatus.COMPLETED and not is_undo,
    )
