"""Guidance handed to a planning agent: what to do, in which shape, and one example that works."""

import json
from typing import Any

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.operations import PLAN_TOOLS
from tandem_desktop.policy.prompt_files import PromptFiles


class ToolBundle(Frozen):
    """Instructions, the JSON schema of what is wanted, and a worked example."""

    category: str
    instructions: str
    json_schema: dict[str, Any]
    example: str

    @property
    def words(self) -> str:
        """All of it in one text, for an agent that is told in the middle of a conversation."""
        schema = json.dumps(self.json_schema, indent=1)
        return f"{self.instructions.strip()}\n\nA plan has this shape:\n{schema}\n\nAn example:\n{self.example.strip()}"


def planning_bundle(files: PromptFiles | None = None) -> ToolBundle:
    """The bundle for planning. Its example is a plan that Tandem takes as it stands."""
    files = files or PromptFiles()
    return ToolBundle(
        category="planning",
        instructions=files.text("planning_bundle.md"),
        json_schema=plan_schema(),
        example=files.text("plan_example.json"),
    )


def plan_schema() -> dict[str, Any]:
    """The shape of a plan; whether a step applies is found out when the plan meets the workspace."""
    text = {"type": "string"}
    names = {"type": "array", "items": text}
    step = {
        "type": "object",
        "properties": {
            "id": text,
            "description": text,
            "tool": {"type": "string", "enum": list(PLAN_TOOLS)},
            "args": {"type": "object"},
            "rationale": text,
            "risk": text,
            "task": text,
            "blocked_by": names,
        },
        "required": ["description", "tool", "args"],
        "additionalProperties": False,
    }
    task = {
        "type": "object",
        "properties": {
            "id": text,
            "subject": text,
            "description": text,
            "agent": text,
            "priority": text,
            "blocked_by": names,
        },
        "required": ["id", "subject"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "title": text,
            "summary": text,
            "context": {"type": ["object", "string"]},
            "tasks": {"type": "array", "items": task},
            "steps": {"type": "array", "items": step, "minItems": 1},
        },
        "required": ["title", "steps"],
        "additionalProperties": False,
    }
