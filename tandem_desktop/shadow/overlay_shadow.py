"""A shadow that costs the same for any workspace: an overlay, whose upper layer is the list of changes."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from tandem_desktop.domain.errors import OutsideWorkspaceError, ShadowError
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, NodeState
from tandem_desktop.domain.paths import check_path
from tandem_desktop.domain.ports import ROOT
from tandem_desktop.processes.launch import Launch
from tandem_desktop.shadow.bases import UNSEEN
from tandem_desktop.shadow.confinement import Sandbox, confinement
from tandem_desktop.shadow.holder import Holder
from tandem_desktop.shadow.private_home import private_home
from tandem_desktop.shadow.shadow_base import ShadowWorkspace, Sighting
from tandem_desktop.shadow.tree import Tree
from tandem_desktop.shadow.upper_layer import UpperLayer
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

_LAYERS = ("upper", "work", "lower", "merged")


class OverlayShadow(ShadowWorkspace):
    """Mounted on a private folder by a holder process; never on the workspace itself.

    A mount on the workspace would vanish unnoticed when that folder is removed and made again, and the next command
    would work on the real one. Here it stays on the tree it was opened for.
    """

    def __init__(
        self, workspace: Workspace, folder: Path, objects: ObjectStore, masked: tuple[Path, ...], person_home: Path
    ) -> None:
        with ExitStack() as undo:
            _make_layers(workspace.path, folder)
            super().__init__(workspace, folder, objects)
            undo.callback(self._disk.close)
            self._holder = Holder(workspace.path, folder)
            undo.callback(self._holder.end)
            self._tree = Tree(os.open(self._holder.merged, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            undo.callback(self._tree.close)
            info = os.fstat(self._tree.root_fd)
            self._sandbox = Sandbox(
                workspace=workspace.path,
                source=folder / "merged",
                expected=f"{info.st_dev}:{info.st_ino}",
                masked=(*masked, folder),
                person_home=person_home,
            )
            self.confinement = confinement("overlay")
            self._closing = undo.pop_all()

    @property
    def place(self) -> Path:
        return self._holder.merged

    def launch(
        self,
        argv: Iterable[str],
        *,
        home: Path,
        environment: Mapping[str, str],
        cwd: str = ROOT,
        sockets: tuple[Path, ...] = (),
        network: bool = True,
        readable: tuple[Path, ...] = (),
    ) -> Launch:
        """As promised; the process joins the holder's namespace first."""
        self._disk.check_identity()
        cwd = cwd if cwd == ROOT else check_path(cwd)
        if not self._holder.is_alive:
            raise ShadowError(
                f"The shadow of {self.workspace} is gone; nothing was started.",
                path=str(self.workspace),
                next="Open the agent's session again.",
            )
        self._make_room_for_mask()
        private = private_home(home, environment)
        inside = self._sandbox.argv(
            argv, home=private.path, cwd=self.workspace / cwd, sockets=sockets, network=network, readable=readable
        )
        return Launch((*self._holder.joining(), *inside), private.environment, Path("/"))

    def _sightings(self) -> Iterator[Sighting]:
        layer = UpperLayer(self._folder / "upper", self._tree, self._disk, self._bases, self._refused.__setitem__)
        yield from layer.read()
        self._bases.cover(frozenset(layer.covering))

    def _base_of(self, sighting: Sighting) -> tuple[NodeState, bytes | None]:
        if sighting.fresh:
            return ABSENT, None
        path = sighting.path
        try:
            state, data = self._disk.load(path)
        except OutsideWorkspaceError as error:
            if error.path == path:
                raise
            state, data = ABSENT, None
        # The time is read after the bytes: were they changed in between, it would show.
        if isinstance(state, Absent):
            changed = sighting.copied and self._folder_changed_at(path) >= self._bases.turn_ns
        else:
            changed = not isinstance(state, DirectoryState) and self._disk.changed_at(path) >= self._bases.turn_ns
        return (UNSEEN, None) if changed else (state, data)

    def _folder_changed_at(self, path: str) -> int:
        """When names last came or went in the innermost folder of `path` that the disk has."""
        while path:
            path = path.rpartition("/")[0]
            if moment := self._disk.changed_at(path or ROOT):
                return moment
        return 0


def _make_layers(workspace: Path, folder: Path) -> None:
    for name in _LAYERS:
        atomic.make_directory(folder / name, mode=0o700)
    fd = os.open(folder / "upper", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # The root of the merged tree takes its mode from the upper layer.
        syscalls.chmod(fd, workspace.stat().st_mode & 0o7777)
    finally:
        os.close(fd)
