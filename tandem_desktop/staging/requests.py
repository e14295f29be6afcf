"""Records of intercepted agent requests and queued commands."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tandem_desktop.domain.agent_protocol import PermissionVerdict, ProposedDiff
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.base import NOTHING_ELSE
from tandem_desktop.domain.ids import RequestId, SessionId, ToolCallId
from tandem_desktop.domain.operations import OperationCall, PathChange
from tandem_desktop.policy.tools import UNKNOWN_TOOL


class Handling(StrEnum):
    """How a request was handled."""

    HELD = "held"
    """Allowed in the shadow; reviewed as an operation."""
    QUEUED = "queued"
    """A command or an external call that was refused and put into the plan."""
    RAN = "ran"
    """A command that runs in the shadow; its effects are reviewed."""
    PASSED = "passed"
    """Allowed; nothing to review."""
    CONFIRMED = "confirmed"
    """Allowed by a person, once."""
    SKIPPED = "skipped"
    """Refused by a person; the agent goes on."""
    REFUSED = "refused"
    CANCELLED = "cancelled"

    @property
    def verdict(self) -> PermissionVerdict:
        """The decision sent to the agent."""
        return _VERDICTS[self]

    @classmethod
    def _missing_(cls, value: object) -> "Handling | None":
        return cls.RAN if value == "rehearsed" else None  # as 0.1.0 wrote it


_VERDICTS = {
    Handling.HELD: PermissionVerdict.ALLOW,
    Handling.QUEUED: PermissionVerdict.REJECT,
    Handling.RAN: PermissionVerdict.ALLOW,
    Handling.PASSED: PermissionVerdict.ALLOW,
    Handling.CONFIRMED: PermissionVerdict.ALLOW,
    Handling.SKIPPED: PermissionVerdict.REJECT,
    Handling.REFUSED: PermissionVerdict.REJECT,
    Handling.CANCELLED: PermissionVerdict.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InterceptedRequest:
    """A request and its one answer."""

    __pydantic_config__ = NOTHING_ELSE

    request_id: RequestId
    session_id: SessionId
    tool: str = UNKNOWN_TOOL
    args: dict[str, Any] = field(default_factory=dict)
    message_id: str | None = None
    """The chat message during which the agent asked."""
    tool_call_id: ToolCallId | None = None
    title: str = ""
    category: ToolCategory = ToolCategory.OTHER
    paths: tuple[str, ...] = ()
    diffs: tuple[ProposedDiff, ...] = ()
    """The changes the agent announced when it asked."""
    drawn: tuple[PathChange, ...] = ()
    """What the card drew, from the disk to what was announced; only this may be written at once."""
    plan_mode: bool = False
    verdict: PermissionVerdict
    reason: str = ""
    handling: Handling
    queued_as: int | None = None
    """The number of its operation if known, else its position among the queued commands."""
    warning: str = ""
    guard_blocked: bool = False
    """Refused because its tool may only be used through a plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedCommand:
    """A command or an external call that waits in the plan, between what came before it and what comes after."""

    __pydantic_config__ = NOTHING_ELSE

    number: int
    call: OperationCall
    request_id: RequestId | None = None
    tool_call_id: ToolCallId | None = None
    message_id: str | None = None
    tool: str = "bash"
    description: str = ""
