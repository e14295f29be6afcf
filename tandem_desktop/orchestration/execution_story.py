"""Tell the runs of one orchestrated plan step by step: what became ready, how each step ended."""

import threading

from tandem_desktop.domain.execution_plan import ExecutionPlan, ExecutionStep, StepStatus
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan import PlanStatus, PlanVersion
from tandem_desktop.events.events import (
    OperationFinished,
    PlanExecutionCompleted,
    PlanExecutionStarted,
    PlanStepCompleted,
    PlanStepReady,
    RunFinished,
    RunStarted,
    TandemEvent,
)
from tandem_desktop.events.stream import EventStream

_SETTLED = frozenset({StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.SKIPPED, StepStatus.CANCELLED})


class ExecutionStory:
    """Follows the runs of one plan from its first execution until `end`. It tells and decides nothing."""

    def __init__(self, events: EventStream, plan_id: PlanId) -> None:
        self._events = events
        self._plan_id = plan_id
        self._plan: ExecutionPlan | None = None
        self._run_id: RunId | None = None
        self._begun = False
        self._told: set[str] = set()
        self._over = threading.Event()
        self._unsubscribe = events.subscribe(self._on_event)

    def begin(self, version: PlanVersion) -> None:
        """A revision is about to run."""
        self._plan = ExecutionPlan.of(version, PlanStatus.EXECUTING)
        self._told.clear()
        self._over.clear()

    def wait(self, seconds: float = 60) -> None:
        """Until everything of the run that has ended was told, so that what follows comes after it."""
        self._over.wait(seconds)

    def end(self, status: PlanStatus, cycles: int) -> None:
        """The plan came to rest; of one that never ran there is nothing to tell."""
        self._unsubscribe()
        if self._begun and self._plan is not None:
            revision = self._plan.revision
            self._events.publish(
                PlanExecutionCompleted(plan_id=self._plan_id, revision=revision, status=status, cycles=cycles)
            )

    def _on_event(self, event: TandemEvent) -> None:
        if isinstance(event, RunStarted) and event.plan_id == self._plan_id:
            self._run_id = event.run_id
            self._started()
        elif isinstance(event, OperationFinished) and event.run_id == self._run_id:
            self._finished(event)
        elif isinstance(event, RunFinished) and event.run_id == self._run_id:
            self._over.set()

    def _started(self) -> None:
        plan = self._plan
        if plan is None:
            return
        if not self._begun:
            self._begun = True
            self._events.publish(
                PlanExecutionStarted(plan_id=plan.plan_id, revision=plan.revision, steps=len(plan.steps))
            )
        self._tell_ready()
        for step in plan.ready():
            if step.changes_nothing:  # it has been thought about when the plan was approved
                self._settle(step.mark_completed())
        self._tell_ready()

    def _finished(self, event: OperationFinished) -> None:
        if self._plan is None:
            return
        before = self._plan.step(event.result.id).status
        self._plan = self._plan.with_result(event.result)
        step = self._plan.step(event.result.id)
        if step.status in _SETTLED and step.status is not before:  # a command's effects and its end are one step
            self._settle(step)
            self._tell_ready()

    def _settle(self, step: ExecutionStep) -> None:
        assert self._plan is not None
        self._plan = self._plan.with_step(step)
        self._events.publish(
            PlanStepCompleted(
                plan_id=self._plan_id,
                revision=self._plan.revision,
                step_id=step.id,
                status=step.status,
                error=step.error,
            )
        )

    def _tell_ready(self) -> None:
        assert self._plan is not None
        ready = tuple(step.id for step in self._plan.ready() if step.id not in self._told)
        if ready:
            self._told.update(ready)
            self._events.publish(PlanStepReady(plan_id=self._plan_id, revision=self._plan.revision, step_ids=ready))
