"""Detects changes by others during a run."""

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.operations import NodeState
from tandem_desktop.domain.paths import parent_of
from tandem_desktop.domain.runs import OtherChange
from tandem_desktop.staging.changes import Difference, difference
from tandem_desktop.storage.workspace import Workspace

MOST_LISTED = 100
_MOST_ENTRIES = 20_000
"""Entries that are looked at; a run is not held up by a huge folder."""
_NOT_LOOKED_AT = (".git", ".tandem")


class ConcurrentChanges:
    """Begun before the first write and asked after the last one. It only looks, and no trouble with that ends a run.

    Folders are compared one level deep: names that came and went, and files whose time of change is that of the run.
    """

    def __init__(self, workspace: Workspace, paths: Iterable[str]) -> None:
        self._workspace = workspace
        self._names = {folder: self._listed(folder) for folder in {parent_of(path) for path in paths}}
        self._since_ns = time.time_ns()

    def changes(self, touched: set[str], written: Mapping[str, NodeState]) -> tuple[OtherChange, ...]:
        """What is other than the run left it: `touched` are the paths it dealt with, `written` those to read again."""
        self._workspace.forget_directories()
        found = {path: change for path, state in written.items() if (change := self._difference(path, state))}
        looked_at = 0
        for folder in sorted({*self._names, *(parent_of(path) for path in touched)}):
            entries = tuple(self._entries(folder)) if looked_at < _MOST_ENTRIES else ()
            looked_at += len(entries)
            found.update(self._others(folder, entries, touched))
        return tuple(
            OtherChange(path=path, change=change.value) for path, change in sorted(found.items())[:MOST_LISTED]
        )

    def _difference(self, path: str, expected: NodeState) -> Difference | None:
        try:
            return difference(expected, self._workspace.state(path))
        except (OSError, TandemError):
            return Difference.TYPE

    def _others(
        self, folder: str, entries: tuple[os.DirEntry[str], ...], touched: set[str]
    ) -> Iterator[tuple[str, Difference]]:
        before = self._names.get(folder)
        if before is not None and entries:
            for name in before - {entry.name for entry in entries}:
                if (path := _inside(folder, name)) not in touched:
                    yield path, Difference.DELETED
        for entry in entries:
            if (path := _inside(folder, entry.name)) in touched:
                continue
            with contextlib.suppress(OSError):
                info = entry.stat(follow_symlinks=False)
                if before is not None and entry.name not in before:
                    yield path, Difference.CREATED
                elif info.st_ctime_ns > self._since_ns and not stat.S_ISDIR(info.st_mode):
                    yield path, Difference.MODIFIED

    def _listed(self, folder: str) -> frozenset[str] | None:
        try:
            return frozenset(self._workspace.children(folder)).difference(_NOT_LOOKED_AT)
        except (OSError, TandemError):
            return None

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        with contextlib.suppress(OSError, TandemError), os.scandir(self._workspace.directory(folder)) as found:
            for entry in found:
                if entry.name not in _NOT_LOOKED_AT:
                    yield entry


def _inside(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
