"""Plan and run facts for the chat and the plan list."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.agent_protocol import ToolKind
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.events import (
    ChangesWaiting,
    PermissionAsked,
    PlanMoved,
    PlanProposed,
    QuestionAsked,
    RunFinished,
    RunPaused,
    RunResumed,
    RunStarted,
    RunUndone,
    TandemEvent,
    TurnEnded,
)
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan_states import RUNNING, PlanAction, PlanStatus
from tandem_desktop.domain.runs import ResultStatus, RunKind, RunStatus
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.storage.paths import Locations
from tandem_desktop.ui.chat.plan_card import PlanFacts
from tandem_desktop.ui.i18n import later, tr, tr_n, tr_table
from tandem_desktop.ui.plan import wording

CHANGES_PLANS = (
    PlanMoved,
    RunStarted,
    RunPaused,
    RunResumed,
    RunFinished,
    RunUndone,
    ChangesWaiting,
)

_SENTENCE_END = lazy_pattern(r"(?<=[.?!])\s+")
_CALL = lazy_pattern(r"\btandem [a-z]")


def next_step(error: TandemError) -> str:
    """What to do about an error, without calls of the command line: the window has ways of its own."""
    return " ".join(part for part in _SENTENCE_END.split(error.next) if not _CALL.search(part))


def error_words(error: TandemError) -> str:
    """An error in full for the window: what, and what to do about it."""
    return f"{error.message} {next_step(error)}".strip()


def page_to_read(event: TandemEvent) -> PlanId | None:
    """The plan whose page must be read again, or None. Steps of a run are shown from their events."""
    if isinstance(event, RunFinished):
        return event.plan_id
    if not isinstance(event, PlanMoved) or event.state in RUNNING or PlanAction.RECORD_RESULTS in event.actions:
        return None
    return event.plan_id


def expired_words(title: str) -> str:
    return tr(
        "Plan expired: {title}. There was no decision in time; a new revision brings it back.",
        title=visible_line(title),
    )


def log_words(event: TandemEvent) -> str:
    """`plan_moved PLAN-1a2b3c4d APPROVE`, for the log."""
    about = (getattr(event, name, None) for name in ("plan_id", "run_id", "event"))
    return " ".join((event.type, *(each for each in about if each)))


_ON_DISK = tr_table(
    {
        PlanStatus.COMPLETED: "This plan is on disk",
        PlanStatus.UNDONE: "Undone: nothing of this plan is on disk",
        PlanStatus.EXECUTING: "Writing what you approved",
        PlanStatus.PAUSED: "Paused: part of this plan is on disk",
    }
)


def obstacle(workspace: Locations) -> str:
    """Why nothing can be written to the workspace; empty if it can."""
    if not workspace.workspace.is_dir():
        return tr("This folder is gone: {folder}", folder=visible_line(str(workspace.workspace)))
    if workspace.is_read_only:
        return tr("This folder is read-only: ask and look, but no plan can be kept or applied here")
    return ""


def disk_words(page: PlanPage | None, interrupted: Mapping[str, tuple[int, int]], workspace: Locations) -> str:
    """What is on disk of the plan on screen, for the status bar; empty if there is nothing to say."""
    if words := obstacle(workspace):
        return words
    if cut_off := interrupted.get(page.version.plan_id) if page is not None else next(iter(interrupted.values()), None):
        done, total = cut_off
        return tr("Interrupted: {done} of {total} operations are done", done=done, total=total)
    if page is None:
        return ""
    if page.meta.status is PlanStatus.FAILED:
        done = sum(result.status is ResultStatus.COMPLETED for result in page.results)
        if done:
            return tr("{done} of {total} operations of this plan are on disk", done=done, total=len(page.results))
    return _ON_DISK.get(page.meta.status) or tr("Nothing of this plan is on disk")


def turn_words(event: TurnEnded) -> str:
    """What a turn of an agent that was not confined changed on disk; empty if it was confined."""
    if event.changed_on_disk is None:
        return ""
    changed = len(event.changed_on_disk)
    if not changed:
        return tr("The agent was not confined; the workspace is unchanged, other places were not looked at")
    return tr_n(
        "The agent was not confined; {n} path changed on disk",
        "The agent was not confined; {n} paths changed on disk",
        changed,
    )


_ASKED = tr_table(
    {
        ToolKind.EDIT: "It wants to change a file.",
        ToolKind.DELETE: "It wants to delete something.",
        ToolKind.MOVE: "It wants to move something.",
        ToolKind.EXECUTE: "It wants to run a command.",
        ToolKind.FETCH: "It wants to use the network.",
        ToolKind.READ: "It wants to read something.",
    }
)
"""Texts of desktop notifications, which others may see: no paths, no commands."""


def wants_attention(event: TandemEvent, titles: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Title, text and the id of the plan or conversation of a notification; None if the event needs no attention."""
    if isinstance(event, PlanProposed | ChangesWaiting):
        return tr("A plan waits for your review"), visible_line(titles.get(event.plan_id, "")), event.plan_id
    if isinstance(event, PermissionAsked):
        return tr("The agent asks for permission"), _ASKED.get(event.request.call.kind, ""), event.session_id
    if isinstance(event, QuestionAsked):
        return tr("The agent asks you a question"), tr("It waits for your answer."), event.session_id
    return None


def card_facts(page: PlanPage) -> PlanFacts:
    """What the chat card shows of a revision; only the latest can be decided."""
    is_latest = page.version.revision == page.meta.revision
    status = page.meta.status if is_latest else PlanStatus.SUPERSEDED
    return PlanFacts(
        plan_id=page.version.plan_id,
        revision=page.version.revision,
        title=visible_line(page.version.title),
        operations=page.sums.operations,
        files=page.sums.files,
        commands=page.sums.commands,
        added=page.sums.added,
        removed=page.sums.removed,
        state=wording.STATUSES[status],
        tone=wording.STATUS_TONES[status],
        is_waiting=is_latest and page.meta.status is PlanStatus.PROPOSED,
    )


UNDO, REDO = later("Undo"), later("Redo")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the chat and the plan list show of a run."""

    run_id: RunId
    plan_id: PlanId
    revision: int
    at: datetime
    way_back: str = ""
    """Label of the undo or redo button; empty if neither is possible."""
    is_applied: bool = False
    """Whether the plan was written and not undone since."""


def run_facts(run: ListedRun) -> RunFacts:
    record = run.record
    is_undo = record.kind is RunKind.UNDO
    way_back = UNDO if run.undoable and not is_undo else REDO if run.status is RunStatus.UNDONE else ""
    return RunFacts(
        run_id=record.run_id,
        plan_id=record.plan_id,
        revision=record.revision,
        at=record.ended_at or record.started_at,
        way_back="" if is_undo else way_back,
        is_applied=run.status is RunStatus.COMPLETED and not is_undo,
    )
