"""Commands in an overlay: effects are committed with the run, rolled back with it, and undone with it."""

import os
import signal as signals
import subprocess
from pathlib import Path

import pytest

from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, RunStatus
from tandem_desktop.execution.captured_commands import BestCommands, CapturedCommands
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.execution.undo import UndoExecutor
from tandem_desktop.shadow.overlay import can_overlay
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import a_command, a_write
from tests.support.faults import killed
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import walk

CHURN = (
    "rm -r d; mkdir d; echo y > d/y; sed -i s/a/b/ a.txt; ln -s a.txt l; "
    "chmod 700 e; mv top f; mkdir top; echo z > top/z"
)

CREATE_TWO = "test ! -e theirs && echo 1 > added && echo 2 > theirs"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    for name in ("d", "e"):
        (folder / name).mkdir(parents=True)
        (folder / name).chmod(0o755)
    (folder / "a.txt").write_bytes(b"a\n")
    (folder / "top").write_bytes(b"a file\n")
    (folder / "d" / "x").write_bytes(b"x\n")
    return folder


@pytest.fixture
def manager(root: Path, tmp_path: Path) -> RunManager:
    if not can_overlay(root, tmp_path / "shadows"):
        pytest.skip("this system mounts no overlay for this user")
    made = a_run_manager(root, tmp_path / "state")
    made.objects.put_all([b"one\n", b"two\n"])
    made._commands = CapturedCommands(made.workspace, made.objects, tmp_path / "shadows" / "command")
    return made


def test_effects_of_every_kind_reach_the_workspace_and_are_undone_exactly(manager: RunManager, root: Path) -> None:
    before = walk(root)
    record, results = carry_out(manager, (a_write("one", b"one\n", id="s1"), a_command(f"cat one; {CHURN}", id="s2")))
    assert record.status is RunStatus.COMPLETED, results
    assert results[1].output == "one\n"
    after = walk(root)
    assert after["d/y"] == ("file", 0o644, b"y\n")
    assert "d/x" not in after
    assert after["l"] == ("link", 0, b"a.txt")
    assert after["e"][1] == 0o700
    assert after["top/z"][2] == b"z\n"
    undone = UndoExecutor(manager).undo(record.run_id)
    assert walk(root) == before
    UndoExecutor(manager).redo(undone.record.run_id)
    assert walk(root) == after


def test_end_of_a_command_does_not_wait_for_what_others_write_on_the_disk(manager: RunManager) -> None:
    _, results = carry_out(manager, (a_command('grep " $PWD overlay " /proc/mounts'),))
    assert "volatile" in results[0].output


def test_failing_command_leaves_no_effect_at_all(manager: RunManager, root: Path) -> None:
    before = walk(root)
    record, _ = carry_out(manager, (a_command(f"{CHURN}; exit 1"),), FailurePolicy.STOP)
    assert record.status is RunStatus.FAILED
    assert walk(root) == before


@pytest.mark.parametrize("signal", ["TERM", "KILL", "ABRT"])
def test_command_that_ends_itself_by_a_signal_has_failed(manager: RunManager, root: Path, signal: str) -> None:
    before = walk(root)
    record, _ = carry_out(manager, (a_command(f"kill -{signal} $$; echo went on > a.txt"),))
    assert record.status is RunStatus.FAILED
    assert walk(root) == before


def test_committed_effects_are_rolled_back_when_a_later_operation_fails(manager: RunManager, root: Path) -> None:
    before = walk(root)
    record, _ = carry_out(manager, (a_command(CHURN, id="s1"), a_command("exit 1", id="s2")))
    assert record.rolled_back
    assert walk(root) == before


def test_file_changed_on_disk_while_the_command_ran_is_a_conflict(manager: RunManager, root: Path) -> None:
    seen: list[bytes] = []
    wait_for_a_second_write = "sleep 0.3"

    def edit_meanwhile(operation: str, chunk: bytes) -> None:
        seen.append(chunk)
        (root / "a.txt").write_bytes(b"by hand\n")

    manager._on_output = edit_meanwhile
    record, results = carry_out(manager, (a_command(f"echo b > a.txt; echo go; {wait_for_a_second_write}"),))
    assert seen
    assert record.status is RunStatus.FAILED
    assert (root / "a.txt").read_bytes() == b"by hand\n"
    assert "a.txt" in (results[0].error or "")


@pytest.mark.req("S0-65")
@pytest.mark.parametrize("policy", [FailurePolicy.STOP, FailurePolicy.CONTINUE])
def test_command_whose_effect_another_program_changes_after_it_was_written_fails_and_keeps_its_output(
    manager: RunManager, root: Path, policy: FailurePolicy
) -> None:
    def another_program(call: str, what: str) -> None:
        if call == "renameat2" and what == "second":
            (root / "first").write_bytes(b"by hand\n")

    operations = (
        a_command("echo 1 > first; echo 2 > second; echo done", id="s1"),
        a_write("one", b"one\n", id="s2", blocked_by=("s1",)),
        a_write("two", b"two\n", id="s3"),
    )
    with syscalls.gated(another_program):
        record, results = carry_out(manager, operations, policy)
    assert record.status is RunStatus.FAILED
    rest = "completed" if policy is FailurePolicy.CONTINUE else "pending"
    assert [result.status.value for result in results] == ["failed", "skipped", rest]
    assert (results[0].exit_code, results[0].output) == (0, "done\n")
    assert "first is not what was approved" in (results[0].error or "")
    assert (root / "first").read_bytes() == b"by hand\n"
    assert not (root / "one").exists()


