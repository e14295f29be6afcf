"""Files that tools act on by their name, why, and which changes in them have no effect of that sort."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

from tandem_desktop.domain.paths import folded
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.staging.inert_changes import Manifest
from tandem_desktop.storage.paths import resource

_NOT_SEEN_ON_EVERY_DISK = lazy_pattern(r"(?::[^/]*|[. ]+)(?=/|$)")
"""A stream name or trailing dots and spaces: `Makefile.` and `Makefile::$DATA` are the Makefile on some disks."""
_FOLDERS_REMEMBERED = 1024
_BRACES = lazy_pattern(r"\{([^{}]*)\}")

Parts = tuple[str, ...]
T = TypeVar("T")


def parts_of(path: str) -> Parts:
    """The components of `path` as the most forgiving disk compares them."""
    return tuple(_NOT_SEEN_ON_EVERY_DISK.sub("", folded(path.replace("\\", "/"))).split("/"))


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an operation has a flag: the kind of file, and a sentence that says what happens to it."""

    kind: str
    why: str


class PathTable(Generic[T]):
    """Finds the value of the pattern that a path matches. The notation is explained at the top of `path_rules.toml`."""

    def __init__(self, patterns: Iterable[tuple[str, T]]) -> None:
        self._exact: dict[int, dict[str, T]] = defaultdict(dict)
        self._folders: dict[int, dict[str, T]] = defaultdict(dict)
        self._suffixes: dict[str, T] = {}
        wild: dict[int, dict[str, T]] = defaultdict(dict)
        wild_folders: dict[int, dict[str, T]] = defaultdict(dict)
        self._patterns = [
            (each, value)
            for written, value in patterns
            for each in (_expanded(written) if "{" in written else (written,))
        ]
        for pattern, value in self._patterns:
            plain = pattern.removesuffix("/**")
            size, has_star = plain.count("/") + 1, "*" in plain
            if plain != pattern:
                (wild_folders if has_star else self._folders)[size].setdefault(plain, value)
            elif not has_star:
                self._exact[size].setdefault(plain, value)
            elif size == 1 and plain.startswith("*") and "*" not in plain[1:]:
                self._suffixes.setdefault(plain[1:], value)
            else:
                wild[size].setdefault(plain, value)
        self._odd_suffixes = tuple(each for each in self._suffixes if not each.startswith("."))
        self._sizes = tuple(sorted({*self._exact, *self._folders, *wild, *wild_folders}))
        self._folder_globs = {size: _Globs(wild_folders[size]) for size in self._sizes}
        self._globs = {
            size: tuple(_Globs(globs) for globs in (wild[size], wild_folders[size]) if globs) for size in self._sizes
        }
        self._of_folder = lru_cache(_FOLDERS_REMEMBERED)(self._find_folder)

    def find(self, parts: Parts) -> T | None:
        """The value for the path, or for a folder above it."""
        return next(self._values(parts), None)

    def find_below(self, parts: Parts) -> T | None:
        """The value of a pattern for something below this path: a link there could introduce it."""
        return next(
            (names[_tail(parts, size)] for size, names in self._leads.items() if _tail(parts, size) in names), None
        )

    @cached_property
    def _leads(self) -> Mapping[int, Mapping[str, T]]:
        """The folders above each pattern, by their number of components."""
        leads: dict[int, dict[str, T]] = defaultdict(dict)
        for pattern, value in self._patterns:
            components = pattern.removesuffix("/**").split("/")
            for length in range(1, len(components)):
                leads[length].setdefault("/".join(components[:length]), value)
        return leads

    def _values(self, parts: Parts) -> Iterator[T]:
        for size in self._sizes:
            if size > len(parts):
                break
            tail = parts[-1] if size == 1 else "/".join(parts[-size:])
            if (found := self._exact[size].get(tail)) is not None:
                yield found
            if (found := self._folders[size].get(tail)) is not None:
                yield found
            for globs in self._globs[size]:
                if (found := globs.find(tail)) is not None:
                    yield found
        yield from self._by_suffix(parts[-1])
        if len(parts) > 1 and (found := self._of_folder(parts[:-1])) is not None:
            yield found

    def _find_folder(self, parts: Parts) -> T | None:
        """The value for everything in this folder."""
        for size in self._sizes:
            for start in range(len(parts) - size + 1):
                text = "/".join(parts[start : start + size])
                if (found := self._folders[size].get(text)) is not None:
                    return found
                if (found := self._folder_globs[size].find(text)) is not None:
                    return found
        return None

    def _by_suffix(self, name: str) -> Iterator[T]:
        """The longest one first; few begin anywhere but at a dot."""
        at = name.find(".")
        while at >= 0:
            if (found := self._suffixes.get(name[at:])) is not None:
                yield found
            at = name.find(".", at + 1)
        if name.endswith(self._odd_suffixes):
            yield next(self._suffixes[each] for each in self._odd_suffixes if name.endswith(each))


