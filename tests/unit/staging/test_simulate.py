import hashlib
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.diff.hunks import hunks
from tandem_desktop.domain.errors import OutsideWorkspaceError, StepRefusedError, TandemError
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, FileState, SymlinkState
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.simulate import Problem, Simulation, simulate_operations, simulate_steps
from tandem_desktop.staging.steps import PlanInput
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import A_MOMENT, a_file
from tests.support.trees import DiskTree, MemoryTree

OWN_FIELDS = {"id", "task", "blocked_by", "rationale", "risk"}


def a_step(tool: str, path: str | None = None, /, **fields) -> dict:
    args = {k: v for k, v in fields.items() if k not in OWN_FIELDS}
    if path is not None:
        args["path"] = path
    return {"description": f"{tool} it", "tool": tool, "args": args, **{k: fields[k] for k in OWN_FIELDS & set(fields)}}


def a_plan(*steps: dict, **fields) -> PlanInput:
    return plan_from({"title": "A change", "steps": list(steps), **fields})


def simulated(tree, *steps: dict, **fields) -> Simulation:
    return simulate_steps(a_plan(*steps, **fields), tree, A_MOMENT)


def refusal(tree, *steps: dict, **fields) -> TandemError:
    with pytest.raises(TandemError) as caught:
        simulated(tree, *steps, **fields)
    error = caught.value
    assert isinstance(error, StepRefusedError | OutsideWorkspaceError)
    assert error.exit_code == 3
    assert error.step
    assert error.next
    return error


def shape(simulation: Simulation) -> list[tuple]:
    return [(op.id, op.kind.value, op.path, op.to) for op in simulation.operations]


def test_write_of_a_new_file_is_a_create_with_the_usual_mode():
    result = simulated(MemoryTree(), a_step("write", "a/b/c.txt", content="hé"))
    (operation,) = result.operations
    assert shape(result) == [("s1", "create", "a/b/c.txt", None)]
    assert (operation.base, operation.after) == (ABSENT, a_file("hé".encode()))
    assert result.contents[operation.after.sha256] == "hé".encode()
    assert operation.staged_at == A_MOMENT


def test_write_on_a_file_is_a_modify_that_keeps_its_mode_and_both_contents():
    result = simulated(MemoryTree({"a": (b"old", 0o755)}), a_step("write", "a", content="new"))
    (operation,) = result.operations
    assert operation.kind == "modify"
    assert operation.base == a_file(b"old", mode=0o755)
    assert operation.after == a_file(b"new", mode=0o755)
    assert set(result.contents.values()) == {b"old", b"new"}


def test_write_with_a_mode_sets_it():
    result = simulated(
        MemoryTree({"a": b"x"}),
        a_step("write", "a", content="x", mode="755"),
        a_step("write", "b", content="", mode="0600"),
    )
    assert [operation.after.mode for operation in result.operations] == [0o755, 0o600]


def test_each_step_sees_what_the_earlier_ones_did():
    result = simulated(
        MemoryTree(),
        a_step("write", "a", content="one two"),
        a_step("edit", "a", old_string="two", new_string="three"),
        a_step("move", "a", to="d/b"),
        a_step("chmod", "d/b", mode="0755"),
        a_step("delete", "d"),
        a_step("write", "d", content="now a file"),
    )
    assert shape(result) == [
        ("s1", "create", "a", None),
        ("s2", "modify", "a", None),
        ("s3", "move", "a", "d/b"),
        ("s4", "chmod", "d/b", None),
        ("s5.1", "delete", "d/b", None),
        ("s5.2", "delete", "d", None),
        ("s6", "create", "d", None),
    ]
    assert result.operations[4].base == a_file(b"one three", mode=0o755)
    assert result.operations[5].base == DirectoryState(mode=0o755)


