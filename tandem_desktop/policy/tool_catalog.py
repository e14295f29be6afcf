"""Which tools read, write and run: every agent's own names brought to one name and one category."""

import re
from functools import lru_cache

from tandem_desktop.domain.agents import ToolCall, ToolKind
from tandem_desktop.domain.authorization import ToolCategory, ToolUse

UNKNOWN_TOOL = "unknown"
"""What a request is filed under when its agent names no tool."""

READ_ONLY_TOOLS = ("read_file", "grep", "list_dir", "glob", "react", "research_codebase", "web_fetch")
WRITE_TOOLS = ("write_file", "update_file")
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

UNSTAGEABLE = frozenset({ToolCategory.OUTSIDE, ToolCategory.MODE})
"""What no shadow can hold back, so that it cannot happen while a plan is made."""


def tool_use(call: ToolCall) -> ToolUse:
    """What a tool call comes to. Of the name, the kind and the content of the call the gravest is believed."""
    tool = call.tool or UNKNOWN_TOOL
    name, by_name = _known(tool)
    category = _graver(by_name, _BY_KIND[call.kind])
    if call.command is not None:
        category = _graver(category, ToolCategory.EXECUTE)
    if call.diffs:
        category = _graver(category, ToolCategory.WRITE)
    if tool == UNKNOWN_TOOL and category is ToolCategory.EXECUTE:
        name = EXECUTE_TOOLS[0]
    return ToolUse(
        tool=tool,
        name=name,
        category=category,
        paths=_paths(call),
        command=call.command,
        disguised=by_name not in (ToolCategory.OTHER, category),
    )


def name_of(tool: str) -> str:
    """The one name of a tool in every agent."""
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
    "read": (ToolCategory.READ, ("read", "read_file", "read_text_file", "read_many_files", "notebookread", "view")),
    "grep": (ToolCategory.READ, ("grep", "search_file_content", "grep_search", "codesearch", "search", "analyze")),
    "list": (ToolCategory.READ, ("list", "ls", "list_dir", "list_directory", "tree")),
    "glob": (ToolCategory.READ, ("glob", "find_files", "file_search")),
    "think": (ToolCategory.READ, ("react", "think", "research_codebase", "lsp", "lsp_hover", "lsp_diagnostics")),
    "web_fetch": (ToolCategory.READ, ("web_fetch", "webfetch", "websearch", "web_search", "google_web_search")),
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
    "bash": (ToolCategory.EXECUTE, ("bash", "shell", "run_shell_command", "execute", "exec", "terminal", "powershell")),
    "todo": (ToolCategory.PLANNING, ("todo", "todo_write", "todowrite", "todo_read", "todoread", "update_plan")),
    "exit_plan_mode": (ToolCategory.MODE, ("exitplanmode", "exit_plan_mode", "plan_exit", "switch_mode", "set_mode")),
    "send": (ToolCategory.OUTSIDE, ("web_post", "http_post", "send_email", "git_push", "create_pull_request")),
}

_CATALOG = {alias: (name, category) for name, (category, aliases) in _NAMES.items() for alias in aliases}
_LONGEST_KEPT = 100
_OWN_PREFIX = re.compile(r"(?:mcp__)?tandem(?:__|_|: ?|\.)")
_SHELL_PREFIX = re.compile(r"(?:developer|computercontroller)__")
_REACHES_OUT = re.compile(r"(?:^|[_\-. ])(?:send|post|publish|upload|push|deploy|tweet|pay|purchase)(?:$|[_\-. ])")


def _graver(one: ToolCategory, other: ToolCategory) -> ToolCategory:
    return one if _GRAVITY[one] >= _GRAVITY[other] else other


def _known(tool: str) -> tuple[str, ToolCategory]:
    # An agent has few tools and names each many times; a name made to fill the memory is not kept.
    return _looked_up(tool) if len(tool) <= _LONGEST_KEPT else _looked_up.__wrapped__(tool)


@lru_cache(maxsize=1024)
def _looked_up(tool: str) -> tuple[str, ToolCategory]:
    plain = tool.strip().lower()
    own = _OWN_PREFIX.sub("", plain, count=1) if _OWN_PREFIX.match(plain) else plain
    own = own.replace(" ", "_")
    if own in PLANNING_TOOLS and own != "todo_write":
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
