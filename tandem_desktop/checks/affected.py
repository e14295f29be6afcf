"""Which tests a plan touches, so that they can run ahead of the others."""

import shlex
import tomllib
from collections.abc import Callable, Collection, Iterable
from pathlib import PurePosixPath

from tandem_desktop.checks.catalog import Check
from tandem_desktop.checks.import_graph import ImportGraph, Read
from tandem_desktop.domain.paths import ROOT

_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")


def affected_command(check: Check, changed: Collection[str], graph: ImportGraph, read: Read) -> str:
    """The command for the tests that these changed files touch; empty where the runner cannot say which, or it is all.

    Of the placeholders `{tests}` stands for the Python tests that import a changed file, `{changed}` for changed
    scripts, `{packages}` for the folders of changed Go files and `{crates}` for the crates of changed Rust files.
    """
    ways: dict[str, Callable[[], list[str]]] = {
        "{tests}": lambda: _within(check.cwd, _python_tests(changed, graph)),
        "{changed}": lambda: _within(check.cwd, (path for path in changed if _is_script(path, read))),
        "{packages}": lambda: _packages(_within(check.cwd, changed)),
        "{crates}": lambda: _crates(changed, read),
    }
    command = check.affected
    for placeholder, find in ways.items():
        if placeholder in command:
            found = find()
            if not found:
                return ""
            command = command.replace(placeholder, " ".join(map(shlex.quote, found)))
    return command


def _within(cwd: str, paths: Iterable[str]) -> list[str]:
    """The paths as the command sees them from its folder; none may be taken for an option."""
    folder = "" if cwd == ROOT else f"{cwd}/"
    inside = sorted(path.removeprefix(folder) for path in paths if path.startswith(folder))
    return [f"./{path}" if path.startswith("-") else path for path in inside]


def _is_script(path: str, read: Read) -> bool:
    return path.endswith(_SCRIPTS) and read(path) is not None


def _packages(changed: Iterable[str]) -> list[str]:
    return sorted({f"./{PurePosixPath(path).parent}" for path in changed if path.endswith(".go")})


def _python_tests(changed: Collection[str], graph: ImportGraph) -> list[str]:
    """At most half of all: a run of more of them would be hardly ahead of the whole."""
    every = graph.python_tests()
    found = list(graph.reaching(every, changed))
    return found if 2 * len(found) <= len(every) else []


def _crates(changed: Iterable[str], read: Read) -> list[str]:
    """`-p NAME` for each; none where the crate is the whole workspace."""
    found: set[str] = set()
    for path in changed:
        if not path.endswith(".rs"):
            continue
        folder = PurePosixPath(path).parent
        while str(folder) != "." and read(f"{folder}/Cargo.toml") is None:
            folder = folder.parent
        if str(folder) == ".":
            return []
        try:
            found.add(tomllib.loads((read(f"{folder}/Cargo.toml") or b"").decode())["package"]["name"])
        except (ValueError, KeyError, TypeError):
            return []
    return [word for name in sorted(map(str, found)) for word in ("-p", name)]
