"""`tandem recipe`: a recipe becomes a plan, is approved and applied, and taken back."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, a_workspace

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.req("S0-90")
def test_a_recipe_becomes_a_plan_that_is_approved_applied_and_undone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"a.py": "def old():\n    return 'old'\n", "b.py": "from a import old\n"}
    tandem = CommandLine(a_workspace(tmp_path, files), capsys)
    plan = tandem.answer("recipe", "/rename-identifier old new")
    assert [operation["path"] for operation in plan["operations"]] == ["a.py", "b.py"]
    tandem.approve(plan["plan_id"])
    run = tandem.answer("apply", plan["plan_id"])
    root = Path(tandem.workspace)
    assert (root / "a.py").read_text() == "def new():\n    return 'old'\n"
    tandem.answer("undo", run["run_id"])
    assert {name: (root / name).read_text() for name in files} == files


def test_without_words_the_recipes_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tandem = CommandLine(a_workspace(tmp_path), capsys)
    listed = tandem.answer("recipe")["recipes"]
    assert {"replace", "apply-patch"} <= {recipe["name"] for recipe in listed}
    lines = tandem("recipe").out.splitlines()
    assert {f"    {recipe['description']}" for recipe in listed} <= set(lines)


def test_a_pattern_can_be_run_by_the_program_itself() -> None:
    job = {"pattern": "a(.)", "replacement": r"\1", "flags": 0}
    lines = "".join(f"{json.dumps(line)}\n" for line in (job, "ab ac", "none"))
    ended = subprocess.run(
        [sys.executable, "-m", "tandem_desktop", "agent", "--regex-worker"],
        cwd=ROOT,
        env={**os.environ},
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert answers == [{"ready": True}, {"text": "b c", "places": 2}, {"places": 0}]
