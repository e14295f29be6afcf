"""Stages and outcome of an orchestrated task."""

from enum import StrEnum

from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.plan_steps import ExecutionPlan
from tandem_desktop.domain.reflection import Reflection


class OrchestrationStage(StrEnum):
    """Where an orchestration is."""

    GENERATING = "generating"
    AWAITING_APPROVAL = "awaiting_approval"
    EXECUTING = "executing"
    REFLECTING = "reflecting"
    AWAITING_ADJUSTMENTS = "awaiting_adjustments"


class OrchestrationOutcome(StrEnum):
    """How it ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    """The run failed and nothing is left to try, or something went wrong that nobody foresaw."""
    WAITING = "waiting"
    """The person has not decided; the plan waits, and can be taken up again."""
    ABORTED = "aborted"
    MAX_CYCLES = "max_cycles"
    """The run failed, and the plan was adjusted as often as it may be."""
    UNKNOWN = "unknown"
    """The run failed, and the reflector could not say what to do."""


class Orchestration(Frozen):
    """What came of it, as it is; nothing here is hoped for."""

    task: str
    outcome: OrchestrationOutcome
    stage: OrchestrationStage
    """Where it ended."""
    plan: ExecutionPlan | None = None
    """As it stands; none when it ended before there was one."""
    cycles: int = 0
    """How often the plan was adjusted."""
    reflection: Reflection | None = None
    problem: str = ""
