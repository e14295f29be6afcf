"""Addresses, request and response models of the API, and its refusals."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel
from starlette.responses import JSONResponse

from tandem_desktop.checks.evidence import Severity
from tandem_desktop.domain.advice import Complexity, RiskLevel, TaskType
from tandem_desktop.domain.errors import (
    BadInputError,
    PlanNotFoundError,
    RunNotFoundError,
    StorageError,
    TandemError,
    UnexpectedError,
)
from tandem_desktop.domain.ids import PLAN_ID, RUN_ID, SESSION_ID
from tandem_desktop.domain.network import NetworkReport
from tandem_desktop.domain.operations import OperationKind
from tandem_desktop.domain.perspectives import Effort, Role
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.questions import FieldKind
from tandem_desktop.domain.runs import FailurePolicy, ResultStatus, RunKind, RunStatus
from tandem_desktop.domain.tasks import TaskPriority, TaskStatus

MOST_WORDS = 20_000
MOST_FIELDS = 100
MOST_PATH = 4096


class ApiModel(BaseModel):
    """A value spelled in camel case outside."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, validate_by_name=True, from_attributes=True
    )

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)


LockFilePaths = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=MOST_PATH)], ...], Field(max_length=1000)
]


class ApprovalRequest(ApiModel):
    """A person's decision about the plan of a session."""

    session_id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    plan_id: Annotated[str, StringConstraints(pattern=f"^{PLAN_ID.pattern}$")]
    approved: Annotated[bool, Field(strict=True)]
    reason: Annotated[str, StringConstraints(max_length=MOST_WORDS)] = ""
    """Why not: the plan goes back to its agent with these words. With an approval, words to go with it."""
    digest: Annotated[str, StringConstraints(max_length=64)] | None = None
    """Of what was looked at, at least twelve digits; no approval without it."""
    on_failure: FailurePolicy | None = None
    comments_as_notes: Annotated[bool, Field(strict=True)] = False
    """Whether unread comments go along with an approval."""
    opened_lock_files: LockFilePaths = ()
    """Lock files that install code and whose changes were on screen."""
    skipped_lock_files: LockFilePaths = ()
    """Lock files that install code and are approved without a look."""


class PlanRequest(ApiModel):
    """A task to be planned. Nothing of the plan runs before a decision about it."""

    task: Annotated[str, StringConstraints(min_length=1, max_length=MOST_WORDS)]
    agent: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    """One of `tandem agents`; where none is named, the one of the settings."""
    perspectives: Annotated[bool, Field(strict=True)] | None = None
    """Whether three advisors look at the task first; where nothing is said, as the settings and the first look say."""
    session_id: Annotated[str, StringConstraints(pattern=f"^{SESSION_ID.pattern}$")] | None = None
    """A session to go on with; where none is named, a new one."""


class OrchestrationRequest(ApiModel):
    """A task to be taken from a plan to its end, with a person's decision at every gate."""

    task: Annotated[str, StringConstraints(min_length=1, max_length=MOST_WORDS)]
    context: Annotated[str, StringConstraints(max_length=MOST_WORDS)] = ""
    agent: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    """One of `tandem agents`; where none is named, the one of the settings."""


class AdjustmentRequest(ApiModel):
    """Which adjustments of a reflection a person accepts; the others are rejected."""

    run_id: Annotated[str, StringConstraints(pattern=f"^{RUN_ID.pattern}$")]
    accept: Annotated[tuple[Annotated[int, Field(ge=1, strict=True)], ...], Field(min_length=1, max_length=100)]


class AnswerRequest(ApiModel):
    """A person's answer to a question of an agent."""

    session_id: Annotated[str, StringConstraints(pattern=f"^{SESSION_ID.pattern}$")]
    question_id: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    action: Literal["accept", "decline"]
    content: Annotated[dict[str, str | bool | int | float | tuple[str, ...]], Field(max_length=MOST_FIELDS)] = Field(
        default_factory=dict
    )
    """The values by the names of the fields; only with `accept`, and none for an address."""


class ChecksRequest(ApiModel):
    """Run the checks of the workspace without and with a plan."""

    plan_id: Annotated[str, StringConstraints(pattern=f"^{PLAN_ID.pattern}$")]
    revision: Annotated[int, Field(ge=1, strict=True)] | None = None
    """The latest where none is named."""
    only: Annotated[
        tuple[Annotated[str, StringConstraints(min_length=1, max_length=60)], ...], Field(max_length=50)
    ] = ()
    """Names of checks; all of them where none is named."""
    timeout: Annotated[int, Field(ge=1, le=86_400, strict=True)] | None = None
    """Seconds for each run of a check, in place of what the list says."""
    again: Annotated[bool, Field(strict=True)] = False
    """Whether stored results are left aside."""
    accept: Annotated[str, StringConstraints(min_length=64, max_length=64)] | None = None
    """The digest of the list that a person looked at and lets run from now on."""


