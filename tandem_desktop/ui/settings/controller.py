"""Applies settings to the window."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from tandem_desktop.acp_client.profiles import BUILT_IN
from tandem_desktop.builtin_agent.models import CHOICE
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.settings import AT_ONCE, Settings
from tandem_desktop.settings_io import SETTINGS_FILE, config_directory, load_settings
from tandem_desktop.storage import atomic
from tandem_desktop.ui.editor import open_in_editor
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.plan_text import error_words
from tandem_desktop.ui.shell.notifier import Notifier
from tandem_desktop.ui.shell.palette import WindowActions
from tandem_desktop.ui.state import SettingsWatch, WindowMemory
from tandem_desktop.ui.theme.theme import Theme

if TYPE_CHECKING:
    from tandem_desktop.ui.settings.agent_setup import ModelSheet, OwnAgentsSheet
    from tandem_desktop.ui.settings.sheet import SettingsSheet


class SettingsController(QObject):
    """Applies the settings of the open workspace; creates the page on first use."""

    said = Signal(str, str)
    """A message and its tone."""
    letters_chosen = Signal(bool)
    """Whether single-letter shortcuts are enabled."""
    reopen_requested = Signal()
    """Reopen the workspace with the new settings."""
    models_chosen = Signal(object, str)
    """The `Settings`, and the agent whose model has another key."""
    agents_changed = Signal(str)
    """Agents were added or removed; the command of the person's own that the settings name."""

    def __init__(
        self, window: QWidget, theme: Theme, memory: WindowMemory, actions: WindowActions, notifier: Notifier
    ) -> None:
        super().__init__(window)
        self._window, self._theme, self._memory = window, theme, memory
        self._actions, self._notifier = actions, notifier
        self._sheet: SettingsSheet | None = None
        self._models: ModelSheet | None = None
        self._after_model: Callable[[], None] | None = None
        self._agents: OwnAgentsSheet | None = None
        self.current = Settings()
        """The applied settings."""
        self._in_file = _in_file()
        self._watch = SettingsWatch(_config(), self)
        self._watch.changed.connect(self._look_again)

    def apply(self, settings: Settings) -> None:
        self.current = settings
        self._memory.apply_theme(settings.theme)
        self._notifier.is_on = settings.notifications
        self._theme.set_code_face(settings.code_font, settings.code_size, ligatures=settings.ligatures)
        unknown = self._actions.rebind(settings.keys)
        if unknown:
            self.said.emit(
                tr("The settings name keys for what is not there: {unknown}.", unknown=", ".join(unknown)), "risk"
            )
        self.letters_chosen.emit(settings.single_letter_keys)
        self.models_chosen.emit(settings, "")

    def _look_again(self) -> None:
        """The file changed; an invalid file changes nothing."""
        try:
            found = load_settings(_config()).settings
        except TandemError as error:
            self._in_file = None
            self.said.emit(error_words(error), "risk")
            return
        before, self._in_file = self._in_file, found
        if found == before:
            return
        self.apply(found)
        if self._sheet is not None and self._sheet.isVisible():
            self._sheet.follow(found)
        if before is None or _without_what_holds_at_once(found) != _without_what_holds_at_once(before):
            words = tr("The settings file has changed. Some of it holds when the workspace is opened the next time.")
            self.said.emit(words, "info")

    def toggle_theme(self) -> None:
        """From dark to light and back; colours for colour-blind eyes stay such."""
        kind = "colour-blind-" if self._theme.name.startswith("colour-blind-") else ""
        self.choose_theme(f"{kind}light" if self._theme.is_dark else f"{kind}dark")

    def choose_theme(self, name: str) -> None:
        """Apply the theme and save it; an invalid file is not overwritten."""
        from tandem_desktop.settings_io import save_setting

        self._memory.apply_theme(name)
        try:
            self.current = self._in_file = save_setting(_config(), "theme", name)
        except TandemError as error:
            self.said.emit(error_words(error), "risk")

    def show(self) -> None:
        if self._sheet is None:
            from tandem_desktop.ui.settings.sheet import SettingsSheet

            sheet = self._sheet = SettingsSheet(self._window, self._theme, _config())
            sheet.changed.connect(self._keep)
            sheet.reopen_requested.connect(self.reopen_requested)
            sheet.file_requested.connect(self._open_file)
            sheet.model_requested.connect(lambda: self.show_model())
            sheet.agents_requested.connect(self.show_agents)
        self._sheet.show_settings()

    @property
    def model(self) -> str:
        """The model the built-in agent would use, by its name; empty for none."""
        settings = self._in_file or self.current
        return (settings.models.get(BUILT_IN) or os.environ.get(CHOICE, "")).partition(":")[2]

    def show_model(self, then: Callable[[], None] | None = None) -> None:
        """Open the page of the built-in agent's model; `then` sends the message that waits for one."""
        if self._models is None:
            from tandem_desktop.ui.settings.agent_setup import ModelSheet

            self._models = ModelSheet(self._window, self._theme, _config())
            self._models.chosen.connect(self._use_model)
        self._after_model = then
        self._models.show_model(sends=then is not None)

    def show_agents(self) -> None:
        """Open the page of the agents that the person added."""
        if self._agents is None:
            from tandem_desktop.ui.settings.agent_setup import OwnAgentsSheet

            self._agents = OwnAgentsSheet(self._window, self._theme, _config())
            self._agents.changed.connect(self._follow_agents)
        self._agents.show_agents()

    def _use_model(self, settings: Settings) -> None:
        self._keep(settings)
        self.models_chosen.emit(settings, BUILT_IN)
        if self._after_model is not None:
            self._after_model()
        else:
            self.said.emit(tr("{model} is used from the next message on.", model=self.model), "ok")

    def _follow_agents(self, settings: Settings) -> None:
        self._keep(settings)
        self.agents_changed.emit(settings.agent_command)

    def _keep(self, settings: Settings) -> None:
        """Apply what the page has already saved."""
        self._in_file = settings
        self.apply(settings)

    def _open_file(self, path: str) -> None:
        file = Path(path)
        if not file.exists():
            atomic.make_directory(file.parent)
            atomic.create(file, b"# Every setting is explained in docs/settings.md.\n")
        problem = open_in_editor(file, 1, self.current.editor)
        if problem:
            self.said.emit(problem, "info")


def _in_file() -> Settings | None:
    """None if the file is invalid; opening a workspace reports that."""
    try:
        return load_settings(_config()).settings
    except TandemError:
        return None


def _without_what_holds_at_once(settings: Settings) -> dict[str, object]:
    return settings.model_dump(exclude={*AT_ONCE})


def _config() -> Path:
    return config_directory() / SETTINGS_FILE
