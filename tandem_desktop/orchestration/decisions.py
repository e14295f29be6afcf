"""What a person decides about a plan: approve exactly this, send it back, or end it."""

from collections.abc import Callable
from datetime import datetime

from tandem_desktop.approval.approval_enforcer import ApprovalEnforcer
from tandem_desktop.domain.approval import Approval
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanMeta
from tandem_desktop.events.events import PlanApproved, PlanCancelled, PlanRejected
from tandem_desktop.events.stream import EventStream
from tandem_desktop.plans import lifecycle
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.storage.workspace import Workspace


class Decisions:
    """Only a person comes here; no tool given to an agent does."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        plans: PlanStore,
        enforcer: ApprovalEnforcer,
        events: EventStream,
        clock: Callable[[], datetime],
        before_writing: Callable[[], None],
    ) -> None:
        self._workspace = workspace
        self._plans = plans
        self._enforcer = enforcer
        self._events = events
        self._clock = clock
        self._before_writing = before_writing

    def approve(self, plan_id: PlanId, digest: str) -> Approval:
        """Bind the click to the digest that was shown.

        Raises:
            ApprovalDriftError: the latest revision has another digest.
            InvalidTransitionError: the plan is not waiting for a decision.
        """
        self._before_writing()
        version = self._plans.revision(plan_id)
        lifecycle.approve(self._plans.meta(plan_id))
        approval = self._enforcer.approve(version, self._workspace.identity, digest)
        self._plans.update(plan_id, lifecycle.approve)
        self._events.publish(PlanApproved(plan_id=plan_id, revision=version.revision, digest=approval.digest))
        return approval

    def reject(self, plan_id: PlanId, feedback: str) -> PlanMeta:
        """Send it back with words; the third time a human has to step in."""
        if not feedback.strip():
            raise BadInputError("A rejection needs words the planner can work with.", next='Give them: --feedback "…"')
        self._before_writing()
        self._enforcer.revoke(plan_id, self._workspace.identity)
        meta = self._plans.update(plan_id, lambda found: lifecycle.reject(found, feedback, self._clock()))
        self._events.publish(PlanRejected(plan_id=plan_id, revision=meta.revision, reason=feedback, status=meta.status))
        return meta

    def cancel(self, plan_id: PlanId) -> PlanMeta:
        """End the plan; nothing of it will run."""
        self._before_writing()
        self._enforcer.revoke(plan_id, self._workspace.identity)
        meta = self._plans.update(plan_id, lifecycle.cancel)
        self._events.publish(PlanCancelled(plan_id=plan_id))
        return meta
