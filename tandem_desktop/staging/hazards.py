"""Flags hazardous operations by rules on paths, content and commands."""

import codecs
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from tandem_desktop.diff.text import PLAIN_IN_COMMAND, PLAIN_IN_CONTENT, PLAIN_IN_PATH, HiddenCharacters, is_plain
from tandem_desktop.domain.operations import (
    Absent,
    CommandCall,
    DirectoryState,
    FileState,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.staging import concealment
from tandem_desktop.staging.inert_changes import Manifest
from tandem_desktop.staging.lock_files import installs_code, is_lock_file, names_packages
from tandem_desktop.staging.path_rules import Reason, bundled_path_rules, parts_of
from tandem_desktop.storage.paths import resource


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """The pattern of a secret, and literals at least one of which must occur, checked first for speed."""

    anchors: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


@dataclass(frozen=True, slots=True)
class HazardRules:
    """The content of `hazards.toml`, which is read as the JSON that is made of it."""

    explanations: Mapping[str, str]
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
    return parse_rules(json.loads(resource("hazards.json").read_bytes()))


def parse_rules(data: Mapping[str, Any]) -> HazardRules:
    characters = data["characters"]
    return HazardRules(
        explanations=dict(data["explanations"]),
        secrets=tuple(
            SecretPattern(tuple(anchor.encode() for anchor in each["anchors"]), lazy_pattern(each["pattern"].encode()))
            for each in data["secrets"]
        ),
        hidden=HiddenCharacters(
            invisible=_ranges(characters["invisible"]),
            visible=_ranges(characters["visible"]),
        ),
        large_bytes=data["large_bytes"],
        large_changed_lines=data["large_changed_lines"],
    )


def _ranges(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((first, last) for first, last in pairs)


_CALLS_GIT = lazy_pattern(r"(?<![\w.-])git(?![\w.-])")


class Hazard(StrEnum):
    """The flags, gravest first: the order in which they and what they mark are always shown."""

    RUNS_CODE = "runs-code"
    INSTRUCTS_AGENTS = "instructs-agents"
    SECRET = "secret"
    OUTSIDE = "outside"
    IRREVERSIBLE = "irreversible"
    HIDDEN_CHARACTERS = "hidden-characters"
    EXECUTABLE = "executable"
    LINK = "link"
    BINARY = "binary"
    LARGE = "large"


def flags(
    operation: StagedOperation,
    before: bytes | None,
    after: bytes | None,
    *,
    commands_captured: bool = False,
    git_is_outside: bool = False,
    concealed: tuple[str, ...] | None = None,
) -> tuple[Hazard, ...]:
    """Every hazard of one operation, in the order of `Hazard`.

    Args:
        operation: what is proposed; its description and rationale are not looked at.
        before: the bytes at its path, None where there is no file.
        after: the bytes that will be there, None where there will be no file.
        commands_captured: whether commands run so that their effects in the workspace can be undone.
        git_is_outside: whether the workspace's git folder lies elsewhere, where nothing is captured.
        concealed: what `about_added_lines` says of it, where that is known.
    """
    rules = bundled_rules()
    found = {
        *_of_paths(operation, before, after),
        *_of_names(operation, rules),
        *_of_states(operation),
        *_of_bytes(operation, before, after, rules, concealed),
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


def reasons(operation: StagedOperation, before: bytes | None, after: bytes | None) -> dict[Hazard, Reason]:
    """Why it has its flags, where a rule says more than `explain`: what a tool does with such a file."""
    if operation.command_call is not None:
        return {Hazard.RUNS_CODE: Reason("command", bundled_rules().explanations["command"])}
    found = _of_paths(operation, before, after)
    if Hazard.RUNS_CODE not in found and reason_to_open(operation, before, after):
        found[Hazard.RUNS_CODE] = Reason("lock file", bundled_rules().explanations["lock-file"])
    return found


def acts_by_its_name(path: str) -> bool:
    """Whether a rule names such a file as one that makes code run unasked, or that agents read as instructions.

    What a build leaves, compiled or packed, does not count.
    """
    rules, parts = bundled_path_rules(), parts_of(path)
    runs = rules.named.find(parts)
    return (runs is not None and runs.kind != "artifact") or rules.instructs_agents.find(parts) is not None


def reason_to_open(operation: StagedOperation, before: bytes | None, after: bytes | None) -> str:
    """Why nothing is approved until this was opened, or skipped by its name: a lock file installs other code."""
    if operation.is_run or (_keeps_bytes(operation) and operation.to is None):
        return ""
    return installs_code(operation.to or operation.path or "", None if operation.to else before, after)


def about_added_lines(operation: StagedOperation, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Sentences about added lines of text that hide something."""
    new = None if _keeps_bytes(operation) else _readable(after)
    return () if new is None else tuple(concealment.about_added_lines(_readable(before), new))


def notes(
    operation: StagedOperation, before: bytes | None, after: bytes | None, concealed: tuple[str, ...]
) -> tuple[str, ...]:
    """Sentences about what the flags of an operation mean here; `concealed` are those about its added lines."""
    found = [*concealment.about_names(operation)]
    if (call := operation.call_text) is not None:
        environment = operation.command_call.env if operation.command_call is not None else ()
        for text in (call, *(value for _, value in environment)):
            found += concealment.about_command(text)
    found += concealed
    if reason := reason_to_open(operation, before, after):
        found.append(reason)
    return tuple(found)


def explain(hazard: Hazard) -> str:
    """One plain sentence for the reviewer."""
    return bundled_rules().explanations[hazard]


def _of_paths(operation: StagedOperation, before: bytes | None, after: bytes | None) -> dict[Hazard, Reason]:
    found: dict[Hazard, Reason] = {}
    if isinstance(operation.after, DirectoryState) or isinstance(operation.base, DirectoryState):
        return found  # its contents are flagged by their own operations
    rules = bundled_path_rules()
    is_link = isinstance(operation.after, SymlinkState)
    is_deleted = isinstance(operation.after, Absent) and operation.to is None
    for path in reversed(operation.paths):  # where it goes says more than where it comes from
        parts = parts_of(path)
        if (instructs := rules.instructs_agents.find(parts, is_link=is_link)) is not None:
            found.setdefault(Hazard.INSTRUCTS_AGENTS, instructs)
        if (secret := rules.secret.find(parts)) is not None:
            found.setdefault(Hazard.SECRET, secret)
        is_known = instructs is not None or secret is not None
        runs = rules.runs_code(parts, is_link=is_link, is_known=is_known, is_deleted=is_deleted)
        if runs is not None:
            manifest = rules.manifests.find(parts)
            if manifest is None or not _changes_only_inert_keys(manifest, operation, path, before, after):
                found.setdefault(Hazard.RUNS_CODE, runs)
        if _loses_lock_file(operation, path, before):
            found.setdefault(Hazard.RUNS_CODE, Reason("lock file", bundled_rules().explanations["no-lock-file"]))
    return found


def _loses_lock_file(operation: StagedOperation, path: str, before: bytes | None) -> bool:
    """True if a lock file that names packages is not at `path` any more, or is a link there."""
    if isinstance(operation.after, SymlinkState):
        return is_lock_file(path)
    is_taken_away = (
        operation.after is None or not isinstance(operation.after, FileState) or path != (operation.to or path)
    )
    return is_taken_away and names_packages(path, before)


def _of_names(operation: StagedOperation, rules: HazardRules) -> set[Hazard]:
    hides = any(rules.hidden.in_text(path, plain=PLAIN_IN_PATH) for path in operation.paths)
    return {Hazard.HIDDEN_CHARACTERS} if hides or any(concealment.about_names(operation)) else set()


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


def _of_bytes(
    operation: StagedOperation,
    before: bytes | None,
    after: bytes | None,
    rules: HazardRules,
    concealed: tuple[str, ...] | None,
) -> set[Hazard]:
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
        is_text = new is not None and (old is not None or before is None)
        known = concealed if is_text else None  # of other bytes no sentence is said
        found |= _of_added_text(old if old is not None else before, new if new is not None else after, rules, known)
    return found


_LONE_RETURN = lazy_pattern(rb"\r(?!\r*(?:\n|\Z))")
"""Not at the end of a line: a terminal draws what follows over what came before."""


def _of_added_text(
    before: bytes | None, after: bytes, rules: HazardRules, concealed: tuple[str, ...] | None
) -> set[Hazard]:
    """Check the added lines only if the whole content matches at all."""
    found: set[Hazard] = set()
    may_overwrite = b"\0" not in after and _LONE_RETURN.search(after) is not None
    may_hide = (not is_plain(after) and b"\0" not in after) or may_overwrite
    may_tell = rules.has_secret(after)
    if concealed if concealed is not None else b"\0" not in after and any(concealment.about_added_lines(before, after)):
        found.add(Hazard.HIDDEN_CHARACTERS)
    if not may_hide and not may_tell:
        return found
    added = _lines_added(before, after)
    if may_hide and (_LONE_RETURN.search(added) or rules.hidden.in_text(added.decode("utf-8", "replace"))):
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
_URL = lazy_pattern(r"(?!file:)\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s\"'`;|&<>()]*", re.IGNORECASE)
_HARMLESS_DEVICE = lazy_pattern(rf"{_START}/dev/(?:null|stdin|stdout|stderr)(?![\w/.-])")
_ELSEWHERE = lazy_pattern(
    rf"{_START}(?:-[A-Za-z])?(?:/|~|[A-Za-z]:[\\/]|\\\\)|\bfile:/"
    r"|\$\{?(?:HOME|OLDPWD|TMPDIR|USERPROFILE|APPDATA|XDG_[A-Z_]+)\b",
    re.MULTILINE | re.IGNORECASE,
)
_BETWEEN_WORDS = lazy_pattern(r"[\s\"'`=:;|&<>(){},]+")


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
