"""Review comments: positions, storage and feedback text."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic_core import ValidationError

from tandem_desktop.diff.text import Document
from tandem_desktop.domain.errors import BadInputError, PlanDamagedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import Comment, Comments, Place, Side
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing
from tandem_desktop.storage.objects import ObjectStore


class CommentPlaces:
    """Finds lines by content. Reads stored bytes, never the disk."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def place(
        self,
        version: PlanVersion,
        operation: OperationId | None,
        side: Side = Side.AFTER,
        lines: tuple[int, int] | None = None,
    ) -> Place:
        """A position in this revision, with its lines.

        Raises:
            UnknownOperationError: there is no such operation.
            BadInputError: there are no such lines.
        """
        found = None if operation is None else _operation(version, operation)
        subject = _subject(found) if found else "the plan text"
        if lines is None:
            return Place(operation=operation, subject=subject, side=side)
        text = self._lines(version, found, side)
        first, last = lines
        if not 1 <= first <= last <= len(text):
            raise BadInputError(
                f"{subject} has {len(text)} lines {_NAMES[side]}; there are no lines {first} to {last}.",
                path=found.path if found else None,
                step=operation,
                next=f"See the numbers with: tandem show {version.plan_id} --diff",
            )
        quoted = "\n".join(text[first - 1 : last])
        return Place(operation=operation, subject=subject, side=side, first_line=first, last_line=last, quoted=quoted)

    def in_newer(self, comments: Sequence[Comment], old: PlanVersion, new: PlanVersion) -> tuple[Comment, ...]:
        """Carry comments over to a newer revision, or mark them as outdated."""
        if old.revision == new.revision:
            return tuple(comments)
        from tandem_desktop.review.compare import counterparts

        now = counterparts(old, new)
        return tuple(self._moved(comment, new, now) for comment in comments)

    def _moved(self, comment: Comment, new: PlanVersion, now: dict[OperationId, OperationId]) -> Comment:
        place = comment.place
        operation = None if place.operation is None else now.get(place.operation)
        if place.operation is not None and operation is None:
            return comment.model_copy(update={"outdated": True})
        found = None if operation is None else _operation(new, operation)
        subject = _subject(found) if found else place.subject
        update: dict[str, object] = {"operation": operation, "subject": subject}
        outdated = False
        if place.first_line is not None and place.last_line is not None:
            first = _nearest(self._lines(new, found, place.side), place.quoted.split("\n"), place.first_line)
            outdated = first is None
            if first is not None:
                update |= {"first_line": first, "last_line": first + place.last_line - place.first_line}
        moved = comment.place.model_copy(update=update)
        return comment.model_copy(update={"place": moved, "revision": new.revision, "outdated": outdated})

    def _lines(self, version: PlanVersion, operation: StagedOperation | None, side: Side) -> list[str]:
        if operation is None:
            return version.content.removesuffix("\n").split("\n")
        if (text := operation.call_text) is not None:
            return text.split("\n")
        state = operation.base if side is Side.BEFORE else operation.after
        document = Document.of(self._objects.read(state.sha256) if isinstance(state, FileState) else b"")
        return [document.display(line) for line in document.lines]


_NAMES = {Side.BEFORE: "as it was", Side.AFTER: "as proposed"}


def _operation(version: PlanVersion, wanted: OperationId) -> StagedOperation:
    for operation in version.operations:
        if operation.id == wanted:
            return operation
    raise UnknownOperationError(
        f"{version.plan_id} r{version.revision} has no operation {wanted}.",
        step=wanted,
        next=f"See them with: tandem show {version.plan_id}",
    )


def _subject(operation: StagedOperation) -> str:
    return operation.command or operation.to or operation.path or ""


def _nearest(lines: list[str], wanted: list[str], around: int) -> int | None:
    """The number of the first of these lines, as near as possible to where they were."""
    length = len(wanted)
    places = [n + 1 for n in range(len(lines) - length + 1) if lines[n : n + length] == wanted]
    return min(places, key=lambda place: abs(place - around), default=None)


_LOCK = "comments.lock"


class CommentStore:
    """One record for each plan. Concurrent writes of two windows are both kept."""

    def __init__(self, sessions: Path) -> None:
        self._sessions = sessions

    def load(self, session_id: SessionId, plan_id: PlanId) -> Comments:
        """Every comment on the plan.

        Raises:
            PlanDamagedError: the record cannot be read; it is left as it is.
        """
        path = self._path(session_id, plan_id)
        try:
            found = Comments.model_validate_json(path.read_bytes(), strict=True)
        except FileNotFoundError:
            return Comments(plan_id=plan_id)
        except (OSError, ValidationError):
            raise PlanDamagedError(
                f"The comments in {path} cannot be read.",
                path=str(path),
                next="Move the file away, then comment again.",
            ) from None
        return found

    def update(self, session_id: SessionId, plan_id: PlanId, change: Callable[[Comments], Comments]) -> Comments:
        """Change the current record under the lock."""
        folder = self._sessions / session_id
        with writing(folder):
            atomic.make_directory(folder, mode=0o700)
            with atomic.held(folder / _LOCK):
                found = self.load(session_id, plan_id)
                changed = change(found)
                if changed != found:
                    atomic.replace(
                        self._path(session_id, plan_id),
                        changed.model_dump_json().encode("utf-8", "surrogatepass"),
                        mode=0o600,
                    )
        return changed

    def _path(self, session_id: SessionId, plan_id: PlanId) -> Path:
        return self._sessions / session_id / f"comments-{plan_id}.json"


_QUOTED_LINES = 30


def feedback(message: str, comments: Sequence[Comment]) -> str:
    """The person's message, then every comment in order."""
    parts = [message.strip()] if message.strip() else []
    if comments:
        numbered = (f"{n}. {_told(comment)}" for n, comment in enumerate(comments, start=1))
        parts.append("Comments on the plan:\n\n" + "\n\n".join(numbered))
    return "\n\n".join(parts)


def as_written(message: str, comments: Sequence[Comment]) -> str:
    """What the person wrote, for the conversation: the message, then each comment after its place."""
    lines = [f"{briefly(comment.place)}: {comment.said.strip()}" for comment in comments]
    return "\n\n".join(filter(None, (message.strip(), *lines)))


def briefly(place: Place) -> str:
    """`app/cli.py:5`."""
    subject = place.subject or "the plan"
    return subject if place.first_line is None else f"{subject}:{place.first_line}"


def where(place: Place) -> str:
    """The position of a comment as text."""
    subject = place.subject or "the plan"
    if place.first_line is None:
        return subject if place.operation is None else f"{subject} ({place.operation})"
    several = place.last_line is not None and place.last_line != place.first_line
    lines = f"lines {place.first_line}-{place.last_line}" if several else f"line {place.first_line}"
    if place.operation is None:
        return f"{subject}, {lines}"
    return f"{subject} ({place.operation}), {lines} of the file as {_SIDES[place.side]}"


_SIDES = {Side.BEFORE: "it was", Side.AFTER: "proposed"}


def _told(comment: Comment) -> str:
    lines = [f"{where(comment.place)}:"]
    quoted = comment.place.quoted.split("\n") if comment.place.first_line is not None else []
    lines += [f"   > {line}" for line in quoted[:_QUOTED_LINES]]
    if len(quoted) > _QUOTED_LINES:
        more = len(quoted) - _QUOTED_LINES
        lines.append(f"   > … and {more} more line{'' if more == 1 else 's'}")
    lines += [f"   {line}" for line in comment.said.strip().split("\n")]
    return "\n".join(lines)
