"""What the agent needs from whoever it works for, in the words of the domain: to tell, and to ask."""

from typing import Protocol

from tandem_desktop.domain.agents import AgentUpdate, ToolCall, Verdict


class ClientPort(Protocol):
    """The other end of one conversation."""

    async def tell(self, update: AgentUpdate) -> None:
        """Say what happens."""

    async def ask(self, call: ToolCall) -> Verdict:
        """Ask before acting; whatever is not allowed is not done."""
