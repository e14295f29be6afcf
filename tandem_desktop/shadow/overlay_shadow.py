"""A shadow that costs the same for any workspace: an overlay, whose upper layer is the list of changes."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from tandem_desktop.domain.errors import OutsideWorkspaceError, ShadowError
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, NodeState
from tandem_desktop.domain.ports import ROOT
from tandem_desktop.shadow.bases import UNSEEN
from tandem_desktop.shadow.confinement import Sandbox, confinement
from tandem_desktop.shadow.holder import Holder
from tandem_desktop.shadow.overlay import hide_tandem, make_layers
from tandem_desktop.shadow.shadow_base import ShadowWorkspace
from tandem_desktop.shadow.sightings import Sighting
from tandem_desktop.shadow.tree import Tree
from tandem_desktop.shadow.upper_layer import UpperLayer, written_in
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

_LAYERS = ("upper", "work", "lower", "merged", "outside")


class OverlayShadow(ShadowWorkspace):
    """Mounted on a private folder by a holder process; never on the workspace itself.

    A mount on the workspace would vanish unnoticed when that folder is removed and made again, and the next command
    would work on the real one. Here it stays on the tree it was opened for.
    """

    def __init__(
        self,
        workspace: Workspace,
        folder: Path,
        objects: ObjectStore,
        masked: tuple[Path, ...],
        person_home: Path,
        outside: tuple[Path, ...] | None = None,
    ) -> None:
        with ExitStack() as undo:
            make_layers(workspace.path, folder, _LAYERS)
            if outside is not None:
                hide_tandem(folder / "upper")
            super().__init__(workspace, folder, objects)
            undo.callback(self._disk.close)
            self._holder = Holder(workspace.path, folder, outside)
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

    def written_outside(self) -> dict[Path, tuple[int, ...]]:
        return {
            place / path: signature
            for place, _, upper in self._holder.layered()
            for path, signature in written_in(upper)
        }

    def _joining(self) -> tuple[str, ...]:
        if not self._holder.is_alive:
            raise ShadowError(
                f"The shadow of {self.workspace} is gone; nothing was started.",
                path=str(self.workspace),
                next="Open it again.",
            )
        return self._holder.joining()

    def _stand_ins(self) -> Iterable[tuple[Path, Path]]:
        return ((place, shown) for place, shown, _ in self._holder.layered())

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
