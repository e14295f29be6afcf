"""Assessment of a run, the adjustments it proposes, and the outcome of an orchestrated task."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.ids import PlanId, RunId, SessionId
from tandem_desktop.domain.plan_steps import ExecutionPlan

MAX_ADJUSTMENTS = 50
_LONGEST_REASONING = 20_000

Reasoning = Annotated[str, Field(max_length=_LONGEST_REASONING)]


class Assessment(StrEnum):
    """How the plan stands, as its reflector sees it."""

    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
    ON_TRACK = "ON_TRACK"
    NEEDS_ADJUSTMENT = "NEEDS_ADJUSTMENT"
    OFF_TRACK = "OFF_TRACK"
    UNKNOWN = "UNKNOWN"
    """The reflector could not answer."""

    @property
    def is_terminal(self) -> bool:
        """True if the work ends here: done, impossible, or unknown."""
        return self in (Assessment.COMPLETE, Assessment.FAILED, Assessment.UNKNOWN)


class AdjustmentAction(StrEnum):
    """The six ways to change a plan by one step."""

    MODIFY = "MODIFY"
    """Give the step another input."""
    RETRY = "RETRY"
    """Do it again, with another input where one is given."""
    SKIP = "SKIP"
    """Leave it out."""
    ADD_BEFORE = "ADD_BEFORE"
    ADD_AFTER = "ADD_AFTER"
    REPLACE = "REPLACE"
    """Another step in its place."""


_NEEDS_INPUT = frozenset(AdjustmentAction) - {AdjustmentAction.RETRY, AdjustmentAction.SKIP}
_NEEDS_TOOL = frozenset({AdjustmentAction.ADD_BEFORE, AdjustmentAction.ADD_AFTER, AdjustmentAction.REPLACE})


class StepAdjustment(Frozen):
    """One proposed change of one step. It has no effect until a person accepts it."""

    action: Annotated[
        AdjustmentAction,
        Field(json_schema={"type": "string", "enum": [each.value for each in AdjustmentAction]}),
        Field(description="What to do about the step."),
    ]
    step_id: Annotated[str, Field(max_length=100, description="The id of the step it is about.")]
    reason: Annotated[Reasoning, Field(description="Why, in a sentence a person can judge it by.")]
    tool: Annotated[
        str, Field(max_length=100, description="The tool of a new step; of a changed one only if it takes another.")
    ] = ""
    tool_input: Annotated[
        dict[str, Any] | None,
        Field(json_schema={"type": "object"}),
        Field(description="The arguments of the tool; for MODIFY and RETRY only those that change."),
    ] = None
    description: Annotated[str, Field(max_length=2_000, description="What a new step does, in a line.")] = ""

    def check_together(self) -> None:
        if self.action in _NEEDS_TOOL and not self.tool:
            raise ValueError(f"needs `tool`, because {self.action.value} brings a new step")
        if self.action in _NEEDS_INPUT and self.tool_input is None:
            raise ValueError(f"needs `tool_input`, because {self.action.value} says what the step is given")


class ReflectionResult(Frozen):
    """What the reflector says."""

    assessment: Annotated[
        Assessment,
        Field(json_schema={"type": "string", "enum": [each.value for each in Assessment]}),
        Field(description="How the plan stands."),
    ]
    reasoning: Annotated[Reasoning, Field(description="What went wrong and why, for the person to read.")]
    adjustments: Annotated[
        tuple[StepAdjustment, ...],
        Field(max_length=MAX_ADJUSTMENTS, description="Changes of single steps, each of use by itself."),
    ] = ()

    @classmethod
    def unknown(cls, why: str) -> "ReflectionResult":
        """There was no answer; `why` is what a person reads."""
        return cls(assessment=Assessment.UNKNOWN, reasoning=why[:_LONGEST_REASONING])


class PlanSnapshot(Frozen):
    """An immutable snapshot of a plan."""

    plan: ExecutionPlan
    run_id: RunId
    session_id: SessionId | None = None
    """The session of the plan; the conversation about the run is stored there."""
    cycle: Annotated[int, Field(ge=0)]
    """How often the plan had been adjusted before."""
    taken_at: datetime


class AdjustmentVerdict(StrEnum):
    """A person's answer to one adjustment."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class Judged(Frozen):
    """An adjustment, why it cannot be accepted, if so, and the person's answer."""

    adjustment: StepAdjustment
    problem: str = ""
    """Why it cannot be accepted: on its own it does not apply to the workspace as it stood."""
    verdict: AdjustmentVerdict = AdjustmentVerdict.OPEN


class Reflection(Frozen):
    """The record of one reflection, stored with its run."""

    format: int = 1
    plan_id: PlanId
    run_id: RunId
    snapshot: PlanSnapshot
    assessment: Assessment
    reasoning: str
    adjustments: tuple[Judged, ...] = ()
    agent: str = ""
    at: datetime
    made_revision: int | None = None
    """The revision the accepted adjustments became."""

    def judged(self, number: int, verdict: AdjustmentVerdict) -> "Reflection":
        """Set the person's answer to one adjustment, counted from 1."""
        return self.model_copy(
            update={
                "adjustments": tuple(
                    each.model_copy(update={"verdict": verdict}) if position == number else each
                    for position, each in enumerate(self.adjustments, start=1)
                )
            }
        )

    def numbers(self, verdict: AdjustmentVerdict) -> tuple[int, ...]:
        """The adjustments with this answer, counted from 1."""
        return tuple(n for n, each in enumerate(self.adjustments, start=1) if each.verdict is verdict)


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
    """The run failed and nothing is left to try, or an unexpected error occurred."""
    WAITING = "waiting"
    """The person has not decided; the plan waits, and can be resumed."""
    ABORTED = "aborted"
    MAX_CYCLES = "max_cycles"
    """The run failed, and the plan was adjusted as often as it may be."""
    UNKNOWN = "unknown"
    """The run failed, and the reflector could not say what to do."""


class Orchestration(Frozen):
    """The outcome of an orchestration."""

    task: str
    outcome: OrchestrationOutcome
    stage: OrchestrationStage
    """Where it ended."""
    plan: ExecutionPlan | None = None
    """The current plan; None if it ended before there was one."""
    cycles: int = 0
    """How often the plan was adjusted."""
    reflection: Reflection | None = None
    problem: str = ""
