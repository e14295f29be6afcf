"""Typed arguments of the planning tools and plan proposals."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, StrictStr, ValidationError, WithJsonSchema

from tandem_desktop.domain.base import AnyModel
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.models import Model
from tandem_desktop.domain.paths import shown
from tandem_desktop.staging.plan_json import check_loose_value, plan_from
from tandem_desktop.staging.steps import STEP_TYPES, PlanInput

MOST_CHARACTERS = 512 * 1024
"""More than a person will ever read of one plan."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _not_none(steps: tuple[Model, ...]) -> tuple[Model, ...]:
    if not steps:
        raise ValueError("is an empty list")
    return steps


def _plain(schema: dict[str, Any]) -> WithJsonSchema:
    """A schema without references and alternatives, which not every model provider takes."""
    return WithJsonSchema(schema)


_TOOLS = Annotated[StrictStr, AfterValidator(_not_blank), _plain({"type": "string"})]
_OBJECT = Annotated[dict[str, Any], _plain({"type": "object"})]
_NAMES = Annotated[tuple[StrictStr, ...], _plain({"type": "array", "items": {"type": "string"}})]
Text = Annotated[StrictStr, Field(max_length=MOST_CHARACTERS)]
Words = Annotated[Text, AfterValidator(_not_blank)]


class PresentPlan(Model):
    """A plan in words."""

    plan_content: Annotated[Words, Field(description="The whole plan, as Markdown, for a person to read.")]
    title: Annotated[Text, Field(description="One line that names the plan.")] = ""


class LooseStep(Model):
    """A step as an agent writes it, whatever it was asked for; `plan_from` checks it."""

    description: Annotated[Words, Field(description="What this step does and how one sees that it worked.")]
    rationale: Annotated[Text, Field(description="Why the step is needed.")] = ""
    risk: Annotated[Text, Field(description="What could go wrong, and what is done about it.")] = ""
    id: Annotated[Text, Field(description="A name for the step, when others wait for it.")] = ""
    task: Annotated[Text, Field(description="The id of the task the step belongs to.")] = ""
    blocked_by: Annotated[_NAMES, Field(description="The ids of steps that come first.")] = ()


class ProposedStep(LooseStep):
    """One step: with `args` it becomes an operation, without it stays words.

    A step with another tool than those of plans becomes an external call, with or without `args`.
    """

    tool: Annotated[
        _TOOLS,
        Field(
            description=f"What carries the step out: {', '.join(STEP_TYPES)}; any other name is a tool of yours with "
            "effects outside the workspace, which you call once after the person approved it."
        ),
    ]
    args: Annotated[
        _OBJECT | None,
        _plain({"type": "object"}),
        Field(description="The exact arguments of the tool. Without them the step is only plan text."),
    ] = None
    operation: Annotated[Text, Field(description="For a step without args: the operation, in words.")] = ""
    target: Annotated[Text, Field(description="For a step without args: the file or thing it concerns.")] = ""

    @property
    def is_external(self) -> bool:
        """Whether its tool is none of those that Tandem has."""
        return self.tool not in STEP_TYPES

    @property
    def is_staged(self) -> bool:
        """Whether it becomes an operation; otherwise it is only plan text."""
        return self.is_external or self.args is not None


class ProposedTask(Model):
    """One part of the work."""

    id: Annotated[Words, Field(description="A short name, such as t1.")]
    subject: Annotated[Words, Field(description="What it is about, in one line.")]
    description: Text = ""
    agent: Text = ""
    priority: Annotated[
        Literal["critical", "high", "normal", "low"],
        _plain({"type": "string", "enum": ["critical", "high", "normal", "low"]}),
    ] = "normal"
    blocked_by: Annotated[_NAMES, Field(description="The ids of tasks that come first.")] = ()


class LoosePlan(Model):
    """A plan as an agent writes it; what asks for one says which steps it takes."""

    title: Annotated[Words, Field(description="One line that names the plan.")]
    summary: Annotated[Text, Field(description="What a person should know before reading the steps.")] = ""
    tasks: Annotated[tuple[ProposedTask, ...], Field(description="Parts of the work that steps belong to.")] = ()


