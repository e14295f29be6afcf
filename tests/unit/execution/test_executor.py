"""What can never be done is refused before anybody approves it, with the step and the reason."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import NotApprovableError, PreflightError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, OperationKind, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.executor import refuse_impossible, refuse_out_of_scope
from tandem_desktop.services.engine import Engine
from tests.support.builders import a_chmod, a_command, a_delete, a_mkdir, a_move, a_symlink, a_version, a_write


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
