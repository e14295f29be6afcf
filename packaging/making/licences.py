"""Name everything the frozen program carries that others wrote, with its licence and its text.

`python packaging/making/licences.py TOC…` prints it; the files are PyInstaller's own lists of what it took.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, packages_distributions
from pathlib import Path

_OPENING = """\
Tandem Desktop is free software under the MIT licence (see LICENSE). Its program carries the works of others that are
named here, each under its own licence, with their texts below.

Qt and PySide6 are used under the GNU Lesser General Public License, version 3. They lie as ordinary shared libraries in
the folder _internal/PySide6 and may be replaced there by others with the same interface. pygit2 and libgit2 are used
under the GNU General Public License, version 2, with the linking exception that their texts contain.
"""
_OURSELVES = "tandem-desktop"
_COMMON = Path("/usr/share/common-licenses")
_TEXT_NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "OFL")
_RULE = "=" * 100


def main(words: list[str]) -> int:
    taken = list(_taken(Path(word) for word in words))
    found = sorted(_distributions(taken), key=lambda each: each.name.lower())
    sys.stdout.write("\n".join(_lines(found, _system_packages(taken))) + "\n")
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
    names = {each for top in tops for each in known.get(top, ())}
    return (Distribution.from_name(name) for name in names if name.lower() != _OURSELVES)


def _system_packages(taken: list[tuple[str, str]]) -> dict[str, str]:
    """Debian's packages whose libraries were taken along, with where their terms are written."""
    sources = sorted({str(Path(source).resolve()) for _, source in taken if source.startswith(("/usr/lib", "/lib"))})
    if not sources:
        return {}
    asked = subprocess.run(["dpkg", "-S", *sources], capture_output=True, text=True, check=False)
    names = {line.partition(":")[0] for line in asked.stdout.splitlines()}
    return {name: f"/usr/share/doc/{name}/copyright" for name in sorted(names)}


def _lines(found: list[Distribution], system: dict[str, str]) -> Iterator[str]:
    yield _OPENING
    yield f"Python {sys.version.split()[0]}: Python Software Foundation License 2"
    yield from (f"{each.name} {each.version}: {_licence(each)}" for each in found)
    yield "JetBrains Mono: SIL Open Font License 1.1"
    for name, path in system.items():
        yield f"\n{_RULE}\nLibraries of Debian's package {name}\n{_RULE}\n{_read(Path(path))}"
    for each in found:
        for text in _texts(each):
            yield f"\n{_RULE}\n{each.name} {each.version}: {text.name}\n{_RULE}\n{_read(text)}"
    for name in ("LGPL-3", "GPL-3", "GPL-2", "LGPL-2.1"):
        yield f"\n{_RULE}\n{name}\n{_RULE}\n{_read(_COMMON / name)}"


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
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else f"(see {path})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
