"""What kind of task a request is, before anybody works on it."""

from enum import StrEnum

from tandem_desktop.domain.frozen import Frozen


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
    """The first look at a request. A person may always decide otherwise."""

    task_type: TaskType
    complexity: Complexity
    risk_level: RiskLevel
    context: tuple[str, ...] = ()
    """Files and folders of the workspace that the request names."""
    reasons: tuple[str, ...] = ()
    """What in the request led to this, in words."""

    @property
    def plan_required(self) -> bool:
        """Mixed, complex or risky work is planned first; anything else may be done at once."""
        return (
            self.task_type is TaskType.MIXED
            or self.complexity is Complexity.COMPLEX
            or self.risk_level is RiskLevel.HIGH
        )

    @property
    def words(self) -> str:
        """One sentence for a person: whether planning is advised, and why."""
        kind = f"{self.task_type.value} task, {self.complexity.value}, {self.risk_level.value} risk"
        advice = "Plan it first" if self.plan_required else "It can be done at once"
        because = f" ({'; '.join(self.reasons)})" if self.reasons else ""
        return f"{advice}: {kind}{because}."
