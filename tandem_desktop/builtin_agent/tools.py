"""Tools of the built-in agent: search, read, edit."""

import re
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal

from pydantic import BaseModel

from tandem_desktop.builtin_agent.edits import AgentFiles, ClientPort, EditExecutor, Intent, in_words
from tandem_desktop.domain.agent_protocol import (
    AgentSaid,
    Todo,
    TodosChanged,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    ToolKind,
)
from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.domain.operations import Absent, FileState
from tandem_desktop.domain.paths import shown
from tandem_desktop.recipes.bounded_regex import BoundedRegex
from tandem_desktop.recipes.recipe import DeleteFile, Edit, Left, MoveFile, WriteFile, text_files
from tandem_desktop.recipes.sources import BrowsableTree, SourceSelection, SourceText, literal, walk
from tandem_desktop.storage.workspace import Workspace

MAX_LINES = 2_000
MAX_CHARACTERS = 200_000
MAX_NAMES = 500


def read_text(tree: BrowsableTree, path: str) -> SourceText:
    """The text of the file at `path`.

    Raises:
        BadInputError: nothing is there, or it is no text.
    """
    state = tree.state(path)
    if isinstance(state, Absent):
        raise BadInputError(f"{shown(path)} does not exist.", path=path, next="Look with list or glob.")
    if not isinstance(state, FileState):
        raise BadInputError(f"{shown(path)} is no file ({state.type}).", path=path, next="Use list for a folder.")
    source = SourceText.of(tree.read(path))
    if source is None:
        raise BadInputError(f"{shown(path)} is a binary file.", path=path, next="Leave it as it is.")
    return source


def read_lines(tree: BrowsableTree, path: str, first: int, count: int) -> str:
    """A stretch of a file, and how to go on when there is more."""
    lines = read_text(tree, path).text.split("\n")
    start = max(first, 1) - 1
    stretch = lines[start : start + min(max(count, 1), MAX_LINES)]
    text = "\n".join(stretch)[:MAX_CHARACTERS]
    end = start + len(stretch)
    if end < len(lines):
        text += f"\n[lines {start + 1} to {end} of {len(lines)}; go on with first={end + 1}]"
    return text


def list_folder(tree: BrowsableTree, folder: str) -> str:
    """The names in a folder, folders with a slash."""
    if folder and not tree.is_directory(folder):
        raise BadInputError(f"{shown(folder)} is no folder.", path=folder, next="Look with list in the folder above.")
    prefix = f"{folder}/" if folder else ""
    depth = prefix.count("/")
    names = [
        f"{path.removeprefix(prefix)}/" if is_folder else path.removeprefix(prefix)
        for path, is_folder in walk(tree, folder)
        if path.count("/") == depth
    ]
    return _names(names) or "The folder is empty."


def find_files(tree: BrowsableTree, pattern: str, folder: str) -> str:
    """The files that match a pattern written as in `.gitignore`."""
    found = list(islice(SourceSelection((pattern,)).paths(tree, folder), MAX_NAMES + 1))
    return _names(found) or f"No file matches {shown(pattern, 60)}."


def find_lines(tree: BrowsableTree, pattern: str, patterns: tuple[str, ...], *, ignores_case: bool) -> str:
    """The lines that match a regular expression, as `path:number:line`."""
    found: list[str] = []
    with BoundedRegex(pattern, None, int(re.IGNORECASE if ignores_case else 0)) as regex:
        for path, source in text_files(tree, SourceSelection(patterns), Left()):
            found += [f"{path}:{number}:{line}" for number, line in regex.matching_lines(source.text, path)]
            if len(found) > MAX_NAMES:
                break
    return _names(found) or f"No line matches {shown(pattern, 60)}."


def _names(names: list[str]) -> str:
    text = "\n".join(names[:MAX_NAMES])
    return f"{text}\n[more than {MAX_NAMES}; narrow the search]" if len(names) > MAX_NAMES else text


REFUSED = "The person refused this change; it was not made. Do not try it again in another way."
QUEUED = "Not run now: the command is queued for the plan. Go on with the next step; do not repeat it."
DEFAULT_TIMEOUT_S = 120
MAX_TIMEOUT_S = 600
MAX_OUTPUT = 30_000


