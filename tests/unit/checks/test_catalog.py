"""The list of checks is written down strictly, or found from files, and known by its digest."""

import json
import os
from pathlib import Path

import pytest

from tandem_desktop.checks.catalog import CheckList, load_checks
from tandem_desktop.domain.errors import BadInputError, StorageError


def listed(root: Path, text: str) -> CheckList:
    (root / ".tandem").mkdir(exist_ok=True)
    (root / ".tandem" / "checks.toml").write_text(text)
    return load_checks(root)


def found(root: Path) -> dict[str, str]:
    return {check.name: check.format for check in load_checks(root).checks}


def test_a_written_list_is_run_as_it_is_and_nothing_is_found_beside_it(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("")
    checks = listed(tmp_path, '[[check]]\nname = "t"\ncommand = "run it"\nformat = "tap"\ntimeout = 9\n')
    assert [(check.name, check.command, check.timeout) for check in checks.checks] == [("t", "run it", 9)]
    assert not checks.is_found


@pytest.mark.parametrize(
    "text",
    [
        "check = 1",
        "[[check",
        '[[check]]\nname = "t"\n',
        '[[check]]\nname = "t"\ncommand = "x"\nformat = "guess"\n',
        '[[check]]\nname = "t"\ncommand = "x"\nnetwork = true\n',
        '[[check]]\nname = "t"\ncommand = "x"\ncwd = "../elsewhere"\n',
        '[[check]]\nname = "t"\ncommand = "x"\nreport = "/etc/passwd"\n',
        '[[check]]\nname = "t"\ncommand = "x"\ntimeout = 0\n',
        '[[check]]\nname = "\\u001b[2J"\ncommand = "x"\n',
        '[[check]]\nname = "t"\ncommand = "x"\n[[check]]\nname = "t"\ncommand = "y"\n',
    ],
)
def test_a_list_that_cannot_be_understood_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInputError, match=r"checks\.toml"):
        listed(tmp_path, text)


def test_a_list_that_is_a_folder_or_a_pipe_is_refused_by_its_name(tmp_path: Path) -> None:
    place = tmp_path / ".tandem" / "checks.toml"
    place.mkdir(parents=True)
    with pytest.raises(BadInputError, match=r"checks\.toml is not a file"):
        load_checks(tmp_path)
    place.rmdir()
    os.mkfifo(place)
    with pytest.raises(BadInputError, match=r"checks\.toml is not a file"):
        load_checks(tmp_path)


def test_a_list_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".tandem").mkdir()
    (tmp_path / "other.toml").write_text('[[check]]\nname = "t"\ncommand = "x"\n')
    (tmp_path / ".tandem" / "checks.toml").symlink_to(tmp_path / "other.toml")
    with pytest.raises(StorageError):
        load_checks(tmp_path)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ({"tests/unit/test_a.py": ""}, {"pytest": "junit"}),
        ({"conftest.py": "", "Makefile": "test:\n\ttrue\n"}, {"pytest": "junit"}),
        (
            {"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.pyright]\n"},
            {"ruff": "ruff", "mypy": "mypy", "pyright": "pyright"},
        ),
        ({"package.json": '{"scripts": {"test": "node --test"}}'}, {"npm test": "tap"}),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, {}),
        ({"tsconfig.json": "{}", "eslint.config.js": ""}, {"tsc": "tsc", "eslint": "eslint"}),
        ({"Cargo.toml": ""}, {"cargo test": "libtest", "cargo clippy": "cargo"}),
        ({"go.mod": ""}, {"go test": "gotest", "go vet": "govet"}),
        ({"Makefile": "all:\n\ttrue\ntest: all\n\ttrue\n"}, {"make test": "exit"}),
        ({"README.md": "", "package.json": "[", "pyproject.toml": "["}, {}),
    ],
)
def test_checks_are_found_from_the_files_that_call_for_them(
    tmp_path: Path, files: dict[str, str], names: dict[str, str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert found(tmp_path) == names


def test_a_script_of_package_json_is_part_of_what_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"scripts": {"test": "node --test"}}')
    before = load_checks(tmp_path).digest
    (tmp_path / "package.json").write_text('{"scripts": {"test": "curl evil.example"}}')
    assert load_checks(tmp_path).digest != before


def test_scripts_that_npm_runs_around_the_tests_are_part_of_what_is_accepted(tmp_path: Path) -> None:
    scripts = {"test": "node --test", "pretest": "curl evil.example", "posttest": "id", "build": "make"}
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))
    (check,) = load_checks(tmp_path).checks
    assert check.runs == "curl evil.example\nnode --test\nid"


def test_a_script_is_part_of_the_list_to_its_end_or_is_no_check(tmp_path: Path) -> None:
    def runs(script: str) -> list[str]:
        (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": script}}))
        return [check.runs for check in load_checks(tmp_path).checks]

    assert runs("true;" * 700 + "evil") == ["true;" * 700 + "evil"]
    assert runs("true;" * 900 + "evil") == []


def test_another_command_is_another_digest_and_the_same_list_the_same(tmp_path: Path) -> None:
    one = listed(tmp_path, '[[check]]\nname = "t"\ncommand = "x"\n').digest
    assert listed(tmp_path, '[[check]]\n# a word\nname = "t"\ncommand = "x"\n').digest == one
    assert listed(tmp_path, '[[check]]\nname = "t"\ncommand = "x; y"\n').digest != one


def test_a_name_that_is_not_in_the_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no check 'u'"):
        listed(tmp_path, '[[check]]\nname = "t"\ncommand = "x"\n').only(("u",))


@pytest.mark.parametrize(
    ("script", "form", "ahead"),
    [
        ("jest", "jest", "--findRelatedTests {changed}"),
        ("npx jest --ci", "jest", "--findRelatedTests {changed}"),
        ("vitest run", "jest", "related --run"),
        ("jest && rm -rf dist", "tap", ""),
        ("node --test", "tap", ""),
    ],
)
def test_a_script_that_is_jest_or_vitest_alone_is_asked_for_its_report(
    tmp_path: Path, script: str, form: str, ahead: str
) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": script}}))
    check = load_checks(tmp_path).checks[0]
    assert (check.format, check.runs) == (form, script)
    assert bool(check.affected) is bool(ahead)
    assert ahead in check.affected


def test_pyright_that_npm_installed_here_is_taken(tmp_path: Path) -> None:
    program = tmp_path / "node_modules" / ".bin" / "pyright"
    program.parent.mkdir(parents=True)
    program.touch(0o755)
    (tmp_path / "pyrightconfig.json").write_text("{}")
    assert load_checks(tmp_path).checks[0].command == "node_modules/.bin/pyright --outputjson"


def test_a_file_that_cannot_be_read_calls_for_no_check(tmp_path: Path) -> None:
    (tmp_path / "Makefile").mkdir()
    (tmp_path / "pyproject.toml").write_bytes(b"\xff[tool.ruff]\n")
    (tmp_path / "package.json").symlink_to("/etc/passwd")
    assert load_checks(tmp_path).checks == ()
