"""What a run does when all goes well, when an operation fails under each policy, and when it is stopped."""

import fcntl
import os
import struct
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BusyError
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.runs import FailurePolicy, ResultStatus, RunStatus
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.execution.undo import UndoExecutor
from tandem_desktop.storage import atomic, syscalls
from tests.support.builders import a_chmod, a_command, a_delete, a_mkdir, a_move, a_symlink, a_write
from tests.support.patience import PATIENCE_S
from tests.support.run_managers import a_record, a_run_manager, carry_out
from tests.support.tree_walker import leftovers, walk


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    folder.mkdir()
    (folder / "old.txt").write_bytes(b"old\n")
    (folder / "old.txt").chmod(0o644)
    return folder


@pytest.fixture
def manager(root: Path, memory_path: Path) -> RunManager:
    made = a_run_manager(root, memory_path / "state")
    made.objects.put_all([b"one\n", b"two\n", b"old\n", b"new\n"])
    return made


def statuses(results: object) -> dict[str, str]:
    return {result.id: result.status.value for result in results}  # type: ignore[attr-defined]


@pytest.mark.req("S4-05", "S4-06", "S4-16")
def test_every_operation_done_completes_the_run(manager: RunManager, root: Path) -> None:
    record, results = carry_out(manager, (a_write("a/one.txt", b"one\n"), a_write("two.txt", b"two\n", id="s2")))
    assert record.status is RunStatus.COMPLETED
    assert statuses(results) == {"s1": "completed", "s2": "completed"}
    assert (root / "a" / "one.txt").read_bytes() == b"one\n"


@pytest.mark.req("S0-53", "S3-23")
def test_run_folder_tells_people_what_was_asked_and_what_came_of_it(manager: RunManager, root: Path) -> None:
    record, _ = carry_out(manager, (a_write("one.txt", b"one\n"),))
    folder = root / ".tandem" / "runs" / record.run_id
    assert {p.name for p in folder.iterdir()} == {"meta.json", "operations.json", "results.json", "steps.jsonl"}
    line = (folder / "steps.jsonl").read_text().strip()
    expected = '{"step": 1, "tool": "write", "op": "s1", "status": "completed", "result_summary": "completed"}'
    assert line == expected


def plan_with_a_failing_command() -> tuple[StagedOperation, ...]:
    return (
        a_write("one.txt", b"one\n", id="s1"),
        a_command("exit 3", id="s2"),
        a_write("two.txt", b"two\n", id="s3", blocked_by=("s2",)),
        a_write("new.txt", b"new\n", id="s4"),
    )


@pytest.mark.req("S4-06", "S3-26")
def test_failure_is_rolled_back_by_default(manager: RunManager, root: Path) -> None:
    before = walk(root)
    record, results = carry_out(manager, plan_with_a_failing_command())
    assert walk(root) == before
    assert record.status is RunStatus.FAILED
    assert statuses(results) == {"s1": "rolled_back", "s2": "failed", "s3": "skipped", "s4": "pending"}


@pytest.mark.req("S3-26")
def test_stop_keeps_what_is_done_and_reports_the_rest(manager: RunManager, root: Path) -> None:
    record, results = carry_out(manager, plan_with_a_failing_command(), FailurePolicy.STOP)
    assert (root / "one.txt").exists()
    assert not (root / "new.txt").exists()
    assert not record.rolled_back
    assert statuses(results) == {"s1": "completed", "s2": "failed", "s3": "skipped", "s4": "pending"}
    assert "exit code 3" in (results[1].error or "")


@pytest.mark.req("S0-24", "S4-04")
def test_continue_goes_on_with_what_does_not_depend_on_the_failure(manager: RunManager, root: Path) -> None:
    record, results = carry_out(manager, plan_with_a_failing_command(), FailurePolicy.CONTINUE)
    assert statuses(results) == {"s1": "completed", "s2": "failed", "s3": "skipped", "s4": "completed"}
    assert record.status is RunStatus.FAILED
    assert (root / "new.txt").exists()
    assert not (root / "two.txt").exists()


