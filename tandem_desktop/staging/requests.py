"""Records of intercepted agent requests and queued commands."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from pydantic import ConfigDict

from tandem_desktop.domain.agent_protocol import PermissionVerdict, ProposedDiff
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.base import NOTHING_ELSE
from tandem_desktop.domain.ids import RequestId, SessionId, ToolCallId
from tandem_desktop.domain.operations import OperationCall
from tandem_desktop.policy.tools import UNKNOWN_TOOL


class Handling(StrEnum):
    """What the answer came to."""

    HELD = "held"
    """Allowed into the shadow; it comes up for review as an operation."""
    QUEUED = "queued"
    """A command or an external call that was refused and put into the plan."""
    REHEARSED = "rehearsed"
    """A command that runs in the shadow; its effects come up for review."""
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
        """What the agent is answered."""
        return _VERDICTS[self]


_VERDICTS = {
    Handling.HELD: PermissionVerdict.ALLOW,
    Handling.QUEUED: PermissionVerdict.REJECT,
    Handling.REHEARSED: PermissionVerdict.ALLOW,
    Handling.PASSED: PermissionVerdict.ALLOW,
    Handling.CONFIRMED: PermissionVerdict.ALLOW,
    Handling.SKIPPED: PermissionVerdict.REJECT,
    Handling.REFUSED: PermissionVerdict.REJECT,
    Handling.CANCELLED: PermissionVerdict.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InterceptedRequest:
    """A request and its one answer."""

    __pydantic_config__: ClassVar[ConfigDict] = NOTHING_ELSE

    request_id: RequestId
    session_id: SessionId
    tool: str = UNKNOWN_TOOL
    args: dict[str, Any] = field(default_factory=dict)
    message_id: str | None = None
    """The message of the conversation in which the agent asked."""
    tool_call_id: ToolCallId | None = None
    title: str = ""
    category: ToolCategory = ToolCategory.OTHER
    paths: tuple[str, ...] = ()
    diffs: tuple[ProposedDiff, ...] = ()
    """What the agent said it would change when it asked: what a card shows."""
    plan_mode: bool = False
    verdict: PermissionVerdict
    reason: str = ""
    handling: Handling
    queued_as: int | None = None
    """The number of its operation where that is known, else its place among the queued commands."""
    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedCommand:
    """A command or an external call that waits in the plan, between what came before it and what comes after."""

    __pydantic_config__: ClassVar[ConfigDict] = NOTHING_ELSE

    number: int
    call: OperationCall
    request_id: RequestId | None = None
    tool_call_id: ToolCallId | None = None
    message_id: str | None = None
    tool: str = "bash"
    description: str = ""
