"""The arguments of the planning tools, typed; whatever does not fit is refused with a sentence the agent can act on."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, StrictStr, ValidationError, WithJsonSchema

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.paths import shown
from tandem_desktop.staging.plan_json import check_loose_value
from tandem_desktop.staging.plan_steps import STEP_TYPES

MOST_CHARACTERS = 512 * 1024
"""More than a person will ever read of one plan."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _not_none(steps: tuple[Frozen, ...]) -> tuple[Frozen, ...]:
    if not steps:
        raise ValueError("is an empty list")
    return steps


def _a_tool(name: str) -> str:
    if name not in STEP_TYPES:
        raise ValueError(f"must be one of {', '.join(STEP_TYPES)}")
    return name


def _plain(schema: dict[str, Any]) -> WithJsonSchema:
    """A schema without references and alternatives, which not every model provider takes."""
    return WithJsonSchema(schema)


_TOOLS = Annotated[StrictStr, AfterValidator(_a_tool), _plain({"type": "string", "enum": list(STEP_TYPES)})]
_OBJECT = Annotated[dict[str, Any], _plain({"type": "object"})]
_NAMES = Annotated[tuple[StrictStr, ...], _plain({"type": "array", "items": {"type": "string"}})]
Text = Annotated[StrictStr, Field(max_length=MOST_CHARACTERS)]
Words = Annotated[Text, AfterValidator(_not_blank)]


class PresentPlan(Frozen):
    """A plan in words."""

    plan_content: Annotated[Words, Field(description="The whole plan, as Markdown, for a person to read.")]
    title: Annotated[Text, Field(description="One line that names the plan.")] = ""


class LooseStep(Frozen):
    """A step as an agent writes it, whatever it was asked for; `plan_from` checks it."""

    description: Annotated[Words, Field(description="What this step does and how one sees that it worked.")]
    rationale: Annotated[Text, Field(description="Why the step is needed.")] = ""
    risk: Annotated[Text, Field(description="What could go wrong, and what is done about it.")] = ""
    id: Annotated[Text, Field(description="A name for the step, when others wait for it.")] = ""
    task: Annotated[Text, Field(description="The id of the task the step belongs to.")] = ""
    blocked_by: Annotated[_NAMES, Field(description="The ids of steps that come first.")] = ()


class ProposedStep(LooseStep):
    """One step: with `args` it becomes an operation, without it stays words."""

    tool: Annotated[_TOOLS, Field(description="What carries the step out.")]
    args: Annotated[
        _OBJECT | None,
        _plain({"type": "object"}),
        Field(description="The exact arguments of the tool. Without them the step is only plan text."),
    ] = None
    operation: Annotated[Text, Field(description="For a step without args: the operation, in words.")] = ""
    target: Annotated[Text, Field(description="For a step without args: the file or thing it concerns.")] = ""


class ProposedTask(Frozen):
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


class LoosePlan(Frozen):
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
        _OBJECT,
        _plain({"type": "object"}),
        Field(default_factory=dict, description="Facts worth keeping with the plan, as JSON."),
    ]


class ListPlans(Frozen):
    """Nothing to say."""


class GetPlan(Frozen):
    """Which plan."""

    plan_id: Annotated[Words, Field(description="The plan's id, such as PLAN-1a2b3c4d.")]


class UpdateTask(Frozen):
    """How a task stands."""

    task_id: Annotated[Words, Field(description="The task's id, such as t1.")]
    status: Annotated[
        Literal["pending", "in_progress", "completed", "failed", "skipped"],
        Field(description="How it stands now."),
    ]
    note: Annotated[Text, Field(description="What the person should know about it.")] = ""


class SubmitReflection(Frozen):
    """What every look back says; a question asks for the adjustments it can use besides."""

    assessment: Annotated[Words, Field(description="How the run went, in one of the words you were given.")]
    reasoning: Annotated[Words, Field(description="Why, in a few sentences.")]


_MOST_TOLD = 5

Arguments = TypeVar("Arguments", bound=Frozen)


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
