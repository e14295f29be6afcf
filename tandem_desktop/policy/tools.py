"""Tool names, categories, the tools available to a plan, and records of tools that do not exist or are guarded."""

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from tandem_desktop.domain.agent_protocol import ToolCall, ToolKind
from tandem_desktop.domain.authorization import ToolCategory, ToolUse
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.operations import PLAN_TOOLS
from tandem_desktop.domain.paths import check_path
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.paths import PromptFiles

UNKNOWN_TOOL = "unknown"
"""The tool name of a request whose agent names none."""

EXECUTE_TOOLS = ("bash",)
PLANNING_TOOLS = (
    "todo_write",
    "present_plan",
    "plan_propose",
    "plan_list",
    "plan_get",
    "task_update",
    "submit_perspective",
    "submit_reflection",
)
"""Always available: they change nothing but what is planned."""

HELD = "held__"
"""Before the name of a tool of the person's own MCP servers, as agents are offered it; its call is decided on."""
EXIT_PLAN_MODE = "exit_plan_mode"


def tool_use(call: ToolCall) -> ToolUse:
    """What a tool call comes to. Uses the most dangerous category implied by name, kind or content."""
    tool = call.tool or UNKNOWN_TOOL
    name, by_name = _known(tool)
    category = _graver(by_name, _BY_KIND[call.kind])
    if call.command is not None:
        category = _graver(category, ToolCategory.EXECUTE)
    if call.diffs:
        category = _graver(category, ToolCategory.WRITE)
    if tool == UNKNOWN_TOOL and category is ToolCategory.EXECUTE:
        name = EXECUTE_TOOLS[0]
    paths = _paths(call)
    return ToolUse(
        tool=tool,
        name=name,
        category=category,
        paths=paths,
        command=call.command,
        disguised=by_name not in (ToolCategory.OTHER, category),
        external=not _stays_in_shadow(call, tool, by_name, paths),
    )


def _stays_in_shadow(call: ToolCall, tool: str, by_name: ToolCategory, paths: tuple[str, ...]) -> bool:
    """Whether it is shown that nothing outside the shadow is affected.

    A known name shows it. What an agent says of another tool does so only where the call carries a command, a diff or
    paths of the workspace, and never of a tool of an MCP server: such a server may be anywhere.
    """
    if by_name is not ToolCategory.OTHER:
        return by_name is not ToolCategory.OUTSIDE
    if tool.strip().lower() in _INSIDE:
        return True
    if _SERVER_TOOL.search(tool):
        return False
    if call.command is not None and call.kind is ToolKind.EXECUTE:
        return True
    return call.kind in _ON_FILES and bool(paths) and all(map(_is_inside, paths))


def _is_inside(path: str) -> bool:
    try:
        return bool(check_path(path))
    except OutsideWorkspaceError:
        return path == "."


def name_of(tool: str) -> str:
    """The common name of a tool across agents."""
    return _known(tool)[0]


def category_of(tool: str) -> ToolCategory:
    """The category of a tool known only by name."""
    return _known(tool)[1]


_GRAVITY = {
    category: gravity
    for gravity, category in enumerate(
        (
            ToolCategory.OTHER,
            ToolCategory.PLANNING,
            ToolCategory.READ,
            ToolCategory.WRITE,
            ToolCategory.EXECUTE,
            ToolCategory.MODE,
            ToolCategory.OUTSIDE,
        )
    )
}

_BY_KIND = {
    ToolKind.READ: ToolCategory.READ,
    ToolKind.SEARCH: ToolCategory.READ,
    ToolKind.FETCH: ToolCategory.READ,
    ToolKind.THINK: ToolCategory.OTHER,
    ToolKind.EDIT: ToolCategory.WRITE,
    ToolKind.DELETE: ToolCategory.WRITE,
    ToolKind.MOVE: ToolCategory.WRITE,
    ToolKind.EXECUTE: ToolCategory.EXECUTE,
    ToolKind.SWITCH_MODE: ToolCategory.MODE,
    ToolKind.OTHER: ToolCategory.OTHER,
}

