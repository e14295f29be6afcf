"""Parses and validates plan JSON."""

import codecs
import json
import math
import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, NoReturn

from pydantic_core import ErrorDetails, ValidationError

from tandem_desktop.domain.errors import BadInputError, TandemError, TaskCycleError, UnknownToolError
from tandem_desktop.domain.ids import STEP_ID
from tandem_desktop.domain.models import Model
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.strict_json import RepeatedKeyError, unique_keys
from tandem_desktop.staging.steps import STEP_TYPES, AnyStep, PlanInput, TaskInput

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 100
MAX_DIGITS = 400
MAX_STEPS = 100_000

_NEXT = "Correct the plan and propose it again."
_SAVE = "Save it as UTF-8 without a byte order mark and propose it again."
_UTF16 = lazy_pattern(rb"(?:\0[^\0]|[^\0]\0)", re.DOTALL)
_PATH_FIELDS = frozenset({"path", "to", "cwd", "target"})
"""Paths are checked when the plan is simulated, not as text here."""
_KNOWN = ("title", "summary", "context", "tasks", "steps")
_DERIVED = lazy_pattern(r"(.+)\.[0-9]+")
_LONGEST_TOLD = 12


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
    steps = _give_ids(tuple(_step(position, step) for position, step in enumerate(raw_steps, start=1)))
    if all(step.tool == "read" for step in steps):
        raise BadInputError("The plan has no operations.", next="Add at least one step that changes something.")
    _check_references(steps, tasks)
    return PlanInput(
        title=_text(document, "title", required=True),
        summary=_text(document, "summary"),
        context=_context(document.get("context")),
        tasks=tasks,
        steps=steps,
    )


def step_from(raw: Any) -> AnyStep:
    """Parse one step.

    Raises:
        BadInputError: it is malformed; the sentence names the field.
    """
    return _step(1, raw)


def read_json(raw: bytes, *, max_bytes: int = MAX_BYTES) -> Any:
    """The document in `raw`.

    Raises:
        BadInputError: it is too large, not UTF-8, not JSON, or JSON that two readers could understand differently.
    """
    if len(raw) > max_bytes:
        raise BadInputError(
            f"The plan has {len(raw):,} bytes; the limit is {max_bytes:,}.", next="Split it into several plans."
        )
    text = _decoded(raw)
    if not text.strip():
        raise BadInputError("The plan is empty.", next="Hand in a JSON object with a title and steps.")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_no_constant,
            parse_int=_whole_number,
            parse_float=_number,
        )
    except json.JSONDecodeError as error:
        raise BadInputError(
            f"The plan is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}.", next=_NEXT
        ) from None
    except RecursionError:
        raise BadInputError("The plan is nested too deeply to be read.", next=_NEXT) from None


def check_loose_value(value: Any, where: str) -> None:
    """Refuse a value of free shape that could not be stored: too deep, or text that is not Unicode.

    Raises:
        BadInputError: with `where` as the place.
    """
    waiting: list[tuple[Any, int]] = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise BadInputError(f"{where} is nested deeper than {MAX_DEPTH} levels.", next=_NEXT)
        if isinstance(item, dict):
            waiting.extend((part, depth + 1) for pair in item.items() for part in pair)
        elif isinstance(item, list):
            waiting.extend((part, depth + 1) for part in item)
        elif isinstance(item, str) and not _is_unicode(item):
            raise BadInputError(
                f"{where} contains half of a surrogate pair, which is not a character: {shown(item)!r}.", next=_NEXT
            )


def _decoded(raw: bytes) -> str:
    if raw.startswith(codecs.BOM_UTF8):
        raise BadInputError("The plan begins with a byte order mark.", next=_SAVE)
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)) or _UTF16.match(raw):
        raise BadInputError("The plan is in UTF-16 or UTF-32, not UTF-8.", next=_SAVE)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInputError(f"The plan is not UTF-8: byte {error.start} cannot be read.", next=_SAVE) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    try:
        return unique_keys(pairs)
    except RepeatedKeyError as error:
        raise BadInputError(
            f"The plan has the key {shown(error.key)!r} twice in one object.", next="Keep one of the two."
        ) from None


