"""Questions to an advisor, typed answers, and the qualification of a task."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from tandem_desktop.domain.agent_protocol import AgentUpdate
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.ids import SessionId

Result = TypeVar("Result", bound=Frozen)


def _anything(result: Frozen) -> None:
    """Whatever has the right shape will do."""


def unheard(update: AgentUpdate) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Question(Generic[Result]):
    """One thing to find out. The same question may be put to any agent."""

    role: str
    """Who is asked, such as `chapo` or `reflector`: settings choose the agent and the model of a role."""
    words: str
    """What the agent reads: who it is here, what is wanted, what is known."""
    tool: str
    """The planning tool by which the answer is handed in: `submit_perspective`, `submit_reflection`, `plan_propose`."""
    result: type[Result]
    """The shape of the answer; its fields are the arguments of the tool."""
    about: str = ""
    """What the agent reads about the tool, where its own prompt file is about something else."""
    check: Callable[[Result], None] = _anything
    """Raises `BadInputError` or `TaskError` for an answer that has the shape and makes no sense; the agent reads the
    sentence and tries again."""
    heard: Callable[[AgentUpdate], None] = unheard
    """Told what the agent says and does meanwhile."""
    session_id: SessionId | None = None
    """Whose task it is about: what is said is kept with that session, by role."""


@dataclass(frozen=True, slots=True)
class Advice(Generic[Result]):
    """What an agent answered, and what it did to find out."""

    result: Result
    agent: str
    """Its name, as records keep it."""
    model: str = ""
    """The model that was asked for, else the one the agent names; empty where nobody knows."""
    read: tuple[str, ...] = ()
    """Files of the workspace it really read, as Tandem saw it."""
    denied: tuple[str, ...] = ()
    """What it wanted to do beyond looking, and was refused."""
    thrown_away: tuple[str, ...] = ()
    """Paths it changed without asking, in a shadow that is gone now."""
    title: str = ""
    """What people call the agent; its name where it has no other."""
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
    """What is known of a request. A person may always decide otherwise. None says that it is not known."""

    task_type: TaskType | None = None
    complexity: Complexity | None = None
    risk_level: RiskLevel | None = None
    context: tuple[str, ...] = ()
    """Files and folders of the workspace that the request names."""
    reasons: tuple[str, ...] = ()
    """What in the request led to this, in words."""

    @property
    def plan_required(self) -> bool:
        """Mixed, complex or risky work is planned first."""
        return (
            self.task_type is TaskType.MIXED
            or self.complexity is Complexity.COMPLEX
            or self.risk_level is RiskLevel.HIGH
        )

    @property
    def words(self) -> str:
        """One sentence for a person: whether planning is advised, and what is known of the task."""
        advice = "Plan it first" if self.plan_required else "Nothing known of it calls for a plan"
        because = f" ({'; '.join(self.reasons)})" if self.reasons else ""
        return f"{advice}{self._known}{because}."

    @property
    def _known(self) -> str:
        known = (
            f"{self.task_type.value} task" if self.task_type else "",
            self.complexity.value if self.complexity else "",
            f"{self.risk_level.value} risk" if self.risk_level else "",
        )
        told = ", ".join(each for each in known if each)
        return f": {told}" if told else ""
