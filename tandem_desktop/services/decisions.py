"""Approval, rejection, cancellation and comments of plans."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.errors import (
    BadInputError,
    InvalidTransitionError,
    NotApprovableError,
    PreflightError,
)
from tandem_desktop.domain.events import PlanApproved, PlanCancelled, PlanRejected
from tandem_desktop.domain.lifecycle import check, refusal
from tandem_desktop.domain.plan_states import EventKind, is_open, is_running
from tandem_desktop.domain.review import (
    NO_LOCK_FILES,
    Comment,
    CommentId,
    Comments,
    Coverage,
    LockFileReview,
    Seen,
    Side,
)
from tandem_desktop.domain.state_machine import Approve, Cancel, RejectPlan, RequestRevision
from tandem_desktop.execution.preflight import refuse_impossible, refuse_out_of_scope
from tandem_desktop.review.comments import CommentPlaces, CommentStore, as_written, feedback
from tandem_desktop.review.comments import feedback as feedback_text
from tandem_desktop.review.operation_view import lock_files_to_open

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from tandem_desktop.approval.enforcer import ApprovalEnforcer
    from tandem_desktop.domain.advice import Qualification
    from tandem_desktop.domain.approval import Approval
    from tandem_desktop.domain.event_stream import EventStream
    from tandem_desktop.domain.ids import OperationId, PlanId
    from tandem_desktop.domain.plan import PlanMeta, PlanVersion
    from tandem_desktop.plans.store import PlanStore
    from tandem_desktop.services.expiry import Expiry
    from tandem_desktop.storage.objects import ObjectStore
    from tandem_desktop.storage.workspace import Workspace


class Commenting:
    """Keeps a person's comments."""

    def __init__(
        self,
        *,
        store: CommentStore,
        plans: PlanStore,
        objects: ObjectStore,
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._plans = plans
        self._clock = clock
        self._places = CommentPlaces(objects)

    def comments(self, plan_id: PlanId) -> Comments:
        """Every comment, drafts placed on the latest revision; those whose lines are gone are marked."""
        found = self._store.load(self._plans.meta(plan_id).session_id, plan_id)
        latest = self._plans.latest_revision(plan_id)
        if all(draft.revision == latest for draft in found.drafts):
            return found
        new = self._plans.revision(plan_id)
        by_revision = {n: self._plans.revision(plan_id, n) for n in {draft.revision for draft in found.drafts}}
        moved = (
            each for draft in found.drafts for each in self._places.in_newer((draft,), by_revision[draft.revision], new)
        )
        return found.model_copy(update={"drafts": tuple(moved)})

    def add(
        self,
        plan_id: PlanId,
        text: str,
        operation: OperationId | None = None,
        side: Side = Side.AFTER,
        lines: tuple[int, int] | None = None,
    ) -> Comments:
        """Comment on lines, on an operation, or, without one, on the plan text.

        Raises:
            BadInputError: there are no words, or no such lines.
            UnknownOperationError: there is no such operation.
        """
        self._refuse_when_ended(plan_id)
        version = self._plans.revision(plan_id)
        place = self._places.place(version, operation, side, lines)
        text = _checked(text)
        return self._change(plan_id, lambda found: found.add(place, text, version.revision, self._clock()))

    def edit(self, plan_id: PlanId, comment: CommentId, text: str) -> Comments:
        text = _checked(text)
        return self._change(plan_id, lambda found: _with(found, comment).edit(comment, text))

    def remove(self, plan_id: PlanId, comment: CommentId) -> Comments:
        return self._change(plan_id, lambda found: _with(found, comment).remove(comment))

    def feedback(self, plan_id: PlanId, text: str = "") -> str:
        """The text for the agent: the feedback and every draft."""
        return feedback(text, self.comments(plan_id).drafts)

    def mark_sent(self, plan_id: PlanId, drafts: tuple[Comment, ...]) -> None:
        """These drafts were handed over with a decision."""
        if drafts:
            self._change(plan_id, lambda found: found.mark_sent(drafts))

    def _refuse_when_ended(self, plan_id: PlanId) -> None:
        status = self._plans.meta(plan_id).status
        if not is_open(status):
            raise InvalidTransitionError(
                f"{plan_id} is {status.label.lower()}; a comment on it would not be read.",
                next=f"Bring a revision back first: tandem restore {plan_id} REVISION, or propose a new plan.",
            )

    def _change(self, plan_id: PlanId, change: Callable[[Comments], Comments]) -> Comments:
        self._store.update(self._plans.meta(plan_id).session_id, plan_id, change)
        return self.comments(plan_id)


def _with(comments: Comments, wanted: CommentId) -> Comments:
    if any(draft.id == wanted for draft in comments.drafts):
        return comments
    is_sent = any(comment.id == wanted for comment in comments.sent)
    raise BadInputError(
        f"{wanted} has been sent and stays as it is." if is_sent else f"There is no comment {wanted}.",
        next=f"See them with: tandem comments {comments.plan_id}",
    )


def _checked(text: str) -> str:
    if not text.strip():
        raise BadInputError("A comment needs words.", next="Write what should be different.")
    return text.strip()


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
        lock_files: LockFileReview = NO_LOCK_FILES,
        notes: str = "",
        drafts: tuple[Comment, ...] = (),
        evidence: str = "",
    ) -> Approval:
        """Bind the click to the digest that was shown, with what was on screen and the person's notes.

        The notes and these draft comments go to the agent with the result; only those drafts count as sent. `evidence`
        is the digest of what checks said on screen.

        Raises:
            ApprovalDriftError: the latest revision has another digest.
            InvalidTransitionError: the plan is not waiting for a decision.
            NotApprovableError: its agent did not finish, the person changed a file under it, it can never be done, or
                a lock file that installs code was neither opened nor skipped by its name.
        """
        self._before_writing()
        self._expiry.settle(plan_id)
        version = self._plans.revision(plan_id)
        notes = feedback_text(notes, drafts)
        check(self._plans.meta(plan_id), Approve())
        self._refuse_unfinished(version)
        self._refuse_impossible(version)
        approval = self._enforcer.approve(
            version,
            self._workspace.identity,
            digest,
            acknowledged,
            coverage=coverage,
            lock_files=self._reviewed_lock_files(version, lock_files),
            notes=notes,
            evidence=evidence,
        )
        self._plans.send(plan_id, Approve(notes=notes, at=self._clock()))
        self._comments.mark_sent(plan_id, drafts)
        self._events.publish(PlanApproved(plan_id=plan_id, revision=version.revision, digest=approval.digest))
        return approval

    def accept(self, version: PlanVersion, approval: Approval) -> Approval:
        """Approve by a signature of somebody else, under the same conditions as by the person's own click.

        Raises what `approve` raises.
        """
        self._before_writing()
        self._expiry.settle(version.plan_id)
        check(self._plans.meta(version.plan_id), Approve())
        self._refuse_unfinished(version)
        self._refuse_impossible(version)
        self._reviewed_lock_files(version, approval.lock_files)
        accepted = self._enforcer.accept(version, approval)
        self._plans.send(version.plan_id, Approve(notes=approval.notes, at=self._clock()))
        self._events.publish(PlanApproved(plan_id=version.plan_id, revision=version.revision, digest=accepted.digest))
        return accepted

    def carry_over(self, approval: Approval, version: PlanVersion) -> Approval:
        """Let an approval go on for a rebased revision that is the same patch, as the caller has proved.

        Raises:
            NotApprovableError: the revision can never be done.
        """
        self._refuse_impossible(version)
        carried = self._enforcer.carry_over(approval, version)
        self._plans.send(version.plan_id, Approve(notes=approval.notes, at=self._clock()))
        self._events.publish(PlanApproved(plan_id=version.plan_id, revision=version.revision, digest=carried.digest))
        return carried

    def approve_shown(
        self,
        plan_id: PlanId,
        digest: str,
        *,
        acknowledged: tuple[str, ...] = (),
        seen: tuple[Seen, ...] | None = None,
        lock_files: LockFileReview = NO_LOCK_FILES,
        notes: str = "",
        evidence: str = "",
    ) -> Approval:
        """Approve what was on screen; comments that were not sent go along with the notes."""
        from tandem_desktop.review.viewed import coverage as coverage_of

        return self.approve(
            plan_id,
            digest,
            acknowledged=acknowledged,
            coverage=None if seen is None else coverage_of(self._plans.revision(plan_id), seen),
            lock_files=lock_files,
            notes=notes,
            drafts=self._comments.comments(plan_id).drafts,
            evidence=evidence,
        )

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
                qualification=self.qualified(plan_id).summary,
                said=as_written(feedback or "", drafts),
            )
        )
        return meta

    def qualified(self, plan_id: PlanId) -> Qualification:
        """What kind of task a plan is for, with everything that was said when it was sent back."""
        version, meta = self._plans.revision(plan_id), self._plans.meta(plan_id)
        task = version.perspectives.task if version.perspectives is not None else version.title
        from tandem_desktop.policy.qualification import qualify

        return qualify(". ".join((task, *(rejection.feedback for rejection in meta.rejections))))

    def cancel(self, plan_id: PlanId) -> PlanMeta:
        """End the plan; nothing of it will run."""
        self._before_writing()
        if is_running(self._plans.meta(plan_id).status):
            raise refusal(self._plans.meta(plan_id), EventKind.CANCEL)  # a running plan is stopped by its runner
        meta = self._plans.send(plan_id, Cancel())
        self._events.publish(PlanCancelled(plan_id=plan_id))
        return meta

    def rate(self, plan_id: PlanId, rating: int) -> PlanMeta:
        """Store the person's rating of a plan, from 1 (poor) to 5 (excellent); it can be changed.

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

    def _reviewed_lock_files(self, version: PlanVersion, claimed: LockFileReview) -> LockFileReview:
        """What is said of the lock files that install code; refused where one was neither opened nor skipped."""
        to_open = lock_files_to_open(version.operations, self._objects)
        reviewed = claimed.among(to_open)
        missing = [path for path in to_open if path not in (*reviewed.opened, *reviewed.skipped)]
        if missing:
            named = ", ".join(map(visible_name, missing))
            skips = " ".join(f"--skip-lock {shlex.quote(visible_name(path))}" for path in missing)
            raise NotApprovableError(
                f"{named}: installs code, and was neither opened nor skipped by name; nothing is approved.",
                path=missing[0],
                next=f"Look at it: tandem show {version.plan_id} --diff. Then approve there, or name what you skip: "
                f'{skips} (over HTTP "openedLockFiles" or "skippedLockFiles").',
            )
        return reviewed

    def _refuse_unfinished(self, version: PlanVersion) -> None:
        if version.incomplete:
            raise NotApprovableError(
                f"{version.plan_id} r{version.revision} is not finished: {version.incomplete}",
                next=f"Let the agent go on: tandem run --session {version.session_id} --task TEXT",
            )
        from tandem_desktop.review.drift import drift

        still = {entry.path for entry in drift(version.operations, self._workspace)} if version.drifted else set()
        changed = [path for path in version.drifted if path in still]
        if changed:
            theirs = [operation.id for operation in version.operations if set(changed) & set(operation.paths)]
            is_all = len(theirs) == len(version.operations)
            call = f"cancel {version.plan_id}" if is_all else f"drop {version.plan_id} {' '.join(theirs)}"
            raise NotApprovableError(
                f"Changed on disk while the agent worked on it: {', '.join(changed)}. Its version would undo that.",
                path=changed[0],
                next=f"Bring both together: tandem rebase {version.plan_id}. Or take it out: tandem {call}; then the "
                f"agent sees what is on disk and can do it again:"
                f" tandem run --session {version.session_id} --task TEXT",
            )
