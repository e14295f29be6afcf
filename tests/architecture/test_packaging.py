"""The two commands set up a fresh machine, or say exactly what is missing."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = [
    "packaging/start",
    "packaging/test",
    "packaging/build",
    "packaging/verify",
    "packaging/fresh",
    "packaging/lock",
    ".ci/run",
]
HELPERS = ["packaging/setup.sh", "packaging/verifying/machine.sh", "packaging/verifying/enter", "packaging/tour.py"]
LOCKS = ["packaging/locks/start.txt", "packaging/locks/test.txt", "packaging/locks/build.txt"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The set-up alone, in a folder with a space in its name."""
    folder = tmp_path / "a checkout"
    shutil.copytree(ROOT / "packaging", folder / "packaging", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def bash(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    words = f"set -euo pipefail; source packaging/setup.sh; {script}"
    return subprocess.run(
        [shutil.which("bash") or "/bin/bash", "-c", words],
        cwd=folder,
        env={**os.environ, "TANDEM_NO_APT": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def a_path_with(folder: Path, *tools: str, **scripts: str) -> str:
    """A PATH of a bare machine: these tools, and these scripts standing in for others."""
    folder.mkdir()
    for tool in (*tools, "dirname", "head", "grep", "awk", "rm", "flock"):
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    for name, body in scripts.items():
        (folder / name).write_text(f"#!{shutil.which('bash')}\n{body}\n")
        (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_can_be_run_and_are_whole(command: str) -> None:
    assert os.access(ROOT / command, os.X_OK)
    assert subprocess.run(["bash", "-n", ROOT / command], check=False).returncode == 0


@pytest.mark.parametrize("name", [*COMMANDS, *HELPERS, *LOCKS, "pyproject.toml"])
def test_no_address_of_a_machine_is_written_in(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text


def test_a_bare_machine_is_told_the_exact_packages(checkout: Path, tmp_path: Path) -> None:
    ended = bash("set_up start", checkout, PATH=a_path_with(tmp_path / "bin"))
    assert ended.returncode == 1
    assert "sudo apt-get install -y git python3 python3-venv" in ended.stderr
    assert not (checkout / ".venv").exists()


def test_a_python_that_is_too_old_is_not_taken(checkout: Path, tmp_path: Path) -> None:
    path = a_path_with(tmp_path / "bin", "git", python3="exit 1")
    ended = bash("set_up start", checkout, PATH=path)
    assert ended.returncode == 1
    assert "sudo apt-get install -y python3 python3-venv" in ended.stderr


def test_a_python_without_venv_asks_for_its_package_alone(checkout: Path, tmp_path: Path) -> None:
    answers = 'case "$2" in *ensurepip*) exit 1;; *print*) echo python3.11;; esac'
    ended = bash("set_up start", checkout, PATH=a_path_with(tmp_path / "bin", "git", python3=answers))
    assert ended.returncode == 1
    assert "these system packages are needed: python3-venv\n" in ended.stderr


def test_missing_optional_packages_stop_nothing_and_are_tried_once(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    twice = "install_optional no-such-package-here; install_optional no-such-package-here"
    ended = bash(twice, checkout)
    assert ended.returncode == 0
    assert ended.stderr.count("Going on without no-such-package-here (optional)") == 1


@pytest.mark.parametrize(
    ("python", "pip", "works"),
    [
        (sys.executable, "{venv}/bin/python", True),
        ("/nowhere/python3", "{venv}/bin/python", False),
        (sys.executable, "/elsewhere/bin/python", False),
    ],
    ids=["sound", "its Python vanished", "moved from elsewhere"],
)
def test_an_environment_is_kept_only_while_it_works_here(checkout: Path, python: str, pip: str, works: bool) -> None:
    venv = checkout / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").write_text(f'#!/bin/sh\nexec {python} "$@"\n')
    (venv / "bin" / "python").chmod(0o755)
    (venv / "bin" / "pip").write_text(f"#!{pip.format(venv=venv)}\n")
    assert (bash("environment_works", checkout).returncode == 0) is works


def test_packages_come_from_the_lock_by_hash_and_again_only_when_it_or_the_project_changes(checkout: Path) -> None:
    venv = checkout / ".venv" / "bin"
    venv.mkdir(parents=True)
    for name in ("python", "tandem"):
        (venv / name).write_text('#!/bin/sh\necho "pip ran: $*"\n')
        (venv / name).chmod(0o755)
    locked, own = bash("install_python_packages test", checkout).stdout.splitlines()
    assert locked.endswith(f"--require-hashes -r {checkout}/packaging/locks/test.txt")
    assert own.endswith(f"--no-deps --no-build-isolation -e {checkout}")
    assert bash("install_python_packages test", checkout).stdout == ""
    assert bash("install_python_packages start", checkout).stdout != "", "each command remembers for itself"
    for name in ("pyproject.toml", "packaging/locks/test.txt"):
        with (checkout / name).open("a") as changed:
            changed.write("# changed\n")
        assert bash("install_python_packages test", checkout).stdout != ""


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_of_a_lock_names_one_version_and_its_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert len(lines) > 40
    assert [line for line in lines if "==" not in line.split()[0] or "--hash=sha256:" not in line] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_satisfies_what_the_project_asks_for(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    locked = dict(line.split()[0].split("==") for line in text.splitlines() if "==" in line.split(" ")[0])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = ("gui", "agent", "api", "mcp", *(("test", "dev") if lock.endswith("test.txt") else ()))
    asked = [*project["dependencies"], *(each for extra in extras for each in project["optional-dependencies"][extra])]
    for requirement in map(Requirement, asked):
        if requirement.name != "tandem-desktop":
            assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), requirement
