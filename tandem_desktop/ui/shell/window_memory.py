"""What the window itself remembers between starts: its place, its look, and the folders it was used on."""

from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QSplitter, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.theme.tokens import THEMES

_MOST_RECENT = 10


class WindowMemory:
    """Qt's own settings; nothing of plans or agents is in them."""

    def __init__(self, settings: QSettings, theme: Theme) -> None:
        self._settings = settings
        self._theme = theme

    def wear_last_look(self) -> None:
        """The theme and the zoom of the last time, before the settings have been read."""
        self.wear_theme(str(self._settings.value("theme")))
        zoom = self._settings.value("zoom")
        if zoom is not None:
            self._theme.set_zoom(float(str(zoom)))

    def wear_theme(self, name: str) -> None:
        """One theme, kept for the first picture of the next start; the system's where it is none of the themes."""
        if name in THEMES:
            self._theme.set_theme(name)
            self._settings.setValue("theme", name)
        else:
            self._settings.remove("theme")
            self._theme.follow_system(True)

    def zoom(self, step: float | None) -> None:
        """A step larger or smaller; None is the usual size."""
        self._theme.set_zoom(1.0 if step is None else self._theme.zoom + step)
        self._settings.setValue("zoom", self._theme.zoom)

    def keep_place(self, window: QWidget, splitter: QSplitter) -> None:
        self._settings.setValue("geometry", window.saveGeometry())
        self._settings.setValue("splitter", splitter.saveState())

    def restore_place(self, window: QWidget) -> None:
        if (geometry := self._settings.value("geometry")) is not None:
            window.restoreGeometry(geometry)

    def restore_panes(self, splitter: QSplitter) -> None:
        if (state := self._settings.value("splitter")) is not None:
            splitter.restoreState(state)

    @property
    def last_workspace(self) -> Path | None:
        recent = self.recent
        return Path(recent[0]) if recent and Path(recent[0]).is_dir() else None

    @property
    def recent(self) -> list[str]:
        found = self._settings.value("recent") or []
        return [found] if isinstance(found, str) else [str(each) for each in found]

    def remember(self, workspace: Path) -> None:
        others = [each for each in self.recent if each != str(workspace)]
        self._settings.setValue("recent", [str(workspace), *others][:_MOST_RECENT])
