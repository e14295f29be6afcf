"""Opinions of the CHAPO, KODA and DEVO roles about a task, and their text form."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from tandem_desktop.domain.advice import Complexity, Qualification, RiskLevel, TaskType
from tandem_desktop.domain.base import Field, Frozen

MOST_LISTED = 40
"""Maximum number of entries of one list."""
_LONGEST = 20_000


class Role(StrEnum):
    """The role of a perspective."""

    CHAPO = "chapo"
    """Strategy: risk, impact, coordination."""
    KODA = "koda"
    """Code: files, patterns, what could break, tests."""
    DEVO = "devo"
    """Operations: deployment, roll back, affected systems."""


class Effort(StrEnum):
    """How much work it is."""

    TRIVIAL = "trivial"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


Words = Annotated[str, Field(max_length=_LONGEST), Field(check=_not_blank)]
Listed = Annotated[tuple[Annotated[str, Field(max_length=_LONGEST)], ...], Field(max_length=MOST_LISTED)]


class Opinion(Frozen):
    """Fields that every perspective has."""

    analysis: Annotated[Words, Field(description="What you found out about the task, in a few sentences.")]
    concerns: Annotated[Listed, Field(description="What could go wrong, one sentence each.")] = ()
    recommendations: Annotated[Listed, Field(description="What you advise, one sentence each.")] = ()
    estimated_effort: Annotated[Effort, Field(description="How much work it is.")]
    dependencies: Annotated[Listed, Field(description="What has to be there or done first.")] = ()


class ChapoOpinion(Opinion):
    """The strategic view."""

    strategic_analysis: Annotated[Words, Field(description="What is at stake, and the way you would go.")]
    task_type: Annotated[TaskType | None, Field(description="What has to be touched.")] = None
    complexity: Annotated[Complexity | None, Field(description="How far it reaches.")] = None
    risk_assessment: Annotated[RiskLevel, Field(description="What is at stake when it goes wrong.")]
    impact_areas: Annotated[Listed, Field(description="Parts of the product and its surroundings it touches.")] = ()
    coordination_needs: Annotated[Listed, Field(description="What must happen before, after or together.")] = ()


class KodaOpinion(Opinion):
    """The view of the code."""

    affected_files: Annotated[Listed, Field(description="Paths in the workspace that would change.")] = ()
    code_patterns: Annotated[Listed, Field(description="Patterns of this code that the change should follow.")] = ()
    potential_breaking_changes: Annotated[Listed, Field(description="What could break, and for whom.")] = ()
    testing_requirements: Annotated[Listed, Field(description="What has to be tested.")] = ()


class DevoOpinion(Opinion):
    """The view of operations."""

    deployment_impact: Annotated[Listed, Field(description="What deploying it means.")] = ()
    rollback_strategy: Annotated[Words, Field(description="How to go back when it goes wrong.")]
    services_affected: Annotated[Listed, Field(description="Services and jobs it touches.")] = ()
    infrastructure_changes: Annotated[Listed, Field(description="What changes in the infrastructure.")] = ()


class AgentPerspective(Opinion):
    """A submitted perspective, and what Tandem observed."""

    agent: Role
    timestamp: datetime
    spoken_by: str = ""
    """The agent that answered."""
    model: str = ""
    files_read: tuple[str, ...] = ()
    """The files it actually read."""
    denied: tuple[str, ...] = ()
    """Refused requests beyond reading."""
    thrown_away: tuple[str, ...] = ()
    """Paths it changed without asking, in a discarded shadow."""


class ChapoPerspective(ChapoOpinion, AgentPerspective):
    """CHAPO's."""

    agent: Literal[Role.CHAPO] = Role.CHAPO

    def qualified(self, fallback: Qualification) -> Qualification:
        """The task as CHAPO qualifies it; open fields are taken from `fallback`."""
        return Qualification(
            task_type=self.task_type or fallback.task_type,
            complexity=self.complexity or fallback.complexity,
            risk_level=self.risk_assessment,
            context=fallback.context,
            qualified_by=f"CHAPO ({self.spoken_by})" if self.spoken_by else "CHAPO",
        )


class KodaPerspective(KodaOpinion, AgentPerspective):
    """KODA's."""

    agent: Literal[Role.KODA] = Role.KODA


class DevoPerspective(DevoOpinion, AgentPerspective):
    """DEVO's."""

    agent: Literal[Role.DEVO] = Role.DEVO


Perspective = ChapoPerspective | KodaPerspective | DevoPerspective


class MissingPart(Frozen):
    """A perspective or synthesis that is missing, and why."""

    part: str
    reason: str
    next: str = ""


class Perspectives(Frozen):
    """The perspectives on one task, stored with the revision. They are advice and not part of the digest."""

    task: str
    qualification: str = ""
    """The first qualification of the task, as text: whether planning was advised, and why."""
    chapo: ChapoPerspective | None = None
    koda: KodaPerspective | None = None
    devo: DevoPerspective | None = None
    missing: tuple[MissingPart, ...] = ()
    estimated_duration: str = ""
    overall_risk: RiskLevel | None = None

    @property
    def voices(self) -> tuple[Perspective, ...]:
        """The submitted perspectives, in the order they are asked."""
        return tuple(each for each in (self.chapo, self.koda, self.devo) if each is not None)

    def with_voice(self, perspective: Perspective) -> "Perspectives":
        return self.model_copy(update={perspective.agent.value: perspective})

    def without(self, part: str, reason: str, next: str = "") -> "Perspectives":  # noqa: A002 - as errors call it
        lost = MissingPart(part=part, reason=reason, next=next)
        return self.model_copy(update={"missing": (*self.missing, lost)})


TITLES: Mapping[str, str] = {
    "analysis": "Analysis",
    "strategic_analysis": "Strategy",
    "risk_assessment": "Risk",
    "rollback_strategy": "Way back",
    "estimated_effort": "Effort",
    "concerns": "Concerns",
    "recommendations": "Recommendations",
    "impact_areas": "Impact",
    "coordination_needs": "To coordinate",
    "affected_files": "Affected files",
    "code_patterns": "Patterns to follow",
    "potential_breaking_changes": "Could break",
    "testing_requirements": "To be tested",
    "deployment_impact": "Deployment",
    "services_affected": "Services",
    "infrastructure_changes": "Infrastructure",
    "dependencies": "Needed first",
}
"""The fields of an opinion and their titles, in the order they are shown."""


def as_text(perspective: Perspective) -> str:
    """The non-empty fields, in order."""
    said = perspective.model_dump(mode="json")
    lines: list[str] = []
    for name, title in TITLES.items():
        value = said.get(name)
        if isinstance(value, list) and value:
            lines += [f"{title}:", *(f"- {each}" for each in value)]
        elif isinstance(value, str) and value:
            lines.append(f"{title}: {value}")
    return "\n".join(lines)


def all_as_text(found: Perspectives) -> str:
    """Every perspective, and those missing."""
    parts = [f"## {each.agent.value.upper()}\n\n{as_text(each)}" for each in found.voices]
    parts += [f"{lost.part.upper()} gave no answer: {lost.reason}" for lost in found.missing]
    return "\n\n".join(parts)
