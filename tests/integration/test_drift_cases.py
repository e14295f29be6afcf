"""Two hundred plans whose files changed meanwhile: the named set is exact, apart is clean, together is a conflict."""

import json
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import RebaseConflictError
from tandem_desktop.services.engine import Engine
from tests.support.drift_cases import DriftCase, a_drift_case

CASES = 200
SAMPLE = range(24)


@pytest.mark.parametrize("seed", SAMPLE)
def test_drift_is_named_exactly_and_rebase_agrees_with_git(seed: int, memory_path: Path) -> None:
    check(a_drift_case(seed), memory_path)


@pytest.mark.exhaustive
def test_every_drift_case(memory_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = clean = conflicts = 0
    for seed in range(CASES):
        case = a_drift_case(seed)
        folder = memory_path / str(seed)
        folder.mkdir()
        check(case, folder)
        paths, clean = paths + len(case.drifted), clean + (not case.conflicts)
        conflicts += bool(case.conflicts)
    with capsys.disabled():
        print(f"\n{CASES} drift cases, {paths} drifted paths named: {clean} rebased clean as git, {conflicts} refused")
    assert (clean, conflicts) == (CASES / 2, CASES / 2)


def check(case: DriftCase, folder: Path) -> None:
    root = folder / "project"
    for path, text in case.files.items():
        put(root, path, text)
    engine = build_engine(root, state=folder / "state")
    try:
        plan_id = propose(engine, case.steps)
        for path, what, value in case.meanwhile:
            happen(root, path, what, value)
        assert {each.path: each.change.value for each in engine.drift(plan_id)} == case.drifted
        assert {each.path for each in engine.rebases.preview(plan_id).conflicts} == case.conflicts
        if case.conflicts:
            with pytest.raises(RebaseConflictError):
                engine.rebases.rebase(plan_id)
            assert engine.plans.latest_revision(plan_id) == 1
            return
        version = engine.rebases.rebase(plan_id)
        assert engine.drift(plan_id) == ()
        engine.decisions.approve(plan_id, version.approval_hash)
        assert engine.runs.apply(plan_id).succeeded
    finally:
        engine.close()
    found = {path: there(root / path) for path in case.expected(folder)}
    assert found == case.expected(folder)


def propose(engine: Engine, steps: list[dict[str, Any]]) -> Any:
    return engine.proposals.propose(json.dumps({"title": "A change", "steps": steps}).encode()).plan_id


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text.encode())


def happen(root: Path, path: str, what: str, value: Any) -> None:
    match what:
        case "write":
            put(root, path, value)
        case "delete":
            (root / path).unlink()
        case "mode":
            (root / path).chmod(value)


def there(path: Path) -> str | None:
    return path.read_bytes().decode() if path.exists() else None
