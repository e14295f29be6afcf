"""What is new to a person who looked at an earlier revision, so that they need not look at the rest again."""

from collections.abc import Collection
from dataclasses import dataclass

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.review.compare import compare, known_again


@dataclass(frozen=True, slots=True)
class SinceViewed:
    """Every operation of a revision, in its order, in one of three parts."""

    viewed: tuple[OperationId, ...]
    """Looked at then, and the same now."""
    changed: tuple[OperationId, ...]
    """Looked at then, and does something else now."""
    unseen: tuple[OperationId, ...]
    """Not there then, or not looked at."""
    text_changed: bool


class Looked(Frozen):
    """What a person had looked at when a revision was on screen, in a form that can be kept."""

    revision: int
    viewed: tuple[OperationId, ...] = ()
    changed: tuple[OperationId, ...] = ()
    """Viewed in an earlier revision, changed since and not viewed again."""

    def in_next(self, then: PlanVersion, now: PlanVersion) -> "Looked":
        """The same in the revision that follows. What a person changed by themselves is not news to them."""
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
    """Compare with the revision a person looked at; `viewed` names its operations that they marked as viewed."""
    comparison = compare(then, now)
    earlier = known_again(then, now)
    differs = {each.id for each in comparison.changed}
    parts: dict[str, list[OperationId]] = {"viewed": [], "changed": [], "unseen": []}
    for operation in now.operations:
        was_viewed = earlier.get(operation.id) in viewed
        part = "unseen" if not was_viewed else "changed" if operation.id in differs else "viewed"
        parts[part].append(operation.id)
    return SinceViewed(**{name: tuple(found) for name, found in parts.items()}, text_changed=comparison.text_changed)