def test_run_that_ends_after_effects_were_taken_back_does_not_write_them_when_it_is_resumed(
    manager: RunManager, root: Path
) -> None:
    """The journal says that nothing of the segment stands, before it says that the command failed."""

    def end_here(run_id: RunId, result: OperationResult) -> None:
        os.kill(os.getpid(), signals.SIGKILL)

    def another_program(call: str, what: str) -> None:
        if call == "renameat2" and what == "added":
            (root / "theirs").write_bytes(b"by hand\n")

    def work() -> None:
        manager._on_result = end_here
        operations = (a_command(CREATE_TWO, id="s1"), a_write("one", b"one\n", id="s2"))
        with syscalls.gated(another_program):
            carry_out(manager, operations, FailurePolicy.CONTINUE)

    assert killed(work)
    assert not (root / "added").exists()
    _, results = Recovery(manager).resume()
    assert [(result.id, result.status.value) for result in results] == [("s1", "failed"), ("s2", "completed")]
    assert not (root / "added").exists()
    assert (root / "theirs").read_bytes() == b"by hand\n"


def test_command_that_changes_more_than_the_budget_fails_with_advice(manager: RunManager, root: Path) -> None:
    manager._commands = CapturedCommands(
        manager.workspace, manager.objects, root.parent / "shadows" / "c", budget_bytes=1000
    )
    record, results = carry_out(manager, (a_command("head -c 2000 /dev/zero > big"),))
    assert record.status is RunStatus.FAILED
    assert "2,000 bytes" in (results[0].error or "")
    assert not (root / "big").exists()


def test_hanging_command_is_ended_with_its_whole_tree_at_the_time_limit(manager: RunManager) -> None:
    marker = f"987.{os.getpid()}"
    record, results = carry_out(manager, (a_command(f"sleep {marker} & setsid sleep {marker} & wait", timeout_s=1),))
    assert record.status is RunStatus.FAILED
    assert "longer than 1 s" in (results[0].error or "")
    running = subprocess.run(["pgrep", "-f", f"sleep {marker}"], capture_output=True, check=False)
    assert running.stdout == b""


def test_command_sees_the_workspace_at_its_own_path_and_nothing_of_ours(manager: RunManager, root: Path) -> None:
    record, results = carry_out(manager, (a_command("pwd; echo x > .tandem/planted; env | sort"),))
    assert record.status is RunStatus.COMPLETED
    assert (results[0].output or "").startswith(f"{root}\n")
    assert "TANDEM" not in (results[0].output or "")
    assert not (root / ".tandem" / "planted").exists()


def test_git_and_ignored_files_are_effects_like_any_other(manager: RunManager, root: Path) -> None:
    before = walk(root)
    record, results = carry_out(manager, (a_command("git init -q . && echo '*.log' > .gitignore && echo 1 > a.log"),))
    assert record.status is RunStatus.COMPLETED, results
    assert (root / ".git" / "HEAD").exists()
    assert (root / "a.log").exists()
    UndoExecutor(manager).undo(record.run_id)
    assert walk(root) == before


def test_index_that_git_status_refreshed_does_not_stand_in_the_way_of_undo(manager: RunManager, root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    before = walk(root)
    record, _ = carry_out(manager, (a_command("echo more >> a.txt; git add a.txt"),))
    (root / "a.txt").touch()
    subprocess.run(["git", "-C", str(root), "status"], check=True, capture_output=True)
    UndoExecutor(manager).undo(record.run_id)
    left = {path: node for path, node in walk(root).items() if not path.startswith(".git/objects/")}
    assert left == {path: node for path, node in before.items() if not path.startswith(".git/objects/")}


def test_path_an_overlay_cannot_name_is_run_in_place(tmp_path: Path) -> None:
    folder = tmp_path / "odd,name"
    folder.mkdir()
    with Workspace(folder) as workspace:
        assert not BestCommands(workspace, ObjectStore(tmp_path / "objects"), tmp_path / "shadows").captures


def test_rolling_back_a_run_that_was_cut_off_leaves_the_commit_a_branch_was_made_on(
    manager: RunManager, root: Path
) -> None:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "main")
    git("config", "user.name", "a")
    git("config", "user.email", "b")
    git("add", "-A")
    git("commit", "-qm", "one")
    before = git("rev-parse", "main")
    operations = (a_command("echo more >> a.txt; git commit -qam two", id="s1"), a_write("later", b"one\n", id="s2"))

    def work() -> None:
        def gate(call: str, what: str) -> None:
            if call.startswith("rename") and "later" in what:
                os.kill(os.getpid(), signals.SIGKILL)

        with syscalls.gated(gate):
            carry_out(manager, operations)

    assert killed(work)
    made = git("rev-parse", "main")
    assert made != before
    git("branch", "keep")
    Recovery(manager).roll_back()
    assert (git("rev-parse", "main"), git("rev-parse", "keep")) == (before, made)
    assert (root / "a.txt").read_bytes() == b"a\n"
    assert git("fsck", "--full") == ""
