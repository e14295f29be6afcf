"""Plans, their revisions and their metadata."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.ids import PlanId, RunId, SessionId
from tandem_desktop.domain.network import NetworkReport
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.paths import ROOT, shown
from tandem_desktop.domain.perspectives import Perspectives
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.tasks import PlanTask

FORMAT = 1
"""The version of the stored records and of the digest. A reader refuses a higher one."""


class Origin(StrEnum):
    """Who or what made a revision."""

    AGENT = "agent"
    REWORK = "rework"
    PERSON = "person"
    REBASE = "rebase"
    ADJUSTMENT = "adjustment"


class BranchPoint(Frozen):
    """The revision an alternative was branched from; the alternative is a plan of its own."""

    plan_id: PlanId
    revision: int


class Note(Frozen):
    """A step that changes nothing, kept because the agent named it."""

    step: str
    tool: str
    path: str | None = None
    description: str = ""


class RanCommand(Frozen):
    """A command the agent ran in its shadow. Its file effects are operations; a run does not repeat it."""

    command: str
    cwd: str = ROOT
    exit_code: int | None = None
    """None if the agent did not tell it."""
    has_failed: bool = False
    output: str = ""
    """The end of what it printed."""

    @property
    def outcome(self) -> str:
        """How it ended, in a word or two."""
        if self.exit_code is not None:
            return f"exit {self.exit_code}"
        return "failed" if self.has_failed else "exit code not told"


class IgnoredFolder(Frozen):
    """How many ignored files an agent left in one folder, and how large they are."""

    path: str
    """A folder that is ignored as a whole, or one that holds ignored files; `.` is the workspace itself."""
    glob: str = ""
    """What `tandem include` is given to take just these in."""
    count: Annotated[int, Field(ge=0)]
    bytes: Annotated[int, Field(ge=0)]


class IgnoredFiles(Frozen):
    """New files that git ignores, or that lie in a usual by-product folder. They are no part of the plan."""

    count: Annotated[int, Field(ge=0)]
    bytes: Annotated[int, Field(ge=0)]
    folders: tuple[IgnoredFolder, ...] = ()
    is_at_least: bool = False
    """Whether there are more than were counted."""

    def sentence(self) -> str:
        """The one line for a person."""
        files = f"{self.count:,} ignored {'file' if self.count == 1 else 'files'}"
        verb = "is" if self.count == 1 else "are"
        more = "More than " if self.is_at_least else ""
        return f"{more}{files}{self._places()} {verb} not part of the plan."

    def _places(self) -> str:
        names = [f"{shown(each.path)}/" for each in self.folders if each.path != "."]
        if not names or len(names) < len(self.folders):
            return ""
        if len(names) == 1:
            return f" in {names[0]}"
        largest = max(self.folders, key=lambda each: each.count)
        others = len(names) - 1
        return f" in {shown(largest.path)}/ and {others} other {'folder' if others == 1 else 'folders'}"


class PlanVersion(Frozen):
    """One revision: plan text and ordered operations, written once, never changed."""

    format: int = FORMAT
    id: str
    plan_id: PlanId
    session_id: SessionId
    revision: Annotated[int, Field(ge=0)] = 0
    parent_revision: int | None = None
    origin: Origin = Origin.AGENT
    title: str
    content: str
    """The plan text a person reads, as Markdown. It, the title and the context are in the digest."""
    context: dict[str, Any] = Field(default_factory=dict)
    operations: tuple[StagedOperation, ...] = ()
    tasks: tuple[PlanTask, ...] = ()
    notes: tuple[Note, ...] = ()
    warnings: tuple[str, ...] = ()
    """What a person has to know about how it came to be; like the next seven, never in the digest."""
    ran: tuple[RanCommand, ...] = ()
    """Commands the agent ran in its shadow, in order; none of them runs again."""
    confinement: str = ""
    """The confinement of the agent while it planned."""
    changed_on_disk: tuple[str, ...] | None = None
    """Paths on disk that changed during the turn of an unconfined agent; None where nothing was looked at."""
    network: NetworkReport | None = None
    """What the agent could reach while it planned, and what it was refused."""
    incomplete: str = ""
    """Why the agent did not come to an end; such a revision cannot be approved."""
    perspectives: Perspectives | None = None
    """The perspectives on the task before it was planned; advice, not part of the digest."""
    drifted: tuple[str, ...] = ()
    """Paths the person changed while the agent worked on them; they cannot be approved as they are."""
    ignored: IgnoredFiles | None = None
    """What the agent left behind that is not written, and so not in the digest."""
    branched_from: BranchPoint | None = None
    """Of the first revision of an alternative; never in the digest."""
    created_at: datetime
    approval_hash: str = ""
    """The digest at the time of writing. Never trusted: it is always computed again."""


class Rejection(Frozen):
    """A rejection by a person, and why."""

    revision: int
    feedback: str
    at: datetime


class PlanMeta(Frozen):
    """The authoritative status of a plan; every write increments `version`."""

    format: int = FORMAT
    plan_id: PlanId
    session_id: SessionId
    title: str
    status: PlanStatus
    version: int = 1
    revision: int
    digest: str
    branched_from: BranchPoint | None = None
    """What the plan is an alternative to."""
    gateway: bool = False
    """Made through `tandem serve`; it expires after `gateway_stale_after_days`."""
    created_at: datetime
    updated_at: datetime
    planner_model: str = ""
    """The agent that planned it last, with its model: `opencode:anthropic/claude-sonnet-4-5`; empty for a person."""
    executor_model: str = ""
    """The agent that got the result of its last run, to follow up on it. Tandem itself executes plans."""
    tools_required: tuple[str, ...] = ()
    execution_session: RunId | None = None
    execution_started_at: datetime | None = None
    execution_ended_at: datetime | None = None
    result_summary: str = ""
    approved_at: datetime | None = None
    """When a person last approved it."""
    rejections: tuple[Rejection, ...] = ()
    rating: Annotated[int, Field(ge=1, le=5)] | None = None
    """The person's rating."""
    approval_notes: str = ""
    """The person's notes with the approval; sent to the agent with the result."""
