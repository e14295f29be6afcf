"""A person's comments on a plan: drafts beside the latest revision, sent with the next decision."""

from collections.abc import Callable
from datetime import datetime

from tandem_desktop.domain.errors import BadInputError, InvalidTransitionError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.plan_lifecycle import is_open
from tandem_desktop.domain.review import Comment, CommentId, Comments, Side
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.review.comment_places import CommentPlaces
from tandem_desktop.review.comment_store import CommentStore
from tandem_desktop.review.feedback import feedback
from tandem_desktop.storage.objects import ObjectStore


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
        """Every comment; drafts stand beside the latest revision, and those whose lines are gone say so."""
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
        words = _words(text)
        return self._change(plan_id, lambda found: found.add(place, words, version.revision, self._clock()))

    def edit(self, plan_id: PlanId, comment: CommentId, text: str) -> Comments:
        words = _words(text)
        return self._change(plan_id, lambda found: _with(found, comment).edit(comment, words))

    def remove(self, plan_id: PlanId, comment: CommentId) -> Comments:
        return self._change(plan_id, lambda found: _with(found, comment).remove(comment))

    def feedback(self, plan_id: PlanId, words: str = "") -> str:
        """What an agent would read: these words and every draft."""
        return feedback(words, self.comments(plan_id).drafts)

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


def _words(text: str) -> str:
    if not text.strip():
        raise BadInputError("A comment needs words.", next="Write what should be different.")
    return text.strip()
