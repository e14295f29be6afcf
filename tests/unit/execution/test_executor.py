"""What cannot be done is refused before anything is written, with the step and the reason; what is run was approved."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import DriftError, NotApprovableError, PreflightError, StorageError, TandemError
from tandem_desktop.domain.events import RunStarted
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.operations import FileState, OperationKind, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.runs import FailurePolicy, ResultStatus, RunKind, RunStatus
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.execution.preflight import check_tools, preflight, refuse_impossible, refuse_out_of_scope
from tandem_desktop.services.engine import Engine
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import StatSignatures, Workspace
from tests.support.builders import (
    a_chmod,
    a_command,
    a_delete,
    a_mkdir,
    a_move,
    a_symlink,
    a_version,
    a_write,
    an_external_call,
)


class Stored:
    """Stores what these operations write."""

    def __init__(self, *operations: StagedOperation) -> None:
        self._sizes = {each.after.sha256: each.after.size for each in operations if isinstance(each.after, FileState)}

    def size(self, sha256: str) -> int | None:
        return self._sizes.get(sha256)


@pytest.fixture
def engine(memory_path: Path) -> Iterator[Engine]:
    (memory_path / "project").mkdir()
    made = build_engine(memory_path / "project", state=memory_path / "state")
    yield made
    made.close()


def proposed(engine: Engine) -> PlanVersion:
    step = {"description": "?", "tool": "write", "args": {"path": "a", "content": "x"}}
    return engine.proposals.propose(json.dumps({"title": "A", "steps": [step]}).encode())


def rewrite(engine: Engine, file: str, **fields: Any) -> None:
    path = next(engine.locations.plans.glob(f"PLAN-*/{file}"))
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_honest_operations_of_every_kind_are_possible() -> None:
    every = (
        *(a_write(), a_write("b", before=b"x", id="s2"), a_delete(id="s3"), a_move("c", "d", id="s4")),
        *(a_chmod(id="s5"), a_symlink(id="s6"), a_mkdir(id="s7"), a_command(id="s8")),
    )
    refuse_impossible(a_version(*every).operations, Stored(*every))


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (a_write("../out"), "out"),
        (a_write(".git/hooks/x"), ".git"),
        (a_write().model_copy(update={"kind": OperationKind.DELETE}), "states say otherwise"),
        (a_chmod(mode=0o644), "states say otherwise"),
        (a_write(blocked_by=(OperationId("s9"),)), "waits for s9"),
        (a_command().model_copy(update={"call": None}), "command and is none"),
    ],
)
@pytest.mark.req("S3-42")
def test_what_can_never_be_done_is_named_with_the_reason(operation: Any, reason: str) -> None:
    with pytest.raises(PreflightError, match=reason) as refusal:
        refuse_impossible((operation,), Stored(operation))
    assert refusal.value.step == "s1"


def test_bytes_that_are_gone_make_it_impossible() -> None:
    with pytest.raises(PreflightError, match="not stored here any more"):
        refuse_impossible((a_write(),), Stored())


@pytest.mark.req("S3-42")
def test_approval_refuses_an_impossible_step_and_approves_nothing(engine: Engine) -> None:
    version = proposed(engine)
    operation = version.operations[0].model_dump(mode="json")
    rewrite(engine, "r001.json", operations=[{**operation, "blocked_by": ["s9"]}])
    altered = engine.plans.revision(version.plan_id)
    with pytest.raises(NotApprovableError, match="s1 cannot be done"):
        engine.decisions.approve(version.plan_id, ApprovalHash.of(altered).combined_hash)
    assert engine.plans.meta(version.plan_id).status == "proposed"


@pytest.mark.req("S3-42")
def test_approval_refuses_a_tool_the_plan_does_not_name(engine: Engine) -> None:
    version = proposed(engine)
    rewrite(engine, "meta.json", tools_required=["read"])
    with pytest.raises(NotApprovableError, match=r"Only \[read\] are available"):
        engine.decisions.approve(version.plan_id, version.approval_hash)


@pytest.mark.req("S3-20")
def test_a_run_refuses_a_tool_that_left_the_scope_after_the_approval(engine: Engine) -> None:
    version = proposed(engine)
    engine.decisions.approve(version.plan_id, version.approval_hash)
    rewrite(engine, "meta.json", tools_required=["read", "edit"])
    with pytest.raises(PreflightError) as refusal:
        engine.runs.apply(version.plan_id)
    assert refusal.value.message == "Tool not available in plan scope. Only [read, edit] are available."
    assert not (engine.locations.workspace / "a").exists()


@pytest.mark.req("S3-21")
@pytest.mark.parametrize("tool", ["bash", "run_shell_command", ""])
def test_a_command_runs_only_where_the_shell_is_listed(tool: str) -> None:
    refuse_out_of_scope((a_command(tool=tool),), ("write", "bash"))
    with pytest.raises(PreflightError, match="plan scope"):
        refuse_out_of_scope((a_command(tool=tool),), ("write", "edit"))


def test_a_size_that_is_not_that_of_the_stored_bytes_makes_it_impossible() -> None:
    operation = a_write(content=b"abc")
    assert isinstance(operation.after, FileState)
    lying = operation.model_copy(update={"after": operation.after.model_copy(update={"size": 4})})
    with pytest.raises(PreflightError, match="4 bytes, and the bytes that are stored for it are 3"):
        refuse_impossible((lying,), Stored(operation))


AGAIN = "Take it out of the plan, or propose it again."
SEND_BACK = "Take it out of the plan, or send the plan back."


def facts(error: TandemError) -> tuple[str, str | None, str | None, str]:
    return error.message, error.step, error.path, error.next


def impossible(*operations: StagedOperation, stored: Stored | None = None) -> tuple[str, str | None, str | None, str]:
    with pytest.raises(PreflightError) as refusal:
        refuse_impossible(operations, stored or Stored(*operations))
    return facts(refusal.value)


def test_of_several_operations_the_first_impossible_one_is_named_with_its_path_and_the_next_step() -> None:
    good, lost = a_write("a", b"abc"), a_write("b", b"lost", id="s2")
    waits = a_write("c", b"abc", id="s3", blocked_by=("s9",))
    gone = "s2 cannot be done: the bytes it would write are not stored here any more."
    assert impossible(good, lost, waits, stored=Stored(good)) == (gone, "s2", "b", SEND_BACK)
    blocked = "s3 cannot be done: it waits for s9, which is not in the plan."
    assert impossible(good, waits) == (blocked, "s3", "c", SEND_BACK)
    outside = "s2 cannot be done: The path '../out' is refused: it goes up with '..'."
    assert impossible(good, a_write("../out", b"abc", id="s2")) == (outside, "s2", "../out", SEND_BACK)
    twice = (good, a_write("b", b"abc", blocked_by=("s9",)))
    assert impossible(*twice)[0] == "s1 cannot be done: another operation has the same id."
    after = a_write("c", b"abc", id="s3", blocked_by=("s1",))
    refuse_impossible((good, after), Stored(good))


def test_a_size_with_many_digits_is_told_in_groups_of_three() -> None:
    operation = a_write("big", b"x" * 1234)
    assert isinstance(operation.after, FileState)
    lying = operation.model_copy(update={"after": operation.after.model_copy(update={"size": 9999})})
    told = "its file is said to have 9,999 bytes, and the bytes that are stored for it are 1,234"
    assert impossible(lying, stored=Stored(operation)) == (f"s1 cannot be done: {told}.", "s1", "big", SEND_BACK)


def test_the_tools_of_every_operation_are_held_against_the_scope() -> None:
    scope = ("write", "edit")
    writes = (a_write("a", id="s1"), a_write("b", id="s2"), a_write("c", tool="", id="s3"))
    refuse_out_of_scope(writes, scope)
    with pytest.raises(PreflightError) as refusal:
        refuse_out_of_scope((*writes, a_delete("d", id="s4")), scope)
    told = "Tool not available in plan scope. Only [write, edit] are available."
    assert facts(refusal.value) == (told, "s4", None, "Make a new revision: it names the tools it uses.")


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    folder.mkdir()
    for name in ("old.txt", "other.txt"):
        (folder / name).write_bytes(b"old\n")
        (folder / name).chmod(0o644)
        os.utime(folder / name, ns=(1, 1))
    return folder


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    with Workspace(root) as opened:
        yield opened


@pytest.fixture
def objects(memory_path: Path) -> ObjectStore:
    (memory_path / "objects").mkdir()
    store = ObjectStore(memory_path / "objects")
    store.put_all([b"old\n", b"new\n", b"x" * 5000])
    return store


Check = Callable[..., StatSignatures]


@pytest.fixture
def check(workspace: Workspace, objects: ObjectStore) -> Check:
    return lambda *operations: preflight(operations, workspace, objects)


def refused(check: Check, *operations: StagedOperation) -> tuple[str, str | None, str | None, str]:
    with pytest.raises(PreflightError) as refusal:
        check(*operations)
    return facts(refusal.value)


CHANGE = a_write("old.txt", b"new\n", before=b"old\n")


def test_a_run_is_refused_in_a_folder_that_took_the_place_of_the_workspace(check: Check, root: Path) -> None:
    root.rename(root.with_name("elsewhere"))
    root.mkdir()
    with pytest.raises(StorageError, match="not the folder it was"):
        check(a_write("new.txt", b"new\n"))


def test_a_run_is_refused_where_an_operation_is_not_what_it_says(check: Check) -> None:
    outside = "s2 cannot be done: The path '../out' is refused: it goes up with '..'. Nothing was written."
    assert refused(check, CHANGE, a_write("../out", b"new\n", id="s2")) == (outside, "s2", None, AGAIN)
    twice = "s1 cannot be done: another operation has the same id. Nothing was written."
    assert refused(check, CHANGE, CHANGE) == (twice, "s1", None, AGAIN)


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_a_command_needs_one_shell_and_is_refused_without_any(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setenv("PATH", str(memory_path))
    check_tools((a_write(), an_external_call("gmail_send")))
    with pytest.raises(PreflightError) as refusal:
        check_tools((a_write(), a_command(id="s2")))
    told = "s2 runs a command, and there is no shell on this machine's PATH."
    assert facts(refusal.value) == (told, "s2", None, "Install bash, or take the command out of the plan.")
    (memory_path / shell).write_text("#!")
    (memory_path / shell).chmod(0o755)
    check_tools((a_command(),))


def test_a_run_without_a_shell_on_the_path_is_refused(
    check: Check, memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(memory_path))
    assert "there is no shell" in refused(check, a_command())[0]


@pytest.mark.parametrize(("changed", "more"), [(1, ""), (5, ""), (6, " and 1 more"), (8, " and 3 more")])
def test_changed_files_are_named_up_to_five_and_the_others_counted(
    check: Check, root: Path, changed: int, more: str
) -> None:
    names = [f"n{number}" for number in range(changed)]
    for name in names:
        (root / name).write_bytes(b"theirs\n")
    with pytest.raises(DriftError) as refusal:
        check(CHANGE, *(a_write(name, b"new\n", id=f"w{name}") for name in names))
    named = ", ".join(f"{name} (created)" for name in names[:5])
    told = f"Changed on disk since the plan was made: {named}{more}. Nothing was written."
    assert facts(refusal.value) == (
        told,
        None,
        "n0",
        "See each with tandem drift, then carry the plan over with tandem rebase.",
    )


def test_files_that_were_just_found_as_approved_are_known_again_without_reading_them(check: Check, root: Path) -> None:
    again = a_write("old.txt", b"x" * 5000, before=b"new\n", id="s2")
    moved = a_move("other.txt", "moved.txt", b"old\n", id="s3")
    written_there = a_write("moved.txt", b"new\n", before=b"old\n", id="s4")
    assert set(check(CHANGE, again, moved, written_there)) == {"old.txt", "other.txt"}
    (root / "empty").mkdir(mode=0o755)
    assert set(check(CHANGE, a_chmod("empty", 0o700).model_copy(update=folder_modes(0o755, 0o700)))) == set()


def folder_modes(before: int, after: int) -> dict[str, Any]:
    return {
        "id": OperationId("s2"),
        "base": a_mkdir(mode=before).after,
        "after": a_mkdir(mode=after).after,
    }


def test_a_file_that_appeared_in_a_folder_the_plan_deletes_is_drift(check: Check, root: Path) -> None:
    (root / "empty").mkdir(mode=0o755)
    delete = a_delete("empty", base=a_mkdir(mode=0o755).after)
    check(delete)
    (root / "empty" / "theirs").write_bytes(b"theirs\n")
    assert refused(check, delete)[2] == "empty/theirs"


def test_a_path_that_the_plan_moves_to_must_be_free(check: Check) -> None:
    with pytest.raises(DriftError, match=r"other\.txt \(created\)"):
        check(a_move("old.txt", "other.txt", b"old\n"))


def test_bytes_that_are_missing_or_of_another_size_are_told_with_the_step_that_needs_them(check: Check) -> None:
    before = (a_command("true", id="s1"), a_move("old.txt", "moved.txt", b"old\n", id="s2"), a_mkdir("made", id="s3"))
    message, step, path, following = refused(check, *before, a_write("a.txt", b"lost\n", id="s4"))
    assert "missing" in message
    assert (step, path) == ("s4", "a.txt")
    assert following
    written = a_write("a.txt", b"x" * 5000, id="s4")
    assert isinstance(written.after, FileState)
    lying = written.model_copy(update={"after": written.after.model_copy(update={"size": 6000})})
    told = "its file is said to have 6,000 bytes, and the bytes that are stored for it are 5,000"
    assert refused(check, *before, lying) == (
        f"s4 cannot be done: {told}. Nothing was written.",
        "s4",
        "a.txt",
        AGAIN,
    )


def a_disk(monkeypatch: pytest.MonkeyPatch, free: int, flags: int = 0) -> None:
    """The kernel says of the disk of any folder that it has `free` bytes in blocks of one byte."""
    real = os.fstatvfs

    def told(fd: int) -> os.statvfs_result:
        real(fd)
        return os.statvfs_result((4096, 1, 10**9, 10**9, free, 1, 1, 1, flags, 255))

    monkeypatch.setattr(os, "fstatvfs", told)


def test_a_run_needs_room_for_what_it_writes_and_a_spare_megabyte(
    check: Check, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = (a_write("a", b"x" * 5000), a_write("b", b"x" * 5000, id="s2"), a_delete("old.txt", b"old\n", id="s3"))
    a_disk(monkeypatch, 10_000 + 1024 * 1024)
    check(*writes)
    a_disk(monkeypatch, 10_000 + 1024 * 1024 - 1)
    told = f"The disk of {root} has 1.0 MB free; the plan needs 1.1 MB."
    assert refused(check, *writes) == (told, None, str(root), "Make room, then apply again.")


def test_a_run_is_refused_where_nothing_can_be_written(
    check: Check, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = (f"The workspace {root} is read-only.", None, str(root), "Make it writable, then apply again.")
    with monkeypatch.context() as mounted:
        a_disk(mounted, 10**9, os.ST_RDONLY)
        assert refused(check, CHANGE) == told
    with monkeypatch.context() as owned:
        owned.setattr(os, "access", lambda path, mode: path == root and mode != os.W_OK)
        assert refused(check, CHANGE) == told
    check(CHANGE)


def approved(engine: Engine, *steps: dict[str, Any]) -> PlanVersion:
    version = engine.proposals.propose(json.dumps({"title": "A", "steps": list(steps)}).encode())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    return version


def step(path: str, content: str = "x") -> dict[str, Any]:
    return {"description": "?", "tool": "write", "args": {"path": path, "content": content}}


@pytest.mark.parametrize("policy", list(FailurePolicy))
def test_the_record_of_a_run_names_what_was_approved_and_how_it_is_run(engine: Engine, policy: FailurePolicy) -> None:
    version = approved(engine, step("a"))
    begun: list[RunId] = []
    engine.events.subscribe(lambda event: begun.append(event.run_id) if isinstance(event, RunStarted) else None)
    run = engine.runs.apply(version.plan_id, policy=policy)
    record = run.record
    assert run.succeeded
    assert [result.status for result in run.results] == [ResultStatus.COMPLETED]
    assert begun == [record.run_id]
    assert (record.kind, record.plan_id, record.revision) == (RunKind.APPLY, version.plan_id, 1)
    assert (record.digest, record.on_failure) == (version.approval_hash, policy)
    assert record.status is RunStatus.COMPLETED
    assert record.started_at < (record.ended_at or record.started_at)
    assert record.meanwhile == ()


def test_a_run_that_fails_does_not_succeed(engine: Engine) -> None:
    version = approved(engine, {"description": "?", "tool": "bash", "args": {"command": "exit 3"}})
    assert not engine.runs.apply(version.plan_id).succeeded


def test_what_others_change_beside_a_run_is_told_in_its_record(engine: Engine) -> None:
    version = approved(engine, step("a"), step("deep/b"))
    root = engine.locations.workspace

    def meanwhile(call: str, what: str) -> None:
        if call == "renameat2" and what == "b":
            (root / "theirs.txt").write_bytes(b"theirs\n")

    with syscalls.gated(meanwhile):
        record = engine.runs.apply(version.plan_id).record
    assert [(each.path, each.change) for each in record.meanwhile] == [("theirs.txt", "created")]


def test_a_run_that_was_stopped_before_its_first_step_is_cancelled(engine: Engine) -> None:
    version = approved(engine, step("a"))
    control = RunControl()
    control.abort()
    assert engine.runs.apply(version.plan_id, control=control).record.status is RunStatus.CANCELLED
    assert not (engine.locations.workspace / "a").exists()


def test_an_approval_outlives_a_refusal_and_is_spent_by_the_run_it_names(engine: Engine) -> None:
    version = approved(engine, step("a"))
    (engine.locations.workspace / "a").write_bytes(b"theirs\n")
    with pytest.raises(DriftError):
        engine.runs.apply(version.plan_id)
    (engine.locations.workspace / "a").unlink()
    run_id = engine.runs.apply(version.plan_id).record.run_id
    marks = [mark.read_bytes() for mark in engine.locations.approvals.rglob("*") if mark.is_file()]
    assert f"{run_id}\n".encode() in marks
