"""How the agent acts: it shows what it is about to do, asks, and does it only when allowed."""

import asyncio
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tandem_desktop.agent.client_port import ClientPort
from tandem_desktop.agent.edits import DeleteFile, Edit, MoveFile, WriteFile
from tandem_desktop.agent.source_text import SourceText
from tandem_desktop.agent.work_tree import WorkTree, in_words
from tandem_desktop.domain.agents import ProposedDiff, ToolCall, ToolCallChanged, ToolCallStatus, ToolKind, Verdict
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.execution.commands import shell_argv
from tandem_desktop.processes.child import Outcome, run_child, scrubbed_environment
from tandem_desktop.storage.workspace import Workspace

MAX_SHOWN_BYTES = 1024 * 1024
MAX_SHOWN_FILES = 50


@dataclass(frozen=True, slots=True)
class Intent:
    """The use of a tool, before it is asked for."""

    id: str
    tool: str
    title: str
    arguments: dict[str, Any]


class Hands:
    """Changes files and runs commands for one session, after asking."""

    def __init__(self, work: WorkTree, client: ClientPort) -> None:
        self._work = work
        self._client = client

    async def make(self, intent: Intent, edits: Sequence[Edit]) -> bool:
        """Ask for `edits` as one act and make them; False when they were refused, and then none is made.

        Raises:
            StorageError: the disk refused one of them; those before it are made.
        """
        call = await self._work.at_work(lambda tree: _shown(intent, edits, tree))
        await self._client.tell(ToolCallChanged(call=call))
        if await self._client.ask(call) is not Verdict.ALLOW:
            await self._ended(call, ToolCallStatus.FAILED, "Refused; nothing was changed.")
            return False
        try:
            await self._work.make(edits)
        except TandemError as error:
            await self._ended(call, ToolCallStatus.FAILED, in_words(error))
            raise
        await self._ended(call, ToolCallStatus.COMPLETED, "")
        return True

    async def run(self, intent: Intent, command: str, cwd: str, timeout_s: float) -> Outcome | None:
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
        if await self._client.ask(call) is not Verdict.ALLOW:
            await self._ended(call, ToolCallStatus.FAILED, "Not run.")
            return None
        outcome = await self._run(command, cwd, timeout_s)
        failed = outcome.exit_code != 0 or outcome.timed_out
        await self._ended(
            call, ToolCallStatus.FAILED if failed else ToolCallStatus.COMPLETED, outcome.output.decode(errors="replace")
        )
        return outcome

    async def _run(self, command: str, cwd: str, timeout_s: float) -> Outcome:
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
