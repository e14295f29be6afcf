"""The OpenAPI document of the API."""

from typing import Any

from pydantic.json_schema import models_json_schema

from tandem_desktop import __version__
from tandem_desktop.api import schema
from tandem_desktop.domain.ids import PLAN_ID, RUN_ID

_ASKED = (
    schema.PlanRequest,
    schema.ApprovalRequest,
    schema.AnswerRequest,
    schema.OrchestrationRequest,
    schema.AdjustmentRequest,
    schema.ChecksRequest,
    schema.StopChecksRequest,
)
_SENT = (
    schema.PlanAnswer,
    schema.RevisionsAnswer,
    schema.RevisionAnswer,
    schema.TasksAnswer,
    schema.PlansAnswer,
    schema.RunsAnswer,
    schema.RunAnswer,
    schema.QuestionsAnswer,
    schema.OfferedChecksAnswer,
    schema.EvidenceAnswer,
    schema.StoppedAnswer,
    schema.ErrorAnswer,
)
_PLAN = {
    "name": "planId",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": f"^{PLAN_ID.pattern}$"},
}
_SESSION = {"name": "sessionId", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
_RUN = {"name": "runId", "in": "path", "required": True, "schema": {"type": "string", "pattern": f"^{RUN_ID.pattern}$"}}
_REVISION = {"name": "revision", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
_LINES = {"type": "string", "description": 'Lines of JSON, each an object with a "type".'}


def description() -> dict[str, Any]:
    """OpenAPI 3.1."""
    asked = [(each, "validation") for each in _ASKED]
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
    answering = _asks("answerQuestion", "Answer or decline a question of an agent", "AnswerRequest", 404)
    answering["responses"]["200"] = {"description": "What is still open", **_answer(_reference("QuestionsAnswer"))}
    orchestration = _asks(
        "orchestrateTask", "Plan a task, run what is approved, reflect and adjust", "OrchestrationRequest", 409, 429
    )
    adjustment = _asks("acceptAdjustments", "Make a revision of accepted adjustments", "AdjustmentRequest", 404, 409)
    adjustment["responses"]["200"] = {"description": "The plan", **_answer(_reference("PlanAnswer"))}
    stopping = _asks("stopChecks", "Stop the checks of a plan", "StopChecksRequest")
    stopping["responses"]["200"] = {"description": "Whether there were any", **_answer(_reference("StoppedAnswer"))}
    events = _operation("followEvents", "Everything that happens to plans and runs from now on", {}, 429)
    events["responses"]["200"] = {
        "description": "Events until either side hangs up",
        "content": {"application/x-ndjson": {"schema": _LINES}, "text/event-stream": {"schema": _LINES}},
    }
    return {
        schema.PLANNING: {"post": planning},
        schema.APPROVAL: {"post": approval},
        schema.ANSWER: {"post": answering},
        schema.QUESTIONS: {
            "parameters": [_SESSION],
            "get": _read("getQuestions", "Questions of its agent that wait for an answer", "QuestionsAnswer", 404),
        },
        schema.ORCHESTRATIONS: {"post": orchestration},
        schema.ADJUSTMENTS: {"post": adjustment},
        schema.PLAN: {
            "parameters": [_SESSION],
            "get": _read("getPlan", "The plan of a session", "PlanAnswer", 404, 409),
        },
        schema.REVISIONS: {
            "parameters": [_SESSION],
            "get": _read("getRevisions", "Every revision of it, oldest first", "RevisionsAnswer", 404, 409),
        },
        schema.REVISION: {
            "parameters": [_SESSION, _REVISION],
            "get": _read("getRevision", "One revision of it", "RevisionAnswer", 404, 409),
        },
        schema.TASKS: {
            "parameters": [_SESSION],
            "get": _read("getTasks", "Its tasks, in order", "TasksAnswer", 404, 409),
        },
        schema.HISTORY: {
            "parameters": [_SESSION],
            "get": _read("getPlanHistory", "Every plan of a session, past and present", "PlansAnswer", 404),
        },
        schema.CHECKS: {
            "get": _read(
                "listChecks", "The checks that would run, and whether they are accepted", "OfferedChecksAnswer"
            ),
            "post": _asks("runChecks", "Run them without and with a plan", "ChecksRequest", 404, 409, 429),
        },
        schema.STOP_CHECKS: {"post": stopping},
        schema.EVIDENCE: {
            "parameters": [_PLAN],
            "get": _read("getEvidence", "What the checks said about the latest revision", "EvidenceAnswer", 404, 409),
        },
        schema.PLANS: {"get": _read("listPlans", "The plans of the workspace", "PlansAnswer")},
        schema.RUNS: {"get": _read("listRuns", "The runs of the workspace", "RunsAnswer")},
        schema.RUN: {"parameters": [_RUN], "get": _read("getRun", "One run with its results", "RunAnswer", 404)},
        schema.EVENTS: {"get": events},
        schema.DESCRIPTION: {"get": _operation("describe", "This description", _answer({"type": "object"}))},
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


def _answer(content: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": content}}}


def _errors(*statuses: int) -> dict[str, Any]:
    refused = {"description": "Refused, and why", **_answer(_reference("ErrorAnswer"))}
    return {str(status): refused for status in statuses}


def _reference(model: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model}"}
