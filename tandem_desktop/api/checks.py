"""Checks of the API."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from tandem_desktop.api.events import Follower, told
from tandem_desktop.api.schema import (
    ChecksRequest,
    EvidenceAnswer,
    OfferedChecksAnswer,
    RequestRefusedError,
    StopChecksRequest,
    StoppedAnswer,
    error_line,
)
from tandem_desktop.domain.events import ChecksEnded
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.services.checks import PlanEvidence
from tandem_desktop.services.engine import Engine
from tandem_desktop.storage.errors import as_refusal

_LAST_EVENTS_S = 5.0


class CheckRequests:
    """Runs the checks of one plan at a time, as `tandem check` does. They go on if the client disconnects."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._under_way: tuple[PlanId, RunControl, asyncio.Future[PlanEvidence]] | None = None
        self._is_stopping = False

    async def begin(self, asked: ChecksRequest) -> AsyncIterator[dict[str, Any]]:
        """Begin; the answer tells how it goes on, and last the evidence.

        Raises:
            TandemError: nothing was run: the list is not accepted, there is no such plan, revision or check.
        """
        if self._is_stopping:
            raise RequestRefusedError(503, "The server is about to end.", next="Start it again with: tandem serve")
        plan_id = PlanId(asked.plan_id)
        await asyncio.to_thread(self._look_at, plan_id, asked)
        if self._under_way is not None:
            raise RequestRefusedError(429, "Checks run already.", next="Wait for their end, or stop them.")
        follower, control = Follower(self._engine.events), RunControl()
        run = asyncio.get_running_loop().run_in_executor(None, self._run, plan_id, asked, control)
        self._under_way = plan_id, control, run
        run.add_done_callback(lambda ended: self._rest(ended, follower))
        return self._told_while(run, follower, plan_id)

    def offered(self) -> OfferedChecksAnswer:
        found = self._engine.checks.offered()
        return OfferedChecksAnswer.model_validate({**found.list.as_json(), "accepted": found.is_accepted})

    def evidence(self, plan_id: str) -> EvidenceAnswer:
        """What is stored about the latest revision on the files as they are.

        Raises:
            RequestRefusedError: a check has to run first.
        """
        version = self._engine.plans.revision(PlanId(plan_id))
        found = self._engine.checks.kept(version)
        if found is None:
            raise RequestRefusedError(
                404, f"The checks have not run for {plan_id} as it is.", next="Run them with: POST /checks"
            )
        return EvidenceAnswer.model_validate(PlanEvidence(version.plan_id, version.revision, found).as_json())

    def stop_run(self, asked: StopChecksRequest) -> StoppedAnswer:
        """Stop the checks of a plan; whether there were any."""
        under_way = self._under_way
        is_running = under_way is not None and under_way[0] == asked.plan_id
        if under_way is not None and is_running:
            under_way[1].abort()
        return StoppedAnswer(stopped=is_running)

    async def stop(self) -> None:
        """Take no more on, and end what runs."""
        self._is_stopping = True
        if self._under_way is not None:
            _, control, run = self._under_way
            control.abort()
            await asyncio.wait({run})

    def _look_at(self, plan_id: PlanId, asked: ChecksRequest) -> None:
        """Refuse what cannot be run before the answer begins; accept the list where its digest is given."""
        self._engine.plans.revision(plan_id, asked.revision)
        if asked.accept is not None:
            self._engine.checks.accept(asked.accept)
        self._engine.checks.may_run(asked.only)

    def _run(self, plan_id: PlanId, asked: ChecksRequest, control: RunControl) -> PlanEvidence:
        return self._engine.checks.run(
            plan_id, asked.revision, only=asked.only, timeout_s=asked.timeout, again=asked.again, control=control
        )

    async def _told_while(
        self, run: "asyncio.Future[PlanEvidence]", follower: Follower, plan_id: PlanId
    ) -> AsyncIterator[dict[str, Any]]:
        try:
            while (event := await follower.next()) is not None:
                if getattr(event, "plan_id", None) == plan_id:
                    for line in told(event):
                        yield line
                    if isinstance(event, ChecksEnded):
                        break
        finally:
            follower.close()
        try:
            found = await asyncio.shield(run)
        except Exception as error:
            yield {"type": "error", **error_line(as_refusal(error))}
            return
        yield {"type": "checks_result", **EvidenceAnswer.model_validate(found.as_json()).as_json()}

    def _rest(self, ended: "asyncio.Future[PlanEvidence]", follower: Follower) -> None:
        """They are over. What they told last may still be on its way from another thread."""
        self._under_way = None
        has_failed = ended.cancelled() or ended.exception() is not None
        asyncio.get_running_loop().call_later(0.0 if has_failed else _LAST_EVENTS_S, follower.close)
