"""Reads lock files line by line: the package, the field and the value each line gives.

A file that is not written as its package manager writes it is refused, so that no line is taken for another.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from tandem_desktop.domain.strict_json import unique_keys

LARGEST = 16 << 20
"""Bytes of one side; a larger file is shown as its lines."""
MOST_LINES = 300_000


class NotALockFileError(ValueError):
    """It is not written as its package manager writes it."""


class LockFact(NamedTuple):
    """What one line says of a package. A line that only opens or closes something has no field."""

    package: int
    field: str = ""
    value: str = ""


class LockPackage(NamedTuple):
    """One package of a lock file; `place` tells equal names apart where the file does."""

    name: str
    place: str = ""
    version: str = ""
    """Where its heading has it; else it is a field."""


@dataclass
class LockLines:
    """The packages of a lock file, and for each of its lines what it says; None where that is not known."""

    packages: list[LockPackage] = field(default_factory=list)
    facts: list[LockFact | None] = field(default_factory=list)

    def add(self, name: str, place: str = "", version: str = "") -> int:
        self.packages.append(LockPackage(name, place, version))
        return len(self.packages) - 1


def reader_of(path: str) -> "Callable[[str], LockLines] | None":
    """What reads a lock file of this name; None for files that are not listed by package."""
    name = PurePosixPath(path).name.lower()
    if name in _READERS:
        return _READERS[name]
    return read_requirements if _REQUIREMENTS.fullmatch(path.lower()) else None


def read_lock(path: str, content: bytes) -> LockLines:
    """Read a lock file.

    Raises:
        NotALockFileError: it is not written as expected, or too large.
    """
    reader = reader_of(path)
    if reader is None or len(content) > LARGEST or content.count(b"\n") > MOST_LINES:
        raise NotALockFileError(path)
    try:
        text = content.decode("utf-8")
        if "\0" in text or text.startswith("\ufeff"):
            raise NotALockFileError(path)
        return reader(text) if text.strip() else LockLines(facts=[None] * len(_lines(text)))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as failed:
        raise NotALockFileError(path) from failed


def _lines(text: str) -> list[str]:
    """As the diff cuts them: after every newline and nowhere else."""
    found = text.split("\n")
    return found[:-1] if found[-1] == "" else found


# JSON: npm, Pipenv, Composer

_STRING = r'"(?:[^"\\]|\\.)*+"'
_JSON_LINE = re.compile(
    rf"\s*(?:({_STRING})\s*:\s*)?({_STRING}|\{{\s*\}}|\[\s*\]|[{{\[]|-?[0-9][0-9.eE+-]*|true|false|null)\s*,?\s*"
)
_JSON_END = re.compile(r"\s*[}\]]\s*,?\s*")
_Path = tuple[str | int, ...]


def _json_paths(text: str) -> Iterator[tuple[_Path, str | None]]:
    """For each line its place in the document, and its value if it has one. One value, or one bracket, a line."""
    json.loads(text, object_pairs_hook=unique_keys)
    stack: list[str | int] = []
    counts: list[int] = []
    for line in _lines(text):
        if not line.strip():
            yield (*stack,), None
        elif _JSON_END.fullmatch(line):
            if not counts:
                raise NotALockFileError
            yield (*stack,), None
            counts.pop()
            if stack:
                stack.pop()
        elif found := _JSON_LINE.fullmatch(line):
            key: str | int = json.loads(found[1]) if found[1] else counts[-1] if counts else 0
            if counts:
                counts[-1] += 1
            opens = found[2] in ("{", "[")
            place = (*stack, key) if counts else ()
            yield place, None if opens else str(json.loads(found[2])) if found[2].startswith('"') else found[2]
            if opens:
                if counts:
                    stack.append(key)
                counts.append(0)
        else:
            raise NotALockFileError(line[:80])


def read_npm(text: str) -> LockLines:
    """package-lock.json and npm-shrinkwrap.json, all versions: `packages`, `dependencies`, or both."""
    read, known = LockLines(), dict[str, int]()
    for path, value in _json_paths(text):
        place, rest = _npm_place(path)
        if not place:
            read.facts.append(None)
            continue
        if place not in known:
            name = place.rpartition("node_modules/")[2]
            known[place] = read.add(name, "" if place == f"node_modules/{name}" else place)
        read.facts.append(_json_fact(known[place], rest, value))
    return read


def _npm_place(path: _Path) -> tuple[str, _Path]:
    if len(path) >= 2 and path[0] == "packages":
        return str(path[1]), path[2:]
    if len(path) < 2 or path[0] != "dependencies":
        return "", ()
    place, rest = f"node_modules/{path[1]}", path[2:]
    while len(rest) >= 2 and rest[0] == "dependencies":
        place, rest = f"{place}/node_modules/{rest[1]}", rest[2:]
    return place, rest


def _json_fact(package: int, rest: _Path, value: str | None) -> LockFact:
    if value is None:
        return LockFact(package)
    return LockFact(package, ".".join("[]" if isinstance(part, int) else part for part in rest), value)


def read_pipfile(text: str) -> LockLines:
    read, known = LockLines(), dict[tuple[str | int, str | int], int]()
    for path, value in _json_paths(text):
        if len(path) < 2 or path[0] == "_meta":
            read.facts.append(None)
            continue
        if path[:2] not in known:
            known[path[0], path[1]] = read.add(str(path[1]), "" if path[0] == "default" else str(path[0]))
        read.facts.append(_json_fact(known[path[0], path[1]], path[2:], value))
    return read


def read_composer(text: str) -> LockLines:
    read, known = LockLines(), dict[tuple[str | int, str | int], int]()
    listed = json.loads(text)
    for path, value in _json_paths(text):
        if len(path) < 2 or path[0] not in ("packages", "packages-dev"):
            read.facts.append(None)
            continue
        if path[:2] not in known:
            name = listed[path[0]][path[1]].get("name")
            known[path[0], path[1]] = read.add(str(name), "" if path[0] == "packages" else "dev")
        read.facts.append(_json_fact(known[path[0], path[1]], path[2:], value))
    return read


# TOML: Cargo, Poetry, uv, PDM, pylock

_TABLE = re.compile(r"\[(\[?)\s*([A-Za-z0-9_.\"'-]+)\s*\]{1,2}\s*")
_ASSIGNED = re.compile(r"([A-Za-z0-9_-]+|\"[^\"\\]*\"|'[^']*')\s*=\s*(\S.*)")


@dataclass
class _TomlState:
    read: LockLines
    names: list[str]
    package: int | None = None
    table: str = ""
    list_of: str | None = None
    """The field whose elements follow, one a line."""
    list_package: int | None = None
    seen: int = 0


def read_toml(text: str) -> LockLines:
    """Tables `[[package]]` with one assignment, or one element of a list, a line."""
    data = tomllib.loads(text)
    if '"""' in text or "'''" in text:
        raise NotALockFileError
    tables = [*data.get("package", []), *data.get("packages", [])]
    state = _TomlState(LockLines(), [str(each["name"]) for each in tables])
    for line in _lines(text):
        state.read.facts.append(_toml_line(state, line.strip()))
    if state.seen != len(tables) or state.list_of is not None:
        raise NotALockFileError
    return state.read


