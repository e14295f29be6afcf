"""Ask a mind what came of a run and what should change; when it cannot say, say that, and guess nothing."""

from dataclasses import dataclass

from tandem_desktop.domain.advice import Question
from tandem_desktop.domain.agent_ports import AdvisorPort
from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.domain.execution_plan import ExecutionPlan, ExecutionStep, StepStatus
from tandem_desktop.domain.reflection import Assessment, PlanSnapshot, ReflectionResult
from tandem_desktop.policy.prompt_files import PromptFiles

ROLE = "reflector"
TOOL = "submit_reflection"
PROMPT = "reflector.md"

_MOST_STEPS = 200
"""Of a longer plan the failed steps and the first ones are told."""
_LONGEST_OUTPUT = 4_000
_LONGEST_INPUT = 600


@dataclass(frozen=True, slots=True)
class Reflected:
    """What was said, and by whom; nobody when there was no answer."""

    result: ReflectionResult
    agent: str = ""


class PlanReflector:
    """Looks back at one executed plan. It proposes and does nothing."""

    def __init__(self, advisor: AdvisorPort, files: PromptFiles | None = None) -> None:
        self._advisor = advisor
        self._instructions = (files or PromptFiles()).text(PROMPT)

    async def reflect(self, snapshot: PlanSnapshot) -> Reflected:
        """The reflector's view; UNKNOWN, with the reason, when it cannot answer."""
        plan = snapshot.plan
        question = Question(
            role=ROLE,
            words=f"{self._instructions}\n\n{reflection_prompt(plan)}",
            tool=TOOL,
            result=ReflectionResult,
            check=lambda result: check(result, plan),
            session_id=snapshot.session_id,
        )
        try:
            advice = await self._advisor.ask(question)
        except TandemError as failure:
            said = f"Nobody could say what to do about it: {failure.message} {failure.next}".strip()
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
