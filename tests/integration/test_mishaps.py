"""What must not go wrong even when several things do: links in our folder, edits at the worst moment, lost journals."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import (
    ExecutionError,
    InterruptedRunError,
    JournalError,
    OutsideWorkspaceError,
    RollbackError,
)
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import FailurePolicy, RunStatus
from tandem_desktop.execution.captured_commands import CapturedCommands
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.undo import UndoExecutor
from tandem_desktop.shadow.overlay import can_overlay
from tandem_desktop.storage import syscalls
from tests.support.builders import a_command, a_delete, a_write
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.shadows import wait_until
from tests.support.tree_walker import walk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "f.txt").write_bytes(b"old\n")
    (folder / "f.txt").chmod(0o644)
    return folder


def a_plan() -> bytes:
    step = {"description": "d", "tool": "write", "args": {"path": "new.txt", "content": "new\n"}}
    return json.dumps({"title": "t", "steps": [step]}).encode()


@pytest.mark.parametrize("linked", [".tandem", ".tandem/plans", ".tandem/runs", ".tandem/tmp"])
def test_link_in_the_place_of_tandems_own_folder_is_refused_and_nothing_behind_it_is_touched(
    root: Path, tmp_path: Path, linked: str
) -> None:
    victim = tmp_path / "victim"
    (victim / "tmp" / "photos").mkdir(parents=True)
    (victim / "tmp" / "photos" / "me.jpg").write_bytes(b"me")
    (root / linked).parent.mkdir(exist_ok=True)
    (root / linked).symlink_to(victim)
    before = walk(victim)
    with pytest.raises(OutsideWorkspaceError, match="symbolic link"):
        build_engine(root, state=tmp_path / "state").proposals.propose(a_plan())
    assert walk(victim) == before


def test_file_in_the_place_of_tandems_own_folder_is_a_sentence(root: Path, tmp_path: Path) -> None:
    (root / ".tandem").write_text("mine")
    with pytest.raises(OutsideWorkspaceError, match="not a folder"):
        build_engine(root, state=tmp_path / "state")


def test_state_inside_the_workspace_is_refused(root: Path) -> None:
    with pytest.raises(OutsideWorkspaceError, match="inside the workspace"):
        build_engine(root, state=root / ".state")


def test_open_state_folder_is_made_private(root: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o755)
    build_engine(root, state=tmp_path / "state")
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_what_is_no_bench_stays_in_the_bench_folder_and_stops_nobody(root: Path, tmp_path: Path) -> None:
    engine = build_engine(root, state=tmp_path / "state")
    version = engine.proposals.propose(a_plan())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    (root / ".tandem" / "tmp" / "mine" / "deep").mkdir(parents=True)
    assert engine.runs.apply(version.plan_id).succeeded
    assert (root / ".tandem" / "tmp" / "mine" / "deep").exists()


@pytest.mark.parametrize("how", ["resume", "roll_back"])
@pytest.mark.parametrize("kind", ["modify", "delete"])
def test_edit_caught_in_an_exchange_just_before_a_crash_is_given_back(
    root: Path, tmp_path: Path, kind: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = a_run_manager(root, tmp_path / "state")
    manager.objects.put_all([b"old\n", b"new\n"])
    operation = a_write("f.txt", b"new\n", before=b"old\n") if kind == "modify" else a_delete("f.txt", b"old\n")
    name = "exchange" if kind == "modify" else "rename_new"
    real = getattr(syscalls, name)

    def edited_then_dead(*call: object) -> None:
        (root / "f.txt").write_bytes(b"by hand\n")
        real(*call)
        raise KeyboardInterrupt

    monkeypatch.setattr(syscalls, name, edited_then_dead)
    with pytest.raises(KeyboardInterrupt):
        carry_out(manager, (operation,))
    monkeypatch.undo()
    recovery = Recovery(manager)
    with pytest.raises((ExecutionError, RollbackError), match=r"f\.txt"):
        getattr(recovery, how)()
    assert (root / "f.txt").read_bytes() == b"by hand\n"
    recovery.mark_failed()
    assert recovery.interrupted() == ()
    assert (root / "f.txt").read_bytes() == b"by hand\n"


def test_run_with_a_damaged_journal_can_be_marked_failed_and_work_goes_on(root: Path, tmp_path: Path) -> None:
    engine = build_engine(root, state=tmp_path / "state")
    version = engine.proposals.propose(a_plan())
    engine.decisions.approve(version.plan_id, version.approval_hash)

    def die(call: str, what: str) -> None:
        if what == "new.txt":
            raise KeyboardInterrupt

    with syscalls.gated(die), pytest.raises(KeyboardInterrupt):
        engine.runs.apply(version.plan_id)
    (journal,) = (tmp_path / "state" / "journal").glob("*/*.open")
    data = bytearray(journal.read_bytes())
    data[60] ^= 1
    journal.write_bytes(data)
    fresh = build_engine(root, state=tmp_path / "state")
    with pytest.raises(InterruptedRunError):
        fresh.proposals.propose(a_plan())
    with pytest.raises(JournalError, match="damaged"):
        fresh.runs.roll_back(None)
    assert fresh.runs.mark_failed(None).record.status is RunStatus.FAILED
    assert fresh.plans.meta(version.plan_id).status is PlanStatus.FAILED
    assert fresh.proposals.propose(a_plan()).revision == 1
    assert list((tmp_path / "state" / "journal").glob("*/*.damaged"))


def test_moved_workspace_keeps_its_runs_and_its_interrupted_ones(root: Path, tmp_path: Path) -> None:
    engine = build_engine(root, state=tmp_path / "state")
    before = walk(root)
    version = engine.proposals.propose(a_plan())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    run_id = engine.runs.apply(version.plan_id).record.run_id
    root.rename(root.with_name("moved"))
    moved = build_engine(root.with_name("moved"), state=tmp_path / "state")
    moved.runs.undo(run_id)
    assert walk(root.with_name("moved")) == before


@pytest.mark.parametrize("policy", [FailurePolicy.STOP, FailurePolicy.CONTINUE])
def test_effects_of_a_command_that_cannot_all_be_written_are_all_taken_back(
    root: Path, tmp_path: Path, policy: FailurePolicy
) -> None:
    if not can_overlay(root, tmp_path / "shadows"):
        pytest.skip("this system mounts no overlay for this user")
    manager = a_run_manager(root, tmp_path / "state")
    manager._commands = CapturedCommands(manager.workspace, manager.objects, tmp_path / "shadows" / "c")
    manager.objects.put_all([b"after\n"])
    edited = False

    def edit_late(call: str, what: str) -> None:
        nonlocal edited
        if call == "renameat2" and what == "a.txt" and not edited:
            edited = True
            (root / "f.txt").write_bytes(b"by hand\n")

    operations = (
        a_command("echo a > a.txt; echo b > b.txt; echo changed > f.txt", id="s1"),
        a_write("after.txt", b"after\n", id="s2"),
    )
    with syscalls.gated(edit_late):
        record, results = carry_out(manager, operations, policy)
    assert edited
    assert results[0].status.value == "failed"
    assert not (root / "a.txt").exists()
    assert (root / "f.txt").read_bytes() == b"by hand\n"
    if policy is FailurePolicy.CONTINUE:
        assert UndoExecutor(manager).undo(record.run_id).changed == ("after.txt",)
        assert sorted(p.name for p in root.iterdir()) == [".tandem", "f.txt"]


def test_command_ends_with_a_tandem_that_is_killed(root: Path, tmp_path: Path) -> None:
    marker = f"765.{os.getpid()}"
    environment = {**os.environ, "TANDEM_STATE_DIR": str(tmp_path / "state")}
    step = {"description": "d", "tool": "bash", "args": {"command": f"echo started; sleep {marker}; echo late > f.txt"}}
    (tmp_path / "plan.json").write_text(json.dumps({"title": "t", "steps": [step]}))
    tandem = [sys.executable, "-m", "tandem_desktop", "-C", str(root), "--json"]

    def call(*words: str) -> dict[str, object]:
        done = subprocess.run([*tandem, *words], capture_output=True, check=True, env=environment)
        return dict(json.loads(done.stdout))

    plan = call("propose", str(tmp_path / "plan.json"))
    call("approve", str(plan["plan_id"]), "--digest", str(plan["digest"]))
    apply = subprocess.Popen([*tandem, "apply", str(plan["plan_id"])], stdout=subprocess.PIPE, env=environment)
    wait_until(lambda: is_running(marker))
    apply.send_signal(signal.SIGKILL)
    apply.communicate()
    wait_until(lambda: not is_running(marker))
    assert (root / "f.txt").read_bytes() == b"old\n"
    refused = subprocess.run([*tandem, "recover", "--resume"], capture_output=True, check=False, env=environment)
    assert refused.returncode == 3
    assert b"--again" in refused.stdout


def is_running(marker: str) -> bool:
    return bool(subprocess.run(["pgrep", "-f", f"^sleep {marker}"], capture_output=True, check=False).stdout)
