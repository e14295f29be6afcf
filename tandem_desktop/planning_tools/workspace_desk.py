"""The planning tools over the plans of a workspace, for agents that Tandem did not start."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import ToolDeniedError
from tandem_desktop.domain.ids import SessionId, TaskId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.planning_tools.planning_desk import (
    Feedback,
    ListedPlan,
    PlanDetails,
    PlannedOperation,
    ProposedPlan,
)
from tandem_desktop.planning_tools.tool_definitions import ToolName
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.staging.plan_steps import PlanInput

MOST_LISTED = 100

NOT_IN_A_WORKSPACE = frozenset({ToolName.PRESENT_PLAN, ToolName.TASK_UPDATE})
"""They belong to a conversation that Tandem leads; here there is none."""

Answer = TypeVar("Answer")


class MakesPlans(Protocol):
    """Where a plan input becomes a plan."""

    def make(self, plan: PlanInput) -> PlanVersion: ...


class WorkspaceEngine(Protocol):
    """The engine of a workspace, as far as the tools go."""

    @property
    def plans(self) -> PlanStore: ...

    @property
    def proposals(self) -> MakesPlans: ...

    def view(self, version: PlanVersion) -> tuple[OperationView, ...]: ...

    def tasks(self, version: PlanVersion) -> tuple[PlanTask, ...]: ...


class WorkspaceDesk:
    """Every proposal is a plan of its own. Works in threads, one call at a time, so that the wire is never blocked."""

    def __init__(self, engine: WorkspaceEngine) -> None:
        self._engine = engine
        self._turn = asyncio.Lock()

    async def present_plan(self, session_id: SessionId, markdown: str, title: str) -> str:
        raise ToolDeniedError("There is nobody to present a plan to here.", next="Stage it with plan_propose.")

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
        operations=tuple(map(_in_short, engine.view(version))),
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
        operations=tuple(map(_in_short, engine.view(version))),
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
