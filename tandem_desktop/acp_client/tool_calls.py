"""Merges the updates of a tool call.

Read by hand and not by the library's models: an agent may send thousands of these at once, each is read twice as fast,
and what cannot be read is left out in the same way.
"""

import posixpath
import re
import shlex
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from tandem_desktop.acp_client.connection import SidecarLimits
from tandem_desktop.domain.agent_protocol import ProposedDiff, ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.domain.patterns import lazy_pattern

_KINDS = {kind.value: kind for kind in ToolKind}
_STATUSES = {status.value: status for status in ToolCallStatus}
_ENDED = (ToolCallStatus.COMPLETED, ToolCallStatus.FAILED)


class SaidDiff(NamedTuple):
    """A change in the agent's words, its path as the agent writes it."""

    path: str
    old_text: str | None
    new_text: str


class ToolCallUpdate(NamedTuple):
    """What one message says; None and empty where it says nothing."""

    tool_call_id: str
    title: str | None
    kind: ToolKind | None
    status: ToolCallStatus | None
    diffs: tuple[SaidDiff, ...]
    texts: tuple[str, ...]
    paths: tuple[str, ...]
    raw_input: Any
    raw_output: Any
    meta: Any


def read_tool_call(value: Any) -> ToolCallUpdate | None:
    """What is said of a tool call, or None when not even its id is."""
    if not isinstance(value, dict):
        return None
    say = value.get
    number, title, kind, status = say("toolCallId"), say("title"), say("kind"), say("status")
    if not isinstance(number, str):
        return None
    diffs, texts = _content(say("content"))
    return ToolCallUpdate(
        number,
        title if isinstance(title, str) else None,
        _KINDS.get(kind) if isinstance(kind, str) else None,
        _STATUSES.get(status) if isinstance(status, str) else None,
        diffs,
        texts,
        _paths(say("locations")),
        say("rawInput"),
        say("rawOutput"),
        say("_meta"),
    )


def _content(parts: Any) -> tuple[tuple[SaidDiff, ...], tuple[str, ...]]:
    """The diffs and the texts among the parts of a content."""
    if not isinstance(parts, list) or not parts:
        return (), ()
    diffs: list[SaidDiff] = []
    texts: list[str] = []
    for part in parts:
        match part:
            case {"type": "diff", "path": str(path), "newText": str(new_text)}:
                old_text = part.get("oldText")
                if old_text is None or isinstance(old_text, str):
                    diffs.append(SaidDiff(path, old_text, new_text))
            case {"type": "content", "content": {"type": "text", "text": str(text)}}:
                texts.append(text)
    return tuple(diffs), tuple(texts)


def _paths(locations: Any) -> tuple[str, ...]:
    if not isinstance(locations, list):
        return ()
    return tuple(
        [place["path"] for place in locations if isinstance(place, dict) and isinstance(place.get("path"), str)]
    )


class WorkspacePaths:
    """Turns an agent's paths into ours. The workspace is the path the agent sees, inside its sandbox."""

    def __init__(self, workspace: str) -> None:
        self.workspace = posixpath.normpath(workspace)
        self._prefix = self.workspace.rstrip("/") + "/"
        # Each path comes in several messages.
        self.inside = lru_cache(maxsize=4096)(self._inside)

    def _inside(self, path: str) -> str | None:
        """`path` relative to the workspace, `.` for the workspace itself; None when it lies outside or is no path."""
        if not path or "\0" in path:
            return None
        # Only the text counts here; that no link leads out is seen to where the file is opened.
        whole = posixpath.normpath(posixpath.join(self.workspace, path))
        if whole == self.workspace:
            return "."
        return whole[len(self._prefix) :] if whole.startswith(self._prefix) else None

    def shown(self, path: str) -> str:
        """`path` relative to the workspace where inside it; as the agent wrote it otherwise."""
        inside = self.inside(path)
        return path if inside is None else inside


