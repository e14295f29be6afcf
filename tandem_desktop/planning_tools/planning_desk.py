"""What the planning tools need of the engine: where an agent's plan goes, and what it may look at."""

from datetime import datetime
from typing import Any, Protocol

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId, TaskId
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.staging.plan_steps import PlanInput


class PlannedOperation(Frozen):
    """One operation in short, computed from what it does; only the description is the agent's own."""

    id: OperationId
    kind: str
    path: str | None = None
    to: str | None = None
    command: str | None = None
    added: int = 0
    removed: int = 0
    flags: tuple[str, ...] = ()
    description: str = ""


class ProposedPlan(Frozen):
    """A revision that waits for a person."""

    plan_id: PlanId
    revision: int
    digest: str
    operations: tuple[PlannedOperation, ...] = ()


class ListedPlan(Frozen):
    """One line of the list of plans."""

    plan_id: PlanId
    title: str
    status: PlanStatus
    revision: int
    updated_at: datetime


class Feedback(Frozen):
    """What a person said when a revision was sent back."""

    revision: int
    feedback: str


class PlanDetails(Frozen):
    """A plan as the agent that made it may see it again."""

    plan_id: PlanId
    title: str
    status: PlanStatus
    revision: int
    digest: str
    content: str
    context: dict[str, Any]
    tasks: tuple[PlanTask, ...] = ()
    operations: tuple[PlannedOperation, ...] = ()
    rejections: tuple[Feedback, ...] = ()


class PlanningDesk(Protocol):
    """Takes what an agent hands in. Every call may raise a `TandemError`, whose sentence the agent gets to read.

    Nothing here approves, rejects or applies: that is a person's part, and no tool leads there. A call may take as
    long as a person does; it is cancelled when the agent or its session ends.
    """

    async def present_plan(self, session_id: SessionId, markdown: str, title: str) -> str:
        """Show a plan in words to the person; what comes back is for the agent to read."""

    async def propose(self, session_id: SessionId, plan: PlanInput) -> ProposedPlan:
        """Stage a plan input as a plan or as the next revision of the session's plan."""

    async def list_plans(self, session_id: SessionId) -> tuple[ListedPlan, ...]:
        """The plans the agent may look at, newest first."""

    async def get_plan(self, session_id: SessionId, plan_id: str) -> PlanDetails:
        """One of them."""

    async def update_task(self, session_id: SessionId, task_id: TaskId, status: TaskStatus, note: str) -> PlanTask:
        """Take down what the agent says about a task of the session's plan."""
