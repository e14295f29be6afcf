"""What forbids user namespaces is named, and the remedy is for this program alone."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.shadow.namespaces import (
    INSTALLED_PROGRAM,
    PROFILE,
    NamespaceLimits,
    namespace_limits,
    profile_text,
)

APPARMOR = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
ORDINARY, ROOT = "CapEff:\t0000000000000000\n", "CapEff:\t000001ffffffffff\n"
INTERPRETER = "/home/ada/tandem/.venv/bin/python3.12"


def machine(root: Path, program: str = INTERPRETER, **files: str) -> NamespaceLimits:
    """The limits on a machine with these files; `__` stands for a slash."""
    for name, text in {"proc__self__status": ORDINARY, **files}.items():
        place = root / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    exe = root / "proc/self/exe"
    exe.unlink(missing_ok=True)
    exe.symlink_to(program)
    return namespace_limits(root)


def restricted(root: Path, program: str = INTERPRETER, **files: str) -> NamespaceLimits:
    label = {"proc__self__attr__apparmor__current": "unconfined\n"}
    return machine(root, program, **{APPARMOR.replace("/", "__"): "1\n", **label, **files})


def parsed(profile: Path) -> "subprocess.CompletedProcess[str]":
    search = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    command = shutil.which("apparmor_parser", path=search)
    if command is None:
        pytest.skip("apparmor_parser is not installed")
    words = [command, "--skip-kernel-load", "--skip-cache", str(profile)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_machine_without_restrictions_allows_them_and_needs_no_remedy(tmp_path: Path) -> None:
    found = machine(tmp_path)
    assert (found.are_allowed, found.description, found.remedy) == (True, "User namespaces are allowed.", "")


@pytest.mark.parametrize("name", ["user.max_user_namespaces", "kernel.unprivileged_userns_clone"])
def test_a_setting_that_forbids_them_to_all_is_named_and_never_advised_away(tmp_path: Path, name: str) -> None:
    found = machine(tmp_path, **{f"proc__sys__{name.replace('.', '__')}": "0\n"})
    assert not found.are_allowed
    assert f"{name}=0" in found.description
    assert found.remedy
    assert "sysctl" not in found.remedy


def test_apparmor_without_a_profile_for_this_program_restricts_it(tmp_path: Path) -> None:
    found = restricted(tmp_path)
    assert not found.are_allowed
    assert "kernel.apparmor_restrict_unprivileged_userns=1" in found.description
    assert f"no profile is loaded for {INTERPRETER}" in found.description


@pytest.mark.parametrize("label", ["unconfined\n", "unconfined", "", "unprivileged_userns (enforce)\n"])
def test_a_label_that_stands_for_no_profile_allows_nothing(tmp_path: Path, label: str) -> None:
    assert not restricted(tmp_path, proc__self__attr__apparmor__current=label).are_allowed


@pytest.mark.parametrize("label", [f"{PROFILE} (unconfined)\n", f"{PROFILE} (unconfined)\0", f"{PROFILE} (enforce)"])
def test_a_program_with_its_profile_is_allowed_and_the_profile_is_named(tmp_path: Path, label: str) -> None:
    found = restricted(tmp_path, str(INSTALLED_PROGRAM), proc__self__attr__apparmor__current=label)
    assert (found.are_allowed, found.remedy) == (True, "")
    assert f"the profile {PROFILE} is loaded for {INSTALLED_PROGRAM}" in found.description


def test_apparmor_restricts_only_those_without_the_rights_of_root(tmp_path: Path) -> None:
    assert restricted(tmp_path, proc__self__status=ROOT).are_allowed


def test_the_installed_program_is_told_how_to_get_its_own_profile_back(tmp_path: Path) -> None:
    program = str(INSTALLED_PROGRAM)
    assert restricted(tmp_path, program).remedy.endswith("sudo dpkg-reconfigure tandem-desktop")
    there = {f"etc__apparmor.d__{PROFILE}": ""}
    assert restricted(tmp_path, program, **there).remedy.endswith(f"sudo apparmor_parser -r /etc/apparmor.d/{PROFILE}")
    disabled = restricted(tmp_path, program, **{f"etc__apparmor.d__disable__{PROFILE}": ""})
    assert f"sudo rm /etc/apparmor.d/disable/{PROFILE}" in disabled.remedy


def test_any_other_program_gets_a_profile_to_paste_and_no_machine_wide_setting(tmp_path: Path) -> None:
    remedy = restricted(tmp_path).remedy
    first, *pasted = remedy.splitlines()
    assert ".deb" in first
    assert "sysctl" not in remedy
    written = tmp_path / "pasted"
    script = "\n".join(pasted).replace("sudo tee /etc/apparmor.d/tandem-desktop-source", f"tee '{written}'")
    subprocess.run(["sh", "-ec", script.rpartition("\n")[0]], check=True)
    assert written.read_text() == profile_text("tandem-desktop-source", Path(INTERPRETER))
    assert pasted[-1] == "sudo apparmor_parser -r /etc/apparmor.d/tandem-desktop-source"


def test_a_profile_names_one_program_and_allows_it_user_namespaces() -> None:
    lines = profile_text(PROFILE, INSTALLED_PROGRAM).splitlines()
    assert "abi <abi/4.0>," in lines
    assert f'profile {PROFILE} "{INSTALLED_PROGRAM}" flags=(unconfined) {{' in lines
    assert "  userns," in lines
    assert f"  include if exists <local/{PROFILE}>" in lines


@given(st.text(alphabet=st.sampled_from('ab é"\\*?[]{}^@#,\n'), min_size=1, max_size=12))
def test_no_character_of_a_path_is_a_pattern_in_the_profile(name: str) -> None:
    after = profile_text("x", Path("/p", name)).partition("profile x ")[2]
    quoted = after.rpartition(" flags=(unconfined)")[0][1:-1]
    plain, letters = "", iter(quoted)
    for letter in letters:
        assert letter not in '"*?[]{}^'
        plain += next(letters) if letter == "\\" else letter
    assert plain == str(Path("/p", name))


@pytest.mark.parametrize("program", [str(INSTALLED_PROGRAM), '/home/a b/[x]{y}*?^"\\#@{HOME}/é/python', "/a\nb/python"])
def test_the_parser_of_apparmor_accepts_the_profile(tmp_path: Path, program: str) -> None:
    (tmp_path / "known").write_text("profile known { userns, }\n")
    if parsed(tmp_path / "known").returncode:
        pytest.skip("this apparmor_parser does not know userns")
    (tmp_path / "profile").write_text(profile_text(PROFILE, Path(program)))
    ended = parsed(tmp_path / "profile")
    assert ended.returncode == 0, ended.stderr
