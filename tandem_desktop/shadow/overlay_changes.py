"""Reads changes from the upper layer of an overlay."""

import contextlib
import os
import stat
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path

from tandem_desktop.domain.errors import OperationError, OutsideWorkspaceError, StorageError
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, NodeState, PathChange
from tandem_desktop.shadow.tree import Tree
from tandem_desktop.shadow.workspace import Bases, ObservedPath
from tandem_desktop.storage.paths import TANDEM_DIRECTORY
from tandem_desktop.storage.workspace import MAX_EFFECT_BYTES, Workspace, look_at

Changed = tuple[PathChange, tuple[bytes, ...]]
"""A change and the bytes of its two sides."""

OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")
ORIGIN = ("trusted.overlay.origin", "user.overlay.origin")


class OverlayChanges:
    """Every path whose state differs from the lower tree, compared by content; Tandem's own folder is left out."""

    def __init__(self, upper: Path, lower: Workspace, since_ns: int) -> None:
        self._upper = upper
        self._lower = lower
        self._since_ns = since_ns

    def read(self) -> Iterator[Changed]:
        """The changes, one at a time.

        Raises:
            OperationError: someone changed the same path on disk since the overlay was opened, or it cannot be kept.
        """
        self._lower.forget_directories()
        yield from self._inside("", hidden=False)

    def _inside(self, folder: str, *, hidden: bool) -> Iterator[Changed]:
        """Changes in one folder; `hidden` says that the upper folder covers the lower one completely."""
        names = set()
        for entry in sorted(os.scandir(self._upper / folder), key=lambda found: found.name):
            path = f"{folder}/{entry.name}" if folder else entry.name
            names.add(entry.name)
            if path != TANDEM_DIRECTORY:
                yield from self._entry(path, entry.stat(follow_symlinks=False), hidden=hidden)
        if hidden:
            for name in self._lower.children(folder):
                if name not in names:
                    yield from self._removed(f"{folder}/{name}")

    def _entry(self, path: str, info: os.stat_result, *, hidden: bool) -> Iterator[Changed]:
        if stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
            yield from self._removed(path)
            return
        before, old = self._below(path)
        place = self._upper / path
        if stat.S_ISDIR(info.st_mode):
            after: NodeState = DirectoryState(mode=stat.S_IMODE(info.st_mode))
            if before != after:
                yield self._change(path, before, after, old)
            covered = isinstance(before, DirectoryState) and (hidden or marked(place, OPAQUE))
            yield from self._inside(path, hidden=covered)
            return
        if isinstance(before, DirectoryState):
            for name in self._lower.children(path):
                yield from self._removed(f"{path}/{name}")
        after, new = _leaf(place, path, info)
        if isinstance(before, Absent) and not hidden and self._was_deleted_meanwhile(path):
            raise _changed_meanwhile(path)
        if before != after:
            yield self._change(path, before, after, old, new)

    def _removed(self, path: str) -> Iterator[Changed]:
        before, old = self._below(path)
        if isinstance(before, DirectoryState):
            for name in self._lower.children(path):
                yield from self._removed(f"{path}/{name}")
        if not isinstance(before, Absent):
            yield self._change(path, before, ABSENT, old)

    def _below(self, path: str) -> tuple[NodeState, bytes | None]:
        state, data = self._lower.peek(path)
        if state is None:
            raise OperationError(
                f"The command replaced {path}, which cannot be read and so could not be brought back.",
                path=path,
                next="Leave that path alone, or run the command in place yourself.",
            )
        return state, data

    def _was_deleted_meanwhile(self, path: str) -> bool:
        """True for a copy of a lower file whose original is gone.

        Renamed by the command, unless its folder changed on disk.
        """
        folder = path.rpartition("/")[0]
        return marked(self._upper / path, ORIGIN) and self._lower.changed_at(folder or ".") >= self._since_ns

    def _change(self, path: str, before: NodeState, after: NodeState, *contents: bytes | None) -> Changed:
        # A folder's times change with its contents, which are checked separately.
        if not isinstance(before, DirectoryState) and self._lower.changed_at(path) >= self._since_ns:
            raise _changed_meanwhile(path)
        return PathChange(path=path, before=before, after=after), tuple(c for c in contents if c is not None)


def marked(place: Path, names: tuple[str, ...]) -> bool:
    """Whether the overlay left one of these marks on an upper node."""
    for name in names:
        with contextlib.suppress(OSError):
            if os.getxattr(place, name, follow_symlinks=False):
                return True
    return False


def _leaf(place: Path, path: str, info: os.stat_result) -> tuple[NodeState, bytes | None]:
    """What a command left at a path, as far as it can be kept."""
    if not stat.S_ISLNK(info.st_mode) and not stat.S_ISREG(info.st_mode):
        raise OperationError(
            f"The command left a special file at {path}, which cannot be kept.",
            path=path,
            next="Change the command so that it leaves only files, links and folders.",
        )
    folder = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return look_at(folder, place.name, path, keep=True, max_bytes=MAX_EFFECT_BYTES)
    except StorageError as refusal:
        raise OperationError(
            f"What the command left cannot be kept: {refusal.message}", path=path, next="Change the command."
        ) from refusal
    finally:
        os.close(folder)


