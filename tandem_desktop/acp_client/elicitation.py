"""Reads an agent's questions: `elicitation/create`, and the arguments of a tool that asks the person."""

from collections.abc import Mapping
from typing import Any

from tandem_desktop.acp_client.connection import INVALID_PARAMS, RefusedError
from tandem_desktop.domain.agent_protocol import ToolCall, ToolKind
from tandem_desktop.domain.questions import (
    AgentQuestion,
    AnswerValue,
    FieldKind,
    QuestionAction,
    QuestionAnswer,
    QuestionChoice,
    QuestionField,
    is_web_address,
)

LONGEST_MESSAGE = 4_000
LONGEST_LABEL = 200
LONGEST_DESCRIPTION = 1_000
LONGEST_VALUE = 500
LONGEST_URL = 2_000
LONGEST_PATTERN = 200
MOST_FIELDS = 24
MOST_CHOICES = 64
MOST_QUESTIONS = 8
ASKING_TOOLS = frozenset({"ask_user_question", "askuserquestion"})
NOT_ANSWERED = "No answer: the person declined this question. Go on without it."
_OWN = "-other"
CANCELLED_QUESTION: dict[str, Any] = {"action": QuestionAction.CANCEL.value}
_KINDS = {
    "string": FieldKind.TEXT,
    "number": FieldKind.NUMBER,
    "integer": FieldKind.INTEGER,
    "boolean": FieldKind.BOOLEAN,
    "array": FieldKind.CHOICES,
}


def read_question(params: Mapping[str, Any]) -> AgentQuestion:
    """The question of an `elicitation/create`; words that are too long are cut.

    Raises:
        RefusedError: it cannot be put to a person as it is.
    """
    message = params.get("message")
    if not isinstance(message, str):
        raise _refused("message must be text")
    said = _cut(message, LONGEST_MESSAGE)
    match params.get("mode"):
        case "form":
            return AgentQuestion(message=said, fields=_fields(params.get("requestedSchema")))
        case "url":
            number = _id(params.get("elicitationId"))
            return AgentQuestion(message=said, url=_url(params.get("url")), elicitation_id=number)
    raise _refused("mode must be form or url")


def question_answer(answer: QuestionAnswer) -> dict[str, Any]:
    """The response to an `elicitation/create`."""
    if answer.action is not QuestionAction.ACCEPT or not answer.values:
        return {"action": answer.action.value}
    content = {name: list(value) if isinstance(value, tuple) else value for name, value in answer.values.items()}
    return {"action": answer.action.value, "content": content}


def tool_question(call: ToolCall) -> AgentQuestion | None:
    """The questions in the arguments of a tool that asks the person; None for any other call.

    Such a tool comes as a permission request, and takes its answers beside the permission.
    """
    name = call.tool.lower()
    asks = name in ASKING_TOOLS or (name in ("", ToolKind.THINK.value) and call.kind is ToolKind.THINK)
    listed = call.arguments.get("questions")
    if not asks or call.command is not None or call.diffs or call.paths or not isinstance(listed, list):
        return None
    if not 1 <= len(listed) <= MOST_QUESTIONS or not all(map(_is_question, listed)):
        return None
    is_single = len(listed) == 1
    fields: list[QuestionField] = []
    for number, each in enumerate(listed):
        fields += _tool_fields(str(number), each, is_single=is_single)
    message = _text(listed[0], "question", LONGEST_MESSAGE) if is_single else ""
    return AgentQuestion(message=message, fields=tuple(fields))


def tool_answers(question: AgentQuestion, answer: QuestionAnswer) -> dict[str, str]:
    """The answers of such a tool, by the number of the question."""
    found: dict[str, str] = {}
    for field in question.fields:
        if field.instead_of:
            continue
        chosen, own = answer.values.get(field.name), answer.values.get(f"{field.name}{_OWN}")
        if field.kind is FieldKind.CHOICES:
            parts = [*(chosen if isinstance(chosen, tuple) else ()), own]
        else:
            parts = [own or chosen]
        text = ", ".join(part for part in parts if isinstance(part, str) and part)
        if answer.action is not QuestionAction.ACCEPT:
            found[field.name] = NOT_ANSWERED
        elif text:
            found[field.name] = text
    return found


def _is_question(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("question"), str):
        return False
    options = value.get("options")
    listed = options if isinstance(options, list) else []
    return len(listed) <= MOST_CHOICES and all(
        isinstance(each, dict) and isinstance(each.get("label"), str) and len(each["label"]) <= LONGEST_VALUE
        for each in listed
    )


def _tool_fields(name: str, asked: Mapping[str, Any], *, is_single: bool) -> list[QuestionField]:
    """The choices of one question, and a field for another answer; or, without choices, one for a text."""
    labels = {each["label"]: each for each in asked.get("options") or ()}
    choices = tuple(
        QuestionChoice(
            value=label, label=_cut(label, LONGEST_LABEL), description=_text(each, "description", LONGEST_DESCRIPTION)
        )
        for label, each in labels.items()
    )
    several = FieldKind.CHOICES if asked.get("multiSelect") is True else FieldKind.CHOICE
    field = QuestionField(
        name=name,
        kind=several if choices else FieldKind.TEXT,
        title=_text(asked, "header", LONGEST_LABEL),
        description="" if is_single else _text(asked, "question", LONGEST_DESCRIPTION),
        is_required=is_single,
        choices=choices,
    )
    other = QuestionField(name=f"{name}{_OWN}", kind=FieldKind.TEXT, title="Another answer", instead_of=name)
    return [field, other] if choices else [field]


