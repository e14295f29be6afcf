"""Back to before any run of the history: one preview, one run, later edits kept, and all of it brought back by redo."""

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, a_workspace, bash, edit, write
from tests.support.tree_walker import walk

TEN = "".join(f"line {number}\n" for number in range(10))


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path / "ws", {"a.txt": TEN, "b.txt": "b\n", "d/c.txt": "c\n"}), capsys)


def status(tandem: CommandLine) -> dict[str, str]:
    return {run["run_id"]: run["status"] for run in tandem.answer("runs")["runs"]}


@pytest.mark.parametrize("first", [0, 1, 2])
def test_going_back_to_before_any_run_gives_the_tree_as_it_was_then(tandem: CommandLine, first: int) -> None:
    trees = [walk(tandem.workspace)]
    runs = []
    for steps in (
        (edit("a.txt", "line 0", "LINE 0"), write("new/n.txt", "n\n")),
        (edit("a.txt", "line 9", "LINE 9"), write("b.txt", "other\n")),
        (bash("mv d/c.txt moved.txt; rmdir d; chmod 600 a.txt; echo more >> new/n.txt"),),
    ):
        runs.append(tandem.apply(*steps)["run_id"])
        trees.append(walk(tandem.workspace))
    preview = tandem.answer("undo", runs[first], "--with-later", "--preview")
    assert walk(tandem.workspace) == trees[3]
    undone = tandem.answer("undo", runs[first], "--with-later")
    assert walk(tandem.workspace) == trees[first]
    assert (preview["changed"], preview["runs"]) == (undone["changed"], undone["runs"])
    assert undone["runs"] == runs[first:][::-1]
    assert [status(tandem)[run] for run in runs] == ["completed"] * first + ["undone"] * (3 - first)
    tandem.answer("redo", undone["run_id"])
    assert walk(tandem.workspace) == trees[3]
    assert [status(tandem)[run] for run in runs] == ["completed"] * 3


def test_edits_between_and_after_the_runs_are_kept(tandem: CommandLine) -> None:
    place = tandem.workspace / "a.txt"
    first = tandem.apply(edit("a.txt", "line 0", "LINE 0"))["run_id"]
    place.write_text(place.read_text().replace("line 3", "mine, between"))
    tandem.apply(edit("a.txt", "line 9", "LINE 9"))
    place.write_text(place.read_text().replace("line 6", "mine, after"))
    undone = tandem.answer("undo", first, "--with-later")
    assert undone["merged"] == ["a.txt"]
    assert place.read_text() == TEN.replace("line 3", "mine, between").replace("line 6", "mine, after")


def test_one_overlapping_edit_and_nothing_changes(tandem: CommandLine) -> None:
    first = tandem.apply(edit("a.txt", "line 0", "LINE 0"))["run_id"]
    (tandem.workspace / "a.txt").write_text(TEN.replace("line 0", "mine"))
    tandem.apply(write("b.txt", "other\n"))
    before = walk(tandem.workspace)
    refused = tandem("undo", first, "--with-later", "--json")
    assert refused.code == 3
    assert [each["path"] for each in refused.data["conflicts"]] == ["a.txt"]
    assert walk(tandem.workspace) == before


def test_what_was_undone_already_is_out_of_the_way_with_its_undo(tandem: CommandLine) -> None:
    before = walk(tandem.workspace)
    first = tandem.apply(write("one", "1\n"))["run_id"]
    second = tandem.apply(write("two", "2\n"))["run_id"]
    tandem.answer("undo", second)
    third = tandem.apply(write("three", "3\n"))["run_id"]
    assert tandem.answer("undo", first, "--with-later")["runs"] == [third, first]
    assert walk(tandem.workspace) == before


def test_an_undo_of_something_older_is_taken_back_too(tandem: CommandLine) -> None:
    old = tandem.apply(write("old", "old\n"))["run_id"]
    then = walk(tandem.workspace)
    first = tandem.apply(write("one", "1\n"))["run_id"]
    undo = tandem.answer("undo", old)["run_id"]
    assert tandem.answer("undo", first, "--with-later")["runs"] == [undo, first]
    assert walk(tandem.workspace) == then


def test_a_part_that_was_undone_comes_back_by_the_name_of_its_run(tandem: CommandLine) -> None:
    run = tandem.apply(write("one", "1\n"), write("two", "2\n"))["run_id"]
    after = walk(tandem.workspace)
    preview = tandem.answer("undo", run, "--path", "one", "--preview")
    undone = tandem.answer("undo", run, "--path", "one")
    assert preview["changed"] == undone["changed"] == ["one"]
    assert status(tandem)[run] == "completed"
    tandem.answer("redo", run)
    assert walk(tandem.workspace) == after
    assert tandem("redo", run).code == 2
    tandem.answer("undo", run)
    assert "two" not in walk(tandem.workspace)
