"""A plan of twenty operations of every kind that meet each other: the one the fault tests are run on."""

import hashlib
from pathlib import Path

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import (
    ABSENT,
    DirectoryState,
    FileState,
    NodeState,
    OperationKind,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.storage.objects import ObjectStore

BINARY = bytes(range(256)) * 40
LONG = "".join(f"line {n}\n" for n in range(400)).encode()


def lay_out(root: Path) -> None:
    """The tree before."""
    (root / "src" / "deep" / "er").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "docs").mkdir()
    for name, data, mode in (
        ("src/app.py", LONG, 0o644),
        ("src/run.sh", b"#!/bin/sh\necho hi\n", 0o644),
        ("src/deep/er/data.bin", BINARY, 0o600),
        ("src/old.py", b"old\n", 0o644),
        ("docs/a.md", b"# A\r\ntext\r\n", 0o644),
        ("docs/b.md", b"no newline", 0o640),
        ("keep.txt", b"untouched\n", 0o644),
        ("blank", b"", 0o644),
    ):
        (root / name).write_bytes(data)
        (root / name).chmod(mode)
    (root / "pointer").symlink_to("keep.txt")


def twenty(objects: ObjectStore) -> tuple[StagedOperation, ...]:
    """Twenty operations for that tree, their bytes in the store."""
    contents: list[bytes] = [BINARY, LONG, b"old\n", b"", b"no newline", b"# A\r\ntext\r\n", b"#!/bin/sh\necho hi\n"]

    def a(data: bytes, mode: int = 0o644) -> FileState:
        contents.append(data)
        return FileState(sha256=hashlib.sha256(data).hexdigest(), size=len(data), mode=mode)

    made: list[StagedOperation] = []

    def add(kind: OperationKind, path: str, base: NodeState, after: NodeState, to: str | None = None) -> None:
        number = OperationId(f"s{len(made) + 1}")
        made.append(StagedOperation(id=number, kind=kind, path=path, to=to, base=base, after=after))

    k = OperationKind
    new_app = LONG.replace(b"line 7\n", b"LINE SEVEN\n").replace(b"line 390\n", b"")
    add(k.CREATE, "new/nested/folder/hello.txt", ABSENT, a(b"hello\n"))
    add(k.MODIFY, "src/app.py", a(LONG), a(new_app))
    add(k.DELETE, "src/old.py", a(b"old\n"), ABSENT)
    add(k.CHMOD, "src/run.sh", a(b"#!/bin/sh\necho hi\n"), a(b"#!/bin/sh\necho hi\n", 0o755))
    add(k.MOVE, "docs/a.md", a(b"# A\r\ntext\r\n"), a(b"# A\r\ntext\r\n"), to="docs/renamed/a.md")
    add(k.SYMLINK, "link", ABSENT, SymlinkState(target="src/app.py"))
    add(k.MKDIR, "made", ABSENT, DirectoryState(mode=0o755))
    add(k.CREATE, "made/inside.txt", ABSENT, a(b"inside\n"))
    add(k.MODIFY, "made/inside.txt", a(b"inside\n"), a(b"inside, twice\n"))
    add(k.MODIFY, "src/deep/er/data.bin", a(BINARY, 0o600), a(BINARY[::-1], 0o600))
    add(k.DELETE, "empty", DirectoryState(mode=0o755), ABSENT)
    add(k.CREATE, "empty", ABSENT, a(b"now a file\n"))
    add(k.MODIFY, "docs/b.md", a(b"no newline", 0o640), a(b"a newline\n", 0o640))
    add(k.DELETE, "pointer", SymlinkState(target="keep.txt"), ABSENT)
    add(k.CREATE, "pointer", ABSENT, a(b"no longer a link\n"))
    add(k.MODIFY, "blank", a(b""), a(b"filled\n"))
    add(k.CREATE, "scratch", ABSENT, a(b"scratch\n"))
    add(k.MOVE, "scratch", a(b"scratch\n"), a(b"scratch\n"), to="made/scratch")
    add(k.DELETE, "made/scratch", a(b"scratch\n"), ABSENT)
    add(k.CREATE, "ünï cödé — name.txt", ABSENT, a(b"unicode\n", 0o755))
    objects.put_all(contents)
    return tuple(made)


def states_between() -> dict[str, list[tuple[str, int, bytes] | None]]:
    """What paths pass through on the way, besides how they begin and end."""
    return {
        "empty": [None],
        "pointer": [None],
        "made/inside.txt": [("file", 0o644, b"inside\n")],
        "scratch": [("file", 0o644, b"scratch\n")],
        "made/scratch": [("file", 0o644, b"scratch\n")],
    }
