"""Reads the files of a git directory: what a path in it is, references, logs, the index and commits."""

import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from tandem_desktop.domain.patterns import lazy_pattern

GIT = ".git"
INDEX_PATH = f"{GIT}/index"
_MEMBERS = frozenset({"HEAD", "config", "hooks", "index", "info", "logs", "objects", "packed-refs", "refs", "reftable"})
_CONTENT_ADDRESSED = ("objects", "lfs/objects", "annex/objects")
_TEXT = ("config", "config.worktree", "description", "info/attributes", "info/exclude", "info/sparse-checkout")
_TEXT_FOLDERS = ("hooks/",)
GENERATED = ("info/refs", "gc.log", "gc.pid")
"""What git writes again by itself."""


class GitPart(StrEnum):
    """What a path in a git directory is for."""

    FOLDER = "folder"
    """The git directory, or the folder of one worktree in it."""
    OBJECT = "object"
    REF = "ref"
    HEAD = "head"
    PACKED = "packed-refs"
    REFTABLE = "reftable"
    LOG = "log"
    INDEX = "index"
    TEXT = "text"
    """Configuration and the like: lines that a person edits."""
    STATE = "state"
    """What git notes beside: the last message, the head before a merge, a rebase under way."""


@dataclass(frozen=True, slots=True)
class GitPath:
    """Where a path lies in a repository."""

    repository: str
    """The git directory, relative to the workspace; empty where the workspace is one itself."""
    area: str
    """`worktrees/NAME` for what belongs to one worktree, empty for the repository's own."""
    name: str

    @property
    def part(self) -> GitPart:
        name = self.name
        if not name:
            return GitPart.FOLDER
        if any(name == each or name.startswith(f"{each}/") for each in _CONTENT_ADDRESSED):
            return GitPart.OBJECT
        first = name.partition("/")[0]
        if first in ("refs", "logs", "reftable"):
            return {"refs": GitPart.REF, "logs": GitPart.LOG, "reftable": GitPart.REFTABLE}[first]
        if name in ("HEAD", "index", "packed-refs"):
            return {"HEAD": GitPart.HEAD, "index": GitPart.INDEX, "packed-refs": GitPart.PACKED}[name]
        return GitPart.TEXT if name in _TEXT or name.startswith(_TEXT_FOLDERS) else GitPart.STATE

    def beside(self, name: str) -> str:
        """The path of another file of the same area."""
        return joined(self.repository, self.area, name)


