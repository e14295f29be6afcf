"""What is kept of a session outside the workspace, so that a restart finds its agent and its plan again."""

from pathlib import Path

from pydantic import ValidationError

from tandem_desktop.domain.errors import BadInputError, PlanDamagedError
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId, RunId, SessionId
from tandem_desktop.storage import atomic

RECORD = "session.json"
STAGING = "staging.jsonl"
TRANSCRIPT = "transcript.jsonl"
ADVICE = "advice"


class SessionFacts(Frozen):
    """One session: which agent, in which workspace, and what it has been told."""

    id: SessionId
    agent: str
    command: tuple[str, ...] = ()
    """The words of an agent that has no profile of its own."""
    workspace: str
    task: str = ""
    takes_over: PlanId | None = None
    """A plan that was there before the agent, until its work is in the agent's shadow."""
    told_runs: tuple[RunId, ...] = ()
    told_plan: tuple[str, str, int, int] | None = None
    """Plan, status, revision and rejections, as the agent last heard of them."""


class SessionRecord:
    """The folder of one session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def staging(self) -> Path:
        """Where `StagingStore` keeps what the session has staged."""
        return self.folder / STAGING

    @property
    def transcript(self) -> Path:
        """Where the messages of the session are written down."""
        return self.folder / TRANSCRIPT

    def advice(self, role: str) -> Path:
        """Where the messages of whoever was asked about its task in this role are written down."""
        return self.folder / ADVICE / f"{role}.jsonl"

    def advice_kept(self) -> dict[str, Path]:
        """Whoever was asked about its task, and where that is written down."""
        return {file.stem: file for file in sorted((self.folder / ADVICE).glob("*.jsonl"))}

    def exists(self) -> bool:
        return (self.folder / RECORD).is_file()

    def save(self, facts: SessionFacts) -> None:
        atomic.make_directory(self.folder, mode=0o700)
        atomic.replace(self.folder / RECORD, facts.model_dump_json(indent=1).encode(), mode=0o600)

    def load(self) -> SessionFacts:
        """Raises BadInputError where there is no such session, PlanDamagedError where it cannot be read."""
        path = self.folder / RECORD
        if not self.exists():
            raise BadInputError(f"There is no session {self.folder.name}.", next="Start one: tandem run --agent NAME")
        try:
            return SessionFacts.model_validate_json(path.read_bytes())
        except ValidationError:
            raise PlanDamagedError(
                f"The record of the session {path} cannot be read.", path=str(path), next="Start a new session."
            ) from None
