"""A lock file that installs code is approved only if it was opened, or skipped by its name."""

import json
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import NotApprovableError
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.review import LockFileReview
from tandem_desktop.services.engine import Engine
from tests.attacks.hidden_text import npm

TWO = ("package-lock.json", "web/package-lock.json")


def proposed(engine: Engine, *paths: str, content: str = npm().decode()) -> PlanVersion:
    steps = [{"tool": "write", "description": "w", "args": {"path": path, "content": content}} for path in paths]
    return engine.proposals.propose(json.dumps({"title": "Update", "steps": steps}).encode())


@pytest.mark.parametrize(
    ("claimed", "missing"),
    [
        (LockFileReview(), TWO),
        (LockFileReview(opened=TWO[:1]), TWO[1:]),
        (LockFileReview(skipped=(TWO[1], "yarn.lock")), TWO[:1]),
        (LockFileReview(skipped=("PACKAGE-LOCK.JSON", "web/")), TWO),
    ],
)
def test_approval_that_leaves_out_a_lock_file_is_refused_with_its_path_and_changes_nothing(
    engine: Engine, claimed: LockFileReview, missing: tuple[str, ...]
) -> None:
    version = proposed(engine, *TWO, "readme.txt")
    with pytest.raises(NotApprovableError) as refused:
        engine.decisions.approve(version.plan_id, version.approval_hash, lock_files=claimed)
    assert f"{', '.join(missing)}: installs code" in refused.value.message
    assert " ".join(f"--skip-lock {path}" for path in missing) in refused.value.next
    assert engine.plans.meta(version.plan_id).status is PlanStatus.PROPOSED
    assert not [entry for entry in engine.audit.records() if entry.kind == "approved"]


def test_approval_and_audit_keep_which_lock_files_were_opened_and_which_skipped(engine: Engine) -> None:
    version = proposed(engine, *TWO)
    claimed = LockFileReview(opened=(TWO[1], "readme.txt"), skipped=TWO)
    approval = engine.decisions.approve(version.plan_id, version.approval_hash, lock_files=claimed)
    assert approval.lock_files == LockFileReview(opened=TWO[1:], skipped=TWO[:1])
    logged = [entry for entry in engine.audit.records() if entry.kind == "approved"][-1]
    assert logged.body["lock_files"] == {"opened": [TWO[1]], "skipped": [TWO[0]]}
    engine.runs.apply(version.plan_id)
    assert engine.plans.meta(version.plan_id).status is PlanStatus.COMPLETED


def test_lock_file_that_installs_nothing_new_needs_no_word(engine: Engine) -> None:
    (Path(engine.locations.workspace) / TWO[0]).write_bytes(npm())
    changed = npm().decode().replace('"name": "app"', '"name": "other"')
    version = proposed(engine, TWO[0], content=changed)
    assert engine.decisions.approve(version.plan_id, version.approval_hash).lock_files == LockFileReview()