def _toml_line(state: _TomlState, line: str) -> LockFact | None:
    own = state.package if state.list_of is None else state.list_package
    if state.list_of is not None:
        name, value = state.list_of, line.rstrip(",").rstrip()
        if line == "]":
            state.list_of = None
            return LockFact(own) if own is not None else None
        return LockFact(own, name, value) if own is not None and not line.startswith("#") else None
    if not line:
        return LockFact(own) if own is not None else None
    if line.startswith("#"):
        return None
    if found := _TABLE.fullmatch(line):
        return _toml_table(state, found[2], is_list=bool(found[1]))
    if found := _ASSIGNED.fullmatch(line):
        return _toml_value(state, found[1].strip("\"'"), found[2])
    raise NotALockFileError(line[:80])


def _toml_table(state: _TomlState, name: str, *, is_list: bool) -> LockFact | None:
    if name in ("package", "packages") and is_list:
        state.package, state.table = state.read.add(state.names[state.seen]), ""
        state.seen += 1
    elif state.package is not None and name.startswith(("package.", "packages.")):
        state.table = name.partition(".")[2] + "."
    else:
        state.package, state.table = None, name
    return LockFact(state.package) if state.package is not None else None


def _toml_value(state: _TomlState, key: str, value: str) -> LockFact | None:
    own, name = state.package, state.table + key
    if state.table == "metadata.files" and key in state.names[: state.seen]:  # as Poetry wrote them until 1.2
        own, name = state.names.index(key), "files"
    if value.startswith("[") and not value.endswith("]"):
        if value != "[":
            raise NotALockFileError(value[:80])
        state.list_of, state.list_package = name, own
        return LockFact(own) if own is not None else None
    return LockFact(own, name, _unquoted(value)) if own is not None else None


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted and value[0] not in value[1:-1] and "\\" not in value else value


# Yarn and pnpm

_YARN_FIELD = re.compile(r"(  |    |      )(\"[^\"\\]+\"|'[^']+'|[^\s\"':#][^\s\"']*?)(?::(?: (\S.*))?| (\S.*))")


