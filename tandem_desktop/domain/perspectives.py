"""Several minds on one task: what CHAPO, KODA and DEVO each say about it before it is planned."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.qualification import Complexity, Qualification, RiskLevel, TaskType

MOST_LISTED = 40
"""Entries of one list; a person reads fewer."""
_LONGEST = 20_000


class Voice(StrEnum):
    """Who speaks."""

    CHAPO = "chapo"
    """Strategy: risk, impact, what has to be coordinated."""
    KODA = "koda"
    """Code: which files, which patterns, what could break, what has to be tested."""
    DEVO = "devo"
    """Operations: what deploying means, how to go back, what is affected."""


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


Words = Annotated[str, Field(max_length=_LONGEST), AfterValidator(_not_blank)]
Listed = Annotated[tuple[Annotated[str, Field(max_length=_LONGEST)], ...], Field(max_length=MOST_LISTED)]


class Said(Frozen):
    """What every voice says."""

    analysis: Annotated[Words, Field(description="What you found out about the task, in a few sentences.")]
    concerns: Annotated[Listed, Field(description="What could go wrong, one sentence each.")] = ()
    recommendations: Annotated[Listed, Field(description="What you advise, one sentence each.")] = ()
    estimated_effort: Annotated[Effort, Field(description="How much work it is.")]
    dependencies: Annotated[Listed, Field(description="What has to be there or done first.")] = ()


class ChapoSaid(Said):
    """The strategic view."""

    strategic_analysis: Annotated[Words, Field(description="What is at stake, and the way you would go.")]
    task_type: Annotated[TaskType | None, Field(description="What has to be touched.")] = None
    complexity: Annotated[Complexity | None, Field(description="How far it reaches.")] = None
    risk_assessment: Annotated[RiskLevel, Field(description="What is at stake when it goes wrong.")]
    impact_areas: Annotated[Listed, Field(description="Parts of the product and its surroundings it touches.")] = ()
    coordination_needs: Annotated[Listed, Field(description="What must happen before, after or together.")] = ()

    def qualified(self, words: Qualification) -> Qualification:
        """The task as CHAPO qualifies it; what CHAPO leaves open is as its `words` show."""
        return Qualification(
            task_type=self.task_type or words.task_type,
            complexity=self.complexity or words.complexity,
            risk_level=self.risk_assessment,
            context=words.context,
        )


class KodaSaid(Said):
    """The view of the code."""

    affected_files: Annotated[Listed, Field(description="Paths in the workspace that would change.")] = ()
    code_patterns: Annotated[Listed, Field(description="Patterns of this code that the change should follow.")] = ()
    potential_breaking_changes: Annotated[Listed, Field(description="What could break, and for whom.")] = ()
    testing_requirements: Annotated[Listed, Field(description="What has to be tested.")] = ()


class DevoSaid(Said):
    """The view of operations."""

    deployment_impact: Annotated[Listed, Field(description="What deploying it means.")] = ()
    rollback_strategy: Annotated[Words, Field(description="How to go back when it goes wrong.")]
    services_affected: Annotated[Listed, Field(description="Services and jobs it touches.")] = ()
    infrastructure_changes: Annotated[Listed, Field(description="What changes in the infrastructure.")] = ()


class AgentPerspective(Said):
    """What a voice said, and what Tandem saw it do."""

    agent: Voice
    timestamp: datetime
    spoken_by: str = ""
    """The agent that spoke for it."""
    model: str = ""
    files_read: tuple[str, ...] = ()
    """What it really read, whatever it says."""
    denied: tuple[str, ...] = ()
    """What it wanted to do beyond looking."""
    thrown_away: tuple[str, ...] = ()
    """What it changed unasked, in a shadow that is gone."""


class ChapoPerspective(ChapoSaid, AgentPerspective):
    """CHAPO's."""

    agent: Literal[Voice.CHAPO] = Voice.CHAPO


class KodaPerspective(KodaSaid, AgentPerspective):
    """KODA's."""

    agent: Literal[Voice.KODA] = Voice.KODA


class DevoPerspective(DevoSaid, AgentPerspective):
    """DEVO's."""

    agent: Literal[Voice.DEVO] = Voice.DEVO


Perspective = ChapoPerspective | KodaPerspective | DevoPerspective


class MissingPart(Frozen):
    """A voice that was asked and had nothing to say, or the synthesis, and why."""

    part: str
    reason: str
    next: str = ""


class Perspectives(Frozen):
    """What was said about one task, kept with the revision it led to. Advice: nothing of it is in the digest."""

    task: str
    qualification: str = ""
    """The first look at the task, in words: whether planning was advised, and why."""
    chapo: ChapoPerspective | None = None
    koda: KodaPerspective | None = None
    devo: DevoPerspective | None = None
    missing: tuple[MissingPart, ...] = ()
    estimated_duration: str = ""
    overall_risk: RiskLevel | None = None

    @property
    def voices(self) -> tuple[Perspective, ...]:
        """Those that spoke, in the order they are asked."""
        return tuple(each for each in (self.chapo, self.koda, self.devo) if each is not None)

    def with_voice(self, perspective: Perspective) -> "Perspectives":
        return self.model_copy(update={perspective.agent.value: perspective})

    def without(self, part: str, reason: str, next: str = "") -> "Perspectives":  # noqa: A002 - as errors call it
        lost = MissingPart(part=part, reason=reason, next=next)
        return self.model_copy(update={"missing": (*self.missing, lost)})
