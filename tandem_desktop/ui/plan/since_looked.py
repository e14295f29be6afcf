"""Which operations do something else than when the person viewed them, until they are viewed again."""

from collections.abc import Collection

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.review.since_viewed import since_viewed

WORDS = "changed since you looked"


class SinceLooked:
    """Follows one plan from revision to revision."""

    def __init__(self) -> None:
        self._changed: frozenset[OperationId] = frozenset()

    def follow(self, before: PlanVersion | None, viewed: Collection[OperationId], now: PlanVersion) -> None:
        """Another page of the plan, or of another one. What a person changed by themselves is not news to them."""
        if before is None or now.revision < before.revision:
            self._changed = frozenset()
        elif now.revision > before.revision:
            found = since_viewed(before, {*viewed, *self._changed}, now)
            self._changed = frozenset(found.changed if now.origin is not Origin.PERSON else ())

    def marks(self, viewed: Collection[OperationId]) -> dict[OperationId, str]:
        """A word for each of them that was not viewed since."""
        self._changed -= frozenset(viewed)
        return dict.fromkeys(self._changed, WORDS)
