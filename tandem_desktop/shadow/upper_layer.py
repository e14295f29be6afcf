"""The upper layer of an overlay as a list of paths to look at; what is there is read through the mount."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from tandem_desktop.domain.errors import StorageError
from tandem_desktop.domain.operations import DirectoryState
from tandem_desktop.shadow.bases import Bases
from tandem_desktop.shadow.overlay_changes import OPAQUE, ORIGIN, marked
from tandem_desktop.shadow.sightings import Sighting
from tandem_desktop.shadow.tree import Tree
from tandem_desktop.storage.locations import TANDEM_DIRECTORY
from tandem_desktop.storage.workspace import Workspace


class UpperLayer:
    """One look at the upper layer.

    A folder on disk that the layer hides is covered; after the look `covering` has all of them. What is on disk in one
    that was covered at an earlier look, and was not there then, is a newcomer: the agent never saw it.
    """

    def __init__(
        self, upper: Path, tree: Tree, disk: Workspace, bases: Bases, refuse: Callable[[str, str], None]
    ) -> None:
        self._upper = upper
        self._tree = tree
        self._disk = disk
        self._bases = bases
        self._refuse = refuse
        self.covering: set[str] = set()

    def read(self) -> Iterator[Sighting]:
        yield from self._inside("", hidden=False, known=False)

    def _inside(self, folder: str, *, hidden: bool, known: bool) -> Iterator[Sighting]:
        names = set()
        try:
            entries = sorted(os.scandir(self._upper / folder), key=lambda found: found.name)
        except OSError as error:
            self._refuse(folder, f"{folder} cannot be read: {error.strerror}.")
            return
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            names.add(entry.name)
            if path != TANDEM_DIRECTORY:
                try:
                    info = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                yield from self._entry(path, info, hidden=hidden, known=known)
        if hidden:
            yield from self._hidden(folder, known=known, but=names)

    def _entry(self, path: str, info: os.stat_result, *, hidden: bool, known: bool) -> Iterator[Sighting]:
        place = self._upper / path
        below = self._disk.is_directory(path)
        if stat.S_ISDIR(info.st_mode):
            yield Sighting(path, copied=self._was_copied(path), fresh=known)
            covered = below and (hidden or marked(place, OPAQUE))
            if covered:
                self.covering.add(path)
            yield from self._inside(path, hidden=covered, known=known or self._is_known(path))
            if below and not covered and not marked(place, ORIGIN):
                # The agent made it where nothing was, and so did the person since: the two may not show as one.
                yield from self._hidden(path, known=True, but=set(self._tree.children(path)))
            return
        gone = stat.S_ISCHR(info.st_mode) and info.st_rdev == 0
        yield Sighting(path, copied=not gone and self._was_copied(path), fresh=known)
        if below:
            self.covering.add(path)
            yield from self._hidden(path, known=known or self._is_known(path), but=set())

    def _hidden(self, folder: str, *, known: bool, but: set[str]) -> Iterator[Sighting]:
        """What the disk has in a folder that the layer covers."""
        try:
            names = self._disk.children(folder)
        except StorageError as refusal:
            self._refuse(folder, refusal.message)
            return
        for name in names:
            path = f"{folder}/{name}"
            if name in but:
                continue
            yield Sighting(path, newcomer=known and path not in self._bases)
            if self._disk.is_directory(path):
                self.covering.add(path)
                yield from self._hidden(path, known=known or self._is_known(path), but=set())

    def _was_copied(self, path: str) -> bool:
        """Asked only for what is new: of the rest it is known what the agent saw."""
        return path not in self._bases and marked(self._upper / path, ORIGIN)

    def _is_known(self, path: str) -> bool:
        """Whether what the disk has in a folder by now came after the agent had taken its place."""
        if path in self._bases.covers:
            return True
        return path in self._bases and not isinstance(self._bases[path], DirectoryState)


def written_in(upper: Path, folder: str = "") -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every file, link or removal in an upper layer, with marks by which a later change of it shows."""
    with os.scandir(upper / folder) as entries:
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            info = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(info.st_mode):
                yield from written_in(upper, path)
            else:
                yield path, (info.st_mode, info.st_size, info.st_mtime_ns, info.st_ino)
