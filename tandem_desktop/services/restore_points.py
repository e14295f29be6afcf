"""Restores files and chat to an earlier message."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import RunId, SessionId
from tandem_desktop.execution.undo import RewindPlan, UndoneRun
from tandem_desktop.services.chat_log import ChatLog
from tandem_desktop.services.runs import PlanRuns


class Restoring(StrEnum):
    """What goes back."""

    FILES = "files"
    CHAT = "chat"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class PointPreview:
    """What going back would mean; nothing is done yet."""

    files: RewindPlan | None
    """Which runs after the point would be taken back, whichever conversation they came from, and what that does."""
    entries: int
    """Entries of the conversation that would be set aside."""


@dataclass(frozen=True, slots=True)
class RestoredPoint:
    """What was done."""

    run: UndoneRun | None
    entries: int


class RestorePoints:
    """Entries of a conversation are the points. Nothing is deleted: runs are undone, entries are set aside."""

    def __init__(self, runs: PlanRuns, chat: ChatLog) -> None:
        self._runs = runs
        self._chat = chat

    def preview(self, session_id: SessionId, entry: int) -> PointPreview:
        first = self._first_run_after(self._moment(session_id, entry))
        later = [each for each in self._chat.entries(session_id) if each.number > entry and not each.set_aside]
        return PointPreview(self._rewinding(first), len(later))

    def restore(self, session_id: SessionId, entry: int, what: Restoring) -> RestoredPoint:
        """Go back to just after an entry; files first, so that a conflict leaves the conversation as it is.

        Raises:
            UndoConflictError: a later edit is in the way of the files; nothing was changed.
            BadInputError: there is no such entry.
        """
        self._moment(session_id, entry)
        files = self.preview(session_id, entry).files if what is not Restoring.CHAT else None
        run = self._runs.rewind(files.runs[-1]) if files is not None else None
        aside = self._chat.set_aside(session_id, entry) if what is not Restoring.FILES else 0
        return RestoredPoint(run, aside)

    def _moment(self, session_id: SessionId, entry: int) -> datetime:
        found = next((each for each in self._chat.entries(session_id) if each.number == entry), None)
        if found is None:
            raise BadInputError(f"The conversation has no entry {entry}.", next="Choose one that is shown.")
        return found.at

    def _first_run_after(self, moment: datetime) -> RunId | None:
        later = [each.record.run_id for each in self._runs.runs() if each.record.started_at > moment]
        return later[-1] if later else None

    def _rewinding(self, first: RunId | None) -> RewindPlan | None:
        """What going back to before a run would do; nothing where all since has been undone already."""
        try:
            return self._runs.preview_rewind(first) if first is not None else None
        except BadInputError:
            return None
