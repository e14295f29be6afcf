"""A run compares what is on disk with what was approved, and reports every path that differs."""

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import JournalError, RollbackError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import ABSENT, DirectoryState, PathChange, StagedOperation
from tandem_desktop.domain.runs import FailurePolicy, RunStatus
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.run import HaltError, not_as_approved
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.execution.steps import Action, Step, unpack_step
from tandem_desktop.execution.undo import UndoExecutor
from tandem_desktop.storage import syscalls
from tests.support.builders import a_command, a_delete, a_file, a_move, a_write
from tests.support.run_managers import a_run_manager, brief, carry_out, here, journal_of, just_before
from tests.support.scripted_commands import change, changed, command, failed, scripted
from tests.support.tree_walker import walk


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def manager(root: Path, memory_path: Path) -> RunManager:
    made = a_run_manager(root, memory_path / "state")
    made.objects.put_all([b"one\n", b"two\n", b"old\n"])
    return made


@pytest.mark.req("S0-65")
def test_file_that_another_program_changes_after_it_was_written_fails_its_operation(
    manager: RunManager, root: Path
) -> None:
    operations = (a_write("one", b"one\n"), a_write("two", b"two\n", id="s2"))
    with syscalls.gated(just_before("two", lambda: (root / "one").write_bytes(b"1!!\n"))):
        record, results = carry_out(manager, operations, FailurePolicy.STOP)
    assert record.status is RunStatus.FAILED
    assert {result.id: result.status.value for result in results} == {"s1": "failed", "s2": "completed"}
    assert results[0].error == "one is not what was approved after writing it."
    assert (root / "one").read_bytes() == b"1!!\n"


@pytest.mark.parametrize("appears", ["old", "here"])
def test_file_that_another_program_puts_where_one_was_deleted_or_moved_away_fails_the_operation(
    manager: RunManager, root: Path, appears: str
) -> None:
    for name in ("old", "here"):
        (root / name).write_bytes(b"old\n")
        (root / name).chmod(0o644)
    operations = (
        a_delete("old", b"old\n"),
        a_move("here", "there", b"old\n", id="s2"),
        a_write("two", b"two\n", id="s3"),
    )
    with syscalls.gated(just_before("two", lambda: (root / appears).write_bytes(b"again\n"))):
        record, results = carry_out(manager, operations, FailurePolicy.CONTINUE)
    failed = "s1" if appears == "old" else "s2"
    assert record.status is RunStatus.FAILED
    assert [result.id for result in results if result.status.value == "failed"] == [failed]


def test_folder_that_is_exchanged_during_the_run_is_read_where_its_name_leads_now(
    manager: RunManager, root: Path
) -> None:
    (root / "src").mkdir()

    def exchange() -> None:
        (root / "src").rename(root / "before")
        (root / "src").mkdir()

    operations = (a_write("src/one", b"one\n"), a_write("two", b"two\n", id="s2"))
    with syscalls.gated(just_before("two", exchange)):
        record, results = carry_out(manager, operations, FailurePolicy.STOP)
    assert record.status is RunStatus.FAILED
    assert results[0].error == "src/one is not what was approved after writing it."


# What a run leaves in its journal, tells and counts


def test_a_path_that_is_not_as_approved_is_told_with_its_step_and_what_to_do(manager: RunManager, root: Path) -> None:
    here(root, one=b"one\n", moved=b"old\n", gone=b"?\n")
    steps = (
        Step(0, OperationId("s1"), Action.PUT, "one", ABSENT, a_file(b"one\n")),
        Step(1, OperationId("s2"), Action.PUT, "two", ABSENT, a_file(b"two\n")),
        Step(2, OperationId("s3"), Action.RENAME, "gone", a_file(b"old\n"), a_file(b"old\n"), "moved"),
    )
    found = not_as_approved(steps, manager.workspace, manager.objects.at_hand)
    assert [(error.message, error.path, error.step, error.next) for error in found] == [
        (
            f"{path} is not what was approved after writing it.",
            path,
            step,
            "Something else writes to it; stop that, then apply again.",
        )
        for path, step in (("two", "s2"), ("gone", "s3"))
    ]


