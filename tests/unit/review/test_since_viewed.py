"""What a person has seen stays seen for as long as it does the same."""

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan import Origin
from tandem_desktop.review.viewed import Looked, since_viewed
from tests.support.builders import a_command, a_version, a_write


def ids(*names: str) -> set[OperationId]:
    return {OperationId(name) for name in names}


def test_viewed_is_kept_for_what_is_the_same_under_any_number() -> None:
    then = a_version(a_write("a", id="s1"), a_write("b", id="s2"), a_command("make", id="s3"))
    now = a_version(
        a_command("make", id="s1"),
        a_write("a", b"otherwise\n", id="s2"),
        a_write("b", id="s3", description="other words"),
        a_write("c", b"new to all\n", id="s4"),
        parent=1,
    )
    found = since_viewed(then, ids("s1", "s2", "s3"), now)
    assert (found.viewed, found.changed, found.unseen) == (("s1", "s3"), ("s2",), ("s4",))


def test_what_was_never_looked_at_stays_unseen_even_when_it_changes() -> None:
    then = a_version(a_write("a", id="s1"), a_write("b", id="s2"))
    now = a_version(a_write("a", b"otherwise\n", id="s1"), a_write("b", id="s2"), parent=1, content="# Other words\n")
    found = since_viewed(then, ids("s2"), now)
    assert (found.viewed, found.changed, found.unseen, found.text_changed) == (("s2",), (), ("s1",), True)


def test_what_waits_to_be_looked_at_again_waits_through_a_revision_of_the_person() -> None:
    first = a_version(a_write("a", b"1\n", id="s1"), a_write("b", b"1\n", id="s2"), revision=1)
    second = a_version(a_write("a", b"2\n", id="s1"), a_write("b", b"1\n", id="s2"), revision=2, origin=Origin.REWORK)
    third = a_version(a_write("a", b"2\n", id="s1"), a_write("b", b"2\n", id="s2"), revision=3, origin=Origin.PERSON)
    looked = Looked(revision=1, viewed=tuple(ids("s1", "s2"))).in_next(first, second)
    assert (looked.viewed, looked.changed) == (("s2",), ("s1",))
    looked = looked.in_next(second, third)
    assert (looked.revision, looked.viewed, looked.changed) == (3, ("s2",), ("s1",))
