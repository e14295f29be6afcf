"""Digests of whole trees: of the workspace, and of the workspace with a plan."""

import hashlib
import json
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.domain.approval import canonical, digest
from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, StagedOperation
from tandem_desktop.storage import atomic

IGNORED = frozenset({".git", ".tandem", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})
"""Folders that checks write themselves, and those of git and Tandem: they say nothing about what is checked."""
_SETTLED_NS = 2_000_000_000
"""A file changed within the tick of the coarsest clock may change again without a trace: it is read again."""
_CHUNK = 1 << 20

Signature = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class TreeDigest:
    """The digest of a tree, and the entries it is over."""

    entries: dict[str, str]

    @property
    def value(self) -> str:
        return digest("tree:1", canonical(sorted(self.entries.items())))

    def with_plan(self, operations: Iterable[StagedOperation]) -> str:
        """The digest of this tree after these operations. A command counts by its words: its effects are unknown."""
        entries = dict(self.entries)
        for number, operation in enumerate(operations):
            if operation.call is not None:
                # After a command the order matters: what follows may overwrite what it did.
                entries[f"\0{number}"] = operation.model_dump_json(include={"call"})
            for change in operation.changes():
                if isinstance(change.after, Absent):
                    entries.pop(change.path, None)
                else:
                    entries[change.path] = _entry(change.after)
                    for above in _above(change.path):
                        entries.setdefault(above, "d")
        return TreeDigest(entries).value


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _entry(state: NodeState) -> str:
    if isinstance(state, FileState):
        return f"f {state.mode & 0o111:o} {state.sha256}"
    return "d" if isinstance(state, DirectoryState) else f"l {getattr(state, 'target', '')}"


class TreeDigests:
    """Computes digests of one workspace; the digest of a file that has not changed is remembered."""

    def __init__(self, workspace: Path, remembered: Path) -> None:
        self._workspace = workspace
        self._remembered = remembered

    def now(self) -> TreeDigest:
        """The workspace as it is on disk."""
        known = self._load()
        found: dict[str, str] = {}
        kept: dict[str, tuple[Signature, str]] = {}
        settled = time.time_ns() - _SETTLED_NS
        for path, place, info in _walk(str(self._workspace)):
            if stat.S_ISDIR(info.st_mode):
                found[path] = "d"
            elif stat.S_ISLNK(info.st_mode):
                found[path] = f"l {os.fsencode(Path(place).readlink()).decode('utf-8', 'replace')}"
            elif stat.S_ISREG(info.st_mode):
                signature = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
                before = known.get(path)
                sha256 = before[1] if before is not None and before[0] == signature else _hashed(place)
                found[path] = f"f {info.st_mode & 0o111:o} {sha256}"
                if max(info.st_mtime_ns, info.st_ctime_ns) < settled:
                    kept[path] = signature, sha256
        if kept != known:
            self._save(kept)
        return TreeDigest(found)

    def _load(self) -> dict[str, tuple[Signature, str]]:
        with suppress(OSError, ValueError, TypeError, AttributeError):
            record = json.loads(self._remembered.read_bytes())
            return {path: (_signature(signature), str(sha256)) for path, (signature, sha256) in record.items()}
        return {}

    def _save(self, kept: dict[str, tuple[Signature, str]]) -> None:
        with suppress(OSError):
            atomic.make_directory(self._remembered.parent, mode=0o700)
            atomic.replace(self._remembered, json.dumps(kept).encode(), mode=0o600, durable=False)


def _signature(values: list[int]) -> Signature:
    inode, size, modified, changed = values
    return inode, size, modified, changed


def _walk(root: str) -> Iterator[tuple[str, str, os.stat_result]]:
    waiting = [("", root)]
    while waiting:
        above, folder = waiting.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.name in IGNORED:
                    continue
                name = os.fsencode(entry.name).decode("utf-8", "replace")
                path = f"{above}{name}"
                try:
                    info = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield path, entry.path, info
                if stat.S_ISDIR(info.st_mode):
                    waiting.append((f"{path}/", entry.path))


def _hashed(place: str) -> str:
    """The digest of a file's bytes; a file that cannot be read counts as such."""
    found = hashlib.sha256()
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return "unreadable"
    with open(fd, "rb") as file:
        try:
            while chunk := file.read(_CHUNK):
                found.update(chunk)
        except OSError:
            return "unreadable"
    return found.hexdigest()