def test_each_segment_stands_in_the_journal_before_and_after_it_is_written(
    manager: RunManager, root: Path, memory_path: Path
) -> None:
    here(root, old=b"old\n")
    operations = (
        a_write("one", b"one\n", id="s1"),
        a_delete("old", b"old\n", id="s2"),
        a_command("true", id="c1"),
        a_write("two", b"two\n", id="s3"),
        a_command("exit 3", id="c2"),
    )
    carry_out(manager, operations, FailurePolicy.CONTINUE)
    first, done, begun, ended, second, done_too, begun_too, ended_too = journal_of(memory_path / "state")
    assert (first["type"], [unpack_step(step).n for step in first["steps"]]) == ("intent", [0, 1])
    assert set(first) == {"type", "steps"}
    assert done == {"type": "done", "count": 2, "lost": {"1": {}}}
    assert begun == {"type": "command", "operation": "c1", "captured": False}
    assert ended == {"type": "command_done", "operation": "c1", "exit_code": 0}
    assert (second["type"], [unpack_step(step).n for step in second["steps"]]) == ("intent", [2])
    assert done_too == {"type": "done", "count": 1, "lost": {"1": {}}}
    assert begun_too == {"type": "command", "operation": "c2", "captured": False}
    assert ended_too == {"type": "command_done", "operation": "c2", "exit_code": 3}


def test_each_operation_is_announced_once_when_it_begins_and_whenever_its_result_changes(
    manager: RunManager, root: Path
) -> None:
    begun: list[str] = []
    told: list[tuple[str, str]] = []
    manager._on_start = lambda run_id, operation: begun.append(operation)
    manager._on_result = lambda run_id, result: told.append((result.id, result.status.value))
    operations = (
        a_write("deep/er/one", b"one\n", id="s1"),
        a_command("exit 3", id="c1"),
        a_write("two", b"two\n", id="s2", blocked_by=("c1",)),
        a_write("three", b"two\n", id="s3", blocked_by=("s2",)),
    )
    _, results = carry_out(manager, operations)
    assert begun == ["s1", "c1"]
    assert told == [
        ("s1", "completed"),
        ("c1", "failed"),
        ("s2", "skipped"),
        ("s3", "skipped"),
        ("s1", "rolled_back"),
    ]
    assert [result.error for result in results] == [
        None,
        "The command ended with exit code 3.",
        "needs c1, which failed",
        "needs c1, which failed",
    ]
    assert (results[1].exit_code, results[1].output) == (3, "")


def test_an_operation_that_cannot_be_prepared_is_announced_before_it_is_told_as_failed(manager: RunManager) -> None:
    events: list[str] = []
    manager._on_start = lambda run_id, operation: events.append(f"{operation} begun")
    manager._on_result = lambda run_id, result: events.append(f"{result.id} {result.status.value}")
    carry_out(manager, (a_write("x", b"never stored\n"),))
    assert events == ["s1 begun", "s1 failed"]


@pytest.mark.parametrize("lost", [0, 1, 2])
@pytest.mark.parametrize("policy", [FailurePolicy.STOP, FailurePolicy.CONTINUE])
def test_what_cannot_be_prepared_stops_the_run_there_or_is_left_out(
    manager: RunManager, root: Path, lost: int, policy: FailurePolicy
) -> None:
    operations = tuple(a_write(f"f{n}", b"never stored\n" if n == lost else b"one\n", id=f"s{n}") for n in range(3))
    record, results = carry_out(manager, operations, policy)
    after = "completed" if policy is FailurePolicy.CONTINUE else "pending"
    expected = ["completed"] * lost + ["failed"] + [after] * (2 - lost)
    assert [result.status.value for result in results] == expected
    assert [(root / f"f{n}").exists() for n in range(3)] == [status == "completed" for status in expected]
    assert record.status is RunStatus.FAILED
    assert "f" in (results[lost].error or "")
    assert "could not be prepared" in (results[lost].error or "")


