"""Rebase combines what keeps apart, exactly, and asks a person about everything else."""

from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.conflicts import Resolution, Take
from tandem_desktop.review.drift import drift
from tandem_desktop.review.rebase import Rebased, rebase
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.simulate import simulate_operations, simulate_steps
from tandem_desktop.storage.objects import ObjectStore
from tests.support.builders import A_MOMENT
from tests.support.trees import MemoryTree

TEN = "".join(f"line {n}\n" for n in range(1, 11))


def line(n: int, text: str = "", of: str = TEN) -> str:
    return of.replace(f"line {n}\n", text)


class Story:
    """A tree, a plan made for it, and what became of the tree since."""

    def __init__(self, folder: Path, entries: dict[str, Any], *steps: tuple[Any, ...]) -> None:
        self.tree = MemoryTree(entries)
        self.objects = ObjectStore(folder)
        plan = plan_from({"title": "A change", "steps": [a_step(*step) for step in steps]})
        simulation = simulate_steps(plan, self.tree, A_MOMENT)
        self.objects.put_all(simulation.contents.values())
        self.operations = simulation.operations

    def rebase(self, *resolutions: Resolution) -> Rebased:
        drifted = {each.path for each in drift(self.operations, self.tree)}
        found = rebase(self.operations, self.tree, self.objects, resolutions)
        assert {conflict.path for conflict in found.conflicts} <= drifted
        if not found.conflicts:
            self.objects.put_all(found.contents)
            assert simulate_operations(found.operations, self.tree) == ()
            assert drift(found.operations, self.tree) == ()
        return found

    def result(self, *resolutions: Resolution) -> dict[str, Any]:
        """Every file the rebased plan leaves, by the operations alone."""
        found = self.rebase(*resolutions)
        assert found.conflicts == ()
        states: dict[str, Any] = {}
        for operation in found.operations:
            for change in operation.changes():
                states[change.path] = change.after
        return {
            path: self.objects.read(state.sha256).decode() if state.type == "file" else state.type
            for path, state in states.items()
        }


def a_step(tool: str, path: str, *more: Any) -> dict[str, Any]:
    names = {"write": ("content",), "edit": ("old_string", "new_string"), "move": ("to",), "chmod": ("mode",)}
    names |= {"symlink": ("target",), "delete": (), "mkdir": (), "bash": ()}
    arguments = {"command": path} if tool == "bash" else {"path": path, **dict(zip(names[tool], more, strict=False))}
    fields = more[len(names[tool])] if len(more) > len(names[tool]) else {}
    return {"description": "Do it", "tool": tool, "args": arguments, **fields}


def kinds(operations: tuple[StagedOperation, ...]) -> list[tuple[str, str | None]]:
    return [(operation.kind.value, operation.to or operation.path) for operation in operations]


def only(found: Rebased) -> Any:
    assert len(found.conflicts) == 1
    return found.conflicts[0]


def test_changes_that_keep_apart_are_combined(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("edit", "f", "line 2\n", "TWO\n"))
    story.tree.put("f", line(9, "nine\n").encode())
    assert story.result() == {"f": line(2, "TWO\n", line(9, "nine\n"))}


def test_changes_of_the_same_line_are_a_conflict_with_all_three_sides(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("edit", "f", "line 5\n", "FIVE\nSIX\n"))
    story.tree.put("f", ("new\n" + line(5, "five\n")).encode())
    conflict = only(story.rebase())
    assert (conflict.path, conflict.change, conflict.operations) == ("f", "modified", ("s1",))
    region = conflict.regions[0]
    assert (region.base, region.disk, region.proposed) == ((b"line 5\n",), (b"five\n",), (b"FIVE\n", b"SIX\n"))
    assert (region.base_at, region.disk_at, region.proposed_at) == (5, 6, 5)


def test_change_right_beside_another_is_a_conflict_too(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("edit", "f", "line 5\n", "FIVE\n"))
    story.tree.put("f", line(6, "six\n").encode())
    assert only(story.rebase()).regions[0].base == (b"line 5\n", b"line 6\n")