def test_operations_on_the_path_of_a_failed_one_are_skipped(manager: RunManager, root: Path) -> None:
    (root / "one.txt").write_bytes(b"a stranger's\n")
    operations = (
        a_write("one.txt", b"one\n", id="s1"),
        a_write("one.txt", b"two\n", before=b"one\n", id="s2"),
        a_write("deep/er/new.txt", b"new\n", id="s3"),
    )
    _, results = carry_out(manager, operations, FailurePolicy.CONTINUE)
    assert statuses(results) == {"s1": "failed", "s2": "skipped", "s3": "completed"}
    assert (root / "one.txt").read_bytes() == b"a stranger's\n"
    assert (root / "deep" / "er" / "new.txt").exists()
    assert "appeared during the run" in (results[0].error or "")


def test_folders_made_for_a_failed_operation_go_with_it(manager: RunManager, root: Path) -> None:
    operations = (
        a_write("made/for/old.txt", b"two\n", before=b"one\n", id="s1"),
        a_write("new.txt", b"new\n", id="s2"),
    )
    _, results = carry_out(manager, operations, FailurePolicy.CONTINUE)
    assert statuses(results) == {"s1": "failed", "s2": "completed"}
    assert not (root / "made").exists()


@pytest.mark.parametrize("policy", list(FailurePolicy))
def test_missing_bytes_fail_only_what_the_policy_says(manager: RunManager, root: Path, policy: FailurePolicy) -> None:
    operations = (a_write("one.txt", b"one\n", id="s1"), a_write("x", b"never stored\n", id="s2"))
    record, results = carry_out(manager, operations, policy)
    assert record.status is RunStatus.FAILED
    assert results[1].status is ResultStatus.FAILED
    assert (root / "one.txt").exists() is (policy is not FailurePolicy.ROLLBACK)
    assert leftovers(root) == []


def test_file_changed_by_someone_else_is_never_overwritten(manager: RunManager, root: Path) -> None:
    (root / "old.txt").write_bytes(b"edited meanwhile\n")
    record, results = carry_out(manager, (a_write("old.txt", b"new\n", before=b"old\n"),))
    assert record.rolled_back
    assert (root / "old.txt").read_bytes() == b"edited meanwhile\n"
    assert "changed by someone else" in (results[0].error or "")


@pytest.mark.parametrize(
    "operation",
    [
        a_delete("old.txt", b"one\n"),
        a_move("old.txt", "elsewhere.txt", b"one\n"),
        a_chmod("old.txt", 0o755, content=b"one\n"),
    ],
    ids=["delete", "move", "chmod"],
)
def test_no_kind_of_operation_touches_what_it_did_not_expect(
    manager: RunManager, root: Path, operation: StagedOperation
) -> None:
    before = walk(root)
    record, _ = carry_out(manager, (operation,))
    assert record.status is RunStatus.FAILED
    assert walk(root) == before


@pytest.mark.req("S4-04", "S4-06")
def test_stopping_between_operations_rolls_back_and_says_cancelled(manager: RunManager, root: Path) -> None:
    control = RunControl()
    control.abort()
    record, results = carry_out(manager, (a_write("one.txt", b"one\n"),), control=control)
    assert (record.status, record.rolled_back) == (RunStatus.CANCELLED, True)
    assert results[0].status is ResultStatus.CANCELLED
    assert not (root / "one.txt").exists()


def test_stopping_ends_a_running_command(manager: RunManager) -> None:
    control = RunControl()
    threading.Timer(0.2, control.abort).start()
    record, results = carry_out(manager, (a_command("sleep 60"),), control=control)
    assert record.status is RunStatus.CANCELLED
    assert results[0].status is ResultStatus.CANCELLED


