"""Which events are told over HTTP, and in which words; what people and agents say to each other is not."""

from typing import Any

from pydantic.alias_generators import to_camel

from tandem_desktop.domain.tasks import TaskStatus
from tandem_desktop.events import events

TOLD = (
    events.PlanProposed,
    events.PlanApproved,
    events.PlanRejected,
    events.PlanCancelled,
    events.PlanExpired,
    events.RunStarted,
    events.OperationStarted,
    events.CommandPrinted,
    events.OperationFinished,
    events.RunPaused,
    events.RunResumed,
    events.RunFinished,
    events.RunUndone,
    events.RunInterrupted,
)
HEARTBEAT = {"type": "heartbeat"}
LOST = {"type": "events_lost", "next": "Read the plan and its tasks again; the store is the truth."}


def told(event: events.TandemEvent) -> list[dict[str, Any]]:
    """The lines an event makes, none where it is nobody's business."""
    if isinstance(event, events.TaskStatusChanged):
        return _task_lines(event)
    return [_camel(event.model_dump(mode="json"))] if isinstance(event, TOLD) else []


def _task_lines(event: events.TaskStatusChanged) -> list[dict[str, Any]]:
    named: dict[str, Any] = {"planId": event.plan_id, "taskId": event.task_id}
    lines = [
        {
            "type": "task_update",
            **named,
            "status": event.status.value,
            "progress": event.progress,
            "activeForm": event.active_form,
        }
    ]
    if event.status is TaskStatus.IN_PROGRESS and event.progress == 0:
        lines.append({"type": "task_started", **named, "agent": event.agent})
    elif event.status is TaskStatus.COMPLETED:
        lines.append({"type": "task_completed", **named, "result": event.note or None})
    elif event.status is TaskStatus.FAILED:
        lines.append({"type": "task_failed", **named, "error": event.note})
    return lines


def _camel(value: Any) -> Any:
    """Names in these events are ours, so every key may be respelled."""
    if isinstance(value, dict):
        return {to_camel(name): _camel(each) for name, each in value.items()}
    return [_camel(each) for each in value] if isinstance(value, list) else value
