"""What a rehearsal found: how every command ended, and what it did to the files."""

from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import CommandCall, PathChange
from tandem_desktop.staging.simulate import Problem


@dataclass(frozen=True, slots=True)
class RehearsedCommand:
    """One command that ran in the throw-away shadow, or the reason why it did not."""

    id: OperationId
    call: CommandCall
    exit_code: int | None
    """None when it never ran."""
    output: str
    seconds: float
    effects: tuple[PathChange, ...]
    """What it changed in the workspace, sorted by path; the bytes of both sides are stored. Of a command that failed,
    what it had done by then: a run would throw it away."""
    outside: tuple[str, ...]
    """What it wrote outside the workspace, as far as that could be seen; nothing of it was kept."""
    error: str | None
    """Why a run would stop here."""
    doubts: tuple[str, ...]
    """Why the real run may come out otherwise; empty when what is shown here is what will happen."""

    @property
    def is_previewable(self) -> bool:
        return not self.doubts


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One revision, played through. The workspace was only read."""

    plan_id: PlanId
    revision: int
    commands: tuple[RehearsedCommand, ...]
    problems: tuple[Problem, ...]
    """Operations that did not apply when their turn came."""
    network: bool
    confinement: str
    at: datetime
    """When it had ended."""
