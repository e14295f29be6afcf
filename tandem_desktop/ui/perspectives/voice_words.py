"""What a voice said, put into the headings and lines of its card."""

from collections.abc import Mapping
from typing import NamedTuple

from tandem_desktop.domain.perspectives import ChapoPerspective, Effort, Perspective, Voice
from tandem_desktop.domain.qualification import RiskLevel
from tandem_desktop.perspectives.wording import titles
from tandem_desktop.sidecar.profiles import title_of
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.words import tr, tr_table

ROLES: Mapping[Voice, str] = tr_table({Voice.CHAPO: "Strategy", Voice.KODA: "Code", Voice.DEVO: "Operations"})
RISK_TONES = {RiskLevel.LOW: "ok", RiskLevel.MEDIUM: "risk", RiskLevel.HIGH: "error"}
RISKS = tr_table({RiskLevel.LOW: "low risk", RiskLevel.MEDIUM: "medium risk", RiskLevel.HIGH: "high risk"})
EFFORTS = tr_table(
    {
        Effort.TRIVIAL: "trivial effort",
        Effort.SMALL: "small effort",
        Effort.MEDIUM: "medium effort",
        Effort.LARGE: "large effort",
    }
)
TITLES = tr_table(
    {
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
)
_BADGES = ("estimated_effort", "risk_assessment")
_AT_THE_TOP = ("analysis",)
_PATHS = ("affected_files",)


class Part(NamedTuple):
    """One heading and what stands under it."""

    title: str
    lines: tuple[str, ...]
    is_code: bool = False
    is_list: bool = True


class BadgeWords(NamedTuple):
    """A word and its tone."""

    text: str
    tone: str


def badges(found: Perspective) -> tuple[BadgeWords, ...]:
    effort = BadgeWords(EFFORTS[found.estimated_effort], _effort_tone(found.estimated_effort))
    if isinstance(found, ChapoPerspective):
        return (risk_badge(found.risk_assessment), effort)
    return (effort,)


def risk_badge(risk: RiskLevel) -> BadgeWords:
    return BadgeWords(RISKS[risk], RISK_TONES[risk])


def parts(found: Perspective) -> tuple[Part, ...]:
    """Everything it said beside the badges, in the order it is read."""
    said = found.model_dump(mode="json")
    told = []
    for name, core in titles().items():
        title, value = TITLES.get(name, core), said.get(name)
        if name in _BADGES or not value:
            continue
        if isinstance(value, list):
            told.append(Part(title, tuple(map(visible, value)), is_code=name in _PATHS))
        else:
            told.append(Part("" if name in _AT_THE_TOP else title, (visible(str(value)),), is_list=False))
    return (*told, _read(found), *_refused(found))


def spoken_by(found: Perspective) -> str:
    return " · ".join(word for word in (title_of(found.spoken_by), found.model) if word)


def _effort_tone(effort: Effort) -> str:
    return "risk" if effort is Effort.LARGE else "neutral"


def _read(found: Perspective) -> Part:
    if not found.files_read:
        return Part(tr("Files read"), (tr("None: this rests on no file of the workspace."),), is_list=False)
    return Part(
        tr("Files read ({count})", count=len(found.files_read)), tuple(map(visible, found.files_read)), is_code=True
    )


def _refused(found: Perspective) -> tuple[Part, ...]:
    told = []
    if found.denied:
        told.append(Part(tr("Wanted to do more, and was refused"), tuple(map(visible, found.denied)), is_code=True))
    if found.thrown_away:
        told.append(Part(tr("Changed unasked, thrown away"), tuple(map(visible, found.thrown_away)), is_code=True))
    return tuple(told)
