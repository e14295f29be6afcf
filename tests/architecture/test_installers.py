"""What is installed says the same everywhere: names, version, resources, and every call on the manual page."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from functools import cache
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as Xml

import pytest

import tandem_desktop
from tandem_desktop.cli.completion import commands
from tandem_desktop.diff.syntax import GRAMMARS
from tandem_desktop.shadow.namespaces import INSTALLED_PROGRAM, PROFILE
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.temporary import make_program

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
SPEC = ROOT / "packaging" / "frozen" / "tandem.spec"
NAME = "tandem-desktop"


@pytest.fixture(scope="module")
def trimming() -> ModuleType:
    return loaded(SPEC.parent / "trimming.py")


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    return loaded(ROOT / "packaging" / "making" / "licences.py")


def loaded(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(script: str, *words: str) -> str:
    command = [sys.executable, ROOT / "packaging" / "making" / script, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def entry() -> dict[str, str]:
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names of keys are spelled as they are
    parser.read(LINUX / f"{NAME}.desktop", encoding="utf-8")
    return dict(parser["Desktop Entry"])


def test_desktop_entry_opens_folders_and_patches_with_the_window() -> None:
    found = entry()
    assert found["Exec"] == f"{NAME} %f"
    assert set(found["MimeType"].strip(";").split(";")) == {"inode/directory", "text/x-diff", "text/x-patch"}


def test_window_entry_and_icon_go_by_one_name() -> None:
    window = (ROOT / "tandem_desktop" / "app" / "window.py").read_text(encoding="utf-8")
    assert f'setDesktopFileName("{NAME}")' in window
    assert entry()["Icon"] == NAME
    assert f'APPLICATION = "{entry()["StartupWMClass"]}"' in window
    assert (ROOT / "resources" / "icons" / "application" / f"{NAME}.svg").is_file()


def test_metainfo_names_the_entry_and_takes_its_version_from_the_build() -> None:
    root = Xml.parse(LINUX / "metainfo.xml.in").getroot()
    component = root.findtext("id")
    tree = (ROOT / "packaging" / "making" / "tree.py").read_text(encoding="utf-8")
    assert f'COMPONENT = "{component}"' in tree
    assert root.findtext("launchable") == f"{NAME}.desktop"
    release = root.find("releases/release")
    assert release is not None
    assert release.attrib == {"version": "@VERSION@", "date": "@DATE@"}


def test_version_is_written_in_one_place() -> None:
    literal = re.compile(rf"(?<![\d.]){re.escape(tandem_desktop.__version__)}(?![\d.])")
    places = [ROOT / "pyproject.toml", *(path for path in (ROOT / "packaging").rglob("*") if path.is_file())]
    ours = [path for path in places if path.suffix != ".pyc" and path.parent.name != "locks"]
    texts = {path: path.read_bytes().decode("utf-8", "replace") for path in ours}
    assert [path.name for path, text in texts.items() if literal.search(text)] == []


def test_package_names_whoever_builds_it_and_otherwise_an_address_that_cannot_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def control(**named: str) -> str:
        for name in ("DEBFULLNAME", "DEBEMAIL"):
            monkeypatch.setenv(name, named.get(name, ""))
        made("control.py", str(tmp_path), "amd64", "2.36")
        return (tmp_path / "DEBIAN" / "control").read_text(encoding="utf-8")

    assert "\nMaintainer: Ada <ada@example.org>\n" in control(DEBFULLNAME="Ada", DEBEMAIL="ada@example.org")
    assert re.search(r"^Maintainer: Tandem Desktop contributors <\S+@\S+\.invalid>$", control(), re.MULTILINE)
    assert "@" not in re.sub(r"<.+?>", "", control())


def test_manual_page_tells_every_call_and_every_option() -> None:
    page = made("man_page.py").replace("\\-", "-")
    for command in commands():
        assert f".SS tandem {command.name}" in page
        for option in command.options:
            assert f"\\fB{option.names[-1]}\\fR" in page, f"{command.name} {option.names}"


@pytest.mark.parametrize("word", ["resources", "tandem_desktop", "keyring.backends"])
def test_frozen_program_takes_whole_folders_of_what_is_found_by_name(word: str) -> None:
    text = SPEC.read_text(encoding="utf-8")
    whole = {"resources": '(str(wheel / "_resources"), "resources")'}
    assert whole.get(word, f'collect_submodules("{word}")') in text


def test_every_library_imported_by_name_is_named_for_the_frozen_program() -> None:
    sources = (ROOT / "tandem_desktop").rglob("*.py")
    named = {name for path in sources for name in re.findall(r'import_module\("([\w.]+)"\)', path.read_text("utf-8"))}
    others = {name for name in named if not name.startswith("tandem_desktop")}
    assert "diff_match_patch" in others
    spec = SPEC.read_text(encoding="utf-8")
    assert {name for name in others if f'"{name}"' not in spec} == set()


def test_every_grammar_is_a_dependency_and_part_of_the_frozen_program() -> None:
    wanted = {grammar.module.replace("_", "-") for grammar in GRAMMARS.values()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {re.split(r"[^\w-]", each)[0] for each in project["dependencies"]}
    assert wanted <= declared
    assert 'part.startswith("tree-sitter")' in SPEC.read_text(encoding="utf-8")


def test_trimming_keeps_what_shows_a_window_and_leaves_out_what_the_system_has(trimming: ModuleType) -> None:
    plugins = "PySide6/Qt/plugins"
    for kept in ("platforms/libqxcb.so", "platforms/libqwayland.so", "imageformats/libqsvg.so"):
        assert trimming.is_wanted_binary(f"{plugins}/{kept}")
    for left in ("platformthemes/libqgtk3.so", "platforms/libqeglfs.so"):
        assert not trimming.is_wanted_binary(f"{plugins}/{left}")
    assert not trimming.is_wanted_binary("libstdc++.so.6")
    assert not trimming.is_wanted_script("pyi_rth_pyside6")
    assert trimming.is_wanted_data("resources/prompts/system.md")
    assert trimming.is_wanted_data("resources/CHANGELOG.md")
    assert not trimming.is_wanted_data("resources/sample/workspace/greeter/__pycache__/greeting.cpython-311.pyc")


def test_frozen_program_carries_the_papers_that_about_reads_and_no_path_of_its_builder(trimming: ModuleType) -> None:
    assert 'for part in ("tandem-desktop", *parts) for paper in copy_metadata(part)' in SPEC.read_text(encoding="utf-8")
    assert trimming.is_wanted_data("pydantic-1.0.dist-info/METADATA")
    assert not trimming.is_wanted_data("tandem_desktop-1.0.dist-info/direct_url.json")


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="asks dpkg whose a library is")
def test_licences_name_the_package_of_a_library_wherever_it_lies(licences: ModuleType) -> None:
    (library, *_) = Path("/lib").glob("*/libz.so.1")
    assert set(licences._system_packages([("libz.so.1", str(library))])) == {"zlib1g"}
    with pytest.raises(SystemExit, match="in no package"):
        licences._system_packages([("libmine.so", "/usr/lib/libmine.so")])


def test_licences_name_libraries_inside_of_wheels_and_stop_at_a_strange_one(licences: ModuleType) -> None:
    taken = [("PySide6/Qt/lib/libQt6Core.so.6", ""), ("PySide6/Qt/lib/libicuuc.so.73", ""), ("cffi/x.so", "")]
    ((name, _, text),) = licences._inside_wheels(taken)
    assert name == "ICU"
    assert "UNICODE" in text.read_text(encoding="utf-8")
    with pytest.raises(SystemExit, match="libstrange-1"):
        licences._inside_wheels([*taken, ("cffi.libs/libstrange-1.so", "")])


def test_licences_name_every_file_of_others_among_the_resources(licences: ModuleType) -> None:
    resources = ROOT / "resources"
    texts = {*resources.rglob("LICEN[CS]E*"), *resources.rglob("OFL*")}
    assert texts == {text for _, _, text in licences._OWN_FILES}
    told = "\n".join(licences._lines([], [], {}))
    assert "Unicode Security Mechanisms, confusables.txt: Unicode-3.0" in told
    assert "UNICODE LICENSE V3" in told


def test_icon_is_drawn_in_every_size_from_one_drawing(tmp_path: Path) -> None:
    made("icons.py", str(tmp_path))
    drawn = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob(f"{NAME}.*")}
    assert {"16x16", "48x48", "128x128", "512x512", "scalable"} <= drawn
    assert all(path.stat().st_size > 200 for path in tmp_path.rglob("*.png"))


def test_every_lintian_override_is_explained() -> None:
    lines = (LINUX / "lintian-overrides").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    rules = [line for line in lines if not line.startswith("#")]
    assert rules
    assert all(line.startswith(f"{NAME}: ") for line in rules)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A .deb with the control files and the profile of the real one, and without the program."""
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg is not installed")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    tree = tmp_path / "tree"
    folder = tree / "usr" / "share" / NAME / "apparmor"
    folder.mkdir(parents=True)
    (folder / PROFILE).write_text(packaged_profile())
    made("control.py", str(tree), "all", "2.36")
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, tmp_path / "it.deb"], check=True)
    return tmp_path / "it.deb"