def joined(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def git_path(path: str, is_repository: Callable[[str], bool]) -> GitPath | None:
    """Where `path` lies in a repository, if it lies in one; `is_repository` tells whether a folder is a git directory.

    A `.git` is one by its name. Others are a bare repository and the git directory of a submodule.
    """
    parts = path.split("/")
    if GIT in parts:
        start = parts.index(GIT) + 1
    else:
        found = (n for n, part in enumerate(parts) if part in _MEMBERS and is_repository("/".join(parts[:n])))
        start = next(found, -1)
        if start < 0:
            return None
    root, rest = "/".join(parts[:start]), parts[start:]
    while len(rest) > 1 and rest[0] == "modules":
        ends = (n for n in range(2, len(rest) + 1) if is_repository(joined(root, *rest[:n])))
        if (end := next(ends, None)) is None:
            break
        root, rest = joined(root, *rest[:end]), rest[end:]
    area = ""
    if len(rest) > 1 and rest[0] == "worktrees":
        area, rest = "/".join(rest[:2]), rest[2:]
    return GitPath(root, area, "/".join(rest))


_OBJECT_ID = lazy_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_object_id(value: str | None) -> bool:
    return value is not None and _OBJECT_ID.fullmatch(value) is not None and value.strip("0") != ""


def ref_value(data: bytes | None) -> str | None:
    """What a reference says: the id of an object, or `ref: ` and the name of another one."""
    if data is None:
        return None
    text = data.decode("utf-8", "replace").strip()
    return f"ref: {text[4:].strip()}" if text.startswith("ref:") else text


def packed_refs(data: bytes | None) -> dict[str, str]:
    """Every reference of a `packed-refs` with its value."""
    found = {}
    for line in (data or b"").decode("utf-8", "replace").splitlines():
        value, _, name = line.partition(" ")
        if name and _OBJECT_ID.fullmatch(value):
            found[name] = value
    return found


def without_refs(data: bytes, names: Iterable[str]) -> bytes:
    """A `packed-refs` without some references, nor what they peel to."""
    gone = {name.encode("utf-8", "surrogateescape") for name in names}
    kept, is_dropping = [], False
    for line in data.splitlines(keepends=True):
        if not (line.startswith(b"^") and is_dropping):
            is_dropping = line.rstrip(b"\r\n").partition(b" ")[2] in gone and not line.startswith(b"#")
            if not is_dropping:
                kept.append(line)
    return b"".join(kept)


def log_values(data: bytes | None) -> list[tuple[str, str]]:
    """The value before and after of each line of a reflog."""
    found = []
    for line in (data or b"").splitlines():
        words = line.split(b" ", 2)
        if len(words) == 3:
            found.append((words[0].decode("ascii", "replace"), words[1].decode("ascii", "replace")))
    return found


def appended_log(before: bytes | None, after: bytes | None) -> list[tuple[str, str]]:
    """The lines that were added at the end; nothing where the log was rewritten."""
    first = before or b""
    return log_values(after[len(first) :]) if after is not None and after.startswith(first) else []


def title_of_ref(name: str) -> str:
    """`branch main`, `tag v1`, `stash`: the words of people for a reference."""
    for prefix, word in (("refs/heads/", "branch "), ("refs/tags/", "tag "), ("refs/remotes/", "remote branch ")):
        if name.startswith(prefix):
            return f"{word}{name.removeprefix(prefix)}"
    return "stash" if name == "refs/stash" else name


def short(value: str | None) -> str:
    """A value as people read it: seven digits, or the name of the branch."""
    if value is None:
        return "nothing"
    if value.startswith("ref: "):
        return value.removeprefix("ref: ").removeprefix("refs/heads/")
    return value[:7] if _OBJECT_ID.fullmatch(value) else value[:40]


_SHA256 = lazy_pattern(rb"^\s*objectformat\s*=\s*\"?sha256", re.IGNORECASE | re.MULTILINE)
_REFTABLE = lazy_pattern(rb"^\s*refstorage\s*=\s*\"?reftable", re.IGNORECASE | re.MULTILINE)


def hash_bytes(config: bytes | None) -> int:
    """How long an object id of this repository is."""
    return 32 if config is not None and _SHA256.search(config) else 20


def uses_reftable(config: bytes | None) -> bool:
    return config is not None and _REFTABLE.search(config) is not None


_HEADER = struct.Struct(">4sII")
_STAT_BYTES = 40
_MODE_AT = 24
_EXTENDED = 0x4000
_STAGE = 0x3000
_SUBMODULE = 0o160000
_EXTENSIONS_IN_FLAGS = 0x6000
"""Of the second flags of an entry: added without content, and left out of the working tree."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One line of an index, without the times and numbers of the file."""

    mode: int
    object_id: str
    flags: int


Index = dict[tuple[bytes, int], IndexEntry]
"""By name and stage."""


def index_entries(data: bytes | None, size: int = 20) -> Index | None:
    """The entries of an index with object ids of `size` bytes; None where it cannot be read."""
    try:
        return None if data is None else dict(_entries(data, size))
    except (ValueError, IndexError, struct.error):
        return None


def index_objects(data: bytes, size: int = 20) -> set[str]:
    """The objects an index needs: contents of files, and trees it remembers; none where it cannot be read."""
    trees: set[str] = set()
    try:
        entries = dict(_entries(data, size, trees))
    except (ValueError, IndexError, struct.error):
        return set()
    found = {entry.object_id for entry in entries.values() if entry.mode != _SUBMODULE}
    return {name for name in found | trees if is_object_id(name)}


def same_entries(one: bytes, other: bytes) -> bool:
    """Whether both indexes list the same files with the same contents; False when either cannot be read."""
    for size in (20, 32):
        entries = index_entries(one, size)
        if entries is not None and entries == index_entries(other, size):
            return True
    return False


def _entries(data: bytes, size: int, trees: set[str] | None = None) -> Iterator[tuple[tuple[bytes, int], IndexEntry]]:
    magic, version, count = _HEADER.unpack_from(data)
    if magic != b"DIRC" or version not in (2, 3, 4) or count > len(data):
        raise ValueError("no index")
    offset, name = _HEADER.size, b""
    for _ in range(count):
        flags_at = offset + _STAT_BYTES + size
        flags = struct.unpack_from(">H", data, flags_at)[0]
        start, more = flags_at + 2, 0
        if flags & _EXTENDED:
            more = struct.unpack_from(">H", data, start)[0]
            start += 2
        if version == 4:
            strip, start = _variable_width(data, start)
            if strip > len(name):
                raise ValueError("no index")
            name = name[: len(name) - strip]
        end = data.index(b"\0", start)
        name = (name if version == 4 else b"") + data[start:end]
        mode = struct.unpack_from(">I", data, offset + _MODE_AT)[0]
        object_id = data[offset + _STAT_BYTES : flags_at].hex()
        yield (name, (flags & _STAGE) >> 12), IndexEntry(mode, object_id, more & _EXTENSIONS_IN_FLAGS)
        offset = end + 1 if version == 4 else offset + (end - offset + 8) // 8 * 8
    for extension, content in _extensions(data, offset, size):
        if extension == b"TREE" and trees is not None:
            trees.update(_cached_trees(content, size))


def _extensions(data: bytes, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """What follows the entries, up to the checksum. A split index has most of its entries in another file."""
    while offset + size < len(data):
        name, length = struct.unpack_from(">4sI", data, offset)
        if name == b"link":
            raise ValueError("a split index")
        yield name, data[offset + 8 : offset + 8 + length]
        offset += 8 + length
    if offset + size != len(data):
        raise ValueError("no index")


def _cached_trees(data: bytes, size: int) -> Iterator[str]:
    at = 0
    while at < len(data):
        end = data.index(b"\n", data.index(b"\0", at))
        count = int(data[data.index(b"\0", at) + 1 : end].split(b" ")[0])
        at = end + 1
        if count >= 0:
            yield data[at : at + size].hex()
            at += size


def _variable_width(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, at + 1


_LARGEST_COMMIT = 1 << 20


def commit_parents(data: bytes) -> tuple[str, ...] | None:
    """The parents of a commit, from the bytes of its loose object; None for any other object."""
    try:
        unpacked = zlib.decompressobj().decompress(data, _LARGEST_COMMIT)
    except zlib.error:
        return None
    head, _, body = unpacked.partition(b"\0")
    if not head.startswith(b"commit "):
        return None
    lines = body.partition(b"\n\n")[0].splitlines()
    return tuple(line[7:].decode("ascii", "replace") for line in lines if line.startswith(b"parent "))


_LOOSE = lazy_pattern(r"objects/([0-9a-f]{2})/([0-9a-f]{38}(?:[0-9a-f]{24})?)")
_PACK = lazy_pattern(r"objects/pack/pack-[0-9a-f]+\.(?:pack|idx|rev|keep|promisor|mtimes)")


def loose_object(name: str) -> str | None:
    """The id of the object whose file this is, by its name in the git directory."""
    found = _LOOSE.fullmatch(name)
    return found[1] + found[2] if found else None


def holds_objects(name: str) -> bool:
    """Whether a file holds objects, and is no list of what others hold."""
    return loose_object(name) is not None or _PACK.fullmatch(name) is not None or name == "objects/info/alternates"