class _Globs(Generic[T]):
    """Several patterns with stars, tried at once; sorted by extension and first character, so that few are tried."""

    def __init__(self, globs: Mapping[str, T]) -> None:
        sorted_globs: dict[tuple[str, str], list[tuple[str, T]]] = defaultdict(list)
        for glob, value in globs.items():
            first = "" if glob.startswith("*") else glob[0]
            sorted_globs[_extension(glob.rpartition("*")[2]), first].append((glob, value))
        self._values = {key: tuple(value for _, value in found) for key, found in sorted_globs.items()}
        # Most of the hundreds of patterns are never compared with anything, so each is compiled when it is.
        self._patterns = {key: lazy_pattern(_any_of(glob for glob, _ in found)) for key, found in sorted_globs.items()}

    def find(self, text: str) -> T | None:
        extension, first = _extension(text), text[:1]
        for key in ((extension, first), (extension, ""), ("", first), ("", "")):
            if (pattern := self._patterns.get(key)) is not None and (match := pattern.fullmatch(text)) is not None:
                return self._values[key][match.lastindex - 1] if match.lastindex else None
        return None


def _extension(text: str) -> str:
    """What follows the last dot of a name; nothing where the end is open."""
    _, dot, extension = text.rpartition(".")
    return extension if dot and "/" not in extension else ""


def _any_of(globs: Iterable[str]) -> str:
    return "|".join("({})".format(re.escape(glob).replace(r"\*", "[^/]*")) for glob in globs)


def _expanded(pattern: str) -> Iterator[str]:
    """`x.{a,b}` as `x.a` and `x.b`."""
    braces = _BRACES.search(pattern)
    if braces is None:
        yield pattern
        return
    for choice in braces[1].split(","):
        yield from _expanded(f"{pattern[: braces.start()]}{choice}{pattern[braces.end() :]}")


def _tail(parts: Parts, size: int) -> str:
    return parts[-1] if size == 1 else "/".join(parts[-size:])


class RuleSet:
    """The rules of one flag: some hold at any depth, some only at the top of the workspace."""

    def __init__(self, rules: Iterable[Mapping[str, Any]]) -> None:
        anywhere: list[tuple[str, Reason]] = []
        top: list[tuple[str, Reason]] = []
        for rule in rules:
            reason = Reason(rule.get("kind", "tool"), rule["why"])
            (top if rule.get("top") else anywhere).extend((path, reason) for path in rule["paths"])
        self._anywhere, self._top = PathTable(anywhere), PathTable(top)

    def find(self, parts: Parts, *, is_link: bool = False) -> Reason | None:
        found = self._anywhere.find(parts)
        if found is None and len(parts) == 1:
            found = self._top.find(parts)
        return self._anywhere.find_below(parts) if found is None and is_link else found


def _table(data: Mapping[str, Any]) -> "PathTable[bool]":
    return PathTable((path, True) for path in data["paths"])


class PathRules:
    """The content of `path_rules.json`. A table is built when it is first asked."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self.kinds: Mapping[str, str] = dict(data["kinds"])
        """The title of each kind."""
        self.samples = frozenset(data["samples"]["folders"])

    @cached_property
    def named(self) -> RuleSet:
        return RuleSet(self._data["runs-code"])

    @cached_property
    def general(self) -> RuleSet:
        return RuleSet(self._data["general"])

    @cached_property
    def exceptions(self) -> PathTable[bool]:
        return _table(self._data["exceptions"])

    @cached_property
    def harmless(self) -> PathTable[bool]:
        return _table(self._data["harmless"])

    @cached_property
    def recipes(self) -> PathTable[bool]:
        """Files that hold the code themselves: to delete one runs nothing."""
        return _table(self._data["recipes"])

    @cached_property
    def lock_files(self) -> PathTable[bool]:
        return _table(self._data["lock_files"])

    @cached_property
    def instructs_agents(self) -> RuleSet:
        return RuleSet(self._data["instructs-agents"])

    @cached_property
    def secret(self) -> RuleSet:
        return RuleSet(self._data["secret"])

    @cached_property
    def manifests(self) -> PathTable[Manifest]:
        return PathTable((name, Manifest.parse(each)) for each in self._data["manifests"] for name in each["names"])

    @property
    def whys(self) -> tuple[str, ...]:
        """Every sentence."""
        flags = ("runs-code", "general", "instructs-agents", "secret")
        return tuple(dict.fromkeys(rule["why"] for flag in flags for rule in self._data[flag]))

    def runs_code(self, parts: Parts, *, is_link: bool, is_known: bool, is_deleted: bool = False) -> Reason | None:
        """Why such a file can make code run: a rule names it, or it looks like a tool's own and no rule knows it.

        Lock files have a rule of their own, which reads them.
        """
        if is_deleted and ".git" not in parts and self.recipes.find(parts):
            return None
        if (named := self.named.find(parts, is_link=is_link)) is not None:
            found, harmless = named, self.exceptions
        elif is_known or self.samples.intersection(parts[:-1]):
            return None
        elif (general := self.general.find(parts)) is not None:
            found, harmless = general, self.harmless
        else:
            return None
        return None if harmless.find(parts) or self.lock_files.find(parts) else found


@lru_cache(maxsize=1)
def bundled_path_rules() -> PathRules:
    """The rules that come with Tandem; they are never read from a workspace.

    They are written in `path_rules.toml`, and read as the JSON that is made of it, in a tenth of the time.
    """
    return PathRules(json.loads(resource("path_rules.json").read_bytes()))
