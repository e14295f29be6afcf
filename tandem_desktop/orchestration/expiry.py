"""Plans that waited too long for a decision come to an end by themselves, and never silently."""

import contextlib
from collections.abc import Iterable
from datetime import datetime, timedelta

from tandem_desktop.domain.errors import PlanError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanMeta, PlanStatus
from tandem_desktop.domain.plan_events import Expire
from tandem_desktop.domain.plan_lifecycle import may_expire
from tandem_desktop.events.events import PlanExpired
from tandem_desktop.events.stream import EventStream
from tandem_desktop.plans.plan_index import PlanSummary
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.storage.steady_time import Since


class Expiry:
    """Says which plans are stale, and ends them. A new revision brings one back."""

    def __init__(
        self,
        *,
        plans: PlanStore,
        events: EventStream,
        since: Since,
        stale_after: timedelta,
    ) -> None:
        self._plans = plans
        self._events = events
        self._since = since
        self._stale_after = stale_after

    def expire(self, plans: Iterable[PlanSummary] | None = None) -> tuple[PlanId, ...]:
        """End every stale plan, of these or of all, and return which. A plan that cannot be read is left alone."""
        every = self._plans.list().plans if plans is None else plans
        stale = [plan for plan in every if self._is_stale(plan.status, plan.updated_at)]
        return tuple(plan.plan_id for plan in stale if self.settle(plan.plan_id))

    def settle(self, plan_id: PlanId) -> bool:
        """End one plan if it is stale; says whether it was."""
        if not self._has_expired(self._plans.meta(plan_id)):
            return False
        with contextlib.suppress(PlanError):
            # Decided again under the lock: the person may have decided meanwhile.
            meta = self._plans.send_if(plan_id, lambda found: Expire() if self._has_expired(found) else None)
            if meta.status is PlanStatus.EXPIRED:
                self._events.publish(PlanExpired(plan_id=plan_id))
                return True
        return False

    def _has_expired(self, meta: PlanMeta) -> bool:
        return self._is_stale(meta.status, meta.updated_at)

    def _is_stale(self, status: PlanStatus, updated_at: datetime) -> bool:
        return may_expire(status) and self._since(updated_at) >= self._stale_after