class TodoItem(BaseModel):
    """One line of the list."""

    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"
    priority: Literal["high", "medium", "low"] = "medium"


class Tools:
    """What the model can do in one session. Everything that changes something is asked for first."""

    def __init__(self, work: AgentFiles, client: ClientPort) -> None:
        self._work = work
        self._client = client
        self._edit_executor = EditExecutor(work, client)

    async def read(self, call_id: str, path: str, first: int = 1, count: int = MAX_LINES) -> str:
        return await self._look(
            call_id,
            "read",
            ToolKind.READ,
            path,
            {"path": path},
            lambda tree: read_lines(tree, self._work.relative(path), first, count),
        )

    async def list(self, call_id: str, path: str = ".") -> str:
        return await self._look(
            call_id,
            "list",
            ToolKind.READ,
            path,
            {"path": path},
            lambda tree: list_folder(tree, self._work.folder(path)),
        )

    async def glob(self, call_id: str, pattern: str, path: str = ".") -> str:
        return await self._look(
            call_id,
            "glob",
            ToolKind.SEARCH,
            pattern,
            {"pattern": pattern, "path": path},
            lambda tree: find_files(tree, pattern, self._work.folder(path)),
        )

    async def grep(self, call_id: str, pattern: str, path: str = ".", ignore_case: bool = False) -> str:
        def find(tree: Workspace) -> str:
            folder = self._work.folder(path)
            return find_lines(tree, pattern, (literal(folder),) if folder else (), ignores_case=ignore_case)

        arguments = {"pattern": pattern, "path": path}
        return await self._look(call_id, "grep", ToolKind.SEARCH, pattern, arguments, find)

    async def write(self, call_id: str, path: str, content: str) -> str:
        def edit(tree: Workspace) -> Edit:
            name = self._work.relative(path)
            before = None if isinstance(tree.state(name), Absent) else SourceText.of(tree.read(name))
            data = None if before is None else before.encoded(content)
            return WriteFile(name, content.encode() if data is None else data, f"Write {shown(name)}")

        return await self._change(call_id, "write", {"path": path, "content": content}, edit)

    async def edit(self, call_id: str, path: str, old_string: str, new_string: str, replace_all: bool = False) -> str:
        def edit(tree: Workspace) -> Edit:
            name = self._work.relative(path)
            data = _edited(read_text(tree, name), name, old_string, new_string, replace_all=replace_all)
            return WriteFile(name, data, f"Edit {shown(name)}")

        arguments = {"path": path, "old_string": old_string, "new_string": new_string, "replace_all": replace_all}
        return await self._change(call_id, "edit", arguments, edit)

    async def delete(self, call_id: str, path: str) -> str:
        def edit(tree: Workspace) -> Edit:
            name = self._there(tree, path)
            return DeleteFile(name, f"Delete {shown(name)}")

        return await self._change(call_id, "delete", {"path": path}, edit)

    async def move(self, call_id: str, path: str, to: str) -> str:
        def edit(tree: Workspace) -> Edit:
            name, target = self._there(tree, path), self._work.relative(to)
            if not isinstance(tree.state(target), Absent):
                raise BadInputError(f"{shown(target)} is there already.", path=target, next="Choose a free path.")
            return MoveFile(name, target, f"Move {shown(name)} to {shown(target)}")

        return await self._change(call_id, "move", {"path": path, "to": to}, edit)

    async def bash(self, call_id: str, command: str, cwd: str = ".", timeout_s: int = DEFAULT_TIMEOUT_S) -> str:
        limit = min(max(timeout_s, 1), MAX_TIMEOUT_S)
        arguments = {"command": command, "timeout_s": limit}
        try:
            folder = self._work.folder(cwd)
            if folder and not await self._work.at_work(lambda tree: tree.is_directory(folder)):
                raise BadInputError(f"{shown(folder)} is no folder.", path=folder, next="Look with list.")
        except TandemError as error:
            return await self._failed(call_id, "bash", ToolKind.EXECUTE, arguments, error)
        outcome = await self._edit_executor.run(Intent(call_id, "bash", command, arguments), command, folder, limit)
        if outcome is None:
            return QUEUED
        ended = f"after {limit} s it was ended" if outcome.timed_out else f"exit code {outcome.exit_code}"
        return f"{_cut(outcome.output.decode(errors='replace'))}\n[{ended}]"

    async def todo(self, call_id: str, items: Sequence[TodoItem]) -> str:
        todos = tuple(Todo(content=item.content, status=item.status, priority=item.priority) for item in items)
        await self._client.tell(TodosChanged(todos=todos))
        return "The list is kept."

    async def present_plan(self, call_id: str, title: str, summary: str, steps: Sequence[str]) -> str:
        numbered = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
        await self._client.tell(AgentSaid(text=f"\n\nPLAN_CREATED\n\n# {title}\n\n{summary}\n\n{numbered}\n"))
        return "The plan was shown to the person. End your turn."

    async def _look(
        self,
        call_id: str,
        tool: str,
        kind: ToolKind,
        what: str,
        arguments: dict[str, Any],
        look: Callable[[Workspace], str],
    ) -> str:
        async def found() -> str:
            return await self._work.at_work(look)

        return await self.told(call_id, tool, kind, f"{tool} {shown(what, 80)}", arguments, found)

    async def told(
        self,
        call_id: str,
        tool: str,
        kind: ToolKind,
        title: str,
        arguments: dict[str, Any],
        act: Callable[[], Awaitable[str]],
    ) -> str:
        """Do what needs no permission, telling that it begins and how it ended."""
        call = ToolCall(id=ToolCallId(call_id), tool=tool, title=title, kind=kind, arguments=arguments)
        await self._client.tell(ToolCallChanged(call=call))
        try:
            answer, status = await act(), ToolCallStatus.COMPLETED
        except TandemError as error:
            answer, status = f"Error: {in_words(error)}", ToolCallStatus.FAILED
        await self._client.tell(ToolCallChanged(call=replace(call, status=status, output=_cut(answer))))
        return answer

    async def _change(
        self, call_id: str, tool: str, arguments: dict[str, Any], edit: Callable[[Workspace], Edit]
    ) -> str:
        try:
            change = await self._work.at_work(edit)
        except TandemError as error:
            return await self._failed(call_id, tool, ToolKind.EDIT, arguments, error)
        try:
            made = await self._edit_executor.make(Intent(call_id, tool, change.description, arguments), (change,))
        except TandemError as error:
            return f"Error: {in_words(error)}"
        return f"Done: {change.description}." if made else REFUSED

    async def _failed(
        self, call_id: str, tool: str, kind: ToolKind, arguments: dict[str, Any], error: TandemError
    ) -> str:
        async def fail() -> str:
            raise error

        return await self.told(call_id, tool, kind, tool, arguments, fail)

    def _there(self, tree: Workspace, path: str) -> str:
        name = self._work.relative(path)
        if isinstance(tree.state(name), Absent):
            raise BadInputError(f"{shown(name)} does not exist.", path=name, next="Look with list or glob.")
        return name


def new_call_id() -> str:
    """A name for a use of a tool that the model did not name."""
    return f"call_{uuid.uuid4().hex[:12]}"


def _edited(source: SourceText, path: str, old: str, new: str, *, replace_all: bool) -> bytes:
    if source.has_crlf:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    name = shown(path)
    count = source.text.count(old) if old else 0
    if not old or old == new:
        raise BadInputError("old_string is empty, or the same as new_string.", path=path, next="Say what to change.")
    if count == 0:
        raise BadInputError(f"old_string is not in {name}.", path=path, next="Read the file again and copy exactly.")
    if count > 1 and not replace_all:
        raise BadInputError(
            f"old_string is in {name} {count} times.", path=path, next="Give more text around it, or set replace_all."
        )
    data = source.encoded(source.text.replace(old, new))
    if data is None:
        raise BadInputError(
            f"{name} is written in {source.encoding}, which has no such characters.",
            path=path,
            next="Use characters the file's encoding has.",
        )
    return data


def _cut(text: str) -> str:
    if len(text) <= MAX_OUTPUT:
        return text
    half = MAX_OUTPUT // 2
    return f"{text[:half]}\n[… {len(text) - MAX_OUTPUT:,} characters left out …]\n{text[-half:]}"