class ProposePlan(LoosePlan):
    """A plan in steps."""

    steps: Annotated[
        tuple[ProposedStep, ...], AfterValidator(_not_none), Field(description="What is to be done, in order.")
    ]
    context: Annotated[
        _OBJECT | Text,
        _plain({"type": "object"}),
        Field(default_factory=dict, description="Facts worth keeping with the plan, as JSON."),
    ]


class ListPlans(Model):
    """Nothing to say."""


class GetPlan(Model):
    """Which plan."""

    plan_id: Annotated[Words, Field(description="The plan's id, such as PLAN-1a2b3c4d.")]


class UpdateTask(Model):
    """How a task stands."""

    task_id: Annotated[Words, Field(description="The task's id, such as t1.")]
    status: Annotated[
        Literal["pending", "in_progress", "completed", "failed", "skipped"],
        Field(description="How it stands now."),
    ]
    note: Annotated[Text, Field(description="What the person should know about it.")] = ""


class SubmitReflection(Model):
    """What every look back says; a question asks for the adjustments it can use besides."""

    assessment: Annotated[Words, Field(description="How the run went, in one of the words you were given.")]
    reasoning: Annotated[Words, Field(description="Why, in a few sentences.")]


_MOST_TOLD = 5

Arguments = TypeVar("Arguments", bound=AnyModel)


def checked(model: type[Arguments], given: dict[str, Any]) -> Arguments:
    """The arguments as `model` wants them. `null` means not given, as many agents write it.

    Raises:
        BadInputError: something is missing, unknown, or of the wrong kind; the sentence names it.
    """
    for key, value in given.items():
        check_loose_value(value, f"`{shown(key)}`")
    try:
        return model.model_validate(_without_nulls(given))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        more = f", and {len(problems) - _MOST_TOLD} more" if len(problems) > _MOST_TOLD else ""
        told = f"{'; '.join(map(_sentence, problems[:_MOST_TOLD]))}{more}."
        raise BadInputError(told, next="Correct the arguments and call it again.") from None


def _without_nulls(given: dict[str, Any]) -> dict[str, Any]:
    """Also in the steps and tasks of a list, and no deeper: what `args` holds is judged with the step."""
    return {
        key: [_without_nulls(each) if isinstance(each, dict) else each for each in value]
        if isinstance(value, list)
        else value
        for key, value in given.items()
        if value is not None
    }


def _sentence(problem: Any) -> str:
    field = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in problem["loc"])
    named = f"`{shown(field)}`" if field else "the call"
    match problem["type"]:
        case "missing":
            return f"{named} is missing"
        case "extra_forbidden":
            return f"{named} is not known"
        case "value_error":
            return f"{named} {problem['ctx']['error']}"
        case "string_too_long":
            return f"{named} is longer than {problem['ctx']['max_length']:,} characters"
        case "too_long":
            return f"{named} has more than {problem['ctx']['max_length']} entries"
        case "literal_error" | "enum":
            return f"{named} must be one of {problem['ctx']['expected']}"
        case kind:
            return f"{named} must be {_WANTED.get(kind, 'something else')}"


_WANTED = {
    "string_type": "text",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "int_type": "a whole number",
    "bool_type": "true or false",
}


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
    words = {name for name, step in zip(names, plan.steps, strict=True) if not step.is_staged}
    text = _text(plan, words, names)
    staged = [_staged(step, name, words) for step, name in zip(plan.steps, names, strict=True) if step.is_staged]
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
    if step.is_external:
        arguments = step.args if step.args is not None else {"operation": step.operation, "target": step.target}
        found |= {"tool": "external", "args": {"tool": step.tool, "arguments": arguments, "target": step.target}}
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


_DECODER = json.JSONDecoder()
_MOST_TRIED = 2000
"""Braces looked at; a text made of them is not worth more."""


def json_in(text: str) -> dict[str, Any] | None:
    """The last object that is not part of another; None where there is none."""
    found: dict[str, Any] | None = None
    place = text.find("{")
    for _ in range(_MOST_TRIED):
        if place < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            found = value if isinstance(value, dict) and value else found
        place = text.find("{", end)
    return found