def test_a_deleted_directory_is_empty_when_it_is_made_again():
    tree = MemoryTree({"d/x": b"1", "d/e/y": b"2"})
    again = simulated(
        tree, a_step("delete", "d"), a_step("write", "d/x", content="3"), a_step("write", "d/e/z", content="")
    )
    assert [op.base for op in again.operations[-2:]] == [ABSENT, ABSENT]
    assert (
        "does not exist" in refusal(tree, a_step("delete", "d"), a_step("mkdir", "d"), a_step("delete", "d/e")).message
    )


@pytest.mark.parametrize("before", ["file", "link"])
def test_nothing_of_the_disk_shows_below_a_directory_that_took_the_place_of_something_else(tmp_path, before):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/x").write_text("not to be seen")
    (tmp_path / "a").write_text("1") if before == "file" else (tmp_path / "a").symlink_to("other")
    with Workspace(tmp_path) as workspace:
        steps = [a_step("delete", "a"), a_step("mkdir", "a"), a_step("write", "a/x", content="2")]
        result = simulated(workspace, *steps, a_step("write", "a/d/y", content="3"), a_step("delete", "a"))
        assert simulate_operations(result.operations, workspace) == ()
    assert [op.path for op in result.operations[4:]] == ["a/d/y", "a/d", "a/x", "a"]


