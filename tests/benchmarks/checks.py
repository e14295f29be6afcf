"""Seeded faults in real packages: what checks miss, what they cost, and whether strays are told from what is needed.

Needs `--archives FOLDER`: source archives (.tar.gz) of small pure-Python packages that carry their tests, which you
download. Every plan is made at run time: a mutation that the package's own tests catch, or, of a package with
annotations, one that mypy alone catches; each was found by running the bare command.
"""

import ast
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.checks.evidence import CheckEvidence, Evidence
from tandem_desktop.diff.hunks import CONTEXT_LINES, Hunk, hunks
from tandem_desktop.services.engine import Engine
from tests.support.command_line import write
from tests.support.rehearsals import plan_json

ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": "src:.", "PYTHONDONTWRITEBYTECODE": "1"}
GIVEN = " ".join(f"{name}={value}" for name, value in ENVIRONMENT.items())
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
MYPY = f"{sys.executable} -m mypy --output json --no-error-summary"
LIMIT_S = 60
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
OTHER_TYPE = {"str": "int", "int": "str", "bool": "str", "float": "str", "bytes": "str"}
Message = tuple[str, str, str]
"""Path, code and text of what a type checker says; its line moves."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One mutated file, and what the bare command says because of it."""

    path: str
    before: str
    after: str
    bare_s: float
    failing: frozenset[str] = frozenset()
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Stray:
    """A change that nothing can notice, beside one that is needed."""

    kind: str
    path: str
    text: str


@dataclass(slots=True)
class Figures:
    """What was counted."""

    plans: Counter[str] = field(default_factory=Counter)
    """By what catches the fault."""
    broken: Counter[str] = field(default_factory=Counter)
    plans_missed: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    bare_s: Counter[str] = field(default_factory=Counter)
    check_s: Counter[str] = field(default_factory=Counter)
    with_evidence: int = 0
    shadow_s: float = 0.0
    """What a check costs that does nothing: the shadow and the start of its sandbox."""
    judged: int = 0
    strays: Counter[str] = field(default_factory=Counter)
    """Known ones, by kind."""
    strays_missed: Counter[str] = field(default_factory=Counter)
    needed: Counter[str] = field(default_factory=Counter)
    """Parts that are needed, by what notices them."""
    false_strays: Counter[str] = field(default_factory=Counter)
    packages: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)
    """What was missed, to be read."""


