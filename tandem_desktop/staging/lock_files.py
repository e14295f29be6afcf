"""Tells which changes of a lock file make an install fetch or run other code."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath

from tandem_desktop.diff.text import visible
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.staging.path_rules import PathTable, parts_of
from tandem_desktop.storage.paths import resource

_HASH = lazy_pattern(
    rb"\bsha(?:1|224|256|384|512)[-:=][A-Za-z0-9+/=_-]{16,}|\bh1:[A-Za-z0-9+/=]{20,}|\bzh:[0-9a-f]{32,}"
    rb"|(?<![A-Za-z0-9])[0-9A-Fa-f]{32,128}(?![A-Za-z0-9])|(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{43,}={1,2}"
    rb"|\bblake[23][a-z]?[-:=][A-Za-z0-9+/=]{20,}|\bmd5[-:=][0-9a-fA-F]{32}"
)
_SOURCE = lazy_pattern(
    rb"[A-Za-z][A-Za-z0-9+.-]{1,20}://|\bgit@|\b(?:file|link|portal|github|gitlab|bitbucket|git|npm|jsr|patch|exec):(?=\S)"
    rb"|(?:^|[\s\"'{,-])(?:resolved|tarball|registry|source|sources|url|path|location|repo|repository|remote|reference|"
    rb"revision|rev|ref|provider|index-url|extra-index-url|find-links|trusted-host|editable|resolution|git|branch|tag|commit|link|from)"
    rb"[\"']?\s*[:= ]|<trust\b",
    re.IGNORECASE,
)
_SCRIPT = lazy_pattern(rb"\b(?:hasInstallScript|requiresBuild|requires_build|install_script)[\"']?\s*[:=]\s*true")
_LOADS = lazy_pattern(
    rb"\s*[\"']?(?:trustedDependencies|onlyBuiltDependencies|patchedDependencies|overrides|replace|autoload|autoload-dev|psr-[04]"
    rb"|classmap|scripts|extra|bin)[\"']?\s*[:=]|\s*\"files\"\s*:|.*\b(?:verify_ssl|verify-metadata|verify-signatures)\b"
    rb"|.*\\u00[2-7]"
)
"""Keys of what is loaded, replaced or checked, and keys that are spelled with escapes."""
_VERSION = lazy_pattern(rb"\d+\.\d+|[=<>~!]=|^\s*-[a-z-]")
_VALUE = rb"(?:\"[^\"]*\"|[^\"{}\[\],]*),?"
_ABOUT_ITSELF = lazy_pattern(
    rb"\s*(?:COCOAPODS: [\d.]+|\"?content-hash\"?\s*[:=]\s*\"[0-9a-f]+\",?|PODFILE CHECKSUM: [0-9a-f]+|#.*"
    rb"|\"?(?:homepage|funding|support|issues|docs|forum|wiki|chat|rss|email|security|license|description)\"?\s*[:=]\s*"
    + _VALUE
    + rb"|\"(?:name|lockfileVersion|\$schema)\"\s*:\s*"
    + _VALUE
    + rb")\s*"
)
_ABOUT_PEOPLE = lazy_pattern(rb"\"(?:funding|support)\"")
_LINK_TO_PEOPLE = lazy_pattern(rb"\s*\"(?:url|type|issues|source|docs|chat|forum)\"\s*:\s*" + _VALUE + rb"\s*")
_HEADING = lazy_pattern(
    rb"\s*(?:<(?:component|artifact)\b[^>]*[^/]>|\"[^\"]*\"\s*:\s*[\[{]|[^\s#].*[:{]\s*|[\s]+['\"/@\w(][^:]*:\s*|-?\s*name\s*[=:].*|\"name\"\s*:.*"
    rb"|\[\[?.*\]\]?)"
)
_PACKAGE = lazy_pattern(
    rb"\s*\"((?!(?:\w*[dD]ependenc\w*|engines|bin|funding|support|requires|packages|hash|scripts|autoload)\")[^\"]+)\"\s*:\s*\{.*"
    rb"|name\s*=\s*(\S+)\s*|([^\s#\[\"][^\s:]*@[^:]*|\"[^\"]+@[^\"]*\"):\s*"
)
_DEFINED = lazy_pattern(
    rb"(?:  )?['\"]?/?((?:@[\w.-]+/)?[\w.-]+)@[^\s:].*:|    ([\w.-]+) \(\d[^)]*\)|\s*\"name\": \"([\w.-]+/[\w.-]+)\","
)
"""A package of Yarn or pnpm, Bundler, or Composer in the list of what is installed."""
_NAMED_FIRST = lazy_pattern(rb"\s*(?:- )?(?:\{\s*name = )?[\"']?(@?[\w.-]+(?:/[\w.-]+)?)")
_INLINE_VERSION = lazy_pattern(rb".*[{,]\s*\"?version\"?\s*[:=].*", re.IGNORECASE)
_VERSION_OF = lazy_pattern(rb"\s*\"?version\"?\s*[:= ]\s*\S.*", re.IGNORECASE)
_FORMAT = lazy_pattern(rb"\"?lockfileVersion\"?\s*:\s*['\"]?(\d+)")
_OWN_PACKAGE = lazy_pattern(rb"\"(?:(?!node_modules/)[^\"@][^\"]*/[^\"]*)?\"\s*:.*|.*@workspace:.*")
_OWN_SOURCE = lazy_pattern(rb"\s*source\s*=\s*\{\s*(?:editable|virtual|directory|path|workspace)\b.*")
_SAYS_SOMETHING = lazy_pattern(rb"\s*[^\s#\]\[{}(),].*")
_HOST = lazy_pattern(rb"[A-Za-z][A-Za-z0-9+.-]{1,20}://(?:[^/@\s\"']*@)?([^/\s\"':?#,;)\]}>]+)|\bgit@([^:/\s\"']+)[:/]")
_LONGEST = 64 << 20
_MOST_NAMED = 3


@lru_cache(maxsize=1)
def _names() -> tuple[PathTable[bool], PathTable[bool]]:
    """Those of all lock files, and of those that name no checksums."""
    data = json.loads(resource("hazards.json").read_bytes())["lock_files"]
    by_version = [(name, True) for name in data["by_version"]]
    return PathTable([*((name, True) for name in data["names"]), *by_version]), PathTable(by_version)


def is_lock_file(path: str) -> bool:
    """True if a package manager reads a file of this name to know what to install."""
    return _names()[0].find(parts_of(path)) is not None


def installs_code(path: str, before: bytes | None, after: bytes | None) -> str:
    """Why an install does other things after this change of a lock file; empty if it does not, or if it is none.

    Every new source and every new checksum counts, so a mere update of a package does as well: it installs other code.
    What a lock file says about itself or about the project does not, nor does a package that is removed, unless
    another one still names it.
    """
    if after is None or before == after or not is_lock_file(path):
        return ""
    name = visible(PurePosixPath(path).name)
    if b"\0" in after[:8192] or len(after) > _LONGEST or _says_nothing_known(after) or _has_a_key_twice(after):
        return f"{name} says what is installed, and cannot be read here."
    is_listed = _names()[1].find(parts_of(path)) is not None and not path.lower().endswith(".json")
    by_version = _names()[1].find(parts_of(path)) is not None or not _HASH.search(after)
    old, new = _facts(before or b"", by_version), _facts(after, by_version)
    new_names = _packages(after, is_listed) - _packages(before or b"", is_listed)
    if old and not new:
        return f"{name} says what is installed, and names no package any more: an install takes what is newest."
    if _format(after) < _format(before or b""):
        return f"{name} says what is installed, and is of an older format: an install may read less of it."
    if not new - old:
        new += Counter(("package", b"", name) for name in new_names)
        old, new = old + _versions(path, before or b""), new + _versions(path, after)
    if added := new - old:
        return f"{name} says what is installed: {_told(before or b'', added)}."
    lost = {package for kind, package, _ in old - new if kind == "checksum" and package}
    if not lost.isdisjoint(line.strip() for line in after.splitlines()):
        return f"{name} says what is installed: checksums are removed, so nothing is compared with them."
    if needed := sorted((_defined(before or b"") - _defined(after)) & _named_first(after)):
        told = ", ".join(visible(each.decode("utf-8", "replace")) for each in needed[:_MOST_NAMED])
        more = f" and {len(needed) - _MOST_NAMED} more" if len(needed) > _MOST_NAMED else ""
        return f"{name} says what is installed, and holds {told}{more} to no version any more, which others need."
    return ""


def names_packages(path: str, content: bytes | None) -> bool:
    """True if it is a lock file that holds packages to a version, so that an install without it takes others."""
    return (
        content is not None
        and is_lock_file(path)
        and bool(_facts(content, by_version=True) or _packages(content, False))
    )


def _format(content: bytes) -> int:
    found = _FORMAT.search(content)
    return int(found[1][:9]) if found else 0


def _has_a_key_twice(content: bytes) -> bool:
    """True for JSON in which one key stands twice in an object: tools take one or the other."""
    if not content.lstrip().startswith(b"{"):
        return False
    try:
        json.loads(content, object_pairs_hook=_without_doubles)
    except _KeyTwiceError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


class _KeyTwiceError(Exception):
    pass


def _without_doubles(pairs: list[tuple[str, object]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _KeyTwiceError


def _says_nothing_known(content: bytes) -> bool:
    """True if it has text, and no line that is one of a lock file."""
    lines = [line for line in content.splitlines() if _SAYS_SOMETHING.fullmatch(line)]
    return bool(lines) and not any(
        _kind(line, by_version=True) or _HEADING.fullmatch(line) or _ABOUT_ITSELF.fullmatch(line) for line in lines
    )


_Fact = tuple[str, bytes, bytes]
"""What it is, the package it belongs to, and the line."""


def _facts(content: bytes, by_version: bool) -> Counter[_Fact]:
    found: Counter[_Fact] = Counter()
    package = b""
    for line in content.splitlines():
        if _ABOUT_ITSELF.fullmatch(line) or (_ABOUT_PEOPLE.match(package) and _LINK_TO_PEOPLE.fullmatch(line)):
            continue
        kind = _kind(line, by_version) or ("loads" if _LOADS.match(package) and _SAYS_SOMETHING.fullmatch(line) else "")
        if kind:
            found[kind, package, line.strip().rstrip(b",")] += 1
        if _HEADING.fullmatch(line):
            package = line.strip()
    return found


def _versions(path: str, content: bytes) -> Counter[_Fact]:
    """The version of each package that is fetched from somewhere, which the project's own packages are not."""
    sections: dict[bytes, list[bytes]] = {}
    found: Counter[_Fact] = Counter()
    package = b""
    for line in content.splitlines():
        is_name_of_project = package in (b"", b'"": {') and line.lstrip().startswith(b'"name"')
        if _HEADING.fullmatch(line) and not is_name_of_project:
            package = line.strip()
        else:
            sections.setdefault(package, []).append(line)
        if _INLINE_VERSION.fullmatch(line):
            found["version", b"", line.strip().rstrip(b",")] += 1
    is_own_without_source = PurePosixPath(path).name.lower() in ("cargo.lock", "uv.lock")
    for package, lines in sections.items():
        sources = [line for line in lines if line.lstrip().startswith(b"source")]
        is_own = not package or _OWN_PACKAGE.fullmatch(package) or any(map(_OWN_SOURCE.fullmatch, sources))
        if not is_own and (sources or not is_own_without_source):
            found.update(
                ("version", package, line.strip().rstrip(b",")) for line in lines if _VERSION_OF.fullmatch(line)
            )
    return found


