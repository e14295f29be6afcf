"""Protocols that the core needs from outside: source trees, agents, advisors."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from tandem_desktop.domain.advice import Advice, Question, Result
from tandem_desktop.domain.agent_protocol import (
    AgentFacts,
    AgentSession,
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
    Picture,
    PlanningServer,
    StopReason,
    TerminalOutput,
)
from tandem_desktop.domain.ids import SessionId, TerminalId
from tandem_desktop.domain.operations import CommandCall, NodeState


class SourceTree(Protocol):
    """A workspace that can be looked at: relative paths with forward slashes, links never followed.

    Every call raises `OutsideWorkspaceError` for a path that leads through a symbolic link, onto a special file or
    across a mount, and `StagingError` for a file too large to stage.
    """

    def state(self, path: str) -> NodeState:
        """What is at `path`; absent when nothing is."""

    def read(self, path: str) -> bytes:
        """The bytes of the regular file at `path`."""

    def children(self, path: str) -> tuple[str, ...]:
        """The sorted names in the directory at `path`, which may be `ROOT`."""


class AgentPort(Protocol):
    """An agent that can be talked to. Every call raises a `SidecarError` when the agent cannot do its part."""

    async def start(self) -> AgentFacts:
        """Start the process and greet it."""

    async def new_session(self, servers: tuple[PlanningServer, ...] = (), *, plan_mode: bool = False) -> AgentSession:
        """Open a conversation, in the mode in which the agent asks before it acts."""

    async def prompt(self, session_id: SessionId, text: str, pictures: tuple[Picture, ...] = ()) -> StopReason:
        """Say something, perhaps with pictures, and wait for the end of the turn."""

    async def cancel(self, session_id: SessionId) -> None:
        """End the turn; every open request of the session is answered."""

    async def stop(self) -> None:
        """End the whole process tree."""


class AdvisorPort(Protocol):
    """Agents that are asked something and may only look; nothing they do is staged or reaches the workspace."""

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        """The answer in the shape that was asked for. Cancelling the call ends the agent.

        Raises:
            SidecarError: the agent cannot do its part, or had no usable answer; a `NoAnswerError` says why the last
                one was refused.
            TandemError: there is no such agent, or no place for it to look from.
        """

    def together(self) -> AbstractAsyncContextManager[None]:
        """A block of questions about the same files: an agent may be kept for the next of them, and ends with it."""


class AgentClient(Protocol):
    """What an agent may ask of us: three doors (permission, files, terminal) and an ear.

    Paths are relative to the workspace; a path outside it never gets here. Every call belongs to one session and none
    waits for another.
    """

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        """Answer a request; cancelled from outside when the turn or the agent ends first."""

    def turned_away(self, request: PermissionRequest, reason: str) -> None:
        """Take note of a request that came when nobody was to be asked; it is answered as cancelled."""

    def heard(self, session_id: SessionId, update: AgentUpdate) -> None:
        """Take note; returns at once."""

    async def read_text(self, session_id: SessionId, path: str) -> str:
        """The text of a file as the agent's shadow has it."""

    async def save_text(self, session_id: SessionId, path: str, text: str) -> None:
        """Write a file in the agent's shadow."""

    async def open_terminal(self, session_id: SessionId, call: CommandCall) -> TerminalId:
        """Run, stage or refuse a command, as the policy says; the terminal tells which."""

    async def terminal_output(self, terminal_id: TerminalId) -> TerminalOutput:
        """What the terminal shows now."""

    async def wait_for_terminal(self, terminal_id: TerminalId) -> TerminalOutput:
        """What it shows when its command has ended."""

    async def kill_terminal(self, terminal_id: TerminalId) -> None:
        """End its command."""

    async def release_terminal(self, terminal_id: TerminalId) -> None:
        """Forget it, ending its command."""