@pytest.mark.parametrize(
    ("choice", "lines"),
    [
        (Take.DISK, "five\n"),
        (Take.PROPOSED, "FIVE\n"),
        (Take.DISK_FIRST, "five\nFIVE\n"),
        (Take.PROPOSED_FIRST, "FIVE\nfive\n"),
        (b"fifth\n", "fifth\n"),
    ],
)
def test_region_becomes_what_the_person_says_and_the_rest_is_merged(memory_path: Path, choice: Any, lines: str) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("write", "f", line(1, "ONE\n", line(5, "FIVE\n"))))
    story.tree.put("f", line(9, "nine\n", line(5, "five\n")).encode())
    expected = line(1, "ONE\n", line(9, "nine\n", line(5, lines)))
    assert story.result(Resolution("f", regions={1: choice})) == {"f": expected}


def test_region_without_an_answer_keeps_the_conflict(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("write", "f", line(1, "ONE\n", line(5, "FIVE\n"))))
    story.tree.put("f", line(1, "one\n", line(5, "five\n")).encode())
    assert len(only(story.rebase(Resolution("f", regions={2: Take.DISK}))).regions) == 2
    both = Resolution("f", whole=Take.PROPOSED, regions={2: Take.DISK})
    assert story.result(both) == {"f": line(1, "ONE\n", line(5, "five\n"))}


def test_answer_to_an_older_question_is_not_taken(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("edit", "f", "line 5\n", "FIVE\n"))
    story.tree.put("f", line(5, "five\n").encode())
    answer = Resolution("f", whole=Take.PROPOSED, seen=only(story.rebase()).seen)
    assert story.result(answer) == {"f": line(5, "FIVE\n")}
    story.tree.put("f", line(5, "fünf\n").encode())
    assert only(story.rebase(answer)).regions[0].disk == ("fünf\n".encode(),)


def test_last_line_without_newline_stays_the_last(memory_path: Path) -> None:
    story = Story(memory_path, {"f": b"a\r\nb\r\nc"}, ("write", "f", "a\r\nb\r\nC"))
    story.tree.put("f", b"a\r\nb\r\nsee")
    assert story.result(Resolution("f", Take.DISK_FIRST)) == {"f": "a\r\nb\r\nsee\r\nC"}


def test_whole_chain_moves_onto_the_edited_file(memory_path: Path) -> None:
    steps = (
        ("edit", "f", "line 2\n", "TWO\n"),
        ("chmod", "f", "0755"),
        ("move", "f", "g"),
        ("edit", "g", "line 4\n", "FOUR\n"),
    )
    story = Story(memory_path, {"f": TEN.encode()}, *steps)
    story.tree.put("f", line(9, "nine\n").encode())
    found = story.rebase()
    assert kinds(found.operations) == [("modify", "f"), ("chmod", "f"), ("move", "g"), ("modify", "g")]
    assert story.result()["g"] == line(2, "TWO\n", line(4, "FOUR\n", line(9, "nine\n")))
    assert found.operations[-1].after.mode == 0o755


def test_conflict_late_in_a_chain_names_the_path_on_disk_and_shows_the_whole_way(memory_path: Path) -> None:
    steps = (("edit", "f", "line 2\n", "TWO\n"), ("move", "f", "g"), ("edit", "g", "line 8\n", "EIGHT\n"))
    story = Story(memory_path, {"f": TEN.encode()}, *steps)
    story.tree.put("f", line(8, "eight\n").encode())
    conflict = only(story.rebase())
    assert (conflict.path, conflict.operations) == ("f", ("s1", "s2", "s3"))
    assert [region.proposed for region in conflict.regions] == [(b"EIGHT\n",)]
    assert story.result(Resolution("f", b"mine\n"))["g"] == "mine\n"
    assert story.result(Resolution("f", Take.DISK))["g"] == line(2, "TWO\n", line(8, "eight\n"))


def test_change_the_plan_itself_takes_back_is_no_conflict(memory_path: Path) -> None:
    steps = (("edit", "f", "line 5\n", "FIVE\n"), ("write", "f", line(1, "ONE\n")))
    story = Story(memory_path, {"f": TEN.encode()}, *steps)
    story.tree.put("f", line(5, "five\n").encode())
    assert story.result() == {"f": line(1, "ONE\n", line(5, "five\n"))}


