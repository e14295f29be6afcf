"""Pages of the window itself, made when they are wanted: the keys, the log, what Tandem is and what is new in it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from tandem_desktop.storage import atomic
from tandem_desktop.storage.locations import default_state_directory
from tandem_desktop.storage.logbook import Logbook
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import later, tr

if TYPE_CHECKING:
    from tandem_desktop.ui.shell.about_sheet import AboutSheet
    from tandem_desktop.ui.shell.keys_sheet import KeysSheet
    from tandem_desktop.ui.shell.log_sheet import LogSheet
    from tandem_desktop.ui.shell.news_sheet import NewsSheet
    from tandem_desktop.ui.update_notes import UpdateNotes


class WindowPages(QObject):
    """Nothing of them is imported before the first time."""

    said = Signal(str, str)
    """Words about what has just happened, and their tone."""
    updated = Signal(str)
    """A newer version is opened for the first time: its number."""

    def __init__(self, host: QWidget, theme: Theme, logbook: Logbook) -> None:
        super().__init__(host)
        self._host, self._theme, self._logbook = host, theme, logbook
        self._keys: KeysSheet | None = None
        self._log: LogSheet | None = None
        self._about: AboutSheet | None = None
        self._notes: UpdateNotes | None = None
        self._news: NewsSheet | None = None

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

    def save_diagnostics(self) -> None:
        """Beside the log, for the person to look through before anybody else does."""
        from tandem_desktop.settings.load import SETTINGS_FILE, config_directory
        from tandem_desktop.ui.about_facts import about_facts
        from tandem_desktop.ui.diagnostics import blacked_out, diagnostics

        file = self._logbook.folder / "diagnostics.txt"
        try:
            chosen = config_directory() / SETTINGS_FILE
            settings = chosen.read_text("utf-8", "replace") if chosen.is_file() else ""
            text = diagnostics(about_facts(((later("Log"), self._logbook.folder),)), settings, self._logbook.lines)
            atomic.make_directory(self._logbook.folder, mode=0o700)
            atomic.replace(file, blacked_out(text, Path.home(), os.environ).encode("utf-8", "replace"), mode=0o600)
        except OSError as error:
            words = tr("Diagnostics could not be written to {file}: {reason}.", file=file, reason=error.strerror)
            self.said.emit(words, "risk")
            return
        self.said.emit(
            tr("Saved {file}. Keys and passwords are blacked out; look through it before you pass it on.", file=file),
            "ok",
        )

    def show_about(self, workspace: Path | None) -> None:
        """With the places of the workspace, where there is one."""
        from tandem_desktop.processes.own_program import own_papers
        from tandem_desktop.settings.load import SETTINGS_FILE, config_directory
        from tandem_desktop.storage.locations import TANDEM_DIRECTORY
        from tandem_desktop.ui.about_facts import about_facts
        from tandem_desktop.ui.shell.about_sheet import AboutSheet

        if self._about is not None:
            self._about.deleteLater()
        places = [(later("State"), default_state_directory()), (later("Log"), self._logbook.folder)]
        places.append((later("Settings"), config_directory() / SETTINGS_FILE))
        if workspace is not None:
            places.append((later("Plans here"), workspace / TANDEM_DIRECTORY))
        if (papers := own_papers()) is not None:
            places.append((later("Documents, licences"), papers))
        self._about = AboutSheet(self._host, self._theme, about_facts(tuple(places)))
        self._about.said.connect(self.said)
        self._about.diagnostics_requested.connect(self.save_diagnostics)
        self._about.news_requested.connect(self.show_news)
        self._about.show_about()

    def tell_update(self) -> None:
        """Once after each update; see `updated`."""
        if self.notes.has_come():
            self.updated.emit(self.notes.version)

    def show_news(self) -> None:
        from tandem_desktop.ui.shell.news_sheet import NewsSheet

        if self._about is not None:
            self._about.shut()
        if self._news is not None:
            self._news.deleteLater()
        self._news = NewsSheet(self._host, self._theme, self.notes.version, self.notes.text)
        self._news.show_news()

    @property
    def notes(self) -> "UpdateNotes":
        if self._notes is None:
            from tandem_desktop.ui.update_notes import UpdateNotes

            self._notes = UpdateNotes(default_state_directory())
        return self._notes
