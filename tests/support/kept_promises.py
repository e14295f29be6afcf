"""Whether what keeps a requirement is a part that the product runs on, and whether the tests that name it touch it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.support.reachability import Program, Reach, Unit, entry_points

PRODUCT = "tandem_desktop"
NOT_YET: Mapping[str, str] = {}
"""Requirements whose subject is about to be wired, each with the reason. Empty when a version is released."""

ONLY_FOR_TESTS: Mapping[str, str] = {
    "tandem_desktop.storage.syscalls:gated": "the seam where tests observe system calls and inject faults",
    "tandem_desktop.ui.theme.theme:Theme.set_reduced_motion": "tests turn animations on and off",
}
"""Definitions that no entry point needs to reach, each with the reason."""

FILE = re.compile(r"/|\.(?:md|toml)$")
"""How a subject is written that is a file of the project."""
_ID = re.compile(r"S\d-\d+[a-z]?")
_MODULE = re.compile(rf"\b{PRODUCT}(?:\.\w+)*")


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why one requirement is not kept by what runs."""

    id: str
    words: str


class Keepers:
    """The product's source and its tests, asked about the subjects of requirements."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._product = Program(root, PRODUCT)
        self._closures: dict[str, frozenset[str]] = {}
        self._touched: dict[str, frozenset[str]] = {}

    @cached_property
    def reached(self) -> set[str]:
        return Reach(self._product, entry_points(self._root, PRODUCT)).reached

    @cached_property
    def unused(self) -> list[Unit]:
        """Definitions that no entry point reaches; of a class that is not reached, the class alone."""
        missing = [unit for key, unit in self._product.units.items() if unit.name and key not in self.reached]
        keys = {unit.key for unit in missing}
        return [
            unit
            for unit in missing
            if unit.name != "__all__"
            and unit.key not in ONLY_FOR_TESTS
            and f"{unit.module}:{unit.name.rpartition('.')[0]}" not in keys
        ]

    def complaint(self, subject: str, ids: Iterable[str]) -> str | None:
        """What is wrong with a subject: a definition, a file of the project, or other requirements."""
        if _ID.match(subject):
            return None if all(each in ids for each in _ID.findall(subject)) else f"{subject} is no requirement"
        if FILE.search(subject):
            return None if (self._root / subject).exists() else f"there is no {subject}"
        found = self._product.find(subject)
        if not found:
            return f"there is no {subject} in {PRODUCT}"
        if len(found) > 1:
            return f"{subject} may be any of {', '.join(found)}"
        return None if found[0] in self.reached else f"no entry point of the product reaches {found[0]}"

    def is_touched(self, subject: str, test: str) -> bool:
        """Whether a test uses a module from which the subject is imported, or starts the product itself."""
        found = self._product.find(subject)
        return bool(found) and found[0].partition(":")[0] in self._touches(test)

    def _touches(self, test: str) -> frozenset[str]:
        path, *names = test.partition("[")[0].split("::")
        key = f"{path.removesuffix('.py').replace('/', '.')}:{'.'.join(names)}"
        if key not in self._touched:
            used = self._tests.used_by(key)
            self._touched[key] = frozenset().union(*map(self._closure, used))
        return self._touched[key]

    def _closure(self, module: str) -> frozenset[str]:
        """The module and everything it imports, at once or later."""
        if module not in self._closures:
            seen, todo = set(), [module]
            while todo:
                name = todo.pop()
                if name in seen or f"{name}:" not in self._product.units:
                    continue
                seen.add(name)
                todo.extend(self._imports.get(name, ()))
            self._closures[module] = frozenset(seen)
        return self._closures[module]

    @cached_property
    def _imports(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for unit in self._product.units.values():
            named = {f"{target.replace(':', '.')}" for target in unit.imports.values()}
            strings = {each for each in unit.strings if each.startswith(f"{PRODUCT}.")}
            calls = {f"{PRODUCT}.cli.{each.partition(':')[0]}" for each in unit.strings if ":" in each}
            found.setdefault(unit.module, set()).update(unit.loaded, named, strings, calls)
        return found

    @cached_property
    def _tests(self) -> "_Tests":
        return _Tests(self._root, tuple(each.partition(":")[0] for each in entry_points(self._root, PRODUCT)))


class _Tests:
    """Which modules of the product a test uses, itself or by its fixtures and what they call."""

    def __init__(self, root: Path, entries: tuple[str, ...]) -> None:
        self._program = Program(root, "tests")
        self._entries = entries

    def used_by(self, test: str) -> set[str]:
        start = [test]
        reached: set[str] = set()
        while start:
            reached |= Reach(self._program, start).reached - {key for key in reached if key.endswith(":")}
            start = [
                fixture
                for key in reached
                for name in self._program.units[key].parameters
                if (fixture := self._fixture(key.partition(":")[0], name)) and fixture not in reached
            ]
        used: set[str] = set()
        for key in reached:
            used |= self._of(self._program.units[key])
        return used

    def _of(self, unit: Unit) -> set[str]:
        if not unit.name:
            return set()  # what a module imports counts where it is used
        used = {name for name in unit.loaded if name.partition(".")[0] == PRODUCT}
        above = self._program.units[f"{unit.module}:"].imports
        for name in unit.names | unit.types:
            target = above.get(name.partition(".")[0], "")
            if target.partition(".")[0] == PRODUCT:
                module, _, inner = target.partition(":")
                used |= {module, f"{module}.{inner}"}
        for name in (name for text in unit.strings for name in _MODULE.findall(text)):
            used |= set(self._entries) if name == PRODUCT else {name}  # started as a program, or imported by one
        return used

    def _fixture(self, module: str, name: str) -> str | None:
        """Where a fixture is defined: in the module, in a conftest above it, or where the module has it from."""
        folder = module
        while folder:
            for key in (f"{folder}:{name}", f"{folder}.conftest:{name}"):
                if key in self._program.units:
                    return key
            folder = folder.rpartition(".")[0]
        target = self._program.units[f"{module}:"].imports.get(name)
        return target if target in self._program.units else None
