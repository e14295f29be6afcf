"""`PLAN.md` is an operation of the plan when the setting asks for it, and never a write beside the digest."""

import json
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import DriftError
from tandem_desktop.services.engine import Engine
from tandem_desktop.settings import Settings


def an_engine(folder: Path, *, plan_md: bool = True) -> Engine:
    root = folder / "project"
    root.mkdir(exist_ok=True)
    return build_engine(root, state=folder / "state", settings=Settings(plan_md=plan_md))


def plan(*steps: tuple[str, dict[str, Any]]) -> bytes:
    listed = [{"description": "?", "tool": tool, "args": args} for tool, args in steps]
    return json.dumps({"title": "A plan", "summary": "What is to be done.", "steps": listed}).encode()


WRITE = ("write", {"path": "a.txt", "content": "a\n"})


@pytest.mark.setting("plan_md")
@pytest.mark.req("S1-06")
def test_an_approved_plan_leaves_its_text_and_an_undo_takes_it_back(memory_path: Path) -> None:
    engine = an_engine(memory_path)
    version = engine.proposals.propose(plan(WRITE))
    assert [operation.path for operation in version.operations] == ["PLAN.md", "a.txt"]
    text = engine.locations.workspace / "PLAN.md"
    engine.decisions.approve(version.plan_id, version.approval_hash)
    assert not text.exists()  # only the run writes
    run = engine.runs.apply(version.plan_id)
    assert text.read_text() == version.content
    engine.runs.undo(run.record.run_id)
    assert not text.exists()


def test_without_the_setting_there_is_no_such_operation(memory_path: Path) -> None:
    version = an_engine(memory_path, plan_md=False).proposals.propose(plan(WRITE))
    assert [operation.path for operation in version.operations] == ["a.txt"]


def test_the_file_that_is_there_is_changed_and_comes_back(memory_path: Path) -> None:
    engine = an_engine(memory_path)
    text = engine.locations.workspace / "PLAN.md"
    text.write_text("mine\n")
    text.chmod(0o600)
    version = engine.proposals.propose(plan(WRITE))
    engine.decisions.approve(version.plan_id, version.approval_hash)
    run = engine.runs.apply(version.plan_id)
    assert (text.read_text(), text.stat().st_mode & 0o777) == (version.content, 0o600)
    engine.runs.undo(run.record.run_id)
    assert text.read_text() == "mine\n"


@pytest.mark.parametrize("path", ["PLAN.md", "plan.md"])
def test_a_plan_with_a_file_of_that_name_keeps_its_own(memory_path: Path, path: str) -> None:
    version = an_engine(memory_path).proposals.propose(plan(("write", {"path": path, "content": "own\n"})))
    assert [operation.path for operation in version.operations] == [path]


def test_a_folder_of_that_name_is_left_alone_and_told(memory_path: Path) -> None:
    engine = an_engine(memory_path)
    (engine.locations.workspace / "PLAN.md").mkdir()
    version = engine.proposals.propose(plan(WRITE))
    assert [operation.path for operation in version.operations] == ["a.txt"]
    assert "PLAN.md is not a file here" in version.warnings[0]


def test_the_text_is_in_the_digest(memory_path: Path) -> None:
    engine = an_engine(memory_path)
    version = engine.proposals.propose(plan(WRITE))
    engine.decisions.approve(version.plan_id, version.approval_hash)
    assert version.operations[0].effect().after.type == "file"
    (engine.locations.workspace / "PLAN.md").write_text("somebody else's\n")
    with pytest.raises(DriftError, match=r"PLAN\.md \(created\)"):
        engine.runs.apply(version.plan_id)