class StopChecksRequest(ApiModel):
    """Stop the checks of a plan."""

    plan_id: Annotated[str, StringConstraints(pattern=f"^{PLAN_ID.pattern}$")]


class CommandLineModel(ApiModel):
    """A value spelled as `--json` of the command line spells it."""

    model_config = ConfigDict(alias_generator=None)


class ListedCheckObject(CommandLineModel):
    """One command that would run."""

    name: str
    command: str
    affected: str
    """What runs ahead of it, for the tests alone that a plan touches; empty where nothing does."""
    cwd: str
    runs: str
    """What the command starts in turn, where that is known."""


class OfferedChecksAnswer(CommandLineModel):
    """The list of the workspace, and whether a person has accepted it."""

    checks_digest: str
    would_run: tuple[ListedCheckObject, ...]
    found: bool
    """Found from the files; otherwise written down in .tandem/checks.toml."""
    accepted: bool


class CheckSideObject(CommandLineModel):
    """How a check ended on one side; tests are counted where its report names them."""

    exit: int | None
    passed: int | None
    failed: int | None


class ComparedCheckObject(CommandLineModel):
    """One check without and with the plan."""

    name: str
    command: str
    before: CheckSideObject
    after: CheckSideObject
    fixed: tuple[str, ...]
    new_failures: tuple[str, ...]
    gone: tuple[str, ...]
    problem: str
    notes: tuple[str, ...]


class DiagnosticObject(CommandLineModel):
    """A message about a line of the files with the plan."""

    path: str
    line: int
    severity: Severity
    code: str
    message: str
    new: bool
    check: str


class EvidenceAnswer(CommandLineModel):
    """What the checks say about a revision, as `tandem check --json`."""

    plan_id: str
    revision: int
    summary: str
    digest: str
    checks: tuple[ComparedCheckObject, ...]
    diagnostics: tuple[DiagnosticObject, ...]
    tree_before: str
    tree_after: str


class StoppedAnswer(ApiModel):
    """Whether something was running."""

    stopped: bool


class QualificationObject(ApiModel):
    """The first look at a task: whether it had better be planned, and why."""

    task_type: TaskType | None
    complexity: Complexity | None
    risk_level: RiskLevel | None
    context: tuple[str, ...]
    reasons: tuple[str, ...]
    qualified_by: str
    plan_required: bool


class ToolCallObject(ApiModel):
    """What a task is going to do."""

    tool: str
    operation_id: str | None
    description: str


class ExecutedToolObject(ApiModel):
    """What was done for a task."""

    tool: str
    operation_id: str | None
    succeeded: bool
    error: str | None


class TaskObject(ApiModel):
    """One task in its plan."""

    task_id: Annotated[str, Field(validation_alias="id")]
    plan_id: str
    subject: str
    description: str
    active_form: str
    assigned_agent: Annotated[str, Field(validation_alias="agent")]
    priority: TaskPriority
    status: TaskStatus
    progress: int
    blocked_by: tuple[str, ...]
    blocks: tuple[str, ...]
    tools_to_execute: tuple[ToolCallObject, ...]
    tools_executed: tuple[ExecutedToolObject, ...]
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    result: str | None
    error: str | None


class ProgressObject(ApiModel):
    """How many tasks have which status."""

    total: int
    pending: int
    in_progress: int
    completed: int
    failed: int
    skipped: int
    percent_complete: int


class OperationObject(ApiModel):
    """One change that would be made, or command that would run."""

    id: str
    kind: OperationKind
    path: str | None
    to: str | None
    command: str | None
    added: int
    removed: int
    flags: tuple[str, ...]
    """The gravest first."""
    why: dict[str, str]
    """For each flag a sentence: what happens to such a file, or what the flag means."""
    notes: tuple[str, ...]
    """Sentences about what the flags mean here."""
    must_be_opened: bool
    """Whether it is a lock file that installs code, which an approval names as opened or skipped."""
    description: str
    task: str | None
    blocked_by: tuple[str, ...]
    beside: tuple[str, ...]
    """Other commands that a run starts together with this one."""


class AttentionObject(ApiModel):
    """Operations with equal hazards, which are acknowledged together."""

    flags: tuple[str, ...]
    kind: str
    """The kind of file, such as `ci`; empty where none is known."""
    operations: tuple[str, ...]


