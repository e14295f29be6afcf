"""Asks an advisor about a run and applies step adjustments."""

from collections.abc import Iterable
from dataclasses import dataclass

from tandem_desktop.domain.advice import Question
from tandem_desktop.domain.errors import BadInputError, StepRefusedError, TandemError
from tandem_desktop.domain.plan_steps import THINK, ExecutionPlan, ExecutionStep, StepStatus
from tandem_desktop.domain.ports import AdvisorPort
from tandem_desktop.domain.reflection import (
    AdjustmentAction,
    Assessment,
    PlanSnapshot,
    ReflectionResult,
    StepAdjustment,
)
from tandem_desktop.staging.steps import STEP_TYPES
from tandem_desktop.storage.paths import PromptFiles

ROLE = "reflector"
TOOL = "submit_reflection"
PROMPT = "reflector.md"

_MOST_STEPS = 200
"""Of a longer plan the failed steps and the first ones are told."""
_LONGEST_OUTPUT = 4_000
_LONGEST_INPUT = 600


@dataclass(frozen=True, slots=True)
class Reflected:
    """The answer and the agent that gave it; no agent if there was no answer."""

    result: ReflectionResult
    agent: str = ""


class PlanReflector:
    """Asks for an assessment of one executed plan. It only proposes."""

    def __init__(self, advisor: AdvisorPort, files: PromptFiles | None = None) -> None:
        self._advisor = advisor
        self._instructions = (files or PromptFiles()).text(PROMPT)

    async def reflect(self, snapshot: PlanSnapshot) -> Reflected:
        """The reflector's view; UNKNOWN, with the reason, when it cannot answer."""
        plan = snapshot.plan
        question = Question(
            role=ROLE,
            prompt=f"{self._instructions}\n\n{reflection_prompt(plan)}",
            tool=TOOL,
            result=ReflectionResult,
            check=lambda result: check(result, plan),
            session_id=snapshot.session_id,
        )
        try:
            advice = await self._advisor.ask(question)
        except TandemError as failure:
            said = f"No agent could say what to do about it: {failure.message} {failure.next}".strip()
            return Reflected(ReflectionResult.unknown(said))
        return Reflected(advice.result, advice.agent)


def reflection_prompt(plan: ExecutionPlan) -> str:
    """What the reflector has to know: the current status, the result of each step, the failed ones in full."""
    told = plan.steps[:_MOST_STEPS]
    parts = [
        f"The plan: {plan.title} ({plan.plan_id} r{plan.revision}). Its status: {plan.status.value}.",
        "\n".join(("Steps and results:", *map(_line, told), *_more(plan))),
    ]
    failed = plan.failed()
    if failed:
        parts.append("\n\n".join(("Failed steps:", *map(_in_full, failed[:20]))))
    return "\n\n".join(parts)


def check(result: ReflectionResult, plan: ExecutionPlan) -> None:
    """Refuse what has the right shape and makes no sense.

    Raises:
        BadInputError: a step is unknown, or the assessment contradicts the run.
    """
    known = {step.id for step in plan.steps}
    for adjustment in result.adjustments:
        if adjustment.step_id not in known:
            raise BadInputError(
                f"There is no step {adjustment.step_id[:60]!r}.", next=f"The steps are {', '.join(sorted(known)[:50])}."
            )
    if result.assessment is Assessment.COMPLETE and plan.failed():
        raise BadInputError(
            f"COMPLETE cannot be: step {plan.failed()[0].id} failed.",
            next="Say NEEDS_ADJUSTMENT, OFF_TRACK or FAILED.",
        )


def _line(step: ExecutionStep) -> str:
    waits = f", waits for {', '.join(step.blocked_by)}" if step.blocked_by else ""
    error = f" — {step.error}" if step.error and step.status is not StepStatus.FAILED else ""
    given = str(step.tool_input)[:_LONGEST_INPUT]
    return f"- {step.id} [{step.status.value}] {step.tool} {given}{waits}: {step.description}{error}"


def _more(plan: ExecutionPlan) -> tuple[str, ...]:
    left = len(plan.steps) - _MOST_STEPS
    return (f"- … and {left} more",) if left > 0 else ()


def _in_full(step: ExecutionStep) -> str:
    output = (step.output or "").strip()
    told = f"\nIts output, the end of it:\n{output[-_LONGEST_OUTPUT:]}" if output else ""
    return f"{step.id}: {step.error}{told}"


MAX_STEPS = 200
"""A plan does not grow past this by adjustments."""

