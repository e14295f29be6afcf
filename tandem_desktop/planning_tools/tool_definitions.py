"""The planning tools as an agent is told of them. None approves, rejects or applies: only a person does that."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.perspectives import Said
from tandem_desktop.planning_tools.tool_arguments import (
    GetPlan,
    ListPlans,
    PresentPlan,
    ProposePlan,
    SubmitReflection,
    UpdateTask,
)
from tandem_desktop.planning_tools.tool_prompts import ToolPrompts


class ToolName(StrEnum):
    """Every tool there is."""

    PRESENT_PLAN = "present_plan"
    PLAN_PROPOSE = "plan_propose"
    PLAN_LIST = "plan_list"
    PLAN_GET = "plan_get"
    TASK_UPDATE = "task_update"
    SUBMIT_PERSPECTIVE = "submit_perspective"
    SUBMIT_REFLECTION = "submit_reflection"


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool: its name, what its arguments are, and what an agent reads when there is no prompt file."""

    name: ToolName
    summary: str
    arguments: type[Frozen]
    only_in_plan_mode: bool = False
    counts_tries: bool = False
    changes_nothing: bool = False
    only_when_asked: bool = False
    """There only for an agent that was asked something; the question says what its arguments are."""
    about: str = ""
    """What an agent reads instead of the prompt file."""

    def description(self, prompts: ToolPrompts) -> str:
        return self.about or prompts.text(self.name.value, self.summary)

    def input_schema(self) -> dict[str, Any]:
        """A JSON schema in one piece, as every model provider takes it."""
        schema = self.arguments.model_json_schema()
        parts = schema.pop("$defs", {})
        schema.pop("description", None)
        return {"properties": {}, **_inlined(schema, parts)}


DEFINITIONS: dict[str, ToolDefinition] = {
    definition.name.value: definition
    for definition in (
        ToolDefinition(
            ToolName.PRESENT_PLAN,
            "Show the finished plan, as Markdown, to the person. Nothing is written until they approve.",
            PresentPlan,
            only_in_plan_mode=True,
            counts_tries=True,
        ),
        ToolDefinition(
            ToolName.PLAN_PROPOSE,
            "Stage a plan in steps for review. Steps with args become operations with exact diffs; nothing is written "
            "until a person approves.",
            ProposePlan,
            counts_tries=True,
        ),
        ToolDefinition(
            ToolName.PLAN_LIST, "The plans of this workspace and where they stand.", ListPlans, changes_nothing=True
        ),
        ToolDefinition(
            ToolName.PLAN_GET,
            "One plan: its text, operations and tasks, and what the person said about earlier revisions.",
            GetPlan,
            changes_nothing=True,
        ),
        ToolDefinition(ToolName.TASK_UPDATE, "Say how a task of your plan stands.", UpdateTask),
        ToolDefinition(
            ToolName.SUBMIT_PERSPECTIVE,
            "Hand in your view of the task, once, when you have read what you need.",
            Said,
            counts_tries=True,
            changes_nothing=True,
            only_when_asked=True,
        ),
        ToolDefinition(
            ToolName.SUBMIT_REFLECTION,
            "Hand in your judgement of the run, once, with the adjustments you propose.",
            SubmitReflection,
            counts_tries=True,
            changes_nothing=True,
            only_when_asked=True,
        ),
    )
}


def _inlined(schema: Any, parts: dict[str, Any]) -> Any:
    """The schema without references, and without what no model has a use for."""
    if isinstance(schema, list):
        return [_inlined(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(parts[schema["$ref"].rpartition("/")[2]], parts)
    found = {}
    for key, value in schema.items():
        if key == "properties":
            found[key] = {name: _inlined(each, parts) for name, each in value.items()}
        elif key not in ("title", "default", "maxLength", "maxItems"):
            found[key] = _inlined(value, parts)
    return found


def offered_while_planning() -> tuple[str, ...]:
    """The names of the tools a session's agent is handed in Plan mode."""
    return tuple(each.name.value for each in DEFINITIONS.values() if not each.only_when_asked)