class PerspectiveObject(ApiModel):
    """What one of three advisors said about the task beforehand, and what it really read."""

    agent: Role
    analysis: str
    concerns: tuple[str, ...]
    recommendations: tuple[str, ...]
    estimated_effort: Effort
    dependencies: tuple[str, ...]
    timestamp: datetime
    spoken_by: str
    model: str
    files_read: tuple[str, ...]
    denied: tuple[str, ...]
    thrown_away: tuple[str, ...]


class ChapoObject(PerspectiveObject):
    """The strategic view."""

    strategic_analysis: str
    risk_assessment: RiskLevel
    impact_areas: tuple[str, ...]
    coordination_needs: tuple[str, ...]


class KodaObject(PerspectiveObject):
    """The view of the code."""

    affected_files: tuple[str, ...]
    code_patterns: tuple[str, ...]
    potential_breaking_changes: tuple[str, ...]
    testing_requirements: tuple[str, ...]


class DevoObject(PerspectiveObject):
    """The view of operations."""

    deployment_impact: tuple[str, ...]
    rollback_strategy: str
    services_affected: tuple[str, ...]
    infrastructure_changes: tuple[str, ...]


class IgnoredFolderObject(ApiModel):
    """How many ignored files lie in one folder; `.` is the workspace itself."""

    path: str
    glob: str
    count: int
    bytes: int


class IgnoredObject(ApiModel):
    """New files that git ignores: they stay in the shadow and are no part of the plan."""

    count: int = 0
    bytes: int = 0
    folders: tuple[IgnoredFolderObject, ...] = ()
    is_at_least: bool = False
    """Whether there are more than were counted."""


class RanCommandObject(ApiModel):
    """A command the agent ran in its shadow; a run of the plan does not repeat it."""

    command: str
    cwd: str
    exit_code: int | None
    """Null if the agent did not tell it."""
    has_failed: bool
    output: str
    """The end of what it printed."""


class PlanObject(ApiModel):
    """The latest revision of a plan, and where it stands."""

    plan_id: str
    session_id: str
    status: PlanStatus
    phase: str
    """`waiting_plan_approval` while a person has to decide."""
    title: str
    summary: str
    chapo_perspective: ChapoObject | None
    koda_perspective: KodaObject | None
    devo_perspective: DevoObject | None
    estimated_duration: str
    overall_risk: RiskLevel | None
    revision: int
    digest: str
    operations: tuple[OperationObject, ...]
    attention: tuple[AttentionObject, ...]
    """What needs attention, the gravest first."""
    tasks: tuple[TaskObject, ...]
    warnings: tuple[str, ...]
    network: NetworkReport | None
    """What the agent could reach while it planned, and what it was refused."""
    changed_on_disk: tuple[str, ...] | None
    """Paths that changed on disk during the turn of an unconfined agent; null where nothing was looked at."""
    incomplete: str
    drifted: tuple[str, ...]
    ran: tuple[RanCommandObject, ...]
    ignored: IgnoredObject
    planner_model: str
    """Who planned it, as `agent` or `agent:model`; empty if unknown."""
    executor_model: str
    """Who followed up on it, in the same words."""
    run_id: str | None
    approved_at: datetime | None
    rejected_at: datetime | None
    rejection_reason: str | None
    created_at: datetime
    updated_at: datetime


class PlanAnswer(ApiModel):
    """The plan of a session, and how far its tasks are."""

    plan: PlanObject
    progress: ProgressObject


class RevisionObject(ApiModel):
    """One proposal: its text, its operations, and the digest an approval of it binds."""

    id: str
    plan_id: str
    revision: int
    parent_revision: int | None
    origin: Origin
    title: str
    summary: str
    operations: tuple[OperationObject, ...]
    created_at: datetime
    digest: str


class RevisionsAnswer(ApiModel):
    """Every revision of the plan of a session, oldest first."""

    revisions: tuple[RevisionObject, ...]


class RevisionAnswer(ApiModel):
    """One revision."""

    revision: RevisionObject


class TasksAnswer(ApiModel):
    """Tasks in the order they can be done, and how far they are."""

    tasks: tuple[TaskObject, ...]
    progress: ProgressObject


class ListedPlanObject(ApiModel):
    """A plan in short."""

    plan_id: str
    title: str
    status: PlanStatus
    revision: int
    digest: str
    updated_at: datetime


class DamagedPlanObject(ApiModel):
    """A plan that cannot be read, and why."""

    plan_id: str
    path: str
    message: str
    next: str


