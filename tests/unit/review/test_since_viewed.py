"""What a person has seen stays seen for as long as it does the same."""

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.since_viewed import since_viewed
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
