"""What changed between two revisions, as a person would say it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.compare import ComparedOperation, Comparison, compare
from tests.support.builders import a_chmod, a_command, a_delete, a_move, a_symlink, a_version, a_write


def between(old: list[StagedOperation], new: list[StagedOperation]) -> Comparison:
    return compare(a_version(*old), a_version(*new, parent=1))


def names(operations: tuple[ComparedOperation, ...]) -> list[str]:
    return [operation.name for operation in operations]


def told(comparison: Comparison) -> dict[str, list[str]]:
    parts = {part: names(getattr(comparison, part)) for part in ("added", "removed", "changed", "reordered")}
    return {part: found for part, found in parts.items() if found}


def test_the_same_operations_show_no_difference() -> None:
    operations = [a_write(), a_delete(id="s2"), a_command(id="s3"), a_symlink(id="s4")]
    assert between(operations, operations).is_empty


def test_what_is_only_in_one_revision_is_added_or_removed() -> None:
    comparison = between([a_write("a"), a_write("b", id="s2")], [a_write("b"), a_write("c", b"other", id="s2")])
    assert told(comparison) == {"added": ["c"], "removed": ["a"]}


def test_words_about_an_operation_are_no_difference() -> None:
    old = a_write(description="add a file", rationale="because", risk="low", tool="write")
    new = a_write(description="something else", rationale="why not", risk="high", tool="edit")
    assert between([old], [new]).is_empty


@pytest.mark.parametrize(
    "new",
    [
        a_write(content=b"other bytes", before=b"old"),
        a_write(before=b"another base"),
        a_write(before=b"old", mode=0o755),
        a_delete("src/app.py", b"old"),
        a_write(before=b"old", blocked_by=(OperationId("s0"),)),
        a_move("src/app.py", "src/main.py"),
    ],
    ids=["bytes", "base", "mode", "kind", "dependencies", "moved"],
)
def test_any_other_effect_on_the_same_path_is_a_change(new: StagedOperation) -> None:
    comparison = between([a_write(before=b"old")], [new])
    assert told(comparison) == {"changed": ["src/app.py"]}
    assert comparison.changed[0].earlier_id == "s1"


def test_steps_that_are_only_numbered_anew_are_no_change() -> None:
    old = [a_write("a"), a_write("b", id="s2", blocked_by=(OperationId("s1"),))]
    new = [
        a_command("ls"),
        a_write("a", id="s2"),
        a_write("b", id="s3", blocked_by=(OperationId("s2"),)),
    ]
    comparison = between(old, new)
    assert told(comparison) == {"added": ["ls"]}


def test_a_dependency_on_another_operation_under_an_old_id_is_a_change() -> None:
    old = [a_write("gone", b"1"), a_write("b", id="s2", blocked_by=(OperationId("s1"),))]
    new = [a_write("new", b"2"), a_write("b", id="s2", blocked_by=(OperationId("s1"),))]
    assert told(between(old, new)) == {"added": ["new"], "removed": ["gone"], "changed": ["b"]}


def test_a_command_is_known_by_its_text_and_directory() -> None:
    old = [a_command("make"), a_command("make", cwd="docs", id="s2")]
    new = [a_command("make", timeout_s=5), a_command("make test", cwd="docs", id="s2")]
    assert told(between(old, new)) == {"changed": ["make"], "removed": ["make"], "added": ["make test"]}


def test_the_same_command_twice_is_two_operations() -> None:
    assert told(between([a_command("make")], [a_command("make"), a_command("make", id="s2")])) == {"added": ["make"]}


def test_a_created_file_under_another_name_is_the_same_operation() -> None:
    comparison = between([a_write("util.py")], [a_write("helpers.py")])
    assert told(comparison) == {"changed": ["helpers.py"]}
    assert comparison.changed[0].earlier_id == "s1"


def test_empty_files_are_not_taken_for_renames_of_each_other() -> None:
    comparison = between([a_write("a/__init__.py", b"")], [a_write("b/__init__.py", b"")])
    assert told(comparison) == {"added": ["b/__init__.py"], "removed": ["a/__init__.py"]}


def test_an_edit_after_a_move_is_the_edit_of_the_file_that_was_moved() -> None:
    edit = a_write("a.py", b"new", before=b"old")
    moved_edit = a_write("b.py", b"new", before=b"old", id="s2")
    comparison = between([edit], [a_move("a.py", "b.py", b"old"), moved_edit])
    assert told(comparison) == {"added": ["a.py"], "changed": ["b.py"]}
    assert comparison.changed[0].earlier_id == "s1"


def test_a_move_to_another_place_is_one_changed_move() -> None:
    assert told(between([a_move("a", "b")], [a_move("a", "c")])) == {"changed": ["a"]}


def test_several_operations_on_one_path_are_paired_by_kind() -> None:
    old = [a_write("run.sh", b"1", before=b"0"), a_chmod("run.sh", id="s2")]
    new = [a_chmod("run.sh"), a_write("run.sh", b"2", before=b"0", id="s2")]
    assert told(between(old, new)) == {"changed": ["run.sh"], "reordered": ["run.sh"]}


def test_of_two_operations_on_one_path_the_one_that_was_dropped_is_gone() -> None:
    first, second = a_write("a", b"1\n2\n", before=b"", id="e1"), a_write("a", b"1\n2\n3\n", before=b"1\n2\n", id="e2")
    comparison = between([first, second], [a_write("a", b"3\n", before=b"", id="e2")])
    assert [each.id for each in comparison.removed] == ["e1"]
    assert [(each.id, each.earlier_id) for each in comparison.changed] == [("e2", "e2")]
    renumbered = between([first, second], [a_write("a", b"1\n2\n3\n", before=b"", id="e1")])
    assert [each.id for each in renumbered.removed] == ["e1"]
    assert [(each.id, each.earlier_id) for each in renumbered.changed] == [("e1", "e2")]


def test_reordering_names_the_fewest_operations_that_moved() -> None:
    old = [a_write(name, name.encode(), id=name) for name in "abcde"]
    new = [old[4], *old[:4]]
    assert told(between(old, new)) == {"reordered": ["e"]}


def test_other_plan_text_is_told_apart_from_operations() -> None:
    comparison = compare(a_version(a_write()), a_version(a_write(), parent=1, content="# Another plan\n"))
    assert comparison.text_changed
    assert not comparison.is_empty
    assert told(comparison) == {}


def test_the_title_is_never_part_of_the_comparison() -> None:
    assert compare(a_version(a_write()), a_version(a_write(), parent=1, title="Another title")).is_empty


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_added_and_removed_are_exactly_the_difference_of_the_paths(old: list[str], new: list[str]) -> None:
    comparison = between([a_write(path, path.encode()) for path in old], [a_write(path, path.encode()) for path in new])
    assert names(comparison.added) == [path for path in new if path not in old]
    assert names(comparison.removed) == [path for path in old if path not in new]
    assert comparison.changed == ()
    settled = [path for path in new if path in old and path not in names(comparison.reordered)]
    assert settled == [path for path in old if path in settled]
