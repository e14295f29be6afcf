"""A workspace and a state folder that an earlier version left still open, with the same digests.

`tests/data/stored_state.tar.gz` was written by the command line of version 0.1.0 with a fixed clock: five plans
(applied, undone, rejected, approved and not applied, planned by an agent), three runs, approvals, journals, the audit
log, the record of a session, and settings. `stored_state.json` is what that version answered about them. Neither file
is ever written again: a later format gets files of its own.
"""

import json
import tarfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.cli.main import run_command_line
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.record import SessionRecord
from tandem_desktop.settings_io import load_settings
from tandem_desktop.staging.staging_store import StagingStore

DATA = Path(__file__).resolve().parents[1] / "data"
RECORDED: dict[str, Any] = json.loads((DATA / "stored_state.json").read_text())
PLANS: dict[str, dict[str, Any]] = RECORDED["plans"]
RUNS: dict[str, str] = RECORDED["runs"]
A_MINUTE_LATER = datetime(2026, 3, 14, 9, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Stored:
    """The unpacked folders, and the command line of today on them."""

    base: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def workspace(self) -> Path:
        return self.base / "counter"

    @property
    def state(self) -> Path:
        return self.base / "state"

    @property
    def settings_file(self) -> Path:
        return self.base / "config" / "settings.toml"

    def engine(self, *_: Path, **more: Any) -> Engine:
        more |= {"state": self.state, "clock": lambda: A_MINUTE_LATER}
        return build_engine(self.workspace, settings=load_settings(self.settings_file).settings, **more)

    def call(self, *words: str, code: int = 0) -> dict[str, Any]:
        self.capsys.readouterr()
        found = run_command_line(["-C", str(self.workspace), *words, "--json"], self.engine, _never, _never, _never)
        said = self.capsys.readouterr()
        assert found == code, said.out + said.err
        answer: dict[str, Any] = json.loads(said.out)
        return answer

    def tree(self) -> dict[str, Any]:
        found = (path for path in sorted(self.workspace.rglob("*")) if ".tandem" not in path.parts)
        return {path.relative_to(self.workspace).as_posix(): _entry(path) for path in found}


def _entry(path: Path) -> Any:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return [oct(path.stat().st_mode & 0o777), path.read_text() if path.is_file() else None]


def _never(*words: Any) -> Any:
    raise AssertionError("no window and no server here")


@pytest.fixture
def stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Stored:
    with tarfile.open(DATA / "stored_state.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    return Stored(tmp_path, capsys)


@pytest.fixture
def moved(stored: Stored) -> Stored:
    """The same, as if the workspace had been moved here: a moved folder keeps its inode, an unpacked one does not."""
    found = stored.workspace.stat()
    for file in (stored.state / "journal").glob("*/workspace.json"):
        identity = json.loads(file.read_text())
        file.write_text(json.dumps({**identity, "device": found.st_dev, "inode": found.st_ino}))
    return stored


def test_every_stored_plan_is_listed_with_its_status_revision_and_digest(stored: Stored) -> None:
    listed = {plan["plan_id"]: plan for plan in stored.call("list")["plans"]}
    assert len(listed) == len(PLANS)
    for plan in PLANS.values():
        found = listed[plan["plan_id"]]
        assert [found[field] for field in ("status", "revision", "digest")] == [
            plan["status"],
            plan["revision"],
            plan["digest"],
        ]


@pytest.mark.parametrize("name", PLANS)
def test_a_stored_revision_gives_the_digest_it_was_approved_by(stored: Stored, name: str) -> None:
    plan = PLANS[name]
    shown = stored.call("show", plan["plan_id"], "--diff")
    assert shown["plan"]["digest"] == plan["digest"]
    assert [operation["kind"] for operation in shown["operations"]] == plan["operations"]
    engine = stored.engine()
    versions = engine.plans.revisions(engine.plans.resolve(plan["plan_id"]))
    assert len(versions) == plan["revision"]
    assert [ApprovalHash.of(version).combined_hash for version in versions] == [v.approval_hash for v in versions]
    assert versions[-1].approval_hash == plan["digest"]


def test_stored_text_tasks_notes_and_feedback_are_read(stored: Stored) -> None:
    engine = stored.engine()
    applied = engine.plans.revision(engine.plans.resolve(PLANS["applied"]["plan_id"]))
    assert [(task.id, task.subject, task.agent, task.blocked_by) for task in applied.tasks] == [
        ("t1", "Code", "koda", ()),
        ("t2", "Check", "", ("t1",)),
    ]
    assert [note.path for note in applied.notes] == ["README.md"]
    assert applied.context == {"goal": "count lines"}
    rejected = engine.plans.meta(engine.plans.resolve(PLANS["rejected"]["plan_id"]))
    assert [rejection.feedback for rejection in rejected.rejections] == ["Spaces are no letters."]


def test_stored_runs_are_listed_as_they_were(moved: Stored) -> None:
    assert moved.call("runs")["runs"] == RECORDED["run_list"]


def test_the_stored_audit_log_verifies_record_by_record(stored: Stored) -> None:
    assert stored.call("audit", "verify") == {**RECORDED["audit"], "missing": [], "elsewhere": [], "unbegun": []}


def test_a_stored_run_is_undone_to_the_tree_before_it(moved: Stored) -> None:
    assert moved.tree() == RECORDED["tree"]
    moved.call("undo", RUNS["applied"])
    assert moved.tree() == RECORDED["tree_before"]


def test_a_stored_undo_can_be_taken_back(moved: Stored) -> None:
    moved.call("redo", RUNS["undone"])
    assert (moved.workspace / "README.md").read_text() == "# Counter\n\nCounts words and lines.\n"
    assert not (moved.workspace / "latest").is_symlink()


def test_a_stored_approval_is_refused_in_another_place_and_its_plan_can_be_approved_here(moved: Stored) -> None:
    """An approval is bound to the workspace's path, device and inode; a moved or copied workspace is another one."""
    plan = PLANS["approved"]
    refused = moved.call("apply", plan["plan_id"], code=3)
    assert refused["error"]["kind"] == "approval_missing"
    assert moved.tree() == RECORDED["tree"]
    moved.call("approve", plan["plan_id"], "--digest", plan["digest"])
    moved.call("apply", plan["plan_id"])
    assert (moved.workspace / "LICENSE").read_text() == "Do as you like.\n"
    assert not (moved.workspace / "AUTHORS").exists()


def test_the_stored_record_of_a_session_is_read(stored: Stored) -> None:
    session_id = SessionId(RECORDED["session_id"])
    record = SessionRecord(stored.state / "sessions" / session_id)
    facts = record.load()
    assert (facts.id, facts.agent) == (session_id, "built-in")
    staging = StagingStore(record.staging)
    assert [change.path for segment in staging.observations.segments for change in segment.changes] == ["README.md"]
    assert [operation.path for operation in staging.get_all()] == ["README.md"]
    assert record.transcript.read_bytes().startswith(b'{"dir": "sent"')


def test_stored_settings_are_read_without_a_warning(stored: Stored) -> None:
    loaded = load_settings(stored.settings_file)
    assert not loaded.warnings
    assert (loaded.settings.stale_after_days, loaded.settings.retention_days) == (60, 400)
