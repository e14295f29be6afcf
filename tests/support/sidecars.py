"""Agents for tests: a manager around a scripted agent, and a client that notes everything and decides as told."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tandem_desktop.acp_client.client import SidecarManager
from tandem_desktop.acp_client.connection import OnFrame, SidecarLimits
from tandem_desktop.domain.agent_protocol import (
    AgentProfile,
    AgentSaid,
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
    PermissionVerdict,
    TerminalOutput,
    ToolCall,
    ToolCallChanged,
)
from tandem_desktop.domain.ids import SessionId, TerminalId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.domain.questions import AgentQuestion, QuestionAction, QuestionAnswer
from tandem_desktop.processes.child import Launch, scrubbed_environment
from tests.support.patience import PATIENCE_S
from tests.support.transcripts import FOLDER

AGENTS = Path(__file__).parent / "agents"
WORKSPACE = "/workspace"

QUICK = SidecarLimits(session_timeout_s=PATIENCE_S, cancel_grace_s=PATIENCE_S, close_grace_s=0.1, stop_grace_s=0.5)

Decide = Callable[[PermissionRequest], Awaitable[PermissionVerdict]]
Answer = Callable[[AgentQuestion], Awaitable[QuestionAnswer]]


async def allow(request: PermissionRequest) -> PermissionVerdict:
    return PermissionVerdict.ALLOW


async def decline(question: AgentQuestion) -> QuestionAnswer:
    return QuestionAnswer(action=QuestionAction.DECLINE)


class NotingClient:
    """Keeps what the agent says and asks; its files are a dictionary, its terminals only say what they were given."""

    def __init__(self, decide: Decide = allow) -> None:
        self._decide = decide
        self.requests: list[PermissionRequest] = []
        self.waiting = 0
        self.abandoned: list[PermissionRequest] = []
        self.turned_away_because: list[tuple[PermissionRequest, str]] = []
        self.updates: list[tuple[SessionId, AgentUpdate]] = []
        self.files: dict[str, str] = {}
        self.commands: list[CommandCall] = []
        self.questions: list[AgentQuestion] = []
        self.answer: Answer = decline
        self.completed: list[str] = []
        self.asked = asyncio.Event()
        self.spoke = asyncio.Event()

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        self.requests.append(request)
        self.waiting += 1
        self.asked.set()
        try:
            return PermissionAnswer(verdict=await self._decide(request))
        except asyncio.CancelledError:
            self.abandoned.append(request)
            raise
        finally:
            self.waiting -= 1

    def turned_away(self, request: PermissionRequest, reason: str) -> None:
        self.turned_away_because.append((request, reason))

    async def ask(self, question: AgentQuestion) -> QuestionAnswer:
        self.questions.append(question)
        self.asked.set()
        return await self.answer(question)

    def question_completed(self, elicitation_id: str) -> None:
        self.completed.append(elicitation_id)

    def on_update(self, session_id: SessionId, update: AgentUpdate) -> None:
        self.updates.append((session_id, update))
        self.spoke.set()

    async def read_text(self, session_id: SessionId, path: str) -> str:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    async def save_text(self, session_id: SessionId, path: str, text: str) -> None:
        self.files[path] = text

    async def open_terminal(self, session_id: SessionId, call: CommandCall) -> TerminalId:
        self.commands.append(call)
        return TerminalId(f"t{len(self.commands) - 1}")

    async def terminal_output(self, terminal_id: TerminalId) -> TerminalOutput:
        return TerminalOutput(text="[staged: not executed]\n", exit_code=0)

    async def wait_for_terminal(self, terminal_id: TerminalId) -> TerminalOutput:
        return await self.terminal_output(terminal_id)

    async def kill_terminal(self, terminal_id: TerminalId) -> None:
        pass

    async def release_terminal(self, terminal_id: TerminalId) -> None:
        pass

    @property
    def text(self) -> str:
        return "".join(update.text for _, update in self.updates if isinstance(update, AgentSaid))

    @property
    def calls(self) -> dict[str, ToolCall]:
        """The last word on each tool call."""
        return {update.call.id: update.call for _, update in self.updates if isinstance(update, ToolCallChanged)}


def a_profile(**changes: Any) -> AgentProfile:
    values: dict[str, Any] = {"name": "scripted", "title": "Scripted", "command": ("scripted",), "start_timeout_s": 30}
    return AgentProfile(**{**values, **changes})


def a_launch(*argv: str) -> Launch:
    return Launch(argv=argv, environment=scrubbed_environment(), cwd=Path("/"))


def an_agent(program: str, *words: str) -> Launch:
    """One of the agents beside this module; started without what it does not need, so at once."""
    return a_launch(sys.executable, "-S", "-E", str(AGENTS / f"{program}.py"), *words)


def a_replay(name: str, die_after: int | None = None) -> Launch:
    """A recorded agent, cut off after so many bytes."""
    return an_agent("replay_agent", str(FOLDER / f"{name}.jsonl"), *([] if die_after is None else [str(die_after)]))


def a_manager(
    script: dict[str, Any] | Launch,
    client: NotingClient,
    *,
    limits: SidecarLimits = QUICK,
    on_frame: OnFrame | None = None,
    may_ask: bool = True,
    runs_freely: bool = False,
    **profile: Any,
) -> SidecarManager:
    launch = script if isinstance(script, Launch) else an_agent("scripted_agent", json.dumps(script))
    return SidecarManager(
        a_profile(**profile),
        launch,
        client,
        workspace=WORKSPACE,
        limits=limits,
        on_frame=on_frame,
        may_ask=may_ask,
        runs_freely=runs_freely,
    )


@asynccontextmanager
async def running(
    script: dict[str, Any] | Launch, client: NotingClient, **options: Any
) -> AsyncIterator[SidecarManager]:
    """A started manager; whatever happens, it is stopped, and nothing takes longer than patience allows."""
    manager = a_manager(script, client, **options)
    async with asyncio.timeout(PATIENCE_S):
        try:
            await manager.start()
            yield manager
        finally:
            await manager.stop()


async def reported(manager: SidecarManager, client: NotingClient, session_id: SessionId) -> list[dict[str, Any]]:
    """What the agent was answered and told so far, in order."""
    before = len(client.updates)
    await manager.prompt(session_id, "report")
    text = "".join(update.text for _, update in client.updates[before:] if isinstance(update, AgentSaid))
    answers: list[dict[str, Any]] = json.loads(text)
    return answers
