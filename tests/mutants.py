"""How much the tests notice in the modules that keep the promise: `python -m tests.mutants [--coverage] [SUBJECT …]`.

For each subject its tests run once for branch coverage, then mutmut changes one thing at a time in a copy of the
project and runs the tests that reach it, the quickest first, until one fails. A change that no test notices is named
and shown. This takes minutes for each subject; `--coverage` alone takes a minute in all. `--sample N` tries at most N
mutants of each subject, the same ones every time.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mutmut.configuration import reset_config
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("tandem_desktop", "tests", "resources", "docs", "README.md", "CHANGELOG.md", "pyproject.toml")
LEAST_SCORE = 90.0
_FAILED, _TIMED_OUT = (1, 3), (36, -24, 24, 152)
_ARGUMENTS = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis", "-m", "not exhaustive"]
_QUICKEST_FIRST = ["-p", "tests.support.quickest_first"]
_PATIENCE_S = 10.0
"""mutmut waits fifteen times that beyond what the tests took: a busy machine must not pass for a test that notices."""
_NOT_CHANGED = [r"\b_log\."]
_RULES = """Not counted, because no test could notice it:
  a line of the log: it decides nothing
  the name of a codec in capitals: Python reads "UTF-8" as "utf-8\""""


@dataclass(frozen=True, slots=True)
class Subject:
    """Modules, and the tests that hold them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def paths(self) -> list[str]:
        return [f"tandem_desktop/{module}.py" for module in self.modules]


@dataclass(frozen=True, slots=True)
class Covered:
    """What the tests of a subject reach."""

    lines: int
    branches: int
    branches_covered: int
    percent: float
    """Of lines and branches together."""


_EXECUTION = "tests/unit/execution"
SUBJECTS = {
    "digest": Subject(
        ("domain/approval",), ("tests/unit/domain/test_approval.py", "tests/unit/domain/test_workspace_identity.py")
    ),
    "enforcer": Subject(("approval/enforcer",), ("tests/unit/approval/test_enforcer.py",)),
    "journal": Subject(("execution/journal",), (f"{_EXECUTION}/test_journal.py",)),
    "executor": Subject(
        ("execution/executor", "execution/preflight"),
        (f"{_EXECUTION}/test_executor.py", f"{_EXECUTION}/test_stat_signatures.py"),
    ),
    "verification": Subject(
        ("execution/run",),
        tuple(f"{_EXECUTION}/test_{name}.py" for name in ("run", "run_commands", "runs", "stat_signatures")),
    ),
    "paths": Subject(("domain/paths",), ("tests/unit/domain/test_paths.py", "tests/unit/domain/test_gate.py")),
    "permissions": Subject(("policy/rules",), ("tests/unit/policy/test_rules.py",)),
}
_HEAD = ("lines", "branches", "covered", "mutants", "noticed", "by time", "missed", "score", "minutes")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Coverage and mutation score.")
    parser.add_argument("--coverage", action="store_true", help="the branch coverage alone")
    parser.add_argument("--sample", type=int, metavar="N", help="of each subject at most N mutants, always the same")
    parser.add_argument("names", nargs="*", metavar="SUBJECT", help=f"one of: {', '.join(SUBJECTS)}")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(SUBJECTS)):
        parser.error(f"unknown: {', '.join(unknown)}")
    if not options.coverage:
        print(_RULES)
    _print_row("subject", _HEAD[:3] if options.coverage else _HEAD)
    is_enough = True
    for name in options.names or list(SUBJECTS):
        covered = _branch_coverage(SUBJECTS[name])
        cells = [str(covered.lines), f"{covered.branches_covered}/{covered.branches}", f"{covered.percent:.1f}%"]
        is_enough &= covered.percent == 100.0
        if options.coverage:
            _print_row(name, cells)
            continue
        began = time.monotonic()
        folder = _copied(SUBJECTS[name], Path(tempfile.mkdtemp(prefix=f"mutants-{name}-")))
        every = _mutants(SUBJECTS[name], folder)
        tried = every
        if options.sample is not None and options.sample < len(every):
            tried = random.Random(name).sample(every, options.sample)
            print(f"{name}: a sample of {len(tried)} of {len(every)} mutants", flush=True)
        counts, missed = _tried(SUBJECTS[name], folder, tried, is_sample=len(tried) < len(every))
        noticed = counts["failed"] + counts["timed out"]
        score = 100.0 * noticed / counts.total()
        cells += [str(counts.total()), str(noticed), str(counts["timed out"]), str(len(missed)), f"{score:.1f}%"]
        _print_row(name, [*cells, f"{(time.monotonic() - began) / 60:.1f}"])
        for mutant, change in missed.items():
            print(f"  missed: {mutant}\n{change}")
        print(f"  in {folder}", flush=True)
        is_enough &= score >= LEAST_SCORE
    return 0 if is_enough else 1


def _print_row(name: str, cells: Iterable[str]) -> None:
    print(f"{name:<14}{''.join(f'{cell:>10}' for cell in cells)}", flush=True)


def _branch_coverage(subject: Subject) -> Covered:
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "COVERAGE_FILE": f"{scratch}/data"}
        coverage = [sys.executable, "-m", "coverage"]
        run = ["run", "--branch", f"--include={','.join(subject.paths)}", "-m", "pytest", *_ARGUMENTS, *subject.tests]
        _checked([*coverage, *run], ROOT, environment)
        report = f"{scratch}/report.json"
        _checked([*coverage, "json", "-q", "-o", report], ROOT, environment)
        totals = json.loads(Path(report).read_text(encoding="utf-8"))["totals"]
    return Covered(
        totals["num_statements"], totals["num_branches"], totals["covered_branches"], float(totals["percent_covered"])
    )


def _copied(subject: Subject, folder: Path) -> Path:
    """A copy of the project with the settings of mutmut."""
    for name in COPIED:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name)
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as project:
        project.write("\n[tool.mutmut]\n")
        _write_list(project.write, "source_paths", ["tandem_desktop"])
        _write_list(project.write, "only_mutate", subject.paths)
        _write_list(project.write, "also_copy", [name for name in COPIED if name not in ("tandem_desktop", "tests")])
        _write_list(project.write, "do_not_mutate_patterns", _NOT_CHANGED)
        _write_list(project.write, "pytest_add_cli_args", [*_ARGUMENTS, *_QUICKEST_FIRST])
        _write_list(project.write, "pytest_add_cli_args_test_selection", subject.tests)
        project.write(f"timeout_constant = {_PATIENCE_S}\n")
    return folder


def _mutants(subject: Subject, folder: Path) -> list[str]:
    """The names of all mutants, as mutmut is going to give them."""
    names = []
    with contextlib.chdir(folder):
        reset_config()
        for path in map(Path, subject.paths):
            mutated = mutate_file_contents(str(path), path.read_text(encoding="utf-8"))
            names += [get_mutant_name(path, name) for name in mutated.mutant_names]
    return names


def _tried(
    subject: Subject, folder: Path, mutants: list[str], *, is_sample: bool
) -> tuple[Counter[str], dict[str, str]]:
    """How the mutants ended, and the change of each that was missed."""
    run = [sys.executable, "-m", "mutmut", "run", "--max-children", str(os.cpu_count() or 1)]
    _checked([*run, *mutants] if is_sample else run, folder, dict(os.environ))
    counts: Counter[str] = Counter()
    missed = {}
    for path in subject.paths:
        codes = json.loads((folder / "mutants" / f"{path}.meta").read_text(encoding="utf-8"))["exit_code_by_key"]
        for mutant in sorted(set(mutants) & set(codes), key=mutants.index):
            code = codes[mutant]
            if code in _FAILED or code in _TIMED_OUT:
                counts["failed" if code in _FAILED else "timed out"] += 1
            elif not _is_equal(change := _change(folder, path, mutant)):
                counts["missed"] += 1
                missed[mutant] = change
    if counts.total() == 0:
        raise SystemExit(f"mutmut tried none of the mutants of {', '.join(subject.paths)}; see {folder}")
    return counts, missed


def _change(folder: Path, path: str, mutant: str) -> str:
    """The lines that a mutant removes and adds."""
    with contextlib.chdir(folder):
        lines = get_diff_for_mutant(mutant, path=path).splitlines()[2:]
    return "\n".join(f"    {line}" for line in lines if line[:1] in "+-")


def _is_equal(change: str) -> bool:
    removed, _, added = change.partition("\n")
    return '"UTF-8"' in added and removed.replace("-", "", 1) == added.replace('"UTF-8"', '"utf-8"').replace("+", "", 1)


def _write_list(write: Callable[[str], object], name: str, values: Iterable[str]) -> None:
    write(f"{name} = {json.dumps(list(values))}\n")


def _checked(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{ended.stdout[-4000:]}{ended.stderr[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
