"""Handles the planning tools of one session."""

import asyncio
import itertools
from collections.abc import Callable
from datetime import datetime

from tandem_desktop.domain.errors import BadInputError, StepRefusedError, ToolDeniedError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import TaskUpdated
from tandem_desktop.domain.ids import RequestId, SessionId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.planning_tools.handlers import (
    ListedPlan,
    PlanDetails,
    ProposedPlan,
    WorkspaceEngine,
    details,
    listed,
    proposed,
)
from tandem_desktop.sessions.session import PlanningSession
from tandem_desktop.staging.requests import QueuedCommand
from tandem_desktop.staging.simulate import Simulation, simulate_steps
from tandem_desktop.staging.steps import PlanInput


class SessionToolHandler:
    """Implements `PlanningToolHandler`.

    Steps with arguments are carried out in the shadow; nothing is approved here.
    """

    def __init__(
        self, session: PlanningSession, engine: WorkspaceEngine, events: EventStream, clock: Callable[[], datetime]
    ) -> None:
        self._session = session
        self._engine = engine
        self._events = events
        self._clock = clock
        self._numbers = itertools.count(1)
        self._proposed: tuple[StagedOperation, ...] = ()
        self._proposed_for: TaskId | None = None

    async def present_plan(self, session_id: SessionId, markdown: str, title: str) -> str:
        presented = self._session.presented
        if presented.task is None:
            presented.markdown = markdown
            presented.title = title or presented.title
        version = await self._session.stage_now(title or "Plan")
        if version is None:
            return "The plan was taken down. Nothing was changed so far."
        return (
            f"The plan is with the person as {version.plan_id}, revision {version.revision}, "
            f"with {len(version.operations)} operations. End your turn now; you will be told what they decide."
        )

    async def propose(self, session_id: SessionId, plan: PlanInput) -> ProposedPlan:
        await asyncio.to_thread(self._take_back)
        simulation = await asyncio.to_thread(simulate_steps, plan, self._session.shadow, self._clock())
        self._proposed = simulation.operations
        for operation in simulation.operations:
            await self._carry_out(operation, simulation)
        presented = self._session.presented
        if presented.task is None:
            presented.title = plan.title
            presented.markdown = plan.summary or presented.markdown
            presented.tasks = plan.plan_tasks() or presented.tasks
        version = await self._session.stage_now(plan.title)
        if version is None:
            raise StepRefusedError("The plan changes nothing.", next="Give at least one step that does something.")
        return await asyncio.to_thread(proposed, self._engine, version)

    async def list_plans(self, session_id: SessionId) -> tuple[ListedPlan, ...]:
        return await asyncio.to_thread(listed, self._engine)

    async def get_plan(self, session_id: SessionId, plan_id: str) -> PlanDetails:
        return await asyncio.to_thread(details, self._engine, plan_id)

    async def update_task(self, session_id: SessionId, task_id: TaskId, status: TaskStatus, note: str) -> PlanTask:
        plan_id = self._session.plan_id
        if plan_id is None:
            raise ToolDeniedError("There is no plan with tasks yet.", next="Hand one in with plan_propose.")
        tasks = self._engine.tasks(self._engine.plans.revision(plan_id))
        found = next((task for task in tasks if task.id == task_id), None)
        if found is None:
            names = ", ".join(task.id for task in tasks) or "none"
            raise BadInputError(f"The plan has no task {task_id}.", next=f"Its tasks: {names}.")
        self._events.publish(
            TaskUpdated(plan_id=plan_id, task_id=task_id, status=status, note=note, is_agents_word=True)
        )
        return found.model_copy(update={"status": status})

    def _take_back(self) -> None:
        """A plan handed in again takes the place of the one before: its steps start from the files as they are.

        What was handed in for another task of the plan stays.
        """
        task = self._session.presented.task
        if task != self._proposed_for:
            self._proposed, self._proposed_for = (), task
        paths = {path for operation in self._proposed for path in operation.paths}
        self._session.shadow.settle(paths)
        self._session.staging.forget({operation.call for operation in self._proposed if operation.call}, paths)
        self._proposed = ()

    async def _carry_out(self, operation: StagedOperation, simulation: Simulation) -> None:
        if operation.call is not None:
            number = next(self._numbers)
            await self._session.queue(
                QueuedCommand(
                    number=number,
                    call=operation.call,
                    request_id=RequestId(f"plan-{number}"),
                    tool="bash",
                    description=operation.description,
                )
            )
            return
        for change in operation.changes():
            data = simulation.contents.get(change.after.sha256) if change.after.type == "file" else None
            await asyncio.to_thread(self._session.shadow.put, change.path, change.after, data)
