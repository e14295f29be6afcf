"""What is new to a person who looked at an earlier revision, so that they need not look at the rest again."""

from collections.abc import Collection
from dataclasses import dataclass

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan import PlanVersion
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
