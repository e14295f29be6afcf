"""A conversation as a person sees it: entries in order, each of which may still grow."""

from datetime import datetime
from enum import StrEnum

from tandem_desktop.domain.agents import PermissionRequest, ToolCall
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId, RunId


class EntryKind(StrEnum):
    """Who speaks, or what is shown."""

    PERSON = "person"
    AGENT = "agent"
    THOUGHT = "thought"
    TOOL = "tool"
    PLAN = "plan"
    """A revision that waits, or waited, for a decision."""
    QUESTION = "question"
    """A permission card: Plan mode is off and the agent asks."""
    NOTE = "note"
    """What happened beside the conversation: a run, an undo, a change of mode."""
    REFLECTION = "reflection"
    """What a reflector made of a run, and the adjustments it proposes."""
    REPORT = "report"
    """The window's own answer to a command, in Markdown."""
    PROBLEM = "problem"


class ChatEntry(Frozen):
    """One entry. A later value with the same number replaces it."""

    number: int
    kind: EntryKind
    at: datetime
    text: str = ""
    call: ToolCall | None = None
    request: PermissionRequest | None = None
    answer: str = ""
    """What became of a question; empty while it waits."""
    plan_id: PlanId | None = None
    revision: int = 0
    run_id: RunId | None = None
    """The run a note tells of."""
    details: tuple[str, ...] = ()
    """Further lines, such as an agent's last words."""
    set_aside: bool = False
    """The person went back to before it: kept, and no longer part of the conversation."""
