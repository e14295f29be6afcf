"""The scratch folder of a run, and the attributes of replaced files.

Prepared files are created in the scratch dir and then moved, so attributes that a folder hands to new files are set
explicitly. It is in `.tandem/tmp` of the workspace, on the same file system as every target, so that each publish and
each roll back is one rename, and no partial file is visible in the workspace.
"""

import base64
import contextlib
import os
import stat
import struct
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Set
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tandem_desktop.domain.errors import OperationError, OutsideWorkspaceError, StorageError
from tandem_desktop.domain.operations import DirectoryState, FileState, SymlinkState
from tandem_desktop.domain.paths import parent_of
from tandem_desktop.execution.steps import Action, Step
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import StatSignature, Workspace, is_settled, stat_signature

_ACCESS, _DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
_NO_ENTRIES = struct.pack("<I", 2)
"""An empty access list: setting it removes the existing one."""


class _Given(NamedTuple):
    group: int | None = None
    """None where it is the person's own."""
    access: bytes = b""


class Inheritance:
    """What each folder hands to files created in it; each is read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[str, _Given] = {}

    def of(self, step: Step) -> dict[str, Any]:
        """The metadata that the node of `step` would inherit in its target folder."""
        given = self._by(parent_of(step.path))
        metadata: dict[str, Any] = {}
        if given.group is not None:
            metadata["owner"] = [-1, given.group]
        if given.access:
            names = (_ACCESS, _DEFAULT) if isinstance(step.after, DirectoryState) else (_ACCESS,)
            metadata["xattrs"] = dict.fromkeys(names, base64.b64encode(given.access).decode())
        return metadata

    def _by(self, folder: str) -> _Given:
        if folder not in self._known:
            try:
                self._known[folder] = _given_by(self._workspace.directory(folder))
            except FileNotFoundError:
                # Created by the same run, with inherited attributes.
                self._known[folder] = self._by(parent_of(folder))
            except (OSError, OutsideWorkspaceError, StorageError):
                self._known[folder] = _Given()
        return self._known[folder]


def remove_defaults(folder_fd: int) -> None:
    """Remove inherited defaults from a folder."""
    given = _given_by(folder_fd)
    if given.access:
        syscalls.set_attribute(folder_fd, _DEFAULT, _NO_ENTRIES)
    if given.group is not None:
        syscalls.chmod(folder_fd, stat.S_IMODE(os.fstat(folder_fd).st_mode) & ~stat.S_ISGID)


def _given_by(folder_fd: int) -> _Given:
    info = os.fstat(folder_fd)
    is_shared = info.st_mode & stat.S_ISGID and info.st_gid != os.getegid()
    access = b""
    with contextlib.suppress(OSError, AttributeError):  # no access lists, or not supported
        access = os.getxattr(folder_fd, _DEFAULT)
    return _Given(info.st_gid if is_shared else None, access)


Metadata = dict[str, Any]
"""Owner and extended attributes of a node, as far as they differ from what a new file would get."""

_T = TypeVar("_T")

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_FEW = 16
"""Above this number of prepared files, syncing the whole file system is cheaper."""
_HANDS = 2
"""Threads that prepare after-images; publishing is always one thread in plan order."""
_SWEEPERS = 8
"""Threads that remove what a run replaced, where it is more than `_MANY_NODES`."""
_MANY_NODES = 64
_WORTH_A_THREAD = 64 * 1024
"""Minimum bytes per file for parallel preparation; small files contend in the kernel."""


class RunScratchDir:
    """A folder of numbered nodes, held by descriptor."""

    def __init__(self, folder: Path, workspace: Workspace, objects: ObjectStore) -> None:
        self.folder = folder
        self._workspace = workspace
        self.objects = objects
        self.at_hand = objects.at_hand
        self._signatures: dict[str, StatSignature] = {}
        self._synced_ns = 0
        self.is_for_many = False
        """True if the whole file system was synced, which includes the names."""
        self.fd = -1

    def open(self) -> None:
        """Make or reopen the folder.

        Raises:
            StorageError: it is not on the workspace's own file system.
        """
        atomic.make_directory(self.folder.parent)
        _let_benches_lie_apart(self.folder.parent)
        atomic.make_directory(self.folder)
        self.fd = os.open(self.folder, _FOLDER)
        if os.fstat(self.fd).st_dev != self._workspace.identity.device:
            self.close()
            raise StorageError(
                f"{self.folder} is not on the same file system as the workspace.",
                path=str(self.folder),
                next="Remove the link or mount at .tandem, then try again.",
            )
        remove_defaults(self.fd)

    def prepare(
        self, steps: tuple[Step, ...], metadata: dict[str, Metadata] | None, plain: Set[str] = frozenset()
    ) -> None:
        """Write every after-image; durable after the next `sync_all`.

        With `metadata`, files are restored with what they had; without it, new ones inherit from their folder. Replaced
        files in `plain` have no attributes to copy.

        Raises:
            OperationError: one could not be written; nothing of the workspace has changed.
        """
        origins = _Origins()
        inheritance = Inheritance(self._workspace)
        wanted: list[tuple[Step, Metadata]] = []
        for step in steps:
            if step.needs_preparation:
                kept = self._kept_metadata(step, origins.of(step.path), metadata, plain)
                wanted.append((step, inheritance.of(step) if kept is None else kept))
            origins.follow(step)
        few = len(wanted) <= _FEW

        def place(task: tuple[Step, Metadata]) -> None:
            try:
                self.place(*task, sync=few)
            except (OSError, StorageError) as error:
                raise _not_prepared(task[0], error) from error

        size = sum(step.after.size for step, _ in wanted if isinstance(step.after, FileState))
        if few or size < len(wanted) * _WORTH_A_THREAD:
            for task in wanted:
                place(task)
        else:
            _side_by_side(place, wanted)

    def place(self, step: Step, metadata: Metadata, *, sync: bool, name: str = "") -> None:
        """Write one after-image under the step's number, or another name, replacing a leftover."""
        name, after = name or step.name, step.after
        if isinstance(after, FileState):
            self._place_file(name, after, metadata, sync=sync)
        elif isinstance(after, SymlinkState):
            self._fresh(name, lambda: syscalls.symlink(after.target, name, self.fd))
        elif isinstance(after, DirectoryState):
            self.place_directory(name, after.mode, metadata, sync=sync)

    def replace(self, step: Step, metadata: Metadata) -> None:
        """Atomically replace the node under the step's number with another after-image."""
        part = f"{step.name}.part"
        self.place(step, metadata, sync=True, name=part)
        syscalls.rename(part, step.name, self.fd, self.fd)

    def place_directory(self, name: str, mode: int, metadata: Metadata, *, sync: bool) -> None:
        self._fresh(name, lambda: syscalls.mkdir(name, self.fd, mode=0o700))
        fd = os.open(name, _FOLDER, dir_fd=self.fd)
        try:
            _apply_metadata(fd, metadata)
            syscalls.chmod(fd, mode)
            if sync:
                syscalls.sync(fd)
        finally:
            os.close(fd)

    def sync_all(self, steps: tuple[Step, ...]) -> None:
        """Make the prepared nodes and their names durable."""
        with self.syncing(steps):
            pass

    @contextlib.contextmanager
    def syncing(self, steps: tuple[Step, ...]) -> Iterator[None]:
        """Make the prepared nodes and their names durable in the background of the block."""
        self.is_for_many = sum(step.needs_preparation for step in steps) > _FEW
        if self.is_for_many:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(1) as hand:
                synced = hand.submit(syscalls.sync_filesystem, self.fd)
                yield
                synced.result()
        else:
            yield
            syscalls.sync(self.fd)
        self._synced_ns = time.time_ns()

    def signature(self, step: Step) -> StatSignature | None:
        """The stat signature of a prepared file; None if a later change might leave it the same."""
        signature = self._signatures.get(step.name) if step.needs_preparation else None
        return signature if signature is not None and is_settled(signature, self._synced_ns) else None

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def discard(self) -> None:
        """Remove the folder and its contents; leftovers are removed by the next run."""
        self.close()
        sweep_folder(self.folder)

    def _kept_metadata(
        self, step: Step, origin: str | None, metadata: dict[str, Metadata] | None, plain: Set[str]
    ) -> Metadata | None:
        """Owner and attributes of the file that is replaced, or that comes back; None for one that was never there."""
        if metadata is not None and step.path in metadata:
            return metadata[step.path]
        if step.action is not Action.SWAP or origin is None:
            return None if metadata is None else {}
        if origin in plain:
            return {}
        try:
            return read_metadata(*self._workspace.parent(origin))
        except OSError as error:
            raise _not_prepared(step, error) from error

    def _place_file(self, name: str, after: FileState, metadata: Metadata, *, sync: bool) -> None:
        data = self.objects.read(after.sha256)
        mode = after.mode & 0o777
        try:
            fd = syscalls.create(name, self.fd, mode)
        except FileExistsError:
            remove_node(self.fd, name)
            fd = syscalls.create(name, self.fd, mode)
        try:
            syscalls.write(fd, data)
            if metadata:
                _apply_metadata(fd, metadata)
            info = os.fstat(fd)
            if stat.S_IMODE(info.st_mode) != after.mode:
                syscalls.chmod(fd, after.mode)
                info = os.fstat(fd)
            if sync:
                syscalls.sync(fd)
            self._signatures[name] = stat_signature(info)
        finally:
            os.close(fd)

    def _fresh(self, name: str, make: Callable[[], None]) -> None:
        try:
            make()
        except FileExistsError:
            remove_node(self.fd, name)
            make()


