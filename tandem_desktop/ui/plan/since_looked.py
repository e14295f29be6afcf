"""Which operations do something else than when the person viewed them, until they are viewed again."""

from collections.abc import Collection

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.review.since_viewed import Looked
from tandem_desktop.ui.words import later

WORDS = later("changed since you looked")


class SinceLooked:
    """Follows one plan from revision to revision."""

    def __init__(self) -> None:
        self._changed: frozenset[OperationId] = frozenset()

    def follow(self, before: PlanVersion | None, viewed: Collection[OperationId], now: PlanVersion) -> None:
        """Another page of the plan, or of another one."""
        if before is None or now.revision < before.revision:
            self._changed = frozenset()
        elif now.revision > before.revision:
            self.resume(self.looked(before.revision, viewed).in_next(before, now))

    def resume(self, looked: Looked) -> None:
        """Go on from what is known of the revision on screen."""
        self._changed = frozenset(looked.changed)

    def looked(self, revision: int, viewed: Collection[OperationId]) -> Looked:
        """What is known of the revision on screen, to be kept."""
        return Looked(revision=revision, viewed=tuple(sorted(viewed)), changed=tuple(sorted(self._changed)))

    def marks(self, viewed: Collection[OperationId]) -> dict[OperationId, str]:
        """A word for each of them that was not viewed since."""
        self._changed -= frozenset(viewed)
        return dict.fromkeys(self._changed, WORDS)
