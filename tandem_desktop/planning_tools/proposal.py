"""Turn what an agent proposes into plan JSON: steps with arguments become operations, the others stay words."""

import json
from dataclasses import dataclass
from typing import Any

from tandem_desktop.planning_tools.tool_arguments import ProposedStep, ProposePlan
from tandem_desktop.staging.plan_input import plan_from


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan as it goes to the desk: as plan JSON when anything in it can be staged, as Markdown otherwise."""

    title: str
    markdown: str
    plan_json: bytes | None


def proposal_from(plan: ProposePlan) -> Proposal:
    """Sort the steps.

    Raises:
        BadInputError: a step or a task is malformed; the sentence names it.
        TaskCycleError: steps or tasks wait for each other.
    """
    names = _names(plan.steps)
    words = {name for name, step in zip(names, plan.steps, strict=True) if step.args is None}
    text = _text(plan, words, names)
    staged = [_staged(step, name, words) for step, name in zip(plan.steps, names, strict=True) if step.args is not None]
    if not staged:
        return Proposal(plan.title, f"# {plan.title}\n\n{text}\n", None)
    document: dict[str, Any] = {"title": plan.title, "summary": text, "context": plan.context, "steps": staged}
    document["tasks"] = [task.model_dump(exclude_defaults=True) for task in plan.tasks]
    plan_from(document)
    return Proposal(plan.title, text, json.dumps(document).encode())


def _names(steps: tuple[ProposedStep, ...]) -> list[str]:
    """Each step's own id, or one by its position among all of them, so that words do not shift the numbers."""
    taken = {step.id for step in steps}
    names = []
    for position, step in enumerate(steps, start=1):
        name = step.id or f"s{position}"
        while not step.id and name in taken:
            name = f"{name}-{position}"
        taken.add(name)
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
