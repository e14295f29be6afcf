"""Put together what is installed below `usr`: the program, its desktop entry, icons, page, completions and licences.

`python packaging/making/tree.py FROZEN LISTS ROOT` makes ROOT; FROZEN is PyInstaller's folder, LISTS where it worked.
"""

import gzip
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import icons
import man_page

from tandem_desktop import __version__
from tandem_desktop.shadow.namespaces import INSTALLED_PROGRAM, PROFILE, PROFILES, profile_text

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
LINUX = PROJECT / "packaging" / "linux"
NAME = "tandem-desktop"
COMPONENT = "app.tandem_desktop.TandemDesktop"
_COMPLETIONS = {
    "bash": "bash-completion/completions/tandem",
    "zsh": "zsh/vendor-completions/_tandem",
    "fish": "fish/vendor_completions.d/tandem.fish",
}


def main(words: list[str]) -> int:
    if len(words) != 3:
        print(__doc__)
        return 2
    frozen, lists, root = map(Path, words)
    shutil.rmtree(root, ignore_errors=True)
    usr = root / "usr"
    _program(frozen, usr)
    _desktop(usr / "share")
    _page(usr / "share" / "man" / "man1")
    _completions(usr)
    _apparmor(usr / "share" / NAME / "apparmor")
    _papers(usr / "share", lists)
    _tidy(root)
    return 0


def day() -> str:
    """The day of the release: of the last commit, so that the same source gives the same package."""
    return time.strftime("%Y-%m-%d", time.gmtime(moment()))


def moment() -> int:
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    asked = subprocess.run(
        ["git", "-C", str(PROJECT), "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False
    )
    return int(asked.stdout) if asked.returncode == 0 else int(time.time())


def filled(template: str, **values: object) -> str:
    """The template with every @NAME@ in it replaced."""
    text = (LINUX / template).read_text(encoding="utf-8")
    for name, value in {"VERSION": __version__, "DATE": day(), "MAINTAINER": maintainer(), **values}.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def maintainer() -> str:
    """Who answers for the package: whoever builds it, by Debian's own variables, or else what the project file says."""
    said = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["tandem"]["package"]
    name = os.environ.get("DEBFULLNAME") or said["maintainer"]
    return f"{name} <{os.environ.get('DEBEMAIL') or said['address']}>"


def _program(frozen: Path, usr: Path) -> None:
    shutil.copytree(frozen, usr / "lib" / NAME, symlinks=True)
    (usr / "bin").mkdir()
    for name in ("tandem", NAME):
        (usr / "bin" / name).symlink_to(f"../lib/{NAME}/tandem")


def _desktop(share: Path) -> None:
    (share / "applications").mkdir(parents=True)
    shutil.copyfile(LINUX / f"{NAME}.desktop", share / "applications" / f"{NAME}.desktop")
    (share / "metainfo").mkdir()
    (share / "metainfo" / f"{COMPONENT}.metainfo.xml").write_text(filled("metainfo.xml.in"), encoding="utf-8")
    icons.main([str(share / "icons" / "hicolor")])


def _page(man: Path) -> None:
    man.mkdir(parents=True)
    _pack(man / "tandem.1.gz", man_page.man_page(day()).encode())
    _pack(man / f"{NAME}.1.gz", b".so man1/tandem.1\n")


def _completions(usr: Path) -> None:
    """Asked of the program itself: it is also the first proof that it starts."""
    for shell, place in _COMPLETIONS.items():
        target = usr / "share" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        program = usr / "lib" / NAME / "tandem"
        target.write_bytes(subprocess.run([program, "completion", shell], capture_output=True, check=True).stdout)


def _apparmor(folder: Path) -> None:
    """The profile as data: `linux/postinst` installs it only where the parser knows its rules."""
    folder.mkdir(parents=True)
    (folder / PROFILE).write_text(installed_profile(), encoding="utf-8")


def installed_profile() -> str:
    note = f"# Installed by the package {NAME}, and again by each new version: changes belong in "
    return f"{note}{PROFILES}/local/{PROFILE}.\n{profile_text(PROFILE, INSTALLED_PROGRAM)}"


def _papers(share: Path, lists: Path) -> None:
    doc = share / "doc" / NAME
    doc.mkdir(parents=True)
    shutil.copyfile(LINUX / "copyright", doc / "copyright")
    shutil.copyfile(PROJECT / "README.md", doc / "README.md")
    shutil.copytree(PROJECT / "docs", doc / "docs")  # where messages of the program send people
    when = time.strftime("%a, %d %b %Y %T +0000", time.gmtime(moment()))
    _pack(doc / "changelog.gz", filled("changelog.in", WHEN=when).encode())
    _pack(doc / "NEWS.gz", (PROJECT / "CHANGELOG.md").read_bytes())
    taken = [lists / "tandem" / name for name in ("COLLECT-00.toc", "PYZ-00.toc")]
    asked = subprocess.run([sys.executable, HERE / "licences.py", *taken], capture_output=True, check=True)
    _pack(doc / "THIRD-PARTY.txt.gz", asked.stdout)
    overrides = share / "lintian" / "overrides"
    overrides.mkdir(parents=True)
    shutil.copyfile(LINUX / "lintian-overrides", overrides / NAME)


def _pack(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, 9, mtime=0))


def _tidy(root: Path) -> None:
    """Ordinary permissions whatever the mask of whoever builds; libraries and data are not programs."""
    for path in (root, *root.rglob("*")):
        if path.is_symlink():
            continue
        runs = path.is_dir() or path == root / "usr" / "lib" / NAME / "tandem"
        path.chmod(0o755 if runs else 0o644)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
