"""What the card of a revision shows, taken from the page of the plan, and what events mean for the window."""

from collections.abc import Mapping

from tandem_desktop.domain.agents import ToolKind
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.events.events import (
    ChangesWaiting,
    PermissionAsked,
    PlanApproved,
    PlanCancelled,
    PlanExpired,
    PlanProposed,
    PlanRejected,
    PlanSuperseded,
    RunFinished,
    RunPaused,
    RunResumed,
    RunStarted,
    RunUndone,
    TandemEvent,
)
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.ui.chat.plan_card import PlanFacts

CHANGES_PLANS = (
    PlanProposed,
    PlanApproved,
    PlanRejected,
    PlanCancelled,
    PlanSuperseded,
    PlanExpired,
    RunStarted,
    RunPaused,
    RunResumed,
    RunFinished,
    RunUndone,
    ChangesWaiting,
)
CHANGES_PAGE = (PlanProposed, PlanApproved, PlanRejected, PlanCancelled, PlanSuperseded, PlanExpired, RunFinished)
"""After these the page of the plan they name is read again."""
_WORDS = {
    PlanStatus.DRAFT: ("Drafting", "info"),
    PlanStatus.PROPOSED: ("Reviewing", "risk"),
    PlanStatus.APPROVED: ("Approved", "info"),
    PlanStatus.EXECUTING: ("Running", "info"),
    PlanStatus.PAUSED: ("Paused", "risk"),
    PlanStatus.COMPLETED: ("Applied", "ok"),
    PlanStatus.FAILED: ("Failed", "error"),
    PlanStatus.REJECTED: ("Sent back", "neutral"),
    PlanStatus.NEEDS_REVIEW: ("Needs a person", "risk"),
    PlanStatus.CANCELLED: ("Cancelled", "neutral"),
    PlanStatus.EXPIRED: ("Expired", "risk"),
    PlanStatus.STALLED: ("Interrupted", "error"),
    PlanStatus.SUPERSEDED: ("Superseded", "neutral"),
}


def expired_words(title: str) -> str:
    return f"Plan expired: {title}. Nobody decided in time; a new revision brings it back."


def log_words(event: TandemEvent) -> str:
    """`plan_approved PLAN-1a2b3c4d`, for the log."""
    about = (getattr(event, name, None) for name in ("plan_id", "run_id"))
    return " ".join((event.type, *(each for each in about if each)))


def words_about_the_disk(event: TandemEvent) -> str:
    """What has become of the files, where an event says so."""
    if isinstance(event, RunFinished):
        return event.summary
    return "Writing what you approved" if isinstance(event, RunStarted) else ""


_ASKED = {
    ToolKind.EDIT: "It wants to change a file.",
    ToolKind.DELETE: "It wants to delete something.",
    ToolKind.MOVE: "It wants to move something.",
    ToolKind.EXECUTE: "It wants to run a command.",
    ToolKind.FETCH: "It wants to use the network.",
    ToolKind.READ: "It wants to read something.",
}
"""What a desktop shows to anybody who looks at it: never a path or a command."""


def wants_attention(event: TandemEvent, titles: Mapping[str, str]) -> tuple[str, str] | None:
    """What a person has to look at, and about what; nothing where the event needs nobody."""
    if isinstance(event, PlanProposed | ChangesWaiting):
        return "A plan waits for your review", titles.get(event.plan_id, "")
    if isinstance(event, PermissionAsked):
        return "The agent asks for permission", _ASKED.get(event.request.call.kind, "")
    return None


def card_facts(page: PlanPage) -> PlanFacts:
    """One revision in short; only the latest can still be decided."""
    is_latest = page.version.revision == page.meta.revision
    state, tone = _WORDS[page.meta.status] if is_latest else ("Superseded", "neutral")
    return PlanFacts(
        plan_id=page.version.plan_id,
        revision=page.version.revision,
        title=page.version.title,
        operations=len(page.views),
        files=page.sums.files,
        commands=page.sums.commands,
        added=page.sums.added,
        removed=page.sums.removed,
        state=state,
        tone=tone,
        is_waiting=is_latest and page.meta.status is PlanStatus.PROPOSED,
    )
