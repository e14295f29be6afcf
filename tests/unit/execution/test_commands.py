"""Commands of independent tasks run side by side, each in its own overlay, and are committed in plan order."""

import errno
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import OperationError, TandemError
from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.operations import ABSENT, FileState, PathChange, StagedOperation
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, ResultStatus, RunStatus
from tandem_desktop.execution.captured_commands import CapturedCommands
from tandem_desktop.execution.commands import RunControl, Touched, batches, beside, segments
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.execution.undo import UndoExecutor
from tandem_desktop.shadow.overlay import can_overlay
from tests.support.builders import a_command, a_write
from tests.support.faults import Stage, count_calls, failing_at, killed_at
from tests.support.patience import PATIENCE_S
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import walk


def command(name: str, task: str | None, text: str, *waits_for: str) -> StagedOperation:
    return a_command(
        text or "true",
        id=name,
        task=None if task is None else TaskId(task),
        blocked_by=tuple(map(OperationId, waits_for)),
        timeout_s=int(PATIENCE_S),
    )


def four(second: str, third: str) -> tuple[StagedOperation, ...]:
    """1 → (2 ∥ 3) → 4."""
    return (
        command("s1", "1", "echo one > one"),
        command("s2", "2", second, "s1"),
        command("s3", "3", third, "s1"),
        command("s4", "4", "cat one two three > four", "s2", "s3"),
    )


def names(operations: tuple[StagedOperation, ...]) -> list[list[str]]:
    return [[segment[0].id for segment in batch] for batch in batches(segments(operations))]


def by_name(results: tuple[OperationResult, ...]) -> dict[str, OperationResult]:
    return {result.id: result for result in results}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(tmp_path / "ws", tmp_path / "state")
    made.workspace.mkdir()
    made.state.mkdir()
    (made.workspace / "shared").write_text("before\n")
    if not can_overlay(made.workspace, tmp_path / "shadows"):
        pytest.skip("this system mounts no overlay for this user")
    return made


def a_capturing_desk(stage: Stage) -> RunManager:
    made = a_run_manager(stage.workspace, stage.state)
    made._commands = CapturedCommands(made.workspace, made.objects, stage.state.parent / "shadows" / "command")
    return made


@pytest.fixture
def manager(stage: Stage) -> RunManager:
    return a_capturing_desk(stage)


@pytest.mark.req("S2-27")
def test_only_neighbouring_commands_of_tasks_that_do_not_wait_for_each_other_are_together() -> None:
    assert names(four("", "")) == [["s1"], ["s2", "s3"], ["s4"]]
    same_task = (command("s1", "1", ""), command("s2", "1", ""))
    no_task = (command("s1", None, ""), command("s2", "1", ""), command("s3", None, ""))
    apart = (command("s1", "1", ""), a_write("x", b"x\n", id="s2"), command("s3", "2", ""))
    by_others = (
        command("s1", "1", ""),
        a_write("x", b"x\n", id="s2", blocked_by=("s1",)),
        command("s3", "2", "", "s2"),
    )
    for operations in (same_task, no_task, apart, by_others):
        assert names(operations) == [[operation.id] for operation in operations]
    assert names(tuple(command(f"s{n}", str(n), "") for n in range(6))) == [["s0", "s1", "s2", "s3"], ["s4", "s5"]]


@pytest.mark.req("S2-27")
def test_where_effects_are_not_held_back_each_command_keeps_its_turn_and_sees_what_was_done_before(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path / "ws", tmp_path / "state")
    stage.workspace.mkdir()
    manager = a_run_manager(stage.workspace, stage.state)
    operations = four("cat one > two", "cat two > three")
    assert beside(operations, manager._commands) == {}
    record, results = carry_out(manager, operations)
    assert record.status is RunStatus.COMPLETED, results
    assert (stage.workspace / "four").read_text() == "one\n" * 3


def test_what_a_run_starts_together_is_known_before_it_is_approved(manager: RunManager) -> None:
    assert beside(four("", ""), manager._commands) == {"s2": ("s3",), "s3": ("s2",)}
    three = beside(tuple(command(f"s{n}", str(n), "") for n in range(3)), manager._commands)
    assert three["s1"] == ("s0", "s2")


