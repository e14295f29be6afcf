"""Which agents there are on this machine, and how they would be held back."""

from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.shadow.shadow_workspace import Confinement, describe_confinement
from tandem_desktop.sidecar.profiles import FoundAgent, find_agent, load_profiles


@dataclass(frozen=True, slots=True)
class AgentsHere:
    """Every known agent, found or not, and the confinement they would get."""

    agents: tuple[FoundAgent, ...]
    confinement: Confinement


def find_agents(shadows: Path, *, ask_versions: bool = False) -> AgentsHere:
    """Look on PATH and try a shadow. Blocks: not for the loop, nor for the GUI thread.

    Raises:
        ShadowError, StorageError: there cannot be any shadow.
    """
    found = tuple(find_agent(profile, ask_version=ask_versions) for profile in load_profiles())
    return AgentsHere(found, describe_confinement(shadows))
