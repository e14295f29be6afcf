"""Dropping leaves exactly the rest: later operations move onto what is left, or the drop is refused."""

from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, StepRefusedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import DirectoryState, StagedOperation
from tandem_desktop.review.choices import Drop, choose
from tandem_desktop.staging.simulate import simulate_operations
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import a_chmod, a_delete, a_file, a_write

S1 = OperationId("s1")
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


def test_hunk_that_is_not_there_is_refused_with_how_many_there_are(objects: ObjectStore) -> None:
    with pytest.raises(UnknownOperationError, match="s1 has 1 hunk; there is no hunk 2"):
        choose((a_write("f", FIRST, before=LINES, id="s1"),), [Drop.parse("s1:2")], objects)


def test_edit_of_a_dropped_creation_is_left_for_the_simulation_to_refuse(objects: ObjectStore) -> None:
    operations = (a_write("n", b"new\n", id="s1"), a_write("n", b"newer\n", before=b"new\n", id="s2"))
    (left,) = choose(operations, [Drop.parse("s1")], objects).operations
    assert left == operations[1]


def test_operation_that_waits_for_a_dropped_one_is_flagged(objects: ObjectStore, tmp_path: Path) -> None:
    operations = (a_write("n", b"new\n", id="s1"), a_write("m", b"newer\n", id="s2", blocked_by=("s1",)))
    left = choose(operations, [Drop.parse("s1")], objects).operations
    with Workspace(tmp_path) as workspace:
        (problem,) = simulate_operations(left, workspace)
    assert (problem.step, problem.reason) == ("s2", "s2 waits for s1, which is not in the plan.")


def test_hunks_and_lines_are_named_by_their_numbers() -> None:
    assert Drop.parse("s1:2,+12..14,-8") == Drop(OperationId("s1"), (2,), (12, 13, 14), (8,))


@pytest.mark.parametrize("text", ["s1:", "s1:x", "s1:0", "s1:1,,2", "s1:+0", "s1:+4..2", "s1:-", "s1:+1..9999999"])
def test_what_names_neither_hunks_nor_lines_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="does not name hunks or lines"):
        Drop.parse(text)


def test_added_line_that_is_left_out_does_not_come(objects: ObjectStore) -> None:
    assert left_of(objects, b"a\nb\n", b"a\nx\ny\nb\n", "s1:+2") == b"a\ny\nb\n"


def test_removed_line_that_is_left_out_stays_before_its_replacement(objects: ObjectStore) -> None:
    assert left_of(objects, b"a\nold\nb\n", b"a\nnew\nb\n", "s1:-2") == b"a\nold\nnew\nb\n"


def test_last_line_without_newline_gets_one_when_another_follows_it_now(objects: ObjectStore) -> None:
    assert left_of(objects, b"a\nold", b"a\nnew\n", "s1:-2") == b"a\nold\nnew\n"


def test_hunk_and_lines_are_left_out_together(objects: ObjectStore) -> None:
    assert left_of(objects, LINES, BOTH, "s1:1,+31") == LINES.replace(b"line 30\n", b"")


def test_persons_own_version_takes_the_place_of_the_proposed_one(objects: ObjectStore) -> None:
    own = objects.put(b"my own\n")
    (left,) = choose((a_write("f", FIRST, before=LINES, id="s1"),), [Drop(S1, edited=own)], objects).operations
    assert left.after == a_file(b"my own\n")


def test_lines_of_wide_text_cannot_be_chosen_one_by_one(objects: ObjectStore) -> None:
    before, after = "a\nb\n".encode("utf-16"), "a\nc\n".encode("utf-16")
    with pytest.raises(StepRefusedError, match="not plain text"):
        left_of(objects, before, after, "s1:+2")


def left_of(objects: ObjectStore, before: bytes, after: bytes, drop: str) -> bytes:
    objects.put_all((before, after))
    chosen = choose((a_write("f", after, before=before, id="s1"),), [Drop.parse(drop)], objects)
    assert chosen.operations[0].after == a_file(chosen.contents[0])
    return chosen.contents[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [("s9", "no operation s9"), ("s1:7", "no hunk 7"), ("s2:1", "no hunks"), ("s1:+9", "not one that was added")],
)
def test_what_is_not_there_cannot_be_dropped(objects: ObjectStore, text: str, why: str) -> None:
    operations = (a_write("f", FIRST, before=LINES, id="s1"), a_delete("g", LINES, id="s2"))
    with pytest.raises(UnknownOperationError, match=why):
        choose(operations, [Drop.parse(text)], objects)


def test_dropping_everything_is_refused(objects: ObjectStore) -> None:
    with pytest.raises(StepRefusedError, match="Nothing would be left"):
        choose((a_write("n", b"new\n", id="s1"),), [Drop.parse("s1")], objects)


def test_several_drops_of_one_operation_count_in_what_was_shown(objects: ObjectStore) -> None:
    after = BOTH.replace(b"line 15\n", b"LINE 15\n")
    objects.put_all((LINES, after))
    operations = (a_write("f", after, before=LINES, id="s1"),)
    chosen = choose(operations, [Drop.parse("s1:1"), Drop.parse("s1:2")], objects)
    assert chosen.contents[0] == SECOND
    with pytest.raises(StepRefusedError, match="Nothing would be left"):
        choose(operations, [Drop.parse("s1:1"), Drop.parse("s1")], objects)


def test_folder_stays_when_the_deletion_of_something_in_it_is_dropped(objects: ObjectStore) -> None:
    folder = DirectoryState(mode=0o755)
    operations = (
        a_delete("d/e/a", b"a\n", id="s1"),
        a_delete("d/b", b"b\n", id="s2"),
        a_delete("d/e", base=folder, id="s3"),
        a_delete("d", base=folder, id="s4"),
        a_delete("k", base=folder, id="s5"),
    )
    left = choose(operations, [Drop(OperationId("s1"))], objects).operations
    assert [each.id for each in left] == ["s2", "s5"]
    left = choose(operations, [Drop(OperationId("s2"))], objects).operations
    assert [each.id for each in left] == ["s1", "s3", "s5"]
    left = choose(operations, [Drop(OperationId("s3"))], objects).operations
    assert [each.id for each in left] == ["s1", "s2", "s5"]
