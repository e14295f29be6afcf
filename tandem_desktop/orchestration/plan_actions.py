"""Performs the actions of a plan's lifecycle that lie outside the plan store."""

from collections.abc import Callable

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanMeta
from tandem_desktop.domain.plan_context import PlanAction
from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.domain.state_machine import Step
from tandem_desktop.events.events import PlanMoved
from tandem_desktop.events.stream import EventStream
from tandem_desktop.plans.plan_store import ActionPerformer


class PlanActions(ActionPerformer):
    """Withdraws approvals, and publishes each step with its actions for the session and the window to perform."""

    def __init__(self, withdraw: Callable[[PlanId], None], events: EventStream) -> None:
        self._withdraw = withdraw
        self._events = events

    def before(self, meta: PlanMeta, step: Step) -> None:
        # Before the step is stored: a crash in between leaves a plan that has to be approved again.
        if PlanAction.REARM_APPROVAL in step.actions:
            self._withdraw(meta.plan_id)

    def after(self, meta: PlanMeta, kind: EventKind, step: Step) -> None:
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
