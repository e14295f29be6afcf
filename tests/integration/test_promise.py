"""The promise, end to end: what was approved is what is applied, once, here, and it can be taken back."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import (
    ApprovalDriftError,
    ApprovalError,
    ApprovalMissingError,
    BusyError,
    DriftError,
    InterruptedRunError,
    InvalidTransitionError,
    PreflightError,
    StepRefusedError,
    TandemError,
)
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import FailurePolicy, RunStatus
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.review.choices import Drop
from tandem_desktop.services.engine import Engine
from tandem_desktop.storage import syscalls
from tests.support.tree_walker import walk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("".join(f"line {n}\n" for n in range(30)))
    (folder / "README.md").write_text("# Sample\n")
    return folder


@pytest.fixture
def engine(root: Path, tmp_path: Path) -> Engine:
    return build_engine(root, state=tmp_path / "state")


def a_plan(*steps: dict[str, object], title: str = "Greet") -> bytes:
    return json.dumps({"title": title, "steps": [{"description": "d", **step} for step in steps]}).encode()


WRITE = {"tool": "write", "args": {"path": "src/hello.py", "content": "print('hello')\n"}}
EDIT = {"tool": "edit", "args": {"path": "src/app.py", "old_string": "line 3\n", "new_string": "line three\n"}}


def approved(engine: Engine, *steps: dict[str, object]) -> PlanVersion:
    version = engine.proposals.propose(a_plan(*steps))
    engine.decisions.approve(version.plan_id, version.approval_hash)
    return version


@pytest.mark.req("S0-65", "S3-30", "S3-44")
def test_approved_plan_is_applied_exactly_and_taken_back_exactly(engine: Engine, root: Path) -> None:
    before = walk(root)
    version = approved(engine, WRITE, EDIT)
    assert walk(root) == before
    result = engine.runs.apply(version.plan_id)
    assert result.record.status is RunStatus.COMPLETED
    assert (root / "src/hello.py").read_text() == "print('hello')\n"
    assert "line three\n" in (root / "src/app.py").read_text()
    assert engine.plans.meta(version.plan_id).status is PlanStatus.COMPLETED
    engine.runs.undo(result.record.run_id)
    assert walk(root) == before
    engine.runs.redo(result.record.run_id)
    assert "line three\n" in (root / "src/app.py").read_text()
    assert engine.audit.verify().ok


def test_approval_is_used_only_once(engine: Engine, root: Path) -> None:
    version = approved(engine, WRITE)
    result = engine.runs.apply(version.plan_id)
    engine.runs.undo(result.record.run_id)
    before = walk(root)
    with pytest.raises(ApprovalMissingError):
        engine.runs.apply(version.plan_id)
    assert walk(root) == before


@pytest.mark.req("S0-61")
def test_plan_nobody_approved_is_refused_even_when_its_record_says_approved(engine: Engine, root: Path) -> None:
    version = engine.proposals.propose(a_plan(WRITE))
    meta = root / ".tandem" / "plans" / version.plan_id / "meta.json"
    meta.write_text(meta.read_text().replace('"proposed"', '"approved"'))
    with pytest.raises(ApprovalMissingError, match="No approval found for this plan revision"):
        engine.runs.apply(version.plan_id)
    assert not (root / "src/hello.py").exists()


def test_newer_revision_kills_the_approval_even_when_its_file_is_deleted_again(engine: Engine, root: Path) -> None:
    version = approved(engine, WRITE, EDIT)
    engine.proposals.drop(version.plan_id, [Drop.parse("s2")])
    with pytest.raises(TandemError):
        engine.runs.apply(version.plan_id)
    folder = root / ".tandem" / "plans" / version.plan_id
    for name in ("r002.json", "r002.md"):
        (folder / name).unlink()
    meta = json.loads((folder / "meta.json").read_text())
    meta |= {"revision": 1, "digest": version.approval_hash, "status": "approved"}
    (folder / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(ApprovalError):
        build_engine(root, state=engine.locations.state).runs.apply(version.plan_id)
    assert not (root / "src/hello.py").exists()


def test_approval_is_not_valid_in_a_copy_of_the_workspace(engine: Engine, root: Path) -> None:
    version = approved(engine, WRITE)
    copy = root.with_name("copy")
    shutil.copytree(root, copy)
    with pytest.raises(ApprovalMissingError):
        build_engine(copy, state=engine.locations.state).runs.apply(version.plan_id)
    assert not (copy / "src/hello.py").exists()


@pytest.mark.req("S0-63")
def test_operation_changed_on_disk_after_approval_is_refused(engine: Engine, root: Path) -> None:
    version = approved(engine, WRITE)
    record = root / ".tandem" / "plans" / version.plan_id / "r001.json"
    record.write_text(record.read_text().replace("src/hello.py", "src/other.py"))
    with pytest.raises(ApprovalDriftError, match="Operations have changed since approval"):
        build_engine(root, state=engine.locations.state).runs.apply(version.plan_id)
    assert not (root / "src/other.py").exists()


@pytest.mark.req("S0-62")
def test_plan_text_changed_on_disk_after_approval_is_refused(engine: Engine, root: Path) -> None:
    version = approved(engine, WRITE)
    record = root / ".tandem" / "plans" / version.plan_id / "r001.json"
    record.write_text(record.read_text().replace("# Greet", "# Groot"))
    with pytest.raises(ApprovalDriftError, match="Plan content has changed since approval"):
        build_engine(root, state=engine.locations.state).runs.apply(version.plan_id)


def test_agents_words_may_change_freely_after_approval(engine: Engine, root: Path) -> None:
    version = approved(engine, WRITE)
    record = root / ".tandem" / "plans" / version.plan_id / "r001.json"
    record.write_text(record.read_text().replace('"description":"d"', '"description":"something else"'))
    fresh = build_engine(root, state=engine.locations.state)
    assert fresh.runs.apply(version.plan_id).succeeded


def test_stored_bytes_changed_after_approval_are_refused_before_anything_is_written(engine: Engine, root: Path) -> None:
    version = approved(engine, EDIT, WRITE)
    before = walk(root)
    sha = version.operations[1].after.sha256  # type: ignore[union-attr]
    (engine.locations.objects / sha[:2] / sha[2:]).write_text("print('evil')\n")
    with pytest.raises(PreflightError, match="altered"):
        build_engine(root, state=engine.locations.state).runs.apply(version.plan_id)
    assert walk(root) == before


@pytest.mark.req("S3-19")
def test_file_changed_since_the_plan_was_made_stops_the_run_and_is_named(engine: Engine, root: Path) -> None:
    version = approved(engine, WRITE, EDIT)
    (root / "src/app.py").write_text("mine\n")
    with pytest.raises(DriftError, match=r"src/app\.py \(modified\)"):
        engine.runs.apply(version.plan_id)
    assert not (root / "src/hello.py").exists()
    assert (root / "src/app.py").read_text() == "mine\n"


@pytest.mark.req("S3-19", "S3-46")
def test_command_without_a_shell_is_refused_before_anything_is_written(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = approved(engine, WRITE, {"tool": "bash", "args": {"command": "true"}})
    monkeypatch.setenv("PATH", str(root))
    with pytest.raises(PreflightError, match="no shell"):
        engine.runs.apply(version.plan_id)
    assert not (root / "src/hello.py").exists()


@pytest.mark.req("S3-46")
def test_plan_changed_while_it_runs_changes_nothing_of_the_run(root: Path, tmp_path: Path) -> None:
    refused: list[TandemError] = []

    def meddle(operation: str, chunk: bytes) -> None:
        record = next((root / ".tandem" / "plans").glob("PLAN-*/r001.json"))
        record.write_text(record.read_text().replace("hello", "howdy"))
        try:
            engine.proposals.restore(PlanId(record.parent.name), 1)
        except TandemError as error:
            refused.append(error)

    engine = build_engine(root, state=tmp_path / "state", on_output=meddle)
    version = approved(engine, {"tool": "bash", "args": {"command": "echo started"}}, WRITE)
    assert engine.runs.apply(version.plan_id).succeeded
    assert (root / "src/hello.py").read_text() == "print('hello')\n"
    assert refused


@pytest.mark.req("S3-46")
def test_tool_that_is_gone_when_its_step_comes_fails_the_step_and_skips_what_waits_for_it(
    engine: Engine, root: Path
) -> None:
    tool = root / "tool"
    tool.write_text("#!/bin/sh\necho made > made\n")
    tool.chmod(0o755)
    steps = (
        {"id": "a", "tool": "bash", "args": {"command": "rm tool"}},
        {"id": "b", "tool": "bash", "args": {"command": "./tool"}},
        {"id": "c", "tool": "write", "args": {"path": "after", "content": "x"}, "blocked_by": ["b"]},
    )
    version = approved(engine, *steps)
    result = engine.runs.apply(version.plan_id, FailurePolicy.STOP)
    assert [(each.id, each.status.value) for each in result.results] == [
        ("a", "completed"),
        ("b", "failed"),
        ("c", "skipped"),
    ]
    assert "127" in (result.results[1].error or "")
    assert not (root / "after").exists()


@pytest.mark.req("S3-27")
def test_plans_run_at_once_in_two_workspaces_and_one_after_the_other_in_one(root: Path, tmp_path: Path) -> None:
    other_root = tmp_path / "other"
    other_root.mkdir()
    other = build_engine(other_root, state=tmp_path / "state")
    outcomes: list[object] = []

    def meanwhile(operation: str, chunk: bytes) -> None:
        elsewhere = approved(other, WRITE)
        outcomes.append(other.runs.apply(elsewhere.plan_id).succeeded)
        try:
            build_engine(root, state=tmp_path / "state").runs.apply(second.plan_id)
        except BusyError as error:
            outcomes.append(error)

    engine = build_engine(root, state=tmp_path / "state", on_output=meanwhile)
    first = approved(engine, {"tool": "bash", "args": {"command": "echo started"}})
    second = approved(engine, WRITE)
    assert engine.runs.apply(first.plan_id).succeeded
    assert outcomes[0] is True
    assert isinstance(outcomes[1], BusyError)
    assert engine.runs.apply(second.plan_id).succeeded


def test_stopped_run_is_rolled_back_and_the_plan_cancelled(root: Path, tmp_path: Path) -> None:
    control = RunControl()
    engine = build_engine(root, state=tmp_path / "state", on_output=lambda operation, chunk: control.abort())
    before = walk(root)
    version = approved(engine, WRITE, {"tool": "bash", "args": {"command": "echo started; sleep 30"}})
    result = engine.runs.apply(version.plan_id, control=control)
    assert (result.record.status, result.record.rolled_back) == (RunStatus.CANCELLED, True)
    assert walk(root) == before
    assert engine.plans.meta(version.plan_id).status is PlanStatus.CANCELLED


@pytest.mark.req("S0-50", "S0-86")
def test_dropped_hunk_is_not_applied_and_an_earlier_revision_can_be_restored(engine: Engine, root: Path) -> None:
    far = {"tool": "edit", "args": {"path": "src/app.py", "old_string": "line 25\n", "new_string": "LINE 25\n"}}
    patch = engine.proposals.propose(a_plan(EDIT))
    both = engine.proposals.propose(a_plan({**EDIT}, far))
    assert patch.plan_id != both.plan_id
    dropped = engine.proposals.drop(both.plan_id, [Drop.parse("s2:1")])
    assert [operation.id for operation in dropped.operations] == ["s1"]
    restored = engine.proposals.restore(both.plan_id, 1)
    assert [operation.effect() for operation in restored.operations] == [o.effect() for o in both.operations]
    assert restored.revision == 3
    engine.decisions.approve(both.plan_id, restored.approval_hash)
    assert engine.runs.apply(both.plan_id).succeeded
    assert "LINE 25\n" in (root / "src/app.py").read_text()


def test_dropping_what_another_operation_builds_on_is_refused_with_the_reason(engine: Engine) -> None:
    version = engine.proposals.propose(
        a_plan(WRITE, {"tool": "edit", "args": {"path": "src/hello.py", "old_string": "hello", "new_string": "hi"}})
    )
    with pytest.raises(StepRefusedError, match="s2 no longer applies"):
        engine.proposals.drop(version.plan_id, [Drop.parse("s1")])
    assert engine.plans.latest_revision(version.plan_id) == 1


@pytest.mark.req("S3-30")
def test_cancelled_plan_cannot_be_approved(engine: Engine) -> None:
    version = engine.proposals.propose(a_plan(WRITE))
    engine.decisions.cancel(version.plan_id)
    with pytest.raises(InvalidTransitionError):
        engine.decisions.approve(version.plan_id, version.approval_hash)


@pytest.mark.req("S0-69")
def test_tasks_stand_where_the_results_of_their_operations_put_them(engine: Engine) -> None:
    tasks = [{"id": "code", "subject": "Code"}, {"id": "check", "subject": "Check", "blocked_by": ["code"]}]
    failing = {"tool": "bash", "args": {"command": "exit 1"}, "task": "check"}
    steps = [{"description": "d", **WRITE, "task": "code"}, {"description": "d", **failing}]
    raw = json.dumps({"title": "t", "tasks": tasks, "steps": steps}).encode()
    version = engine.proposals.propose(raw)
    assert [task.status.value for task in engine.tasks(version)] == ["pending", "pending"]
    engine.decisions.approve(version.plan_id, version.approval_hash)
    engine.runs.apply(version.plan_id, FailurePolicy.STOP)
    assert [task.status.value for task in engine.tasks(version)] == ["completed", "failed"]


@pytest.mark.req("S3-24", "S3-25", "S3-40")
def test_plan_whose_run_was_cut_off_long_ago_is_stalled_until_it_is_settled(root: Path, tmp_path: Path) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    engine = build_engine(root, state=tmp_path / "state", clock=lambda: moment)
    before = walk(root)
    version = approved(engine, WRITE, EDIT)
    calls = 0

    def gate(call: str, what: str) -> None:
        nonlocal calls
        calls += what == "app.py"
        if calls:
            raise KeyboardInterrupt

    with syscalls.gated(gate), pytest.raises(KeyboardInterrupt):
        engine.runs.apply(version.plan_id)
    later = build_engine(root, state=tmp_path / "state", clock=lambda: moment + timedelta(minutes=31))
    (waiting,) = later.runs.interrupted()
    assert (waiting.plan_id, waiting.total) == (version.plan_id, 2)
    assert later.plans.meta(version.plan_id).status is PlanStatus.STALLED
    with pytest.raises(InterruptedRunError):
        later.proposals.propose(a_plan(WRITE))
    later.runs.roll_back(None)
    assert walk(root) == before
    assert later.plans.meta(version.plan_id).status is PlanStatus.FAILED
