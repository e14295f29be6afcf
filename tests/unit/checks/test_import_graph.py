"""What imports what is told from the text, and leads from changed files to their tests and back."""

import pytest

from tandem_desktop.checks import import_graph
from tandem_desktop.checks.affected import affected_command
from tandem_desktop.checks.catalog import Check
from tandem_desktop.checks.import_graph import ImportGraph

FILES = {
    "src/pkg/__init__.py": "from pkg.core import run\n",
    "src/pkg/core.py": "from . import parts\nfrom .deep.inner import thing as other\n",
    "src/pkg/parts.py": "",
    "src/pkg/deep/__init__.py": "",
    "src/pkg/deep/inner.py": "import json, pkg.far as f\n",
    "src/pkg/far.py": "",
    "src/alone.py": "",
    "tests/conftest.py": "import helper\n",
    "tests/helper.py": "",
    "tests/test_core.py": "from pkg import (\n    core,\n    run,\n)\n",
    "tests/test_far.py": "import pkg.far\n",
    "tests/test_alone.py": "import alone\n",
    "tests/test_none.py": "import os\n",
    "web/a.ts": "import { b } from './lib/b.js'\nconst c = require('../c')\n",
    "web/lib/b.ts": "export * from '.'\n",
    "web/lib/index.ts": "",
    "c/index.js": "",
}


def graph() -> ImportGraph:
    return ImportGraph(FILES, lambda path: FILES[path].encode())


def test_imports_are_absolute_relative_on_several_lines_and_of_scripts() -> None:
    found = graph()
    assert set(found.imports("src/pkg/core.py")) == {
        "src/pkg/__init__.py",
        "src/pkg/parts.py",
        "src/pkg/deep/__init__.py",
        "src/pkg/deep/inner.py",
    }
    assert "src/pkg/core.py" in found.imports("tests/test_core.py")
    assert "src/pkg/far.py" in found.imports("src/pkg/deep/inner.py")
    assert set(found.imports("tests/conftest.py")) == {"tests/helper.py"}
    assert found.imports("web/a.ts") == ("web/lib/b.ts", "c/index.js")


def test_the_changed_files_that_are_the_fewest_imports_away_are_found() -> None:
    found = graph()
    assert found.nearest(["tests/test_core.py"], {"src/pkg/core.py", "src/pkg/far.py"}) == {"src/pkg/core.py"}
    assert found.nearest(["tests/test_core.py"], {"src/pkg/far.py"}) == {"src/pkg/far.py"}
    assert found.nearest(["tests/test_alone.py"], {"src/pkg/far.py"}) == frozenset()


def test_the_tests_that_import_a_changed_file_however_far_are_affected() -> None:
    found = graph()
    tests = found.python_tests()
    assert found.reaching(tests, {"src/alone.py"}) == ("tests/test_alone.py",)
    assert found.reaching(tests, {"src/pkg/far.py"}) == ("tests/test_core.py", "tests/test_far.py")
    assert len(found.reaching(tests, {"tests/helper.py"})) == len(tests) == 4


def test_a_script_is_imported_by_its_own_name_first_and_installed_ones_are_not_searched() -> None:
    named = {"a.js": "require('./b.js')", "b.js": "", "b.ts": "", "node_modules/c/index.js": "require('./d')"}
    found = ImportGraph(named, lambda path: named[path].encode())
    assert found.imports("a.js") == ("b.js",)
    assert found.imports("node_modules/c/index.js") == ()


def test_a_workspace_with_too_many_sources_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_graph, "MOST_FILES", 3)
    assert graph().imports("tests/test_far.py") == ()


CONTENTS = {**FILES, "crates/one/Cargo.toml": '[package]\nname = "one"\n', "crates/one/src/lib.rs": "", "main.rs": ""}


@pytest.mark.parametrize(
    ("template", "changed", "command"),
    [
        ("pytest {tests}", {"src/alone.py"}, "pytest tests/test_alone.py"),
        ("pytest {tests}", {"tests/helper.py"}, ""),  # all of them
        ("pytest {tests}", {"README.md"}, ""),
        ("jest --findRelatedTests {changed}", {"web/a.ts", "README.md"}, "jest --findRelatedTests web/a.ts"),
        ("jest {changed}", {"web/gone.ts"}, ""),
        ("go test {packages}", {"a/b.go", "a/c.go", "$(x).go"}, "go test ./. ./a"),
        ("cargo test {crates}", {"crates/one/src/lib.rs"}, "cargo test -p one"),
        ("cargo test {crates}", {"crates/one/src/lib.rs", "main.rs"}, ""),
        ("", {"src/alone.py"}, ""),
    ],
)
def test_the_command_names_the_affected_tests_or_is_empty(template: str, changed: set[str], command: str) -> None:
    def read(path: str) -> bytes | None:
        return CONTENTS[path].encode() if path in CONTENTS else None

    check = Check(name="t", command="all", affected=template)
    assert affected_command(check, changed, ImportGraph(CONTENTS, read), read) == command


def test_names_of_files_are_no_words_of_the_shell_and_no_options() -> None:
    named = {"sub/-x.js": "", "sub/a b;c.js": "", "other.js": ""}
    check = Check(name="t", command="all", affected="jest {changed}", cwd="sub")
    found = affected_command(check, named.keys(), ImportGraph(named, lambda path: b""), lambda path: b"")
    assert found == "jest ./-x.js 'a b;c.js'"
