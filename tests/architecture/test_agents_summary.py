"""A run counts the tests whose real agent is not installed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
from pathlib import Path

import pytest

from tests.support import npm_agents

npm_agents.FOLDER = Path(__file__).parent / "nothing-installed"


@pytest.mark.parametrize("name", ["opencode", "opencode", "goose"])
def test_of_a_real_agent(name):
    npm_agents.require_installed(name)


def test_that_is_skipped_for_another_reason():
    pytest.skip("no reason")
"""


def test_the_end_of_a_run_counts_the_tests_of_each_agent_that_is_not_installed(tmp_path: Path) -> None:
    (tmp_path / "test_agents.py").write_text(TESTS)
    words = ["-m", "pytest", "-q", "-p", "tests.support.agents_summary", "-p", "no:cacheprovider", "--noconftest"]
    ended = subprocess.run(
        [sys.executable, *words, "--rootdir", str(tmp_path), "--import-mode=importlib", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    lines = [line for line in ended.stdout.splitlines() if "did not run" in line]
    assert lines == [
        "1 test of real agents did not run: "
        "@aaif/goose 0.20.1 is not installed: python -m tests.support.npm_agents goose",
        "2 tests of real agents did not run: "
        "opencode-ai 1.18.33 is not installed: python -m tests.support.npm_agents opencode",
    ]