def read_yarn(text: str) -> LockLines:
    """yarn.lock of all versions: a heading of specifiers, and its fields below it, indented."""
    read, package, parents = LockLines(), None, ["", ""]
    for line in (each.rstrip("\r") for each in _lines(text)):
        if not line:
            read.facts.append(None if package is None else LockFact(package))
        elif line.startswith("#"):
            read.facts.append(None)
        elif not line.startswith(" "):
            package = _yarn_heading(read, line)
        elif (found := _YARN_FIELD.fullmatch(line)) is None:
            raise NotALockFileError(line[:80])
        else:
            depth, key, value = len(found[1]) // 2 - 1, found[2].strip("\"'"), found[3] or found[4]
            name = ".".join([*parents[:depth], key])
            if value is None:
                if depth > 1:
                    raise NotALockFileError(line[:80])
                parents[depth] = key
            fact = LockFact(package, name if value else "", _unquoted(value or "")) if package is not None else None
            read.facts.append(fact)
    return read


def _yarn_heading(read: LockLines, line: str) -> int | None:
    if not line.endswith(":"):
        raise NotALockFileError(line[:80])
    specifiers = sorted(part.strip("\"' ") for part in line[:-1].split(","))
    if specifiers == ["__metadata"]:
        read.facts.append(None)
        return None
    names = sorted({each[: each.find("@", 1)] if each.find("@", 1) > 0 else each for each in specifiers})
    package = read.add(", ".join(names))
    read.facts.append(LockFact(package, "wanted as", ", ".join(specifiers)))
    return package


_PNPM_LINE = re.compile(r"( *)(?:(- )|(\"[^\"\\]+\"|'[^']+'|[^\s\"'#&*!|>%@`{\[-][^\s\"']*?|\.):(?: |$))(.*)")
_PNPM_KEY = re.compile(r"/?((?:@[^/@]+/)?[^/@()]+)[@/]([^()]+)(\(.*\))?")
_NOT_PLAIN = re.compile(r"[&*!%@`|>]")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")


def read_pnpm(text: str) -> LockLines:
    """pnpm-lock.yaml: `packages` and `snapshots` by name and version; block scalars belong to their key."""
    read, known = LockLines(), dict[str, int]()
    parents: list[tuple[int, str]] = []
    scalar: tuple[int, LockFact | None] | None = None
    for line in (each.rstrip("\r") for each in _lines(text)):
        indent = len(line) - len(line.lstrip(" "))
        if scalar is not None and (not line.strip() or indent > scalar[0]):
            read.facts.append(scalar[1]._replace(value=line.strip()) if scalar[1] is not None else None)
            continue
        scalar = None
        if not line:
            read.facts.append(read.facts[-1] and LockFact(read.facts[-1].package) if read.facts else None)
            continue
        found = _PNPM_LINE.fullmatch(line)
        if found is None or not _is_one_value(found[4]):
            raise NotALockFileError(line[:80])
        while parents and parents[-1][0] >= indent + bool(found[2]):
            parents.pop()
        key = "[]" if found[2] else found[3].strip("\"'")
        path = (*(parent for _, parent in parents), key)
        fact = _pnpm_fact(read, known, path, found[4])
        read.facts.append(fact)
        if not found[2]:
            parents.append((indent, key))
        if found[4] in ("|", "|-", "|+", ">", ">-", ">+"):
            scalar = indent, fact
    return read


def _is_one_value(value: str) -> bool:
    if value[:1] in ("'", '"'):
        return _QUOTED.fullmatch(value) is not None
    if value[:1] in ("{", "["):
        return value[-1] == {"{": "}", "[": "]"}[value[0]] and value.count("{") == value.count("}")
    return value in ("|", "|-", "|+", ">", ">-", ">+") or not _NOT_PLAIN.match(value)


def _pnpm_fact(read: LockLines, known: dict[str, int], path: tuple[str, ...], value: str) -> LockFact | None:
    if len(path) < 2 or path[0] not in ("packages", "snapshots"):
        return None
    if path[1] not in known:
        found = _PNPM_KEY.fullmatch(path[1])
        if found is None:
            raise NotALockFileError(path[1][:80])
        known[path[1]] = read.add(found[1], (found[3] or "").strip("()"), found[2])
    package = known[path[1]]
    if len(path) == 2 and value != "{}":
        return LockFact(package, "heading" if value else "", value)
    return LockFact(package, ".".join(path[2:]) if value else "", _unquoted(value))


# Lines with a grammar of their own

