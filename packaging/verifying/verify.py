"""Check what `packaging/build` left in dist/, as those meet it who install it; prints one short table.

`packaging/verify` sets everything up and calls this. `--only NAME…` does some of: papers wheel paint machine.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calls import check_calls
from first_paint import first_paint
from machine import Machine
from report import CheckError, Report
from window import drive

from tandem_desktop import __version__

PROJECT = Path(__file__).resolve().parents[2]
BUILD, DIST = PROJECT / "build", PROJECT / "dist"
MEGABYTE = 1_000_000
MOST_INSTALLED, MOST_PACKED, SLOWEST = 260, 75, 1.3
PARTS = ("papers", "wheel", "paint", "machine")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--rounds", type=int, default=9, help="of starting, for the first picture")
    chosen = parser.parse_args()
    report = Report()
    deb = _one(f"tandem-desktop_{__version__}_*.deb")
    with _unpacked(deb) as tree:
        if "papers" in chosen.only:
            _check_papers(deb, tree, report)
        if "wheel" in chosen.only:
            report.check("wheel in a clean environment", _wheel)
            report.check("sdist makes the same wheel", _sdist)
        if "paint" in chosen.only:
            _check_first_paint(tree, report, chosen.rounds)
    if "machine" in chosen.only:
        _check_machine(deb, report)
    print(f"\n{report.table()}")
    return 0 if report.is_good else 1


def _check_papers(deb: Path, tree: Path, report: Report) -> None:
    report.at_most(".deb", deb.stat().st_size / MEGABYTE, MOST_PACKED, "MB")
    files = [path for path in tree.rglob("*") if path.is_file() and not path.is_symlink()]
    report.at_most("installed", sum(path.stat().st_size for path in files) / MEGABYTE, MOST_INSTALLED, "MB")
    archive = _one(f"tandem-desktop-{__version__}-linux-*.tar.zst")
    report.row(".tar.zst", f"{archive.stat().st_size / MEGABYTE:.4g} MB")
    share = tree / "usr" / "share"
    (entry,), (metainfo,) = share.glob("applications/*.desktop"), share.glob("metainfo/*.xml")
    report.check("desktop-file-validate", lambda: _run("desktop-file-validate", entry))
    report.check("appstreamcli validate --no-net", lambda: _run("appstreamcli", "validate", "--no-net", metainfo))
    report.check("lintian", lambda: _lintian(deb))
    report.check("About knows every part", lambda: _parts(tree))
    report.check("tar.zst starts where it is unpacked", lambda: _archive(archive))


def _lintian(deb: Path) -> str:
    said = subprocess.run(["lintian", "--no-tag-display-limit", deb], capture_output=True, text=True, check=False)
    found = [line for line in said.stdout.splitlines() if line[:2] in ("E:", "W:")]
    if found:
        raise CheckError("; ".join(found))
    overrides = (PROJECT / "packaging" / "linux" / "lintian-overrides").read_text(encoding="utf-8").splitlines()
    return f"nothing beyond {sum(not line.startswith('#') for line in overrides)} explained overrides"


def _parts(tree: Path) -> str:
    """The page About reads names and licences from the papers in the program's folder."""
    from tandem_desktop.ui.about import about_facts

    papers = (tree / "usr" / "lib" / "tandem-desktop" / "_internal").glob("*.dist-info")
    carried = {re.sub("[-_.]+", "-", path.name.partition("-")[0]).lower() for path in papers}
    parts = {re.sub("[-_.]+", "-", part.name).lower() for part in about_facts(()).parts if part.version}
    if missing := sorted({"tandem-desktop", *parts} - carried):
        raise CheckError(f"without papers: {missing}")
    return f"{len(parts)} parts with version and licence"


def _archive(archive: Path) -> str:
    target = BUILD / "unpacked-archive"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    _run("tar", "--extract", "--zstd", "--file", archive, "--directory", target)
    (program,) = target.glob("*/bin/tandem")
    try:
        return _run("env", "-i", "PATH=/usr/bin:/bin", f"HOME={target}", program, "--version")
    finally:
        shutil.rmtree(target)


def _wheel() -> str:
    """Everything from the wheel alone: no checkout, no environment of ours."""
    folder = BUILD / "wheel-check"
    shutil.rmtree(folder, ignore_errors=True)
    wheel = _one(f"tandem_desktop-{__version__}-*.whl")
    _run(sys.executable, "-m", "venv", folder / "venv")
    _run(folder / "venv" / "bin" / "pip", "install", "--quiet", f"{wheel}[gui,agent,api]")
    (folder / "project").mkdir()
    clean = ["env", "-i", "PATH=/usr/bin:/bin", f"HOME={folder}", "LANG=C.UTF-8", "QT_QPA_PLATFORM=offscreen"]
    bin_ = folder / "venv" / "bin"
    named = ("hazards.toml", "agents/built-in.toml", "themes/dark.toml", "prompts/system.md", "sample/plan.json")
    named += (
        "icons/application/tandem-desktop.svg",
        "fonts/JetBrainsMono-Regular.ttf",
        "fonts/Inter-Regular.otf",
        "templates/readme",
        "CHANGELOG.md",
    )
    code = f"from tandem_desktop.storage.paths import resource; print(*map(resource, {named!r}), sep='\\n')"
    places = _run(*clean, bin_ / "python", "-I", "-c", code).splitlines()
    if strange := [place for place in places if not place.startswith(str(folder / "venv"))]:
        raise CheckError(f"found outside the wheel: {strange}")
    said = _run(*clean, bin_ / "tandem", "-C", folder / "project", "selftest")
    shutil.rmtree(folder)
    return f"{len(places)} resources found, selftest: {said.splitlines()[-2]}"