@pytest.mark.parametrize("policy", [FailurePolicy.STOP, FailurePolicy.CONTINUE])
def test_a_step_that_cannot_be_published_is_taken_back_with_its_folders_and_the_others_stay(
    manager: RunManager, root: Path, memory_path: Path, policy: FailurePolicy
) -> None:
    operations = (
        a_write("one", b"one\n", id="s1"),
        a_write("made/for/two", b"two\n", id="s2"),
        a_write("made/three", b"one\n", id="s3", blocked_by=("s2",)),
        a_write("four", b"one\n", id="s4"),
    )
    appear = lambda: (root / "made" / "for" / "two").write_bytes(b"theirs\n")  # noqa: E731 - read in place
    remove = lambda: (root / "made" / "for" / "two").unlink()  # noqa: E731 - read in place
    with syscalls.gated(in_turn(("renameat2", "two", appear), ("unlinkat", "for", remove))):
        record, results = carry_out(manager, operations, policy)
    goes_on = policy is FailurePolicy.CONTINUE
    assert brief(results) == {
        "s1": "completed",
        "s2": "failed",
        "s3": "skipped",
        "s4": "completed" if goes_on else "pending",
    }
    assert sorted(path.name for path in root.iterdir()) == [".tandem", *(["four"] if goes_on else []), "one"]
    kept = next(entry for entry in journal_of(memory_path / "state") if entry["type"] == "done")
    assert kept == {"type": "done", "count": 1, "lost": {}}
    UndoExecutor(manager).undo(record.run_id)
    assert [path.name for path in root.iterdir()] == [".tandem"]


def in_turn(*acts: tuple[str, str, Callable[[], object]]) -> syscalls.Gate:
    """A gate that does each of these once, in order, right before the call it names."""
    left = list(acts)

    def gate(call: str, what: str) -> None:
        if left and (call, what) == left[0][:2]:
            left.pop(0)[2]()

    return gate


def test_a_file_changed_after_it_was_written_fails_its_own_operation_also_when_a_later_one_fails(
    manager: RunManager, root: Path
) -> None:
    operations = (
        a_write("one", b"one\n", id="s1"),
        a_write("two", b"two\n", id="s2"),
        a_write("three", b"one\n", id="s3"),
        a_write("four", b"one\n", id="s4"),
    )

    def interfere() -> None:
        (root / "one").write_bytes(b"1!!\n")
        (root / "three").write_bytes(b"theirs\n")

    with syscalls.gated(just_before("three", interfere)):
        _, results = carry_out(manager, operations, FailurePolicy.CONTINUE)
    assert brief(results) == {"s1": "failed", "s2": "completed", "s3": "failed", "s4": "completed"}
    assert results[0].error == "one is not what was approved after writing it."
    assert "appeared during the run" in (results[2].error or "")


@pytest.mark.parametrize("fails", ["when it is prepared", "when it is published"])
def test_a_failure_of_the_last_operation_leaves_nothing_more_to_do(
    manager: RunManager, root: Path, memory_path: Path, fails: str
) -> None:
    prepared = fails == "when it is published"
    operations = (a_write("one", b"one\n", id="s1"), a_write("two", b"two\n" if prepared else b"lost\n", id="s2"))
    if prepared:
        here(root, two=b"theirs\n")
    _, results = carry_out(manager, operations, FailurePolicy.CONTINUE)
    assert brief(results) == {"s1": "completed", "s2": "failed"}
    assert [entry["type"] for entry in journal_of(memory_path / "state")] == ["intent", "done"]