def test_of_two_that_left_the_same_at_a_path_one_writes_it_and_otherwise_the_later_fails() -> None:
    left = PathChange(path="a", before=ABSENT, after=FileState.of(b"a\n", 0o644))
    other = PathChange(path="a", before=ABSENT, after=FileState.of(b"b\n", 0o644))
    own = PathChange(path="b", before=ABSENT, after=FileState.of(b"b\n", 0o644))
    touched = Touched()
    assert touched.take(OperationId("s1"), (left,)) == (left,)
    assert touched.take(OperationId("s2"), (left, own)) == (own,)
    with pytest.raises(OperationError) as clash:
        touched.take(OperationId("s3"), (other,))
    assert clash.value.message == "s1, which ran beside it, changed a as well."


@pytest.mark.req("S2-27", "S4-25")
def test_two_really_run_at_once_and_what_they_leave_is_committed_and_undone(
    manager: RunManager, stage: Stage, tmp_path: Path
) -> None:
    def meeting(mine: str, other: str) -> str:
        """Ends only when the other one is under way as well."""
        return f"touch {tmp_path}/{mine}; while [ ! -e {tmp_path}/{other} ]; do sleep 0.02; done; echo {mine} > {mine}"

    before = walk(stage.workspace)
    record, results = carry_out(manager, four(meeting("two", "three"), f"ls; {meeting('three', 'two')}"))
    assert record.status is RunStatus.COMPLETED, results
    assert by_name(results)["s3"].output == "one\nshared\n"
    assert (stage.workspace / "four").read_text() == "one\ntwo\nthree\n"
    UndoExecutor(manager).undo(record.run_id)
    assert walk(stage.workspace) == before


@pytest.mark.req("S2-25", "S2-27")
def test_the_failure_of_one_keeps_the_other_and_skips_what_waits_for_both(manager: RunManager, stage: Stage) -> None:
    record, results = carry_out(manager, four("exit 3", "echo three > three"), FailurePolicy.CONTINUE)
    found = by_name(results)
    assert [result.status.value for result in results] == ["completed", "failed", "completed", "skipped"]
    assert found["s2"].error == "The command ended with exit code 3."
    assert record.status is RunStatus.FAILED
    assert (stage.workspace / "three").exists()
    assert not (stage.workspace / "four").exists()


def test_the_later_of_two_that_touch_one_path_fails_and_everything_is_rolled_back(
    manager: RunManager, stage: Stage
) -> None:
    before = walk(stage.workspace)
    record, results = carry_out(manager, four("echo two > shared; echo 2 > two", "echo three > shared"))
    found = by_name(results)
    assert record.rolled_back
    assert found["s2"].status is ResultStatus.ROLLED_BACK
    assert found["s3"].status is ResultStatus.FAILED
    assert found["s3"].error is not None
    assert "s2, which ran beside it, changed shared as well. Let the task of s3 wait" in found["s3"].error
    assert walk(stage.workspace) == before


def test_folders_and_files_that_both_left_alike_are_no_conflict(manager: RunManager, stage: Stage) -> None:
    shared = "mkdir out; echo same > out/cache"
    record, results = carry_out(manager, four(f"{shared}; echo 2 > two", f"{shared}; echo 3 > three"))
    assert record.status is RunStatus.COMPLETED, results
    assert (stage.workspace / "out" / "cache").read_text() == "same\n"


def test_when_everything_goes_back_anyway_a_failure_ends_the_others(manager: RunManager, stage: Stage) -> None:
    before = walk(stage.workspace)
    record, results = carry_out(manager, four("sleep 600", "exit 1"))
    found = by_name(results)
    assert (found["s2"].status, found["s3"].status) == (ResultStatus.CANCELLED, ResultStatus.FAILED)
    assert found["s2"].error == "A command that ran beside it failed; nothing it did was kept."
    assert record.status is RunStatus.FAILED
    assert walk(stage.workspace) == before


