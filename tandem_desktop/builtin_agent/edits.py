"""Makes edits after asking for permission."""

import asyncio
import contextlib
import os
import secrets
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tandem_desktop.domain.agent_protocol import (
    AgentUpdate,
    PermissionVerdict,
    ProposedDiff,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    ToolKind,
)
from tandem_desktop.domain.errors import StorageError, TandemError
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.domain.operations import NEW_FILE_MODE, Absent, DirectoryState, FileState
from tandem_desktop.domain.paths import ancestors, check_path, shown
from tandem_desktop.execution.commands import shell_argv
from tandem_desktop.processes.child import ProcessOutcome, run_child, scrubbed_environment
from tandem_desktop.recipes.recipe import ChangeMode, DeleteFile, Edit, MakeLink, MoveFile, WriteFile
from tandem_desktop.recipes.sources import SourceText
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.workspace import Workspace


class ClientPort(Protocol):
    """The other end of one conversation."""

    async def tell(self, update: AgentUpdate) -> None:
        """Say what happens."""

    async def ask(self, call: ToolCall) -> PermissionVerdict:
        """Ask before acting; whatever is not allowed is not done."""


Answer = TypeVar("Answer")


class AgentFiles:
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


MAX_SHOWN_BYTES = 1024 * 1024
MAX_SHOWN_FILES = 50


@dataclass(frozen=True, slots=True)
class Intent:
    """The use of a tool, before it is asked for."""

    id: str
    tool: str
    title: str
    arguments: dict[str, Any]


class EditExecutor:
    """Changes files and runs commands for one session, after asking."""

    def __init__(self, work: AgentFiles, client: ClientPort) -> None:
        self._work = work
        self._client = client

    async def make(self, intent: Intent, edits: Sequence[Edit]) -> bool:
        """Ask for `edits` as one act and make them; False when they were refused, and then none is made.

        Raises:
            StorageError: the disk refused one of them; those before it are made.
        """
        call = await self._work.at_work(lambda tree: _shown(intent, edits, tree))
        await self._client.tell(ToolCallChanged(call=call))
        if await self._client.ask(call) is not PermissionVerdict.ALLOW:
            await self._ended(call, ToolCallStatus.FAILED, "Refused; nothing was changed.")
            return False
        try:
            await self._work.make(edits)
        except TandemError as error:
            await self._ended(call, ToolCallStatus.FAILED, in_words(error))
            raise
        await self._ended(call, ToolCallStatus.COMPLETED, "")
        return True

    async def run(self, intent: Intent, command: str, cwd: str, timeout_s: float) -> ProcessOutcome | None:
        """Ask for a command and run it in `cwd`; None when it was refused."""
        folder = str(self._work.root / cwd) if cwd else str(self._work.root)
        call = ToolCall(
            id=ToolCallId(intent.id),
            tool=intent.tool,
            title=intent.title,
            kind=ToolKind.EXECUTE,
            arguments={**intent.arguments, "command": command, "cwd": folder},
            command=command,
            cwd=folder,
        )
        await self._client.tell(ToolCallChanged(call=call))
        if await self._client.ask(call) is not PermissionVerdict.ALLOW:
            await self._ended(call, ToolCallStatus.FAILED, "Not run.")
            return None
        outcome = await self._run(command, cwd, timeout_s)
        failed = outcome.exit_code != 0 or outcome.timed_out
        ended = replace(call, exit_code=outcome.exit_code)
        text = outcome.output.decode(errors="replace")
        await self._ended(ended, ToolCallStatus.FAILED if failed else ToolCallStatus.COMPLETED, text)
        return outcome

    async def _run(self, command: str, cwd: str, timeout_s: float) -> ProcessOutcome:
        stopped = threading.Event()
        try:
            return await asyncio.to_thread(
                run_child,
                shell_argv(command),
                cwd=self._work.root / cwd,
                environment=scrubbed_environment(),
                timeout_s=timeout_s,
                should_abort=stopped.is_set,
                on_output=lambda chunk: None,
            )
        finally:
            stopped.set()

    async def _ended(self, call: ToolCall, status: ToolCallStatus, output: str) -> None:
        await self._client.tell(ToolCallChanged(call=replace(call, status=status, output=output)))


def in_batches(edits: Iterable[Edit]) -> Iterator[tuple[Edit, ...]]:
    """`edits` in order, cut where the kind of act changes or one request would show too much."""
    batch: list[Edit] = []
    size = 0
    for edit in edits:
        weight = len(edit.data) if isinstance(edit, WriteFile) else 0
        is_full = len(batch) == MAX_SHOWN_FILES or size + weight > MAX_SHOWN_BYTES
        if batch and (is_full or _kind(batch) is not _kind((edit,))):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(edit)
        size += weight
    if batch:
        yield tuple(batch)


def _shown(intent: Intent, edits: Sequence[Edit], tree: Workspace) -> ToolCall:
    return ToolCall(
        id=ToolCallId(intent.id),
        tool=intent.tool,
        title=intent.title,
        kind=_kind(edits),
        arguments=intent.arguments,
        paths=tuple(path for edit in edits for path in _paths(edit)),
        diffs=tuple(_diffs(edits, tree)),
    )


def _kind(edits: Sequence[Edit]) -> ToolKind:
    if all(isinstance(edit, DeleteFile) for edit in edits):
        return ToolKind.DELETE
    if all(isinstance(edit, MoveFile) for edit in edits):
        return ToolKind.MOVE
    return ToolKind.EDIT


def _paths(edit: Edit) -> tuple[str, ...]:
    return (edit.path, edit.to) if isinstance(edit, MoveFile) else (edit.path,)


def _diffs(edits: Sequence[Edit], tree: Workspace) -> Iterator[ProposedDiff]:
    """What is shown of the edits, as long as there is room; the paths of all of them are told anyway."""
    room = 4 * MAX_SHOWN_BYTES
    for edit in edits:
        diff = _diff(edit, tree) if isinstance(edit, WriteFile) else None
        if diff is not None:
            room -= len(diff.old_text or "") + len(diff.new_text)
            if room < 0:
                return
            yield diff


def _diff(edit: WriteFile, tree: Workspace) -> ProposedDiff | None:
    """The whole file before and after, where both are text."""
    before = tree.peek(edit.path)[1]
    old, new = (_text(data) if data is not None else None for data in (before, edit.data))
    if new is None or (before is not None and old is None):
        return None
    return ProposedDiff(path=edit.path, old_text=old, new_text=new)


def _text(data: bytes) -> str | None:
    source = SourceText.of(data) if len(data) <= MAX_SHOWN_BYTES else None
    return None if source is None else data.decode(source.encoding)
