"""What counts as seen when a revision takes the place of another."""

import pytest

from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.review import Seen
from tandem_desktop.review.viewed import coverage, mark
from tandem_desktop.ui.plan.viewed import SeenOperations
from tests.support.builders import a_version, a_write

SHOWN, OTHER = a_write("a", b"1\n", id="s1"), a_write("a", b"2\n", id="s1")
REST = a_write("b", b"1\n", id="s2")


def person(parent: int, *operations: object) -> PlanVersion:
    return a_version(*operations, parent=parent, origin=Origin.PERSON)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agents", "persons", "by_choice", "shown"),
    [
        (a_version(SHOWN, REST), person(1, OTHER), True, 1),
        (a_version(SHOWN, REST), person(1, OTHER), False, 0),
        (a_version(OTHER, REST, parent=1), person(2, OTHER), True, 0),
    ],
    ids=["own edit of what was seen", "another revision brought back", "agent's change nobody saw"],
)
def test_only_what_was_on_screen_or_is_the_persons_own_counts(
    agents: PlanVersion, persons: PlanVersion, by_choice: bool, shown: int
) -> None:
    seen = SeenOperations()
    seen._seen[SHOWN.id] = Seen(mark=mark(SHOWN))
    seen.follow(agents, persons, by_choice=by_choice)
    assert coverage(persons, seen.all).shown == shown