def _fields(schema: Any) -> tuple[QuestionField, ...]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) and not isinstance(schema, dict):
        raise _refused("requestedSchema must be an object")
    properties = properties if isinstance(properties, dict) else {}
    if len(properties) > MOST_FIELDS:
        raise _refused(f"a form has at most {MOST_FIELDS} fields")
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    found = (_field(name, each, is_required=name in required) for name, each in properties.items())
    fields = tuple(field for field in found if field is not None)
    unknown = [name for name in required if isinstance(name, str) and name not in {field.name for field in fields}]
    if unknown:
        raise _refused(f"the field {_cut(unknown[0], LONGEST_LABEL)!r} is required and cannot be shown")
    return fields


def _field(name: str, schema: Any, *, is_required: bool) -> QuestionField | None:
    """A field of the form; None for one of a type that is not known."""
    if not isinstance(schema, dict) or len(name) > LONGEST_LABEL:
        return None
    said = schema.get("type")
    kind = _KINDS.get(said) if isinstance(said, str) else None
    if kind is None:
        return None
    choices: tuple[QuestionChoice, ...] = ()
    if kind is FieldKind.TEXT and ("enum" in schema or "oneOf" in schema):
        kind, choices = FieldKind.CHOICE, _choices(schema, "oneOf")
    elif kind is FieldKind.CHOICES:
        items = schema.get("items")
        choices = _choices(items if isinstance(items, dict) else {}, "anyOf")
    if kind in (FieldKind.CHOICE, FieldKind.CHOICES) and not choices:
        return None
    field = QuestionField(
        name=name,
        kind=kind,
        title=_text(schema, "title", LONGEST_LABEL),
        description=_text(schema, "description", LONGEST_DESCRIPTION),
        is_required=is_required,
        choices=choices,
        min_length=_count(schema, "minLength"),
        max_length=_count(schema, "maxLength"),
        pattern=_text(schema, "pattern", LONGEST_PATTERN),
        format=_text(schema, "format", LONGEST_LABEL),
        minimum=_number(schema, "minimum"),
        maximum=_number(schema, "maximum"),
        min_items=_count(schema, "minItems"),
        max_items=_count(schema, "maxItems"),
    )
    default = _default(kind, schema.get("default"))
    return field if default is None or field.problem(default) else field.model_copy(update={"default": default})


def _choices(schema: Mapping[str, Any], titled: str) -> tuple[QuestionChoice, ...]:
    """The choices of an enumeration, with titles or without; each value once."""
    options, plain = schema.get(titled), schema.get("enum")
    listed = options if isinstance(options, list) else plain if isinstance(plain, list) else []
    if len(listed) > MOST_CHOICES:
        raise _refused(f"a field has at most {MOST_CHOICES} choices")
    found: dict[str, QuestionChoice] = {}
    for option in listed:
        known = option if isinstance(option, dict) else {"const": option}
        value = known.get("const")
        if not isinstance(value, str) or len(value) > LONGEST_VALUE:
            raise _refused(f"a choice is a text of at most {LONGEST_VALUE} characters")
        label, description = _labelled(value, known)
        found.setdefault(value, QuestionChoice(value=value, label=label, description=description))
    return tuple(found.values())


def _labelled(value: str, option: Mapping[str, Any]) -> tuple[str, str]:
    """The label and the description of a choice; some agents join them in the title, with a dash between."""
    title = _text(option, "title", LONGEST_LABEL + LONGEST_DESCRIPTION)
    description = _text(option, "description", LONGEST_DESCRIPTION)
    joined = f"{value} — "
    if value and title.startswith(joined):
        title, description = value, description or title.removeprefix(joined)
    return _cut(title or value, LONGEST_LABEL), _cut(description, LONGEST_DESCRIPTION)


def _default(kind: FieldKind, value: Any) -> AnswerValue | None:
    if kind is FieldKind.CHOICES and isinstance(value, list):
        return tuple(each for each in value if isinstance(each, str))
    if kind is FieldKind.INTEGER and isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, str | bool | int | float) else None


def _url(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_URL or not is_web_address(value):
        raise _refused(f"url must be an http or https address of at most {LONGEST_URL} characters")
    return value


def _id(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_VALUE:
        raise _refused("elicitationId must be a short text")
    return value


def _text(schema: Mapping[str, Any], key: str, longest: int) -> str:
    value = schema.get(key)
    return _cut(value, longest) if isinstance(value, str) else ""


def _number(schema: Mapping[str, Any], key: str) -> float | None:
    value = schema.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(schema: Mapping[str, Any], key: str) -> int | None:
    value = schema.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _refused(reason: str) -> RefusedError:
    return RefusedError(INVALID_PARAMS, reason)