_NAMES: dict[str, tuple[ToolCategory, tuple[str, ...]]] = {
    "read": (
        ToolCategory.READ,
        ("read", "read_file", "read_text_file", "read_many_files", "notebookread", "view", "read_files"),
    ),
    "grep": (
        ToolCategory.READ,
        ("grep", "search_file_content", "grep_search", "codesearch", "search", "analyze", "search_codebase"),
    ),
    "list": (ToolCategory.READ, ("list", "ls", "list_dir", "list_directory", "tree")),
    "glob": (ToolCategory.READ, ("glob", "find_files", "file_search")),
    "think": (ToolCategory.READ, ("react", "think", "research_codebase", "lsp", "lsp_hover", "lsp_diagnostics")),
    "web_fetch": (
        ToolCategory.READ,
        ("web_fetch", "webfetch", "websearch", "web_search", "google_web_search", "fetch_web_content"),
    ),
    "write": (ToolCategory.WRITE, ("write", "write_file", "write_text_file", "create_file", "notebookedit")),
    "edit": (
        ToolCategory.WRITE,
        ("edit", "multiedit", "update_file", "edit_file", "replace", "search_replace", "str_replace", "text_editor"),
    ),
    "patch": (ToolCategory.WRITE, ("patch", "apply_patch")),
    "delete": (ToolCategory.WRITE, ("delete", "delete_file", "remove_file")),
    "move": (ToolCategory.WRITE, ("move", "move_file", "rename", "rename_file")),
    "mkdir": (ToolCategory.WRITE, ("mkdir", "create_directory")),
    "chmod": (ToolCategory.WRITE, ("chmod",)),
    "symlink": (ToolCategory.WRITE, ("symlink",)),
    "bash": (
        ToolCategory.EXECUTE,
        ("bash", "shell", "run_shell_command", "execute", "exec", "terminal", "powershell", "run_commands"),
    ),
    "todo": (ToolCategory.PLANNING, ("todo", "todo_write", "todowrite", "todo_read", "todoread", "update_plan")),
    EXIT_PLAN_MODE: (ToolCategory.MODE, ("exitplanmode", "exit_plan_mode", "plan_exit")),
    "switch_mode": (ToolCategory.MODE, ("switch_mode", "set_mode", "enterplanmode", "enter_plan_mode", "plan_enter")),
    "send": (ToolCategory.OUTSIDE, ("web_post", "http_post", "send_email", "git_push", "create_pull_request")),
}

_CATALOG = {alias: (name, category) for name, (category, aliases) in _NAMES.items() for alias in aliases}
_INSIDE = frozenset(
    {
        *("task", "agent", "skill", "activate_skill", "toolsearch", "tool_search", "doom_loop", "view_image"),
        *("taskcreate", "taskupdate", "tasklist", "taskget", "taskoutput", "taskstop", "killshell", "bashoutput"),
        *("save_memory", "memory", "spawn_agent", "wait_agent", "close_agent", "batch"),
    }
)
"""Tools of known agents that affect only the agent itself, which runs in the sandbox."""
_ON_FILES = frozenset({ToolKind.READ, ToolKind.SEARCH, ToolKind.EDIT, ToolKind.DELETE, ToolKind.MOVE})
_SERVER_TOOL = lazy_pattern(r"__|[.:/]|^mcp", re.IGNORECASE)
"""A name with a namespace: the tool of an MCP server or of an extension."""
_LONGEST_KEPT = 100
_OWN_PREFIX = lazy_pattern(r"(?:mcp__)?tandem(?:__|_|: ?|\.)")
_SHELL_PREFIX = lazy_pattern(r"(?:developer|computercontroller)__")
_REACHES_OUT = lazy_pattern(r"(?:^|[_\-. ])(?:send|post|publish|upload|push|deploy|tweet|pay|purchase)(?:$|[_\-. ])")


def _graver(one: ToolCategory, other: ToolCategory) -> ToolCategory:
    return one if _GRAVITY[one] >= _GRAVITY[other] else other


def _known(tool: str) -> tuple[str, ToolCategory]:
    # An agent has few tools and uses each often; the size limits names made to fill the memory.
    return _looked_up(tool) if len(tool) <= _LONGEST_KEPT else _looked_up.__wrapped__(tool)


@lru_cache(maxsize=1024)
def _looked_up(tool: str) -> tuple[str, ToolCategory]:
    plain = tool.strip().lower()
    own = _OWN_PREFIX.sub("", plain, count=1) if _OWN_PREFIX.match(plain) else plain
    own = own.replace(" ", "_")
    if own.startswith(HELD) or (own in PLANNING_TOOLS and own != "todo_write"):
        return own, ToolCategory.PLANNING
    known = _CATALOG.get(_SHELL_PREFIX.sub("", plain, count=1))
    if known is not None:
        return known
    reaches_out = _REACHES_OUT.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool.strip()).lower())
    return plain, ToolCategory.OUTSIDE if reaches_out else ToolCategory.OTHER


