"""One session as our end of the wire sees it: whether a turn runs, what is asked, what is known of its tool calls."""

import asyncio
from dataclasses import dataclass, field

from tandem_desktop.domain.agents import AgentUpdate
from tandem_desktop.domain.ids import SessionId, TerminalId
from tandem_desktop.sidecar.tool_calls import ToolCalls


class OpenRequest:
    """A permission request that waits for its decision, in the task that will answer it."""

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._settled = False

    def settle(self) -> None:
        """Stop waiting: the request is answered as cancelled. Said twice, it counts once."""
        if not self._settled:
            self._settled = True
            self._task.cancel()

    def is_over(self) -> bool:
        """Whether a cancellation caught in the task only ends the request, and not the task; then it is taken back."""
        if self._settled:
            self._task.uncancel()
        return self._settled or not self._task.cancelling()


@dataclass(slots=True)
class Conversation:
    """A session and its turn."""

    id: SessionId
    calls: ToolCalls
    mode: str | None = None
    turn: asyncio.Event | None = None
    """Set when the turn ends; None between turns."""
    cancelled: bool = False
    """The turn was told to end: nothing is asked of anyone any more."""
    ready_at: float = 0.0
    """When its planning tools can be used, by the loop's clock."""
    held: list[AgentUpdate] | None = None
    """What was said before anyone could know of the session."""
    open: set[OpenRequest] = field(default_factory=set)
    terminals: dict[TerminalId, int | None] = field(default_factory=dict)
    """With the bytes of output the agent wants of each."""

    def settle(self) -> None:
        """Answer every open request as cancelled."""
        for request in tuple(self.open):
            request.settle()

    def begin_turn(self) -> None:
        self.turn = asyncio.Event()
        self.cancelled = False

    def end_turn(self) -> None:
        if self.turn is not None:
            self.turn.set()
        self.turn = None
        self.cancelled = False
        self.settle()
