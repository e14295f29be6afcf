"""A tool handler that records what agents hand in, and a real MCP client."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from tandem_desktop.domain.agent_protocol import PlanningServer
from tandem_desktop.domain.errors import PlanNotFoundError, StepRefusedError
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId, TaskId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.planning_tools.definitions import ToolPrompts
from tandem_desktop.planning_tools.handlers import ListedPlan, PlanDetails, PlannedOperation, ProposedPlan
from tandem_desktop.planning_tools.tools import PlanningTools, RetryBudget
from tandem_desktop.staging.steps import PlanInput

PLAN = PlanId("PLAN-1a2b3c4d")
SESSION = SessionId("SES-1")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class RecordingToolHandler:
    """Stands where the engine will. `gate`, when set, holds every presented plan back until it opens."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.gate: asyncio.Event | None = None
        self.waiting = asyncio.Event()
        self.refusal: Exception | None = None

    async def present_plan(self, session_id: SessionId, markdown: str, title: str) -> str:
        self.calls.append(("present", session_id, markdown, title))
        if self.gate is not None:
            self.waiting.set()
            await self.gate.wait()
        return f"The person reads it now, in {session_id}."

    async def propose(self, session_id: SessionId, plan: PlanInput) -> ProposedPlan:
        if self.refusal is not None:
            raise self.refusal
        document = plan.document()
        self.calls.append(("propose", session_id, document))
        if any(step["args"].get("path") == "missing" for step in document["steps"]):
            raise StepRefusedError("Step s1 does not apply: there is no file missing.", next="Name a file that exists.")
        operations = tuple(
            PlannedOperation(id=OperationId(step["id"]), kind=step["tool"], path=step["args"].get("path"))
            for step in document["steps"]
        )
        return ProposedPlan(plan_id=PLAN, revision=1, digest="d" * 64, operations=operations)

    async def list_plans(self, session_id: SessionId) -> tuple[ListedPlan, ...]:
        self.calls.append(("list", session_id))
        return (ListedPlan(plan_id=PLAN, title="A", status=PlanStatus.PROPOSED, revision=1, updated_at=NOON),)

    async def get_plan(self, session_id: SessionId, plan_id: str) -> PlanDetails:
        if plan_id != PLAN:
            raise PlanNotFoundError(f"There is no plan {plan_id!r}.", next="See which there are.")
        status = PlanStatus.PROPOSED
        return PlanDetails(
            plan_id=PLAN, title="A", status=status, revision=1, digest="d" * 64, content="# A\n", context={}
        )

    async def update_task(self, session_id: SessionId, task_id: TaskId, status: TaskStatus, note: str) -> PlanTask:
        self.calls.append(("task", session_id, task_id, status, note))
        return PlanTask(id=task_id, subject="Farewell", status=status)


def tools_on(handler: RecordingToolHandler, *, plan_mode: bool = True, tries: int = 3) -> PlanningTools:
    return PlanningTools(SESSION, handler, plan_mode=lambda: plan_mode, prompts=ToolPrompts(), tries=RetryBudget(tries))


@contextlib.asynccontextmanager
async def an_agent(server: PlanningServer, stderr: Path, cwd: Path | None = None) -> AsyncIterator[ClientSession]:
    """An MCP client over the real process that `server` describes, with the greeting done."""
    parameters = StdioServerParameters(
        command=server.command[0], args=list(server.command[1:]), env=dict(server.env), cwd=cwd
    )
    with stderr.open("w") as errors:
        async with stdio_client(parameters, errlog=errors) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session


def texts(result: Any) -> list[str]:
    """What a tool answered, piece by piece."""
    return [piece.text for piece in result.content]


def a_step(**fields: Any) -> dict[str, Any]:
    arguments = {"path": "notes.txt", "content": "one\n"}
    return {"description": "Write the notes", "tool": "write", "args": arguments, **fields}
