"""The program starts itself rightly whether installed or frozen, and a frozen one keeps its libraries to itself."""

import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.processes.own_program import leave_bundle_out_of, own_command, own_papers, own_script


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/usr/lib/tandem-desktop/tandem")


def test_installed_program_is_started_through_its_interpreter(tmp_path: Path) -> None:
    asked = subprocess.run(own_command("--version"), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert asked.stdout.startswith("tandem ")


def test_installed_program_runs_no_module_of_the_folder_it_is_started_in(tmp_path: Path) -> None:
    for name in ("acp", "asyncio", "json", "pydantic", "runpy", "tandem_desktop"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    asked = subprocess.run(own_command("--version"), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert asked.stdout.startswith("tandem ")


def test_script_of_an_installed_program_finds_no_module_of_the_folder_it_is_started_in(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import json, sys; print(json.dumps(sys.argv[1:]))")
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong module')")
    command = own_script(str(script), "word", frozen=("agent",))
    started = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert started.stdout == '["word"]\n'


@pytest.mark.usefixtures("frozen")
def test_frozen_program_starts_itself_by_its_sub_commands_alone() -> None:
    assert own_command("agent") == ("/usr/lib/tandem-desktop/tandem", "agent")
    relay = own_script("relay.py", "SES-1", frozen=("mcp", "--session", "SES-1"))
    assert relay == ("/usr/lib/tandem-desktop/tandem", "mcp", "--session", "SES-1")


@pytest.mark.usefixtures("frozen")
def test_frozen_program_finds_its_papers_wherever_its_tree_was_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "lib" / "tandem-desktop" / "tandem"))
    assert own_papers() is None
    (tmp_path / "share" / "doc" / "tandem-desktop").mkdir(parents=True)
    assert own_papers() == tmp_path / "share" / "doc" / "tandem-desktop"


def test_installed_program_has_its_papers_elsewhere() -> None:
    assert own_papers() is None


@pytest.mark.usefixtures("frozen")
def test_children_of_a_frozen_program_get_the_search_paths_of_the_person() -> None:
    environment = {
        "LD_LIBRARY_PATH": "/usr/lib/tandem-desktop/_internal:/opt/mine",
        "LD_LIBRARY_PATH_ORIG": "/opt/mine",
        "QT_PLUGIN_PATH": "/usr/lib/tandem-desktop/_internal/PySide6/Qt/plugins",
        "_PYI_ARCHIVE_FILE": "/usr/lib/tandem-desktop/tandem",
        "PATH": "/usr/bin",
    }
    leave_bundle_out_of(environment)
    assert environment == {"LD_LIBRARY_PATH": "/opt/mine", "PATH": "/usr/bin"}


@pytest.mark.usefixtures("frozen")
def test_a_search_path_nobody_had_set_is_gone_for_children() -> None:
    environment = {"LD_LIBRARY_PATH": "/usr/lib/tandem-desktop/_internal"}
    leave_bundle_out_of(environment)
    assert environment == {}


def test_environment_of_an_installed_program_is_left_alone() -> None:
    environment = {"LD_LIBRARY_PATH": "/opt/mine", "QT_PLUGIN_PATH": "/opt/plugins"}
    leave_bundle_out_of(environment)
    assert environment == {"LD_LIBRARY_PATH": "/opt/mine", "QT_PLUGIN_PATH": "/opt/plugins"}
