"""What the commands of a run left is written like any other change, or nothing of it is kept."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import OperationError, RollbackError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import ABSENT, NodeState, StagedOperation
from tandem_desktop.domain.runs import FailurePolicy, OtherChange, RunStatus
from tandem_desktop.execution.commands import CommandOutcome, RunControl, segments
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.run_manager import ConcurrentChanges, RunManager
from tandem_desktop.execution.steps import unpack_step
from tandem_desktop.execution.undo import UndoExecutor
from tandem_desktop.storage import syscalls
from tests.support.builders import a_file, a_write, an_external_call
from tests.support.run_managers import a_record, a_run_manager, brief, carry_out, here, journal_of, just_before
from tests.support.scripted_commands import change, changed, command, failed, scripted, stopped
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


def test_effects_of_commands_are_numbered_on_and_undone_with_the_files_around_them(
    manager: RunManager, root: Path, memory_path: Path
) -> None:
    here(root, old=b"old\n")
    before = walk(root)
    scripted(
        manager,
        c1=changed(change("made", b"one\n"), change("old", b"one\n", b"old\n")),
        c2=changed(change("old", b"two\n", b"one\n"), change("made", None, b"one\n")),
        c3=changed(),
    )
    printed: list[tuple[str, bytes]] = []
    manager._on_output = lambda operation, chunk: printed.append((operation, chunk))
    operations = (
        a_write("one", b"one\n", id="s1"),
        command("c1"),
        command("c2"),
        command("c3"),
        a_write("two", b"two\n", id="s2"),
    )
    record, results = carry_out(manager, operations)
    assert brief(results) == dict.fromkeys(("s1", "c1", "c2", "c3", "s2"), "completed")
    assert [(result.exit_code, result.output) for result in results] == [
        (None, None),
        *[(0, "ok\n")] * 3,
        (None, None),
    ]
    assert printed == [(name, b"ok\n") for name in ("c1", "c2", "c3")]
    records = journal_of(memory_path / "state")
    numbers = [unpack_step(step).n for entry in records if entry["type"] == "intent" for step in entry["steps"]]
    assert numbers == [0, 1, 2, 3, 4, 5]
    assert [entry["count"] for entry in records if entry["type"] == "done"] == [1, 2, 2, 1]
    assert [entry["captured"] for entry in records if entry["type"] == "command"] == [True] * 3
    assert record.meanwhile == ()
    UndoExecutor(manager).undo(record.run_id)
    assert walk(root) == before


def test_a_file_that_others_change_after_its_segment_was_verified_is_told_at_the_end(
    manager: RunManager, root: Path
) -> None:
    operations = (a_write("deep/one", b"one\n", id="s1"), command("c1"), a_write("two", b"two\n", id="s2"))
    scripted(manager, c1=changed())
    manager._on_output = lambda operation, chunk: here(root / "deep", one=b"mine\n")
    record, _ = carry_out(manager, operations)
    assert [(each.path, each.change) for each in record.meanwhile] == [("deep/one", "modified")]


def test_a_command_that_could_not_be_run_fails_with_its_reason_and_the_rest_follows_the_policy(
    manager: RunManager, root: Path, memory_path: Path
) -> None:
    scripted(manager, c1=OperationError("No overlay.", step="c1"))
    _, results = carry_out(manager, (command("c1"), a_write("one", b"one\n")), FailurePolicy.CONTINUE)
    assert brief(results) == {"c1": "failed", "s1": "completed"}
    assert (results[0].error, results[0].exit_code) == ("No overlay.", None)
    assert journal_of(memory_path / "state")[1] == {"type": "command_done", "operation": "c1", "exit_code": -1}


@pytest.mark.parametrize("policy", list(FailurePolicy))
def test_effects_that_cannot_be_written_fail_the_command_and_leave_nothing(
    manager: RunManager, root: Path, memory_path: Path, policy: FailurePolicy
) -> None:
    here(root, theirs=b"theirs\n")
    before = walk(root)
    scripted(manager, c1=changed(change("made", b"one\n"), change("theirs", b"two\n")))
    record, results = carry_out(manager, (command("c1"), a_write("one", b"one\n")), policy)
    told = "Its effects could not be written: theirs appeared during the run, so it was not overwritten."
    assert (results[0].error, results[0].exit_code, results[0].output) == (told, 0, "ok\n")
    goes_on = policy is FailurePolicy.CONTINUE
    assert brief(results) == {"c1": "failed", "s1": "completed" if goes_on else "pending"}
    assert walk(root) == before | ({"one": ("file", 0o644, b"one\n")} if goes_on else {})
    assert record.rolled_back is (policy is FailurePolicy.ROLLBACK)
    none = {"type": "done", "count": 0, "lost": {}}
    assert (none in journal_of(memory_path / "state")) is (policy is not FailurePolicy.ROLLBACK)
    assert {"type": "command_done", "operation": "c1", "exit_code": -1} in journal_of(memory_path / "state")


def test_effects_that_can_neither_be_written_nor_taken_back_leave_the_run_open(manager: RunManager, root: Path) -> None:
    here(root, theirs=b"theirs\n")
    scripted(manager, c1=changed(change("made", b"one\n"), change("theirs", b"two\n")))
    edit = lambda: here(root, made=b"mine\n")  # noqa: E731 - read in place
    with syscalls.gated(just_before("theirs", edit)), pytest.raises(RollbackError) as refusal:
        carry_out(manager, (command("c1"),), FailurePolicy.STOP)
    told = "made was changed by someone else while the plan ran; it was left as it is."
    assert refusal.value.message == f"The roll back is incomplete at made: {told}"
    assert (root / "made").read_bytes() == b"mine\n"
    assert len(Recovery(manager).interrupted()) == 1


def test_every_effect_that_others_changed_is_named_when_a_command_fails_for_it(manager: RunManager, root: Path) -> None:
    scripted(manager, c1=changed(change("a", b"one\n"), change("b", b"one\n"), change("c", b"one\n")))
    edit = lambda: here(root, a=b"mine\n", b=b"mine\n")  # noqa: E731 - read in place
    with syscalls.gated(just_before("c", edit)):
        _, results = carry_out(manager, (command("c1"),), FailurePolicy.STOP)
    assert results[0].error == (
        "a is not what was approved after writing it. b is not what was approved after writing it."
    )
    assert (results[0].exit_code, results[0].output) == (0, "ok\n")


@pytest.mark.parametrize("policy", list(FailurePolicy))
def test_of_commands_that_ran_beside_each_other_what_a_failure_leaves_follows_the_policy(
    manager: RunManager, root: Path, memory_path: Path, policy: FailurePolicy
) -> None:
    commands = scripted(manager, c1=changed(change("a", b"one\n")), c2=failed(), c3=changed(change("c", b"one\n")))
    operations = tuple(command(f"c{n}", str(n)) for n in (1, 2, 3))
    _, results = carry_out(manager, operations, policy)
    goes_on, goes_back = policy is FailurePolicy.CONTINUE, policy is FailurePolicy.ROLLBACK
    assert commands.batches == [(("c1", "c2", "c3"), goes_back)]
    assert brief(results) == {
        "c1": "rolled_back" if goes_back else "completed",
        "c2": "failed",
        "c3": "completed" if goes_on else "cancelled",
    }
    assert (results[1].error, results[1].exit_code) == ("The command ended with exit code 3.", 3)
    beside = "A command that ran beside it failed; nothing it did was kept."
    assert results[2].error == (None if goes_on else beside)
    ended = [entry for entry in journal_of(memory_path / "state") if entry["type"] == "command_done"]
    assert [(entry["operation"], entry["exit_code"]) for entry in ended] == [
        ("c1", 0),
        ("c2", 3),
        ("c3", 0 if goes_on else -1),
    ]
    assert {path.name for path in root.iterdir()} == {
        ".tandem",
        *([] if goes_back else ["a"]),
        *(["c"] if goes_on else []),
    }


def test_a_command_that_waits_for_a_failed_one_is_skipped_and_its_neighbour_runs_alone(manager: RunManager) -> None:
    commands = scripted(manager, c1=failed(), c2=changed(), c3=changed())
    operations = (
        command("c1", "1"),
        command("c2", "2", blocked_by=("c1",)),
        command("c3", "3", blocked_by=()),
    )
    _, results = carry_out(manager, operations, FailurePolicy.CONTINUE)
    assert brief(results) == {"c1": "failed", "c2": "skipped", "c3": "completed"}
    assert commands.batches == []


def test_a_command_that_was_ended_because_another_failed_is_not_told_as_stopped_by_the_person(
    manager: RunManager,
) -> None:
    scripted(manager, c1=stopped(), c2=failed())
    _, results = carry_out(manager, (command("c1", "1"), command("c2", "2")))
    assert brief(results) == {"c1": "cancelled", "c2": "failed"}
    assert results[0].error == "A command that ran beside it failed; nothing it did was kept."


def test_a_person_who_stops_a_command_cancels_what_ran_beside_it(manager: RunManager, memory_path: Path) -> None:
    scripted(manager, c1=stopped(), c2=changed(change("a", b"one\n")))
    control = RunControl()
    manager._on_output = lambda operation, chunk: control.abort()
    record, results = carry_out(manager, (command("c1", "1"), command("c2", "2")), control=control)
    assert record.status is RunStatus.CANCELLED
    assert brief(results) == {"c1": "cancelled", "c2": "cancelled"}
    assert [result.error for result in results] == ["stopped by the person"] * 2
    assert (results[0].exit_code, results[0].output) == (-9, "so far\n")
    ended = [entry for entry in journal_of(memory_path / "state") if entry["type"] == "command_done"]
    assert [(entry["operation"], entry["exit_code"]) for entry in ended] == [("c1", -9), ("c2", -1)]


def test_two_commands_that_left_different_files_at_one_path_clash_and_say_how_to_avoid_it(
    manager: RunManager, root: Path
) -> None:
    scripted(manager, c1=changed(change("a", b"one\n")), c2=changed(change("a", b"two\n")))
    _, results = carry_out(manager, (command("c1", "1"), command("c2", "2")), FailurePolicy.CONTINUE)
    assert brief(results) == {"c1": "completed", "c2": "failed"}
    assert results[1].error == (
        "c1, which ran beside it, changed a as well. "
        "Let the task of c2 wait for that of c1, then they run one after the other."
    )
    assert (results[1].exit_code, results[1].output) == (0, "ok\n")
    assert (root / "a").read_bytes() == b"one\n"


def test_effects_of_a_command_that_failed_are_not_written(manager: RunManager, root: Path) -> None:
    left = CommandOutcome(exit_code=1, output="", error="ended with exit code 1", effects=(change("a", b"one\n"),))
    scripted(manager, c1=left)
    carry_out(manager, (command("c1"),), FailurePolicy.STOP)
    assert not (root / "a").exists()


@pytest.mark.parametrize("succeeds", [True, False])
def test_an_external_call_is_made_by_its_agent_and_cannot_be_rolled_back(
    manager: RunManager, memory_path: Path, succeeds: bool
) -> None:
    scripted(manager, c1=failed())
    made: list[str] = []

    def make(plan_id: PlanId, operation: StagedOperation, control: RunControl) -> CommandOutcome:
        made.append(operation.id)
        return CommandOutcome(0, "sent", None) if succeeds else CommandOutcome(1, "", "was refused")

    manager.calls.attach(make)
    record, results = carry_out(manager, (an_external_call("gmail_send"), command("c1")))
    assert made == ["s1"]
    assert journal_of(memory_path / "state")[0] == {"type": "command", "operation": "s1", "captured": False}
    assert (record.status, record.rolled_back) == (RunStatus.FAILED, False)
    assert results[0].error == (None if succeeds else "The call was refused.")


def test_files_of_git_that_say_what_a_changed_reference_meant_are_kept_with_the_run(
    manager: RunManager, root: Path
) -> None:
    for folder in (".git/objects", ".git/refs/heads"):
        (root / folder).mkdir(parents=True)
    here(root / ".git", HEAD=b"ref: refs/heads/main\n")
    here(root / ".git" / "refs" / "heads", main=b"1" * 40 + b"\n")
    after = b"2" * 40 + b"\n"
    manager.objects.put_all([b"1" * 40 + b"\n", after])
    scripted(manager, c1=changed(change(".git/refs/heads/main", after, b"1" * 40 + b"\n")), c2=changed())
    record, _ = carry_out(manager, (command("c1"), a_write("one", b"one\n")))
    assert record.status is RunStatus.COMPLETED
    history = manager.journal_store.history(record.run_id)
    head = a_file(b"ref: refs/heads/main\n")
    assert history.seen == {".git/HEAD": head, ".git/packed-refs": ABSENT}
    assert manager.objects.read(head.sha256) == b"ref: refs/heads/main\n"


def test_only_what_needs_reading_again_is_read_at_the_end_of_a_run(manager: RunManager, root: Path) -> None:
    """The files of one segment were verified just before; of several the earlier may have changed since."""
    asked: list[dict[str, NodeState]] = []

    class Listens(ConcurrentChanges):
        def changes(self, touched: set[str], written: Mapping[str, NodeState]) -> tuple[OtherChange, ...]:
            asked.append(dict(written))
            return ()

    def run(*operations: StagedOperation) -> None:
        record = a_record()
        journal = manager.begin(record, operations)
        listens = Listens(manager.workspace, ())
        manager.conduct(
            record, operations, journal, lambda run: run.carry_out(segments(operations)), concurrent=listens
        )

    scripted(manager, c1=changed(change("two", b"two\n"), change("one", None, b"one\n")), c2=changed())
    run(a_write("zero", b"one\n", id="s1"))
    run(a_write("one", b"one\n", id="s1"), command("c1"))
    run(a_write("three", b"one\n", id="s1"), command("c2"))
    assert asked == [{}, {"two": a_file(b"two\n")}, {"three": a_file(b"one\n")}]
