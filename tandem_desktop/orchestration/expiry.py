"""Plans that waited too long for a decision come to an end by themselves, and never silently."""

import contextlib
from datetime import datetime, timedelta

from tandem_desktop.approval.approval_enforcer import ApprovalEnforcer
from tandem_desktop.domain.errors import PlanError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanMeta, PlanStatus
from tandem_desktop.events.events import PlanExpired
from tandem_desktop.events.stream import EventStream
from tandem_desktop.plans import lifecycle
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.storage.steady_time import Since
from tandem_desktop.storage.workspace import Workspace

_S = PlanStatus
WAITING = frozenset({_S.DRAFT, _S.PROPOSED, _S.APPROVED, _S.REJECTED, _S.NEEDS_REVIEW})
"""A person, or a planner, has to say something next."""


class Expiry:
    """Says which plans are stale, and ends them. A new revision brings one back."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        plans: PlanStore,
        enforcer: ApprovalEnforcer,
        events: EventStream,
        since: Since,
        stale_after: timedelta,
    ) -> None:
        self._workspace = workspace
        self._plans = plans
        self._enforcer = enforcer
        self._events = events
        self._since = since
        self._stale_after = stale_after

    def expire(self) -> tuple[PlanId, ...]:
        """End every stale plan; answers which. A plan that cannot be read is left alone."""
        stale = [plan for plan in self._plans.list().plans if self._is_stale(plan.status, plan.updated_at)]
        return tuple(plan.plan_id for plan in stale if self.settle(plan.plan_id))

    def settle(self, plan_id: PlanId) -> bool:
        """End one plan if it is stale; says whether it was."""
        if not self._has_expired(self._plans.meta(plan_id)):
            return False
        # Withdrawn first, so that a crash in between is on the safe side.
        self._enforcer.revoke(plan_id, self._workspace.identity)
        ended = False

        def expired(meta: PlanMeta) -> PlanMeta:
            nonlocal ended
            ended = self._has_expired(meta)  # somebody may have decided meanwhile
            return lifecycle.expire(meta) if ended else meta

        with contextlib.suppress(PlanError):
            self._plans.update(plan_id, expired)
        if ended:
            self._events.publish(PlanExpired(plan_id=plan_id))
        return ended

    def _has_expired(self, meta: PlanMeta) -> bool:
        return self._is_stale(meta.status, meta.updated_at)

    def _is_stale(self, status: PlanStatus, updated_at: datetime) -> bool:
        return status in WAITING and self._since(updated_at) >= self._stale_after
