"""Planning tool definitions and prompts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic

from tandem_desktop.domain.advice import Question, Result
from tandem_desktop.domain.base import AnyModel
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.perspectives import Opinion
from tandem_desktop.planning_tools.arguments import (
    GetPlan,
    ListPlans,
    PresentPlan,
    ProposePlan,
    SubmitReflection,
    UpdateTask,
    checked,
    json_in,
)
from tandem_desktop.storage.paths import resource

MOST_BYTES = 32 * 1024


class ToolPrompts:
    """Read `prompts/tools/NAME_prompt.xml` once each. A file that is missing or unreadable is no reason to stop."""

    def __init__(self, find: Callable[[str], Path] = resource) -> None:
        self._find = find
        self._known: dict[str, str] = {}

    def text(self, name: str, otherwise: str = "") -> str:
        """The prompt of one tool, or `otherwise`."""
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name] or otherwise

    def _read(self, name: str) -> str:
        try:
            with self._find(f"prompts/tools/{name}_prompt.xml").open("rb") as file:
                return file.read(MOST_BYTES).decode().strip()
        except (OSError, UnicodeDecodeError):
            return ""


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
    arguments: type[AnyModel]
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
            Opinion,
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


_TAKEN = "Taken down. Nothing more is wanted of you: end your turn now."


@dataclass(slots=True)
class Wanted(Generic[Result]):
    """Takes the answer to a question, by the tool or as JSON in the text; of several good ones the last holds."""

    question: Question[Result]
    answer: Result | None = None

    @property
    def tool(self) -> ToolName:
        return ToolName(self.question.tool)

    @property
    def definition(self) -> ToolDefinition:
        """The tool with the arguments this question wants."""
        return replace(
            DEFINITIONS[self.tool],
            arguments=self.question.result,
            about=self.question.about,
            counts_tries=True,
            changes_nothing=True,
        )

    def ready(self, arguments: Result) -> Callable[[], str]:
        """What taking it down comes to, once it is found to make sense.

        Raises:
            BadInputError, TaskError: it does not; the sentence says why.
        """
        self.question.check(arguments)

        def take() -> str:
            self.answer = arguments
            return _TAKEN

        return take

    def take_text(self, text: str) -> None:
        """An answer without the tool: the last JSON object in what was said.

        Raises:
            BadInputError, TaskError: there is none, or it is not what was wanted.
        """
        found = json_in(text)
        if found is None:
            raise BadInputError(
                f"Nothing was handed in: {self.tool.value} was not called, and there is no JSON object in the answer.",
                next=f"Call {self.tool.value} now, or answer with nothing but the JSON object.",
            )
        self.ready(checked(self.question.result, found))()