class PlansAnswer(ApiModel):
    """Newest first, and those that cannot be read."""

    plans: tuple[ListedPlanObject, ...]
    damaged: tuple[DamagedPlanObject, ...]


class RunObject(ApiModel):
    """One run, and whether it can be taken back."""

    run_id: str
    plan_id: str
    revision: int
    kind: RunKind
    of: str | None
    status: RunStatus
    rolled_back: bool
    started_at: datetime
    ended_at: datetime | None
    undoable: bool
    summary: str


class RunsAnswer(ApiModel):
    """Newest first."""

    runs: tuple[RunObject, ...]


class ResultObject(ApiModel):
    """How one operation ended."""

    id: str
    status: ResultStatus
    error: str | None
    exit_code: int | None
    output: str | None


class RunAnswer(ApiModel):
    """One run with what came of each operation."""

    run: RunObject
    results: tuple[ResultObject, ...]


class ChoiceObject(ApiModel):
    """One choice of a field."""

    value: str
    label: str
    description: str


class FieldObject(ApiModel):
    """One value an agent asks for. `insteadOf` names the field whose place a text takes."""

    name: str
    kind: FieldKind
    title: str
    description: str
    is_required: bool
    choices: tuple[ChoiceObject, ...]
    default: str | bool | int | float | tuple[str, ...] | None
    min_length: int | None
    max_length: int | None
    pattern: str
    format: str
    minimum: float | None
    maximum: float | None
    min_items: int | None
    max_items: int | None
    instead_of: str


class QuestionObject(ApiModel):
    """A question of an agent: a form, or an address to open. Its words are the agent's."""

    question_id: Annotated[str, Field(validation_alias="id")]
    agent: str
    message: str
    fields: tuple[FieldObject, ...]
    url: str


class QuestionsAnswer(ApiModel):
    """The questions of a session that wait for an answer."""

    questions: tuple[QuestionObject, ...]


class ErrorObject(ApiModel):
    """What, where, and the next thing to do."""

    kind: str
    message: str
    path: str | None
    step: str | None
    next: str


class ErrorAnswer(ApiModel):
    """A refusal or a failure."""

    error: ErrorObject


PLANNING = "/chat/agents/plan"
APPROVAL = "/chat/agents/plan/approval"
ANSWER = "/chat/agents/questions/answer"
QUESTIONS = "/chat/agents/{sessionId}/questions"
ORCHESTRATIONS = "/orchestrations"
ADJUSTMENTS = "/orchestrations/adjustments"
PLAN = "/chat/agents/{sessionId}/plan"
REVISIONS = "/chat/agents/{sessionId}/plan/revisions"
REVISION = "/chat/agents/{sessionId}/plan/revisions/{revision}"
TASKS = "/chat/agents/{sessionId}/tasks"
HISTORY = "/chat/agents/{sessionId}/plans"
CHECKS = "/checks"
STOP_CHECKS = "/checks/stop"
EVIDENCE = "/plans/{planId}/checks"
PLANS = "/plans"
RUNS = "/runs"
RUN = "/runs/{runId}"
EVENTS = "/events"
DESCRIPTION = "/openapi.json"

CONFLICT = 409
_STATUS: tuple[tuple[type[TandemError], int], ...] = (
    (PlanNotFoundError, 404),
    (RunNotFoundError, 404),
    (BadInputError, 422),
    (StorageError, 503),
    (UnexpectedError, 500),
)

EVERYWHERE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class RequestRefusedError(TandemError):
    """The request itself cannot be answered: who asks, from where, or in which form."""

    kind = "request_refused"
    exit_code = 2

    def __init__(self, status: int, message: str, *, next: str = "", headers: dict[str, str] | None = None) -> None:  # noqa: A002 - as in TandemError
        super().__init__(message, next=next)
        self.status = status
        self.headers = headers or {}


def status_of(error: TandemError) -> int:
    """Errors without a status of their own are conflicts with the current state."""
    if isinstance(error, RequestRefusedError):
        return error.status
    return next((status for kind, status in _STATUS if isinstance(error, kind)), CONFLICT)


def refusal(error: TandemError) -> JSONResponse:
    """The error response. It closes the connection, so that the rest of a bad request is not read."""
    own = error.headers if isinstance(error, RequestRefusedError) else {}
    headers = {**EVERYWHERE, "Connection": "close", **own}
    return JSONResponse(error_line(error), status_code=status_of(error), headers=headers)


def error_line(error: TandemError) -> dict[str, Any]:
    return {"error": error.as_object()}
