"""Source files of a workspace and their text encoding."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pathspec import GitIgnoreSpec

from tandem_desktop.diff.text import Document
from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError, StorageError
from tandem_desktop.domain.operations import SymlinkState
from tandem_desktop.domain.paths import check_path
from tandem_desktop.domain.ports import SourceTree

MAX_FILES = 200_000
_NEVER = frozenset({".git", ".hg", ".svn", ".tandem"})


class BrowsableTree(SourceTree, Protocol):
    """A workspace that can also be walked without reading every file."""

    def is_directory(self, path: str) -> bool:
        """Whether a folder is at `path`; a link to one is not."""


@dataclass(frozen=True, slots=True)
class SourceSelection:
    """The files a person means: all, or those that match patterns written as in `.gitignore`."""

    patterns: tuple[str, ...] = ()

    def paths(self, tree: BrowsableTree, folder: str = "") -> Iterator[str]:
        """Every source file that is meant, in order of its path.

        Raises:
            BadInputError: a pattern cannot be understood.
        """
        wanted = _spec(self.patterns) if self.patterns else None
        return (path for path in source_paths(tree, folder) if wanted is None or wanted.match_file(path))


EVERYTHING = SourceSelection()


def literal(path: str) -> str:
    """The pattern that means exactly this file or folder."""
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)


def source_paths(tree: BrowsableTree, folder: str = "") -> Iterator[str]:
    """Every file below `folder` that git would not ignore, links included.

    Raises:
        BadInputError: there are too many to look at.
    """
    found = 0
    for path, is_folder in walk(tree, folder):
        if not is_folder:
            found += 1
            if found > MAX_FILES:
                raise BadInputError(
                    f"The workspace has more than {MAX_FILES:,} files that git does not ignore.",
                    next="Open a smaller folder, or add what is generated to .gitignore.",
                )
            yield path


def walk(tree: BrowsableTree, folder: str = "") -> Iterator[tuple[str, bool]]:
    """Files and folders below `folder`, each with whether it is a folder, parents before what is in them."""
    ignored = _Ignored(tree)
    above = folder.split("/") if folder else []
    for length in range(len(above) + 1):
        ignored.enter("/".join(above[:length]))
    yield from _walk(tree, folder, ignored)


def read_source(tree: SourceTree, path: str) -> bytes | None:
    """The bytes of a file; None for a link.

    Raises:
        StorageError: it is too large or cannot be read.
        OutsideWorkspaceError: it is a special file.
    """
    try:
        return tree.read(path)
    except StorageError:
        if isinstance(tree.state(path), SymlinkState):
            return None
        raise


def _walk(tree: BrowsableTree, folder: str, ignored: "_Ignored") -> Iterator[tuple[str, bool]]:
    for name in tree.children(folder or "."):
        path = f"{folder}/{name}" if folder else name
        if name in _NEVER or not _can_be_written(path):
            continue
        is_folder = tree.is_directory(path)
        if ignored.is_ignored(path, is_folder=is_folder):
            continue
        yield path, is_folder
        if is_folder:
            ignored.enter(path)
            try:
                yield from _walk(tree, path, ignored)
            except (OutsideWorkspaceError, StorageError):
                continue  # a mount or an unreadable folder: not part of this workspace
            finally:
                ignored.leave()


def _can_be_written(path: str) -> bool:
    try:
        return check_path(path) == path
    except OutsideWorkspaceError:
        return False


class _Ignored:
    """The `.gitignore` files from the root down to where the walk is; the deepest match decides."""

    def __init__(self, tree: BrowsableTree) -> None:
        self._tree = tree
        self._specs: list[tuple[str, GitIgnoreSpec | None]] = []

    def enter(self, folder: str) -> None:
        prefix = f"{folder}/" if folder else ""
        self._specs.append((prefix, self._read(f"{prefix}.gitignore")))

    def leave(self) -> None:
        self._specs.pop()

    def is_ignored(self, path: str, *, is_folder: bool) -> bool:
        for prefix, spec in reversed(self._specs):
            if spec is None:
                continue
            decided = spec.check_file(path[len(prefix) :] + ("/" if is_folder else "")).include
            if decided is not None:
                return decided
        return False

    def _read(self, path: str) -> GitIgnoreSpec | None:
        try:
            data = self._tree.read(path)
        except (OutsideWorkspaceError, StorageError):
            return None
        lines = data.decode("utf-8", "replace").splitlines()
        kept = [line for line in lines if line.strip() and not line.startswith("#")]
        try:
            return GitIgnoreSpec.from_lines(kept) if kept else None
        except ValueError:
            return None  # git, too, passes over what it does not understand


def _spec(patterns: Sequence[str]) -> GitIgnoreSpec:
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise BadInputError(
            f"The pattern {' '.join(patterns)!r} cannot be understood: {error}.",
            next="Write it as in .gitignore, such as *.py or src/**.",
        ) from error


MAX_TEXT_BYTES = 4 * 1024 * 1024
"""Larger files are rarely written by people; they are named and left alone."""

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of one file, lines ending in a plain new line, and how it was written."""

    text: str
    encoding: str
    has_bom: bool = False
    has_crlf: bool = False
    """Every line ends in CRLF; a file that mixes endings keeps them inside `text`."""

    @classmethod
    def of(cls, data: bytes) -> "SourceText | None":
        """The text in `data`; None when it is not text."""
        document = Document.of(data)
        if document.is_binary:
            return None
        text = data.decode(document.encoding)
        has_crlf = document.endings == "crlf"
        text = text.replace("\r\n", "\n") if has_crlf else text
        has_bom = text.startswith(_BOM)
        return cls(text[1:] if has_bom else text, document.encoding, has_bom, has_crlf)

    def encoded(self, text: str) -> bytes | None:
        """`text` as this file would hold it; None when its encoding has no such characters."""
        if self.has_crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        try:
            return ((_BOM if self.has_bom else "") + text).encode(self.encoding)
        except UnicodeEncodeError:
            return None