def test_a_stop_between_two_steps_of_a_segment_takes_back_the_first(manager: RunManager, root: Path) -> None:
    control = RunControl()
    operations = (a_write("one", b"one\n", id="s1"), a_write("two", b"two\n", id="s2"))
    with syscalls.gated(just_before("one", control.abort)):
        record, results = carry_out(manager, operations, control=control)
    assert (record.status, record.rolled_back) == (RunStatus.CANCELLED, True)
    assert brief(results) == {"s1": "cancelled", "s2": "cancelled"}
    assert [path.name for path in root.iterdir()] == [".tandem"]


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_halt_says_whether_the_person_or_a_failure_stopped_the_run(cancelled: bool) -> None:
    halt = HaltError(cancelled=cancelled)
    assert (str(halt), halt.cancelled) == ("cancelled" if cancelled else "failed", cancelled)


def test_what_a_run_does_itself_is_not_told_as_a_change_by_others(manager: RunManager, root: Path) -> None:
    (root / "full").mkdir()
    here(root / "full", old=b"old\n", gone=b"old\n", kept=b"old\n")
    operations = (
        a_move("full/old", "full/new", b"old\n", id="s1"),
        a_delete("full/gone", b"old\n", id="s2"),
        a_write("full/kept", b"one\n", before=b"old\n", id="s3"),
    )
    record, _ = carry_out(manager, operations)
    assert (record.status, record.meanwhile) == (RunStatus.COMPLETED, ())


# Rolling back


def changes_later(root: Path) -> tuple[StagedOperation, ...]:
    here(root, old=b"old\n", b=b"old\n")
    return (a_write("old", b"one\n", before=b"old\n", id="s1"), a_write("b", b"two\n", before=b"old\n", id="s2"))


def incomplete(manager: RunManager, operations: tuple[StagedOperation, ...], gate: syscalls.Gate) -> tuple[str, ...]:
    with syscalls.gated(gate), pytest.raises(RollbackError) as refusal:
        carry_out(manager, operations)
    error = refusal.value
    assert error.next == "Look at the path, then: tandem recover --rollback"
    return error.message, error.path or ""


def test_a_roll_back_that_meets_an_edit_names_the_path_and_leaves_the_edit(manager: RunManager, root: Path) -> None:
    operations = changes_later(root)
    edit = lambda: here(root, old=b"mine\n", b=b"mine\n")  # noqa: E731 - read in place
    told = "old was changed by someone else while the plan ran; it was left as it is."
    assert incomplete(manager, operations, just_before("b", edit)) == (
        f"The roll back is incomplete at old: {told}",
        "old",
    )
    assert (root / "old").read_bytes() == (root / "b").read_bytes() == b"mine\n"


def test_a_roll_back_that_cannot_be_made_durable_is_incomplete(manager: RunManager, root: Path) -> None:
    operations = changes_later(root)
    failing = [False]

    def gate(call: str, what: str) -> None:
        if call == "renameat2" and what == "b":
            here(root, b=b"mine\n")
            failing[0] = True
        if failing[0] and call in ("fsync", "write"):
            raise OSError(errno.EIO, "Input/output error", what)

    told = "it could not be made durable: Input/output error."
    assert incomplete(manager, operations, gate) == (f"The roll back is incomplete at {root}: {told}", str(root))
    assert (root / "old").read_bytes() == b"old\n"


def test_a_path_that_is_changed_again_once_it_was_put_back_is_named(manager: RunManager, root: Path) -> None:
    operations = changes_later(root)
    going_back = [False]

    def gate(call: str, what: str) -> None:
        if call == "renameat2" and what == "b":
            here(root, b=b"mine\n")
            going_back[0] = True
        if going_back[0] and call == "fsync" and (root / "old").read_bytes() == b"old\n":
            here(root, old=b"mine\n")

    assert incomplete(manager, operations, gate) == (
        "The roll back is incomplete at old: old is not as it was before the run.",
        "old",
    )