def _changed_meanwhile(path: str) -> OperationError:
    return OperationError(
        f"{path} was changed on disk while the command ran and changed it too; it was left as it is.",
        path=path,
        next="Look at the file, then make the plan again.",
    )


class UpperLayer:
    """One scan of the upper layer.

    A folder on disk that the layer hides is covered; after the scan `covering` has all of them. What is on disk in a
    folder that was covered in an earlier scan, and was not there then, is a newcomer: the agent never saw it.
    """

    def __init__(
        self,
        upper: Path,
        tree: Tree,
        disk: Workspace,
        bases: Bases,
        refuse: Callable[[str, str], None],
        fold: Callable[[Iterable[tuple[str, bool]]], Container[str]],
    ) -> None:
        self._upper = upper
        self._tree = tree
        self._disk = disk
        self._bases = bases
        self._refuse = refuse
        self._fold = fold
        self.covering: set[str] = set()

    def read(self) -> Iterator[ObservedPath]:
        yield from self._inside("", hidden=False, known=False)

    def _inside(self, folder: str, *, hidden: bool, known: bool) -> Iterator[ObservedPath]:
        names = set()
        try:
            entries = sorted(os.scandir(self._upper / folder), key=lambda found: found.name)
        except FileNotFoundError:
            return  # gone since it was listed
        except OSError as error:
            self._refuse(folder, f"{folder} cannot be read: {error.strerror}.")
            return
        folded = self._fold((f"{folder}/{each.name}" if folder else each.name, is_folder(each)) for each in entries)
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            names.add(entry.name)
            if path in folded:
                yield ObservedPath(path, folded=True)
            elif path != TANDEM_DIRECTORY:
                try:
                    info = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    self._refuse(path, f"{path} cannot be read: {error.strerror}.")
                    continue
                yield from self._entry(path, info, hidden=hidden, known=known)
        if hidden:
            yield from self._hidden(folder, known=known, but=names)

    def _entry(self, path: str, info: os.stat_result, *, hidden: bool, known: bool) -> Iterator[ObservedPath]:
        place = self._upper / path
        below = self._disk.is_directory(path)
        if stat.S_ISDIR(info.st_mode):
            yield ObservedPath(path, copied=self._was_copied(path), fresh=known)
            covered = below and (hidden or marked(place, OPAQUE))
            if covered:
                self.covering.add(path)
            yield from self._inside(path, hidden=covered, known=known or self._is_known(path))
            if below and not covered and not marked(place, ORIGIN):
                # Created by the agent and later by the person too: they must not show as one file.
                try:
                    here = set(self._tree.children(path))
                except (OutsideWorkspaceError, StorageError) as refusal:
                    self._refuse(path, refusal.message)
                    return
                yield from self._hidden(path, known=True, but=here)
            return
        gone = stat.S_ISCHR(info.st_mode) and info.st_rdev == 0
        yield ObservedPath(path, copied=not gone and self._was_copied(path), fresh=known)
        if below:
            self.covering.add(path)
            yield from self._hidden(path, known=known or self._is_known(path), but=set())

    def _hidden(self, folder: str, *, known: bool, but: set[str]) -> Iterator[ObservedPath]:
        """The disk's content of a folder that the layer covers."""
        try:
            names = self._disk.children(folder)
        except (OutsideWorkspaceError, StorageError) as refusal:
            self._refuse(folder, refusal.message)
            return
        for name in names:
            path = f"{folder}/{name}"
            if name in but:
                continue
            yield ObservedPath(path, newcomer=known and path not in self._bases)
            if self._disk.is_directory(path):
                self.covering.add(path)
                yield from self._hidden(path, known=known or self._is_known(path), but=set())

    def _was_copied(self, path: str) -> bool:
        """Called only for new paths; the bases of the others are recorded."""
        return path not in self._bases and marked(self._upper / path, ORIGIN)

    def _is_known(self, path: str) -> bool:
        """True if the disk's content of a folder appeared after the agent had replaced it."""
        if path in self._bases.covers:
            return True
        return path in self._bases and not isinstance(self._bases[path], DirectoryState)


def is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # it changes while it is looked at
        return False


def written_in(upper: Path, folder: str = "") -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every file, link or removal in an upper layer, with stat signatures that show later changes."""
    try:
        entries = sorted(os.scandir(upper / folder), key=lambda found: found.name)
    except OSError:  # gone, or no folder any more
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISDIR(info.st_mode):
            yield from written_in(upper, path)
        else:
            yield path, (info.st_mode, info.st_size, info.st_mtime_ns, info.st_ino)
