"""Applies allowed requests at once when plan mode is off."""

import asyncio
import uuid
from collections.abc import Callable
from datetime import datetime

from tandem_desktop.domain.agent_protocol import ToolCall
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import ChangesWaiting
from tandem_desktop.domain.ids import RequestId, SessionId, new_plan_id
from tandem_desktop.domain.lifecycle import has_ended
from tandem_desktop.domain.operations import FileState, OperationKind, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.services.decisions import Decisions
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.services.runs import PlanRuns
from tandem_desktop.sessions.staging import SessionStaging
from tandem_desktop.staging.requests import Handling, InterceptedRequest
from tandem_desktop.storage.objects import ObjectStore

_WHOLE_FILE = (OperationKind.CREATE, OperationKind.MODIFY)


class ImmediateMode:
    """Scans the shadow after each tool call.

    Changes that match what the card showed are applied under a journal, so that they can be undone. Anything else waits
    as a plan of its own, a second card, which shows what really changed.
    """

    def __init__(
        self,
        session_id: SessionId,
        *,
        staging: SessionStaging,
        plans: PlanStore,
        proposals: Proposals,
        decisions: Decisions,
        runs: PlanRuns,
        objects: ObjectStore,
        events: EventStream,
        clock: Callable[[], datetime],
        answered: Callable[[], tuple[InterceptedRequest, ...]],
        catch_up: Callable[[], tuple[str, ...]],
        planner: Callable[[], str],
    ) -> None:
        self._session_id = session_id
        self._staging = staging
        self._plans = plans
        self._proposals = proposals
        self._decisions = decisions
        self._runs = runs
        self._objects = objects
        self._events = events
        self._clock = clock
        self._answered = answered
        self._catch_up = catch_up
        self._planner = planner
        self._used: set[RequestId] = set()
        self._one_at_a_time = asyncio.Lock()

    async def call_ended(self, call: ToolCall) -> None:
        """Settle what the agent has changed by now."""
        async with self._one_at_a_time:
            await asyncio.to_thread(self._settle, call)

    def _settle(self, call: ToolCall) -> None:
        self._staging.keep(diff.path for each in self._answered() if not each.plan_mode for diff in each.diffs)
        staged = self._staging.staged()
        if not staged.operations:
            return
        waiting = self._plans.plan_of(self._session_id)
        if waiting is not None and not has_ended(self._plans.meta(waiting).status):
            return  # a second card is open; what came since is staged with it when the turn ends
        version = self._proposals.stage(
            PlanVersion(
                id=str(uuid.uuid4()),
                plan_id=new_plan_id(),
                session_id=self._session_id,
                title=call.title or call.tool or "Change",
                content=f"# {call.title or call.tool or 'Change'}\n",
                operations=staged.operations,
                notes=staged.notes,
                warnings=staged.warnings,
                drifted=self._staging.drifted,
                created_at=self._clock(),
            ),
            self._planner(),
        )
        request = self._allowing(call)
        if request is not None and not version.drifted and self._is_what_was_shown(request, version.operations):
            self._used.add(request.request_id)
            self._decisions.approve(version.plan_id, version.approval_hash)
            self._runs.apply(version.plan_id)
            self._catch_up()
            return
        self._events.publish(ChangesWaiting(session_id=self._session_id, plan_id=version.plan_id))

    def _allowing(self, call: ToolCall) -> InterceptedRequest | None:
        """The request a person allowed this very call by, with Plan mode off: its latest one, and only once."""
        asked = [request for request in self._answered() if request.tool_call_id == call.id]
        if not asked or asked[-1].request_id in self._used or asked[-1].plan_mode:
            return None
        by_person = asked[-1].handling is Handling.CONFIRMED
        by_their_rules = asked[-1].handling is Handling.PASSED and asked[-1].category is ToolCategory.WRITE
        return asked[-1] if by_person or by_their_rules else None

    def _is_what_was_shown(self, request: InterceptedRequest, operations: tuple[StagedOperation, ...]) -> bool:
        """Whether every operation leaves a file just as the card had it, and nothing else has changed."""
        shown = {diff.path: diff.new_text.encode() for diff in request.diffs}
        if set(shown) != {path for operation in operations for path in operation.paths}:
            return False
        return all(
            operation.kind in _WHOLE_FILE
            and isinstance(operation.after, FileState)
            and operation.path is not None
            and self._objects.read(operation.after.sha256) == shown[operation.path]
            for operation in operations
        )