def _paths(call: ToolCall) -> tuple[str, ...]:
    named = set(call.paths)
    if all(diff.path in named for diff in call.diffs):
        return call.paths
    return tuple(dict.fromkeys((*call.paths, *(diff.path for diff in call.diffs))))


PROGRAMS = (
    *("bash", "sh", "git", "make", "cmake", "python3", "pip", "uv", "node", "npm", "pnpm", "yarn", "cargo", "go"),
    *("java", "mvn", "gradle", "ruby", "php", "dotnet", "gcc", "clang", "docker", "curl", "jq", "rg"),
)
"""The most used tools; others may exist as well."""


def tool_inventory(guarded: tuple[str, ...] = (), which: Callable[[str], str | None] | None = None) -> str:
    """The manifest of the available tools, given to a planner before its first task."""
    import shutil

    here = [name for name in PROGRAMS if (which or shutil.which)(name)]
    missing = [name for name in PROGRAMS if name not in here]
    lines = [
        "Tools here:",
        f"- Steps of a plan may use: {', '.join(PLAN_TOOLS)}. A step with another tool of yours is an external "
        "call: you make it once, after the person approved the plan.",
        f"- Programs for `bash`, found on this machine: {', '.join(here) or 'none'}.",
        f"- Not found: {', '.join(missing) or 'none'}.",
    ]
    if guarded:
        lines.append(f"- Only through a plan that the person approves: {', '.join(guarded)}.")
    return "\n".join(lines)


class ToolBundle(Frozen):
    """Instructions, the JSON schema of the answer, and an example."""

    category: str
    instructions: str
    json_schema: dict[str, Any]
    example: str

    @property
    def text(self) -> str:
        """The bundle as one text, for an agent in the middle of a conversation."""
        schema = json.dumps(self.json_schema, indent=1)
        return f"{self.instructions.strip()}\n\nA plan has this shape:\n{schema}\n\nAn example:\n{self.example.strip()}"


def planning_bundle(files: PromptFiles | None = None) -> ToolBundle:
    """The bundle for planning. Its example is a valid plan."""
    files = files or PromptFiles()
    return ToolBundle(
        category="planning",
        instructions=files.text("planning_bundle.md"),
        json_schema=plan_schema(),
        example=files.text("plan_example.json"),
    )


def plan_schema() -> dict[str, Any]:
    """The schema of a plan; whether a step applies is checked against the workspace."""
    text = {"type": "string"}
    names = {"type": "array", "items": text}
    step = {
        "type": "object",
        "properties": {
            "id": text,
            "description": text,
            "tool": {"type": "string", "enum": list(PLAN_TOOLS)},
            "args": {"type": "object"},
            "rationale": text,
            "risk": text,
            "task": text,
            "blocked_by": names,
        },
        "required": ["description", "tool", "args"],
        "additionalProperties": False,
    }
    task = {
        "type": "object",
        "properties": {
            "id": text,
            "subject": text,
            "description": text,
            "agent": text,
            "priority": text,
            "blocked_by": names,
        },
        "required": ["id", "subject"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "title": text,
            "summary": text,
            "context": {"type": ["object", "string"]},
            "tasks": {"type": "array", "items": task},
            "steps": {"type": "array", "items": step, "minItems": 1},
        },
        "required": ["title", "steps"],
        "additionalProperties": False,
    }


_MAX_BYTES = 256 * 1024
"""Limit of the file, for planners that repeat a request for ever."""
_MAX_NAME = 80


class ToolCounts:
    """Records requested tools that do not exist, or calls of guarded tools, in an append-only file.

    Write errors are ignored.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def note(self, tool: str, **facts: Any) -> None:
        line = json.dumps({"tool": tool[:_MAX_NAME], **facts}).encode() + b"\n"
        with contextlib.suppress(OSError):
            atomic.make_directory(self._path.parent, mode=0o700)
            fd = syscalls.open_appending(str(self._path))
            try:
                if os.fstat(fd).st_size < _MAX_BYTES:
                    syscalls.write(fd, line)
            finally:
                os.close(fd)

    def counts(self) -> Counter[str]:
        """The count of each tool, without calls that were blocked."""
        return Counter(str(entry["tool"]) for entry in self.entries() if not entry.get("blocked"))

    def entries(self) -> tuple[dict[str, Any], ...]:
        """Every record, oldest first; a line truncated by a crash is ignored."""
        found: list[dict[str, Any]] = []
        with contextlib.suppress(OSError):
            for line in self._path.read_bytes().splitlines():
                with contextlib.suppress(ValueError):
                    entry = json.loads(line)
                    if isinstance(entry, dict) and "tool" in entry:
                        found.append(entry)
        return tuple(found)
