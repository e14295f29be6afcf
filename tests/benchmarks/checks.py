"""Seeded faults in real packages: what checks miss, what they cost, and whether strays are told from what is needed.

Needs `--archives FOLDER`: source archives (.tar.gz) of small pure-Python packages that carry their tests, which you
download. Every plan is made at run time: a mutation that the package's own tests catch, found by running them bare.
"""

import ast
import itertools
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.diff.hunks import hunks
from tandem_desktop.services.engine import Engine
from tests.support.command_line import write
from tests.support.rehearsals import plan_json

ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": "src:.", "PYTHONDONTWRITEBYTECODE": "1"}
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
COMMAND = " ".join(f"{name}={value}" for name, value in ENVIRONMENT.items()) + f' {PYTEST} --junitxml="$TANDEM_REPORT"'
LIMIT_S = 20
SWAPPED: dict[type[ast.AST], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: ">=",
    ast.GtE: "<",
    ast.Gt: "<=",
    ast.LtE: ">",
    ast.In: "not in",
    ast.Is: "is not",
    ast.IsNot: "is",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One mutated file, and the tests that fail because of it."""

    path: str
    before: str
    after: str
    failing: frozenset[str]
    bare_s: float


@dataclass(slots=True)
class Figures:
    """What was counted."""

    plans: int = 0
    tests_broken: int = 0
    plans_missed: int = 0
    tests_missed: int = 0
    with_evidence: int = 0
    bare_s: float = 0.0
    check_s: float = 0.0
    shadow_s: float = 0.0
    judged: int = 0
    true_strays: int = 0
    false_strays: int = 0
    missed_strays: int = 0
    packages: Counter[str] = field(default_factory=Counter)


def run(rounds: int, *, archives: Path | None = None, count: int = 200) -> Iterator[tuple[str, str]]:
    """Rounds do not matter here: every plan is another one."""
    if archives is None or not list(archives.glob("*.tar.gz")):
        yield "left out", "needs --archives FOLDER with source archives of small packages"
        return
    with tempfile.TemporaryDirectory(prefix="tandem-checks-") as folder:
        packages = [found for each in sorted(archives.glob("*.tar.gz")) if (found := Package.open(each, Path(folder)))]
        figures = Figures()
        waiting = packages
        with ThreadPoolExecutor(2) as pool:
            while waiting and figures.plans < count:  # a package without further faults leaves its share to the others
                share = -(-(count - figures.plans) // len(waiting))
                made = list(pool.map(lambda package, share=share: package.measure(figures, share), waiting))
                waiting = [package for package, number in zip(waiting, made, strict=True) if number == share]
        for package in packages:
            package.close()
    yield from _table(figures)


def _table(found: Figures) -> Iterator[tuple[str, str]]:
    yield "packages", ", ".join(f"{name} {plans}" for name, plans in sorted(found.packages.items()))
    yield "plans with a seeded fault", f"{found.plans}, {found.tests_broken} broken tests"
    yield "plans whose failure was missed", f"{found.plans_missed}"
    yield "broken tests that were missed", f"{found.tests_missed}"
    yield "evidence at the decision", f"{100 * found.with_evidence / max(1, found.plans):.1f} %"
    ratio = found.check_s / max(0.001, found.bare_s)
    yield (
        "command in a check / bare command",
        f"{ratio:.2f}x, plus {found.shadow_s / max(1, found.plans):.2f} s of shadow",
    )
    named = found.true_strays + found.false_strays
    strays = found.true_strays + found.missed_strays
    yield "needed or not: plans", f"{found.judged}, {strays} known strays"
    yield "strays: precision", f"{found.true_strays / max(1, named):.3f}"
    yield "strays: recall", f"{found.true_strays / max(1, strays):.3f}"


class Package:
    """A package in a workspace of its own, with an engine."""

    def __init__(self, name: str, root: Path, state: Path) -> None:
        self.name = name
        self.root = root
        self._state = state
        self._random = random.Random(name)

    @classmethod
    def open(cls, archive: Path, folder: Path) -> "Package | None":
        """None if its tests do not pass here as they are, or take too long."""
        place = folder / archive.name.removesuffix(".tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
        root = next(each for each in place.iterdir() if each.is_dir())
        package = cls(archive.name.removesuffix(".tar.gz"), root, place / "state")
        code, failing, _ = package.bare()
        return package if code == 0 and not failing else None

    def measure(self, figures: Figures, share: int) -> int:
        """Make so many plans; how many there were faults for."""
        made = 0
        for fault in itertools.islice(self._pending, share):
            self._check(self._engine, fault, figures)
            if (figures.packages[self.name] + made) % 2 == 0:
                self._judge(self._engine, fault, figures)
            made += 1
        figures.packages[self.name] += made
        return made

    @cached_property
    def _engine(self) -> Engine:
        (self.root / ".tandem").mkdir()
        listed = f"[[check]]\nname = 'tests'\ncommand = '''{COMMAND}'''\nformat = 'junit'\ntimeout = {LIMIT_S * 3}\n"
        (self.root / ".tandem" / "checks.toml").write_text(listed)
        engine = build_engine(self.root, state=self._state)
        engine.checks.accept(engine.checks.offered().list.digest)
        engine.checks.run(engine.proposals.propose(plan_json(write("first-plan.txt", "x"))).plan_id)  # stores the base
        return engine

    @cached_property
    def _pending(self) -> Iterator[Fault]:
        return self._faults()

    def close(self) -> None:
        self._engine.close()

    def bare(self) -> tuple[int, frozenset[str], float]:
        """The command as a person runs it: exit code, failing tests, seconds."""
        report = self.root.parent / "bare.xml"
        report.unlink(missing_ok=True)
        started = time.monotonic()
        try:
            done = subprocess.run(
                [*PYTEST.split(), f"--junitxml={report}"],
                cwd=self.root,
                env={**os.environ, **ENVIRONMENT},
                capture_output=True,
                timeout=LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1, frozenset(), LIMIT_S
        seconds = time.monotonic() - started
        failing = set()
        for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
            if case.find("failure") is not None or case.find("error") is not None:
                failing.add(
                    f"{case.get('classname')}::{case.get('name')}" if case.get("classname") else case.get("name")
                )
        return done.returncode, frozenset(map(str, failing)), seconds

    def _faults(self) -> Iterator[Fault]:
        """Mutations that the tests catch, in an order of chance."""
        every = [
            (path, text, mutant)
            for path in self._sources()
            for text in [path.read_text(encoding="utf-8")]
            for mutant in mutants(text)
        ]
        self._random.shuffle(every)
        for path, before, after in every:
            path.write_text(after, encoding="utf-8")
            code, failing, seconds = self.bare()
            path.write_text(before, encoding="utf-8")
            if code > 0 and failing:
                yield Fault(str(path.relative_to(self.root)), before, after, failing, seconds)

    def _sources(self) -> list[Path]:
        def is_source(path: Path) -> bool:
            inside = path.relative_to(self.root).parts
            return not any("test" in part or part in ("docs", "setup.py", "conftest.py") for part in inside)

        return [path for path in sorted(self.root.rglob("*.py")) if is_source(path)]

    def _check(self, engine: Engine, fault: Fault, figures: Figures) -> None:
        version = engine.proposals.propose(plan_json(write(fault.path, fault.after)))
        started = time.monotonic()
        found = engine.checks.run(version.plan_id).evidence.checks[0]
        wall = time.monotonic() - started
        missed = fault.failing - set(found.new_failures)
        figures.plans += 1
        figures.tests_broken += len(fault.failing)
        figures.tests_missed += len(missed)
        figures.plans_missed += not found.new_failures
        figures.with_evidence += engine.checks.kept(version) is not None
        figures.bare_s += fault.bare_s
        figures.check_s += found.after.seconds
        figures.shadow_s += max(0.0, wall - found.after.seconds)

    def _judge(self, engine: Engine, fault: Fault, figures: Figures) -> None:
        """The other way round: the fault is on disk, and the plan mends it, with strays beside."""
        path = self.root / fault.path
        path.write_text(fault.after, encoding="utf-8")
        tail = "\n\n# A remark that changes nothing.\n" if fault.before.endswith("\n") else "\n# A remark.\n"
        steps = [write(fault.path, fault.before + tail), write("NOTES-of-nobody.txt", "nothing reads this\n")]
        try:
            version = engine.proposals.propose(plan_json(*steps))
            sides = hunks(fault.after.encode(), (fault.before + tail).encode())
            found = engine.needed.find(version.plan_id)
        finally:
            path.write_text(fault.before, encoding="utf-8")
        if len(sides) != 2:
            return  # the fault lies at the end of the file, in one hunk with the stray
        figures.judged += 1
        for each in found.parts:
            is_stray = each.part.operation != "s1" or each.part.hunk == 2
            figures.true_strays += is_stray and not each.is_needed
            figures.false_strays += not is_stray and not each.is_needed
            figures.missed_strays += is_stray and each.is_needed


def mutants(text: str) -> Iterator[str]:
    """The text with one thing changed, for each thing that can be."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    lines = text.splitlines(keepends=True)

    def replaced(node: ast.AST, new: str) -> Iterator[str]:
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        line = lines[first - 1]
        if first == last and line.isascii():
            made = line[: node.col_offset] + new + line[node.end_col_offset :]  # type: ignore[attr-defined]
            yield "".join((*lines[: first - 1], made, *lines[first:]))

    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED:
            left, right = ast.get_source_segment(text, node.left), ast.get_source_segment(text, node.comparators[0])
            yield from replaced(node, f"{left} {SWAPPED[type(node.ops[0])]} {right}")
        elif isinstance(node, ast.Constant) and node.value in (True, False) and isinstance(node.value, bool):
            yield from replaced(node, str(not node.value))
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield from replaced(node, str(node.value + 1))
        elif isinstance(node, ast.Return) and node.value is not None:
            yield from replaced(node, "return None")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield from replaced(node, f"({ast.get_source_segment(text, node.operand)})")
