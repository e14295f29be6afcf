"""The tracing that connects promises and tests must not call anything proven that is not."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.requirements import RequirementsError, main, read_requirements
from tests.support.requirements_plugin import RESULTS

ROOT = Path(__file__).resolve().parents[2]

PROMISES = """# Requirements

- [x] S0-01 The sun rises.
- [x] S0-02 The moon follows. [!]
- [ ] S0-03 Stars come out. [fut]
"""

CONFIGURATION = """[pytest]
pythonpath = .
addopts = --import-mode=importlib
markers =
    req(*ids): promises
    exhaustive: full
"""

ENDS_BADLY = """
@pytest.fixture
def broken():
    yield
    assert False

@pytest.mark.req("S0-02")
def test_b(broken): pass
"""

PROVEN = """
import pytest

@pytest.mark.req("S0-01")
def test_sun(): pass

@pytest.mark.req("S0-02")
@pytest.mark.parametrize("night", range(4))
def test_moon(night): pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A tiny project with two finished promises, a planned one, and the tests that prove the finished ones."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "requirements.md").write_text(PROMISES)
    (tmp_path / "tests" / "support").mkdir(parents=True)
    for name in ("__init__.py", "support/__init__.py", "support/requirements_plugin.py", "requirements.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests" / name)
    (tmp_path / "tests" / "conftest.py").write_text('pytest_plugins = ["tests.support.requirements_plugin"]\n')
    (tmp_path / "pytest.ini").write_text(CONFIGURATION)
    (tmp_path / "tests" / "test_sky.py").write_text(PROVEN)
    return tmp_path


def run_tests(project: Path, *arguments: str) -> int:
    """Only the plug-in under test and pytest-xdist are loaded: a dozen small runs should start fast."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist.plugin", *arguments]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False).returncode


def test_everything_done_and_proven_gives_zero(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tests(project) == 0
    assert main([], root=project) == 0
    out = capsys.readouterr().out
    assert "proven (2): S0-01 S0-02" in out
    assert "planned, not proven (1): S0-03" in out


@pytest.mark.req("S1-27")
def test_every_part_of_plan_mode_is_done() -> None:
    """The four phases of its making have no boxes of their own: the promises S1 are the boxes."""
    promises = read_requirements((ROOT / "docs" / "requirements.md").read_text())
    assert [each.id for each in promises.values() if each.id.startswith("S1-") and not each.done] == []


def test_marks_arrive_from_parallel_workers_as_from_one_process(project: Path) -> None:
    assert run_tests(project) == 0
    alone = json.loads((project / RESULTS).read_text())["tests"]
    assert run_tests(project, "-n", "2") == 0
    assert json.loads((project / RESULTS).read_text())["tests"] == alone
    assert len(alone) == 5


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "no test names it"),
        ('@pytest.mark.req("S0-02")\ndef test_b(): assert False', "fails: tests/test_sky.py::test_b"),
        ('@pytest.mark.req("S0-02")\ndef test_b(): pytest.skip("cloudy")', "skipped: tests/test_sky.py::test_b"),
        ('@pytest.mark.req("S0-02")\n@pytest.mark.xfail\ndef test_b(): assert False', "skipped: "),
        (ENDS_BADLY, "fails: "),
        (
            '@pytest.mark.req("S0-02")\ndef test_a(): pass\n\n@pytest.mark.req("S0-02")\ndef test_b(): assert False',
            "fails: ",
        ),
    ],
    ids=["nobody", "failing", "skipped", "expected to fail", "failing at the end", "one of two failing"],
)
def test_a_done_promise_without_a_clean_proof_gives_one_and_says_why(
    project: Path, capsys: pytest.CaptureFixture[str], body: str, reason: str
) -> None:
    sun = 'import pytest\n\n@pytest.mark.req("S0-01")\ndef test_sun(): pass\n\n'
    (project / "tests" / "test_sky.py").write_text(sun + body + "\n")
    run_tests(project)
    assert main([], root=project) == 1
    out = capsys.readouterr().out
    assert "DONE BUT NOT PROVEN: S0-02 The moon follows." in out
    assert reason in out
    assert "1 of 2 requirements marked done are proven." in out


def test_a_test_that_names_an_unknown_id_gives_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (project / "tests" / "test_sky.py").open("a") as sky:
        sky.write('\n@pytest.mark.req("S0-99")\ndef test_comet(): pass\n')
    run_tests(project)
    assert main([], root=project) == 1
    assert "UNKNOWN ID: S0-99 is named by tests/test_sky.py::test_comet" in capsys.readouterr().out


def test_without_results_the_answer_is_to_run_the_tests_first(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], root=project) == 2
    assert "Run the tests first: ./packaging/test" in capsys.readouterr().err


def test_collecting_names_ids_without_running_or_replacing_results(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (project / "tests" / "test_sky.py").open("a") as sky:
        sky.write('\n@pytest.mark.req("S0-03")\ndef test_stars(): raise SystemExit(9)\n')
    assert main(["--collect"], root=project) == 0
    assert "named (3): S0-01 S0-02 S0-03" in capsys.readouterr().out
    assert not (project / RESULTS).exists()


def test_the_module_itself_is_the_command(project: Path) -> None:
    run_tests(project)
    ended = subprocess.run(
        [sys.executable, "-m", "tests.requirements"], cwd=project, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "2 of 2 requirements marked done are proven." in ended.stdout


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("- S0-04 No mark.", "line 1 "),
        ("- [X] S0-04 Odd mark.", "line 1 "),
        ("- [x] S0-04 A.\n- [ ] S0-04 B.", "a second time"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_by_number(line: str, complaint: str) -> None:
    with pytest.raises(RequirementsError, match=complaint):
        read_requirements(line)


def test_the_products_own_list_can_be_read() -> None:
    promises = read_requirements((ROOT / "docs" / "requirements.md").read_text(encoding="utf-8"))
    assert len(promises) > 200
    assert promises["S0-11"].done
