"""The doctor finds what stands in the way, says how to mend it, and leaves nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.acp_client.profiles import profile_named
from tandem_desktop.cli import doctor
from tandem_desktop.cli.doctor import Finding, Level
from tandem_desktop.shadow.landlock import landlock_missing
from tandem_desktop.shadow.namespaces import namespace_limits
from tandem_desktop.storage.paths import Locations
from tests.support.command_line import CommandLine, a_workspace, killed_while_writing, write
from tests.support.temporary import make_program


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TANDEM_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def tandem(tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


def errors(tandem: CommandLine) -> dict[str, dict[str, str]]:
    said = tandem("doctor", "--json")
    found = {check["name"]: check for check in said.data["checks"] if check["level"] == "error"}
    assert said.code == (1 if found else 0)
    assert said.data["ok"] is not bool(found)
    assert all(check["next"] for check in found.values())
    return found


def test_a_healthy_workspace_has_no_errors_and_gains_no_file(tandem: CommandLine) -> None:
    assert errors(tandem) == {}
    assert not (tandem.workspace / ".tandem").exists()
    tandem.apply(write("a", "x"))
    before = sorted(path.name for path in (tandem.workspace / ".tandem").iterdir())
    assert errors(tandem) == {}
    assert sorted(path.name for path in (tandem.workspace / ".tandem").iterdir()) == before


def test_a_state_folder_that_others_can_reach_is_an_error(tandem: CommandLine, state: Path) -> None:
    tandem.propose(write("a", "x"))
    state.chmod(0o755)
    assert errors(tandem)["state"]["next"] == f"chmod 700 {state}"


def test_a_state_folder_that_is_a_file_is_an_error(tandem: CommandLine, state: Path) -> None:
    state.write_text("")
    assert "state" in errors(tandem)


def test_an_interrupted_run_is_an_error(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a", "x"), write("b", "y"))
    tandem.approve(plan["plan_id"])
    killed_while_writing("b", ["-C", str(tandem.workspace), "apply", plan["plan_id"]])
    assert errors(tandem)["runs"]["next"] == "tandem recover"


def test_a_broken_audit_is_an_error(tandem: CommandLine, state: Path) -> None:
    tandem.apply(write("a", "x"))
    (state / "audit.jsonl").write_text("nonsense\n")
    assert "audit" in errors(tandem)


def test_a_notebook_that_is_a_link_is_an_error(tandem: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tandem.workspace / ".tandem").symlink_to(tmp_path / "elsewhere")
    assert "engine" in errors(tandem)


def test_a_missing_workspace_is_an_error(tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "workspace" in errors(CommandLine(tmp_path / "gone", capsys))


def test_a_machine_without_git_is_only_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert doctor.git().level is Level.WARNING


def test_exchange_is_tried_and_cleaned_up(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    locations = Locations(workspace=tmp_path / "ws", state=tmp_path / "state")
    locations.prepare_state()
    locations.prepare_workspace()
    before = sorted(tmp_path.rglob("*"))
    assert isinstance(doctor.swapping(locations), Finding)
    assert sorted(tmp_path.rglob("*")) == before


def test_libraries_the_window_lacks_are_named_by_their_packages() -> None:
    here = {"DISPLAY": ":0"}
    (found,) = doctor.window(here, lambda name: None if name in ("EGL", "xcb-cursor") else name)
    assert (found.level, found.next) == (Level.WARNING, "sudo apt-get install -y libegl1 libxcb-cursor0")
    (found,) = doctor.window(here, lambda name: name)
    assert found.level is Level.OK
    (found,) = doctor.window({}, lambda name: name)
    assert (found.level, "no display" in found.message) == (Level.INFO, True)
    (found,) = doctor.window(here, lambda name: name, lambda module: None)
    assert "PySide6 is not installed" in found.message


def test_agents_are_named_with_what_they_need_and_so_is_a_model_that_is_none(tandem: CommandLine) -> None:
    checks = tandem.answer("doctor")["checks"]
    named = {check["message"]: check["next"] for check in checks if check["name"] == "agents"}
    assert "Built-in agent is here." in named
    assert all(following for message, following in named.items() if "is not here" in message)
    assert doctor.model({"TANDEM_MODEL": "nobody"}).level is Level.ERROR
    assert doctor.model({}).level is Level.INFO
    assert doctor.model({"TANDEM_MODEL": "ollama:qwen3"}).level is Level.OK


def test_an_agent_that_has_neither_a_log_in_nor_a_key_is_told_with_what_it_needs(
    tandem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make_program(tmp_path / "programs/goose", "#!/bin/sh")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    named = {each["message"]: each["next"] for each in tandem.answer("doctor")["checks"] if each["name"] == "agents"}
    assert named["Goose is here; no log-in and no key for it was found."] == profile_named("goose").needs


def test_an_agent_whose_interpreter_is_gone_is_not_called_here(
    tandem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make_program(tmp_path / "programs/goose", f"#!{tmp_path}/gone/python")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    (found,) = [each for each in tandem.answer("doctor")["checks"] if "Goose" in each["message"]]
    assert (found["level"], f"{tmp_path}/gone/python" in found["message"]) == ("warning", True)
    assert found["next"]


@pytest.fixture
def restricted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a machine whose AppArmor restricts user namespaces; the doctor looks at them."""
    root = tmp_path / "machine"
    for name, text in {
        "proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n",
        "proc/self/attr/apparmor/current": "unconfined\n",
        "proc/self/status": "CapEff:\t0000000000000000\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "proc/self/exe").symlink_to("/home/ada/.venv/bin/python3.12")
    monkeypatch.setattr(doctor, "namespace_limits", lambda _: namespace_limits(root))
    return root


def test_a_restriction_by_apparmor_is_named_with_a_profile_to_paste(tandem: CommandLine, restricted: Path) -> None:
    said = tandem("doctor").out.splitlines()
    (found,) = [line for line in said if "kernel.apparmor_restrict_unprivileged_userns=1" in line]
    assert "no profile is loaded for /home/ada/.venv/bin/python3.12" in found
    assert "END" in said, "the end of a pasted block stands at the start of its line"
    assert not any("sysctl" in line for line in said)
    assert doctor.way_to_confinement() == "See namespaces above."
    (restricted / "proc/self/attr/apparmor/current").write_text("tandem-desktop (unconfined)\n")
    (found,) = [each for each in tandem.answer("doctor")["checks"] if each["name"] == "namespaces"]
    assert ("the profile tandem-desktop is loaded" in found["message"], found["next"]) == (True, "")


def test_a_machine_that_forbids_namespaces_is_told_which_setting_does(tmp_path: Path, state: Path) -> None:
    workspace = a_workspace(tmp_path)
    doctored = [sys.executable, "-m", "tandem_desktop", "-C", str(workspace), "doctor", "--json"]
    script = 'echo 0 > /proc/sys/user/max_user_namespaces || exit 99; exec "$@"'
    words = ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh", *doctored]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode == 99 or "unshare" in ended.stderr:
        pytest.skip("user namespaces are not allowed here")
    found = {each["name"]: each for each in json.loads(ended.stdout)["checks"]}
    assert "user.max_user_namespaces=0" in found["namespaces"]["message"]
    if missing := landlock_missing():
        assert found["confinement"]["level"] == "warning"
        assert found["confinement"]["next"] == "See namespaces above."
        assert missing.lower() in found["landlock"]["message"].lower()
    else:
        assert found["landlock"]["message"].startswith("ABI ")
        assert found["confinement"]["level"] == "ok"
        assert "confined by Landlock ABI" in found["confinement"]["message"]
    assert "sysctl" not in ended.stdout


def test_a_machine_without_bubblewrap_is_told_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (found,) = [each for each in doctor.confinement() if each.name == "bubblewrap"]
    assert found.next == doctor.way_to_confinement() == "sudo apt-get install -y bubblewrap"


def test_settings_that_cannot_be_read_are_an_error_and_wishes_in_vain_a_warning(
    tandem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    notebook = tandem.workspace / ".tandem"
    notebook.mkdir()
    (notebook / "plans.json").write_text('{"yolo": true}')
    levels = [finding.level for finding in doctor.settings(tandem.workspace)]
    assert levels == [Level.WARNING, Level.OK]
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text("nothing = 1\n")
    (found,) = doctor.settings(tandem.workspace)
    assert (found.level, "nothing" in found.message) == (Level.ERROR, True)