REFUSED = [
    ({"d/x": b""}, a_step("write", "d", content="x"), "d is a directory"),
    ({"l": "x"}, a_step("write", "l", content="x"), "l is a symbolic link"),
    ({"f": b"x"}, a_step("write", "f", content="x"), "already has exactly this content"),
    ({"f": b"x"}, a_step("write", "f/g", content="x"), "f is a file, not a directory"),
    ({"l": "d", "d": 0o755}, a_step("write", "l/g", content="x"), "l is a symbolic link, not a directory"),
    ({"f": b"x"}, a_step("mkdir", "f/a/b/c"), "f is a file"),
    ({}, a_step("write", "new/", content="x"), "ends with a slash"),
    ({}, a_step("symlink", "new/", target="x"), "ends with a slash"),
    ({}, a_step("edit", "f", old_string="a", new_string="b"), "f does not exist"),
    ({"d": 0o755}, a_step("edit", "d", old_string="a", new_string="b"), "d is a directory"),
    ({"l": "f"}, a_step("edit", "l", old_string="a", new_string="b"), "l is a symbolic link"),
    ({"f": b"abc"}, a_step("edit", "f", old_string="x", new_string="y"), "old_string is not in f"),
    ({"f": b"abc"}, a_step("edit", "f", old_string="", new_string="y"), "old_string is empty"),
    ({"f": b"abc"}, a_step("edit", "f", old_string="b", new_string="b"), "are the same"),
    ({"f": b"a a a"}, a_step("edit", "f", old_string="a", new_string="b"), "3 times"),
    ({"f": b"aaa"}, a_step("edit", "f", old_string="aa", new_string="b"), "2 times"),
    ({"f": b"\xff abc"}, a_step("edit", "f", old_string="abc", new_string="b"), "not UTF-8"),
    ({"f": b"a\r\nb"}, a_step("edit", "f", old_string="a\nb", new_string="x"), "the file has CRLF line endings"),
    ({"f": b"a\nb"}, a_step("edit", "f", old_string="a\r\nb", new_string="x"), "the file has LF line endings"),
    ({}, a_step("delete", "f"), "f does not exist"),
    ({"f": b""}, a_step("delete", "f/x"), "f is a file"),
    ({}, a_step("move", "a", to="b"), "a does not exist"),
    ({"a": b"", "b": b""}, a_step("move", "a", to="b"), "b already exists, as a file"),
    ({"a": b"", "b/c": b""}, a_step("move", "a", to="b"), "b already exists, as a directory"),
    ({"d/a": b"", "e": "x"}, a_step("move", "d", to="e"), "e already exists, as a symbolic link"),
    ({"a": b""}, a_step("move", "a", to="a"), "onto itself"),
    ({"a": b""}, a_step("move", "a", to="./a"), "onto itself"),
    ({"a": b""}, a_step("move", "a", to="a/b"), "into itself"),
    ({"d/a": b""}, a_step("move", "d", to="d/e/f"), "into itself"),
    ({"a": b"", "f": b""}, a_step("move", "a", to="f/b"), "f is a file"),
    ({"Readme.md": b""}, a_step("move", "Readme.md", to="README.md"), "differ only in case"),
    ({"é": b""}, a_step("move", "é", to="e\u0301"), "differ only in case"),
    ({}, a_step("chmod", "a", mode="0755"), "a does not exist"),
    ({"a": b""}, a_step("chmod", "a", mode="0644"), "already has the mode 0644"),
    ({"l": "a"}, a_step("chmod", "l", mode="0644"), "has no mode of its own"),
    ({"a": b""}, a_step("chmod", "a", mode="4755"), "set the user id"),
    ({"a": b""}, a_step("chmod", "a", mode="2755"), "set the group id"),
    ({"d": 0o755}, a_step("chmod", "d", mode="1755"), "sticky"),
    ({"a": b""}, a_step("chmod", "a", mode="0666"), "let everybody write"),
    ({"a": b""}, a_step("chmod", "a", mode="0777"), "let everybody write"),
    ({"a": b""}, a_step("chmod", "a", mode="0000"), "keep even its owner from reading"),
    ({"d": 0o755}, a_step("chmod", "d", mode="0600"), "keep even its owner from reading"),
    ({}, a_step("write", "a", content="x", mode="4755"), "set the user id"),
    ({}, a_step("write", "a", content="x", mode="0606"), "let everybody write"),
    ({"a": b""}, a_step("symlink", "a", target="b"), "a already exists"),
    ({"d": 0o755}, a_step("symlink", "d", target="b"), "d already exists"),
    ({}, a_step("symlink", "a", target=""), "is empty"),
    ({}, a_step("symlink", "a", target="b\0"), "control character"),
    ({}, a_step("symlink", "a", target="b\n"), "control character"),
    ({}, a_step("symlink", "a", target="b\x9b"), "control character"),
    ({}, a_step("symlink", "a", target="b\udcae"), "surrogate"),
    ({}, a_step("symlink", "a", target="b" * 4096), "longer than 4095"),
    ({"d": 0o755}, a_step("mkdir", "d"), "d already exists"),
    ({"f": b""}, a_step("mkdir", "f"), "f already exists"),
    ({}, a_step("bash", command="ls", cwd="d"), "not a directory"),
    ({"f": b""}, a_step("bash", command="ls", cwd="f"), "not a directory"),
    ({"l": "d", "d": 0o755}, a_step("bash", command="ls", cwd="l"), "not a directory"),
    ({}, a_step("bash", command="ls", cwd="../x"), "'..'"),
    ({}, a_step("bash", command="ls", cwd="/tmp"), "absolute"),
    ({}, a_step("write", ".git/config", content="x"), "belongs to git"),
    ({}, a_step("write", "a\udcae", content="x"), "surrogate"),
    ({"a": b""}, a_step("move", "a", to=".tandem/a"), "belongs to Tandem"),
    ({"d/.git/config": b""}, a_step("delete", "d"), "belongs to git"),
    ({"d/a\nb": b""}, a_step("delete", "d"), "U+000A"),
    ({"l": "x\n"}, a_step("delete", "l"), "control character"),
    ({"README.md": b""}, a_step("write", "Readme.md", content="x"), "upper and lower case"),
    ({"Src/a": b""}, a_step("write", "src/b", content="x"), "upper and lower case"),
    ({"é": b""}, a_step("mkdir", "e\u0301"), "upper and lower case"),
    ({"A": b"", "b": b""}, a_step("move", "b", to="a"), "upper and lower case"),
]


@pytest.mark.req("S3-42")
@pytest.mark.parametrize(("entries", "step", "words"), REFUSED, ids=[words[:30] for *_, words in REFUSED])
def test_step_that_does_not_apply_is_refused_with_the_reason(entries, step, words):
    error = refusal(MemoryTree(entries), step)
    assert words in error.message
    assert error.step == "s1"
    assert error.path


