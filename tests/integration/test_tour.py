"""The tour that `./packaging/start` gives tells the truth: it succeeds on the real engine and stops at a lie."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tour(python: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([python, ROOT / "packaging" / "tour.py"], capture_output=True, text=True, check=False)


def test_window_goes_from_a_question_to_an_undone_run_where_there_is_no_display(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, ROOT / "packaging" / "window_tour.py", tmp_path]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (tmp_path / "window-9-undone.png").stat().st_size > 10_000


def a_lying_tandem(folder: Path, script: str) -> Path:
    """A Python beside a `tandem` that says everything is fine."""
    (folder / "python").symlink_to(sys.executable)
    (folder / "tandem").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "tandem").chmod(0o755)
    return folder / "python"


def test_sample_goes_through_a_whole_change_and_back() -> None:
    ended = tour(Path(sys.executable))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for call in ("propose ../plan.json", "show PLAN-", "approve PLAN-", "apply PLAN-", "undo RUN-"):
        assert f"$ tandem {call}" in ended.stdout
    assert "The project equals the beginning, byte for byte." in ended.stdout


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "`tandem propose` ended with 3"),
        (
            """echo x >> notes.txt; echo '{"plan_id": "PLAN-00000000", "digest": "d", "operations": []}'""",
            "After propose, these paths differ from the beginning: notes.txt",
        ),
        (
            """chmod 700 bin; echo '{"plan_id": "PLAN-00000000", "digest": "d", "operations": []}'""",
            "After propose, these paths differ from the beginning: bin",
        ),
    ],
    ids=["refusal", "written early", "a mode changed early"],
)
def test_tour_stops_with_the_reason_when_the_disk_says_otherwise(tmp_path: Path, script: str, reason: str) -> None:
    ended = tour(a_lying_tandem(tmp_path, script))
    assert ended.returncode == 1
    assert reason in ended.stderr


def test_tour_stops_when_undo_leaves_something_behind(tmp_path: Path) -> None:
    script = """case "$1" in
propose) echo '{"plan_id": "PLAN-0", "digest": "d", "operations": [{"kind": "modify", "path": "notes.txt"}]}';;
approve) echo '{"digest": "d", "expires_at": "tomorrow"}';;
apply) echo x >> notes.txt; echo '{"run_id": "RUN-0", "status": "completed", "results": []}';;
undo) echo '{"run_id": "RUN-1", "changed": ["notes.txt"], "merged": []}';;
esac"""
    ended = tour(a_lying_tandem(tmp_path, script))
    assert ended.returncode == 1
    assert "After undo, these paths differ from the beginning: notes.txt" in ended.stderr