def test_under_stop_what_is_before_the_failure_is_kept_and_what_ran_beside_it_is_not(
    manager: RunManager, stage: Stage
) -> None:
    _, results = carry_out(manager, four("exit 1", "echo three > three"), FailurePolicy.STOP)
    found = by_name(results)
    assert [found[name].status.value for name in ("s1", "s2", "s3")] == ["completed", "failed", "cancelled"]
    assert (stage.workspace / "one").exists()
    assert not (stage.workspace / "three").exists()


def test_a_person_who_stops_ends_all_of_them(manager: RunManager, stage: Stage) -> None:
    control = RunControl()
    before = walk(stage.workspace)
    manager._on_output = lambda operation, chunk: control.abort()
    record, results = carry_out(manager, four("echo go; sleep 600", "sleep 600"), control=control)
    assert record.status is RunStatus.CANCELLED
    assert {by_name(results)[name].status for name in ("s2", "s3")} == {ResultStatus.CANCELLED}
    assert walk(stage.workspace) == before


def settled(stage: Stage, how: str) -> bool:
    manager = a_capturing_desk(stage)
    recovery = Recovery(manager)
    try:
        if not recovery.interrupted():
            return False
        if how == "resume":
            recovery.resume(run_command_again=True)
        else:
            recovery.roll_back()
        assert recovery.interrupted() == ()
        return True
    finally:
        manager.workspace.close()


def run_on(stage: Stage) -> None:
    """The four commands; a refusal is told, and what counts is the tree."""
    manager = a_capturing_desk(stage)
    try:
        carry_out(manager, four("echo two > two; rm shared", "echo three > three"))
    except TandemError:
        pass
    finally:
        manager.workspace.close()


@pytest.fixture
def calls(stage: Stage, tmp_path: Path) -> list[tuple[str, str]]:
    """Every mutating call of a run of the four commands; its tree is left in `tried`."""
    a_capturing_desk(stage).workspace.close()  # so that every call is one of the run
    tried = stage.copy(tmp_path / "tried")
    found = count_calls(lambda: run_on(tried))
    assert (tried.workspace / "four").read_text() == "one\ntwo\nthree\n"
    return found


def check_killed(stage: Stage, tmp_path: Path, point: int) -> None:
    before, after = walk(stage.workspace), walk(tmp_path / "tried" / "ws")
    crashed = stage.copy(tmp_path / "crashed")
    assert killed_at(point, lambda: run_on(crashed))
    for how, expected in (("resume", after), ("roll_back", before)):
        copy = crashed.copy(tmp_path / how)
        waited = settled(copy, how)
        found = walk(copy.workspace)
        assert found == expected if waited else found in (before, after), (point, how)


def committing(calls: list[tuple[str, str]]) -> list[int]:
    """Points from the beginning of the two that run side by side to the end of the run, a few of them."""
    begun = next(number for number, (_, what) in enumerate(calls) if "-beside-" in what)
    return list(range(begun, len(calls), max(1, (len(calls) - begun) // 5)))


def test_killed_while_two_run_or_are_committed_it_is_resumed_and_rolled_back_exactly(
    stage: Stage, tmp_path: Path, calls: list[tuple[str, str]]
) -> None:
    for point in committing(calls):
        check_killed(stage, tmp_path, point)


@pytest.mark.exhaustive
def test_killed_at_any_call_it_is_resumed_and_rolled_back_exactly(
    stage: Stage, tmp_path: Path, calls: list[tuple[str, str]]
) -> None:
    for point in range(1, len(calls) + 1):
        check_killed(stage, tmp_path, point)
    print(f"{len(calls)} kill points, each resumed and rolled back: 0 wrong")


def test_a_disk_that_refuses_leaves_the_tree_as_before_or_as_approved(
    stage: Stage, tmp_path: Path, calls: list[tuple[str, str]]
) -> None:
    allowed = (walk(stage.workspace), walk(tmp_path / "tried" / "ws"))
    for point in committing(calls):
        copy = stage.copy(tmp_path / "failing")
        failing_at(point, errno.ENOSPC, lambda copy=copy: run_on(copy), lasting=False)  # type: ignore[misc]
        settled(copy, "roll_back")
        assert walk(copy.workspace) in allowed, (point, calls[point - 1])
