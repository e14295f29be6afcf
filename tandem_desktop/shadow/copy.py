"""A shadow made by copying the workspace."""

import json
import os
import stat
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from tandem_desktop.domain.errors import GitError, OutsideWorkspaceError, StorageError
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, NodeState, SymlinkState
from tandem_desktop.domain.paths import ancestors
from tandem_desktop.processes.git import global_excludes, run_git
from tandem_desktop.shadow.landlock import LandlockSandbox, secrets_inside
from tandem_desktop.shadow.overlay import held_veil
from tandem_desktop.shadow.overlay_changes import is_folder
from tandem_desktop.shadow.sandbox import Sandbox, confinement, write_filter
from tandem_desktop.shadow.tree import Tree
from tandem_desktop.shadow.workspace import UNSEEN, ObservedPath, ShadowWorkspace
from tandem_desktop.storage import atomic
from tandem_desktop.storage.atomic import remove_tree
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import TANDEM_DIRECTORY
from tandem_desktop.storage.workspace import Workspace

_MANIFEST = "manifest.json"
_GIT = ".git"

Marks = tuple[int, tuple[int, ...]]
"""Change time of the original, and the stat signature of its untouched copy."""


class CopyShadow(ShadowWorkspace):
    """A shadow with the guarantees of an overlay, at the cost of a copy; ignored files are left out."""

    def __init__(
        self,
        workspace: Workspace,
        folder: Path,
        objects: ObjectStore,
        masked: tuple[Path, ...],
        person_home: Path,
        why_no_overlay: str = "",
    ) -> None:
        with ExitStack() as undo:
            super().__init__(workspace, folder, objects)
            undo.callback(self._disk.close)
            self._manifest: dict[str, Marks] = {}
            self.confinement = confinement("copy", why_no_overlay)
            self._left_out = () if self.confinement.is_in_place else secrets_inside(workspace.path, person_home)
            self._open_tree(undo)
            self._holder = held_veil(folder)
            if self._holder is not None:
                undo.callback(self._holder.end)
            self._sandbox = self._made_sandbox(masked, person_home)
            self._closing = undo.pop_all()

    @property
    def place(self) -> Path:
        return self._folder / "tree"

    def _made_sandbox(self, masked: tuple[Path, ...], person_home: Path) -> Sandbox | LandlockSandbox:
        hidden = (*masked, self._folder)
        if self.confinement.by == "Landlock":
            return LandlockSandbox(self.workspace, self.place.resolve(), hidden, person_home)
        info = os.fstat(self._tree.root_fd)
        return Sandbox(
            workspace=self.workspace,
            source=self.place,
            expected=f"{info.st_dev}:{info.st_ino}",
            masked=hidden,
            person_home=person_home,
            filter=write_filter(self._folder / "filter"),
            view=self._holder.view if self._holder is not None else Path("/"),
        )

    def _joining(self, network: tuple[str, ...] = ()) -> tuple[str, ...]:
        return self._holder.joining(network) if self._holder is not None else super()._joining(network)

    def refresh(self) -> None:
        """Also copy what is new or changed on disk and untouched by the agent; an overlay shows that by itself."""
        with self._lock:
            super().refresh()
            for path in self._to_copy():
                if path not in self._bases and self._is_behind(path):
                    self._follow_disk(path)
            for path in sorted(self._manifest, reverse=True):
                if path not in self._bases and isinstance(self._disk.peek(path, keep=False)[0], Absent):
                    self._follow_disk(path)
            self._save_manifest()
            self.begin_turn()

    def settle(self, paths: Iterable[str]) -> None:
        with self._lock:
            super().settle(paths)
            self._save_manifest()

    def _sightings(self) -> Iterator[ObservedPath]:
        present: set[str] = set()
        for path, info in _below(self.place, "", self._fold):
            present.add(path)
            if info is None:
                yield ObservedPath(path, folded=True)
                continue
            marks = self._manifest.get(path)
            if marks is None or marks[1] != _signature(info):
                yield ObservedPath(path, copied=marks is not None)
        for path in sorted(set(self._manifest) - present):
            yield ObservedPath(path, copied=True)
            if self._disk.is_directory(path):
                below = (f"{path}/{name}" for name in self._disk.children(path))
                yield from (ObservedPath(each, newcomer=True) for each in below if each not in self._manifest)

    def _base_of(self, sighting: ObservedPath) -> tuple[NodeState, bytes | None]:
        marks = self._manifest.get(sighting.path)
        if marks is None:
            return ABSENT, None
        if stat.S_ISDIR(marks[1][0]):
            return DirectoryState(mode=stat.S_IMODE(marks[1][0])), None
        try:
            state, data = self._disk.load(sighting.path)
        except OutsideWorkspaceError as error:
            if error.path == sighting.path:
                raise
            return UNSEEN, None
        return (state, data) if self._disk.changed_at(sighting.path) == marks[0] else (UNSEEN, None)

    def _followed(self, path: str, changed_ns: int) -> None:
        self._mark(path, changed_ns)

    def _open_tree(self, undo: ExitStack) -> None:
        manifest = self._folder / _MANIFEST
        if not manifest.exists():
            remove_tree(self.place)
        atomic.make_directory(self.place, mode=0o700)
        self._tree = Tree(os.open(self.place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        undo.callback(self._tree.close)
        if manifest.exists():
            record = json.loads(manifest.read_bytes())
            self._manifest = {path: (marks[0], tuple(marks[1])) for path, marks in record.items()}
            return
        self._copy_all((*self._to_copy(), *self._git_folder()))
        self._save_manifest()

    def _copy_all(self, paths: tuple[str, ...]) -> None:
        """Copy paths; what is unreadable, or no file, link or folder, is skipped."""
        folders: list[tuple[str, int]] = []
        for path in paths:
            changed_ns = self._disk.changed_at(path)
            try:
                folder, name = self._disk.parent(path)
                info = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISREG(info.st_mode):
                    self._copy_file(path, folder, name)
                elif stat.S_ISLNK(info.st_mode):
                    self._tree.make(path, SymlinkState(target=os.readlink(name, dir_fd=folder)), None)
                elif stat.S_ISDIR(info.st_mode):
                    self._tree.make(path, DirectoryState(mode=0o700), None)
                    folders.append((path, stat.S_IMODE(info.st_mode)))
            except (OSError, OutsideWorkspaceError, StorageError):
                continue
            self._mark(path, changed_ns)
        for path, mode in reversed(folders):
            # Last, because a read-only folder accepts no files.
            self._tree.make(path, DirectoryState(mode=mode), None)
            self._mark(path, 0)

    def _copy_file(self, path: str, folder: int, name: str) -> None:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            self._tree.write_from(path, fd, stat.S_IMODE(os.fstat(fd).st_mode))
        finally:
            os.close(fd)

    def _to_copy(self) -> tuple[str, ...]:
        """Paths git does not ignore, with their folders; every path without git. Nothing that is to be left out."""
        listed = _listed_by_git(self._disk.path) if (self._disk.path / _GIT).exists() else None
        if listed is None:
            found = tuple(path for path, _ in _below(self._disk.path, "") if not _is_git(path))
        else:
            folders = {above for path in listed for above in ancestors(path)}
            found = tuple(sorted({*listed, *folders}, key=lambda path: path.split("/")))
        left_out = frozenset(self._left_out)
        return tuple(path for path in found if left_out.isdisjoint((path, *ancestors(path))))

    def _git_folder(self) -> Iterator[str]:
        if (self._disk.path / _GIT).is_dir():
            yield _GIT
            yield from (path for path, _ in _below(self._disk.path, _GIT))

    def _is_new(self, path: str) -> bool:
        return path not in self._manifest and super()._is_new(path)

    def _mark(self, path: str, changed_ns: int) -> None:
        """Record the stat signature of the untouched copy of `path`."""
        try:
            info = (self.place / path).lstat()
        except OSError:
            self._manifest.pop(path, None)
            return
        self._manifest[path] = (0 if stat.S_ISDIR(info.st_mode) else changed_ns, _signature(info))

    def _is_behind(self, path: str) -> bool:
        marks = self._manifest.get(path)
        return marks is None or (marks[0] != 0 and marks[0] != self._disk.changed_at(path))

    def _save_manifest(self) -> None:
        atomic.replace(self._folder / _MANIFEST, json.dumps(self._manifest).encode(), mode=0o600)


def _below(
    root: Path, folder: str, fold: Callable[[Iterable[tuple[str, bool]]], Container[str]] = lambda _: ()
) -> Iterator[tuple[str, os.stat_result | None]]:
    """Everything below a folder, parents first, without Tandem's own folder; no link is followed.

    Of what `fold` names, only the path is given and nothing that is in it.
    """
    try:
        entries = sorted(os.scandir(root / folder), key=lambda found: found.name)
    except OSError:
        return
    folded = fold((f"{folder}/{each.name}" if folder else each.name, is_folder(each)) for each in entries)
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if path == TANDEM_DIRECTORY:
            continue
        if path in folded:
            yield path, None
            continue
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError:  # gone, or what is above it is no folder any more
            continue
        yield path, info
        if stat.S_ISDIR(info.st_mode):
            yield from _below(root, path, fold)


def _listed_by_git(workspace: Path) -> tuple[str, ...] | None:
    """What is tracked or not ignored; None where git cannot be asked."""
    wanted = ("ls-files", "-co", "--exclude-standard", "-z")
    try:
        asked = run_git(wanted, workspace, settings=global_excludes(workspace))
    except GitError:
        return None
    if not asked.succeeded:
        return None
    names = (os.fsdecode(name).rstrip("/") for name in asked.output.split(b"\0") if name)
    return tuple(name for name in names if not name.startswith(f"{TANDEM_DIRECTORY}/"))


def _is_git(path: str) -> bool:
    return path == _GIT or path.startswith(f"{_GIT}/")


def _signature(info: os.stat_result) -> tuple[int, ...]:
    """The stat signature of a node; constant for a folder, whose contents are checked separately."""
    if stat.S_ISDIR(info.st_mode):
        return (info.st_mode,)
    return (info.st_mode, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
