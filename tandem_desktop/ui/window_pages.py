"""Pages of the window itself, made when they are wanted: the keys, the log, and what Tandem is."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from tandem_desktop.storage.logbook import Logbook
from tandem_desktop.ui.theme.theme import Theme

if TYPE_CHECKING:
    from tandem_desktop.ui.shell.about_sheet import AboutSheet
    from tandem_desktop.ui.shell.keys_sheet import KeysSheet
    from tandem_desktop.ui.shell.log_sheet import LogSheet


class WindowPages(QObject):
    """Nothing of them is imported before the first time."""

    said = Signal(str, str)
    """Words about what has just happened, and their tone."""

    def __init__(self, host: QWidget, theme: Theme, logbook: Logbook) -> None:
        super().__init__(host)
        self._host, self._theme, self._logbook = host, theme, logbook
        self._keys: KeysSheet | None = None
        self._log: LogSheet | None = None
        self._about: AboutSheet | None = None

    def show_keys(self, *, letters: bool, changes: Mapping[str, str]) -> None:
        if self._keys is None:
            from tandem_desktop.ui.shell.keys_sheet import KeysSheet

            self._keys = KeysSheet(self._host, self._theme)
        self._keys.show_keys(letters=letters, changes=changes)

    def show_log(self) -> None:
        if self._log is None:
            from tandem_desktop.ui.shell.log_sheet import LogSheet

            self._log = LogSheet(self._host, self._theme, self._logbook)
            self._log.said.connect(self.said)
        self._log.show_log()

    def show_about(self, workspace: Path | None) -> None:
        """With the places of the workspace, where there is one."""
        from tandem_desktop.settings.load import SETTINGS_FILE, config_directory
        from tandem_desktop.storage.locations import TANDEM_DIRECTORY, default_state_directory
        from tandem_desktop.ui.about_facts import about_facts
        from tandem_desktop.ui.shell.about_sheet import AboutSheet

        if self._about is not None:
            self._about.deleteLater()
        places = [("State", default_state_directory()), ("Log", self._logbook.folder)]
        places.append(("Settings", config_directory() / SETTINGS_FILE))
        if workspace is not None:
            places.append(("Plans here", workspace / TANDEM_DIRECTORY))
        self._about = AboutSheet(self._host, self._theme, about_facts(tuple(places)))
        self._about.said.connect(self.said)
        self._about.show_about()
