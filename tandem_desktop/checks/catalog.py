"""The list of checks of a workspace: written down in `.tandem/checks.toml`, or found from its files."""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic_core import ValidationError

from tandem_desktop.checks.evidence import Subject
from tandem_desktop.domain.approval import canonical, digest
from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError, StorageError
from tandem_desktop.domain.paths import ROOT, check_path, shown
from tandem_desktop.processes.child import find_program
from tandem_desktop.settings_io import read_small_file

FILE = "checks.toml"
MOST_CHECKS = 50
TIMEOUT_S = 600
_MOST_SCRIPTED = 4000
"""A longer script is no check: what is accepted is shown whole."""

ReportFormat = Literal[
    "exit",
    "junit",
    "tap",
    "jest",
    "sarif",
    "ruff",
    "pyright",
    "mypy",
    "eslint",
    "tsc",
    "cargo",
    "libtest",
    "gotest",
    "govet",
]
_SUBJECTS: dict[str, Subject] = {
    "junit": "tests",
    "tap": "tests",
    "jest": "tests",
    "libtest": "tests",
    "gotest": "tests",
    "exit": "tests",
    "mypy": "types",
    "pyright": "types",
    "tsc": "types",
}


class Check(Frozen):
    """One command that says something about a tree."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[\w.+ -]+$")]
    command: Annotated[str, Field(min_length=1, max_length=4000)]
    """For the shell, in `cwd`. `$TANDEM_REPORT` is a file it may write its report to."""
    format: ReportFormat = "exit"
    report: str = ""
    """A file of the workspace that has the report; otherwise it is `$TANDEM_REPORT`, or the standard output."""
    cwd: str = ROOT
    timeout: Annotated[int, Field(ge=1, le=86_400)] = TIMEOUT_S
    runs: str = ""
    """What the command starts in turn, where that is written down elsewhere, such as a script of package.json."""
    affected: Annotated[str, Field(max_length=4000)] = ""
    """The command for the tests alone that a plan touches, where there is one; see `checks/affected.py`."""

    @property
    def subject(self) -> Subject:
        return _SUBJECTS.get(self.format, "lint")


class _CheckFile(Frozen):
    check: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class CheckList:
    """The checks of a workspace, in order."""

    checks: tuple[Check, ...]
    is_found: bool
    """Found from files; otherwise written down by the person."""

    @property
    def digest(self) -> str:
        """What a person accepts: every field of every check."""
        return digest("checks:1", canonical([check.model_dump(mode="json") for check in self.checks]))

    def as_json(self) -> dict[str, Any]:
        """What would run, and the digest that is accepted; the contract for scripts."""
        return {
            "checks_digest": self.digest,
            "would_run": [
                {
                    "name": each.name,
                    "command": each.command,
                    "affected": each.affected,
                    "cwd": each.cwd,
                    "runs": each.runs,
                }
                for each in self.checks
            ],
            "found": self.is_found,
        }

    def only(self, names: tuple[str, ...]) -> tuple[Check, ...]:
        """The named checks, or all when none is named.

        Raises:
            BadInputError: there is no check of such a name.
        """
        known = {check.name for check in self.checks}
        for name in names:
            if name not in known:
                raise BadInputError(
                    f"There is no check {shown(name)!r} here.",
                    next=f"Name one of: {', '.join(sorted(known))}."
                    if known
                    else "Write one into .tandem/checks.toml.",
                )
        return tuple(check for check in self.checks if not names or check.name in names)


def load_checks(workspace: Path) -> CheckList:
    """The list of `.tandem/checks.toml` if there is one, else the checks that the files call for.

    Raises:
        BadInputError: the file cannot be understood; the sentence says which field, and what to do.
    """
    path = workspace / ".tandem" / FILE
    text = read_small_file(path, follow_links=False)
    if text is None:
        return CheckList(tuple(_found(workspace)), is_found=True)
    return CheckList(_parsed(path, text), is_found=False)


def _parsed(path: Path, text: str) -> tuple[Check, ...]:
    try:
        checks = _CheckFile.model_validate(tomllib.loads(text)).check
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{path} is not valid TOML: {error}.", path=str(path), next="Correct that line.") from None
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in problem["loc"])
        said = f"`{shown(field)}`: {problem['msg'][0].lower()}{problem['msg'][1:]}"
        raise BadInputError(f"{path}: {said}.", path=str(path), next="Correct it: see docs/checks.md.") from None
    names = [check.name for check in checks]
    if len(checks) > MOST_CHECKS or len(set(names)) != len(names):
        said = f"has more than {MOST_CHECKS} checks" if len(checks) > MOST_CHECKS else "names two checks alike"
        raise BadInputError(f"{path} {said}.", path=str(path), next="Correct it: see docs/checks.md.")
    for check in checks:
        try:
            for place in (check.cwd, check.report):
                if place not in ("", ROOT):
                    check_path(place)
        except OutsideWorkspaceError as refusal:
            raise BadInputError(
                f"{path}: the check {check.name}: {refusal.message}", path=str(path), next="Name a path inside."
            ) from None
    return checks


def _found(workspace: Path) -> Iterator[Check]:
    project = _Project(workspace)
    found = [*_python(project), *_node(project), *_cargo(project), *_go(project)]
    if not any(check.subject == "tests" for check in found) and re.search(r"^test:", project.text("Makefile"), re.M):
        found.append(Check(name="make test", command="make test"))
    yield from found


class _Project:
    """The files at the top of a workspace, read without following links out of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.names = frozenset(os.listdir(root))
        self.pyproject = self._toml("pyproject.toml")
        self.package = self._json("package.json")

    def has(self, *names: str) -> bool:
        return not self.names.isdisjoint(names)

    def text(self, name: str) -> str:
        if name not in self.names:
            return ""
        try:
            return read_small_file(self.root / name, follow_links=False) or ""
        except (BadInputError, StorageError, OSError):  # a file that cannot be read calls for no check
            return ""

    def tool(self, name: str) -> bool:
        """Whether pyproject.toml has a table of this tool."""
        tools = self.pyproject.get("tool")
        return isinstance(tools, dict) and name in tools

    def python(self, program: str) -> str:
        """How a Python tool is started: of the workspace's own environment if it has one, else from the path."""
        for folder in (".venv", "venv"):
            if folder in self.names and os.access(self.root / folder / "bin" / program, os.X_OK):
                return f"{folder}/bin/{program}"
        return program if find_program(program, outside=self.root) else f"python3 -m {program}"

    def _toml(self, name: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(name))
        except tomllib.TOMLDecodeError:
            return {}

    def _json(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads(self.text(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def _python(project: _Project) -> Iterator[Check]:
    configured = (
        project.tool("pytest")
        or project.has("pytest.ini", ".pytest.ini", "conftest.py")
        or "[tool:pytest]" in project.text("setup.cfg")
        or "[pytest]" in project.text("tox.ini")
    )
    if configured or _has_tests(project):
        pytest = project.python("pytest")
        command = f'{pytest} -q -p no:cacheprovider --junitxml="$TANDEM_REPORT"'
        yield Check(name="pytest", command=command, format="junit", affected=f"{command} {{tests}}")
    if project.tool("ruff") or project.has("ruff.toml", ".ruff.toml"):
        yield Check(name="ruff", command=f"{project.python('ruff')} check --output-format json", format="ruff")
    if project.tool("mypy") or project.has("mypy.ini", ".mypy.ini") or "[mypy]" in project.text("setup.cfg"):
        yield Check(name="mypy", command=f"{project.python('mypy')} --output json{_mypy_files(project)}", format="mypy")
    if project.tool("pyright") or project.has("pyrightconfig.json"):
        yield Check(name="pyright", command=f"{_pyright(project)} --outputjson", format="pyright")


def _pyright(project: _Project) -> str:
    """It is a package of npm too."""
    local = _local(project, "pyright")
    return (
        local if local and not project.python("pyright").startswith((".venv/", "venv/")) else project.python("pyright")
    )


def _has_tests(project: _Project) -> bool:
    def is_test(name: str) -> bool:
        return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))

    if any(map(is_test, project.names)):
        return True
    for folder in ("tests", "test"):
        if folder in project.names and (project.root / folder).is_dir() and not (project.root / folder).is_symlink():
            for _, _, files in os.walk(project.root / folder):
                if any(map(is_test, files)):
                    return True
    return False


def _mypy_files(project: _Project) -> str:
    """What mypy looks at, where its own settings do not say."""
    table = project.pyproject.get("tool", {}).get("mypy", {}) if project.tool("mypy") else {}
    if not isinstance(table, dict) or {"files", "packages", "modules"} & table.keys():
        return ""
    if any(re.search(r"^(files|packages|modules)\s*=", project.text(name), re.M) for name in ("mypy.ini", "setup.cfg")):
        return ""
    return " ."


def _node(project: _Project) -> Iterator[Check]:
    scripts = project.package.get("scripts")
    test = scripts.get("test") if isinstance(scripts, dict) else None
    if isinstance(scripts, dict) and isinstance(test, str) and "no test specified" not in test:
        # npm also runs these two, unasked.
        around = (scripts.get(name) for name in ("pretest", "test", "posttest"))
        script = "\n".join(each for each in around if isinstance(each, str))
        if len(script) <= _MOST_SCRIPTED:
            yield _npm_test(project, test, script)
    if project.has("tsconfig.json"):
        yield Check(name="tsc", command=f"{_npx(project, 'tsc')} --noEmit --pretty false", format="tsc")
    if any(name.startswith(("eslint.config.", ".eslintrc")) for name in project.names):
        yield Check(name="eslint", command=f"{_npx(project, 'eslint')} --format json .", format="eslint")


_NPM_TEST = "npm test --silent --no-update-notifier"
_JEST = re.compile(r"(?:npx )?jest(?: [\w./=-]+)*")
_VITEST = re.compile(r"(?:npx )?vitest(?: run| --run)?")


def _npm_test(project: _Project, test: str, script: str) -> Check:
    """The script as it is; jest and vitest are asked for their report, and for the tests of changed files first."""
    report = '--outputFile="$TANDEM_REPORT"'
    if _JEST.fullmatch(test):
        command = f"{_NPM_TEST} -- --json {report}"
        affected = f"{command} --findRelatedTests {{changed}}"
        return Check(name="npm test", command=command, format="jest", runs=script, affected=affected)
    if _VITEST.fullmatch(test):
        asked = f"--run --reporter=json {report}"
        affected = f"{_npx(project, 'vitest')} related {asked} {{changed}}"
        return Check(name="npm test", command=f"{_NPM_TEST} -- {asked}", format="jest", runs=script, affected=affected)
    return Check(name="npm test", command=_NPM_TEST, format="tap", runs=script)


def _npx(project: _Project, program: str) -> str:
    return _local(project, program) or f"npx --no-install {program}"


def _local(project: _Project, program: str) -> str:
    """A program that npm installed in the workspace; empty if there is none."""
    local = Path("node_modules", ".bin", program)
    return shlex.quote(str(local)) if os.access(project.root / local, os.X_OK) else ""


def _cargo(project: _Project) -> Iterator[Check]:
    if project.has("Cargo.toml"):
        command = "cargo test --offline --no-fail-fast"  # which names the crate of the tests on its error output
        affected = f"{command} {{crates}} 2>&1"
        yield Check(name="cargo test", command=f"{command} 2>&1", format="libtest", affected=affected)
        yield Check(name="cargo clippy", command="cargo clippy --offline --message-format json", format="cargo")


def _go(project: _Project) -> Iterator[Check]:
    if project.has("go.mod"):
        yield Check(
            name="go test",
            command="go test -json ./...",
            format="gotest",
            affected="go test -json {packages}",
        )
        yield Check(name="go vet", command="go vet ./...", format="govet")
