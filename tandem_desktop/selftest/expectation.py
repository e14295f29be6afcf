"""The expected and the actual result of a plan, both independent of the engine."""

import base64
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Node = tuple[str, int, bytes]
"""Kind (`file`, `link`, `dir` or `special file`), permission bits (0 for a link), and bytes (the target of a link)."""
Tree = dict[str, Node]

OWN_FOLDER = ".tandem"
"""Tandem's own records at the top of a workspace are no part of the tree."""
_FOLDER: Node = ("dir", 0o755, b"")
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


class Expectation:
    """A tree that the steps of a plan change. Independent of operations, journals and refusals."""

    def __init__(self, before: Tree) -> None:
        self.nodes: Tree = dict(before)
        self.touched: set[str] = set()
        """Every path a step changes, the expansion of whole directories and made parents included."""
        self.by_commands: set[str] = set()
        """Every path a command changes."""
        self.outputs: list[str] = []
        """What the commands print, in order."""

    def take(self, step: dict[str, Any]) -> None:
        """Let one step that is not a command happen."""
        tool, args = step["tool"], step["args"]
        if tool == "write":
            self._write(args["path"], _content(args), args.get("mode"))
        elif tool == "edit":
            old, new = args["old_string"].encode(), args["new_string"].encode()
            self._write(args["path"], self.nodes[args["path"]][2].replace(old, new), None)
        elif tool == "patch":
            for part in _files_of(args["diff"].encode()):
                self._patch(part)
        elif tool == "delete":
            for path in self.inside(args["path"]):
                self._forget(path)
        elif tool == "move":
            self._move(args["path"], args["to"])
        elif tool == "chmod":
            kind, _, data = self.nodes[args["path"]]
            self.put(args["path"], (kind, int(args["mode"], 8), data))
        elif tool == "symlink":
            self.put(args["path"], ("link", 0, os.fsencode(args["target"])))
        elif tool == "mkdir":
            self.put(args["path"], _FOLDER)

    def run(self, step: dict[str, Any], scratch: Path, walk: Callable[[Path], Tree]) -> None:
        """Let a command happen: in `scratch`, laid out as the tree stands, and read back by `walk`."""
        args = step["args"]
        lay_out(self.nodes, scratch)
        ended = subprocess.run(
            [shutil.which("bash") or "/bin/sh", "-c", args["command"]],
            cwd=scratch / args.get("cwd", "."),
            env={"PATH": os.environ.get("PATH", os.defpath), **args.get("env", {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=True,
        )
        self.outputs.append(ended.stdout.decode())
        after = walk(scratch)
        changed = {path for path in self.nodes.keys() | after.keys() if self.nodes.get(path) != after.get(path)}
        self.nodes = after
        self.touched |= changed
        self.by_commands |= changed

    def inside(self, path: str) -> list[str]:
        """`path` and everything below it."""
        return [other for other in self.nodes if other == path or other.startswith(f"{path}/")]

    def put(self, path: str, node: Node) -> None:
        """Let `node` be at `path`, with the folders above it."""
        names = path.split("/")
        for length in range(1, len(names)):
            folder = "/".join(names[:length])
            if folder not in self.nodes:
                self.put(folder, _FOLDER)
        self.nodes[path] = node
        self.touched.add(path)

    def _write(self, path: str, data: bytes, mode: str | None) -> None:
        kept = self.nodes[path][1] if path in self.nodes else 0o644
        self.put(path, ("file", kept if mode is None else int(mode, 8), data))

    def _move(self, path: str, to: str) -> None:
        for old in self.inside(path):
            self.put(to + old[len(path) :], self.nodes[old])
        for old in self.inside(path):
            self._forget(old)

    def _forget(self, path: str) -> None:
        del self.nodes[path]
        self.touched.add(path)

    def _patch(self, lines: list[bytes]) -> None:
        named = _after(lines, b"diff --git ").partition(" b/")
        old = _after(lines, b"rename from ") or named[0].removeprefix("a/")
        new = _after(lines, b"rename to ") or named[2]
        if _after(lines, b"deleted file mode "):
            self._forget(old)
            return
        if old != new:
            self._move(old, new)
        before = self.nodes[new][2] if new in self.nodes else b""
        self._write(new, _patched(before, lines), _after(lines, b"new file mode ")[-4:] or None)
        kind, mode, data = self.nodes[new]
        # Git tells only executable from not executable; who may read may then execute.
        if _after(lines, b"new mode ") == "100755":
            self.nodes[new] = (kind, mode | (mode & 0o444) >> 2, data)
        elif _after(lines, b"new mode ") == "100644":
            self.nodes[new] = (kind, mode & ~0o111, data)


def lay_out(tree: Tree, root: Path) -> None:
    """Make `tree` real below `root`, parents first."""
    for path in sorted(tree):
        kind, mode, data = tree[path]
        target = root / path
        if kind == "link":
            target.symlink_to(os.fsdecode(data))
        elif kind == "dir":
            target.mkdir()
        else:
            target.write_bytes(data)
        if kind != "link":
            target.chmod(mode)


def _content(args: dict[str, Any]) -> bytes:
    if "content_base64" in args:
        return base64.b64decode(args["content_base64"])
    return bytes(args["content"], "utf-8")


def _files_of(diff: bytes) -> Iterator[list[bytes]]:
    """The lines of each file's part; every part begins with `diff --git`."""
    part: list[bytes] = []
    for line in diff.split(b"\n"):
        if line.startswith(b"diff --git ") and part:
            yield part
            part = []
        part.append(line)
    yield part


def _after(lines: list[bytes], word: bytes) -> str:
    """What follows `word` in the head of a part."""
    for line in lines:
        if line.startswith(b"@@ "):
            break
        if line.startswith(word):
            return line[len(word) :].decode()
    return ""


def _patched(before: bytes, lines: list[bytes]) -> bytes:
    """`before` with the hunks in `lines` applied exactly where they say."""
    old = re.findall(rb"[^\n]*\n|[^\n]+", before)
    new: list[bytes] = []
    position = 0
    in_hunk = False
    for line, following in zip(lines, [*lines[1:], b""], strict=True):
        if hunk := _HUNK.match(line):
            in_hunk = True
            length = int(hunk[2] or b"1")
            start = int(hunk[1]) - (1 if length else 0)
            new += old[position:start]
            position = start + length
        elif in_hunk and line[:1] in (b" ", b"+"):
            # A line that starts with a backslash says that the one above it ends without a newline.
            new.append(line[1:] + (b"" if following[:1] == b"\\" else b"\n"))
    return b"".join([*new, *old[position:]])


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
    """Raise instead of treating an unreadable folder as empty."""
    raise error