def test_a_file_that_is_not_as_approved_ends_a_run_that_is_to_be_rolled_back(manager: RunManager, root: Path) -> None:
    told: list[tuple[str, str | None]] = []
    manager._on_result = lambda run_id, result: told.append((result.id, result.error))
    operations = (a_write("one", b"one\n", id="s1"), a_write("two", b"two\n", id="s2"), command("c1"))
    edit = lambda: here(root, one=b"mine\n")  # noqa: E731 - read in place
    assert incomplete(manager, operations, just_before("two", edit))[1] == "one"
    assert told == [("s1", "one is not what was approved after writing it.")]
    assert (root / "one").read_bytes() == b"mine\n"
    assert not (root / "two").exists()


def test_a_roll_back_is_written_down_before_it_begins(manager: RunManager, memory_path: Path) -> None:
    carry_out(manager, (a_write("one", b"one\n"), a_command("exit 3", id="c1")))
    assert journal_of(memory_path / "state")[-1] == {"type": "rollback"}


def test_a_run_whose_journal_cannot_be_written_any_more_is_rolled_back_all_the_same(
    manager: RunManager, root: Path
) -> None:
    operations = changes_later(root)
    before = walk(root)
    left = ["write"]

    def gate(call: str, what: str) -> None:
        if call in left and (root / "b").read_bytes() == b"two\n":
            left.remove(call)
            raise OSError(errno.ENOSPC, "No space left on device", what)

    with syscalls.gated(gate), pytest.raises(JournalError, match="nothing more is added"):
        carry_out(manager, operations)
    assert left == []
    assert walk(root) == before


def test_a_removed_folder_comes_back_with_its_attributes(manager: RunManager, root: Path) -> None:
    (root / "empty").mkdir(mode=0o755)
    with_attributes = attach(root / "empty")
    delete = a_delete("empty", base=DirectoryState(mode=0o755))
    carry_out(manager, (delete, a_write("x", b"never stored\n", id="s2"), a_command("exit 3", id="c1")))
    assert attached(root / "empty") == with_attributes
    carry_out(manager, (delete, a_command("exit 3", id="c1")))
    assert attached(root / "empty") == with_attributes


# Going on after a run was cut off


def cut_off(
    manager: RunManager,
    operations: tuple[StagedOperation, ...],
    name: str,
    policy: FailurePolicy = FailurePolicy.ROLLBACK,
) -> None:
    """End the run right before it publishes the file called `name`."""

    def die() -> None:
        raise KeyboardInterrupt

    with syscalls.gated(just_before(name, die)), pytest.raises(KeyboardInterrupt):
        carry_out(manager, operations, policy)


def several(root: Path) -> tuple[StagedOperation, ...]:
    """Two segments: folders, a change, a deletion, then a command and three files."""
    here(root, old=b"old\n", gone=b"old\n", moved=b"old\n")
    return (
        a_write("deep/one", b"one\n", id="s1"),
        a_write("old", b"two\n", before=b"old\n", id="s2"),
        a_delete("gone", b"old\n", id="s3"),
        a_command("true", id="c1"),
        a_write("old", b"one\n", before=b"two\n", id="s4"),
        a_move("moved", "deep/moved", b"old\n", id="s5"),
        a_write("last", b"one\n", id="s6"),
        a_command("true", id="c2"),
        a_write("end", b"one\n", id="s7"),
    )


EVERY_PLACE = ("deep", "one", "old", "moved", "last", "end")


