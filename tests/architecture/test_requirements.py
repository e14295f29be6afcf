"""The tracing that connects promises and tests must not call anything proven that is not."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.requirements import PROMISES, RequirementsError, main, read_requirements
from tests.support.kept_promises import Keepers
from tests.support.requirements_plugin import RESULTS

ROOT = Path(__file__).resolve().parents[2]

LIST = """# Requirements

- [x] S0-01 The sun rises.
  Kept by `Sky.rise`.
- [x] S0-02 The moon follows. [!]
  Kept by `Sky.rise`, `follow`.
- [ ] S0-03 Stars come out. [fut]
"""

PRODUCT = """
class Sky:
    def rise(self): return "sun"
    def dim(self): return "dusk"

class Comet:
    def rise(self): return "comet"

def follow(): return "moon"
def unused(): return Comet().rise()
"""
ENTRY = "from tandem_desktop.sky import Sky, follow\n\ndef main(): return Sky().rise(), follow()\n"

CONFIGURATION = """[pytest]
pythonpath = .
addopts = --import-mode=importlib
markers =
    req(*ids): promises
    exhaustive: full
"""

HEAD = """
import pytest
from tandem_desktop.sky import Sky, follow

"""

ENDS_BADLY = """
@pytest.fixture
def broken():
    yield
    assert False

@pytest.mark.req("S0-02")
def test_b(broken): pass
"""

SUN = """
@pytest.mark.req("S0-01")
def test_sun(): assert Sky().rise() == "sun"

"""

PROVEN = f"""{HEAD}{SUN}
@pytest.mark.req("S0-02")
@pytest.mark.parametrize("night", range(4))
def test_moon(night): assert follow() == "moon"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A tiny project with two finished promises, a planned one, and the tests that prove the finished ones."""
    (tmp_path / "tests" / "support").mkdir(parents=True)
    (tmp_path / "tests" / "requirements.md").write_text(LIST)
    support = ("__init__", "requirements_plugin", "kept_promises", "reachability")
    for name in ("__init__.py", "requirements.py", *(f"support/{each}.py" for each in support)):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests" / name)
    (tmp_path / "tandem_desktop").mkdir()
    for name, text in (("__init__", ""), ("sky", PRODUCT), ("__main__", ENTRY)):
        (tmp_path / "tandem_desktop" / f"{name}.py").write_text(text)
    (tmp_path / "pyproject.toml").write_text('[project.scripts]\ntandem = "tandem_desktop.__main__:main"\n')
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


def test_what_was_decided_against_is_neither_proven_nor_planned_and_says_why(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declined = "- [-] S0-04 The sky falls.\n  Decided against: it is held up.\n"
    (project / "tests" / "requirements.md").write_text(LIST + declined)
    assert run_tests(project) == 0
    assert main([], root=project) == 0
    out = capsys.readouterr().out
    assert "decided against (1): S0-04" in out
    assert "planned, not proven (1): S0-03" in out
    for wrong in (declined.partition("\n")[0], declined.replace("[-]", "[ ]")):
        (project / "tests" / "requirements.md").write_text(LIST + wrong)
        assert main([], root=project) == 2
        assert "S0-04 needs the mark [-]" in capsys.readouterr().err


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
    (project / "tests" / "test_sky.py").write_text(HEAD + SUN + body + "\n")
    run_tests(project)
    assert main([], root=project) == 1
    out = capsys.readouterr().out
    assert "DONE BUT NOT PROVEN: S0-02 The moon follows." in out
    assert reason in out
    assert "1 of 2 requirements marked done are proven." in out


@pytest.mark.parametrize(
    ("subject", "complaint"),
    [
        ("unused", "no entry point of the product reaches tandem_desktop.sky:unused"),
        ("Sky.dim", "no entry point of the product reaches tandem_desktop.sky:Sky.dim"),
        ("Comet.rise", "no entry point of the product reaches tandem_desktop.sky:Comet.rise"),
        ("Star", "there is no Star in tandem_desktop"),
        ("docs/stars.md", "there is no docs/stars.md"),
    ],
)
def test_requirement_kept_by_something_that_does_not_run_gives_one(
    project: Path, capsys: pytest.CaptureFixture[str], subject: str, complaint: str
) -> None:
    """`Comet.rise` has the name of a method that is called, but no entry point makes a comet."""
    (project / PROMISES).write_text(LIST.replace("`Sky.rise`.", f"`{subject}`."))
    run_tests(project)
    assert main([], root=project) == 1
    assert f"NOT KEPT BY WHAT RUNS: S0-01: {complaint}" in capsys.readouterr().out


def test_requirement_without_a_subject_gives_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / PROMISES).write_text(LIST.replace("  Kept by `Sky.rise`.\n", ""))
    run_tests(project)
    assert main([], root=project) == 1
    assert "S0-01: nothing is named that keeps it" in capsys.readouterr().out


def test_test_that_touches_nothing_of_the_product_gives_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "tests" / "test_sky.py").write_text(PROVEN.replace('assert Sky().rise() == "sun"', "pass"))
    run_tests(project)
    assert main([], root=project) == 1
    assert "S0-01: tests/test_sky.py::test_sun touches nothing of Sky.rise" in capsys.readouterr().out


@pytest.mark.parametrize(("subject", "code"), [("S0-01", 0), ("S0-02", 1), ("S0-01 to S0-02", 1)])
def test_sum_of_other_requirements_is_proven_when_all_of_them_are(project: Path, subject: str, code: int) -> None:
    (project / PROMISES).write_text(
        f"- [x] S0-01 The sun rises.\n  Kept by `Sky.rise`.\n- [ ] S0-02 The moon follows.\n"
        f"- [x] S0-03 The sky.\n  Kept by {subject}.\n"
    )
    (project / "tests" / "test_sky.py").write_text(HEAD + SUN)
    run_tests(project)
    assert main([], root=project) == code


def test_what_no_entry_point_reaches_is_listed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--unused"], root=project) == 1
    listed = [line.split()[1] for line in capsys.readouterr().out.splitlines()[:-1]]
    assert listed == ["tandem_desktop.sky:Sky.dim", "tandem_desktop.sky:Comet", "tandem_desktop.sky:unused"]


@pytest.mark.exhaustive
def test_class_planted_in_the_product_that_nothing_uses_is_found(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tandem_desktop", tmp_path / "tandem_desktop")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "tandem_desktop" / "plans" / "store.py").open("a") as module:
        module.write("\n\nclass PlantedStore:\n    def list(self) -> PlanStore:\n        return PlanStore()\n")
    keepers = Keepers(tmp_path)
    assert keepers.complaint("PlanStore.list", ()) is None
    assert keepers.complaint("PlantedStore.list", ()) == (
        "no entry point of the product reaches tandem_desktop.plans.store:PlantedStore.list"
    )


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
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
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
        ("- [x] S0-04 A.\n  Kept by `A`", "line 2 "),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_by_number(line: str, complaint: str) -> None:
    with pytest.raises(RequirementsError, match=complaint):
        read_requirements(line)


def test_the_products_own_list_can_be_read() -> None:
    promises = read_requirements((ROOT / PROMISES).read_text(encoding="utf-8"))
    assert len(promises) > 200
    assert promises["S0-11"].done
