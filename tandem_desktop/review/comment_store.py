"""Comments on disk, beside the conversation the plan came from, so that no draft is lost."""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from tandem_desktop.domain.errors import PlanDamagedError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.review import Comments
from tandem_desktop.storage import atomic, locks
from tandem_desktop.storage.refusals import writing

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
        path = self._path(session_id, plan_id)
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
        return found

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
                        self._path(session_id, plan_id),
                        changed.model_dump_json().encode("utf-8", "surrogatepass"),
                        mode=0o600,
                    )
        return changed

    def _path(self, session_id: SessionId, plan_id: PlanId) -> Path:
        return self._sessions / session_id / f"comments-{plan_id}.json"