def _packages(content: bytes, is_listed: bool) -> set[bytes]:
    """The packages it names; where each line is one (`is_listed`), every line that says something."""
    lines = content.splitlines()
    if is_listed:
        return {line.strip() for line in lines if _SAYS_SOMETHING.fullmatch(line) and not _ABOUT_ITSELF.fullmatch(line)}
    return {found[1] or found[2] or found[3] for line in lines if (found := _PACKAGE.fullmatch(line))}


def _defined(content: bytes) -> set[bytes]:
    """The bare names of the packages it holds to a version."""
    found = set()
    for line in content.splitlines():
        if match := _DEFINED.fullmatch(line):
            found.add(match[1] or match[2] or match[3])
        elif match := _PACKAGE.fullmatch(line):
            name = (match[1] or match[2] or match[3]).strip(b"\"'").rpartition(b"node_modules/")[2]
            found.add(name[:at] if (at := name.find(b"@", 1)) > 0 else name)
    return found


def _named_first(content: bytes) -> set[bytes]:
    """The first word of each line: of a line that says what a package needs, the name of that."""
    return {match[1] for line in content.splitlines() if (match := _NAMED_FIRST.match(line))}


def _kind(line: bytes, by_version: bool) -> str:
    if _HASH.search(line):
        return "checksum"
    if _SOURCE.search(line):
        return "source"
    if _SCRIPT.search(line):
        return "script"
    if _LOADS.match(line) and not _HEADING.fullmatch(line):
        return "loads"
    return "version" if by_version and _VERSION.search(line) else ""


