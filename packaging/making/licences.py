"""Name everything the frozen program carries that others wrote, with its licence and its text.

`python packaging/making/licences.py TOC…` prints it; the files are PyInstaller's own lists of what it took.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, packages_distributions
from pathlib import Path

_OPENING = """\
Tandem Desktop is free software under the MIT licence (see LICENSE). Its program carries the works of others that are
named here, each under its own licence, with their texts below.

Qt and PySide6 are used under the GNU Lesser General Public License, version 3. They lie as ordinary shared libraries in
the folder _internal/PySide6 and may be replaced there by others with the same interface. What Qt itself took from
others is named in its own documentation: https://doc.qt.io/qt-6/licenses-used-in-qt.html
The start of the program is PyInstaller's, under the GNU General Public License, version 2, with an exception that lets
programs of any licence be started by it.
"""
_OURSELVES, _FREEZER = "tandem-desktop", "pyinstaller"
_PROJECT = Path(__file__).resolve().parents[2]
_KEPT = _PROJECT / "packaging" / "licences"
_FONTS = _PROJECT / "resources" / "fonts"
_OWN_FILES = (
    ("Inter", "SIL Open Font License 1.1", _FONTS / "OFL-Inter.txt"),
    ("JetBrains Mono", "SIL Open Font License 1.1", _FONTS / "OFL.txt"),
    ("Unicode Security Mechanisms, confusables.txt", "Unicode-3.0", _PROJECT / "resources" / "unicode" / "LICENCE.txt"),
)
"""Others' files among Tandem's own resources."""
_COMMON = Path("/usr/share/common-licenses")
_ALWAYS = ("LGPL-3", "GPL-3", "GPL-2", "LGPL-2.1", "Apache-2.0")
_INSIDE_WHEELS = {
    "libicu": ("ICU", "Unicode-DFS-2016", _KEPT / "ICU.txt"),
    "libssl": ("OpenSSL", "Apache-2.0", _COMMON / "Apache-2.0"),
    "libcrypto": ("OpenSSL", "Apache-2.0", _COMMON / "Apache-2.0"),
}
"""Libraries of yet others that wheels bring along without a word about their licence."""
_OF_THE_WHEEL_ITSELF = ("libQt6", "libpyside6", "libshiboken6")
_TEXT_NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "OFL")
_RULE = "=" * 100


def main(words: list[str]) -> int:
    taken = list(_taken(Path(word) for word in words))
    found = sorted(_distributions(taken), key=lambda each: each.name.lower())
    text = "\n".join(_lines(found, sorted(_inside_wheels(taken)), _system_packages(taken)))
    sys.stdout.write("\n".join((text, *_texts_referred_to(text))) + "\n")
    return 0


def _taken(lists: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Name and source of everything in PyInstaller's lists."""
    for path in lists:
        for part in ast.literal_eval(path.read_text(encoding="utf-8")):
            if isinstance(part, list):
                yield from ((str(entry[0]), str(entry[1])) for entry in part)


def _distributions(taken: list[tuple[str, str]]) -> Iterator[Distribution]:
    known = packages_distributions()
    tops = {name.replace("/", ".").partition(".")[0] for name, _ in taken}
    names = {_FREEZER, *(each for top in tops for each in known.get(top, ()))}  # its start is the start of the program
    return (Distribution.from_name(name) for name in names if name.lower() != _OURSELVES)


def _inside_wheels(taken: list[tuple[str, str]]) -> set[tuple[str, str, Path]]:
    """What is nobody's distribution: a library of its own in the folder of one.

    Raises:
        SystemExit: there is one that nobody has looked at yet.
    """
    folders = [each for each in taken if re.match(r"(?:\w+\.libs|PySide6/Qt/lib)/", each[0])]
    libraries = {name.rpartition("/")[2] for name, _ in folders}
    others = {name for name in libraries if not name.startswith(_OF_THE_WHEEL_ITSELF)}
    if unknown := sorted(name for name in others if not name.startswith(tuple(_INSIDE_WHEELS))):
        raise SystemExit(f"Whose are these, and under which licence? Name them in licences.py: {', '.join(unknown)}")
    return {terms for start, terms in _INSIDE_WHEELS.items() if any(name.startswith(start) for name in others)}


