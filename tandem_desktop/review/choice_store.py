"""A person's choices on disk, beside the conversation the plan came from, so that they survive a restart."""

from pathlib import Path

from pydantic import ValidationError

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.review.draft import Choices
from tandem_desktop.storage import atomic

FILE = "review.json"
FORMAT = 1


class _Record(Frozen):
    format: int = FORMAT
    choices: Choices


class ChoiceStore:
    """One record for each session; what belongs to another revision counts for nothing."""

    def __init__(self, sessions: Path) -> None:
        self._sessions = sessions

    def load(self, version: PlanVersion) -> Choices:
        """What was chosen about this revision; nothing where the record is missing, damaged or about another."""
        nothing = Choices(plan_id=version.plan_id, revision=version.revision)
        try:
            record = _Record.model_validate_json(self._path(version.session_id).read_bytes())
        except (OSError, ValidationError):
            return nothing
        found = record.choices
        fits = record.format == FORMAT and (found.plan_id, found.revision) == (version.plan_id, version.revision)
        return found if fits else nothing

    def save(self, session_id: SessionId, choices: Choices) -> None:
        path = self._path(session_id)
        atomic.make_directory(path.parent, mode=0o700)
        atomic.replace(path, _Record(choices=choices).model_dump_json().encode(), mode=0o600)

    def _path(self, session_id: SessionId) -> Path:
        return self._sessions / session_id / FILE
