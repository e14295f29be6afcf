"""An undo that was cut off is finished or taken back exactly, and the plan of a cut-off run hears how it ended."""

import errno
import os
import tempfile
from pathlib import Path

import pytest

from tandem_desktop.app.main import main
from tandem_desktop.domain.errors import InterruptedRunError, JournalError, RollbackError, TandemError
from tandem_desktop.domain.runs import OperationResult, ResultStatus, RunRecord, RunStatus
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.execution.undo import UndoExecutor
from tests.support.builders import a_delete, a_move, a_write
from tests.support.crash_points import Scene, a_scene, crash, settle
from tests.support.faults import Stage, count_calls, failing_at, killed_at
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import leftovers, walk
from tests.support.twenty import lay_out
from tests.support.twenty_plan import twenty_plan, write_plan
from tests.support.workplace import Workplace


@pytest.fixture(scope="module")
def scene(memory_base: Path) -> Scene:
    return a_scene(Path(tempfile.mkdtemp(prefix="scene", dir=memory_base)))


def undo(stage: Stage) -> None:
    """Take back the one run of this stage."""
    manager = a_run_manager(stage.workspace, stage.state)
    try:
        UndoExecutor(manager).undo(manager.runs.list()[-1].run_id)
    finally:
        manager.workspace.close()


def check_undo_crashes(scene: Scene, memory_path: Path, every: int) -> int:
    applied = scene.stage.copy(memory_path / "applied")
    scene.run(applied)
    tried = applied.copy(memory_path / "tried")
    calls = count_calls(lambda: undo(tried))
    assert walk(tried.workspace) == scene.before
    points = range(1, len(calls) + 1, every)
    for point in points:
        crashed = applied.copy(memory_path / "crashed")
        assert killed_at(point, lambda stage=crashed: undo(stage))  # type: ignore[misc]
        for how, expected in (("resume", scene.before), ("roll_back", scene.after)):
            copy = crashed.copy(memory_path / how)
            waited = settle(copy, how)
            found = walk(copy.workspace)
            assert found == expected if waited else found in (scene.before, scene.after), (how, calls[point - 1])
            assert leftovers(copy.workspace) == []
    return len(points)


def test_undo_killed_at_any_of_its_calls_is_resumed_and_rolled_back_exactly(scene: Scene, memory_path: Path) -> None:
    assert check_undo_crashes(scene, memory_path, every=4) > 20


@pytest.mark.exhaustive
def test_undo_killed_at_every_call_is_resumed_and_rolled_back_exactly(scene: Scene, memory_path: Path) -> None:
    points = check_undo_crashes(scene, memory_path, every=1)
    print(f"{points} kill points of an undo, each resumed and rolled back: 0 wrong")


def test_resumed_undo_gives_a_deleted_file_its_attributes_back(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "ws", tmp_path / "state")
    stage.workspace.mkdir()
    path = stage.workspace / "tagged"
    path.write_bytes(b"tagged\n")
    path.chmod(0o644)
    try:
        os.setxattr(path, "user.tag", b"kept")
    except OSError:
        pytest.skip("this file system keeps no attributes, so none can be lost")
    manager = a_run_manager(stage.workspace, stage.state)
    manager.objects.put(b"tagged\n")
    carry_out(manager, (a_delete("tagged", b"tagged\n"),))
    manager.workspace.close()
    tried = stage.copy(tmp_path / "tried")
    calls = count_calls(lambda: undo(tried))
    publish = 1 + next(i for i, call in enumerate(calls) if call == ("renameat2", "tagged"))
    assert killed_at(publish, lambda: undo(stage))
    manager = a_run_manager(stage.workspace, stage.state)
    Recovery(manager).resume()
    manager.workspace.close()
    assert path.read_bytes() == b"tagged\n"
    assert os.getxattr(path, "user.tag") == b"kept"