def _system_packages(taken: list[tuple[str, str]]) -> dict[str, Path]:
    """Debian's packages whose libraries were taken along, with where their terms are written.

    Raises:
        SystemExit: something of the system is in no package.
    """
    sources = sorted({source for _, source in taken if source.startswith(("/usr/lib", "/lib"))})
    spelled = {spelling: source for source in sources for spelling in spellings(source)}
    if not spelled:
        return {}
    asked = subprocess.run(["dpkg", "-S", *spelled], capture_output=True, text=True, check=False)
    owners = dict(line.split(": ", 1)[::-1] for line in asked.stdout.splitlines())
    if nobodys := set(sources) - {spelled[path] for path in owners}:
        raise SystemExit(f"These are in no package, so nobody says under which terms: {', '.join(sorted(nobodys))}")
    names = {owner.partition(":")[0].partition(",")[0] for owner in owners.values()}
    return {name: Path(f"/usr/share/doc/{name}/copyright") for name in sorted(names)}


def spellings(path: str) -> set[str]:
    """How dpkg may know a file: /lib and /usr/lib are one folder by now, but packages still say either."""
    real = {path, str(Path(path).resolve())}
    return real | {each.removeprefix("/usr") for each in real if each.startswith("/usr/lib/")}


def _lines(found: list[Distribution], inside: list[tuple[str, str, Path]], system: dict[str, Path]) -> Iterator[str]:
    yield _OPENING
    yield f"Python {sys.version.split()[0]}: Python Software Foundation License 2"
    yield from (f"{each.name} {each.version}: {_licence(each)}" for each in found)
    yield from (f"{name}, inside of one of these: {licence}" for name, licence, _ in inside)
    yield from (f"{name}: {licence}" for name, licence, _ in _OWN_FILES)
    for name, path in system.items():
        yield _chapter(f"Libraries of Debian's package {name}", path)
    for each in found:
        yield from (_chapter(f"{each.name} {each.version}: {text.name}", text) for text in _texts(each))
    yield from (_chapter(f"{name}: {licence}", text) for name, licence, text in inside)
    yield from (_chapter(f"{name}: {licence}", text) for name, licence, text in _OWN_FILES)


def _texts_referred_to(text: str) -> Iterator[str]:
    """Debian's papers say where a text lies on Debian; elsewhere it has to come along."""
    found = {name.rstrip(".") for name in re.findall(r"/usr/share/common-licenses/([\w.-]+)", text)}
    texts = {(_COMMON / name).resolve() for name in (*found, *_ALWAYS)}
    return (_chapter(path.name, path) for path in sorted(texts) if path.is_file())


def _chapter(title: str, text: Path) -> str:
    return f"\n{_RULE}\n{title}\n{_RULE}\n{_read(text)}"


def _licence(found: Distribution) -> str:
    meta = found.metadata
    classified = [
        each.rpartition(" :: ")[2] for each in meta.get_all("Classifier", []) if each.startswith("License ::")
    ]
    stated = meta.get("License-Expression") or (meta.get("License") or "").strip().split("\n")[0]
    return stated if stated and len(stated) < 100 else ", ".join(classified) or "see its text below"


def _texts(found: Distribution) -> Iterator[Path]:
    for name in found.files or ():
        if ".dist-info" in str(name) and name.name.upper().startswith(_TEXT_NAMES):
            yield Path(str(found.locate_file(name)))


def _read(path: Path) -> str:
    if not path.is_file():
        raise SystemExit(f"{path} is needed for its licence, and is not there.")
    return path.read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
