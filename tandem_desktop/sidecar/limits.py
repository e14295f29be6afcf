"""How much an agent may cost us before we stop listening: every queue, wait and message has its bound here."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SidecarLimits:
    """The bounds of one agent process; the defaults suit a desktop."""

    message_bytes: int = 16 * MIB
    """The longest line either side may send."""
    noise_lines: int = 1000
    """Lines on its output that are no messages, before the agent is given up."""
    open_requests: int = 1024
    """Requests of the agent that may wait for an answer at the same time; the next one is refused at once."""
    tool_calls: int = 4096
    """Tool calls remembered per session; the oldest are forgotten first."""
    tool_call_characters: int = 64 * MIB
    """What the remembered calls of a session may hold together."""
    output_characters: int = 64 * 1024
    """The end of a tool call's output that is kept."""
    stderr_lines: int = 200
    stderr_bytes: int = 64 * 1024
    session_timeout_s: float = 120.0
    """To open a session and to set its mode."""
    write_timeout_s: float = 60.0
    """How long the agent may leave its input unread while something waits to be written."""
    cancel_grace_s: float = 10.0
    """How long a turn may go on after it was cancelled."""
    stop_grace_s: float = 2.0
    """Between asking the processes to end and making them."""