def run(rounds: int, *, archives: Path | None = None, count: int = 200) -> Iterator[tuple[str, str]]:
    """Rounds do not matter here: every plan is another one."""
    if archives is None or not list(archives.glob("*.tar.gz")):
        yield "left out", "needs --archives FOLDER with source archives of small packages"
        return
    with tempfile.TemporaryDirectory(prefix="tandem-checks-") as folder:
        opened = {each.name: Package.open(each, Path(folder)) for each in sorted(archives.glob("*.tar.gz"))}
        packages = [each for each in opened.values() if each is not None]
        if failed := [name for name, each in opened.items() if each is None]:
            yield "tests do not pass here", ", ".join(failed)
        figures = Figures()
        waiting = packages
        with ThreadPoolExecutor(2) as pool:
            while (
                waiting and figures.plans.total() < count
            ):  # one without further faults leaves its share to the others
                share = -(-(count - figures.plans.total()) // len(waiting))
                made = list(pool.map(lambda package, share=share: package.measure(figures, share), waiting))
                waiting = [package for package, number in zip(waiting, made, strict=True) if number == share]
        for package in packages:
            package.close()
    yield from _table(figures)


def _table(found: Figures) -> Iterator[tuple[str, str]]:
    yield "packages", ", ".join(f"{name} {plans}" for name, plans in sorted(found.packages.items()))
    yield "caught by", "plans, missed; tests or messages, missed; check / bare"
    for kind, plans in sorted(found.plans.items()):
        ratio = found.check_s[kind] / max(0.001, found.bare_s[kind])
        told = f"{plans}, {found.plans_missed[kind]}; {found.broken[kind]}, {found.missed[kind]}; {ratio:.2f}x"
        yield f"  {kind}", told
    total = max(1, found.plans.total())
    yield "all", f"{found.plans.total()}, {found.plans_missed.total()}; {found.broken.total()}, {found.missed.total()}"
    yield "evidence at the decision", f"{100 * found.with_evidence / total:.1f} %"
    ratio = found.check_s.total() / max(0.001, found.bare_s.total())
    yield "command in a check / bare command", f"{ratio:.2f}x, plus {found.shadow_s / total:.2f} s of shadow"
    yield "needed or not: plans", f"{found.judged}"
    for kind, number in sorted(found.strays.items()):
        yield f"  stray: {kind}", f"{number}, not named {found.strays_missed[kind]}"
    for kind, number in sorted(found.needed.items()):
        yield f"  needed: by {kind}", f"{number}, called a stray {found.false_strays[kind]}"
    true = found.strays.total() - found.strays_missed.total()
    yield "strays: precision", f"{true / max(1, true + found.false_strays.total()):.3f}"
    yield "strays: recall", f"{true / max(1, found.strays.total()):.3f}"
    for miss in found.misses:
        yield "missed", miss


class Package:
    """A package in a workspace of its own, with an engine."""

    def __init__(self, name: str, root: Path, state: Path) -> None:
        self.name = name
        self.root = root
        self._state = state
        self._random = random.Random(name)
        self._seconds = 1_500_000_000
        self._has_types = bool(list(root.rglob("py.typed")))

    @classmethod
    def open(cls, archive: Path, folder: Path) -> "Package | None":
        """None if its tests do not pass here as they are, or take too long."""
        place = folder / archive.name.removesuffix(".tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
        root = next(each for each in place.iterdir() if each.is_dir())
        package = cls(archive.name.removesuffix(".tar.gz"), root, place / "state")
        code, failing, _ = package.bare()
        if code or failing:
            return None
        _ = package.base_messages  # leaves the cache of mypy in the workspace, as a person has it
        return package

    def measure(self, figures: Figures, share: int) -> int:
        """Make so many plans; how many there were faults for."""
        made = 0
        while made < share:
            number = figures.packages[self.name] + made
            fault = None
            if self._has_types and number % 2:
                fault = next(self._type_faults, None)
            fault = fault or next(self._test_faults, None)
            if fault is None:
                break
            self._check(fault, figures)
            if number % 2 == 0:
                self._judge(fault, figures, number // 2)
            made += 1
        figures.packages[self.name] += made
        return made

    @cached_property
    def _engine(self) -> Engine:
        (self.root / ".tandem").mkdir()
        listed = [("nothing", "true", "exit"), ("tests", f'{GIVEN} {PYTEST} --junitxml="$TANDEM_REPORT"', "junit")]
        if self._has_types:
            listed.append(("types", f"{MYPY} {self._typed}", "mypy"))
        text = "".join(
            f"[[check]]\nname = '{name}'\ncommand = '''{command}'''\nformat = '{form}'\ntimeout = {LIMIT_S * 3}\n"
            for name, command, form in listed
        )
        (self.root / ".tandem" / "checks.toml").write_text(text)
        engine = build_engine(self.root, state=self._state)
        engine.checks.accept(engine.checks.offered().list.digest)
        engine.checks.run(engine.proposals.propose(plan_json(write("first-plan.txt", "x"))).plan_id)  # stores the base
        return engine

    @property
    def _asked(self) -> tuple[str, ...]:
        return ("tests", "types") if self._has_types else ("tests",)

    @cached_property
    def _test_faults(self) -> Iterator[Fault]:
        return self._faults(mutants, self._caught_by_tests)

    @cached_property
    def _type_faults(self) -> Iterator[Fault]:
        return self._faults(type_mutants, self._caught_by_types)

    @cached_property
    def _typed(self) -> str:
        """The folder of the package that says it has types."""
        return str(next(iter(self.root.rglob("py.typed"))).parent.relative_to(self.root))

    @cached_property
    def base_messages(self) -> Counter[Message]:
        return self.bare_types()[0] if self._has_types else Counter()

    def close(self) -> None:
        self._engine.close()

    def bare(self) -> tuple[int, frozenset[str], float]:
        """The tests as a person runs them: exit code, failing tests, seconds."""
        report = self.root.parent / "bare.xml"
        report.unlink(missing_ok=True)
        done, seconds = self._started([*PYTEST.split(), f"--junitxml={report}"], ENVIRONMENT)
        failing = set()
        for case in ElementTree.parse(report).iter("testcase") if report.exists() and done else ():
            if case.find("failure") is not None or case.find("error") is not None:
                failing.add(
                    f"{case.get('classname')}::{case.get('name')}" if case.get("classname") else case.get("name")
                )
        return done.returncode if done else -1, frozenset(map(str, failing)), seconds

    def bare_types(self) -> tuple[Counter[Message], float]:
        """The type checker as a person runs it: what it calls errors, and seconds."""
        done, seconds = self._started([*MYPY.split(), self._typed], {})
        lines = [json.loads(line) for line in (done.stdout if done else b"").splitlines() if line[:1] == b"{"]
        return Counter(
            (each["file"], each["code"] or "", each["message"]) for each in lines if each["severity"] == "error"
        ), seconds

    def _started(
        self, argv: list[str], given: dict[str, str]
    ) -> "tuple[subprocess.CompletedProcess[bytes] | None, float]":
        started = time.monotonic()
        try:
            done = subprocess.run(
                argv,
                cwd=self.root,
                env={**os.environ, **given},
                capture_output=True,
                timeout=LIMIT_S,
                check=False,
                start_new_session=True,  # as a check is: the scheduler shares the processors out among sessions
            )
        except subprocess.TimeoutExpired:
            return None, LIMIT_S
        return done, time.monotonic() - started

    def _faults(
        self, mutate: Callable[[str], Iterator[str]], caught: Callable[[str, str, str], Fault | None]
    ) -> Iterator[Fault]:
        """Mutations that are caught, in an order of chance."""
        every = [
            (path, text, mutant)
            for path in self._sources()
            for text in [path.read_text(encoding="utf-8")]
            for mutant in mutate(text)
        ]
        self._random.shuffle(every)
        for path, before, after in every:
            self._put(path, after)
            try:
                found = caught(str(path.relative_to(self.root)), before, after)
            finally:
                self._put(path, before)
            if found is not None:
                yield found

    def _caught_by_tests(self, path: str, before: str, after: str) -> Fault | None:
        code, failing, seconds = self.bare()
        return Fault(path, before, after, seconds, failing) if code > 0 and failing else None

    def _caught_by_types(self, path: str, before: str, after: str) -> Fault | None:
        found, seconds = self.bare_types()
        new = tuple((found - self.base_messages).elements())
        return Fault(path, before, after, seconds, messages=new) if new else None

    def _put(self, path: Path, text: str) -> None:
        """Write a file, each time with another second: mypy takes a file of the same size and second for unchanged."""
        path.write_text(text, encoding="utf-8")
        self._seconds += 1
        os.utime(path, (self._seconds, self._seconds))

    def _sources(self) -> list[Path]:
        def is_source(path: Path) -> bool:
            inside = path.relative_to(self.root).parts
            return not any("test" in part or part in ("docs", "setup.py", "conftest.py") for part in inside)

        return [path for path in sorted(self.root.rglob("*.py")) if is_source(path)]

    def _check(self, fault: Fault, figures: Figures) -> None:
        version = self._engine.proposals.propose(plan_json(write(fault.path, fault.after)))
        kind, name = ("types alone", "types") if fault.messages else ("tests", "tests")
        started = time.monotonic()
        empty = self._engine.checks.run(version.plan_id, only=("nothing",)).evidence.checks[0].after.seconds
        shadow = time.monotonic() - started
        self._engine.checks.run(version.plan_id, only=(name,))  # alone, as the bare command ran
        evidence = self._engine.checks.run(version.plan_id).evidence
        found = next(each for each in evidence.checks if each.name == name)
        missed = _missed(fault, evidence, found)
        figures.plans[kind] += 1
        figures.broken[kind] += len(fault.failing) + len(fault.messages)
        figures.missed[kind] += missed
        figures.plans_missed[kind] += not evidence.is_worse
        figures.with_evidence += self._engine.checks.kept(version) is not None
        figures.bare_s[kind] += fault.bare_s  # type: ignore[assignment]  # seconds
        figures.check_s[kind] += found.after.seconds - empty  # type: ignore[assignment]  # seconds
        figures.shadow_s += shadow
        if missed:
            why = "; ".join(each.after.problem or "no problem" for each in evidence.checks)
            figures.misses.append(f"{self.name}: {missed} of a fault in {fault.path} ({why}): {_changed(fault)}")
        print(
            f"{figures.plans.total()} plans, missed {figures.plans_missed.total()}, "
            f"{figures.broken.total()} broken, missed {figures.missed.total()} ({self.name})",
            file=sys.stderr,
            flush=True,
        )

    def _judge(self, fault: Fault, figures: Figures, number: int) -> None:
        """The other way round: the faults are on disk, and the plan mends them, with strays beside."""
        typed = next(self._type_faults, None) if self._has_types else None
        if typed is not None and typed.path == fault.path:
            typed = None
        mends = [each for each in (fault, typed) if each is not None]
        strays = [stray for make in STRAYS[number % 2 :: 2] if (stray := make(self.root, fault)) is not None]
        texts = {each.path: each.before for each in mends} | {each.path: each.text for each in strays}
        for each in mends:
            self._put(self.root / each.path, each.after)
        try:
            version = self._engine.proposals.propose(plan_json(*(write(path, text) for path, text in texts.items())))
            mended = {each.path: hunks(each.after.encode(), each.before.encode(), 0) for each in mends}
            parts = {
                (path, hunk.n): _mends(hunk, mended.get(path, ()))
                for path, text in texts.items()
                for disk in [self.root / path]
                for hunk in hunks(disk.read_bytes() if disk.exists() else b"", text.encode())
            }
            found = self._engine.needed.find(version.plan_id, only=self._asked)
        finally:
            for each in mends:
                self._put(self.root / each.path, each.before)
        figures.judged += 1
        kinds = {stray.path: stray.kind for stray in strays}
        for each in found.parts:
            path = each.part.place
            if parts.get((path, each.part.hunk or 1), False):
                kind = "the type checker alone" if typed is not None and path == typed.path else "tests"
                figures.needed[kind] += 1
                figures.false_strays[kind] += not each.is_needed
                is_missed = not each.is_needed
            else:
                figures.strays[kinds[path]] += 1
                figures.strays_missed[kinds[path]] += each.is_needed
                kind, is_missed = kinds[path], each.is_needed
            if is_missed:
                told = each.why or "nothing notices"
                figures.misses.append(f"{self.name}: {kind} in {path}: {told}; the fault: {_changed(fault)}")
                print(figures.misses[-1], file=sys.stderr, flush=True)
        print(
            f"{figures.judged} judged: {figures.strays.total()} strays, not named {figures.strays_missed.total()}; "
            f"{figures.needed.total()} needed, called strays {figures.false_strays.total()}",
            file=sys.stderr,
            flush=True,
        )


def _changed(fault: Fault) -> str:
    """The first line that a fault changes."""
    hunk = next(iter(hunks(fault.before.encode(), fault.after.encode(), 0)))
    line = max(0, hunk.new_start - 1)
    return f"{fault.path}:{line + 1} {fault.after.splitlines()[line].strip()}"


def _missed(fault: Fault, evidence: Evidence, found: CheckEvidence) -> int:
    """How many broken tests or messages of the bare command the evidence does not call new."""
    said = Counter((each.path, each.code, each.message) for each in evidence.diagnostics if each.new)
    return len(fault.failing - set(found.new_failures)) + (Counter(fault.messages) - said).total()


def _mends(hunk: Hunk, mended: tuple[Hunk, ...]) -> bool:
    """Whether a hunk of the plan has the lines of the fault in it."""
    lines = range(hunk.old_start, hunk.old_start + hunk.old_count)
    return any(each.old_start in lines for each in mended)


def _neighbour(root: Path, fault: Fault) -> Stray | None:
    """The nearest hunk to the one that mends: one line less apart, and they would be one."""
    lines = fault.before.splitlines(keepends=True)
    changed = hunks(fault.after.encode(), fault.before.encode(), 0)
    at = changed[-1].new_start + changed[-1].new_count + 2 * CONTEXT_LINES
    for place in range(at, len(lines)):
        made = "".join((*lines[:place], "# A remark that changes nothing.\n", *lines[place:]))
        if _same_code(made, fault.before):
            return Stray("comment in the neighbouring hunk", fault.path, made)
    return None


def _in_a_test(root: Path, fault: Fault) -> Stray | None:
    """A helper in a file of tests that no test calls."""
    tests = [path for path in sorted(root.rglob("test_*.py")) if ".tandem" not in path.parts]
    if not tests:
        return None
    text = tests[0].read_text(encoding="utf-8")
    helper = "\n\ndef _of_no_use(value: int) -> int:\n    return value\n"  # annotated, where a checker asks for it
    return Stray("unused helper in a test file", str(tests[0].relative_to(root)), text + helper)


def _comment(root: Path, fault: Fault) -> Stray | None:
    """A remark in another source file."""
    for path in sorted(root.rglob("*.py")):
        name = str(path.relative_to(root))
        if name != fault.path and "test" not in name and path.stat().st_size:
            text = path.read_text(encoding="utf-8")
            if text.endswith("\n"):
                return Stray("comment in another file", name, text + "\n# A remark that changes nothing.\n")
    return None


def _config(root: Path, fault: Fault) -> Stray | None:
    """A table of pyproject.toml that no check reads, or a file of an editor."""
    path = root / "pyproject.toml"
    if path.is_file():
        text = path.read_text(encoding="utf-8").rstrip("\n")
        return Stray("configuration of another tool", "pyproject.toml", f"{text}\n\n[tool.of-no-use]\nvalue = 1\n")
    return Stray("configuration of another tool", ".editorconfig", "root = true\n")


STRAYS = (_neighbour, _in_a_test, _comment, _config)


def _same_code(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return False


def type_mutants(text: str) -> Iterator[str]:
    """The text with one annotation changed, for each that names a plain type: no test notices."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    lines = text.splitlines(keepends=True)
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for each in (*(argument.annotation for argument in every), node.returns):
            if isinstance(each, ast.Name) and each.id in OTHER_TYPE and lines[each.lineno - 1].isascii():
                line = lines[each.lineno - 1]
                made = line[: each.col_offset] + OTHER_TYPE[each.id] + line[each.end_col_offset :]
                yield "".join((*lines[: each.lineno - 1], made, *lines[each.lineno :]))


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