def test_what_the_disk_has_already_is_left_out_and_others_wait_for_what_it_waited_for(memory_path: Path) -> None:
    steps = (
        ("write", "first", "1\n"),
        ("edit", "f", "line 5\n", "FIVE\n", {"blocked_by": ["s1"]}),
        ("bash", "make", {"blocked_by": ["s2"]}),
    )
    story = Story(memory_path, {"f": TEN.encode()}, *steps)
    story.tree.put("f", line(5, "FIVE\n").encode())
    found = story.rebase()
    assert kinds(found.operations) == [("create", "first"), ("command", None)]
    assert (found.left_out, found.operations[-1].blocked_by) == (("s2",), ("s1",))


def test_commands_and_untouched_operations_stay_exactly_as_they_are(memory_path: Path) -> None:
    steps = (("bash", "make"), ("edit", "f", "line 1\n", "ONE\n"), ("symlink", "l", "f"), ("mkdir", "d"))
    story = Story(memory_path, {"f": TEN.encode()}, *steps)
    assert story.rebase().operations == story.operations


def test_mode_given_on_disk_is_kept_beside_the_plans_content(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("edit", "f", "line 1\n", "ONE\n"))
    story.tree.put("f", (TEN.encode(), 0o755))
    assert story.rebase().operations[0].after.mode == 0o755


def test_two_different_modes_are_a_conflict(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode(), "d": 0o755}, ("chmod", "f", "0755"), ("chmod", "d", "0700"))
    story.tree.put("f", (TEN.encode(), 0o600))
    story.tree.put("d", 0o750)
    assert {c.path: (c.modes.base, c.modes.disk, c.modes.proposed) for c in story.rebase().conflicts} == {
        "f": (0o644, 0o600, 0o755),
        "d": (0o755, 0o750, 0o700),
    }
    found = story.rebase(Resolution("f", Take.PROPOSED), Resolution("d", Take.DISK))
    assert [(o.path, o.base.mode, o.after.mode) for o in found.operations] == [("f", 0o600, 0o755)]


def test_own_words_do_not_decide_about_a_mode_in_question(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("edit", "f", "line 1\n", "ONE\n"), ("chmod", "f", "0755"))
    story.tree.put("f", (line(1, "one\n").encode(), 0o600))
    assert only(story.rebase(Resolution("f", b"mine\n")))
    found = story.rebase(Resolution("f", b"mine\n", mode=Take.DISK))
    assert found.operations[-1].after.mode == 0o600
    assert story.result(Resolution("f", b"mine\n", mode=Take.DISK)) == {"f": "mine\n"}


def test_file_deleted_on_disk_is_a_question_and_may_come_back(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("edit", "f", "line 1\n", "ONE\n"), ("write", "g", "x\n"))
    story.tree.remove("f")
    assert only(story.rebase()).change == "deleted"
    assert kinds(story.rebase(Resolution("f", Take.DISK)).operations) == [("create", "g")]
    assert kinds(story.rebase(Resolution("f", regions={1: Take.DISK})).operations) == [("create", "g")]
    assert story.result(Resolution("f", Take.PROPOSED)) == {"f": line(1, "ONE\n"), "g": "x\n"}
    assert story.result(Resolution("f", b"own\n")) == {"f": "own\n", "g": "x\n"}


def test_moved_file_that_is_gone_comes_back_at_its_new_place_when_the_plan_is_taken(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode(), "l": "t"}, ("move", "f", "g"), ("move", "l", "m"))
    story.tree.remove("f")
    story.tree.remove("l")
    assert [conflict.path for conflict in story.rebase().conflicts] == ["f", "l"]
    assert story.result(Resolution("f", b"own\n"), Resolution("l", Take.PROPOSED)) == {"g": "own\n", "m": "symlink"}


def test_empty_file_is_never_taken_for_a_missing_one(memory_path: Path) -> None:
    story = Story(memory_path, {"f": b"x\n"}, ("write", "f", ""))
    story.tree.remove("f")
    assert only(story.rebase()).change == "deleted"


def test_deleting_what_was_edited_is_a_question(memory_path: Path) -> None:
    story = Story(memory_path, {"f": b"x\n", "gone": b"y\n", "l": "a"}, *(("delete", p) for p in ("f", "gone", "l")))
    story.tree.put("f", b"edited\n")
    story.tree.remove("gone")
    story.tree.put("l", "b")
    assert [conflict.path for conflict in story.rebase().conflicts] == ["f", "l"]
    found = story.rebase(Resolution("f", Take.PROPOSED), Resolution("l", Take.DISK))
    assert kinds(found.operations) == [("delete", "f")]


