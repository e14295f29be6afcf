"""A tree as plain facts, read by a walker that shares no code with the engine."""

import os
import stat
from pathlib import Path

Node = tuple[str, int, bytes]
"""Kind, permission bits (0 for a link), and bytes (the target of a link)."""


def walk(root: Path) -> dict[str, Node]:
    """Every file, link and folder below `root`, Tandem's own folder left out."""
    found: dict[str, Node] = {}
    for folder, names, files in os.walk(root):
        if Path(folder) == root and ".tandem" in names:
            names.remove(".tandem")
        for name in names + files:
            path = Path(folder) / name
            info = path.lstat()
            key = str(path.relative_to(root))
            if stat.S_ISLNK(info.st_mode):
                found[key] = ("link", 0, os.fsencode(path.readlink()))
            elif stat.S_ISDIR(info.st_mode):
                found[key] = ("folder", info.st_mode & 0o7777, b"")
            else:
                found[key] = ("file", info.st_mode & 0o7777, path.read_bytes())
    return found


def leftovers(root: Path) -> list[str]:
    """Temporaries of ours that should not be there."""
    scratch_dir = root / ".tandem" / "tmp"
    return sorted(str(path) for path in scratch_dir.rglob("*")) if scratch_dir.exists() else []
