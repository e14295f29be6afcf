"""Turn the plan JSON of the command line and of agents into typed steps, or say in words what is wrong with it."""

from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tandem_desktop.domain.errors import BadInputError, TandemError, UnknownToolError
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import STEP_ID
from tandem_desktop.domain.paths import shown
from tandem_desktop.staging.plan_json import check_loose_value, read_json
from tandem_desktop.staging.plan_references import check_references, give_ids
from tandem_desktop.staging.plan_steps import STEP_TYPES, AnyStep, PlanInput, TaskInput

__all__ = ["MAX_STEPS", "PlanInput", "parse_plan", "plan_from", "step_from"]

MAX_STEPS = 100_000

_NEXT = "Correct the plan and propose it again."
_PATH_FIELDS = frozenset({"path", "to", "cwd", "target"})
"""Judged as paths when the plan meets the workspace, and not as text here."""
_KNOWN = ("title", "summary", "context", "tasks", "steps")


def parse_plan(raw: bytes) -> PlanInput:
    """The plan in `raw`, with an id for every step.

    Raises:
        BadInputError: it is malformed; the sentence names the step and the field.
        TaskCycleError: steps or tasks wait for each other in a circle.
    """
    return plan_from(read_json(raw))


def plan_from(document: Any) -> PlanInput:
    """The plan in an already decoded JSON document; raises as `parse_plan` does."""
    if not isinstance(document, dict):
        raise BadInputError(f"The plan must be a JSON object, not {_kind(document)}.", next=_NEXT)
    for key in document:
        if key not in _KNOWN:
            raise BadInputError(
                f"The plan has an unknown field {_named(key)}; {_listed(_KNOWN)} are known.", next=_NEXT
            )
    tasks = tuple(_task(position, task) for position, task in enumerate(_list(document, "tasks"), start=1))
    raw_steps = _list(document, "steps")
    if "steps" not in document:
        raise BadInputError("The plan has no `steps`.", next="Add a list of steps.")
    if len(raw_steps) > MAX_STEPS:
        raise BadInputError(
            f"The plan has {len(raw_steps):,} steps; the limit is {MAX_STEPS:,}.", next="Split it into several plans."
        )
    steps = give_ids(tuple(_step(position, step) for position, step in enumerate(raw_steps, start=1)))
    if all(step.tool == "read" for step in steps):
        raise BadInputError("The plan has no operations.", next="Add at least one step that changes something.")
    check_references(steps, tasks)
    return PlanInput(
        title=_text(document, "title", required=True),
        summary=_text(document, "summary"),
        context=_context(document.get("context")),
        tasks=tasks,
        steps=steps,
    )


def step_from(raw: Any) -> AnyStep:
    """One step of its own, as a plan would have it.

    Raises:
        BadInputError: it is malformed; the sentence names the field.
    """
    return _step(1, raw)


def _list(document: dict[str, Any], key: str) -> list[Any]:
    value = document.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadInputError(f"`{key}` must be a list, not {_kind(value)}.", next=_NEXT)
    return value


def _text(document: dict[str, Any], key: str, *, required: bool = False) -> str:
    value = document.get(key)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value.strip()):
        found = "missing" if value is None else "empty" if value == "" or isinstance(value, str) else _kind(value)
        raise BadInputError(f"`{key}` must be text, and is {found}.", next=_NEXT)
    check_loose_value(value, f"`{key}`")
    return value


def _context(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, str):
        value = {"notes": value}
    if not isinstance(value, dict):
        raise BadInputError(f"`context` must be an object, not {_kind(value)}.", next=_NEXT)
    check_loose_value(value, "`context`")
    return value


def _step(position: int, raw: Any) -> AnyStep:
    try:
        return _read_step(position, raw)
    except TandemError as error:
        args = raw.get("args") if isinstance(raw, dict) else None
        path = args.get("path") if isinstance(args, dict) else None
        error.path = shown(path) if isinstance(path, str) else None
        raise