class _Origins:
    """The path on disk of a file before the segment runs; None if the segment creates it."""

    def __init__(self) -> None:
        self._moved: dict[str, str | None] = {}

    def of(self, path: str) -> str | None:
        return self._moved.get(path, path)

    def follow(self, step: Step) -> None:
        if step.action is Action.RENAME and step.to is not None:
            self._moved[step.to] = self.of(step.path)
        elif step.action is Action.PUT:
            self._moved[step.path] = None


def _let_benches_lie_apart(folder: Path) -> None:
    """Creating files gets slow after many deletions; ask for a fresh disk region for each scratch dir, if supported."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, _FOLDER)
        try:
            syscalls.spread(fd)
        finally:
            os.close(fd)


def read_metadata(dir_fd: int, name: str) -> Metadata:
    """Owner and extended attributes, where they differ from those of a new file."""
    metadata: Metadata = {}
    info = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    if (info.st_uid, info.st_gid) != (os.geteuid(), os.getegid()):
        metadata["owner"] = [info.st_uid, info.st_gid]
    if not stat.S_ISREG(info.st_mode) and not stat.S_ISDIR(info.st_mode):
        return metadata
    # By the directory's descriptor: attributes of a link's target are never read.
    place = f"/proc/self/fd/{dir_fd}/{name}"
    if names := _attribute_names(place):
        metadata["xattrs"] = {n: base64.b64encode(os.getxattr(place, n, follow_symlinks=False)).decode() for n in names}
    return metadata


def remove_node(dir_fd: int, name: str) -> None:
    info = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    if stat.S_ISDIR(info.st_mode):
        syscalls.rmdir(name, dir_fd)
    else:
        syscalls.unlink(name, dir_fd)


def sweep_folder(folder: Path) -> None:
    """Remove a scratch dir with its nodes; follows no links."""
    with contextlib.suppress(FileNotFoundError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            with os.scandir(fd) as found:
                nodes = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]

            def remove(node: tuple[str, bool]) -> None:
                with contextlib.suppress(FileNotFoundError):  # another process may be removing it too
                    (syscalls.rmdir if node[1] else syscalls.unlink)(node[0], fd)

            if len(nodes) > _MANY_NODES:
                # Each waits for the disk's own journal, all together not longer than one.
                _side_by_side(remove, nodes, _SWEEPERS)
            else:
                for node in nodes:
                    remove(node)
        finally:
            os.close(fd)
        syscalls.rmdir(str(folder))


def _side_by_side(do: Callable[[_T], None], tasks: list[_T], hands: int = _HANDS) -> None:
    """Run every task on several threads; a failure is raised when all have stopped."""

    def share(first: int) -> None:
        for task in tasks[first::hands]:
            do(task)

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(hands) as edit_executor:
        for done in [edit_executor.submit(share, first) for first in range(hands)]:
            done.result()


def _not_prepared(step: Step, error: OSError | StorageError) -> OperationError:
    reason = error.message if isinstance(error, StorageError) else f"{error.strerror}."
    return OperationError(
        f"{step.path} could not be prepared: {reason}",
        path=step.path,
        step=step.operation,
        next="Make room or mend the permissions, then apply again.",
    )


def _attribute_names(place: str) -> list[str]:
    try:
        return [
            name
            for name in os.listxattr(place, follow_symlinks=False)
            if not name.startswith(("security.", "trusted."))
        ]
    except OSError:
        return []


def _apply_metadata(fd: int, metadata: Metadata) -> None:
    if owner := metadata.get("owner"):
        # The user may not be in an inherited group; then the file keeps the user's own.
        with contextlib.suppress(PermissionError) if owner[0] < 0 else contextlib.nullcontext():
            syscalls.chown(fd, owner[0], owner[1])
    for name, value in metadata.get("xattrs", {}).items():
        syscalls.set_attribute(fd, name, base64.b64decode(value))


class LostAttributes:
    """Record, by step number, the attributes of each node that is removed or replaced.

    A replaced file hands them on to its successor, except those in `renewed`, which get their own.
    """

    def __init__(self, workspace: Workspace, scratch_dir: RunScratchDir, renewed: Collection[str]) -> None:
        self._workspace = workspace
        self._scratch_dir = scratch_dir
        self._renewed = renewed
        self._known: dict[int, Metadata] = {}

    def take_over(self, known: dict[int, Metadata]) -> None:
        """Restore the records of an interrupted run."""
        self._known = known

    def before(self, step: Step) -> None:
        """Read the attributes of a folder before it is removed; no node of it remains."""
        if step.action is Action.RMDIR:
            with contextlib.suppress(OSError):
                self._known[step.n] = read_metadata(*self._workspace.parent(step.path))

    def after(self, step: Step) -> None:
        """Read the attributes of a file after the step moved it into the scratch dir."""
        if self._rests(step):
            self._known[step.n] = read_metadata(self._scratch_dir.fd, step.name)

    def catch_up(self, steps: Iterable[Step]) -> None:
        """Read the attributes of nodes that were removed right before an interruption."""
        for step in steps:
            if step.n not in self._known:
                with contextlib.suppress(OSError):
                    self.after(step)

    def of(self, step: Step) -> Metadata:
        return self._known.get(step.n, {})

    def at_first(self, done: Iterable[Step]) -> dict[str, Metadata]:
        """Owner and attributes of files that these steps removed, or moved away, by the path they had before."""
        found: dict[str, Metadata] = {}
        origins = _Origins()
        for step in done:
            origin = origins.of(step.path)
            origins.follow(step)
            if origin is None or origin in found:
                continue
            if step.n in self._known:
                found[origin] = self._known[step.n]
            elif step.action is Action.RENAME and step.to is not None:
                with contextlib.suppress(OSError):
                    found[origin] = read_metadata(*self._workspace.parent(step.to))
        return found

    def packed(self) -> dict[str, Metadata]:
        """As stored in the journal."""
        return {str(n): metadata for n, metadata in self._known.items()}

    def _rests(self, step: Step) -> bool:
        is_gone = step.action is Action.REMOVE or (step.action is Action.SWAP and step.path in self._renewed)
        return is_gone and isinstance(step.before, FileState)
