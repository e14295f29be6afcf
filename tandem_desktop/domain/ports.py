"""Protocols that the core needs from outside: source trees, agents, advisors."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from tandem_desktop.domain.advice import Advice, Question, Result
from tandem_desktop.domain.agent_protocol import (
    AgentFacts,
    AgentOption,
    AgentSession,
    AgentUpdate,
    Attachment,
    PermissionAnswer,
    PermissionRequest,
    PlanningServer,
    StopReason,
    TerminalOutput,
)
from tandem_desktop.domain.ids import SessionId, TerminalId
from tandem_desktop.domain.operations import CommandCall, NodeState
from tandem_desktop.domain.questions import AgentQuestion, QuestionAnswer


class SourceTree(Protocol):
    """A readable workspace: relative paths with forward slashes, links never followed."""

    def state(self, path: str) -> NodeState:
        """What is at `path`; absent when nothing is."""

    def read(self, path: str) -> bytes:
        """The bytes of the regular file at `path`."""

    def children(self, path: str) -> tuple[str, ...]:
        """The sorted names in the directory at `path`, which may be `ROOT`."""


class AgentPort(Protocol):
    """A client of an agent. Every call raises a `SidecarError` when the agent fails."""

    async def start(self) -> AgentFacts:
        """Start the process and initialise the connection."""

    async def new_session(
        self, servers: tuple[PlanningServer, ...] = (), *, plan_mode: bool = False, resume: SessionId | None = None
    ) -> AgentSession:
        """Open a conversation, in the mode in which the agent asks before it acts.

        With `resume`, that earlier conversation goes on where the agent can do so; otherwise a new one begins.
        """

    async def prompt(self, session_id: SessionId, text: str, attachments: tuple[Attachment, ...] = ()) -> StopReason:
        """Send a prompt, possibly with attachments, and wait for the end of the turn."""

    async def log_in(self, method: str) -> None:
        """Log in by one of the ways the agent offers."""

    async def choose(self, session_id: SessionId, option: AgentOption, value: str) -> tuple[AgentOption, ...]:
        """Set an option of a session, such as its model; all its options then, as far as the agent tells them."""

    async def cancel(self, session_id: SessionId) -> None:
        """End the turn; every open request of the session is answered."""

    async def stop(self) -> None:
        """End the whole process tree."""


class AdvisorPort(Protocol):
    """Agents that answer questions and may only read; nothing they do is staged or reaches the workspace."""

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        """The answer in the requested model. Cancelling the call ends the agent.

        Raises:
            SidecarError: the agent failed, or had no usable answer; a `NoAnswerError` says why the last one was
                refused.
            TandemError: there is no such agent, or no shadow for it.
        """

    def together(self) -> AbstractAsyncContextManager[None]:
        """A block of questions about the same files.

        An agent may be reused for the next one, and ends with the block.
        """


class AgentClient(Protocol):
    """Handles an agent's requests (permission, questions, files, terminal) and updates.

    Paths are relative to the workspace; paths outside it are refused before. Every call belongs to one session, and
    calls do not wait for each other.
    """

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        """Answer a request; cancelled from outside when the turn or the agent ends first."""

    def turned_away(self, request: PermissionRequest, reason: str) -> None:
        """Record a request that arrived when none could be answered; it is answered as cancelled."""

    async def ask(self, question: AgentQuestion) -> QuestionAnswer:
        """Put a question to the person; cancelled from outside when the turn or the agent ends first."""

    def question_completed(self, elicitation_id: str) -> None:
        """Record that what was begun at the address of a question has ended."""

    def on_update(self, session_id: SessionId, update: AgentUpdate) -> None:
        """Record an update; returns at once."""

    async def read_text(self, session_id: SessionId, path: str) -> str:
        """The text of a file as the agent's shadow has it."""

    async def save_text(self, session_id: SessionId, path: str, text: str) -> None:
        """Write a file in the agent's shadow."""

    async def open_terminal(self, session_id: SessionId, call: CommandCall) -> TerminalId:
        """Run, stage or refuse a command, as the policy says; the terminal shows which."""

    async def terminal_output(self, terminal_id: TerminalId) -> TerminalOutput:
        """The current output of the terminal."""

    async def wait_for_terminal(self, terminal_id: TerminalId) -> TerminalOutput:
        """Wait for its command to end and return the output."""

    async def kill_terminal(self, terminal_id: TerminalId) -> None:
        """End its command."""

    async def release_terminal(self, terminal_id: TerminalId) -> None:
        """End its command and release it."""
