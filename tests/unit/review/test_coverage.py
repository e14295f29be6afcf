"""Only what was on screen as it is now counts as seen."""

from tandem_desktop.domain.review import Coverage, Seen
from tandem_desktop.review.viewed import coverage, mark
from tests.support.builders import a_version, a_write

ONE, TWO = a_write("a", b"1\n", id="s1"), a_write("b", b"2\n", id="s2")


def test_shown_operations_and_unopened_folds_are_counted() -> None:
    seen = (Seen(mark=mark(ONE), folded=2), Seen(mark=mark(TWO)))
    assert coverage(a_version(ONE, TWO), seen) == Coverage(operations=2, shown=2, folded=2)


def test_operation_that_does_something_else_now_was_not_seen() -> None:
    changed = a_write("b", b"3\n", id="s2")
    assert coverage(a_version(ONE, changed), (Seen(mark=mark(ONE)), Seen(mark=mark(TWO)))).shown == 1
