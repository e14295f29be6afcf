"""Other windows and the command line work on the same plans: look again when their folders change."""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

_QUIET_MS = 200


class StoreWatch(QObject):
    """Tells once after a burst of changes. A convenience: what it misses is seen at the next refresh."""

    changed = Signal()

    def __init__(self, folders: tuple[Path, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folders = folders
        self._shown: Path | None = None
        self._watcher = QFileSystemWatcher(self)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._tell)
        self._watcher.directoryChanged.connect(self._noticed)
        self._watch()

    def follow(self, folder: Path | None) -> None:
        """Also the plan that is on screen; only one at a time."""
        self._shown = folder
        self._watch()

    def _watch(self) -> None:
        """A folder that is not there yet is awaited where it will appear."""
        folders = (*self._folders, *([self._shown] if self._shown is not None else []))
        wanted = {str(_nearest(folder)) for folder in folders}
        known = set(self._watcher.directories())
        if known - wanted:
            self._watcher.removePaths(sorted(known - wanted))
        if wanted - known:
            self._watcher.addPaths(sorted(wanted - known))

    def _noticed(self) -> None:
        self._watch()
        self._quiet.start()

    def _tell(self) -> None:
        self._watch()
        self.changed.emit()


def _nearest(folder: Path) -> Path:
    return next(each for each in (folder, *folder.parents) if each.is_dir())
