"""`tandem gc`: says what it ended and archived, and leaves files alone."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, a_workspace, edit, write


def back_in_time(workspace: Path, plan_id: str, days: int) -> None:
    """Make a stored plan as old as it would be."""
    path = workspace / ".tandem" / "plans" / plan_id / "meta.json"
    meta = json.loads(path.read_text())
    meta["updated_at"] = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    path.write_text(json.dumps(meta))


def test_there_is_mostly_nothing_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tandem = CommandLine(a_workspace(tmp_path), capsys)
    tandem.propose(write("a", "x"))
    assert tandem.answer("gc") == {"expired": [], "archived": [], "removed": [], "objects": 0, "bytes": 0}
    assert "nothing to archive" in tandem("gc").out


@pytest.mark.req("S3-32", "S3-49")
def test_expired_and_archived_plans_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tandem = CommandLine(a_workspace(tmp_path), capsys)
    stale, old = (tandem.propose(edit("notes.txt", "two", word))["plan_id"] for word in ("2", "II"))
    tandem.answer("cancel", old)
    back_in_time(tandem.workspace, stale, 31)
    back_in_time(tandem.workspace, old, 366)
    said = tandem("gc").out
    assert "1 plan expired: no decision in time" in said
    assert stale in said
    assert "1 plan archived in .tandem/archive" in said
    assert [plan["plan_id"] for plan in tandem.answer("list")["plans"]] == [stale]
    assert tandem.answer("show", stale)["plan"]["status"] == "expired"
    assert (tandem.workspace / "notes.txt").read_text() == "one\ntwo\nthree\n"


def test_a_workspace_may_shorten_how_long_plans_wait(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tandem = CommandLine(a_workspace(tmp_path), capsys)
    plan_id = tandem.propose(write("a", "x"))["plan_id"]
    (tandem.workspace / ".tandem" / "plans.json").write_text(json.dumps({"stale_after_days": 7}))
    back_in_time(tandem.workspace, plan_id, 8)
    assert tandem.answer("gc")["expired"] == [plan_id]


def test_bytes_are_removed_in_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tandem = CommandLine(a_workspace(tmp_path), capsys)
    plan_id = tandem.propose(write("a", "four"))["plan_id"]
    tandem.answer("cancel", plan_id)
    back_in_time(tandem.workspace, plan_id, 400)
    for path in (Path(os.environ["TANDEM_STATE_DIR"]) / "objects").glob("*/*"):
        os.utime(path, (0, 0))
    found = tandem.answer("gc")
    assert (found["archived"], found["objects"], found["bytes"]) == ([plan_id], 1, 4)
