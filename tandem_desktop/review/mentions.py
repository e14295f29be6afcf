"""Looks for words in the files of a workspace."""

import re
from collections.abc import Iterator

from tandem_desktop.domain.errors import OutsideWorkspaceError, StorageError
from tandem_desktop.storage.workspace import Workspace

_MOST_FILES = 20_000
_MOST_BYTES = 128 * 1024 * 1024
_LEFT_OUT = frozenset({".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache"})
"""Folders of other programs and of packages, which know nothing of the workspace."""


def words_elsewhere(workspace: Workspace, words: frozenset[bytes], paths: frozenset[str]) -> frozenset[bytes]:
    """Which words stand in files other than these; all of them where not all can be read."""
    try:
        return _found(workspace, words, paths)
    except (OutsideWorkspaceError, StorageError):
        return words


def _found(workspace: Workspace, words: frozenset[bytes], paths: frozenset[str]) -> frozenset[bytes]:
    pattern = re.compile(rb"(?<!\w)(?:" + b"|".join(map(re.escape, words)) + rb")(?!\w)")
    found: set[bytes] = set()
    size = 0
    for number, path in enumerate(_files(workspace)):
        if path in paths:
            continue
        data = workspace.peek(path)[1] or b""
        size += len(data)
        if number > _MOST_FILES or size > _MOST_BYTES:
            return words
        found.update(pattern.findall(data))
        if len(found) == len(words):
            break
    return frozenset(found)


def _files(workspace: Workspace) -> Iterator[str]:
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        for name in workspace.children(folder):
            path = f"{folder}/{name}" if folder else name
            if not workspace.is_directory(path):
                yield path
            elif name not in _LEFT_OUT:
                waiting.append(path)
