"""Flags hazardous operations by rules on paths, content and commands."""

import codecs
import json
import posixpath
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from tandem_desktop.diff.text import PLAIN_IN_COMMAND, PLAIN_IN_CONTENT, PLAIN_IN_PATH, HiddenCharacters, is_plain
from tandem_desktop.domain.operations import CommandCall, DirectoryState, FileState, StagedOperation, SymlinkState
from tandem_desktop.domain.paths import folded
from tandem_desktop.staging import concealment
from tandem_desktop.staging.lock_files import installs_code
from tandem_desktop.storage.paths import resource

_NOT_SEEN_ON_EVERY_DISK = re.compile(r"(?::[^/]*|[. ]+)(?=/|$)")
"""A stream name or trailing dots and spaces: `Makefile.` and `Makefile::$DATA` are the Makefile on some disks."""


def parts_of(path: str) -> tuple[str, ...]:
    """The components of `path` as the most forgiving disk compares them."""
    return tuple(_NOT_SEEN_ON_EVERY_DISK.sub("", folded(path.replace("\\", "/"))).split("/"))


class PathPatterns:
    """Matches a path against many patterns. The notation is explained at the top of `hazards.toml`."""

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
        """True if the path matches, or is inside a matching folder."""
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
        """True if a pattern matches something below this path: a link there could introduce it."""
        return any(_tail(parts, size) in names for size, names in self._leads.items())


def _tail(parts: tuple[str, ...], size: int) -> str:
    return parts[-1] if size == 1 else "/".join(parts[-size:])


_LONGEST_MANIFEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Manifest:
    """A file in which some keys make code run and the `inert` ones do not."""

    name: str
    format: str
    inert: tuple[tuple[str, ...], ...]

    def only_inert_changes(self, before: bytes | None, after: bytes | None) -> bool:
        """True if the two differ only in inert keys; unreadable content is never inert."""
        try:
            return bool(self._telling(before) == self._telling(after))
        except (ValueError, RecursionError):
            return False

    def _telling(self, content: bytes | None) -> Any:
        if content is None:
            return {}
        if len(content) > _LONGEST_MANIFEST:
            raise ValueError("too long to be looked into")
        text = content.decode()
        document: Any = json.loads(text) if self.format == "json" else tomllib.loads(text)
        for keys in self.inert:
            _forget(document, keys)
        return document


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """The pattern of a secret, and literals at least one of which must occur, checked first for speed."""

    anchors: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


@dataclass(frozen=True, slots=True)
class HazardRules:
    """The content of `hazards.toml`."""

    explanations: Mapping[str, str]
    runs_code: PathPatterns
    instructs_agents: PathPatterns
    secret: PathPatterns
    manifests: Mapping[str, Manifest]
    secrets: tuple[SecretPattern, ...]
    hidden: HiddenCharacters
    large_bytes: int
    large_changed_lines: int

    def has_secret(self, content: bytes) -> bool:
        """True if `content` contains something like a secret."""
        for secret in self.secrets:
            for anchor in secret.anchors:
                if anchor in content and secret.pattern.search(content):
                    return True
        return False


@lru_cache(maxsize=1)
def bundled_rules() -> HazardRules:
    """The rules that come with Tandem; they are never read from a workspace."""
    return parse_rules(tomllib.loads(resource("hazards.toml").read_text(encoding="utf-8")))


def parse_rules(data: Mapping[str, Any]) -> HazardRules:
    paths, characters = data["paths"], data["characters"]
    return HazardRules(
        explanations=dict(data["explanations"]),
        runs_code=PathPatterns(paths["runs-code"]),
        instructs_agents=PathPatterns(paths["instructs-agents"]),
        secret=PathPatterns(paths["secret"]),
        manifests={each["name"]: _manifest(each) for each in data["manifests"]},
        secrets=tuple(
            SecretPattern(tuple(anchor.encode() for anchor in each["anchors"]), re.compile(each["pattern"].encode()))
            for each in data["secrets"]
        ),
        hidden=HiddenCharacters(
            invisible=_ranges(characters["invisible"]),
            visible=_ranges(characters["visible"]),
        ),
        large_bytes=data["large_bytes"],
        large_changed_lines=data["large_changed_lines"],
    )


