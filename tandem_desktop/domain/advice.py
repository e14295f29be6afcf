"""Questions to an advisor, typed answers, and the qualification of a task."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

from tandem_desktop.domain.base import AnyModel, Frozen
from tandem_desktop.domain.ids import SessionId

if TYPE_CHECKING:
    from tandem_desktop.domain.agent_protocol import AgentUpdate

Result = TypeVar("Result", bound=AnyModel)


def _anything(result: AnyModel) -> None:
    """Accepts any result."""


def ignore_update(update: "AgentUpdate") -> None:
    """The default of `Question.on_update`."""


@dataclass(frozen=True, slots=True)
class Question(Generic[Result]):
    """A question to an advisor. It can be put to any agent."""

    role: str
    """The role, such as `chapo` or `reflector`: settings choose its agent and model."""
    prompt: str
    """The prompt: the role, the question, the known facts."""
    tool: str
    """The planning tool that submits the answer: `submit_perspective`, `submit_reflection`, `plan_propose`."""
    result: type[Result]
    """The model of the answer; its fields are the arguments of the tool."""
    about: str = ""
    """Description of the tool for the agent, if its own prompt file does not fit."""
    check: Callable[[Result], None] = _anything
    """Raises `BadInputError` or `TaskError` for an answer that is well-formed but invalid.

    The agent gets the message and tries again.
    """
    on_update: "Callable[[AgentUpdate], None]" = ignore_update
    """Receives the agent's progress."""
    session_id: SessionId | None = None
    """The session of the task; the conversation is stored there, by role."""


@dataclass(frozen=True, slots=True)
class Advice(Generic[Result]):
    """An agent's answer, and what it did to find it."""

    result: Result
    agent: str
    """Its name, as records keep it."""
    model: str = ""
    """The requested model, else the one the agent reports; empty if unknown."""
    read: tuple[str, ...] = ()
    """Files of the workspace it actually read, as observed by Tandem."""
    denied: tuple[str, ...] = ()
    """Requests beyond reading, which were refused."""
    thrown_away: tuple[str, ...] = ()
    """Paths it changed without asking, in a discarded shadow."""
    title: str = ""
    """The display name of the agent; its name if it has no other."""
    said: str = field(default="", repr=False)


class TaskType(StrEnum):
    """What has to be touched."""

    QUESTION = "question"
    DOCUMENTS = "documents"
    CODE = "code"
    OPERATIONS = "operations"
    MIXED = "mixed"
    """Code and operations both."""


class Complexity(StrEnum):
    """How far it reaches."""

    SIMPLE = "simple"
    MODERATE = "moderate"
    COMPLEX = "complex"


class RiskLevel(StrEnum):
    """What is at stake when it goes wrong."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Qualification(Frozen):
    """The qualification of a request. A person may always decide otherwise. None means unknown."""

    task_type: TaskType | None = None
    complexity: Complexity | None = None
    risk_level: RiskLevel | None = None
    context: tuple[str, ...] = ()
    """Files and folders of the workspace that the request names."""
    reasons: tuple[str, ...] = ()
    """The parts of the request that led to this."""
    qualified_by: str = ""
    """The agent that looked at the request; empty if it is guessed from the words of the request."""

    @property
    def plan_required(self) -> bool:
        """Mixed, complex or risky work is planned first."""
        return (
            self.task_type is TaskType.MIXED
            or self.complexity is Complexity.COMPLEX
            or self.risk_level is RiskLevel.HIGH
        )

    @property
    def summary(self) -> str:
        """For a person: whether planning is advised, what is known of the task, and the source."""
        advice = "Plan it first" if self.plan_required else "Nothing known of it calls for a plan"
        because = f" ({'; '.join(self.reasons)})" if self.reasons else ""
        source = f"Qualified by {self.qualified_by}." if self.qualified_by else "Guessed from its words."
        return f"{advice}{self._known}{because}. {source}"

    @property
    def _known(self) -> str:
        known = (
            f"{self.task_type.value} task" if self.task_type else "",
            self.complexity.value if self.complexity else "",
            f"{self.risk_level.value} risk" if self.risk_level else "",
        )
        told = ", ".join(each for each in known if each)
        return f": {told}" if told else ""
