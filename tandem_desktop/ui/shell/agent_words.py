"""What is said of an agent where there is little room: in the picker and at the foot of the window."""

from tandem_desktop.shadow.confinement import Confinement
from tandem_desktop.sidecar.profiles import FoundAgent
from tandem_desktop.ui.words import tr


def what_it_needs(found: FoundAgent) -> str:
    """What keeps the agent from being chosen; nothing where it can be."""
    if found.path is None:
        return found.profile.install
    return tr("{program}, which runs it, was not found", program=found.lacks) if found.lacks else ""


def readiness(found: FoundAgent, confinement: Confinement) -> tuple[str, str]:
    """How the agent in use stands, as a mark and in words."""
    title = found.profile.title
    if found.lacks:
        return "failed", tr("{agent} cannot start: {program} was not found", agent=title, program=found.lacks)
    if confinement.confined:
        return "done", tr("{agent} ready · confined", agent=title)
    return "done", tr("{agent} ready · not confined", agent=title)
