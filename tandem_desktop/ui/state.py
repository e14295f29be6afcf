"""Saved window state, and watchers of files it depends on."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError
from PySide6.QtCore import QFileSystemWatcher, QObject, QSettings, QTimer, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from tandem_desktop.domain.approval import WorkspaceIdentity
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId
from tandem_desktop.review.viewed import Looked
from tandem_desktop.storage import atomic
from tandem_desktop.storage.atomic import held_or_busy
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.theme.theme import THEMES, Theme

_FORMAT = 1
_MOST_SLOTS = 64
_MOST_KEPT = 200


class WindowState:
    """A small JSON record per window, replaced as a whole; an unreadable one counts as empty.

    Each window on a workspace takes the first free slot and its record, so two windows never overwrite each other.
    """

    def __init__(self, folder: Path, workspace: WorkspaceIdentity) -> None:
        self._held = ExitStack()
        self._path = self._take_slot(folder, workspace.key)
        self._values = self._load()

    def get(self, name: str, default: Any = None) -> Any:
        return self._values.get(name, default)

    def put(self, **values: Any) -> None:
        """Store values; writes only if something changed."""
        changed = {**self._values, **values}
        if changed == self._values:
            return
        self._values = changed
        try:
            atomic.replace(self._path, json.dumps({"format": _FORMAT, **changed}).encode(), mode=0o600)
        except OSError:
            return  # losing window state is no reason to fail

    def of(self, name: str, key: str, default: Any = None) -> Any:
        """One value of a nested table, such as the viewed marks of a plan."""
        table = self._values.get(name)
        return table.get(key, default) if isinstance(table, dict) else default

    def put_of(self, name: str, key: str, value: Any) -> None:
        """Store one value of a nested table; drops empty values and the oldest ones above a limit."""
        table = self._values.get(name)
        kept = {known: each for known, each in table.items() if known != key} if isinstance(table, dict) else {}
        if value:
            kept[key] = value
        self.put(**{name: dict(list(kept.items())[-_MOST_KEPT:])})

    def close(self) -> None:
        """Release the slot for the next window."""
        self._held.close()

    def _take_slot(self, folder: Path, key: str) -> Path:
        for number in range(1, _MOST_SLOTS):
            name = key if number == 1 else f"{key}-{number}"
            try:
                atomic.make_directory(folder, mode=0o700)
                if self._held.enter_context(held_or_busy(folder / f"{name}.lock")):
                    break
            except (OSError, TandemError):
                break
        return folder / f"{name}.json"

    def _load(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict) or found.pop("format", None) != _FORMAT:
            return {}
        return found


_NOT_BEGUN = "new"
"""Key of the draft of a new conversation."""
_SOON_MS = 300
"""Delay of saving; a crash loses at most this much typing."""


class ScreenMemory(QObject):
    """Saves drafts, selections and viewed marks of the panes, and restores them."""

    looked_before = Signal(str, object)
    """Plan id and the stored `Looked`; answered by `resume`."""

    def __init__(self, state: WindowState, chat: ChatPane, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._chat = chat
        self._panel = panel
        self._session = SessionId("")
        self._key = _NOT_BEGUN
        self._plan: PlanId | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self.flush)
        chat.composer.edit.textChanged.connect(self._soon.start)
        chat.queue_changed.connect(lambda queue: self._soon.start())
        panel.model.dataChanged.connect(lambda first, last: self._soon.start())
        panel.viewed_changed.connect(self._viewed)

    def flush(self) -> None:
        """Save the current screen."""
        self._soon.stop()
        if self._session:
            key = self._session if self._chat.model.rowCount() else _NOT_BEGUN
            if key != self._key:
                self._state.put_of("drafts", self._key, "")  # the conversation has begun
                self._key = key
            self._state.put_of("drafts", key, self._chat.composer.text)
            self._state.put_of("queues", self._session, list(self._chat.queue))
        page = self._panel.page
        if page is not None and page.version.plan_id == self._plan:
            self._state.put_of("opened", self._plan, sorted(self._panel.model.expanded))
            self._note_looked()

    def show_session(self, session_id: SessionId) -> None:
        """Restore the draft of a conversation. Call `flush` before showing it."""
        self._session = session_id
        self._key = session_id if self._chat.model.rowCount() else _NOT_BEGUN
        self._chat.composer.set_draft(self._state.of("drafts", self._key, ""))
        self._chat.set_queue(tuple(self._state.of("queues", session_id, ())))

    def show_plan(self, plan_id: PlanId) -> None:
        """Restore what was saved of the plan just shown."""
        self._panel.set_viewed(tuple(self._state.of("viewed", plan_id, ())))
        if plan_id == self._plan:
            self._note_looked()
            return
        self._plan = plan_id
        self._ask_to_resume(plan_id)
        opened = self._state.of("opened", plan_id)
        if opened is not None:
            for view in self._panel.model.views():
                self._panel.model.set_expanded(OperationId(view.operation.id), view.operation.id in opened)

    def resume(self, plan_id: str, looked: Looked) -> None:
        """Apply the viewed marks that are still valid."""
        self._resuming = False
        if plan_id == self._plan:
            self._panel.resume_looking(looked)
            self._note_looked()

    def leave_plan(self) -> None:
        self.flush()
        self._plan = None

    _resuming = False
    """True while the changes since the last view are computed; viewed marks are not saved then."""

    def _viewed(self, plan_id: str, viewed: tuple[str, ...]) -> None:
        self._state.put_of("viewed", plan_id, list(viewed))
        self._note_looked()

    def _note_looked(self) -> None:
        looked = self._panel.looked
        if looked is not None and self._plan is not None and not self._resuming:
            self._state.put_of("looked", self._plan, looked.model_dump(mode="json"))

    def _ask_to_resume(self, plan_id: PlanId) -> None:
        page = self._panel.page
        try:
            known = Looked.model_validate(self._state.of("looked", plan_id))
        except ValidationError:
            known = None
        self._resuming = False
        if known is not None and page is not None and known.revision <= page.version.revision:
            self._resuming = True
            self.looked_before.emit(plan_id, known)
        else:
            self._note_looked()


_QUIET_MS = 200


class StoreWatch(QObject):
    """Emits once after a burst of changes. Best effort: the next refresh shows what it misses."""

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
        """Also watch the folder of the shown plan; None for no plan."""
        self._shown = folder
        self._watch()

    def _watch(self) -> None:
        """Watch the folders; for a missing one, the nearest existing parent."""
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


class FolderWatch(QObject):
    """Emits when a folder goes away or comes back."""

    changed = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._is_there = folder.is_dir()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self.look)
        self._watch()

    def look(self) -> None:
        self._watch()
        if self._folder.is_dir() != self._is_there:
            self._is_there = not self._is_there
            self.changed.emit()

    def _watch(self) -> None:
        above = str(_nearest(self._folder.parent))
        if self._watcher.directories() != [above]:
            if known := self._watcher.directories():
                self._watcher.removePaths(known)
            self._watcher.addPath(above)


def _nearest(folder: Path) -> Path:
    return next(each for each in (folder, *folder.parents) if each.is_dir())


_MOST_RECENT = 10


class WindowMemory:
    """Theme, zoom, geometry and recent workspaces, stored in QSettings."""

    def __init__(self, settings: QSettings, theme: Theme) -> None:
        self._settings = settings
        self._theme = theme

    def apply_last_theme(self) -> None:
        """Apply the last theme and zoom before the settings are read."""
        self.apply_theme(str(self._settings.value("theme")))
        zoom = self._settings.value("zoom")
        if zoom is not None:
            self._theme.set_zoom(float(str(zoom)))

    def apply_theme(self, name: str) -> None:
        """Apply a theme and store it for the next start; an unknown name follows the system."""
        if name in THEMES:
            self._theme.set_theme(name)
            self._settings.setValue("theme", name)
        else:
            self._settings.remove("theme")
            self._theme.follow_system(True)

    def zoom(self, step: float | None) -> None:
        """Zoom by a step; None resets it."""
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


_SETTINGS_QUIET_MS = 150


class SettingsWatch(QObject):
    """Emits once after a burst of changes, also when the file is created, replaced or removed."""

    changed = Signal()

    def __init__(self, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file
        self._watcher = QFileSystemWatcher(self)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_SETTINGS_QUIET_MS)
        self._quiet.timeout.connect(self._tell)
        for noticed in (self._watcher.fileChanged, self._watcher.directoryChanged):
            noticed.connect(lambda path: self._quiet.start())
        self._watch()

    def _tell(self) -> None:
        self._watch()
        self.changed.emit()

    def _watch(self) -> None:
        """Watch the file again, as replacing it ends the watch, and its folder, for when it is created."""
        folder = next(each for each in self._file.parents if each.is_dir())
        wanted = {str(folder), *([str(self._file)] if self._file.is_file() else ())}
        known = {*self._watcher.files(), *self._watcher.directories()}
        if known - wanted:
            self._watcher.removePaths(sorted(known - wanted))
        if wanted - known:
            self._watcher.addPaths(sorted(wanted - known))


_SHORT = 8


class BranchWatch(QObject):
    """Emits when the git branch of the workspace changes."""

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
        """Read the branch and watch again, as git replaces the file."""
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
    """The branch, a short commit id if detached, or empty without git."""
    head = _head_file(root)
    try:
        words = head.read_text(encoding="utf-8", errors="replace").strip() if head is not None else ""
    except OSError:
        return ""
    name = words.removeprefix("ref:").strip()
    return name.removeprefix("refs/heads/") if name != words else words[:_SHORT]


def _head_file(root: Path) -> Path | None:
    """`HEAD` of the repository that contains `root`; in a worktree `.git` is a file that names the folder."""
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
