"""Streams events to API clients."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from pydantic.alias_generators import to_camel

from tandem_desktop.api.schema import ProgressObject, QuestionObject, TaskObject
from tandem_desktop.domain import events as domain_events
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveStarted,
    PlanApprovalRequested,
    PlanningStarted,
    PlanReady,
    QuestionAnswered,
    QuestionAsked,
    SynthesisEnded,
    SynthesisStarted,
    TandemEvent,
    TaskCompleted,
    TaskCreated,
    TaskDelegated,
    TaskFailed,
    TasksListed,
    TaskStarted,
    TaskUpdated,
)
from tandem_desktop.domain.tasks import TaskProgress, TrackedTask

TOLD = (
    domain_events.QuestionCompleted,
    domain_events.AgentProgramChanged,
    domain_events.PlanProposed,
    domain_events.PlanApproved,
    domain_events.PlanRejected,
    domain_events.PlanCancelled,
    domain_events.PlanSuperseded,
    domain_events.PlanExpired,
    domain_events.RunStarted,
    domain_events.OperationStarted,
    domain_events.CommandPrinted,
    domain_events.OperationFinished,
    domain_events.RunPaused,
    domain_events.RunResumed,
    domain_events.RunFinished,
    domain_events.RunUndone,
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
    domain_events.PlanExecutionStarted,
    domain_events.PlanStepReady,
    domain_events.PlanStepCompleted,
    domain_events.ReflectionCompleted,
    domain_events.AdjustmentApplied,
    domain_events.PlanExecutionCompleted,
    domain_events.ChecksStarted,
    domain_events.CheckFinished,
    domain_events.AffectedTestsFinished,
    domain_events.ChecksEnded,
    domain_events.OrchestrationStarted,
    domain_events.OrchestrationMoved,
    domain_events.OrchestrationEnded,
)
HEARTBEAT = {"type": "heartbeat"}
LOST = {"type": "events_lost", "next": "Read the plan and its tasks again; the store is the truth."}


def told(event: domain_events.TandemEvent) -> list[dict[str, Any]]:
    """The lines of an event; none for internal events."""
    match event:
        case TaskCreated():
            return [_about_tasks(event, task=_task(event.task))]
        case TasksListed():
            progress = ProgressObject.model_validate(TaskProgress.of(event.tasks))
            return [_about_tasks(event, tasks=[_task(task) for task in event.tasks], progress=progress.as_json())]
        case QuestionAsked():
            question = QuestionObject.model_validate(event.question).as_json()
            return [{"type": event.type, "sessionId": event.session_id, "question": question}]
        case QuestionAnswered():
            return [_camel(event.model_dump(mode="json", exclude={"answers"}))]
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


MOST_WAITING = 4_096
"""A client that is further behind loses events, and is told so."""
HEARTBEAT_S = 15.0


class Follower:
    """One listener, from the moment it is made until it is closed."""

    def __init__(self, events: EventStream) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[TandemEvent | None] = asyncio.Queue(MOST_WAITING)
        self._has_lost = False
        self._is_closed = False
        self._unsubscribe = events.subscribe(self._hear)

    async def next(self) -> TandemEvent | None:
        """The next event; nothing when it was closed and all has been handed out."""
        if self._is_closed and self._waiting.empty():
            return None
        return await self._waiting.get()

    def take_loss(self) -> bool:
        """Whether events were lost since this was last asked."""
        lost, self._has_lost = self._has_lost, False
        return lost

    def close(self) -> None:
        """Unsubscribe; queued events are still delivered."""
        self._unsubscribe()
        self._is_closed = True
        if self._waiting.empty():
            self._waiting.put_nowait(None)

    def _hear(self, event: TandemEvent) -> None:
        if told(event):
            self._loop.call_soon_threadsafe(self._offer, event)

    def _offer(self, event: TandemEvent) -> None:
        if self._waiting.full():
            self._has_lost = True
        elif not self._is_closed:
            self._waiting.put_nowait(event)


async def lines(follower: Follower, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[dict[str, Any]]:
    """Every event as it comes, and a keep-alive otherwise, so that a closed connection is noticed."""
    yield HEARTBEAT
    try:
        while True:
            try:
                event = await asyncio.wait_for(follower.next(), heartbeat_s)
            except TimeoutError:
                yield HEARTBEAT
                continue
            if event is None:
                return
            if follower.take_loss():
                yield LOST
            for line in told(event):
                yield line
    finally:
        follower.close()


async def as_ndjson(found: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    async for line in found:
        yield json.dumps(line).encode() + b"\n"


async def as_sse(found: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    async for line in found:
        yield f"event: {line['type']}\ndata: {json.dumps(line)}\n\n".encode()