def _read_step(position: int, raw: Any) -> AnyStep:
    where = f"Step {position}"
    if not isinstance(raw, dict):
        raise BadInputError(f"{where} must be an object, not {_kind(raw)}.", step=f"s{position}", next=_NEXT)
    given = raw.get("id")
    name = given if isinstance(given, str) and STEP_ID.fullmatch(given) else f"s{position}"
    where = f"Step {name}" if name == given else where
    tool = raw.get("tool")
    if not isinstance(tool, str):
        found = "has no `tool`" if tool is None else f"has a `tool` that is {_kind(tool)}"
        raise BadInputError(f"{where} {found}.", step=name, next=f"Use one of {_listed(STEP_TYPES)}.")
    if tool not in STEP_TYPES:
        message = f"{where} uses the tool {_named(tool)}, which Tandem does not have; {_listed(STEP_TYPES)} are known."
        raise UnknownToolError(message, tool, step=name, next="Use one of these tools.")
    model = STEP_TYPES[tool]
    _check_texts(raw, f"{where} ({tool})", name)
    try:
        return model.model_validate(_without_nulls(raw))
    except ValidationError as error:
        raise _explained(error, model, f"{where} ({tool})", name) from None


def _task(position: int, raw: Any) -> TaskInput:
    given = raw.get("id") if isinstance(raw, dict) else None
    where = f"Task {given}" if isinstance(given, str) and STEP_ID.fullmatch(given) else f"Task {position}"
    if not isinstance(raw, dict):
        raise BadInputError(f"{where} must be an object, not {_kind(raw)}.", next=_NEXT)
    _check_texts(raw, where, None)
    try:
        return TaskInput.model_validate(_without_nulls(raw))
    except ValidationError as error:
        raise _explained(error, TaskInput, where, None) from None


def _check_texts(raw: dict[str, Any], where: str, step: str | None) -> None:
    args = raw.get("args")
    inner = args if isinstance(args, dict) else {}
    try:
        for key, value in (*((f"args.{name}", part) for name, part in inner.items()), *raw.items()):
            if key != "args" and key.removeprefix("args.") not in _PATH_FIELDS:
                check_loose_value(value, f"{where}: `{shown(key)}`")
    except BadInputError as error:
        error.step = step
        raise


def _without_nulls(raw: dict[str, Any]) -> dict[str, Any]:
    """`null` is how many writers say "not given"."""
    return {
        key: {inner: part for inner, part in value.items() if part is not None}
        if key == "args" and isinstance(value, dict)
        else value
        for key, value in raw.items()
        if value is not None
    }


def _explained(error: ValidationError, model: type[Frozen], where: str, step: str | None) -> BadInputError:
    problems = error.errors(include_url=False)
    more = f" ({len(problems) - 1} more like this)" if len(problems) > 1 else ""
    return BadInputError(f"{where}: {_sentence(problems[0], model)}{more}.", step=step, next=_NEXT)


def _sentence(problem: ErrorDetails, model: type[Frozen]) -> str:
    location = problem["loc"]
    field = f"`{shown('.'.join(str(part) for part in location))}`" if location else "it"
    context = problem.get("ctx", {})
    match problem["type"]:
        case "missing":
            return f"{field} is missing"
        case "extra_forbidden":
            known = _fields(model, location)
            return f"{field} is not known; {_listed(known)} are"
        case "value_error":
            return f"{field} {context['error']}"
        case "greater_than_equal" | "less_than_equal":
            return f"{field} is out of range: {problem['msg'][0].lower()}{problem['msg'][1:]}"
        case "enum":
            return f"{field} must be one of {context['expected']}"
        case other:
            return f"{field} must be {_WANTED.get(other, 'something else')}, not {_kind(problem['input'])}"


_WANTED = {
    "string_type": "text",
    "bytes_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "model_type": "an object",
    "dict_type": "an object",
    "tuple_type": "a list",
}


def _fields(model: type[Frozen], location: tuple[int | str, ...]) -> list[str]:
    if location[0] == "args" and len(location) > 1:
        inner = model.model_fields["args"].annotation
        if isinstance(inner, type) and issubclass(inner, Frozen):
            model = inner
    return list(model.model_fields)


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"


def _named(value: str) -> str:
    return repr(shown(value))


def _listed(names: Any) -> str:
    return ", ".join(names)
