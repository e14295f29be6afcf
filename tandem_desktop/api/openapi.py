"""The API described for programs: made from the same models that it speaks with."""

from typing import Any

from pydantic.json_schema import models_json_schema

from tandem_desktop import __version__
from tandem_desktop.api import wire
from tandem_desktop.domain.ids import RUN_ID

PLANNING = "/chat/agents/plan"
APPROVAL = "/chat/agents/plan/approval"
PLAN = "/chat/agents/{sessionId}/plan"
REVISIONS = "/chat/agents/{sessionId}/plan/revisions"
REVISION = "/chat/agents/{sessionId}/plan/revisions/{revision}"
TASKS = "/chat/agents/{sessionId}/tasks"
HISTORY = "/chat/agents/{sessionId}/plans"
PLANS = "/plans"
RUNS = "/runs"
RUN = "/runs/{runId}"
EVENTS = "/events"
DESCRIPTION = "/openapi.json"

_SENT = (
    wire.PlanAnswer,
    wire.RevisionsAnswer,
    wire.RevisionAnswer,
    wire.TasksAnswer,
    wire.PlansAnswer,
    wire.RunsAnswer,
    wire.RunAnswer,
    wire.ErrorAnswer,
)
_SESSION = {"name": "sessionId", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
_RUN = {"name": "runId", "in": "path", "required": True, "schema": {"type": "string", "pattern": f"^{RUN_ID.pattern}$"}}
_REVISION = {"name": "revision", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
_LINES = {"type": "string", "description": 'Lines of JSON, each an object with a "type".'}


def description() -> dict[str, Any]:
    """OpenAPI 3.1."""
    asked = [(each, "validation") for each in (wire.PlanRequest, wire.ApprovalRequest)]
    models = [*asked, *((each, "serialization") for each in _SENT)]
    _, found = models_json_schema(models, by_alias=True, ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]  # a literal, seen as a string
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tandem",
            "version": __version__,
            "description": "Plans, tasks and runs of one workspace, on this machine alone.",
        },
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": found["$defs"],
        },
    }


def _paths() -> dict[str, Any]:
    planning = _asks("planTask", "Have a task planned by an agent", "PlanRequest", 409, 429)
    approval = _asks(
        "decidePlan", "Approve the plan of a session and run it, or send it back", "ApprovalRequest", 404, 409
    )
    events = _operation("followEvents", "Everything that happens to plans and runs from now on", {}, 429)
    events["responses"]["200"] = {
        "description": "Events until either side hangs up",
        "content": {"application/x-ndjson": {"schema": _LINES}, "text/event-stream": {"schema": _LINES}},
    }
    return {
        PLANNING: {"post": planning},
        APPROVAL: {"post": approval},
        PLAN: {"parameters": [_SESSION], "get": _read("getPlan", "The plan of a session", "PlanAnswer", 404, 409)},
        REVISIONS: {
            "parameters": [_SESSION],
            "get": _read("getRevisions", "Every revision of it, oldest first", "RevisionsAnswer", 404, 409),
        },
        REVISION: {
            "parameters": [_SESSION, _REVISION],
            "get": _read("getRevision", "One revision of it", "RevisionAnswer", 404, 409),
        },
        TASKS: {"parameters": [_SESSION], "get": _read("getTasks", "Its tasks, in order", "TasksAnswer", 404, 409)},
        HISTORY: {
            "parameters": [_SESSION],
            "get": _read("getPlanHistory", "Every plan of a session, past and present", "PlansAnswer", 404),
        },
        PLANS: {"get": _read("listPlans", "The plans of the workspace", "PlansAnswer")},
        RUNS: {"get": _read("listRuns", "The runs of the workspace", "RunsAnswer")},
        RUN: {"parameters": [_RUN], "get": _read("getRun", "One run with its results", "RunAnswer", 404)},
        EVENTS: {"get": events},
        DESCRIPTION: {"get": _operation("describe", "This description", _answer({"type": "object"}))},
    }


def _asks(name: str, summary: str, model: str, *errors: int) -> dict[str, Any]:
    """What is sent as JSON and answered by lines while it goes on."""
    found = _operation(name, summary, {}, 408, 413, 415, 422, 503, *errors)
    found["requestBody"] = {"required": True, "content": {"application/json": {"schema": _reference(model)}}}
    found["responses"]["200"] = {
        "description": "What follows, as it happens",
        "content": {"application/x-ndjson": {"schema": _LINES}},
    }
    return found


def _read(name: str, summary: str, model: str, *errors: int) -> dict[str, Any]:
    return _operation(name, summary, _answer(_reference(model)), *errors)


def _operation(name: str, summary: str, answer: dict[str, Any], *errors: int) -> dict[str, Any]:
    good = {"200": {"description": summary, **answer}}
    return {"operationId": name, "summary": summary, "responses": {**good, **_errors(401, 403, 405, *errors)}}


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def _errors(*statuses: int) -> dict[str, Any]:
    refused = {"description": "Refused, and why", **_answer(_reference("ErrorAnswer"))}
    return {str(status): refused for status in statuses}


def _reference(model: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model}"}
