"""A person's decisions about a plan: approve, reject, cancel, rate."""

from collections.abc import Callable
from datetime import datetime

from tandem_desktop.approval.approval_enforcer import ApprovalEnforcer
from tandem_desktop.domain.approval import Approval
from tandem_desktop.domain.errors import BadInputError, NotApprovableError, PreflightError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.plan_events import Approve, Cancel, EventKind, RejectPlan, RequestRevision
from tandem_desktop.domain.plan_lifecycle import check, is_running, refusal
from tandem_desktop.domain.qualification import Qualification
from tandem_desktop.domain.review import Comment, Coverage
from tandem_desktop.events.events import PlanApproved, PlanCancelled, PlanRejected
from tandem_desktop.events.stream import EventStream
from tandem_desktop.execution.possible import refuse_impossible, refuse_out_of_scope
from tandem_desktop.orchestration.commenting import Commenting
from tandem_desktop.orchestration.expiry import Expiry
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.review.drift import drift
from tandem_desktop.review.feedback import feedback as feedback_text
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace


class Decisions:
    """Records a person's decisions. No tool given to an agent reaches this."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        objects: ObjectStore,
        plans: PlanStore,
        enforcer: ApprovalEnforcer,
        events: EventStream,
        clock: Callable[[], datetime],
        before_writing: Callable[[], None],
        expiry: Expiry,
        comments: Commenting,
    ) -> None:
        self._workspace = workspace
        self._objects = objects
        self._plans = plans
        self._enforcer = enforcer
        self._events = events
        self._clock = clock
        self._before_writing = before_writing
        self._expiry = expiry
        self._comments = comments

    def approve(
        self,
        plan_id: PlanId,
        digest: str,
        *,
        acknowledged: tuple[str, ...] = (),
        coverage: Coverage | None = None,
        notes: str = "",
        drafts: tuple[Comment, ...] = (),
    ) -> Approval:
        """Bind the click to the digest that was shown, with what was on screen and the person's notes.

        The notes and these draft comments go to the agent with the result; only those drafts count as sent.

        Raises:
            ApprovalDriftError: the latest revision has another digest.
            InvalidTransitionError: the plan is not waiting for a decision.
            NotApprovableError: its agent did not finish, the person changed a file under it, or it can never be done.
        """
        self._before_writing()
        self._expiry.settle(plan_id)
        version = self._plans.revision(plan_id)
        notes = feedback_text(notes, drafts)
        check(self._plans.meta(plan_id), Approve())
        self._refuse_unfinished(version)
        self._refuse_impossible(version)
        approval = self._enforcer.approve(
            version, self._workspace.identity, digest, acknowledged, coverage=coverage, notes=notes
        )
        self._plans.send(plan_id, Approve(notes=notes, at=self._clock()))
        self._comments.mark_sent(plan_id, drafts)
        self._events.publish(PlanApproved(plan_id=plan_id, revision=version.revision, digest=approval.digest))
        return approval

    def reject(self, plan_id: PlanId, feedback: str | None = None) -> PlanMeta:
        """Send the plan back with feedback and every draft comment; with neither, reject it for good.

        After the third rejection with feedback only a person may change the plan.
        """
        drafts = self._comments.comments(plan_id).drafts
        text = feedback_text(feedback or "", drafts)
        if not text.strip() and feedback is not None:
            raise BadInputError(
                "A rejection needs words the planner can work with.",
                next=f'Give them: --feedback "…", or end the plan with: tandem cancel {plan_id}',
            )
        self._before_writing()
        if not text.strip():
            meta = self._plans.send(plan_id, RejectPlan(at=self._clock()))
            self._events.publish(PlanCancelled(plan_id=plan_id))
            return meta
        meta = self._plans.send(plan_id, RequestRevision(feedback=text, at=self._clock()))
        self._comments.mark_sent(plan_id, drafts)
        self._events.publish(
            PlanRejected(
                plan_id=plan_id,
                revision=meta.revision,
                reason=meta.rejections[-1].feedback,
                status=meta.status,
                qualification=self.qualified(plan_id).words,
            )
        )
        return meta

    def qualified(self, plan_id: PlanId) -> Qualification:
        """What kind of task a plan is for, with everything that was said when it was sent back."""
        version, meta = self._plans.revision(plan_id), self._plans.meta(plan_id)
        task = version.perspectives.task if version.perspectives is not None else version.title
        return qualify(". ".join((task, *(rejection.feedback for rejection in meta.rejections))))

    def cancel(self, plan_id: PlanId) -> PlanMeta:
        """End the plan; nothing of it will run."""
        self._before_writing()
        if is_running(self._plans.meta(plan_id).status):
            raise refusal(self._plans.meta(plan_id), EventKind.CANCEL)  # a run is stopped where it runs
        meta = self._plans.send(plan_id, Cancel())
        self._events.publish(PlanCancelled(plan_id=plan_id))
        return meta

    def rate(self, plan_id: PlanId, rating: int) -> PlanMeta:
        """Keep what a person thinks of a plan, from 1 (poor) to 5 (excellent); the last word counts.

        Raises:
            BadInputError: the rating is none of these.
        """
        if not 1 <= rating <= 5:
            raise BadInputError(f"{rating} is no rating.", next="Give a number from 1 (poor) to 5 (excellent).")
        self._before_writing()
        return self._plans.update(plan_id, lambda found: found.model_copy(update={"rating": rating}))

    def _refuse_impossible(self, version: PlanVersion) -> None:
        try:
            refuse_impossible(version.operations, self._objects)
            refuse_out_of_scope(version.operations, self._plans.meta(version.plan_id).tools_required)
        except PreflightError as reason:
            raise NotApprovableError(reason.message, path=reason.path, step=reason.step, next=reason.next) from reason

    def _refuse_unfinished(self, version: PlanVersion) -> None:
        if version.incomplete:
            raise NotApprovableError(
                f"{version.plan_id} r{version.revision} is not finished: {version.incomplete}",
                next=f"Let the agent go on: tandem run --session {version.session_id} --task TEXT",
            )
        still = {entry.path for entry in drift(version.operations, self._workspace)} if version.drifted else set()
        changed = [path for path in version.drifted if path in still]
        if changed:
            theirs = [operation.id for operation in version.operations if set(changed) & set(operation.paths)]
            is_all = len(theirs) == len(version.operations)
            words = f"cancel {version.plan_id}" if is_all else f"drop {version.plan_id} {' '.join(theirs)}"
            raise NotApprovableError(
                f"Changed on disk while the agent worked on it: {', '.join(changed)}. Its version would undo that.",
                path=changed[0],
                next=f"Bring both together: tandem rebase {version.plan_id}. Or take it out: tandem {words}; then the "
                f"agent sees what is on disk and can do it again:"
                f" tandem run --session {version.session_id} --task TEXT",
            )