_ONE_AND_MORE = {
    "checksum": ("1 checksum is new", "{n} checksums are new"),
    "source": ("1 source is new", "{n} sources are new"),
    "version": ("1 version is new", "{n} versions are new"),
    "package": ("1 package is new", "{n} packages are new"),
    "loads": ("1 line says what is loaded or replaced", "{n} lines say what is loaded or replaced"),
    "script": ("1 package runs a script when it is installed", "{n} packages run a script when they are installed"),
}


def _told(before: bytes, added: Counter[_Fact]) -> str:
    hosts = sorted({host for _, _, line in added for host in _hosts(line)}.difference(_hosts(before)))
    parts = []
    if hosts and before:
        named = ", ".join(visible(host.decode("utf-8", "replace")) for host in hosts[:_MOST_NAMED])
        more = f" and {len(hosts) - _MOST_NAMED} more" if len(hosts) > _MOST_NAMED else ""
        parts.append(f"packages come from {named}{more}, where none came from before")
    counts = Counter(dict.fromkeys(_ONE_AND_MORE, 0))
    for (kind, _, _), count in added.items():
        counts[kind] += count
    parts += [_ONE_AND_MORE[kind][n > 1].format(n=f"{n:,}") for kind, n in counts.items() if n]
    return ", ".join(parts)


def _hosts(content: bytes) -> Iterator[bytes]:
    for found in _HOST.finditer(content):
        yield (found[1] or found[2]).lower()
