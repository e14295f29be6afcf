"""What a voice said, put into the headings and lines of its card."""

from collections.abc import Mapping
from typing import NamedTuple

from tandem_desktop.domain.perspectives import ChapoPerspective, Effort, Perspective, Voice
from tandem_desktop.domain.qualification import RiskLevel
from tandem_desktop.perspectives.wording import titles
from tandem_desktop.staging.text import visible

ROLES: Mapping[Voice, str] = {Voice.CHAPO: "Strategy", Voice.KODA: "Code", Voice.DEVO: "Operations"}
RISK_TONES = {RiskLevel.LOW: "ok", RiskLevel.MEDIUM: "risk", RiskLevel.HIGH: "error"}
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
    effort = BadgeWords(f"{found.estimated_effort.value} effort", _effort_tone(found.estimated_effort))
    if isinstance(found, ChapoPerspective):
        return (risk_badge(found.risk_assessment), effort)
    return (effort,)


def risk_badge(risk: RiskLevel) -> BadgeWords:
    return BadgeWords(f"{risk.value} risk", RISK_TONES[risk])


def parts(found: Perspective) -> tuple[Part, ...]:
    """Everything it said beside the badges, in the order it is read."""
    said = found.model_dump(mode="json")
    told = []
    for name, title in titles().items():
        value = said.get(name)
        if name in _BADGES or not value:
            continue
        if isinstance(value, list):
            told.append(Part(title, tuple(map(visible, value)), is_code=name in _PATHS))
        else:
            told.append(Part("" if name in _AT_THE_TOP else title, (visible(str(value)),), is_list=False))
    return (*told, _read(found), *_refused(found))


def spoken_by(found: Perspective) -> str:
    return " · ".join(word for word in (found.spoken_by, found.model) if word)


def _effort_tone(effort: Effort) -> str:
    return "risk" if effort is Effort.LARGE else "neutral"


def _read(found: Perspective) -> Part:
    if not found.files_read:
        return Part("Files read", ("None: this rests on no file of the workspace.",), is_list=False)
    return Part(f"Files read ({len(found.files_read)})", tuple(map(visible, found.files_read)), is_code=True)


def _refused(found: Perspective) -> tuple[Part, ...]:
    told = []
    if found.denied:
        told.append(Part("Wanted to do more, and was refused", tuple(map(visible, found.denied)), is_code=True))
    if found.thrown_away:
        told.append(Part("Changed unasked, thrown away", tuple(map(visible, found.thrown_away)), is_code=True))
    return tuple(told)
