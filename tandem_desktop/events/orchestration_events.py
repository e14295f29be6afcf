"""What is told of a plan on its whole way: carried out step by step, looked back at, adjusted, brought to rest."""

from typing import Literal

from tandem_desktop.domain.execution_plan import StepStatus
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.orchestration import Outcome, Stage
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.domain.reflection import AdjustmentAction, Assessment


class PlanExecutionStarted(Frozen):
    """An orchestrated plan is being carried out."""

    type: Literal["plan_execution_start"] = "plan_execution_start"
    plan_id: PlanId
    revision: int
    steps: int


class PlanStepReady(Frozen):
    """Steps wait for nothing any more; all that became ready at once are told at once."""

    type: Literal["plan_step_ready"] = "plan_step_ready"
    plan_id: PlanId
    revision: int
    step_ids: tuple[str, ...]


class PlanStepCompleted(Frozen):
    """A step came to its end, well or not."""

    type: Literal["plan_step_complete"] = "plan_step_complete"
    plan_id: PlanId
    revision: int
    step_id: str
    status: StepStatus
    error: str | None = None


class ReflectionCompleted(Frozen):
    """Somebody looked back at a run; what was found is kept with the run."""

    type: Literal["reflection_complete"] = "reflection_complete"
    plan_id: PlanId
    run_id: RunId
    assessment: Assessment
    adjustments: int


class AdjustmentApplied(Frozen):
    """An adjustment a person accepted is part of a new revision, which waits for its own approval."""

    type: Literal["adjustment_applied"] = "adjustment_applied"
    plan_id: PlanId
    revision: int
    number: int
    action: AdjustmentAction
    step_id: str


class PlanExecutionCompleted(Frozen):
    """An orchestrated plan came to rest, after this many adjustments."""

    type: Literal["plan_execution_complete"] = "plan_execution_complete"
    plan_id: PlanId
    revision: int
    status: PlanStatus
    cycles: int


class OrchestrationStarted(Frozen):
    """A task is to be taken from a plan to its end."""

    type: Literal["orchestration_started"] = "orchestration_started"
    task: str


class OrchestrationMoved(Frozen):
    """An orchestration has come to its next stage."""

    type: Literal["orchestration_moved"] = "orchestration_moved"
    stage: Stage
    plan_id: PlanId | None = None
    cycle: int = 0


class OrchestrationEnded(Frozen):
    """An orchestration is over; `problem` says why where the outcome alone does not."""

    type: Literal["orchestration_ended"] = "orchestration_ended"
    plan_id: PlanId | None = None
    outcome: Outcome
    cycles: int = 0
    problem: str = ""
