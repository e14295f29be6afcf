"""How much of a revision a person has had on screen; what has changed since it was seen does not count."""

from collections.abc import Iterable

from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import Coverage, Seen
from tandem_desktop.review.viewed import mark


def coverage(version: PlanVersion, seen: Iterable[Seen]) -> Coverage:
    """Count the operations that were shown as they are, and their regions that stayed folded."""
    known = {each.mark: each for each in seen}
    shown = [known[name] for operation in version.operations if (name := mark(operation)) in known]
    return Coverage(operations=len(version.operations), shown=len(shown), folded=sum(each.folded for each in shown))