def _sdist() -> str:
    folder = BUILD / "sdist-check"
    shutil.rmtree(folder, ignore_errors=True)
    source = _one(f"tandem_desktop-{__version__}.tar.gz")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder)
    _run(sys.executable, "-m", "pip", "wheel", *options, source)
    (made,) = folder.glob("*.whl")
    first, second = (_contents(path) for path in (made, _one(f"tandem_desktop-{__version__}-*.whl")))
    shutil.rmtree(folder)
    if different := sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name)):
        raise CheckError(f"these differ: {different[:5]}")
    return f"{len(first)} files, all the same"


def _contents(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {each.filename: each.CRC for each in archive.infolist() if not each.filename.endswith("RECORD")}


def _check_first_paint(tree: Path, report: Report, rounds: int) -> None:
    commands = {
        "binary": [str(tree / "usr" / "bin" / "tandem"), "gui"],
        "environment": [str(Path(sys.executable).parent / "tandem"), "gui"],
    }
    found = first_paint(commands, rounds)
    seconds = {name: f"{value:.2f} s" for name, value in found.items()}
    report.row("first picture, median", f"binary {seconds['binary']}, environment {seconds['environment']}")
    report.at_most("binary to environment", found["binary"] / found["environment"], SLOWEST, "times")


def _check_machine(deb: Path, report: Report) -> None:
    folder = BUILD / "machine"
    _make_machine(folder)
    machine = Machine(folder)
    before = _everything(folder)
    report.check("no Python, no source on the machine", lambda: _is_bare(machine))
    shutil.copy(deb, folder / "root" / deb.name)
    machine.run("apt-get", "-qq", "update", user="root")
    report.check("apt install", lambda: _install(machine, deb.name))
    check_calls(machine, report)
    report.check("the window: plan, Implement, Undo", lambda: drive(machine, BUILD / "verify-pictures"))
    report.check("AppArmor profile only where the parser knows it", lambda: _apparmor(machine))
    report.check("apt purge, nothing left", lambda: _purge(machine, before))
    shutil.rmtree(folder, ignore_errors=True)


def _make_machine(folder: Path) -> None:
    here = Path(__file__).resolve().parent
    script = 'set -euo pipefail; source "$1/../setup.sh"; source "$1/machine.sh"; need_root; new_machine "$2"'
    subprocess.run(["bash", "-c", script, "verify", str(here), str(folder)], check=True)


def _is_bare(machine: Machine) -> str:
    found = machine.must("sh", "-c", "ls /usr/bin /usr/local/bin; ls -d /usr/lib/python3* 2>/dev/null || true")
    if "python" in found or list(machine.folder.rglob("tandem_desktop")):
        raise CheckError("there is a Python, or the source")
    return "Debian's smallest system"


def _install(machine: Machine, name: str) -> str:
    machine.apt("install", "--no-install-recommends", f"/root/{name}")
    _is_bare(machine)
    many = machine.must("dpkg-query", "-f", "${Package}\n", "-W").count("\n")
    return f"{many} packages on the machine, still no Python"


def _apparmor(machine: Machine) -> str:
    """AppArmor comes after the program, so that the trigger is what installs the profile."""
    machine.apt("install", "apparmor")
    version = machine.must("dpkg-query", "-f", "${Version}", "-W", "apparmor")
    profiles = machine.folder / "etc" / "apparmor.d"
    is_known, is_installed = (profiles / "abi" / "4.0").exists(), (profiles / "tandem-desktop").exists()
    if is_known != is_installed:
        raise CheckError(f"the profile is {'there' if is_installed else 'missing'} with AppArmor {version}")
    return f"AppArmor {version}: {'installed' if is_installed else 'not installed'}"


def _purge(machine: Machine, before: set[str]) -> str:
    listed = machine.must("dpkg", "-L", "tandem-desktop").split("\n")
    machine.apt("purge", "tandem-desktop")
    own = [name for name in listed if "tandem" in name and os.path.lexists(f"{machine.folder}{name}")]
    new = _everything(machine.folder) - before
    named = [
        name for name in new if "tandem" in name.lower() and not name.startswith(("home/", "root/tandem", "var/log/"))
    ]
    if own or named:
        raise CheckError(f"left: {[*own, *named][:10]}")
    return f"none of {len(listed)} paths"


def _everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_relative_to(folder / "proc")}


@contextmanager
def _unpacked(deb: Path) -> Iterator[Path]:
    """The tree of a package, while it is looked at."""
    folder = BUILD / "unpacked"
    shutil.rmtree(folder, ignore_errors=True)
    _run("dpkg-deb", "--extract", deb, folder)
    yield folder
    shutil.rmtree(folder)


def _one(pattern: str) -> Path:
    found = sorted(DIST.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"There must be one {pattern} in {DIST}, not {len(found)}. Build it: ./packaging/build")
    return found[0]


def _run(*words: object) -> str:
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=BUILD)
    if ended.returncode:
        raise CheckError(f"{Path(str(words[0])).name} said: {(ended.stdout + ended.stderr).strip()[-800:]}")
    return ended.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