@cache
def packaged_profile() -> str:
    """As `tree.py` writes it; that imports its neighbours, so it is asked in their folder."""
    code = "import tree; print(tree.installed_profile(), end='')"
    words = [sys.executable, "-c", code]
    asked = subprocess.run(words, cwd=ROOT / "packaging" / "making", capture_output=True, text=True, check=True)
    return asked.stdout


def dpkg(root: Path, *words: object) -> None:
    """On a machine in a folder; its scripts run here, told by DPKG_ROOT where that folder is."""
    for folder in ("updates", "info", "triggers"):
        (root / "var/lib/dpkg" / folder).mkdir(parents=True, exist_ok=True)
    for name in ("status", "available", "diversions"):
        (root / "var/lib/dpkg" / name).touch()
    forced = ["--force-not-root", "--force-script-chrootless", "--force-depends", "--force-architecture"]
    command = ["dpkg", f"--root={root}", "--log=/dev/null", *forced, *map(str, words)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def parser_of(machine: Path, monkeypatch: pytest.MonkeyPatch, exit_code: int) -> None:
    """The parser of AppArmor, as one that accepts the profile or refuses it."""
    make_program(machine / "bin/apparmor_parser", "#!/bin/sh", f"exit {exit_code}")
    monkeypatch.setenv("PATH", f"{machine / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin")
    (machine / "etc/apparmor.d/local").mkdir(parents=True, exist_ok=True)


def test_package_installs_its_profile_and_a_purge_leaves_nothing_of_it(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = tmp_path / "machine"
    parser_of(machine, monkeypatch, 0)
    dpkg(machine, "--install", package)
    installed = machine / "etc/apparmor.d" / PROFILE
    assert installed.read_text() == packaged_profile()
    assert installed.stat().st_mode & 0o777 == 0o644
    (machine / "etc/apparmor.d/local" / PROFILE).write_text("  # of the administrator\n")
    dpkg(machine, "--remove", NAME)
    assert not installed.exists()
    assert (machine / "etc/apparmor.d/local" / PROFILE).exists(), "it may be installed again"
    dpkg(machine, "--purge", NAME)
    left = [path for path in machine.rglob("*") if NAME in path.name and path.parent.name != "info"]
    assert left == []


def test_package_keeps_its_profile_from_a_parser_that_does_not_know_its_rules(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = tmp_path / "machine"
    parser_of(machine, monkeypatch, 1)
    dpkg(machine, "--install", package)
    assert not (machine / "etc/apparmor.d" / PROFILE).exists()
    parser_of(machine, monkeypatch, 0)
    assert "interest-noawait /etc/apparmor.d/abi\n" in (LINUX / "triggers").read_text(encoding="utf-8")
    environment = {**os.environ, "DPKG_ROOT": str(machine)}
    subprocess.run([LINUX / "postinst", "triggered", "/etc/apparmor.d/abi"], env=environment, check=True)
    assert (machine / "etc/apparmor.d" / PROFILE).exists(), "a newer parser came"


def test_package_is_installed_where_there_is_no_apparmor(package: Path, tmp_path: Path) -> None:
    machine = tmp_path / "machine"
    dpkg(machine, "--install", package)
    assert not (machine / "etc").exists()
    dpkg(machine, "--purge", NAME)


@pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")
@pytest.mark.parametrize(("active", "disabled"), [(True, False), (False, False), (True, True)])
def test_profile_is_loaded_where_apparmor_is_active_and_unloaded_with_the_package(
    tmp_path: Path, active: bool, disabled: bool
) -> None:
    profiles, share, bin_ = (tmp_path / name for name in ("profiles", "share", "bin"))
    (share / "apparmor").mkdir(parents=True)
    (share / "apparmor" / PROFILE).write_text(packaged_profile())
    (profiles / "disable").mkdir(parents=True)
    if disabled:
        (profiles / "disable" / PROFILE).touch()
    make_program(bin_ / "apparmor_parser", "#!/bin/sh", f'echo "$1 $2" >> {tmp_path}/calls\n')
    make_program(bin_ / "aa-enabled", "#!/bin/sh", "exit 0" if active else "exit 1")
    make_program(bin_ / "ischroot", "#!/bin/sh", "exit 1")
    hidden = ["--tmpfs", "/etc", "--tmpfs", "/usr/share", "--tmpfs", "/var", "--bind", tmp_path, tmp_path]
    shown = ["--bind", profiles, "/etc/apparmor.d", "--bind", share, f"/usr/share/{NAME}"]
    for script, word in (("postinst", "configure"), ("prerm", "upgrade"), ("prerm", "remove")):
        words = [
            "bwrap",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            *hidden,
            *shown,
            "--setenv",
            "PATH",
            f"{bin_}:/usr/bin:/bin",
        ]
        subprocess.run([*map(str, words), str(LINUX / script), word], check=True)
    calls = (tmp_path / "calls").read_text().splitlines()
    loaded, unloaded = f"--replace /etc/apparmor.d/{PROFILE}", f"--remove /etc/apparmor.d/{PROFILE}"
    assert [call for call in calls if call in (loaded, unloaded)] == (
        ([] if disabled else [loaded]) + [unloaded] if active else []
    )
    assert not (profiles / PROFILE).exists()


def test_profile_names_the_executable_that_the_package_installs() -> None:
    tree = (ROOT / "packaging" / "making" / "tree.py").read_text(encoding="utf-8")
    assert f'"{INSTALLED_PROGRAM}"' in packaged_profile()
    assert 'shutil.copytree(frozen, usr / "lib" / NAME, symlinks=True)' in tree
    assert '(usr / "bin" / name).symlink_to(f"../lib/{NAME}/tandem")' in tree
    assert 'programs = [program("tandem", console=True)]' in SPEC.read_text(encoding="utf-8")
    assert Path("/usr/lib", NAME, "tandem") == INSTALLED_PROGRAM


@pytest.mark.parametrize("system", ["windows", "macos"])
def test_recipes_for_other_systems_say_that_nobody_built_them(system: str) -> None:
    assert "not built here" in (ROOT / "packaging" / system / "README.md").read_text(encoding="utf-8")
