"""Records which operations were viewed and what changed since."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.review import Coverage, Seen
from tandem_desktop.review.compare import compare, known_again
from tandem_desktop.review.operation_view import OperationView

_LENGTH = 16


class ViewedMarks:
    """Computes viewed marks, each once."""

    def __init__(self) -> None:
        self._made: dict[OperationId, tuple[StagedOperation, str]] = {}

    def of(self, views: Iterable[OperationView], viewed: frozenset[OperationId]) -> tuple[str, ...]:
        return tuple(self._mark(view.operation) for view in views if view.operation.id in viewed)

    def fitting(self, views: Iterable[OperationView], marks: Iterable[str]) -> tuple[OperationId, ...]:
        """The operations that are still what they were when they were viewed."""
        kept = set(marks)
        if not kept:
            return ()
        named = {mark.rpartition(":")[0] for mark in kept}
        every = [view.operation for view in views]
        same = {operation.id: self._mark(operation) for operation in every if operation.id in named}
        fitting = {operation_id for operation_id, made in same.items() if made in kept}
        # renumbered, but still the same operation
        left = Counter(mark.rpartition(":")[2] for mark in kept - {same[each] for each in fitting})
        for operation in every if left else ():
            digest = self._mark(operation).rpartition(":")[2] if operation.id not in fitting else ""
            if left[digest] > 0:
                left[digest] -= 1
                fitting.add(operation.id)
        return tuple(operation.id for operation in every if operation.id in fitting)

    def _mark(self, operation: StagedOperation) -> str:
        made = self._made.get(operation.id)
        if made is None or made[0] is not operation:
            made = self._made[operation.id] = (operation, mark(operation))
        return made[1]


def mark(operation: StagedOperation) -> str:
    """The operation's id and the beginning of a digest of what it does."""
    does = operation.effect().model_dump_json(exclude={"id", "blocked_by"})
    digest = hashlib.sha256(does.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{operation.id}:{digest[:_LENGTH]}"


@dataclass(frozen=True, slots=True)
class SinceViewed:
    """Every operation of a revision, in its order, in one of three parts."""

    viewed: tuple[OperationId, ...]
    """Viewed and unchanged."""
    changed: tuple[OperationId, ...]
    """Viewed and changed since."""
    unseen: tuple[OperationId, ...]
    """New, or not viewed."""
    text_changed: bool


class Looked(Frozen):
    """What a person had viewed of a revision, in a storable form."""

    revision: int
    viewed: tuple[OperationId, ...] = ()
    changed: tuple[OperationId, ...] = ()
    """Viewed in an earlier revision, changed since and not viewed again."""

    def in_next(self, then: PlanVersion, now: PlanVersion) -> "Looked":
        """The marks in the next revision. The person's own changes count as viewed."""
        found = since_viewed(then, {*self.viewed, *self.changed}, now)
        earlier = known_again(then, now)
        waiting = {each for each, before in earlier.items() if before in self.changed}
        news = waiting if now.origin is Origin.PERSON else waiting | set(found.changed)
        seen = (*found.viewed, *found.changed)
        return Looked(
            revision=now.revision,
            viewed=tuple(each for each in seen if each not in news),
            changed=tuple(each for each in seen if each in news),
        )


def since_viewed(then: PlanVersion, viewed: Collection[OperationId], now: PlanVersion) -> SinceViewed:
    """Compare with the viewed revision; `viewed` are its operations that the person marked as viewed."""
    comparison = compare(then, now)
    earlier = known_again(then, now)
    differs = {each.id for each in comparison.changed}
    parts: dict[str, list[OperationId]] = {"viewed": [], "changed": [], "unseen": []}
    for operation in now.operations:
        was_viewed = earlier.get(operation.id) in viewed
        part = "unseen" if not was_viewed else "changed" if operation.id in differs else "viewed"
        parts[part].append(operation.id)
    return SinceViewed(**{name: tuple(found) for name, found in parts.items()}, text_changed=comparison.text_changed)


def coverage(version: PlanVersion, seen: Iterable[Seen]) -> Coverage:
    """Count the viewed operations, and their regions that stayed folded."""
    known = {each.mark: each for each in seen}
    ids = {name.rpartition(":")[0] for name in known}  # a mark is a digest: made only of what may be known
    every = (mark(operation) for operation in version.operations if operation.id in ids)
    shown = [known[name] for name in every if name in known]
    return Coverage(
        operations=len(version.operations),
        shown=len(shown),
        folded=sum(each.folded for each in shown),
        proved=sum(each.proved for each in shown),
    )
