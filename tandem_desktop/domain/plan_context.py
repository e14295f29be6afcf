"""What the plan's state machine remembers between events, and how each named action changes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from tandem_desktop.domain.execution import OperationResult
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.plan_events import (
    PlanCreated,
    PlanEvent,
    PlanUpdated,
    RequestRevision,
    RunEnd,
    StageOperation,
    StartPlanning,
)


class PlanAction(StrEnum):
    """What a transition does, by name; the sender of the event performs it."""

    INITIALIZE_PLAN = "initializePlan"
    SET_TASK = "setTask"
    CREATE_PLAN_DOCUMENT = "createPlanDocument"
    SET_PLAN_ID = "setPlanId"
    INCREMENT_REVISION = "incrementRevision"
    UPDATE_PLAN = "updatePlan"
    FINALIZE_PLAN = "finalizePlan"
    CLEAR_PLAN = "clearPlan"
    ADD_OPERATION = "addOperation"
    REARM_APPROVAL = "rearmApproval"
    SHOW_EXECUTION_PLAN_PANEL = "showExecutionPlanPanel"
    ENABLE_DIFF_VIEWER = "enableDiffViewer"
    RECORD_APPROVAL = "recordApproval"
    RECORD_DECISION = "recordDecision"
    QUEUE_REVISION = "queueRevision"
    SET_EXECUTING = "setExecuting"
    CLEAR_EXECUTING = "clearExecuting"
    EXECUTE_ALL_OPERATIONS = "executeAllOperations"
    PAUSE_EXECUTION = "pauseExecution"
    RESUME_EXECUTION = "resumeExecution"
    STOP_EXECUTION = "stopExecution"
    APPLY_FAILURE_POLICY = "applyFailurePolicy"
    MARK_TIMED_OUT = "markTimedOut"
    MARK_SUPERSEDED = "markSuperseded"
    RECORD_RESULTS = "recordResults"
    CLEAR_STAGING = "clearStaging"
    SHOW_SUCCESS = "showSuccess"
    SHOW_FAILURE = "showFailure"
    NOTIFY_AI = "notifyAI"
    RESET_PLAN = "resetPlan"


@dataclass(frozen=True, slots=True)
class PlanContext:
    """The plan as the machine knows it. Operations are known by id; the staging store or the revision holds them."""

    plan_id: PlanId | None = None
    revision: int = 0
    operations: tuple[OperationId, ...] = ()
    execution_results: tuple[OperationResult, ...] = ()
    task: str | None = None
    feedback: str | None = None
    """What the person wants changed, until a revision answers it."""
    rejections: int = 0
    """How often the person rejected the plan with feedback."""
    approved: bool = False
    executing: bool = False
    rolled_back: bool = False
    timed_out: bool = False
    """Whether the plan expired, or its run stalled."""
    superseded: bool = False


Update = Callable[[PlanContext, PlanEvent], PlanContext]


def act(action: PlanAction, context: PlanContext, event: PlanEvent) -> PlanContext:
    """The context after `action`. Actions with effects outside the machine leave it unchanged."""
    update = UPDATES.get(action)
    return context if update is None else update(context, event)


def _initialize(_: PlanContext, event: PlanEvent) -> PlanContext:
    return PlanContext(task=event.task if isinstance(event, StartPlanning) else None)


def _set_task(context: PlanContext, event: PlanEvent) -> PlanContext:
    return replace(context, task=event.task) if isinstance(event, StartPlanning) else context


def _set_plan_id(context: PlanContext, event: PlanEvent) -> PlanContext:
    return replace(context, plan_id=event.plan_id) if isinstance(event, PlanCreated) else context


def _increment_revision(context: PlanContext, event: PlanEvent) -> PlanContext:
    """The store's number where it is known; a queued revision counts when it is stored."""
    if isinstance(event, RequestRevision):
        return context
    number = event.revision if isinstance(event, PlanCreated | PlanUpdated | StageOperation) else None
    return replace(context, revision=number or context.revision + 1, feedback=None)


def _queue_revision(context: PlanContext, event: PlanEvent) -> PlanContext:
    if not isinstance(event, RequestRevision):
        return context
    return replace(context, feedback=event.feedback, rejections=context.rejections + 1, approved=False)


def _add_operation(context: PlanContext, event: PlanEvent) -> PlanContext:
    if not isinstance(event, StageOperation) or event.operation.id in context.operations:
        return context
    return replace(context, operations=(*context.operations, event.operation.id))


def _record_results(context: PlanContext, event: PlanEvent) -> PlanContext:
    if not isinstance(event, RunEnd):
        return context
    return replace(context, execution_results=event.results, rolled_back=event.rolled_back, timed_out=False)


def _always(**fields: object) -> Update:
    return lambda context, _: replace(context, **fields)  # type: ignore[arg-type]  # names are checked by the tests


UPDATES: Mapping[PlanAction, Update] = MappingProxyType(
    {
        PlanAction.INITIALIZE_PLAN: _initialize,
        PlanAction.SET_TASK: _set_task,
        PlanAction.SET_PLAN_ID: _set_plan_id,
        PlanAction.INCREMENT_REVISION: _increment_revision,
        PlanAction.UPDATE_PLAN: _always(timed_out=False),
        PlanAction.REARM_APPROVAL: _always(approved=False),
        PlanAction.RECORD_APPROVAL: _always(approved=True, feedback=None),
        PlanAction.QUEUE_REVISION: _queue_revision,
        PlanAction.ADD_OPERATION: _add_operation,
        PlanAction.RECORD_RESULTS: _record_results,
        PlanAction.SET_EXECUTING: _always(executing=True, approved=False, timed_out=False),
        PlanAction.CLEAR_EXECUTING: _always(executing=False),
        PlanAction.MARK_TIMED_OUT: _always(timed_out=True),
        PlanAction.MARK_SUPERSEDED: _always(superseded=True),
        PlanAction.CLEAR_STAGING: _always(operations=()),
        PlanAction.CLEAR_PLAN: lambda _context, _event: PlanContext(),
        PlanAction.RESET_PLAN: lambda _context, _event: PlanContext(),
    }
)
