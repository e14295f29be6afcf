"""Reviewed operations and new steps in one plan: each sees what the earlier ones leave, or the plan is refused."""

import hashlib
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import OutsideWorkspaceError, StepRefusedError
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.staging.plan_json import step_from
from tandem_desktop.staging.simulate import Simulation, simulate_parts
from tandem_desktop.staging.steps import AnyStep
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import A_MOMENT, a_command, a_write

STORED = {hashlib.sha256(data).hexdigest(): data for data in (b"alpha\n", b"beta\n")}


def simulated(root: Path, *parts: StagedOperation | AnyStep) -> Simulation:
    workspace = Workspace(root)
    try:
        return simulate_parts(parts, workspace, STORED.__getitem__, A_MOMENT)
    finally:
        workspace.close()


def an_edit(name: str, old: str, new: str, *blocked_by: str, path: str = "x.txt") -> AnyStep:
    args = {"path": path, "old_string": old, "new_string": new}
    return step_from({"id": name, "description": "Edit", "tool": "edit", "args": args, "blocked_by": blocked_by})


@pytest.mark.req("S4-10")
def test_a_new_step_works_on_what_a_reviewed_operation_leaves(memory_path: Path) -> None:
    made = simulated(memory_path, a_write("x.txt", b"alpha\n"), an_edit("a1", "alpha", "beta", "s1"))
    first, second = made.operations
    assert (first.id, second.id, second.blocked_by) == ("s1", "a1", ("s1",))
    assert isinstance(second.after, FileState)
    assert made.contents[second.after.sha256] == b"beta\n"


def test_a_reviewed_operation_whose_base_a_new_step_has_changed_is_refused_by_name(memory_path: Path) -> None:
    (memory_path / "x.txt").write_bytes(b"alpha\n")
    with pytest.raises(StepRefusedError) as refusal:
        simulated(memory_path, an_edit("a1", "alpha", "gamma"), a_write("x.txt", b"beta\n", before=b"alpha\n"))
    assert refusal.value.step == "s1"
    assert "no longer applies" in refusal.value.message


def test_whoever_waits_for_a_step_of_several_operations_waits_for_all_of_them(memory_path: Path) -> None:
    (memory_path / "old").mkdir()
    (memory_path / "old" / "x.txt").write_bytes(b"alpha\n")
    delete = step_from({"id": "a1", "description": "Delete", "tool": "delete", "args": {"path": "old"}})
    made = simulated(memory_path, delete, a_command("make", id="s2", blocked_by=("a1",)))
    assert made.operations[-1].blocked_by == ("a1.1", "a1.2")


def test_a_step_that_only_reads_is_a_note_and_whoever_waits_for_it_waits_for_what_it_waits_for(
    memory_path: Path,
) -> None:
    read = step_from(
        {"id": "a1", "description": "Look", "tool": "read", "args": {"path": "x.txt"}, "blocked_by": ["s1"]}
    )
    made = simulated(memory_path, a_write("x.txt", b"alpha\n"), read, a_command("make", id="s2", blocked_by=("a1",)))
    assert [note.step for note in made.notes] == ["a1"]
    assert made.operations[-1].blocked_by == ("s1",)


@pytest.mark.req("S4-26")
def test_a_new_step_may_not_leave_the_workspace(memory_path: Path) -> None:
    with pytest.raises(OutsideWorkspaceError):
        simulated(memory_path, an_edit("a1", "a", "b", path="../outside.txt"))


def test_a_part_that_waits_for_a_later_one_is_refused(memory_path: Path) -> None:
    with pytest.raises(StepRefusedError, match="does not come before"):
        simulated(memory_path, a_command("make", blocked_by=("s2",)), a_command("make test", id="s2"))
