"""Which events are told over HTTP, and in which words; what people and agents say to each other is not."""

from typing import Any

from pydantic.alias_generators import to_camel

from tandem_desktop.api.wire import ProgressObject, TaskObject
from tandem_desktop.domain.tasks import TaskProgress, TrackedTask
from tandem_desktop.events import events
from tandem_desktop.events.perspective_events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveStarted,
    PlanApprovalRequested,
    PlanningStarted,
    PlanReady,
    SynthesisEnded,
    SynthesisStarted,
    TaskDelegated,
)
from tandem_desktop.events.task_events import (
    TaskCompleted,
    TaskCreated,
    TaskFailed,
    TasksListed,
    TaskStarted,
    TaskUpdated,
)

TOLD = (
    events.PlanProposed,
    events.PlanApproved,
    events.PlanRejected,
    events.PlanCancelled,
    events.PlanSuperseded,
    events.PlanExpired,
    events.RunStarted,
    events.OperationStarted,
    events.CommandPrinted,
    events.OperationFinished,
    events.RunPaused,
    events.RunResumed,
    events.RunFinished,
    events.RunUndone,
    TaskUpdated,
    TaskStarted,
    TaskCompleted,
    TaskFailed,
    PlanningStarted,
    PerspectiveStarted,
    PerspectiveCompleted,
    PerspectiveFailed,
    SynthesisStarted,
    SynthesisEnded,
    TaskDelegated,
    PlanReady,
    PlanApprovalRequested,
    events.PlanExecutionStarted,
    events.PlanStepReady,
    events.PlanStepCompleted,
    events.ReflectionCompleted,
    events.AdjustmentApplied,
    events.PlanExecutionCompleted,
)
HEARTBEAT = {"type": "heartbeat"}
LOST = {"type": "events_lost", "next": "Read the plan and its tasks again; the store is the truth."}


def told(event: events.TandemEvent) -> list[dict[str, Any]]:
    """The lines an event makes, none where it is nobody's business."""
    match event:
        case TaskCreated():
            return [_about_tasks(event, task=_task(event.task))]
        case TasksListed():
            progress = ProgressObject.model_validate(TaskProgress.of(event.tasks))
            return [_about_tasks(event, tasks=[_task(task) for task in event.tasks], progress=progress.as_json())]
    return [_camel(event.model_dump(mode="json"))] if isinstance(event, TOLD) else []


def _about_tasks(event: TaskCreated | TasksListed, **facts: Any) -> dict[str, Any]:
    return {"type": event.type, "planId": event.plan_id, **facts}


def _task(task: TrackedTask) -> dict[str, Any]:
    """As everywhere in the API, with the names its clients know."""
    return TaskObject.model_validate(task).as_json()


def _camel(value: Any) -> Any:
    """Names in these events are ours, so every key may be respelled."""
    if isinstance(value, dict):
        return {to_camel(name): _camel(each) for name, each in value.items()}
    return [_camel(each) for each in value] if isinstance(value, list) else value
