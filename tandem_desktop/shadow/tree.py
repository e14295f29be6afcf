"""Reads and writes the agent's tree by descriptor."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from tandem_desktop.domain.errors import OutsideWorkspaceError, StorageError
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_DIRECTORY_MODE,
    NEW_FILE_MODE,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    SymlinkState,
)
from tandem_desktop.domain.paths import ancestors
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.workspace import MAX_FILE_BYTES, look_at

_PART_BYTES = 1 << 20
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Tree:
    """The tree below one open directory. Paths are relative and have been checked by the caller."""

    def __init__(self, root_fd: int, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self.root_fd = root_fd
        self._max_file_bytes = max_file_bytes

    def close(self) -> None:
        if self.root_fd >= 0:
            os.close(self.root_fd)
            self.root_fd = -1

    def load(self, path: str, *, keep: bool) -> tuple[NodeState, bytes | None]:
        """The state of `path` and, on request, the bytes of a file.

        Raises:
            OutsideWorkspaceError: a link or a file is in the way, or it is a special file.
            StorageError: it is too large or unreadable.
        """
        try:
            with self._parent(path) as (fd, name):
                return look_at(fd, name, path, keep=keep, max_bytes=self._max_file_bytes)
        except FileNotFoundError:
            return ABSENT, None

    def peek(self, path: str, *, keep: bool = False) -> tuple[NodeState, bytes | None]:
        """Like `load`, but a path below something that is no folder is absent."""
        try:
            return self.load(path, keep=keep)
        except OutsideWorkspaceError as error:
            if error.path == path:
                raise
            return ABSENT, None

    def children(self, path: str) -> tuple[str, ...]:
        try:
            with self._directory("" if path in ("", ".") else path) as fd:
                return tuple(sorted(os.listdir(fd)))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StorageError(
                f"{path} cannot be listed: {error.strerror}.", path=path, next="Check its permissions, then try again."
            ) from error

    def write(self, path: str, data: bytes, mode: int | None = None) -> None:
        """Write `data` to `path` atomically, with its parents; without `mode` an existing file keeps its own.

        Raises:
            OutsideWorkspaceError: a link or a folder is at `path`, or a link or a file above it.
        """
        self.make_parents(path)
        with self._replacing(path, self._mode_to_keep(path) if mode is None else mode) as fd:
            syscalls.write(fd, data)

    def write_from(self, path: str, source_fd: int, mode: int) -> None:
        """Copy an open file to `path`, sharing its blocks where the file system can."""
        self.make_parents(path)
        with self._replacing(path, mode) as fd:
            try:
                syscalls.clone(fd, source_fd)
            except OSError:
                while part := os.read(source_fd, _PART_BYTES):
                    syscalls.write(fd, part)

    def modified_ns(self, path: str) -> int | None:
        """When what is at `path` was last written; None where nothing is.

        Raises:
            OutsideWorkspaceError: a link or a file is above it.
        """
        try:
            with self._parent(path) as (fd, name):
                return os.stat(name, dir_fd=fd, follow_symlinks=False).st_mtime_ns
        except FileNotFoundError:
            return None

    def check_writable(self, path: str) -> None:
        """Raises OutsideWorkspaceError where a link or a folder is at `path`, or a link or a file above it."""
        self._mode_to_keep(path)

    def make_parents(self, path: str) -> None:
        for folder in ancestors(path):
            with self._parent(folder) as (fd, name):
                try:
                    syscalls.mkdir(name, fd, NEW_DIRECTORY_MODE)
                except FileExistsError:
                    continue

    def remove(self, path: str) -> None:
        """Remove `path` with everything in it; a missing path is ignored."""
        state = self.peek_loosely(path)
        if isinstance(state, Absent):
            return
        if isinstance(state, DirectoryState):
            for name in self.children(path):
                self.remove(f"{path}/{name}")
            with self._parent(path) as (fd, name):
                syscalls.rmdir(name, fd)
            return
        with self._parent(path) as (fd, name):
            syscalls.unlink(name, fd)

    def make(self, path: str, state: NodeState, data: bytes | None) -> None:
        """Bring `path` to `state`; a folder that must go stays while it is not empty."""
        current = self.peek_loosely(path)
        if current == state:
            return
        if isinstance(state, Absent):
            if isinstance(current, DirectoryState):
                self._remove_empty(path)
            else:
                self.remove(path)
            return
        if current is None or current.type != state.type or isinstance(state, SymlinkState):
            self.remove(path)
        self._make_anew(path, state, data)

    def peek_loosely(self, path: str) -> NodeState | None:
        """The state of `path`; None if it is no file, link or folder, or unreadable."""
        try:
            return self.peek(path)[0]
        except (OutsideWorkspaceError, StorageError):
            return None

    def _make_anew(self, path: str, state: NodeState, data: bytes | None) -> None:
        if isinstance(state, FileState):
            assert data is not None
            self.write(path, data, state.mode)
            return
        self.make_parents(path)
        with self._parent(path) as (fd, name):
            if isinstance(state, SymlinkState):
                syscalls.symlink(state.target, name, fd)
                return
            assert isinstance(state, DirectoryState)
            try:
                syscalls.mkdir(name, fd, 0o700)
            except FileExistsError:
                pass
        with self._directory(path) as fd:
            syscalls.chmod(fd, state.mode)

    def _remove_empty(self, path: str) -> None:
        with self._parent(path) as (fd, name):
            try:
                syscalls.rmdir(name, fd)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise

    @contextmanager
    def _replacing(self, path: str, mode: int) -> Iterator[int]:
        """Yields a new file that replaces `path` afterwards."""
        temporary = f".{secrets.token_hex(8)}.tmp"
        with self._parent(path) as (folder, name):
            fd = syscalls.create(temporary, folder)
            try:
                yield fd
                syscalls.chmod(fd, mode)
                syscalls.rename(temporary, name, folder, folder)
            except BaseException:
                syscalls.unlink(temporary, folder)
                raise
            finally:
                os.close(fd)

    def _mode_to_keep(self, path: str) -> int:
        state = self.load(path, keep=False)[0]
        if isinstance(state, FileState):
            return state.mode
        if isinstance(state, Absent):
            return NEW_FILE_MODE
        what = "a symbolic link" if isinstance(state, SymlinkState) else "a folder"
        raise OutsideWorkspaceError(
            f"{path} is {what}; Tandem does not write through it.", path=path, next="Name the real file instead."
        )

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        folder, _, name = path.rpartition("/")
        with self._directory(folder) as fd:
            yield fd, name

    @contextmanager
    def _directory(self, path: str) -> Iterator[int]:
        fd = os.dup(self.root_fd)
        try:
            walked = ""
            for name in path.split("/") if path else ():
                walked = f"{walked}/{name}" if walked else name
                below = _open_directory(fd, name, walked)
                os.close(fd)
                fd = below
            yield fd
        finally:
            os.close(fd)


def _open_directory(fd: int, name: str, path: str) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=fd)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OutsideWorkspaceError(
                f"{path} is no folder; Tandem does not go through it.", path=path, next="Name the real path instead."
            ) from None
        raise StorageError(
            f"{path} cannot be opened: {error.strerror}.", path=path, next="Check its permissions, then try again."
        ) from error