_BLANK = ToolCall(id=ToolCallId(""))
_MOST_ARGUMENTS = 64
_SIZED = (str, list, dict)
_BARE_NAME = lazy_pattern(r"([A-Za-z][\w.-]*)\Z")
_PREFIXED_NAME = lazy_pattern(r"([A-Za-z][\w.-]*)(?:\Z|: )")
_COMMAND_KEYS = ("command", "cmd")
_ANNOUNCED = lazy_pattern(r"\b(?:Running|Run|Executing|Execute):\s*(.+)")
_TITLE_SUFFIX = lazy_pattern(r"\s\[(?:current working directory|in) [^\]]*\](?:\s*\(.*\))?\s*$", re.DOTALL)
"""What Gemini adds to a command in a title."""
_EXIT_LINES = 8
_EXIT_KEYS = ("exit_code", "exitCode", "exit")
_EXIT_LINE = lazy_pattern(
    r"^(?:[\u2705\u274c] )?"
    r"(?:\(?exit|Exit|Command failed with exit|\[Command exited with|\*\*Status:\*\* Command \w+ with exit) "
    r"[Cc]ode:? (-?\d{1,5})\b",
    re.MULTILINE,
)
"""The line in which Claude, Gemini, Qwen, Kimi, Deep Agents, Cline and OpenHands tell it in the text."""
_LAST_LINE = lazy_pattern(r"^Command exited with code (\d{1,5})\s*\Z", re.MULTILINE)
"""What Pi adds to the output of a command that fails; in its field every such code is 1."""
_CWD_KEYS = ("cwd", "workdir", "working_directory", "directory")
_PATH_KEYS = ("path", "file_path", "filePath", "filepath", "absolute_path", "notebook_path")
_FRAGMENT_KEYS = (("before", "after"), ("old_string", "new_string"), ("oldString", "newString"), ("old_str", "new_str"))
_PATCH = "*** Begin Patch"
_PATCHED = lazy_pattern(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?) *$", re.MULTILINE)
_CONTENT_KEYS = ("content", "file_text")
_EDITOR_VERBS = {"view": ToolKind.READ} | dict.fromkeys(
    ("write", "create", "insert", "str_replace", "undo_edit"), ToolKind.EDIT
)
"""Some editors take `command` for the name of what they do, next to a path."""
_KINDS_BY_NAME = {
    **dict.fromkeys(("read", "read_file", "view", "ls", "tree"), ToolKind.READ),
    **dict.fromkeys(("write", "edit", "write_file", "edit_file", "patch", "multiedit"), ToolKind.EDIT),
    **dict.fromkeys(("grep", "glob", "search"), ToolKind.SEARCH),
    **dict.fromkeys(("shell", "bash"), ToolKind.EXECUTE),
}


@dataclass(slots=True)
class _ToolCallRecord:
    call: ToolCall
    name: str = ""
    weight: int = 0
    diffs_said: bool = False
    """The agent showed a diff; otherwise it is put together from the arguments."""
    diffs_asked: bool = False
    """The diff is the one permission was asked for; what comes later may be shortened."""