@pytest.mark.parametrize("where", EVERY_PLACE)
def test_a_run_that_was_cut_off_goes_on_to_the_same_end_and_can_still_be_undone(
    manager: RunManager, root: Path, where: str
) -> None:
    operations = several(root)
    before = walk(root)
    with_attributes = attach(root / "gone")
    cut_off(manager, operations, where)
    told: list[tuple[str, str]] = []
    manager._on_result = lambda run_id, result: told.append((result.id, result.status.value))
    record, results = Recovery(manager).resume()
    assert record.status is RunStatus.COMPLETED, results
    assert [(name, node[2]) for name, node in sorted(walk(root).items()) if node[0] == "file"] == [
        ("deep/moved", b"old\n"),
        ("deep/one", b"one\n"),
        ("end", b"one\n"),
        ("last", b"one\n"),
        ("old", b"one\n"),
    ]
    assert set(brief(results).values()) == {"completed"}
    finished_before = {"deep": 0, "one": 0, "old": 0, "moved": 4, "last": 4, "end": 8}[where]
    assert [name for name, _ in told] == [operation.id for operation in operations[finished_before:]]
    UndoExecutor(manager).undo(record.run_id)
    assert walk(root) == before
    assert attached(root / "gone") == with_attributes


def attach(path: Path) -> bytes:
    """Give a file an attribute, where the file system has them."""
    with contextlib.suppress(OSError):
        os.setxattr(path, "user.note", b"mine")
    return attached(path)


def attached(path: Path) -> bytes:
    return os.getxattr(path, "user.note") if "user.note" in os.listxattr(path) else b""


@pytest.mark.parametrize("where", EVERY_PLACE)
def test_a_run_that_was_cut_off_is_rolled_back_exactly(manager: RunManager, root: Path, where: str) -> None:
    operations = several(root)
    before = walk(root)
    with_attributes = attach(root / "gone")
    cut_off(manager, operations, where)
    record, results = Recovery(manager).roll_back()
    assert record.status is RunStatus.FAILED
    assert walk(root) == before
    assert attached(root / "gone") == with_attributes
    assert set(brief(results).values()) <= {"rolled_back", "pending"}
    assert record.rolled_back is (where in ("deep", "one", "old"))
    done = {"deep": 0, "one": 0, "old": 0, "moved": 4, "last": 4, "end": 8}[where]
    assert [result.id for result in results if result.status.value == "rolled_back"] == [
        operation.id for operation in operations[:done]
    ]


def test_an_undo_that_was_cut_off_gives_a_file_its_attributes_back_when_it_goes_on(
    manager: RunManager, root: Path
) -> None:
    here(root, gone=b"old\n")
    before, with_attributes = walk(root), attach(root / "gone")
    record, _ = carry_out(manager, (a_delete("gone", b"old\n"), a_write("one", b"one\n", id="s2")))

    def die() -> None:
        raise KeyboardInterrupt

    with syscalls.gated(just_before("gone", die)), pytest.raises(KeyboardInterrupt):
        UndoExecutor(manager).undo(record.run_id)
    assert Recovery(manager).resume()[0].status is RunStatus.COMPLETED
    assert walk(root) == before
    assert attached(root / "gone") == with_attributes


def test_a_run_marked_as_failed_keeps_what_it_did_and_that_can_be_undone(manager: RunManager, root: Path) -> None:
    here(root, gone=b"old\n")
    with_attributes = attach(root / "gone")
    before = walk(root)
    operations = (
        a_write("one", b"one\n", id="s1"),
        a_delete("gone", b"old\n", id="s2"),
        a_write("deep/two", b"two\n", id="s3"),
        a_write("last", b"one\n", id="s4"),
    )
    cut_off(manager, operations, "two")
    record, results = Recovery(manager).mark_failed()
    assert brief(results) == {"s1": "completed", "s2": "completed", "s3": "pending", "s4": "pending"}
    assert (root / "deep").is_dir()
    UndoExecutor(manager).undo(record.run_id)
    assert walk(root) == before
    assert attached(root / "gone") == with_attributes


