"""Performs the actions of the plan lifecycle that lie outside the plan store."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tandem_desktop.domain.plan_states import EventKind, PlanAction, TransitionStep
from tandem_desktop.plans.store import ActionPerformer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tandem_desktop.domain.event_stream import EventStream
    from tandem_desktop.domain.ids import PlanId
    from tandem_desktop.domain.plan import PlanMeta

_log = logging.getLogger(__name__)


class PlanActions(ActionPerformer):
    """Withdraws approvals, and publishes each step with its actions for the session and the window to perform."""

    def __init__(self, withdraw: Callable[[PlanId], None], events: EventStream) -> None:
        self._withdraw = withdraw
        self._events = events

    def before(self, meta: PlanMeta, step: TransitionStep) -> None:
        # Before the step is stored: a crash in between leaves a plan that has to be approved again.
        if PlanAction.REARM_APPROVAL in step.actions:
            self._withdraw(meta.plan_id)

    def after(self, meta: PlanMeta, kind: EventKind, step: TransitionStep) -> None:
        _log.info("plan %s: %s, state %s, status %s", meta.plan_id, kind, step.state, meta.status)
        from tandem_desktop.domain.events import PlanMoved  # slow to load; a plan that is only read does not move

        self._events.publish(
            PlanMoved(
                plan_id=meta.plan_id,
                session_id=meta.session_id,
                event=kind,
                state=step.state,
                status=meta.status,
                actions=step.actions,
            )
        )
