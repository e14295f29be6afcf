"""The conversation with a language model and the tools it gets."""

from collections.abc import Callable, Coroutine
from typing import Any

from pydantic_ai import Agent, AgentRunResultEvent, RunContext, Tool
from pydantic_ai.exceptions import AgentRunError, UsageLimitExceeded, UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.usage import UsageLimits

from tandem_desktop.builtin_agent.edits import AgentFiles, ClientPort
from tandem_desktop.builtin_agent.model_errors import model_error
from tandem_desktop.builtin_agent.models import ModelChoice, OfferedTool, PlanningServers, build_model
from tandem_desktop.builtin_agent.tools import TodoItem, Tools, new_call_id
from tandem_desktop.domain.agent_protocol import AgentSaid, StopReason, ToolKind, UsageReported
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.recipes.sources import SourceText
from tandem_desktop.storage.paths import resource

PROJECT_FILES = ("AGENTS.md", "CLAUDE.md")
MAX_CHARACTERS = 40_000


def instructions(tree: SourceTree, root: str) -> str:
    """The role, then each instruction file of the project, named and cut when it is very long."""
    parts = [resource("prompts/built_in_agent.md").read_text("utf-8").replace("{{CWD}}", root).strip()]
    for name in PROJECT_FILES:
        text = _read(tree, name)
        if text:
            parts.append(f"# Instructions of the project ({name})\n\n{text[:MAX_CHARACTERS]}")
    return "\n\n".join(parts)


def _read(tree: SourceTree, name: str) -> str:
    try:
        source = SourceText.of(tree.read(name))
    except TandemError:
        return ""
    return "" if source is None else source.text.strip()


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


MAX_REQUESTS = 200
"""How often the model is asked within one turn before the person has to say go on."""

_REASONS = {"length": StopReason.MAX_TOKENS, "content_filter": StopReason.REFUSAL}


class ModelConversation:
    """One model, one session. A turn that is cancelled or fails is forgotten; those before it stay."""

    def __init__(self, choice: ModelChoice, work: AgentFiles, client: ClientPort, servers: PlanningServers) -> None:
        self._choice = choice
        self._work = work
        self._client = client
        self._servers = servers
        self._tools = Tools(work, client)
        self._history: list[ModelMessage] = []
        self._agent: Agent[None, str] | None = None
        self._has_spoken = False
        """Whether anything was said in this turn."""

    async def answer(self, text: str) -> StopReason:
        """Answer `text`.

        Raises:
            BadInputError: the model's library is not installed.
            ModelError: the model cannot be reached, or refused.
        """
        agent = await self._ready()
        self._has_spoken = False
        try:
            return await self._run(agent, text)
        except UsageLimitExceeded:
            return StopReason.MAX_TURN_REQUESTS
        except (AgentRunError, UserError, OSError) as error:
            raise model_error(error, self._choice) from error

    async def close(self) -> None:
        await self._servers.close()

    async def _ready(self) -> Agent[None, str]:
        if self._agent is None:
            offered, problems = await self._servers.tools()
            for problem in problems:
                await self._client.tell(AgentSaid(text=f"{problem}\n\n"))
            tools = [*own_tools(self._tools), *(offered_tool(self._tools, tool) for tool in offered)]
            if not any(tool.name.endswith("present_plan") for tool in offered):
                tools.append(plan_tool(self._tools))
            told = await self._work.at_work(lambda tree: instructions(tree, str(self._work.root)))
            self._agent = Agent(build_model(self._choice), instructions=told, tools=tools)
        return self._agent

    async def _run(self, agent: Agent[None, str], text: str) -> StopReason:
        limits = UsageLimits(request_limit=MAX_REQUESTS)
        reason = StopReason.END_TURN
        async with agent.run_stream_events(text, message_history=self._history, usage_limits=limits) as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    self._history = event.result.all_messages()
                    reason = await self._finished(event.result.all_messages())
                else:
                    await self._pass_on(event)
        return reason

    async def _pass_on(self, event: Any) -> None:
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                # What is said after a tool call is a paragraph of its own.
                await self._say(f"\n\n{text}" if self._has_spoken else text)
                self._has_spoken = True
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                await self._say(text)
            case PartStartEvent(part=ThinkingPart(content=text)):
                await self._say(text, thought=True)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(text))):
                await self._say(text, thought=True)

    async def _finished(self, messages: list[ModelMessage]) -> StopReason:
        last = messages[-1]
        if not isinstance(last, ModelResponse):
            return StopReason.END_TURN
        await self._client.tell(UsageReported(used=last.usage.input_tokens + last.usage.output_tokens))
        return _REASONS.get(last.finish_reason or "", StopReason.END_TURN)

    async def _say(self, text: str, *, thought: bool = False) -> None:
        if text:
            await self._client.tell(AgentSaid(text=text, thought=thought))
