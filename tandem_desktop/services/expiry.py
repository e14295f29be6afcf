"""Ends plans that waited too long for a decision."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from tandem_desktop.domain.errors import PlanError
from tandem_desktop.domain.plan_states import GATEWAY_STALE_AFTER_DAYS, STALE_AFTER_DAYS, PlanStatus, may_expire

if TYPE_CHECKING:
    from tandem_desktop.domain.event_stream import EventStream
    from tandem_desktop.domain.ids import PlanId
    from tandem_desktop.plans.index import PlanSummary
    from tandem_desktop.plans.store import PlanStore
    from tandem_desktop.storage.clock import Since


class WaitingPlan(Protocol):
    """What of a plan says whether it is stale: of its record, or of its line in the list."""

    @property
    def status(self) -> PlanStatus: ...

    @property
    def gateway(self) -> bool: ...

    @property
    def updated_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class WaitingTimes:
    """How long a plan waits for a decision."""

    stale_after_days: int = STALE_AFTER_DAYS
    gateway_stale_after_days: int = GATEWAY_STALE_AFTER_DAYS


class Staleness:
    """Tells whether a plan waited too long for a decision."""

    def __init__(self, since: "Since", times: WaitingTimes) -> None:
        self._since = since
        self._after = timedelta(days=times.stale_after_days)
        self._gateway_after = min(timedelta(days=times.gateway_stale_after_days), self._after)

    def of(self, plan: WaitingPlan) -> bool:
        after = self._gateway_after if plan.gateway else self._after
        return may_expire(plan.status) and self._since(plan.updated_at) >= after


class Expiry:
    """Finds stale plans and expires them. A new revision reopens one."""

    def __init__(self, *, plans: "PlanStore", events: "EventStream", staleness: Staleness) -> None:
        self._plans = plans
        self._events = events
        self._staleness = staleness

    def expire(self, plans: "Iterable[PlanSummary] | None" = None) -> "tuple[PlanId, ...]":
        """End every stale plan, of these or of all, and return which. A plan that cannot be read is left alone."""
        every = self._plans.list().plans if plans is None else plans
        stale = [plan for plan in every if self._staleness.of(plan)]
        return tuple(plan.plan_id for plan in stale if self.settle(plan.plan_id))

    def settle(self, plan_id: "PlanId") -> bool:
        """End one plan if it is stale; says whether it was."""
        if not self._staleness.of(self._plans.meta(plan_id)):
            return False
        from tandem_desktop.domain.events import PlanExpired
        from tandem_desktop.domain.state_machine import Expire

        with contextlib.suppress(PlanError):
            # Checked again under the lock: a person may have decided in between.
            meta = self._plans.send_if(plan_id, lambda found: Expire() if self._staleness.of(found) else None)
            if meta.status is PlanStatus.EXPIRED:
                self._events.publish(PlanExpired(plan_id=plan_id))
                return True
        return False
