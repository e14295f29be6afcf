"""Connects the planning tools to the plans of a workspace."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Protocol, TypeVar

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import ToolDeniedError
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId, TaskId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.planning_tools.definitions import ToolName
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.review.operation_view import MOST_COMPARED_BYTES, OperationView
from tandem_desktop.staging.steps import PlanInput


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


class PlanningToolHandler(Protocol):
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


MOST_LISTED = 100

NOT_IN_A_WORKSPACE = frozenset({ToolName.PRESENT_PLAN, ToolName.TASK_UPDATE})
"""They belong to a conversation that Tandem leads; here there is none."""

Answer = TypeVar("Answer")


class PlanFactory(Protocol):
    """Where a plan input becomes a plan."""

    def make(self, plan: PlanInput) -> PlanVersion: ...


class WorkspaceEngine(Protocol):
    """The engine of a workspace, as far as the tools go."""

    @property
    def plans(self) -> PlanStore: ...

    @property
    def proposals(self) -> PlanFactory: ...

    def views(self, version: PlanVersion, most_bytes: int | None = None) -> Iterator[OperationView]: ...

    def tasks(self, version: PlanVersion) -> tuple[PlanTask, ...]: ...


class WorkspaceToolHandler:
    """Every proposal is a plan of its own. Works in threads, one call at a time, so that the wire is never blocked."""

    def __init__(self, engine: WorkspaceEngine) -> None:
        self._engine = engine
        self._turn = asyncio.Lock()

    async def present_plan(self, session_id: SessionId, markdown: str, title: str) -> str:
        raise ToolDeniedError("There is no person to present a plan to here.", next="Stage it with plan_propose.")

    async def propose(self, session_id: SessionId, plan: PlanInput) -> ProposedPlan:
        return await self._apart(lambda: proposed(self._engine, self._engine.proposals.make(plan)))

    async def list_plans(self, session_id: SessionId) -> tuple[ListedPlan, ...]:
        return await self._apart(lambda: listed(self._engine))

    async def get_plan(self, session_id: SessionId, plan_id: str) -> PlanDetails:
        return await self._apart(lambda: details(self._engine, plan_id))

    async def update_task(self, session_id: SessionId, task_id: TaskId, status: TaskStatus, note: str) -> PlanTask:
        raise ToolDeniedError("A task stands where the results of its operations put it.", next="Look with plan_get.")

    async def _apart(self, work: Callable[[], Answer]) -> Answer:
        async with self._turn:
            return await asyncio.to_thread(work)


def proposed(engine: WorkspaceEngine, version: PlanVersion) -> ProposedPlan:
    """A stored revision as the agent that made it is told of it."""
    return ProposedPlan(
        plan_id=version.plan_id,
        revision=version.revision,
        digest=ApprovalHash.of(version).combined_hash,
        operations=tuple(map(_in_short, engine.views(version, MOST_COMPARED_BYTES))),
    )


def listed(engine: WorkspaceEngine) -> tuple[ListedPlan, ...]:
    """The newest plans that can be read."""
    return tuple(
        ListedPlan(
            plan_id=plan.plan_id,
            title=plan.title,
            status=plan.status,
            revision=plan.revision,
            updated_at=plan.updated_at,
        )
        for plan in engine.plans.list().plans[:MOST_LISTED]
    )


def details(engine: WorkspaceEngine, plan_id: str) -> PlanDetails:
    """The latest revision of a plan, and everything a person said about earlier ones."""
    found = engine.plans.resolve(plan_id)
    version, meta = engine.plans.revision(found), engine.plans.meta(found)
    return PlanDetails(
        plan_id=found,
        title=version.title,
        status=meta.status,
        revision=version.revision,
        digest=ApprovalHash.of(version).combined_hash,
        content=version.content,
        context=version.context,
        tasks=engine.tasks(version),
        operations=tuple(map(_in_short, engine.views(version, MOST_COMPARED_BYTES))),
        rejections=tuple(Feedback(revision=said.revision, feedback=said.feedback) for said in meta.rejections),
    )


def _in_short(view: OperationView) -> PlannedOperation:
    staged = view.operation
    return PlannedOperation(
        id=staged.id,
        kind=staged.kind.value,
        path=staged.path,
        to=staged.to,
        command=staged.command,
        added=view.added,
        removed=view.removed,
        flags=tuple(flag.value for flag in view.flags),
        description=staged.description,
    )
