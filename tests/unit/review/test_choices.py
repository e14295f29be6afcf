"""Dropping leaves exactly the rest: later operations move onto what is left, or the drop is refused."""

from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, StepRefusedError, UnknownOperationError
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.choices import Drop, choose
from tandem_desktop.storage.objects import ObjectStore
from tests.support.builders import a_chmod, a_delete, a_file, a_write

LINES = b"".join(b"line %d\n" % n for n in range(40))
FIRST = LINES.replace(b"line 3\n", b"LINE 3\n")
BOTH = FIRST.replace(b"line 30\n", b"LINE 30\n")
SECOND = LINES.replace(b"line 30\n", b"LINE 30\n")


@pytest.fixture
def objects(memory_path: Path) -> ObjectStore:
    store = ObjectStore(memory_path)
    store.put_all([LINES, FIRST, BOTH, b"new\n", b"newer\n"])
    return store


def two_edits_and_a_chmod() -> tuple[StagedOperation, ...]:
    return (
        a_write("f", FIRST, before=LINES, id="s1"),
        a_write("f", BOTH, before=FIRST, id="s2"),
        a_chmod("f", 0o755, content=BOTH, id="s3"),
    )


def test_later_edits_elsewhere_in_the_file_move_onto_what_is_left(objects: ObjectStore) -> None:
    chosen = choose(two_edits_and_a_chmod(), [Drop.parse("s1")], objects)
    assert [(o.id, o.base, o.after) for o in chosen.operations] == [
        ("s2", a_file(LINES), a_file(SECOND)),
        ("s3", a_file(SECOND), a_file(SECOND, mode=0o755)),
    ]
    assert SECOND in chosen.contents


def test_single_hunk_is_dropped_and_the_rest_follows(objects: ObjectStore) -> None:
    operations = (a_write("f", BOTH, before=LINES, id="s1"), a_delete("f", BOTH, id="s2"))
    chosen = choose(operations, [Drop.parse("s1:2")], objects)
    assert [(o.id, o.base) for o in chosen.operations] == [("s1", a_file(LINES)), ("s2", a_file(FIRST))]
    assert chosen.operations[0].after == a_file(FIRST)


def test_operation_whose_only_hunk_is_dropped_goes_whole(objects: ObjectStore) -> None:
    operations = (a_write("f", FIRST, before=LINES, id="s1"), a_write("new", b"new\n", id="s2"))
    assert [o.id for o in choose(operations, [Drop.parse("s1:1")], objects).operations] == ["s2"]


def test_edit_of_a_dropped_creation_is_left_for_the_simulation_to_refuse(objects: ObjectStore) -> None:
    operations = (a_write("n", b"new\n", id="s1"), a_write("n", b"newer\n", before=b"new\n", id="s2"))
    (left,) = choose(operations, [Drop.parse("s1")], objects).operations
    assert left == operations[1]


def test_operation_others_wait_for_is_not_dropped(objects: ObjectStore) -> None:
    operations = (a_write("n", b"new\n", id="s1"), a_write("m", b"newer\n", id="s2", blocked_by=("s1",)))
    with pytest.raises(StepRefusedError, match="s2 waits for s1"):
        choose(operations, [Drop.parse("s1")], objects)


@pytest.mark.parametrize("text", ["s1:", "s1:x", "s1:0", "s1:1,,2"])
def test_hunks_are_named_by_numbers_from_one(text: str) -> None:
    with pytest.raises(BadInputError, match="does not name hunks"):
        Drop.parse(text)


@pytest.mark.parametrize(("text", "why"), [("s9", "no operation s9"), ("s1:7", "no hunk 7"), ("s2:1", "no hunks")])
def test_what_is_not_there_cannot_be_dropped(objects: ObjectStore, text: str, why: str) -> None:
    operations = (a_write("f", FIRST, before=LINES, id="s1"), a_delete("g", LINES, id="s2"))
    with pytest.raises(UnknownOperationError, match=why):
        choose(operations, [Drop.parse(text)], objects)


def test_dropping_everything_is_refused(objects: ObjectStore) -> None:
    with pytest.raises(StepRefusedError, match="Nothing would be left"):
        choose((a_write("n", b"new\n", id="s1"),), [Drop.parse("s1")], objects)
