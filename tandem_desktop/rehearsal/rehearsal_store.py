"""What a rehearsal found, kept beside the conversation of its plan, so that it survives a restart."""

import contextlib
from pathlib import Path

from pydantic import ValidationError

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.rehearsal.rehearsal import Rehearsal
from tandem_desktop.storage import atomic

FILE = "rehearsal.json"
FORMAT = 1


class _Record(Frozen):
    format: int = FORMAT
    digest: str
    """Of the revision that was rehearsed."""
    rehearsal: Rehearsal


class RehearsalStore:
    """One record for each session; what belongs to another revision counts for nothing."""

    def __init__(self, sessions: Path) -> None:
        self._sessions = sessions

    def load(self, version: PlanVersion) -> Rehearsal | None:
        """What was found about exactly this revision; nothing where the record is missing or damaged."""
        try:
            record = _Record.model_validate_json(self._path(version).read_bytes())
        except (OSError, ValidationError):
            return None
        return record.rehearsal if (record.format, record.digest) == (FORMAT, _digest(version)) else None

    def save(self, version: PlanVersion, rehearsal: Rehearsal) -> None:
        """Keep it in the place of the one before; where that cannot be, it is only shown."""
        path = self._path(version)
        with contextlib.suppress(OSError, ValueError):
            data = _Record(digest=_digest(version), rehearsal=rehearsal).model_dump_json().encode()
            atomic.make_directory(path.parent, mode=0o700)
            atomic.replace(path, data, mode=0o600)

    def _path(self, version: PlanVersion) -> Path:
        return self._sessions / version.session_id / FILE


def _digest(version: PlanVersion) -> str:
    return ApprovalHash.of(version).combined_hash