@pytest.mark.parametrize(("entries", "step", "words"), REFUSED, ids=[words[:30] for *_, words in REFUSED])
def test_the_real_workspace_refuses_the_same_steps(tmp_path, entries, step, words):
    for path, entry in MemoryTree(entries).entries.items():
        target = tmp_path / path
        if isinstance(entry, int):
            target.mkdir()
        elif isinstance(entry, str):
            target.symlink_to(entry)
        else:
            target.write_bytes(entry)
    with Workspace(tmp_path) as workspace:
        assert words in refusal(workspace, step).message


def test_reading_is_checked_and_kept_as_a_note():
    result = simulated(MemoryTree(), a_step("read", "src//a.py"), a_step("mkdir", "d"))
    assert [(note.step, note.tool, note.path) for note in result.notes] == [("s1", "read", "src/a.py")]
    assert "'..'" in refusal(MemoryTree(), a_step("read", "../a"), a_step("mkdir", "d")).message


def test_refusal_of_a_later_step_names_that_step_and_nothing_is_made():
    error = refusal(MemoryTree(), a_step("mkdir", "d"), a_step("mkdir", "d", id="again"))
    assert error.step == "again"
    assert error.message.startswith("Step again: ")


@pytest.mark.req("S2-32")
def test_edit_replaces_once_or_everywhere_byte_for_byte():
    tree = MemoryTree({"f": b"\xef\xbb\xbfa\r\nb\ra\r\n", "g": "grün grün".encode()})
    result = simulated(
        tree,
        a_step("edit", "f", old_string="b\r", new_string="c\r\n"),
        a_step("edit", "g", old_string="ü", new_string="u", replace_all=True),
    )
    contents = [result.contents[operation.after.sha256] for operation in result.operations]
    assert contents == [b"\xef\xbb\xbfa\r\nc\r\na\r\n", b"grun grun"]


@pytest.mark.req("S2-32")
def test_an_edit_everywhere_shows_every_replacement():
    far_apart = b"".join(b"old\n" + b"same\n" * 20 for _ in range(5))
    tree = MemoryTree({"f": far_apart})
    result = simulated(tree, a_step("edit", "f", old_string="old", new_string="new", replace_all=True))
    (operation,) = result.operations
    shown = hunks(far_apart, result.contents[operation.after.sha256])
    assert [sum(line.kind == "+" for line in hunk.lines) for hunk in shown] == [1] * 5


def test_edit_that_would_explode_is_refused_before_it_is_made():
    plan = a_plan(a_step("edit", "f", old_string="a", new_string="b" * 1000, replace_all=True))
    with pytest.raises(StepRefusedError, match="1,000,000 bytes; the limit for one file is 2,000"):
        simulate_steps(plan, MemoryTree({"f": b"a" * 1000}), A_MOMENT, max_file_bytes=2000)


def test_a_file_and_a_plan_have_a_limit():
    one = a_plan(a_step("write", "a", content="x" * 11))
    with pytest.raises(StepRefusedError, match="limit for one file is 10"):
        simulate_steps(one, MemoryTree(), A_MOMENT, max_file_bytes=10)
    several = a_plan(*(a_step("write", name, content=name * 10) for name in "abcd"))
    with pytest.raises(StepRefusedError, match="more than 39 bytes") as caught:
        simulate_steps(several, MemoryTree(), A_MOMENT, max_plan_bytes=39)
    assert (caught.value.step, caught.value.path) == ("s4", "d")
    assert len(simulate_steps(several, MemoryTree(), A_MOMENT, max_plan_bytes=40).contents) == 4
    with pytest.raises(StepRefusedError, match="more than 39 bytes"):
        simulate_steps(a_plan(a_step("delete", "a")), MemoryTree({"a": b"x" * 40}), A_MOMENT, max_plan_bytes=39)


