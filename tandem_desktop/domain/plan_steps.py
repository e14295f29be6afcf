"""Plans as executable steps with dependencies and status."""

import json
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any

from tandem_desktop.domain.advice import RiskLevel
from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import UnknownOperationError
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId, TaskId
from tandem_desktop.domain.operations import PLAN_TOOLS, StagedOperation
from tandem_desktop.domain.perspectives import ChapoPerspective, DevoPerspective, KodaPerspective, Perspectives
from tandem_desktop.domain.plan import Note, PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus, phase_of
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.domain.tasks import PlanTask

THINK = "think"
"""The tool of a step that is only a note: nothing is run for it."""


class StepStatus(StrEnum):
    """How far a step is."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class ExecutionStep(Frozen):
    """One step. A change makes a new one."""

    id: str
    tool: str
    """A tool of plan JSON, or `think`."""
    description: str = ""
    tool_input: dict[str, Any] = Field(default_factory=dict)
    """The arguments of the tool; for a reviewed file operation only the paths, as its bytes are stored elsewhere."""
    operation: OperationId | None = None
    """The reviewed operation that carries it out as it stands; none once its input is a new one."""
    task: TaskId | None = None
    blocked_by: tuple[str, ...] = ()
    status: StepStatus = StepStatus.PENDING
    error: str | None = None
    output: str | None = None

    @property
    def changes_nothing(self) -> bool:
        """True for a note: a thought or a read."""
        return self.tool in _NOTES

    def mark_running(self) -> "ExecutionStep":
        return self.model_copy(update={"status": StepStatus.RUNNING})

    def mark_completed(self, output: str | None = None) -> "ExecutionStep":
        return self.model_copy(update={"status": StepStatus.COMPLETED, "output": output, "error": None})

    def mark_failed(self, error: str, output: str | None = None) -> "ExecutionStep":
        return self.model_copy(update={"status": StepStatus.FAILED, "error": error, "output": output})

    def mark_skipped(self, reason: str | None = None) -> "ExecutionStep":
        return self.model_copy(update={"status": StepStatus.SKIPPED, "error": reason})

    def mark_cancelled(self) -> "ExecutionStep":
        return self.model_copy(update={"status": StepStatus.CANCELLED})

    def reopened(self) -> "ExecutionStep":
        """The step reset to pending."""
        return self.model_copy(update={"status": StepStatus.PENDING, "error": None, "output": None})


class ExecutionPlan(Frozen):
    """The steps of one revision, in order, with where they and the plan stand."""

    plan_id: PlanId
    revision: int
    title: str
    status: PlanStatus = PlanStatus.PROPOSED
    steps: tuple[ExecutionStep, ...] = ()

    @classmethod
    def of(cls, version: PlanVersion, status: PlanStatus, results: Iterable[OperationResult] = ()) -> "ExecutionPlan":
        """Build from a revision and its results; without results, nothing has begun."""
        came_of = {result.id: result for result in results}
        steps = (_staged(operation, came_of.get(operation.id)) for operation in version.operations)
        return cls(
            plan_id=version.plan_id,
            revision=version.revision,
            title=version.title,
            status=status,
            steps=(*map(_noted, version.notes), *steps),
        )

    def step(self, step_id: str) -> ExecutionStep:
        """One step.

        Raises:
            UnknownOperationError: there is none of this name.
        """
        for step in self.steps:
            if step.id == step_id:
                return step
        raise UnknownOperationError(
            f"{self.plan_id} r{self.revision} has no step {step_id}.",
            step=step_id,
            next=f"Its steps are {', '.join(step.id for step in self.steps[:20]) or 'none'}.",
        )

    def ready(self) -> tuple[ExecutionStep, ...]:
        """Steps whose dependencies are completed."""
        done = {step.id for step in self.steps if step.status is StepStatus.COMPLETED}
        return tuple(
            step for step in self.steps if step.status is StepStatus.PENDING and done.issuperset(step.blocked_by)
        )

    def failed(self) -> tuple[ExecutionStep, ...]:
        return tuple(step for step in self.steps if step.status is StepStatus.FAILED)

    def with_step(self, changed: ExecutionStep) -> "ExecutionPlan":
        """The plan with one step replaced."""
        return self.with_steps(tuple(changed if step.id == changed.id else step for step in self.steps))

    def with_steps(self, steps: tuple[ExecutionStep, ...]) -> "ExecutionPlan":
        return self.model_copy(update={"steps": steps})

    def with_result(self, result: OperationResult) -> "ExecutionPlan":
        """Apply an operation result to its step; ignored if the plan does not have it."""
        return self.with_steps(
            tuple(_after(step, result) if step.operation == result.id else step for step in self.steps)
        )

    def mark_completed(self) -> "ExecutionPlan":
        return self._mark(PlanStatus.COMPLETED)

    def mark_failed(self) -> "ExecutionPlan":
        return self._mark(PlanStatus.FAILED)

    def mark_cancelled(self) -> "ExecutionPlan":
        return self._mark(PlanStatus.CANCELLED)

    def _mark(self, status: PlanStatus) -> "ExecutionPlan":
        return self.model_copy(update={"status": status})


_NOTES = frozenset({THINK, "read"})
_TOOLS = frozenset(PLAN_TOOLS) - _NOTES
_WHOLE_FILE = {"edit": "write"}
"""A change at unknown lines is shown as the whole file."""


def _noted(note: Note) -> ExecutionStep:
    tool = note.tool if note.tool in _NOTES else THINK
    given = {"path": note.path} if note.path is not None else {}
    return ExecutionStep(id=note.step, tool=tool, description=note.description, tool_input=given)


def _staged(operation: StagedOperation, result: OperationResult | None) -> ExecutionStep:
    tool = operation.kind.spec.tool
    step = ExecutionStep(
        id=operation.id,
        tool=operation.tool if operation.tool in _TOOLS else _WHOLE_FILE.get(tool, tool),
        description=operation.description,
        tool_input=_input(operation),
        operation=operation.id,
        task=operation.task,
        blocked_by=operation.blocked_by,
    )
    return step if result is None else _after(step, result)


def _input(operation: StagedOperation) -> dict[str, Any]:
    if (external := operation.external_call) is not None:
        return {"arguments": json.loads(external.arguments), "target": external.target}
    if (call := operation.command_call) is not None:
        given = {"command": call.command, "cwd": call.cwd, "timeout_s": call.timeout_s, "env": dict(call.env)}
        return {name: value for name, value in given.items() if value}
    named = {"path": operation.path, "to": operation.to}
    return {name: value for name, value in named.items() if value is not None}


def _after(step: ExecutionStep, result: OperationResult) -> ExecutionStep:
    match result.status:
        case ResultStatus.COMPLETED:
            return step.mark_completed(result.output)
        case ResultStatus.FAILED:
            return step.mark_failed(result.error or "It failed.", result.output)
        case ResultStatus.SKIPPED:
            return step.mark_skipped(result.error)
        case ResultStatus.CANCELLED:
            return step.mark_cancelled()
        case ResultStatus.RUNNING:
            return step.mark_running()
        case ResultStatus.PENDING | ResultStatus.ROLLED_BACK:  # a rolled-back step is pending again
            return step.reopened()


class AdvisedPlan(Frozen):
    """Perspectives, tasks and decisions of one plan."""

    plan_id: PlanId
    session_id: SessionId
    status: PlanStatus
    phase: str
    chapo_perspective: ChapoPerspective | None = None
    koda_perspective: KodaPerspective | None = None
    devo_perspective: DevoPerspective | None = None
    summary: str
    tasks: tuple[PlanTask, ...] = ()
    estimated_duration: str = ""
    overall_risk: RiskLevel | None = None
    created_at: datetime
    approved_at: datetime | None = None
    rejected_at: datetime | None = None
    rejection_reason: str | None = None

    @classmethod
    def of(cls, version: PlanVersion, meta: PlanMeta, tasks: tuple[PlanTask, ...] | None = None) -> "AdvisedPlan":
        """The revision and what was decided; `tasks` are those of the revision as they stand now."""
        found = version.perspectives or Perspectives(task="")
        rejection = meta.rejections[-1] if meta.rejections else None
        return cls(
            plan_id=version.plan_id,
            session_id=version.session_id,
            status=meta.status,
            phase=phase_of(meta.status),
            chapo_perspective=found.chapo,
            koda_perspective=found.koda,
            devo_perspective=found.devo,
            summary=version.content,
            tasks=version.tasks if tasks is None else tasks,
            estimated_duration=found.estimated_duration,
            overall_risk=found.overall_risk,
            created_at=meta.created_at,
            approved_at=meta.approved_at,
            rejected_at=rejection.at if rejection else None,
            rejection_reason=rejection.feedback if rejection else None,
        )