def test_pause_holds_the_run_until_it_is_resumed(manager: RunManager, root: Path) -> None:
    control = RunControl()
    control.pause()
    run = threading.Thread(
        target=carry_out, args=(manager, (a_write("one.txt", b"one\n"),)), kwargs={"control": control}
    )
    run.start()
    assert not (root / "one.txt").exists()
    assert control.is_paused
    control.resume()
    run.join(timeout=PATIENCE_S)
    assert (root / "one.txt").exists()


def test_second_run_at_the_same_time_is_refused_as_busy(manager: RunManager, root: Path, memory_path: Path) -> None:
    other = a_run_manager(root, memory_path / "state")
    with manager.only_run(), pytest.raises(BusyError):
        carry_out(other, (a_write("one.txt", b"one\n"),))
    assert not (root / "one.txt").exists()


def test_run_that_was_cut_off_is_told_of_also_when_somebody_else_looks_at_that_moment(manager: RunManager) -> None:
    operations = (a_write("one.txt", b"one\n"),)
    with manager.only_run():
        manager.begin(a_record(), operations).close()
    with ThreadPoolExecutor() as others:
        with manager.only_run():
            told = others.submit(Recovery(manager).interrupted)
            wait([told], timeout=0.1)
        assert [run.total for run in told.result()] == [1]


def test_a_lock_that_is_held_for_a_moment_is_not_one_that_is_held(manager: RunManager) -> None:
    with ThreadPoolExecutor() as others:
        with manager.only_run():
            assert manager.is_busy()
            asked = others.submit(atomic.is_held, manager._lock, PATIENCE_S)
            wait([asked], timeout=0.1)
            assert not asked.done()
        assert asked.result() is False


def test_who_only_asks_whether_a_run_is_under_way_keeps_none_from_beginning(manager: RunManager, root: Path) -> None:
    carry_out(manager, (a_write("one.txt", b"one\n"),))
    with ThreadPoolExecutor() as others:
        with manager._lock.open() as asked:
            fcntl.flock(asked, fcntl.LOCK_SH)
            assert not manager.is_busy()
            ran = others.submit(carry_out, manager, (a_write("two.txt", b"two\n"),))
            wait([ran], timeout=0.1)
        assert ran.result()[0].status is RunStatus.COMPLETED


