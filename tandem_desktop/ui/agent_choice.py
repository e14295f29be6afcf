"""Which agents are available and which one is selected."""

from PySide6.QtCore import QObject, Signal

from tandem_desktop.acp_client.profiles import BUILT_IN
from tandem_desktop.background import Background
from tandem_desktop.domain.agent_protocol import AgentProfile, OfferedCommand
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.sessions.launch import InstalledAgents, find_agents
from tandem_desktop.ui.chat.completion import ChatCommand, with_window_commands
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.state import WindowState
from tandem_desktop.ui.threads import Commands


class AgentChoice(QObject):
    """Remembers the chosen agent; falls back to the built-in one if it is not installed."""

    found = Signal(object)
    """`InstalledAgents` and the name of the one in use."""

    def __init__(self, background: Background, commands: Commands, state: WindowState, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._state = state
        self._name: str = state.get("agent") or background.engine.settings.agent or BUILT_IN
        self._here: InstalledAgents | None = None
        self._recipes: tuple[OfferedCommand, ...] = ()
        self._offered: dict[SessionId, tuple[OfferedCommand, ...]] = {}

    def look(self) -> None:
        self._commands.run(self._background.run(find_agents, self._background.engine.locations.shadows), self._arrived)

    def choose(self, name: str) -> None:
        self._name = name
        self._state.put(agent=name)
        if self._here is not None:
            self.found.emit((self._here, name))

    @property
    def profile(self) -> AgentProfile | None:
        """None until the search for agents has ended."""
        if self._here is None:
            return None
        return next(each.profile for each in self._here.agents if each.profile.name == self._name)

    @property
    def title(self) -> str:
        profile = self.profile
        return profile.title if profile is not None else tr("The agent")

    def set_recipes(self, recipes: tuple[OfferedCommand, ...]) -> None:
        self._recipes = recipes

    def set_offered(self, session_id: SessionId, commands: tuple[OfferedCommand, ...]) -> None:
        self._offered[session_id] = commands

    def commands_in(self, session_id: SessionId) -> tuple[ChatCommand, ...]:
        """The slash commands of a session; recipes only with the built-in agent."""
        recipes = self._recipes if self._name == BUILT_IN else ()
        return with_window_commands(recipes, self._offered.get(session_id, ()))

    def _arrived(self, here: InstalledAgents) -> None:
        self._here = here
        if self._name not in {each.profile.name for each in here.agents if each.path is not None}:
            self._name = BUILT_IN
        self.found.emit((here, self._name))
