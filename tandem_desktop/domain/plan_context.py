"""What the plan's machine remembers between events, and how each named action changes it."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType

from tandem_desktop.domain.execution import OperationResult
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan_events import (
    Cancel,
    ExecutionFailed,
    OperationStaged,
    PlanCreated,
    PlanEvent,
    PlanExecuted,
    PlanUpdated,
    RequestRevision,
    StartPlanning,
)


class PlanAction(StrEnum):
    """What is to be done when the state changes, by name; whoever sends the event performs it."""

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
    RECORD_DECISION = "recordDecision"
    QUEUE_REVISION = "queueRevision"
    SET_EXECUTING = "setExecuting"
    CLEAR_EXECUTING = "clearExecuting"
    EXECUTE_ALL_OPERATIONS = "executeAllOperations"
    PAUSE_EXECUTION = "pauseExecution"
    RESUME_EXECUTION = "resumeExecution"
    STOP_EXECUTION = "stopExecution"
    APPLY_FAILURE_POLICY = "applyFailurePolicy"
    RECORD_RESULTS = "recordResults"
    CLEAR_STAGING = "clearStaging"
    SHOW_SUCCESS = "showSuccess"
    SHOW_FAILURE = "showFailure"
    NOTIFY_AI = "notifyAI"
    RESET_PLAN = "resetPlan"


class PlanContext(Frozen):
    """The session's plan as the machine knows it. The store is the truth; this is its shadow."""

    plan_id: PlanId | None = None
    revision: int = 0
    operations: tuple[StagedOperation, ...] = ()
    execution_results: tuple[OperationResult, ...] = ()
    task: str | None = None
    feedback: str | None = None
    """What the person wants changed, until a revision answers it."""
    executing: bool = False
    rolled_back: bool = False


Update = Callable[[PlanContext, PlanEvent], PlanContext]


def act(action: PlanAction, context: PlanContext, event: PlanEvent) -> PlanContext:
    """The context after `action`. Actions that only concern the outside leave it as it is."""
    update = UPDATES.get(action)
    return context if update is None else update(context, event)


def _initialize(_: PlanContext, event: PlanEvent) -> PlanContext:
    return PlanContext(task=event.task if isinstance(event, StartPlanning) else None)


def _set_task(context: PlanContext, event: PlanEvent) -> PlanContext:
    return context.model_copy(update={"task": event.task}) if isinstance(event, StartPlanning) else context


def _set_plan_id(context: PlanContext, event: PlanEvent) -> PlanContext:
    return context.model_copy(update={"plan_id": event.plan_id}) if isinstance(event, PlanCreated) else context


def _increment_revision(context: PlanContext, event: PlanEvent) -> PlanContext:
    """Take the store's number where the event carries it; count only where nobody did.

    Asking for a revision counts it, so the proposal that answers the request does not count it again.
    """
    if isinstance(event, PlanCreated | PlanUpdated | OperationStaged):
        already_counted = context.feedback is not None and not isinstance(event, OperationStaged)
        number = event.revision or context.revision + (0 if already_counted else 1)
        answered = None if already_counted else context.feedback
        return context.model_copy(update={"revision": number, "feedback": answered})
    return context.model_copy(update={"revision": context.revision + 1})


def _queue_revision(context: PlanContext, event: PlanEvent) -> PlanContext:
    return context.model_copy(update={"feedback": event.feedback}) if isinstance(event, RequestRevision) else context


def _add_operation(context: PlanContext, event: PlanEvent) -> PlanContext:
    if not isinstance(event, OperationStaged):
        return context
    staged = list(context.operations)
    for position, operation in enumerate(staged):
        if operation.id == event.operation.id:
            staged[position] = event.operation
            break
    else:
        staged.append(event.operation)
    return context.model_copy(update={"operations": tuple(staged)})


def _record_results(context: PlanContext, event: PlanEvent) -> PlanContext:
    if isinstance(event, PlanExecuted):
        return context.model_copy(update={"execution_results": event.results, "rolled_back": False})
    if isinstance(event, ExecutionFailed | Cancel):
        return context.model_copy(update={"execution_results": event.results, "rolled_back": event.rolled_back})
    return context


UPDATES: Mapping[PlanAction, Update] = MappingProxyType(
    {
        PlanAction.INITIALIZE_PLAN: _initialize,
        PlanAction.SET_TASK: _set_task,
        PlanAction.SET_PLAN_ID: _set_plan_id,
        PlanAction.INCREMENT_REVISION: _increment_revision,
        PlanAction.QUEUE_REVISION: _queue_revision,
        PlanAction.ADD_OPERATION: _add_operation,
        PlanAction.RECORD_RESULTS: _record_results,
        PlanAction.SET_EXECUTING: lambda context, _: context.model_copy(update={"executing": True}),
        PlanAction.CLEAR_EXECUTING: lambda context, _: context.model_copy(update={"executing": False}),
        PlanAction.CLEAR_STAGING: lambda context, _: context.model_copy(update={"operations": ()}),
        PlanAction.CLEAR_PLAN: lambda _context, _event: PlanContext(),
        PlanAction.RESET_PLAN: lambda _context, _event: PlanContext(),
    }
)