def _no_constant(name: str) -> NoReturn:
    raise BadInputError(f"The plan contains {name}, which is not a number in JSON.", next=_NEXT)


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise BadInputError(f"The plan contains a number with {len(digits):,} digits.", next=_NEXT)
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits) if len(digits) <= MAX_DIGITS else math.inf
    if not math.isfinite(value):
        raise BadInputError(f"The plan contains the number {digits[:20]}, which is too large or too long.", next=_NEXT)
    return value


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _give_ids(steps: tuple[AnyStep, ...]) -> tuple[AnyStep, ...]:
    """Give steps without an id `s1`, `s2`, … by position, skipping ids in use.

    Raises:
        BadInputError: two steps share an id, or one has the id another's operations may get.
    """
    taken: dict[str, int] = {}
    for position, step in enumerate(steps, start=1):
        if step.id and taken.setdefault(step.id, position) != position:
            raise BadInputError(
                f"Steps {taken[step.id]} and {position} have the same id {step.id}.",
                step=step.id,
                next="Give each step an id of its own.",
            )
    spare = len(steps)
    named = []
    for position, step in enumerate(steps, start=1):
        name = step.id or f"s{position}"
        while not step.id and name in taken:
            spare += 1
            name = f"s{spare}"
        taken[name] = position
        named.append(step if step.id else step.model_copy(update={"id": name}))
    for name in taken:
        derived = _DERIVED.fullmatch(name)
        if derived and derived.group(1) in taken:
            raise BadInputError(
                f"The step id {name} is one that operations of step {derived.group(1)} may get.",
                step=name,
                next="Give the step another id, without the dot.",
            )
    return tuple(named)


def _check_references(steps: tuple[AnyStep, ...], tasks: tuple[TaskInput, ...]) -> None:
    """Check that all dependencies exist, and that none is circular.

    Raises:
        BadInputError: a name is unknown, doubled, or its own.
        TaskCycleError: the waiting goes round in a circle.
    """
    known: set[str] = set()
    for task in tasks:
        if task.id in known:
            raise BadInputError(f"Two tasks have the same id {task.id}.", next="Give each task an id of its own.")
        known.add(task.id)
    _check_waiting("Task", {task.id: task.blocked_by for task in tasks})
    for step in steps:
        if step.task is not None and step.task not in known:
            raise BadInputError(
                f"Step {step.id} belongs to the task {shown(step.task)!r}, which is not in the plan.",
                step=step.id,
                next="Add the task, or correct its id in the step.",
            )
    _check_waiting("Step", {step.id: step.blocked_by for step in steps})


def _check_waiting(what: str, waiting: Mapping[str, Iterable[str]]) -> None:
    for name, blockers in waiting.items():
        step = name if what == "Step" else None
        for blocker in blockers:
            if blocker == name:
                raise BadInputError(f"{what} {name} waits for itself.", step=step, next="Take it out of blocked_by.")
            if blocker not in waiting:
                raise BadInputError(
                    f"{what} {name} waits for {shown(blocker)!r}, which is not in the plan.",
                    step=step,
                    next="Correct the id in blocked_by, or take it out.",
                )
    try:
        TopologicalSorter(waiting).prepare()
    except CycleError as error:
        circle = list(reversed(error.args[1]))  # graphlib lists it from the dependency to the dependent
        if len(circle) > _LONGEST_TOLD:
            circle = [*circle[: _LONGEST_TOLD // 2], "…", *circle[-_LONGEST_TOLD // 2 :]]
        raise TaskCycleError(
            f"{what}s wait for each other in a circle: {' → '.join(circle)}.",
            step=circle[0] if what == "Step" else None,
            next="Take one of them out of blocked_by.",
        ) from None


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
    """Drop nulls: many writers use `null` for "not given"."""
    return {
        key: {inner: part for inner, part in value.items() if part is not None}
        if key == "args" and isinstance(value, dict)
        else value
        for key, value in raw.items()
        if value is not None
    }


def _explained(error: ValidationError, model: type[Model], where: str, step: str | None) -> BadInputError:
    problems = error.errors(include_url=False)
    more = f" ({len(problems) - 1} more like this)" if len(problems) > 1 else ""
    return BadInputError(f"{where}: {_sentence(problems[0], model)}{more}.", step=step, next=_NEXT)


def _sentence(problem: ErrorDetails, model: type[Model]) -> str:
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


def _fields(model: type[Model], location: tuple[int | str, ...]) -> list[str]:
    if location[0] == "args" and len(location) > 1:
        inner = model.model_fields["args"].annotation
        if isinstance(inner, type) and issubclass(inner, Model):
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