_A = AdjustmentAction
_AGAIN = frozenset({StepStatus.SKIPPED, StepStatus.CANCELLED, StepStatus.RUNNING})
"""Steps that were skipped because of another; they are pending again in a new plan."""


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A new plan, and the adjustments that could not be made; the others were."""

    plan: ExecutionPlan
    applied: tuple[StepAdjustment, ...]
    left_out: tuple[tuple[StepAdjustment, str], ...] = ()
    """Each with the reason."""


class PlanAdjuster:
    """Applies the six kinds of adjustment to values; the result is simulated, reviewed and approved again."""

    def __init__(self, max_steps: int = MAX_STEPS) -> None:
        self._max_steps = max_steps

    def adjust(self, plan: ExecutionPlan, adjustments: Iterable[StepAdjustment]) -> Adjusted:
        """Make the adjustments in their order, each on the plan the earlier ones leave; one that fails is left out."""
        current = plan.with_steps(tuple(s.reopened() if s.status in _AGAIN else s for s in plan.steps))
        applied: list[StepAdjustment] = []
        left_out: list[tuple[StepAdjustment, str]] = []
        for adjustment in adjustments:
            try:
                current = self.apply(current, adjustment)
            except TandemError as refusal:
                left_out.append((adjustment, refusal.message))
            else:
                applied.append(adjustment)
        return Adjusted(current, tuple(applied), tuple(left_out))

    def apply(self, plan: ExecutionPlan, adjustment: StepAdjustment) -> ExecutionPlan:
        """The plan with one adjustment.

        Raises:
            UnknownOperationError: it is about a step the plan does not have.
            StepRefusedError: the tool is unknown, the step changes nothing, or the plan would become too long.
        """
        step = plan.step(adjustment.step_id)
        _refuse_unknown_tool(adjustment)
        if step.changes_nothing and adjustment.action not in (_A.ADD_BEFORE, _A.ADD_AFTER, _A.SKIP):
            raise StepRefusedError(f"Step {step.id} changes nothing, so there is nothing to adjust.", step=step.id)
        match adjustment.action:
            case _A.MODIFY | _A.RETRY:
                return plan.with_step(_changed(step, adjustment))
            case _A.REPLACE:
                return plan.with_step(_replaced(step, adjustment))
            case _A.SKIP:
                return _without(plan, step, adjustment.reason)
            case _A.ADD_BEFORE:
                return self._added_before(plan, step, adjustment)
            case _A.ADD_AFTER:
                return self._added_after(plan, step, adjustment)

    def _added_before(self, plan: ExecutionPlan, step: ExecutionStep, adjustment: StepAdjustment) -> ExecutionPlan:
        new = self._new(plan, step, adjustment, blocked_by=step.blocked_by)
        waiting = step.model_copy(update={"blocked_by": (*step.blocked_by, new.id)})
        return _spliced(plan, step, (new, waiting))

    def _added_after(self, plan: ExecutionPlan, step: ExecutionStep, adjustment: StepAdjustment) -> ExecutionPlan:
        new = self._new(plan, step, adjustment, blocked_by=_standing(plan, step))
        return _spliced(plan, step, (step, new))

    def _new(
        self, plan: ExecutionPlan, beside: ExecutionStep, adjustment: StepAdjustment, blocked_by: tuple[str, ...]
    ) -> ExecutionStep:
        if len(plan.steps) >= self._max_steps:
            raise StepRefusedError(
                f"The plan has {len(plan.steps)} steps; with one more it would be longer than {self._max_steps}.",
                step=beside.id,
                next="Make a plan of its own for what is new.",
            )
        return ExecutionStep(
            id=_free_id(plan),
            tool=adjustment.tool or THINK,
            description=adjustment.description or adjustment.reason,
            tool_input=adjustment.tool_input or {},
            task=beside.task,
            blocked_by=blocked_by,
        )


def _refuse_unknown_tool(adjustment: StepAdjustment) -> None:
    if adjustment.tool and adjustment.tool not in STEP_TYPES and adjustment.tool != THINK:
        raise StepRefusedError(
            f"There is no tool {adjustment.tool[:40]!r}; {', '.join(STEP_TYPES)} and {THINK} are known.",
            step=adjustment.step_id,
            next="Leave the adjustment out, or use one of these tools.",
        )


def _changed(step: ExecutionStep, adjustment: StepAdjustment) -> ExecutionStep:
    """Another input; a RETRY without one is the reviewed operation again."""
    kept = step.reopened() if adjustment.action is _A.RETRY else step
    same_tool = adjustment.tool in ("", step.tool)
    if adjustment.tool_input is None and same_tool:
        return kept
    given = {**(step.tool_input if same_tool else {}), **(adjustment.tool_input or {})}
    update = {
        "tool": adjustment.tool or step.tool,
        "tool_input": given,
        "description": adjustment.description or step.description,
        "operation": None,
    }
    return kept.model_copy(update=update)


def _replaced(step: ExecutionStep, adjustment: StepAdjustment) -> ExecutionStep:
    """Another step under the same id, so that dependencies on it stay valid."""
    return ExecutionStep(
        id=step.id,
        tool=adjustment.tool or step.tool,
        description=adjustment.description or adjustment.reason,
        tool_input=adjustment.tool_input or {},
        task=step.task,
        blocked_by=step.blocked_by,
    )


def _without(plan: ExecutionPlan, step: ExecutionStep, reason: str) -> ExecutionPlan:
    """Dependencies on the step become dependencies on its own dependencies."""
    if step.status is StepStatus.COMPLETED:
        raise StepRefusedError(f"Step {step.id} is done and on disk; it cannot be skipped any more.", step=step.id)

    def freed(other: ExecutionStep) -> ExecutionStep:
        if step.id not in other.blocked_by:
            return other
        inherited = (name for b in other.blocked_by for name in (step.blocked_by if b == step.id else (b,)))
        return other.model_copy(update={"blocked_by": tuple(dict.fromkeys(inherited))})

    freed_steps = tuple(map(freed, plan.steps))
    return plan.with_steps(tuple(s.mark_skipped(reason) if s.id == step.id else s for s in freed_steps))


def _standing(plan: ExecutionPlan, step: ExecutionStep) -> tuple[str, ...]:
    """What to wait for after `step`: itself, or, where it is left out, what it waited for."""
    return step.blocked_by if step.status is StepStatus.SKIPPED else (step.id,)


def _spliced(plan: ExecutionPlan, at: ExecutionStep, instead: tuple[ExecutionStep, ...]) -> ExecutionPlan:
    return plan.with_steps(tuple(new for step in plan.steps for new in (instead if step.id == at.id else (step,))))


def _free_id(plan: ExecutionPlan) -> str:
    """`a1`, `a2`, …: the first that neither a step has nor the parts of one."""
    taken = {step.id.partition(".")[0] for step in plan.steps}
    number = 1
    while f"a{number}" in taken:
        number += 1
    return f"a{number}"