def test_owner_and_attributes_of_a_modified_file_are_kept(manager: RunManager, root: Path) -> None:
    try:
        os.setxattr(root / "old.txt", "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    carry_out(manager, (a_write("old.txt", b"new\n", before=b"old\n"),))
    assert os.getxattr(root / "old.txt", "user.note") == b"mine"


def test_deleted_file_comes_back_with_its_attributes(manager: RunManager, root: Path) -> None:
    try:
        os.setxattr(root / "old.txt", "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    record, _ = carry_out(manager, (a_delete("old.txt", b"old\n"),))
    UndoExecutor(manager).undo(record.run_id)
    assert os.getxattr(root / "old.txt", "user.note") == b"mine"


def an_access_list(*named_users: int) -> bytes:
    """Everybody reads; the users named also write."""
    entries = [(0x01, 7, -1), *((0x02, 6, user) for user in named_users), (0x04, 4, -1), (0x10, 6, -1), (0x20, 4, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


@pytest.mark.parametrize("whose", ["folder", "workspace"])
def test_a_new_file_gets_group_and_access_list_as_one_that_any_program_makes_there(tmp_path: Path, whose: str) -> None:
    root = tmp_path / "ws"
    (root / "shared").mkdir(parents=True)
    giver = root / "shared" if whose == "folder" else root
    try:
        os.setxattr(giver, "system.posix_acl_default", an_access_list(1234))
    except OSError:
        pytest.skip("this file system has no access lists")
    os.chown(giver, -1, 4321 if os.geteuid() == 0 else os.getgroups()[-1])
    giver.chmod(0o2755)
    manager = a_run_manager(root, tmp_path / "state")
    manager.objects.put_all([b"one\n"])
    _, results = carry_out(
        manager, (a_write("shared/one.txt", b"one\n"), a_write("shared/in/two.txt", b"one\n", id="s2"))
    )
    assert statuses(results) == {"s1": "completed", "s2": "completed"}
    (root / "shared" / "other.txt").touch(0o644)
    assert inherited(root / "shared" / "one.txt") == inherited(root / "shared" / "other.txt")
    (root / "shared" / "in" / "more.txt").touch(0o644)
    assert inherited(root / "shared" / "in" / "two.txt")[1] == inherited(root / "shared" / "in" / "more.txt")[1]


def inherited(path: Path) -> tuple[int, bytes]:
    name = "system.posix_acl_access"
    return path.stat().st_gid, os.getxattr(path, name) if name in os.listxattr(path) else b""


def test_a_deleted_file_comes_back_without_what_its_folder_gives_to_new_ones(manager: RunManager, root: Path) -> None:
    try:
        os.setxattr(root, "system.posix_acl_default", an_access_list(1234))
    except OSError:
        pytest.skip("this file system has no access lists")
    before = inherited(root / "old.txt")
    record, _ = carry_out(manager, (a_delete("old.txt", b"old\n"),))
    UndoExecutor(manager).undo(record.run_id)
    assert inherited(root / "old.txt") == before


def test_all_kinds_in_one_run_leave_no_bench_behind(manager: RunManager, root: Path) -> None:
    operations = (
        a_mkdir("made", id="s1"),
        a_symlink("made/link", "../old.txt", id="s2"),
        a_chmod("old.txt", 0o755, content=b"old\n", id="s3"),
        a_move("old.txt", "made/old.txt", b"old\n", mode=0o755, id="s4"),
    )
    record, results = carry_out(manager, operations)
    assert record.status is RunStatus.COMPLETED, results
    assert walk(root)["made/old.txt"] == ("file", 0o755, b"old\n")
    assert leftovers(root) == []


@pytest.mark.req("S0-89")
def test_large_operations_are_prepared_side_by_side_and_published_in_plan_order(
    manager: RunManager, root: Path
) -> None:
    contents = [b"%6d\n" % number * 10_000 for number in range(100)]
    manager.objects.put_all(contents)
    operations = tuple(a_write(f"many/{n}.txt", data, id=f"s{n}") for n, data in enumerate(contents))
    meeting = threading.Barrier(2)
    met: set[int] = set()
    published: list[str] = []

    def watch(call: str, what: str) -> None:
        if call == "renameat2":
            published.append(what)
        elif call == "openat" and what.isdigit() and threading.get_ident() not in met:
            met.add(threading.get_ident())
            meeting.wait(timeout=PATIENCE_S)

    with syscalls.gated(watch):
        record, _ = carry_out(manager, operations)
    assert record.status is RunStatus.COMPLETED
    assert published == ["many", *(f"{n}.txt" for n in range(100))]
    assert len(met) == 2
    assert [(root / "many" / f"{n}.txt").read_bytes() for n in range(100)] == contents


@pytest.mark.parametrize("times", [1, 10_000], ids=["small", "large"])
def test_one_after_image_among_many_that_cannot_be_written_fails_alone(
    manager: RunManager, root: Path, times: int
) -> None:
    contents = [b"%6d\n" % number * times for number in range(60)]
    manager.objects.put_all(contents[:50] + contents[51:])
    operations = tuple(a_write(f"many/{n}.txt", data, id=f"s{n}") for n, data in enumerate(contents))
    _, results = carry_out(manager, operations, FailurePolicy.CONTINUE)
    assert [result.id for result in results if result.status is ResultStatus.FAILED] == ["s50"]
    assert len(list((root / "many").iterdir())) == 59
    assert leftovers(root) == []
