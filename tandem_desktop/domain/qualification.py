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
