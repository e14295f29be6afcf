"""Puts an agent's question to an editor, as `elicitation/create`, and reads its answer."""

from typing import Any

from tandem_desktop.domain.questions import AgentQuestion, FieldKind, QuestionAction, QuestionField

Json = dict[str, Any]

_TYPES = {
    FieldKind.TEXT: "string",
    FieldKind.CHOICE: "string",
    FieldKind.NUMBER: "number",
    FieldKind.INTEGER: "integer",
    FieldKind.BOOLEAN: "boolean",
    FieldKind.CHOICES: "array",
}
FEEDBACK = "feedback"


def question_params(session_id: str, question: AgentQuestion) -> Json:
    """The parameters of the request for a question."""
    message = question.message or question.summary
    if question.url:
        address = {"url": question.url, "elicitationId": question.elicitation_id or question.id}
        return {"sessionId": session_id, "mode": "url", "message": message, **address}
    schema: Json = {"type": "object", "properties": {field.name: _schema(field) for field in question.fields}}
    if required := [field.name for field in question.fields if field.is_required]:
        schema["required"] = required
    return {"sessionId": session_id, "mode": "form", "message": message, "requestedSchema": schema}


def feedback_params(session_id: str) -> Json:
    """The request for what should be different in a plan."""
    schema = {
        "type": "object",
        "properties": {FEEDBACK: {"type": "string", "title": "What should be different?"}},
        "required": [FEEDBACK],
    }
    message = "What should be different in the plan?"
    return {"sessionId": session_id, "mode": "form", "message": message, "requestedSchema": schema}


def read_answer(result: Any) -> tuple[QuestionAction, Json]:
    """How a question ended, and its values; whatever is not understood is no answer."""
    if not isinstance(result, dict):
        return QuestionAction.DECLINE, {}
    try:
        action = QuestionAction(str(result.get("action")))
    except ValueError:
        return QuestionAction.DECLINE, {}
    content = result.get("content")
    return action, content if isinstance(content, dict) else {}


def _schema(field: QuestionField) -> Json:
    found: Json = {"type": _TYPES[field.kind]}
    choices = [{"const": each.value, "title": each.label} for each in field.choices]
    if field.kind is FieldKind.CHOICE:
        found["oneOf"] = choices
    elif field.kind is FieldKind.CHOICES:
        found["items"] = {"anyOf": choices}
    facts = {
        "title": field.title,
        "description": field.description,
        "minLength": field.min_length,
        "maxLength": field.max_length,
        "pattern": field.pattern,
        "format": field.format,
        "minimum": field.minimum,
        "maximum": field.maximum,
        "minItems": field.min_items,
        "maxItems": field.max_items,
        "default": list(field.default) if isinstance(field.default, tuple) else field.default,
    }
    return {**found, **{name: value for name, value in facts.items() if value not in (None, "")}}