class ToolCalls:
    """The tool calls of one session, by id."""

    def __init__(
        self,
        paths: WorkspacePaths,
        limits: SidecarLimits,
        servers: tuple[str, ...] = (),
        *,
        titles_name_tools: bool = False,
    ) -> None:
        self._paths = paths
        self._limits = limits
        self._name_in_title = _PREFIXED_NAME if titles_name_tools else _BARE_NAME
        self._prefixes = tuple(
            prefix for name in servers for prefix in (f"mcp__{name}__", f"{name}__", f"{name}_", f"{name}: ")
        )
        self._records: OrderedDict[str, _ToolCallRecord] = OrderedDict()
        self._weight = 0

    def told(self, update: ToolCallUpdate) -> ToolCall:
        """An update came."""
        return self._merge(update, asked=False)

    def asked(self, update: ToolCallUpdate) -> ToolCall:
        """A permission request came; one of an unknown id and no kind is about the open call that it repeats."""
        if update.tool_call_id not in self._records and update.kind is None:
            update = update._replace(tool_call_id=self._repeated(update) or update.tool_call_id)
        return self._merge(update, asked=True)

    def _repeated(self, update: ToolCallUpdate) -> str | None:
        """The open call of the same title or arguments: Deep Agents gives its request an id of its own."""
        arguments = _merged({}, update.raw_input)
        for number, record in self._records.items():
            call = record.call
            is_open = call.status not in _ENDED and not call.asked
            if is_open and ((call.title and call.title == update.title) or (arguments and call.arguments == arguments)):
                return number
        return None

    def _merge(self, update: ToolCallUpdate, *, asked: bool) -> ToolCall:
        number = update.tool_call_id
        record = self._records.get(number)
        if record is None:
            record = self._records[number] = _ToolCallRecord(_BLANK)
        before = record.call
        arguments = _merged(before.arguments, update.raw_input)
        path = _text(arguments, _PATH_KEYS)
        name = self._name(record, update)
        command = _command(arguments) or before.command or (_said_command(update) if asked else None)
        diffs = self._diffs(record, update, arguments, path, asked=asked)
        kind = _kind(update.kind or before.kind, name, path, command)
        runs = kind is ToolKind.EXECUTE
        record.call = ToolCall(
            id=ToolCallId(number),
            tool=name or _likely_name(kind, diffs),
            title=update.title if update.title is not None else before.title,
            kind=kind,
            status=update.status or before.status,
            arguments=arguments,
            paths=self._found_paths(before, update, path, diffs, runs=runs),
            diffs=diffs,
            command=command if runs else None,
            cwd=self._cwd(arguments) if runs else None,
            output=before.output if asked else self._output(before, update),
            exit_code=_exit_code(update) if runs and update.status in _ENDED else before.exit_code,
            asked=asked or before.asked,
        )
        self._weigh(record)
        return record.call

    def _weigh(self, record: _ToolCallRecord) -> None:
        """Forget the oldest calls when they are too many or too long; calls that were passed on are not affected."""
        weight = _weight(record.call)
        self._weight += weight - record.weight
        record.weight = weight
        while len(self._records) > self._limits.tool_calls or (
            self._weight > self._limits.tool_call_characters and len(self._records) > 1
        ):
            self._weight -= self._records.popitem(last=False)[1].weight

    def _name(self, record: _ToolCallRecord, update: ToolCallUpdate) -> str:
        name = _named(update.meta)
        if not name and not record.name and update.title and (said := self._name_in_title.match(update.title)):
            name = said[1]
        if name:
            found = next((prefix for prefix in self._prefixes if name.startswith(prefix)), "")
            record.name = name.removeprefix(found)
        return record.name

    def _diffs(
        self,
        record: _ToolCallRecord,
        update: ToolCallUpdate,
        arguments: dict[str, Any],
        path: str | None,
        *,
        asked: bool,
    ) -> tuple[ProposedDiff, ...]:
        if update.diffs:
            if record.diffs_asked and not asked:
                return record.call.diffs
            record.diffs_said = True
            record.diffs_asked = record.diffs_asked or asked
            return tuple(
                [
                    ProposedDiff(path=self._paths.shown(path), old_text=old_text, new_text=new_text)
                    for path, old_text, new_text in update.diffs
                ]
            )
        if record.diffs_said:
            return record.call.diffs
        return () if path is None else self._diffs_of(arguments, path)

    def _diffs_of(self, arguments: dict[str, Any], path: str) -> tuple[ProposedDiff, ...]:
        for old, new in _FRAGMENT_KEYS:
            if isinstance(arguments.get(old), str) and isinstance(arguments.get(new), str):
                return (ProposedDiff(path=self._paths.shown(path), old_text=arguments[old], new_text=arguments[new]),)
        content = _text(arguments, _CONTENT_KEYS)
        return () if content is None else (ProposedDiff(path=self._paths.shown(path), old_text=None, new_text=content),)

    def _found_paths(
        self,
        before: ToolCall,
        update: ToolCallUpdate,
        named: str | None,
        diffs: tuple[ProposedDiff, ...],
        *,
        runs: bool,
    ) -> tuple[str, ...]:
        found = dict.fromkeys(before.paths)
        for path in (*update.paths, *_patched(update.raw_input)):
            found[self._paths.shown(path)] = None
        for diff in diffs:
            found[diff.path] = None
        if named is not None:
            found[self._paths.shown(named)] = None
        if runs:
            # Where a command runs is not what it touches.
            found.pop(".", None)
        return tuple(found)[:_MOST_ARGUMENTS]

    def _cwd(self, arguments: dict[str, Any]) -> str | None:
        cwd = _text(arguments, _CWD_KEYS)
        return None if cwd is None else self._paths.shown(cwd)

    def _output(self, before: ToolCall, update: ToolCallUpdate) -> str:
        text = "\n".join(update.texts) or _raw_output(update.raw_output) or before.output + _more_output(update.meta)
        return text[-self._limits.output_characters :]


def _weight(call: ToolCall) -> int:
    """About how many characters a call holds."""
    weight = len(call.output)
    for value in call.arguments.values():
        if isinstance(value, _SIZED):
            weight += len(value)
    for diff in call.diffs:
        weight += len(diff.new_text) + len(diff.old_text or "")
    return weight


