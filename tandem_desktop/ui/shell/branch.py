"""Which branch a workspace is on, read from git's own file; no process is started."""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

_SHORT = 8


class BranchWatch(QObject):
    """Tells when the branch changes under the window."""

    changed = Signal(str)

    def __init__(self, root: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = root
        self._shown = read_branch(root)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self.look)
        self._watch()

    @property
    def branch(self) -> str:
        return self._shown

    def look(self) -> None:
        """Read again; git replaces its file, so it has to be found anew."""
        self._watch()
        found = read_branch(self._root)
        if found != self._shown:
            self._shown = found
            self.changed.emit(found)

    def _watch(self) -> None:
        head = _head_file(self._root)
        if head is not None and str(head) not in self._watcher.files():
            self._watcher.addPath(str(head))


def read_branch(root: Path) -> str:
    """The branch, the beginning of the commit where there is none, or nothing where git is not in use."""
    head = _head_file(root)
    try:
        words = head.read_text(encoding="utf-8", errors="replace").strip() if head is not None else ""
    except OSError:
        return ""
    name = words.removeprefix("ref:").strip()
    return name.removeprefix("refs/heads/") if name != words else words[:_SHORT]


def _head_file(root: Path) -> Path | None:
    """`HEAD` of the repository that holds `root`; in a worktree `.git` is a file that names another folder."""
    for folder in (root, *root.parents):
        mark = folder / ".git"
        if mark.is_dir():
            return _if_file(mark / "HEAD")
        if mark.is_file():
            return _if_file(_named_folder(mark) / "HEAD")
    return None


def _named_folder(mark: Path) -> Path:
    try:
        words = mark.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return mark
    return mark.parent / words.partition("gitdir:")[2].strip()


def _if_file(path: Path) -> Path | None:
    return path if path.is_file() else None
