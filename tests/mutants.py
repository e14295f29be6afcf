"""How much the tests notice in the modules that keep the promise: `python -m tests.mutants [--coverage] [SUBJECT …]`.

For each subject its tests run once for branch coverage, then mutmut changes one thing at a time in a copy of the
project and runs the tests that reach it. A change that no test notices is named; `mutmut show NAME` in the folder said
with it prints it. This takes from minutes to an hour; `--coverage` alone takes a minute.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("tandem_desktop", "tests", "resources", "docs", "README.md", "CHANGELOG.md", "pyproject.toml")
LEAST_SCORE = 90.0
_SURVIVED, _NO_TESTS = 0, (33, 34)
_ARGUMENTS = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis", "-m", "not exhaustive"]


@dataclass(frozen=True, slots=True)
class Subject:
    """Modules, and the tests that hold them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def paths(self) -> list[str]:
        return [f"tandem_desktop/{module}.py" for module in self.modules]


_RUNS = ("tests/unit/execution", "tests/integration/test_lifecycle.py", "tests/integration/test_crashes.py")
SUBJECTS = {
    "digest": Subject(
        ("domain/approval",), ("tests/unit/domain/test_approval.py", "tests/unit/domain/test_workspace_identity.py")
    ),
    "enforcer": Subject(("approval/enforcer",), ("tests/unit/approval/test_enforcer.py",)),
    "journal": Subject(("execution/journal",), (*_RUNS, "tests/integration/test_mishaps.py")),
    "executor": Subject(("execution/executor",), _RUNS),
    "verification": Subject(("execution/run",), _RUNS),
    "paths": Subject(("domain/paths",), ("tests/unit/domain/test_paths.py",)),
    "permissions": Subject(
        ("policy/rules",), ("tests/unit/policy/test_rules.py", "tests/unit/sessions/test_interceptor.py")
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Coverage and mutation score.")
    parser.add_argument("--coverage", action="store_true", help="the branch coverage alone")
    parser.add_argument("names", nargs="*", metavar="SUBJECT", help=f"one of: {', '.join(SUBJECTS)}")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(SUBJECTS)):
        parser.error(f"unknown: {', '.join(unknown)}")
    names = options.names or list(SUBJECTS)
    print(f"{'subject':<14}{'branches covered':>18}{'mutants':>9}{'noticed':>9}{'score':>8}", flush=True)
    is_enough = True
    for name in names:
        subject = SUBJECTS[name]
        covered = _branch_coverage(subject)
        if options.coverage:
            print(f"{name:<14}{covered:>17.1f}%", flush=True)
            is_enough &= covered == 100.0
            continue
        folder = Path(tempfile.mkdtemp(prefix=f"mutants-{name}-"))
        counts, survivors = _mutated(subject, folder)
        score = 100.0 * counts["noticed"] / counts.total()
        print(f"{name:<14}{covered:>17.1f}%{counts.total():>9}{counts['noticed']:>9}{score:>7.1f}%", flush=True)
        for survivor in survivors:
            print(f"  not noticed: {survivor}")
        print(f"  in {folder}", flush=True)
        is_enough &= covered == 100.0 and score >= LEAST_SCORE
    return 0 if is_enough else 1


def _branch_coverage(subject: Subject) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "COVERAGE_FILE": f"{scratch}/data"}
        sources = [f"--include={','.join(subject.paths)}"]
        run = [
            sys.executable,
            "-m",
            "coverage",
            "run",
            "--branch",
            *sources,
            "-m",
            "pytest",
            *_ARGUMENTS,
            *subject.tests,
        ]
        _checked(run, ROOT, environment)
        report = f"{scratch}/report.json"
        _checked([sys.executable, "-m", "coverage", "json", "-q", "-o", report], ROOT, environment)
        found = json.loads(Path(report).read_text(encoding="utf-8"))
    return float(found["totals"]["percent_covered"])


def _mutated(subject: Subject, folder: Path) -> tuple[Counter[str], list[str]]:
    for name in COPIED:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name)
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as project:
        project.write("\n[tool.mutmut]\n")
        _write_list(project.write, "source_paths", ["tandem_desktop"])
        _write_list(project.write, "only_mutate", subject.paths)
        _write_list(project.write, "also_copy", [name for name in COPIED if name not in ("tandem_desktop", "tests")])
        _write_list(project.write, "do_not_mutate_patterns", [r"\b_log\."])  # a line of the log decides nothing
        _write_list(project.write, "pytest_add_cli_args", _ARGUMENTS)
        _write_list(project.write, "pytest_add_cli_args_test_selection", subject.tests)
    workers = str(os.cpu_count() or 1)
    _checked([sys.executable, "-m", "mutmut", "run", "--max-children", workers], folder, dict(os.environ))
    counts: Counter[str] = Counter()
    survivors = []
    for path in subject.paths:
        codes = json.loads((folder / "mutants" / f"{path}.meta").read_text(encoding="utf-8"))["exit_code_by_key"]
        for mutant, code in codes.items():
            is_noticed = code != _SURVIVED and code not in _NO_TESTS
            counts["noticed" if is_noticed else "not noticed"] += 1
            if not is_noticed:
                survivors.append(mutant)
    return counts, survivors


def _write_list(write: Callable[[str], object], name: str, values: Iterable[str]) -> None:
    write(f"{name} = {json.dumps(list(values))}\n")


def _checked(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{ended.stdout[-4000:]}{ended.stderr[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