def _merged(known: dict[str, Any], said: Any) -> dict[str, Any]:
    if not isinstance(said, dict) or not said:
        return known
    if not known and len(said) <= _MOST_ARGUMENTS:
        return said
    merged = {**known, **said}
    return merged if len(merged) <= _MOST_ARGUMENTS else dict(said)


def _kind(said: ToolKind, tool: str, path: str | None, command: str | None) -> ToolKind:
    """What the call is about: a command is a command, whatever it is called."""
    if command is not None:
        is_verb = path is not None and command in _EDITOR_VERBS
        return _EDITOR_VERBS[command] if is_verb else ToolKind.EXECUTE
    return _KINDS_BY_NAME.get(tool.lower(), said) if said is ToolKind.OTHER else said


def _likely_name(kind: ToolKind, diffs: tuple[ProposedDiff, ...]) -> str:
    """What an agent that does not name its tools most likely used."""
    if kind is ToolKind.EXECUTE:
        return "bash"
    if kind is ToolKind.EDIT:
        return "write" if diffs and not diffs[0].old_text else "edit"
    return "" if kind is ToolKind.OTHER else kind.value


def _command(arguments: dict[str, Any]) -> str | None:
    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return shlex.join(value)
    lines = arguments.get("commands")
    if isinstance(lines, list) and lines and all(isinstance(line, str) and line.strip() for line in lines):
        return "\n".join(lines)
    return None


def _patched(arguments: Any) -> list[str]:
    """The files of a patch in the form of `apply_patch`."""
    texts = arguments.values() if isinstance(arguments, dict) else ()
    patch = next((each for each in texts if isinstance(each, str) and each.startswith(_PATCH)), "")
    return _PATCHED.findall(patch)


def _said_command(update: ToolCallUpdate) -> str | None:
    """The command in the title or the text of a request that carries no arguments, as Gemini and Kimi ask."""
    if update.kind is not ToolKind.EXECUTE:
        return None
    for text in update.texts:
        if (found := _ANNOUNCED.search(text)) is not None:
            return found[1].strip().strip("`") or None
    title = _TITLE_SUFFIX.sub("", update.title or "").strip()
    return title.strip("`") or None


def _text(arguments: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = arguments.get(key)
        if value and isinstance(value, str):
            return value
    return None


def _named(meta: Any) -> str:
    """The tool's name from where the agents put it."""
    if not isinstance(meta, dict):
        return ""
    inner = meta.get("goose")
    for place in (meta, meta.get("claudeCode"), inner.get("toolCall") if isinstance(inner, dict) else None):
        if isinstance(place, dict):
            for key in ("toolName", "tool_name"):
                if isinstance(name := place.get(key), str) and name:
                    return name
    return ""


def _exit_code(update: ToolCallUpdate) -> int | None:
    """From the fields of the output where it has such fields, else from its text."""
    raw, meta = update.raw_output, update.meta
    if (found := _LAST_LINE.search(_more_output(meta))) is not None and update.status is ToolCallStatus.FAILED:
        return int(found[1])
    inner = (
        raw.get("metadata") if isinstance(raw, dict) else None,
        meta.get("terminal_exit") if isinstance(meta, dict) else None,
        *_parts_of(raw),
    )
    for place in (raw, *inner):
        if isinstance(place, dict):
            codes = (place.get(key) for key in _EXIT_KEYS)
            if (code := next((each for each in codes if type(each) is int), None)) is not None:
                return code
    lines = ("\n".join(update.texts) or _raw_output(raw)).strip().splitlines()
    for line in (*lines[:2], *reversed(lines[-_EXIT_LINES:])):  # in between it is what the command printed
        if (found := _EXIT_LINE.match(line.strip("` "))) is not None:
            code = int(found[1])
            return code if code or update.status is not ToolCallStatus.FAILED else None
    return None


def _parts_of(raw: Any) -> list[Any]:
    """The parts of an output, one of which tells how a command ended, as Copilot puts it."""
    parts = raw.get("contents") if isinstance(raw, dict) else None
    return parts if isinstance(parts, list) else []


def _more_output(meta: Any) -> str:
    """What was printed since the last message, where Codex and Pi put it."""
    match meta:
        case {"terminal_output_delta": {"data": str(data)}} | {"terminal_output": {"data": str(data)}}:
            return data
    return ""


def _raw_output(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _text(value, ("output", "error", "result", "stdout")) or ""
    if isinstance(value, list):
        return "\n".join(
            text for each in value if isinstance(each, dict) and (text := _text(each, ("result", "error")))
        )
    return ""
