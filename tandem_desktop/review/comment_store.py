"""Comments on disk, beside the conversation the plan came from, so that no draft is lost."""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from tandem_desktop.domain.errors import PlanDamagedError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.review import Comments
from tandem_desktop.storage import atomic, locks
from tandem_desktop.storage.refusals import writing

_FILE = "comments.json"
_LOCK = "comments.lock"


class CommentStore:
    """One record for each plan. Two windows that write at once both keep their words."""

    def __init__(self, sessions: Path) -> None:
        self._sessions = sessions

    def load(self, session_id: SessionId, plan_id: PlanId) -> Comments:
        """Every comment on the plan.

        Raises:
            PlanDamagedError: the record cannot be read; it is left as it is.
        """
        path = self._sessions / session_id / _FILE
        try:
            found = Comments.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return Comments(plan_id=plan_id)
        except (OSError, ValidationError):
            raise PlanDamagedError(
                f"The comments in {path} cannot be read.",
                path=str(path),
                next="Move the file away, then comment again.",
            ) from None
        # Another plan of the same conversation has ended, and its comments with it.
        return found if found.plan_id == plan_id else Comments(plan_id=plan_id)

    def update(self, session_id: SessionId, plan_id: PlanId, change: Callable[[Comments], Comments]) -> Comments:
        """Change the record as it is at this moment."""
        folder = self._sessions / session_id
        with writing(folder):
            atomic.make_directory(folder, mode=0o700)
            with locks.held(folder / _LOCK):
                found = self.load(session_id, plan_id)
                changed = change(found)
                if changed != found:
                    atomic.replace(
                        folder / _FILE, changed.model_dump_json().encode("utf-8", "surrogatepass"), mode=0o600
                    )
        return changed
