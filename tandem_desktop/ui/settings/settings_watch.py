"""The settings file is also written by hand: look again when it changes under the window."""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

_QUIET_MS = 150


class SettingsWatch(QObject):
    """Tells once after a burst of changes, also when the file is made, replaced or taken away."""

    changed = Signal()

    def __init__(self, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file
        self._watcher = QFileSystemWatcher(self)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._tell)
        for noticed in (self._watcher.fileChanged, self._watcher.directoryChanged):
            noticed.connect(lambda path: self._quiet.start())
        self._watch()

    def _tell(self) -> None:
        self._watch()
        self.changed.emit()

    def _watch(self) -> None:
        """Whoever replaces a file leaves nothing to watch, so it is found anew; its folder tells when it appears."""
        folder = next(each for each in self._file.parents if each.is_dir())
        wanted = {str(folder), *([str(self._file)] if self._file.is_file() else ())}
        known = {*self._watcher.files(), *self._watcher.directories()}
        if known - wanted:
            self._watcher.removePaths(sorted(known - wanted))
        if wanted - known:
            self._watcher.addPaths(sorted(wanted - known))