def test_a_file_over_the_workspace_limit_is_a_step_refused(tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with Workspace(tmp_path) as workspace:
        error = refusal(workspace, a_step("delete", "huge"))
    assert error.path == "huge"
    assert error.exit_code == 3


def test_special_files_are_refused_with_the_step(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with Workspace(tmp_path) as workspace:
        assert "special file" in refusal(workspace, a_step("write", "pipe", content="x")).message
        (tmp_path / "d").mkdir()
        os.mkfifo(tmp_path / "d/pipe")
        assert "special file" in refusal(workspace, a_step("delete", "d")).message


def test_a_file_that_changes_while_it_is_read_is_refused():
    class Restless(MemoryTree):
        def read(self, path: str) -> bytes:
            return super().read(path) + b"!"

    assert "changed while it was read" in refusal(Restless({"a": b"x"}), a_step("delete", "a")).message


def test_delete_of_a_directory_is_one_operation_for_each_entry_children_first():
    tree = MemoryTree({"d/b/x": b"1", "d/a": b"2", "d/c": "target", "d/b/e": 0o700})
    result = simulated(tree, a_step("delete", "d"))
    assert shape(result) == [
        ("s1.1", "delete", "d/a", None),
        ("s1.2", "delete", "d/b/e", None),
        ("s1.3", "delete", "d/b/x", None),
        ("s1.4", "delete", "d/b", None),
        ("s1.5", "delete", "d/c", None),
        ("s1.6", "delete", "d", None),
    ]
    assert result.operations[4].base == SymlinkState(target="target")
    assert set(result.contents.values()) == {b"1", b"2"}


def test_move_of_a_directory_makes_moves_and_removes():
    tree = MemoryTree({"d": 0o750, "d/b/x": (b"1", 0o755), "d/a": b"2", "d/c": "target"})
    result = simulated(tree, a_step("move", "d", to="e/f"))
    assert shape(result) == [
        ("s1.1", "mkdir", "e/f", None),
        ("s1.2", "move", "d/a", "e/f/a"),
        ("s1.3", "mkdir", "e/f/b", None),
        ("s1.4", "move", "d/b/x", "e/f/b/x"),
        ("s1.5", "move", "d/c", "e/f/c"),
        ("s1.6", "delete", "d/b", None),
        ("s1.7", "delete", "d", None),
    ]
    assert result.operations[0].after == DirectoryState(mode=0o750)
    assert result.operations[3].after == a_file(b"1", mode=0o755)


def test_move_of_a_file_or_link_keeps_what_it_is():
    result = simulated(
        MemoryTree({"a": (b"x", 0o600), "l": "../out"}), a_step("move", "a", to="b"), a_step("move", "l", to="m")
    )
    assert [operation.after for operation in result.operations] == [
        a_file(b"x", mode=0o600),
        SymlinkState(target="../out"),
    ]
    assert all(operation.base == operation.after for operation in result.operations)


def test_link_target_is_taken_as_it_is():
    result = simulated(MemoryTree(), a_step("symlink", "l", target="../../etc//passwd "))
    assert result.operations[0].after == SymlinkState(target="../../etc//passwd ")


def test_command_keeps_its_exact_text_and_sorted_environment():
    tree = MemoryTree({"d": 0o755})
    result = simulated(
        tree,
        a_step("bash", command=" make  test\n", cwd="./d/", env={"B": "2", "A": "1"}, timeout_s=7),
        a_step("mkdir", "e"),
        a_step("bash", command="ls", cwd="e"),
        a_step("bash", command="ls", cwd="./"),
    )
    call = result.operations[0].call
    assert (call.command, call.cwd, call.env, call.timeout_s) == (" make  test\n", "d", (("A", "1"), ("B", "2")), 7)
    assert [operation.call.cwd for operation in result.operations if operation.call] == ["d", "e", "."]


def test_two_spellings_of_one_name_collide_within_a_plan_even_after_a_delete():
    tree = MemoryTree({"Readme.md": b"x"})
    error = refusal(tree, a_step("delete", "Readme.md"), a_step("write", "README.md", content="x"))
    assert "upper and lower case" in error.message
    assert error.step == "s2"
    assert (
        "upper and lower"
        in refusal(tree, a_step("write", "a/b", content=""), a_step("write", "A/c", content="")).message
    )


def test_two_spellings_that_both_lie_on_the_disk_may_both_be_changed():
    tree = MemoryTree({"x/a": b"1", "x/A": b"2"})
    result = simulated(
        tree, a_step("write", "x/a", content="3"), a_step("write", "x/A", content="4"), a_step("delete", "x")
    )
    assert len(result.operations) == 5


def test_operations_carry_the_words_of_their_step():
    step = a_step("mkdir", "d", rationale="why", risk="little", task="t")
    (operation,) = simulated(MemoryTree(), step, tasks=[{"id": "t", "subject": "Part"}]).operations
    assert (operation.tool, operation.description, operation.rationale) == ("mkdir", "mkdir it", "why")
    assert (operation.risk, operation.task) == ("little", "t")


def test_waiting_for_a_step_is_waiting_for_all_its_operations():
    tree = MemoryTree({"d/a": b"", "d/b": b""})
    result = simulated(
        tree,
        a_step("delete", "d"),
        a_step("read", "x", blocked_by=["s1"]),
        a_step("mkdir", "e", blocked_by=["s2"]),
        a_step("mkdir", "f", blocked_by=["s3", "s1"]),
    )
    assert [operation.blocked_by for operation in result.operations] == [
        *[()] * 3,
        ("s1.1", "s1.2", "s1.3"),
        ("s1.1", "s1.2", "s1.3", "s3"),
    ]


def test_waiting_for_a_task_is_waiting_for_its_operations_also_through_an_empty_task():
    tasks = [
        {"id": "a", "subject": "First"},
        {"id": "empty", "subject": "Nothing to do", "blocked_by": ["a"]},
        {"id": "b", "subject": "Last", "blocked_by": ["empty"]},
    ]
    result = simulated(
        MemoryTree(),
        a_step("mkdir", "1", task="a"),
        a_step("mkdir", "2", task="a"),
        a_step("mkdir", "3", task="b"),
        a_step("mkdir", "4", task="b", blocked_by=["s3"]),
        tasks=tasks,
    )
    assert [operation.blocked_by for operation in result.operations] == [(), (), ("s1", "s2"), ("s1", "s2", "s3")]


def test_step_that_waits_for_a_later_one_is_refused_naming_both():
    error = refusal(MemoryTree(), a_step("mkdir", "a", blocked_by=["s2"]), a_step("mkdir", "b"))
    assert error.step == "s1"
    assert "Step s1 comes before step s2, but it waits for step s2" in error.message
    tasks = [{"id": "t1", "subject": "x", "blocked_by": ["t2"]}, {"id": "t2", "subject": "y"}]
    error = refusal(MemoryTree(), a_step("mkdir", "a", task="t1"), a_step("mkdir", "b", task="t2"), tasks=tasks)
    assert "Step s1 comes before step s2, but its task t1 waits for the task of step s2" in error.message


def test_dependencies_that_would_fill_the_disk_are_refused():
    tasks = [{"id": "a", "subject": "x"}, {"id": "b", "subject": "y", "blocked_by": ["a"]}]
    steps = [a_step("bash", command="true", task="a" if n < 1100 else "b") for n in range(2200)]
    assert "fewer dependencies" in refusal(MemoryTree(), *steps, tasks=tasks).next


# Checking again


def test_fresh_operations_apply_to_the_tree_they_were_made_on():
    tree = MemoryTree({"d/a": b"1", "f": b"2"})
    steps = [a_step("move", "d", to="e"), a_step("write", "f", content="3"), a_step("write", "g/h", content="4")]
    operations = simulated(tree, *steps, a_step("bash", command="ls", cwd="g")).operations
    assert simulate_operations(operations, tree) == ()


@pytest.mark.req("S3-52")
def test_each_operation_that_no_longer_applies_is_told_with_its_reason():
    tree = MemoryTree({"a": b"1", "b": b"2", "c": b"3", "d": b"4", "g/x": b"", "run": 0o755, "l": "t"})
    operations = simulated(
        tree,
        a_step("write", "a", content="x"),
        a_step("delete", "b"),
        a_step("chmod", "c", mode="0755"),
        a_step("move", "d", to="e"),
        a_step("write", "f", content="x"),
        a_step("delete", "g"),
        a_step("bash", command="ls", cwd="run"),
        a_step("delete", "l"),
        a_step("mkdir", "ok"),
    ).operations
    tree.put("a", b"changed")
    tree.remove("b")
    tree.put("c", (b"3", 0o600))
    tree.put("e", b"")
    tree.put("f", "link")
    tree.put("g/y", b"foreign")
    tree.remove("run")
    tree.put("l", 0o755)
    assert simulate_operations(operations, tree) == (
        Problem("s1", "a has other content than the plan was made for."),
        Problem("s2", "b is not there."),
        Problem("s3", "c has the mode 0600, not 0644."),
        Problem("s4", "e is there already, as a file."),
        Problem("s5", "f is there already, as a symbolic link."),
        Problem("s6.2", "The directory g is not empty: y is in it."),
        Problem("s7", "run, where the command would run, is not a directory."),
        Problem("s8", "l is a directory, not a symbolic link."),
    )


def test_operations_left_without_what_they_wait_for_or_build_on_are_told():
    operations = simulated(
        MemoryTree(),
        a_step("write", "a", content="1"),
        a_step("edit", "a", old_string="1", new_string="2"),
        a_step("bash", command="ls", blocked_by=["s1"]),
    ).operations
    assert simulate_operations(operations[1:], MemoryTree()) == (
        Problem("s2", "a is not there."),
        Problem("s3", "s3 waits for s1, which is not in the plan."),
    )
    assert simulate_operations(operations[::-1], MemoryTree())[0].reason == "s3 waits for s1, which comes later."


def test_a_parent_that_became_a_link_is_a_problem_and_not_a_crash(tmp_path):
    (tmp_path / "d").mkdir()
    with Workspace(tmp_path) as workspace:
        operations = simulated(workspace, a_step("write", "d/a", content="x")).operations
    (tmp_path / "d").rmdir()
    (tmp_path / "d").symlink_to("/tmp")
    with Workspace(tmp_path) as workspace:
        (problem,) = simulate_operations(operations, workspace)
    assert "symbolic link" in problem.reason


# Against a naive model on a real disk

PATHS = ["a", "d", "d/b"]
STEPS = st.one_of(
    st.builds(lambda p, c: a_step("write", p, content=c), st.sampled_from(PATHS), st.sampled_from("xyz")),
    st.builds(lambda p, c: a_step("write", p, content=c, mode="0755"), st.sampled_from(PATHS), st.sampled_from("xyz")),
    st.builds(
        lambda p, o, n: a_step("edit", p, old_string=o, new_string=n),
        st.sampled_from(PATHS),
        st.sampled_from("xyz"),
        st.sampled_from("xyz"),
    ),
    st.builds(lambda p: a_step("delete", p), st.sampled_from(PATHS)),
    st.builds(lambda p, t: a_step("move", p, to=t), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.builds(
        lambda p, m: a_step("chmod", p, mode=m), st.sampled_from(PATHS), st.sampled_from(["0644", "0755", "0700"])
    ),
    st.builds(lambda p: a_step("symlink", p, target="a"), st.sampled_from(PATHS)),
    st.builds(lambda p: a_step("mkdir", p), st.sampled_from(PATHS)),
)


class NaiveRefusalError(Exception):
    pass


def naively(root: Path, tool: str, path: str, **args: str) -> None:
    """Do a step to a real directory with the plainest calls, or refuse it."""

    def must(claim: bool) -> None:
        if not claim:
            raise NaiveRefusalError

    def present(target: Path) -> bool:
        return os.path.lexists(target)

    def plain(target: Path) -> bool:
        return target.is_file() and not target.is_symlink()

    def folder(target: Path) -> bool:
        return target.is_dir() and not target.is_symlink()

    def ready(target: Path) -> None:
        parent = target.parent
        if parent != root:
            must(folder(parent) or not present(parent))

    def make_parent(target: Path) -> None:
        if not present(target.parent):
            target.parent.mkdir()
            target.parent.chmod(0o755)

    def remove(target: Path) -> None:
        if folder(target):
            for child in target.iterdir():
                remove(child)
            target.rmdir()
        else:
            target.unlink()

    target = root / path
    ready(target)
    match tool:
        case "write":
            must(plain(target) or not present(target))
            before = (target.read_text(), target.stat().st_mode & 0o7777) if present(target) else None
            mode = int(args["mode"], 8) if "mode" in args else before[1] if before else 0o644
            must(before != (args["content"], mode))
            make_parent(target)
            target.write_text(args["content"])
            target.chmod(mode)
        case "edit":
            must(plain(target))
            text = target.read_text()
            must(text.count(args["old_string"]) == 1 and args["old_string"] != args["new_string"])
            target.write_text(text.replace(args["old_string"], args["new_string"]))
        case "delete":
            must(present(target))
            remove(target)
        case "move":
            goal = root / args["to"]
            must(present(target) and not present(goal) and root / path not in goal.parents)
            ready(goal)
            make_parent(goal)
            target.rename(goal)
        case "chmod":
            must(present(target) and not target.is_symlink())
            must(target.stat().st_mode & 0o7777 != int(args["mode"], 8))
            must(not folder(target) or int(args["mode"], 8) & 0o500 == 0o500)
            target.chmod(int(args["mode"], 8))
        case "symlink":
            must(not present(target))
            make_parent(target)
            target.symlink_to(args["target"])
        case "mkdir":
            must(not present(target))
            make_parent(target)
            target.mkdir()
            target.chmod(0o755)


def final_states(simulation: Simulation, source) -> dict:
    """What the operations leave behind, from their own words: each after, the last one winning."""
    final = dict(source)
    for operation in simulation.operations:
        for change in operation.changes():
            assert final.get(change.path, ABSENT) == change.before
            parent = change.path.rpartition("/")[0]
            if isinstance(change.after, Absent):
                del final[change.path]
            else:
                if parent:
                    final.setdefault(parent, DirectoryState(mode=0o755))
                final[change.path] = change.after
            if isinstance(change.after, FileState):
                assert hashlib.sha256(simulation.contents[change.after.sha256]).hexdigest() == change.after.sha256
    return final


def agree(start: list[dict], steps: list[dict]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for step in start:
            try:
                naively(root, step["tool"], **step["args"])
            except NaiveRefusalError:
                continue
        before = DiskTree(root).everything()
        memory = _memory_of(root)
        done: list[dict] = []
        for step in steps:
            try:
                naively(root, step["tool"], **step["args"])
            except NaiveRefusalError:
                with pytest.raises(TandemError):
                    simulated(memory, *done, step)
                continue
            done.append(step)
        if done:
            result = simulated(memory, *done)
            assert final_states(result, before) == DiskTree(root).everything()
            assert simulate_operations(result.operations, memory) == ()


def _memory_of(root: Path) -> MemoryTree:
    tree = MemoryTree()
    for path, state in sorted(DiskTree(root).everything().items()):
        match state:
            case FileState():
                tree.put(path, ((root / path).read_bytes(), state.mode))
            case SymlinkState():
                tree.put(path, state.target)
            case DirectoryState():
                tree.put(path, state.mode)
    return tree


@settings(max_examples=300, deadline=None)
@given(st.lists(STEPS, max_size=3), st.lists(STEPS, min_size=1, max_size=8))
def test_simulation_agrees_with_plain_calls_on_a_real_directory(start, steps):
    agree(start, steps)


@pytest.mark.exhaustive
@settings(max_examples=20_000, deadline=None)
@given(st.lists(STEPS, max_size=4), st.lists(STEPS, min_size=1, max_size=12))
def test_simulation_agrees_with_plain_calls_many_times_over(start, steps):
    agree(start, steps)
