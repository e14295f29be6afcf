"""Paths that mean more than their content: matched by rule at any depth, whether or not anything is there yet."""

import re
from collections import defaultdict
from collections.abc import Iterable

from tandem_desktop.domain.paths import folded

_NOT_SEEN_ON_EVERY_DISK = re.compile(r"(?::[^/]*|[. ]+)(?=/|$)")
"""A stream name or trailing dots and spaces: `Makefile.` and `Makefile::$DATA` are the Makefile on some disks."""


def parts_of(path: str) -> tuple[str, ...]:
    """The components of `path` as the most forgiving disk compares them."""
    return tuple(_NOT_SEEN_ON_EVERY_DISK.sub("", folded(path.replace("\\", "/"))).split("/"))


class PathPatterns:
    """Many patterns, one answer. The notation is explained at the top of `hazards.toml`."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._folders: dict[int, set[str]] = defaultdict(set)
        self._exact: dict[int, set[str]] = defaultdict(set)
        self._leads: dict[int, set[str]] = defaultdict(set)
        suffixes: list[str] = []
        wild: dict[int, list[str]] = defaultdict(list)
        for pattern in patterns:
            plain = pattern.removesuffix("/**")
            size = plain.count("/") + 1
            components = plain.split("/")
            for length in range(1, size):
                self._leads[length].add("/".join(components[:length]))
            if plain != pattern:
                self._folders[size].add(plain)
            elif "*" not in plain:
                self._exact[size].add(plain)
            elif size == 1 and plain.startswith("*") and "*" not in plain[1:]:
                suffixes.append(plain[1:])
            else:
                wild[size].append(re.escape(plain).replace(r"\*", "[^/]*"))
        self._suffixes = tuple(suffixes)
        self._wild = {size: re.compile("|".join(globs)) for size, globs in wild.items()}

    def match(self, parts: tuple[str, ...]) -> bool:
        """Whether the path is one of those, or lies in one of their folders."""
        return (
            parts[-1].endswith(self._suffixes)
            or any(_tail(parts, size) in names for size, names in self._exact.items())
            or any(glob.fullmatch(_tail(parts, size)) for size, glob in self._wild.items())
            or any(
                "/".join(parts[start : start + size]) in names
                for size, names in self._folders.items()
                for start in range(len(parts) - size + 1)
            )
        )

    def leads_to_match(self, parts: tuple[str, ...]) -> bool:
        """Whether a pattern matches something below this path: a link there can smuggle it in."""
        return any(_tail(parts, size) in names for size, names in self._leads.items())


def _tail(parts: tuple[str, ...], size: int) -> str:
    return parts[-1] if size == 1 else "/".join(parts[-size:])