@pytest.mark.parametrize("is_recorded", [False, True], ids=["before the segment was recorded", "after it"])
def test_rolled_back_beside_an_edit_of_others_files_have_their_attributes_back(
    tmp_path: Path, is_recorded: bool
) -> None:
    stage = Stage(tmp_path / "ws", tmp_path / "state")
    stage.workspace.mkdir()
    stage.state.mkdir()
    for name in ("deleted", "moved", "edited"):
        (stage.workspace / name).write_bytes(b"x\n")
        (stage.workspace / name).chmod(0o644)
        try:
            os.setxattr(stage.workspace / name, "user.tag", name.encode())
        except OSError:
            pytest.skip("this file system keeps no attributes, so none can be lost")
    operations = (
        a_delete("deleted", b"x\n", id="s1"),
        a_move("moved", "away", b"x\n", id="s2"),
        a_write("edited", b"y\n", before=b"x\n", id="s3"),
    )

    def apply(stage: Stage) -> None:
        manager = a_run_manager(stage.workspace, stage.state)
        manager.objects.put_all((b"x\n", b"y\n"))
        try:
            carry_out(manager, operations)
        finally:
            manager.workspace.close()

    tried = stage.copy(tmp_path / "tried")
    calls = count_calls(lambda: apply(tried))
    published = 1 + max(i for i, call in enumerate(calls) if call[0] == "renameat2" and call[1] in ("away", "edited"))
    assert killed_at(published + (5 if is_recorded else 1), lambda: apply(stage))
    (stage.workspace / "edited").write_bytes(b"mine\n")
    manager = a_run_manager(stage.workspace, stage.state)
    with pytest.raises(RollbackError, match="edited"):
        Recovery(manager).roll_back()
    manager.workspace.close()
    for name in ("deleted", "moved"):
        assert os.getxattr(stage.workspace / name, "user.tag") == name.encode()
    assert (stage.workspace / "edited").read_bytes() == b"mine\n"


@pytest.mark.req("S3-24")
def test_plan_hears_how_a_run_ended_that_was_cut_off_before_the_plan_heard_of_it(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace = Workplace(memory_path / "place")
    lay_out(workplace.workspace)
    monkeypatch.setenv("TANDEM_STATE_DIR", str(workplace.state))
    plan = workplace.propose_and_approve(write_plan(twenty_plan(), memory_path / "plan.json"))
    approved = workplace.save(memory_path / "approved")
    calls = count_calls(lambda: main(workplace.words("apply", plan)))
    begun = next(i for i, (_, what) in enumerate(calls) if what.endswith("/runs"))
    heard = next(i for i, (call, what) in enumerate(calls) if call == "rename" and f"{plan}/meta.json" in what)
    for point in range(begun + 1, heard + 2, 4):
        workplace.refill(approved)
        assert killed_at(point, lambda: main(workplace.words("apply", plan)))
        crashed = workplace.save(memory_path / "crashed")
        for way, status in (("--resume", "completed"), ("--rollback", "failed")):
            workplace.refill(crashed)
            workplace.done("recover", way)
            assert workplace.done("show", plan)["plan"]["status"] == status, (way, calls[point - 1])


def test_resume_that_fails_names_the_operation_that_failed(scene: Scene, memory_path: Path) -> None:
    first_publish = 1 + next(i for i, (call, _) in enumerate(scene.calls) if call == "renameat2")
    crashed = crash(scene, memory_path / "crashed", first_publish)
    manager = a_run_manager(crashed.workspace, crashed.state)
    settled: list[tuple[RunRecord, tuple[OperationResult, ...]]] = []
    tried = crashed.copy(memory_path / "tried")
    calls = count_calls(lambda: settle(tried, "resume"))
    swap = 1 + next(i for i, call in enumerate(calls) if call == ("renameat2", "app.py"))
    before = len(count_calls(lambda: Recovery(manager).interrupted()))
    failing_at(swap - before, errno.EIO, lambda: settled.append(Recovery(manager).resume()), lasting=False)
    manager.workspace.close()
    record, results = settled[0]
    assert record.status is RunStatus.FAILED
    assert record.rolled_back
    assert [result.id for result in results if result.status is ResultStatus.FAILED] == ["s2"]
    assert walk(crashed.workspace) == scene.before


def test_run_refused_by_the_disk_while_it_begins_says_whether_it_waits_for_recovery(
    scene: Scene, memory_path: Path
) -> None:
    publish = next(i for i, (call, _) in enumerate(scene.calls) if call == "renameat2")
    for point in range(1, publish + 1):
        stage = scene.stage.copy(memory_path / "refused")
        manager = a_run_manager(stage.workspace, stage.state)
        refusals: list[TandemError] = []
        try:
            failing_at(point, errno.EIO, lambda manager=manager: carry_out(manager, scene.operations), lasting=True)  # type: ignore[misc]
        except TandemError as refusal:
            refusals.append(refusal)
        waiting = Recovery(manager).interrupted()
        manager.workspace.close()
        assert refusals or not waiting
        assert not waiting or isinstance(refusals[0], InterruptedRunError | JournalError), scene.calls[point - 1]
        assert walk(stage.workspace) == scene.before
