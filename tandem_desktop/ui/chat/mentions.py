"""How a file is named in a message: relative where it is the workspace's, in full where it is not."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg"})
_TYPED = re.compile(r"(?:^|(?<=\s))@(\"[^\"]*|\S*)$")
_COMMAND = re.compile(r"^/(\S*)$")


def mention(path: str, root: Path | None) -> str:
    """`@app/auth.py`, `@"my notes.txt"`, `@/elsewhere/log.txt`; an image says that it is one."""
    named = path
    if root is not None and Path(path).is_absolute():
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
        named = path if inside.startswith("..") else inside
    written = f'@"{named}"' if any(character.isspace() for character in named) else f"@{named}"
    return f"{written} (image)" if Path(named).suffix.lower() in IMAGES else written


def mentions(paths: Iterable[str], root: Path | None) -> str:
    return " ".join(mention(path, root) for path in paths)


def file_being_typed(before_cursor: str) -> str | None:
    """What follows the @ that is being typed; None when none is."""
    found = _TYPED.search(before_cursor)
    return None if found is None else found.group(1).removeprefix('"')


def command_being_typed(before_cursor: str) -> str | None:
    """What follows the slash at the very beginning of a message."""
    found = _COMMAND.match(before_cursor)
    return None if found is None else found.group(1)
