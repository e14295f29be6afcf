"""Review comments and view coverage of a revision."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Annotated, NewType

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.ids import OperationId, PlanId

CommentId = NewType("CommentId", str)
LineNumber = Annotated[int, Field(ge=1)]


class Side(StrEnum):
    """Which version a line number refers to: the original, or the proposed one."""

    BEFORE = "before"
    AFTER = "after"


class Place(Frozen):
    """The position of a comment: on lines, on a whole operation, or, without an operation, on the plan text."""

    operation: OperationId | None = None
    subject: str = ""
    """The path, or the command, for display; `operation` identifies it."""
    side: Side = Side.AFTER
    first_line: LineNumber | None = None
    last_line: LineNumber | None = None
    quoted: str = ""
    """The lines as they were when the comment was written."""


class Comment(Frozen):
    """A comment by the person, or by somebody the plan was shared with."""

    id: CommentId
    place: Place
    text: str
    revision: int
    written_at: datetime
    outdated: bool = False
    """Its target is not in the latest revision any more; the quoted lines are kept."""
    by: str = ""
    """Who wrote it, as they say, where it was somebody else."""

    @property
    def said(self) -> str:
        """The text, with the name of somebody else before it."""
        return f"{self.by}: {self.text}" if self.by else self.text


class Comments(Frozen):
    """All comments on one plan: drafts, and those that were sent."""

    format: int = 1
    plan_id: PlanId
    drafts: tuple[Comment, ...] = ()
    sent: tuple[Comment, ...] = ()

    def add(self, place: Place, text: str, revision: int, now: datetime) -> "Comments":
        taken = [int(comment.id[1:]) for comment in (*self.drafts, *self.sent)]
        name = CommentId(f"C{max(taken, default=0) + 1}")
        made = Comment(id=name, place=place, text=text, revision=revision, written_at=now)
        return self.model_copy(update={"drafts": (*self.drafts, made)})

    def with_others(self, comments: Collection[Comment]) -> "Comments":
        """Drafts that others wrote, under numbers of their own here."""
        taken = max((int(comment.id[1:]) for comment in (*self.drafts, *self.sent)), default=0)
        named = (each.model_copy(update={"id": CommentId(f"C{taken + n}")}) for n, each in enumerate(comments, start=1))
        return self.model_copy(update={"drafts": (*self.drafts, *named)})

    def edit(self, comment: CommentId, text: str) -> "Comments":
        """Change the text of a draft; sent comments are not changed."""
        changed = tuple(c.model_copy(update={"text": text}) if c.id == comment else c for c in self.drafts)
        return self.model_copy(update={"drafts": changed})

    def remove(self, comment: CommentId) -> "Comments":
        return self.model_copy(update={"drafts": tuple(c for c in self.drafts if c.id != comment)})

    def mark_sent(self, read: Collection[Comment]) -> "Comments":
        """Mark these comments as sent if their text is unchanged; newer drafts stay."""
        known = {(comment.id, comment.text) for comment in read}
        sent = tuple(draft for draft in self.drafts if (draft.id, draft.text) in known)
        waiting = tuple(draft for draft in self.drafts if draft not in sent)
        return self.model_copy(update={"drafts": waiting, "sent": (*self.sent, *sent)})


class Seen(Frozen):
    """An operation that was on screen, as long as it still does what `mark` says it did."""

    mark: str
    folded: Annotated[int, Field(ge=0)] = 0
    """Folded regions of its diff that were never opened."""
    proved: Annotated[int, Field(ge=0)] = 0
    """Changes that stayed folded because they are proved to be mechanical."""


class LockFileReview(Frozen):
    """Which lock files that install code the person had on screen, and which they skipped by name."""

    opened: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    def among(self, paths: Collection[str]) -> "LockFileReview":
        """What it says of these paths, each once; one that was opened was not skipped."""
        opened = tuple(path for path in paths if path in self.opened)
        return LockFileReview(
            opened=opened, skipped=tuple(path for path in paths if path in self.skipped and path not in opened)
        )


NO_LOCK_FILES = LockFileReview.model_construct()


class Coverage(Frozen):
    """How much of a revision was on screen before it was approved."""

    operations: int
    shown: int
    folded: int
    proved: int = 0
    """Changes that were not on screen because they are proved to be mechanical."""

    @property
    def is_complete(self) -> bool:
        return self.shown == self.operations and not self.folded and not self.proved
