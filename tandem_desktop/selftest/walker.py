"""Reads a folder with plain calls, independent of the engine."""

import os
import stat
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

Node = tuple[str, int, bytes]
"""Kind (`file`, `link`, `dir` or `special file`), permission bits (0 for a link), and bytes (the target of a link)."""

OWN_FOLDER = ".tandem"
"""Tandem's own records at the top of a workspace are no part of the tree."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything below a folder at one moment."""

    nodes: dict[str, Node]
    times: dict[str, int]
    """When each path was last modified, in nanoseconds."""


def snapshot(root: Path) -> Snapshot:
    """Read every file, link and directory below `root`; no link is followed."""
    nodes: dict[str, Node] = {}
    times: dict[str, int] = {}
    top = str(root)
    for folder, directories, files in os.walk(top, onerror=_stop):
        if folder == top and OWN_FOLDER in directories:
            directories.remove(OWN_FOLDER)
        for name in (*directories, *files):
            full = os.path.join(folder, name)
            info = os.lstat(full)
            key = full[len(top) + 1 :]
            times[key] = info.st_mtime_ns
            nodes[key] = _node(full, info)
    return Snapshot(nodes, times)


def differences(expected: dict[str, Node], found: dict[str, Node], leaving_out: Set[str] = frozenset()) -> list[str]:
    """Each path that is not as expected, with what is wrong, as sentences in path order."""
    return [
        f"{path}: {reason}"
        for path in sorted(expected.keys() | found.keys())
        if path not in leaving_out
        for reason in _reasons(expected.get(path), found.get(path))
    ]


def changed_times(before: Snapshot, after: Snapshot, touched: Set[str]) -> list[str]:
    """Each path outside `touched` whose modification time moved although nothing should have come near it.

    A directory's time moves with the names in it, so one that holds a touched path may have another time.
    """
    stirred = touched | {path.rpartition("/")[0] for path in touched}
    return [
        f"{path}: its modification time changed although the plan does not name it"
        for path in sorted(before.times.keys() & after.times.keys())
        if path not in stirred and before.times[path] != after.times[path]
    ]


def _node(full: str, info: os.stat_result) -> Node:
    if stat.S_ISLNK(info.st_mode):
        return ("link", 0, os.fsencode(os.readlink(full)))  # noqa: PTH115  Path tidies the target
    mode = stat.S_IMODE(info.st_mode)
    if stat.S_ISDIR(info.st_mode):
        return ("dir", mode, b"")
    if not stat.S_ISREG(info.st_mode):
        return ("special file", mode, b"")
    with open(full, "rb") as file:
        return ("file", mode, file.read())


def _reasons(expected: Node | None, found: Node | None) -> Iterator[str]:
    if expected is None or found is None:
        if expected is not None:
            yield f"should be a {expected[0]}, and is missing"
        if found is not None:
            yield f"should not be there, and is a {found[0]}"
        return
    if expected[0] != found[0]:
        yield f"should be a {expected[0]}, and is a {found[0]}"
        return
    if expected[1] != found[1]:
        yield f"should have the mode {expected[1]:04o}, and has {found[1]:04o}"
    if expected[2] != found[2]:
        yield (
            _unlike(expected[2], found[2])
            if expected[0] == "file"
            else (f"should lead to {os.fsdecode(expected[2])!r}, and leads to {os.fsdecode(found[2])!r}")
        )


def _unlike(expected: bytes, found: bytes) -> str:
    shorter = min(len(expected), len(found))
    first = next((at for at in range(shorter) if expected[at] != found[at]), shorter)
    return f"should have {len(expected)} bytes, has {len(found)}, and differs from byte {first} on"


def _stop(error: OSError) -> None:
    """A folder that cannot be read is no empty folder."""
    raise error
