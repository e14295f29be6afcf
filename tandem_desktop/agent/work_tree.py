"""The folder the agent works in: names confined to it, files written whole, no link followed."""

import asyncio
import contextlib
import os
import secrets
import stat
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from tandem_desktop.agent.edits import ChangeMode, DeleteFile, Edit, MakeLink, MoveFile, WriteFile
from tandem_desktop.domain.errors import StorageError, TandemError
from tandem_desktop.domain.operations import NEW_FILE_MODE, Absent, DirectoryState, FileState
from tandem_desktop.domain.paths import ancestors, check_path, shown
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.workspace import Workspace

Answer = TypeVar("Answer")


class WorkTree:
    """Reads and changes one folder. It is a shadow, so nothing here is made to survive a crash."""

    def __init__(self, root: Path) -> None:
        self._workspace = Workspace(root)
        self.root = self._workspace.path
        self._lock = threading.Lock()
        self._spellings = (f"{self.root}/", f"{str(root).rstrip('/')}/")

    def close(self) -> None:
        self._workspace.close()

    async def at_work(self, look: Callable[[Workspace], Answer]) -> Answer:
        """What `look` finds in the folder, on another thread; one at a time, also after a cancelled one."""

        def locked() -> Answer:
            with self._lock:
                return look(self._fresh())

        return await asyncio.to_thread(locked)

    async def make(self, edits: Iterable[Edit]) -> None:
        """Make changes, in order; raises as `carry_out` does, and then those before the refused one are made."""

        def locked() -> None:
            with self._lock:
                for edit in edits:
                    self.carry_out(edit)

        await asyncio.to_thread(locked)

    def relative(self, path: str) -> str:
        """The path inside the folder that was meant, relative or absolute.

        Raises:
            OutsideWorkspaceError: it leads elsewhere, or nowhere an agent may go.
        """
        root = next((spelling for spelling in self._spellings if path.startswith(spelling)), "")
        return check_path(path.removeprefix(root))

    def folder(self, path: str) -> str:
        """As `relative`, for a folder; empty text is the folder itself."""
        path = path.rstrip("/")
        return "" if path in ("", ".") or f"{path}/" in self._spellings else self.relative(path)

    def carry_out(self, edit: Edit) -> None:
        """Make one change.

        Raises:
            StorageError: the disk refused.
            OutsideWorkspaceError: something in the way leads elsewhere.
        """
        try:
            match edit:
                case WriteFile(path, data, _, mode):
                    self._write(path, data, mode)
                case DeleteFile(path):
                    self._delete(path)
                case MoveFile(path, to):
                    self._move(path, to)
                case ChangeMode(path, mode):
                    self._change_mode(path, mode)
                case MakeLink(path, target):
                    folder_fd, name = self._parent(path)
                    syscalls.symlink(target, name, folder_fd)
        except OSError as error:
            raise StorageError(
                f"{shown(edit.path)} could not be changed: {error.strerror}.",
                path=edit.path,
                next="Look at what is there, then try again.",
            ) from error

    def _fresh(self) -> Workspace:
        """The folder to look at; descriptors of folders that a command may have replaced are dropped first."""
        self._workspace.forget_directories()
        return self._workspace

    def _write(self, path: str, data: bytes, mode: int | None) -> None:
        before = self._fresh().state(path)
        if not isinstance(before, Absent | FileState):
            raise StorageError(f"{shown(path)} is no file ({before.type}).", path=path, next="Choose another path.")
        kept = before.mode if isinstance(before, FileState) else NEW_FILE_MODE
        folder_fd, name = self._parent(path)
        temporary = f".{secrets.token_hex(8)}.tmp"
        fd = syscalls.create(temporary, folder_fd)
        try:
            syscalls.write(fd, data)
            syscalls.chmod(fd, kept if mode is None else mode)
            syscalls.rename(temporary, name, folder_fd, folder_fd)
        except BaseException:
            with contextlib.suppress(OSError):
                syscalls.unlink(temporary, folder_fd)
            raise
        finally:
            os.close(fd)

    def _delete(self, path: str) -> None:
        tree = self._fresh()
        if not tree.is_directory(path):
            folder_fd, name = tree.parent(path)
            syscalls.unlink(name, folder_fd)
            return
        for child in tree.children(path):
            self._delete(f"{path}/{child}")
        tree.forget_directory(path)
        folder_fd, name = self._fresh().parent(path)
        syscalls.rmdir(name, folder_fd)

    def _move(self, path: str, to: str) -> None:
        self._make_folders(to)
        tree = self._fresh()
        source_fd, source = tree.parent(path)
        target_fd, target = tree.parent(to)
        syscalls.rename_new(source, target, source_fd, target_fd)

    def _change_mode(self, path: str, mode: int) -> None:
        folder_fd, name = self._fresh().parent(path)
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder_fd)
        try:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                syscalls.chmod(fd, mode)
        finally:
            os.close(fd)

    def _parent(self, path: str) -> tuple[int, str]:
        self._make_folders(path)
        return self._fresh().parent(path)

    def _make_folders(self, path: str) -> None:
        tree = self._fresh()
        for folder in ancestors(path):
            state = tree.state(folder)
            if isinstance(state, Absent):
                folder_fd, name = tree.parent(folder)
                syscalls.mkdir(name, folder_fd)
            elif not isinstance(state, DirectoryState):
                raise StorageError(
                    f"{shown(folder)} is no folder ({state.type}).", path=folder, next="Choose another path."
                )


def in_words(error: TandemError) -> str:
    """An error as one text for a person or a model: what happened, and what to do next."""
    return f"{error.message} {error.next}".strip()