def test_an_edit_made_since_the_run_was_cut_off_stays_and_the_other_paths_go_back(
    manager: RunManager, root: Path
) -> None:
    operations = several(root)
    cut_off(manager, operations, "end")
    here(root, old=b"mine\n")
    told: list[tuple[str, str]] = []
    manager._on_result = lambda run_id, result: told.append((result.id, result.status.value))
    with pytest.raises(RollbackError, match="old changed by someone else; left as it is") as refusal:
        Recovery(manager).roll_back()
    assert refusal.value.path == "old"
    assert {name: node[2] for name, node in walk(root).items()} == {
        "gone": b"old\n",
        "moved": b"old\n",
        "old": b"mine\n",
    }
    assert {status for _, status in told} == {"rolled_back"}


def test_a_path_that_refuses_to_go_back_is_named(manager: RunManager, root: Path) -> None:
    operations = several(root)
    cut_off(manager, operations, "end")
    here(root, old=b"mine\n")
    (root / "deep" / "theirs").write_bytes(b"theirs\n")
    with pytest.raises(RollbackError) as refusal:
        Recovery(manager).roll_back()
    assert refusal.value.message == "The roll back is incomplete at deep: The folder deep is not empty."
    assert (refusal.value.path, refusal.value.next) == ("deep", "Look at the path, then: tandem recover --rollback")


def test_a_run_that_was_cut_off_while_it_went_back_goes_on_from_there_and_tells_only_what_is_new(
    manager: RunManager, root: Path
) -> None:
    operations = (a_write("one", b"one\n", id="s1"), a_write("two", b"two\n", id="s2"), command("c1"))
    scripted(manager, c1=failed())
    cut_off(manager, operations, f"{0:032d}")
    assert [path.name for path in root.iterdir() if path.is_file()] == ["one"]
    scripted(manager, c1=changed(change("three", b"one\n")))
    told: list[tuple[str, str]] = []
    manager._on_result = lambda run_id, result: told.append((result.id, result.status.value))
    record, results = Recovery(manager).resume()
    assert record.status is RunStatus.COMPLETED
    assert set(brief(results).values()) == {"completed"}
    assert told == [("c1", "completed")]
    assert sorted(path.name for path in root.iterdir() if path.is_file()) == ["one", "three", "two"]


def test_what_waits_for_an_operation_that_fails_when_the_run_goes_on_is_skipped(
    manager: RunManager, root: Path
) -> None:
    operations = (
        a_write("one", b"one\n", id="s1"),
        a_write("two", b"two\n", id="s2"),
        command("c1"),
        a_write("three", b"one\n", id="s3", blocked_by=("s1",)),
        a_write("four", b"one\n", id="s4"),
    )
    scripted(manager, c1=changed())
    cut_off(manager, operations, "two", FailurePolicy.CONTINUE)
    edit = lambda: here(root, one=b"mine\n")  # noqa: E731 - read in place
    with syscalls.gated(just_before("two", edit)):
        _, results = Recovery(manager).resume()
    assert brief(results) == {
        "s1": "failed",
        "s2": "completed",
        "c1": "completed",
        "s3": "skipped",
        "s4": "completed",
    }
    assert not (root / "three").exists()


def test_objects_of_git_that_an_interrupted_run_added_stay_when_it_is_rolled_back(
    manager: RunManager, root: Path
) -> None:
    for folder in (".git/objects", ".git/refs/heads"):
        (root / folder).mkdir(parents=True)
    here(root / ".git", HEAD=b"ref: refs/heads/main\n")
    loose = f".git/objects/ab/{'c' * 38}"
    shelf = PathChange(path=".git/objects/ab", before=ABSENT, after=DirectoryState(mode=0o755))
    scripted(manager, c1=changed(change(".first", b"one\n"), shelf, change(loose, b"two\n"), change("made", b"one\n")))
    cut_off(manager, (command("c1"), a_write("end", b"one\n", id="s1")), "end")
    record, results = Recovery(manager).roll_back()
    assert record.rolled_back
    assert brief(results) == {"c1": "rolled_back", "s1": "pending"}
    assert (root / loose).read_bytes() == b"two\n"
    assert sorted(path.name for path in root.iterdir()) == [".git", ".tandem"]
