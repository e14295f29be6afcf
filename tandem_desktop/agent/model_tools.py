"""Hand the agent's tools to the model library: names, words and arguments as the model reads them."""

from collections.abc import Callable, Coroutine
from typing import Any

from pydantic_ai import RunContext, Tool

from tandem_desktop.agent.planning_servers import OfferedTool
from tandem_desktop.agent.tools import TodoItem, Tools, new_call_id
from tandem_desktop.domain.agents import ToolKind

Context = RunContext[None]


def own_tools(tools: Tools) -> list[Tool[None]]:
    """The built-in tools. Those that change something run one at a time, so that none works on what another changes."""

    async def read(context: Context, path: str, first: int = 1, count: int = 2000) -> str:
        """Read a text file. `first` is the line to begin with, `count` how many lines."""
        return await tools.read(_id(context), path, first, count)

    async def list_(context: Context, path: str = ".") -> str:
        """List a folder; names of folders end in a slash. What git ignores is left out."""
        return await tools.list(_id(context), path)

    async def glob(context: Context, pattern: str, path: str = ".") -> str:
        """Find files by a pattern written as in .gitignore, such as *.py or src/**/test_*."""
        return await tools.glob(_id(context), pattern, path)

    async def grep(context: Context, pattern: str, path: str = ".", ignore_case: bool = False) -> str:
        """Find lines that match a regular expression, below a folder or in a file."""
        return await tools.grep(_id(context), pattern, path, ignore_case)

    async def write(context: Context, path: str, content: str) -> str:
        """Create a file or replace all of it. Folders above it are made."""
        return await tools.write(_id(context), path, content)

    async def edit(context: Context, path: str, old_string: str, new_string: str, replace_all: bool = False) -> str:
        """Replace text in a file. `old_string` must be in it exactly once, unless `replace_all` is set."""
        return await tools.edit(_id(context), path, old_string, new_string, replace_all)

    async def delete(context: Context, path: str) -> str:
        """Delete a file, or a folder with everything in it."""
        return await tools.delete(_id(context), path)

    async def move(context: Context, path: str, to: str) -> str:
        """Move or rename a file or a folder. The new path must be free."""
        return await tools.move(_id(context), path, to)

    async def bash(context: Context, command: str, cwd: str = ".", timeout_s: int = 120) -> str:
        """Run a shell command. A refused command is queued for the plan: go on without its output."""
        return await tools.bash(_id(context), command, cwd, timeout_s)

    async def todo(context: Context, items: list[TodoItem]) -> str:
        """Keep the list of what you mean to do; give the whole list each time."""
        return await tools.todo(_id(context), items)

    looking = [Tool(function) for function in (read, glob, grep, todo)]
    changing = [Tool(function, sequential=True) for function in (write, edit, delete, move, bash)]
    return [*looking, Tool(list_, name="list"), *changing]


def plan_tool(tools: Tools) -> Tool[None]:
    """`present_plan` for a session whose client brings none."""

    async def present_plan(context: Context, title: str, summary: str, steps: list[str]) -> str:
        """Show the person a finished plan."""
        return await tools.present_plan(_id(context), title, summary, steps)

    return Tool(present_plan)


def offered_tool(tools: Tools, offered: OfferedTool) -> Tool[None]:
    """A tool of a server the client brought."""

    async def use(context: Context, **arguments: Any) -> str:
        async def act() -> str:
            return await offered.server.use(offered.name, arguments)

        return await tools.told(_id(context), offered.name, ToolKind.OTHER, offered.name, arguments, act)

    function: Callable[..., Coroutine[Any, Any, str]] = use
    return Tool.from_schema(function, offered.name, offered.description, offered.parameters, takes_ctx=True)


def _id(context: Context) -> str:
    return context.tool_call_id or new_call_id()
