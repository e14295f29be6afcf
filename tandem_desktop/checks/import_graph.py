"""Which files of a workspace import which, as far as their text tells: Python, JavaScript and TypeScript."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import PurePosixPath

MOST_FILES = 5_000
"""A workspace with more sources is not searched: it would take longer than it is worth."""
_LONGEST = 512 * 1024
_PYTHON = (".py", ".pyi")
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_ROOTS = ("", "src/", "lib/")
"""Folders that Python modules are named from."""
_FROM = re.compile(rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)", re.MULTILINE)
_IMPORT = re.compile(rb"^[ \t]*import[ \t]+([\w., \t]+)", re.MULTILINE)
_SCRIPT_IMPORT = re.compile(rb"""(?:\bfrom|\brequire\(|\bimport\(?)\s*['"](\.{1,2}/[^'"\n]{1,300})['"]""")
_INSTALLED = frozenset({"node_modules", ".venv", "venv", "site-packages", "target"})
"""Folders of other people's files, of which there may be many."""
_PYTHON_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_SCRIPT_TEST = re.compile(r"[._](?:test|spec)\.\w+$|(?:^|/)(?:test|tests|__tests__)/")

Read = Callable[[str], bytes | None]
"""The bytes of a file by its path."""


def is_test(path: str) -> bool:
    """Whether a file is one of tests, by its name."""
    return bool(_PYTHON_TEST.search(path) or _SCRIPT_TEST.search(path))


class ImportGraph:
    """Who imports whom; what cannot be told from the text, such as a name that is computed, is not in it."""

    def __init__(self, paths: Iterable[str], read: Read) -> None:
        sources = [
            path for path in paths if path.endswith(_PYTHON + _SCRIPTS) and _INSTALLED.isdisjoint(path.split("/"))
        ]
        self._sources = frozenset(sources) if len(sources) <= MOST_FILES else frozenset[str]()
        self._read = read
        self._known: dict[str, tuple[str, ...]] = {}

    def imports(self, path: str) -> tuple[str, ...]:
        """The files that a file imports itself."""
        if path not in self._known:
            data = self._read(path) if path in self._sources else None
            found = self._found(path, data) if data is not None and len(data) <= _LONGEST else ()
            self._known[path] = tuple(dict.fromkeys(each for each in found if each != path and each in self._sources))
        return self._known[path]

    def nearest(self, starts: Iterable[str], wanted: Collection[str]) -> frozenset[str]:
        """Those of the wanted files that are the fewest imports away from the starts, which may be among them."""
        reached = {each for each in starts if each in self._sources}
        seen = set(reached)
        while reached:
            if found := reached.intersection(wanted):
                return frozenset(found)
            reached = {each for path in reached for each in self.imports(path)} - seen
            seen |= reached
        return frozenset()

    def python_tests(self) -> tuple[str, ...]:
        """The files that pytest takes for tests where its settings do not name others."""
        return tuple(sorted(path for path in self._sources if _PYTHON_TEST.search(path)))

    def reaching(self, starts: Iterable[str], wanted: Collection[str]) -> tuple[str, ...]:
        """Those of the starts that import one of the wanted files, however far, or are one."""
        importers: dict[str, set[str]] = {}
        for path in self._sources:
            for each in self.imports(path):
                importers.setdefault(each, set()).add(path)
        found, waiting = set(wanted), list(wanted)
        while waiting:
            for importer in importers.get(waiting.pop(), ()):
                if importer not in found:
                    found.add(importer)
                    waiting.append(importer)
        return tuple(each for each in starts if each in found)

    def _found(self, path: str, data: bytes) -> Iterator[str]:
        return self._python(path, data) if path.endswith(_PYTHON) else self._scripts(path, data)

    def _python(self, path: str, data: bytes) -> Iterator[str]:
        folder = path.rpartition("/")[0]
        yield from (str(PurePosixPath(above, "conftest.py")) for above in _folders(folder) if _PYTHON_TEST.search(path))
        for dots, module, names in _FROM.findall(data):
            parts = [part for part in module.decode().split(".") if part]
            yield from self._modules(folder, len(dots), parts)
            for name in re.findall(rb"(\w+)(?:\s+as\s+\w+)?", names):
                yield from self._modules(folder, len(dots), [*parts, name.decode()])
        for listed in _IMPORT.findall(data):
            for module, *_ in filter(None, map(bytes.split, listed.split(b","))):
                yield from self._modules(folder, 0, [part for part in module.decode().split(".") if part])

    def _modules(self, folder: str, dots: int, parts: list[str]) -> Iterator[str]:
        """The files of a module and of the packages around it."""
        if dots:
            roots = [f"{above}/" if above else "" for above in _folders(folder)[dots - 1 : dots]]
        else:
            roots = [*_ROOTS, f"{folder}/" if folder else ""]
        for root in roots:
            for length in range(len(parts) + 1) if dots else range(1, len(parts) + 1):
                name = root + "/".join(parts[:length])
                for each in (f"{name}.py", f"{name}.pyi", f"{name.rstrip('/')}/__init__.py"):
                    if each.lstrip("/") in self._sources:
                        yield each.lstrip("/")

    def _scripts(self, path: str, data: bytes) -> Iterator[str]:
        folder = path.rpartition("/")[0]
        for match in _SCRIPT_IMPORT.finditer(data):
            name = _joined(folder, match[1].decode("utf-8", "replace"))
            stem = name.removesuffix(PurePosixPath(name).suffix) if name.endswith(_SCRIPTS) else name
            if name in self._sources:
                yield name
            else:
                yield from (f"{stem}{ending}" for ending in _SCRIPTS)
                yield from (f"{name}/index{ending}" for ending in _SCRIPTS)


def _folders(folder: str) -> list[str]:
    """A folder and those above it; the last is the workspace itself, as an empty name."""
    found = [folder]
    while found[-1]:
        found.append(found[-1].rpartition("/")[0])
    return found


def _joined(folder: str, name: str) -> str:
    parts = folder.split("/") if folder else []
    for part in name.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
