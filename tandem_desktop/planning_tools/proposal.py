"""Turn what an agent proposes into a plan input: steps with arguments become operations, the others stay text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tandem_desktop.planning_tools.tool_arguments import ProposedStep, ProposePlan
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.plan_steps import PlanInput


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an agent proposed: a plan input when anything in it can be staged, Markdown otherwise."""

    title: str
    markdown: str
    plan: PlanInput | None


def proposal_from(plan: ProposePlan) -> Proposal:
    """Sort the steps.

    Raises:
        BadInputError: a step or a task is malformed; the sentence names it.
        TaskCycleError: steps or tasks wait for each other.
    """
    names = step_names([step.id for step in plan.steps])
    words = {name for name, step in zip(names, plan.steps, strict=True) if step.args is None}
    text = _text(plan, words, names)
    staged = [_staged(step, name, words) for step, name in zip(plan.steps, names, strict=True) if step.args is not None]
    if not staged:
        return Proposal(plan.title, f"# {plan.title}\n\n{text}\n", None)
    document: dict[str, Any] = {"title": plan.title, "summary": text, "context": plan.context, "steps": staged}
    document["tasks"] = [task.model_dump(exclude_defaults=True) for task in plan.tasks]
    return Proposal(plan.title, text, plan_from(document))


def step_names(given: Sequence[str]) -> list[str]:
    """Each step's own id, or one by its position among all of them, so that steps that stay text shift no number."""
    taken = set(given)
    names = []
    for position, own in enumerate(given, start=1):
        name = own or f"s{position}"
        while not own and name in taken:
            name = f"{name}-{position}"
        names.append(name)
    return names


def _staged(step: ProposedStep, name: str, words: set[str]) -> dict[str, Any]:
    found = step.model_dump(exclude_defaults=True, exclude={"operation", "target", "blocked_by"})
    waits_for = [blocker for blocker in step.blocked_by if blocker not in words]
    return {**found, "id": name, "blocked_by": waits_for}


def _text(plan: ProposePlan, words: set[str], names: list[str]) -> str:
    """The summary, then the steps that are only words, with their place in the whole."""
    lines = [
        _line(position, step)
        for position, (step, name) in enumerate(zip(plan.steps, names, strict=True), start=1)
        if name in words
    ]
    heading = "Steps in words, not staged:" if len(lines) < len(plan.steps) else "Steps:"
    return "\n\n".join(part for part in (plan.summary, "\n".join((heading, "", *lines)) if lines else "") if part)


def _line(position: int, step: ProposedStep) -> str:
    what = " ".join(part for part in (step.operation, step.target) if part)
    parts = [f"{position}. {step.description} ({step.tool}{': ' + what if what else ''})"]
    parts += [f"   - {name}: {said}" for name, said in (("Why", step.rationale), ("Risk", step.risk)) if said]
    return "\n".join(parts)