def test_new_file_made_on_both_sides_is_one_region(memory_path: Path) -> None:
    story = Story(memory_path, {}, ("write", "f", "plan\n"), ("write", "same", "s\n"))
    story.tree.put("f", b"disk\n")
    story.tree.put("same", b"s\n")
    assert [(r.base, r.disk, r.proposed) for r in only(story.rebase()).regions] == [((), (b"disk\n",), (b"plan\n",))]
    assert story.result(Resolution("f", Take.DISK_FIRST)) == {"f": "disk\nplan\n"}
    assert kinds(story.rebase(Resolution("f", Take.PROPOSED)).operations) == [("modify", "f")]
    assert story.rebase(Resolution("f", Take.DISK)).operations == ()


def test_folder_made_on_both_sides_is_left_out_unless_its_mode_differs(memory_path: Path) -> None:
    story = Story(memory_path, {}, ("mkdir", "d"), ("mkdir", "e"))
    story.tree.put("d", 0o755)
    story.tree.put("e", 0o700)
    assert only(story.rebase()).path == "e"
    assert kinds(story.rebase(Resolution("e", Take.PROPOSED)).operations) == [("chmod", "e")]


def test_another_type_on_disk_can_only_be_kept(memory_path: Path) -> None:
    story = Story(memory_path, {"f": b"x\n"}, ("write", "f", "y\n"), ("write", "g", "z\n"))
    story.tree.put("f", "elsewhere")
    assert only(story.rebase(Resolution("f", Take.PROPOSED))).change == "type"
    assert kinds(story.rebase(Resolution("f", Take.DISK)).operations) == [("create", "g")]


def test_file_that_has_taken_the_place_of_a_folder_is_asked_about_once(memory_path: Path) -> None:
    story = Story(memory_path, {"d/a": b"1\n", "d/b": b"2\n"}, ("write", "d/a", "A\n"), ("write", "d/c/x", "B\n"))
    story.tree.remove("d")
    story.tree.put("d", b"now a file\n")
    assert (only(story.rebase()).path, only(story.rebase()).operations) == ("d", ("s1", "s2"))
    assert story.rebase(Resolution("d", Take.DISK)).operations == ()


def test_target_of_a_move_made_on_disk_stops_the_move_and_what_follows(memory_path: Path) -> None:
    steps = (("move", "f", "g"), ("edit", "g", "line 1\n", "ONE\n"), ("write", "h", "x\n"))
    story = Story(memory_path, {"f": TEN.encode()}, *steps)
    story.tree.put("g", b"mine\n")
    assert (only(story.rebase()).path, only(story.rebase()).ways) == ("g", {Take.DISK})
    assert kinds(story.rebase(Resolution("g", Take.DISK)).operations) == [("create", "h")]


def test_move_that_was_made_by_hand_is_left_out(memory_path: Path) -> None:
    story = Story(memory_path, {"f": TEN.encode()}, ("move", "f", "g"), ("write", "h", "x\n"))
    story.tree.remove("f")
    story.tree.put("g", TEN.encode())
    assert kinds(story.rebase().operations) == [("create", "h")]


def test_newcomer_in_a_folder_the_plan_deletes_keeps_the_folder(memory_path: Path) -> None:
    story = Story(memory_path, {"a/b/f": b"1\n", "x": b"2\n"}, ("delete", "a"), ("delete", "x"))
    story.tree.put("a/b/new", b"mine\n")
    assert only(story.rebase()).path == "a/b/new"
    found = story.rebase(Resolution("a/b/new", Take.DISK))
    assert kinds(found.operations) == [("delete", "a/b/f"), ("delete", "x")]


def test_mode_of_the_plan_goes_with_any_content_of_the_disk(memory_path: Path) -> None:
    story = Story(memory_path, {"f": b"\0\1\n"}, ("chmod", "f", "0755"))
    story.tree.put("f", b"\0\2\n")
    assert [(o.kind.value, o.after.mode) for o in story.rebase().operations] == [("chmod", 0o755)]


def test_file_behind_a_link_is_a_question_about_the_link(memory_path: Path) -> None:
    story = Story(memory_path, {"f": b"x\n", "d/e": b"y\n"}, ("write", "f", "z\n"), ("write", "d/e", "w\n"))
    story.tree.put("d", "a link")
    assert [(c.path, c.change) for c in story.rebase().conflicts] == [("d", "type")]
