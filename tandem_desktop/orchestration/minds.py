"""Which agent, with which model, speaks for which role."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tandem_desktop.domain.agents import AgentProfile
from tandem_desktop.settings.settings import MindChoice
from tandem_desktop.sidecar.profiles import profile_named


@dataclass(frozen=True, slots=True)
class Mind:
    """An agent ready to be asked."""

    profile: AgentProfile
    model: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


class Minds:
    """Finds the mind of a role: what was said for this task, else the settings, else the agent of the session."""

    def __init__(
        self,
        chosen: Mapping[str, MindChoice],
        session_agent: AgentProfile,
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._chosen = chosen
        self._session_agent = session_agent
        self._environment = dict(environment or {})

    @property
    def session_mind(self) -> Mind:
        """The one the person talks to."""
        return Mind(self._session_agent, "", self._environment)

    def of(self, role: str) -> Mind:
        """Raises BadInputError where there is no such agent, or none whose model can be chosen."""
        choice = self._chosen.get(role, MindChoice())
        profile = profile_named(choice.agent) if choice.agent else self._session_agent
        return Mind(profile, choice.model, {**self._environment, **profile.choosing(choice.model)})