_GEM = re.compile(r"    (\S+) \(([^()]+)\)")
_GEM_NEEDS = re.compile(r"      (\S+?)(!?)(?: \(([^()]+)\))?")
_GEM_CHECKSUM = re.compile(r"  (\S+) \(([^()]+)\)(?: (\S.*))?")
_GEM_OTHER = re.compile(r"[A-Z][A-Z ]*|  .*|   .*")


def read_gemfile(text: str) -> LockLines:
    read, by_name = LockLines(), dict[tuple[str, str], int]()
    section, package, source = "", None, ""
    for line in (each.rstrip("\r") for each in _lines(text)):
        fact: LockFact | None = None
        if line[:1].strip():
            section, package, source = line, None, line
        elif section in ("GEM", "GIT", "PATH", "PLUGIN SOURCE"):
            if found := _GEM.fullmatch(line):
                package = by_name[found[1], found[2]] = read.add(found[1], "" if section == "GEM" else source)
                fact = LockFact(package, "version", found[2])
            elif (found := _GEM_NEEDS.fullmatch(line)) and package is not None:
                fact = LockFact(package, f"needs.{found[1]}{found[2]}", found[3] or "any")
            elif line.startswith("  remote: "):
                source = line.strip()
        elif section == "CHECKSUMS" and (found := _GEM_CHECKSUM.fullmatch(line)):
            own = by_name.get((found[1], found[2]))
            fact = LockFact(own, "checksum", found[3] or "none") if own is not None else None
        if line.strip() and not _GEM_OTHER.fullmatch(line):
            raise NotALockFileError(line[:80])
        read.facts.append(fact)
    return read


_GO_SUM = re.compile(r"(\S+) (v[^\s/]+)(/go\.mod)? (h1:[A-Za-z0-9+/]{43}=)")


def read_go_sum(text: str) -> LockLines:
    read, known = LockLines(), dict[tuple[str, str], int]()
    for line in _lines(text):
        found = _GO_SUM.fullmatch(line.rstrip("\r"))
        if found is None:
            raise NotALockFileError(line[:80])
        key = found[1], found[2]
        if key not in known:
            known[key] = read.add(found[1], version=found[2])
        read.facts.append(LockFact(known[key], "checksum of go.mod" if found[3] else "checksum", found[4]))
    return read


_REQUIREMENTS = re.compile(r"(?:.*/)?(?:[^/]*requirements[^/]*\.txt|requirements/[^/]*\.txt|constraints[^/]*\.txt)")
_PINNED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(\[[^\]]*\])?\s*===?\s*([^\s;#\\]+)\s*(;[^#\\]*)?\s*(\\)?")
_PIN_HASH = re.compile(r"\s+--hash=([a-z0-9]+:[0-9a-fA-F]+)\s*(\\)?")
_PIN_WHY = re.compile(r"\s+# .*")


def read_requirements(text: str) -> LockLines:
    """Pinned requirements, with their checksums and the comments below them; anything else is no package."""
    read = LockLines()
    package: int | None = None
    continues = False
    for line in (each.rstrip("\r") for each in _lines(text)):
        fact: LockFact | None = None
        if continues:
            found = _PIN_HASH.fullmatch(line)
            if found is None or package is None:
                raise NotALockFileError(line[:80])
            fact, continues = LockFact(package, "hash", found[1]), bool(found[2])
        elif found := _PINNED.fullmatch(line):
            package = read.add(found[1].lower().replace("_", "-").replace(".", "-") + (found[2] or ""))
            fact, continues = (
                LockFact(package, "version", found[3] + (f" {found[4].strip()}" if found[4] else "")),
                bool(found[5]),
            )
        elif package is not None and _PIN_WHY.fullmatch(line):
            fact = LockFact(package, "comment", line.strip())
        else:
            package = None
            if line.rstrip().endswith("\\"):
                raise NotALockFileError(line[:80])
        read.facts.append(fact)
    if continues:
        raise NotALockFileError
    return read


def _named(reader: Callable[[str], LockLines], names: Sequence[str]) -> dict[str, Callable[[str], LockLines]]:
    return dict.fromkeys(names, reader)


_READERS: dict[str, Callable[[str], LockLines]] = {
    **_named(read_npm, ("package-lock.json", "npm-shrinkwrap.json")),
    **_named(read_pipfile, ("pipfile.lock",)),
    **_named(read_composer, ("composer.lock",)),
    **_named(read_toml, ("cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml")),
    **_named(read_yarn, ("yarn.lock",)),
    **_named(read_pnpm, ("pnpm-lock.yaml", "pnpm-lock.yml")),
    **_named(read_gemfile, ("gemfile.lock", "gems.locked")),
    **_named(read_go_sum, ("go.sum", "go.work.sum")),
}