def _manifest(data: Mapping[str, Any]) -> Manifest:
    inert = tuple(tuple(key.split(".")) for key in data["inert"])
    return Manifest(name=data["name"], format=data["format"], inert=inert)


def _ranges(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((first, last) for first, last in pairs)


def _forget(document: Any, keys: tuple[str, ...]) -> None:
    """Remove one key, and parent tables that become empty."""
    if not isinstance(document, dict) or keys[0] not in document:
        return
    if len(keys) == 1:
        del document[keys[0]]
        return
    _forget(document[keys[0]], keys[1:])
    if document[keys[0]] == {}:
        del document[keys[0]]


_CALLS_GIT = re.compile(r"(?<![\w.-])git(?![\w.-])")


class Hazard(StrEnum):
    """The flags, in the order they are always shown."""

    RUNS_CODE = "runs-code"
    INSTRUCTS_AGENTS = "instructs-agents"
    SECRET = "secret"
    EXECUTABLE = "executable"
    HIDDEN_CHARACTERS = "hidden-characters"
    LINK = "link"
    BINARY = "binary"
    LARGE = "large"
    IRREVERSIBLE = "irreversible"
    OUTSIDE = "outside"


def flags(
    operation: StagedOperation,
    before: bytes | None,
    after: bytes | None,
    *,
    commands_captured: bool = False,
    git_is_outside: bool = False,
) -> tuple[Hazard, ...]:
    """Every hazard of one operation, in the order of `Hazard`.

    Args:
        operation: what is proposed; its description and rationale are not looked at.
        before: the bytes at its path, None where there is no file.
        after: the bytes that will be there, None where there will be no file.
        commands_captured: whether commands run so that their effects in the workspace can be undone.
        git_is_outside: whether the workspace's git folder lies elsewhere, where nothing is captured.
    """
    rules = bundled_rules()
    found = {
        *_of_paths(operation, before, after, rules),
        *_of_states(operation),
        *_of_bytes(operation, before, after, rules),
    }
    if (command := operation.command_call) is not None:
        found |= _of_command(command, rules)
        if git_is_outside:
            found.add(Hazard.OUTSIDE)
            found |= {Hazard.IRREVERSIBLE} if _CALLS_GIT.search(command.command) else set()
    if operation.kind.spec.is_external:
        found |= {Hazard.OUTSIDE, Hazard.IRREVERSIBLE}
        if _hides(operation.subject, rules):
            found.add(Hazard.HIDDEN_CHARACTERS)
    elif not (operation.kind.spec.is_undoable or commands_captured):
        found.add(Hazard.IRREVERSIBLE)
    return tuple(hazard for hazard in Hazard if hazard in found)


def acts_by_its_name(path: str) -> bool:
    """Whether a file of this name can make code run unasked, or is read by agents as instructions."""
    rules, parts = bundled_rules(), parts_of(path)
    return rules.runs_code.match(parts) or rules.instructs_agents.match(parts)


def reason_to_open(operation: StagedOperation, before: bytes | None, after: bytes | None) -> str:
    """Why nothing is approved until this was opened, or skipped by its name: a lock file installs other code."""
    if operation.is_run or (_keeps_bytes(operation) and operation.to is None):
        return ""
    return installs_code(operation.to or operation.path or "", None if operation.to else before, after)


def notes(operation: StagedOperation, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Sentences about what the flags of an operation mean here."""
    found = [*concealment.about_names(operation)]
    if (call := operation.call_text) is not None:
        environment = operation.command_call.env if operation.command_call is not None else ()
        for text in (call, *(value for _, value in environment)):
            found += concealment.about_command(text)
    if not _keeps_bytes(operation):
        new = _readable(after)
        if new is not None:
            found += concealment.about_added_lines(_readable(before), new)
    if reason := reason_to_open(operation, before, after):
        found.append(reason)
    return tuple(found)


def explain(hazard: Hazard) -> str:
    """One plain sentence for the reviewer."""
    return bundled_rules().explanations[hazard]


def _of_paths(operation: StagedOperation, before: bytes | None, after: bytes | None, rules: HazardRules) -> set[Hazard]:
    found: set[Hazard] = set()
    if any(concealment.about_names(operation)):
        found.add(Hazard.HIDDEN_CHARACTERS)
    for path in operation.paths:
        if rules.hidden.in_text(path, plain=PLAIN_IN_PATH):
            found.add(Hazard.HIDDEN_CHARACTERS)
        if isinstance(operation.after, DirectoryState) or isinstance(operation.base, DirectoryState):
            continue  # its contents are flagged by their own operations
        parts = parts_of(path)
        is_link = isinstance(operation.after, SymlinkState)
        manifest = rules.manifests.get(parts[-1])
        inert = manifest is not None and _changes_only_inert_keys(manifest, operation, path, before, after)
        if not inert and _matches(rules.runs_code, parts, is_link=is_link):
            found.add(Hazard.RUNS_CODE)
        if _matches(rules.instructs_agents, parts, is_link=is_link):
            found.add(Hazard.INSTRUCTS_AGENTS)
        if rules.secret.match(parts):
            found.add(Hazard.SECRET)
    return found


def _changes_only_inert_keys(
    manifest: Manifest, operation: StagedOperation, path: str, before: bytes | None, after: bytes | None
) -> bool:
    if operation.to is not None:  # a move affects both names, with the whole content
        moved = before if path == operation.path else after
        return moved is not None and manifest.only_inert_changes(moved, None)
    if _keeps_bytes(operation):
        return True
    states = ((operation.base, before), (operation.after, after))
    if isinstance(operation.after, SymlinkState) or any(
        isinstance(state, FileState) is (content is None) for state, content in states
    ):
        return False  # a link, or bytes that were not given: unknown
    return manifest.only_inert_changes(before, after)


def _keeps_bytes(operation: StagedOperation) -> bool:
    base, after = operation.base, operation.after
    return isinstance(base, FileState) and isinstance(after, FileState) and base.sha256 == after.sha256


def _matches(patterns: PathPatterns, parts: tuple[str, ...], *, is_link: bool) -> bool:
    return patterns.match(parts) or (is_link and patterns.leads_to_match(parts))


def _of_states(operation: StagedOperation) -> set[Hazard]:
    found: set[Hazard] = set()
    base, after = operation.base, operation.after
    if isinstance(after, FileState):
        already = base.mode if isinstance(base, FileState) else 0
        if after.mode & 0o111 & ~already:
            found.add(Hazard.EXECUTABLE)
    if isinstance(after, SymlinkState):
        found.add(Hazard.LINK)
        if bundled_rules().hidden.in_text(after.target, plain=PLAIN_IN_PATH):
            found.add(Hazard.HIDDEN_CHARACTERS)
        if _leaves(after.target, posixpath.dirname(operation.to or operation.path or "")):
            found.add(Hazard.OUTSIDE)
    return found


def _of_bytes(operation: StagedOperation, before: bytes | None, after: bytes | None, rules: HazardRules) -> set[Hazard]:
    found: set[Hazard] = set()
    if reason_to_open(operation, before, after):
        found.add(Hazard.RUNS_CODE)
    if _keeps_bytes(operation):
        return found
    size = operation.after.size if isinstance(operation.after, FileState) else 0
    if max(size, len(after or b"")) > rules.large_bytes or _changed_lines_exceed(
        rules.large_changed_lines, before or b"", after or b""
    ):
        found.add(Hazard.LARGE)
    old, new = _readable(before), _readable(after)
    if (before is not None and old is None) or (after is not None and new is None):
        found.add(Hazard.BINARY)
    if after is not None:
        found |= _of_added_text(old if old is not None else before, new if new is not None else after, rules)
    return found


def _of_added_text(before: bytes | None, after: bytes, rules: HazardRules) -> set[Hazard]:
    """Check the added lines only if the whole content matches at all."""
    found: set[Hazard] = set()
    may_hide = not is_plain(after) and b"\0" not in after
    may_tell = rules.has_secret(after)
    if b"\0" not in after and any(concealment.about_added_lines(before, after)):
        found.add(Hazard.HIDDEN_CHARACTERS)
    if not may_hide and not may_tell:
        return found
    added = _lines_added(before, after)
    if may_hide and rules.hidden.in_text(added.decode("utf-8", "replace")):
        found.add(Hazard.HIDDEN_CHARACTERS)
    if may_tell and rules.has_secret(added):
        found.add(Hazard.SECRET)
    return found


def _of_command(call: CommandCall, rules: HazardRules) -> set[Hazard]:
    found = {Hazard.RUNS_CODE}
    texts = (call.command, call.cwd, *(part for pair in call.env for part in pair))
    if any(_hides(text, rules, PLAIN_IN_COMMAND) for text in texts):
        found.add(Hazard.HIDDEN_CHARACTERS)
    said = "\n".join((call.command, *(f"{name}={value}" for name, value in call.env))).encode("utf-8", "replace")
    if rules.has_secret(said):
        found.add(Hazard.SECRET)
    if _leaves(call.cwd, "") or call.cwd.startswith("~") or _mentions_outside(said.decode(), call.cwd):
        found.add(Hazard.OUTSIDE)
    return found


def _hides(text: str, rules: HazardRules, plain: bytes = PLAIN_IN_CONTENT) -> bool:
    return rules.hidden.in_text(text, plain=plain) or any(concealment.about_command(text))


_START = r"(?:^|(?<=[\s\"'`=:;|&<>(){},@!\[\]\\]))"
_URL = re.compile(r"(?!file:)\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s\"'`;|&<>()]*", re.IGNORECASE)
_HARMLESS_DEVICE = re.compile(rf"{_START}/dev/(?:null|stdin|stdout|stderr)(?![\w/.-])")
_ELSEWHERE = re.compile(
    rf"{_START}(?:-[A-Za-z])?(?:/|~|[A-Za-z]:[\\/]|\\\\)|\bfile:/"
    r"|\$\{?(?:HOME|OLDPWD|TMPDIR|USERPROFILE|APPDATA|XDG_[A-Z_]+)\b",
    re.MULTILINE | re.IGNORECASE,
)
_BETWEEN_WORDS = re.compile(r"[\s\"'`=:;|&<>(){},]+")


def _mentions_outside(command: str, cwd: str) -> bool:
    """True if the text names a place outside, as far as can be detected."""
    text = _HARMLESS_DEVICE.sub("", _URL.sub("", command))
    if _ELSEWHERE.search(text):
        return True
    return ".." in text and any(_leaves(word, cwd) for word in _BETWEEN_WORDS.split(text) if ".." in word)


def _leaves(target: str, directory: str) -> bool:
    """Whether `target`, read from `directory` in the workspace, is absolute or climbs out of it."""
    plain = target.replace("\\", "/")
    if plain.startswith("/") or re.match("[A-Za-z]:", plain):
        return True
    return posixpath.normpath(posixpath.join(directory, plain)).split("/")[0] == ".."


def _readable(content: bytes | None) -> bytes | None:
    """Text as UTF-8 without a byte order mark, or None for what is not text."""
    if content is None:
        return None
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            content = content.decode("utf-16").encode()
        except UnicodeError:
            return None
    if b"\0" in content:
        return None
    if not content.isascii():
        try:
            content.decode()
        except UnicodeDecodeError:
            return None
    return content.removeprefix(codecs.BOM_UTF8)


def _lines_added(before: bytes | None, after: bytes) -> bytes:
    """The lines of `after` that occur more often than in `before`, in order."""
    if before is None:
        return after
    there = Counter(before.split(b"\n"))
    added = []
    for line in after.split(b"\n"):
        if there[line]:
            there[line] -= 1
        else:
            added.append(line)
    return b"\n".join(added)


def _changed_lines_exceed(limit: int, before: bytes, after: bytes) -> bool:
    if before.count(b"\n") + after.count(b"\n") + 2 <= limit:
        return False
    old, new = Counter(before.split(b"\n")), Counter(after.split(b"\n"))
    return (old - new).total() + (new - old).total() > limit
