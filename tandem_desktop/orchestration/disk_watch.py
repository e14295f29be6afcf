"""Look at the places a waiting plan rests on, and tell when something happens there."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from tandem_desktop.domain.paths import ancestors

MOST_FOLDERS = 2_000
"""More than these are not watched: the system's own limit is shared with every other program."""
_GATHER_MS = 200
_REST_MS = 1_000


class DiskWatch:
    """Watches one set of paths at a time, on a thread of its own. It says that something happened, never what."""

    def __init__(self, root: Path, changed: Callable[[], None]) -> None:
        self._root = root
        self._changed = changed
        self._paths: frozenset[str] = frozenset()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, paths: Iterable[str]) -> None:
        """These paths, relative to the root, instead of those before; none ends the watch."""
        wanted = frozenset(paths)
        if wanted == self._paths:
            return
        self.close()
        self._paths = wanted
        if wanted:
            self._stop = threading.Event()
            self._thread = threading.Thread(target=self._run, args=(wanted, self._stop), name="disk-watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Look no more; what is under way ends by itself."""
        self._stop.set()
        self._paths = frozenset()

    def _run(self, paths: frozenset[str], stop: threading.Event) -> None:
        while not stop.is_set() and self._look(paths, stop):
            self._changed()

    def _look(self, paths: frozenset[str], stop: threading.Event) -> bool:
        """Until something happens at one of the paths or above it; then the folders to watch may be others."""
        from watchfiles import watch  # not needed before there is a plan, and not quick to import

        near = paths | {above for path in paths for above in ancestors(path)}
        folders = self._folders(paths)
        is_first = True
        try:
            for batch in watch(
                *folders,
                watch_filter=lambda _, name: self._relative(name) in near,
                debounce=_GATHER_MS,
                rust_timeout=_REST_MS,
                yield_on_timeout=True,
                stop_event=stop,
                raise_interrupt=False,
                recursive=False,
                ignore_permission_denied=True,
            ):
                if stop.is_set():
                    return False
                if batch:
                    return True
                if is_first:
                    self._changed()  # whatever happened before the watch was in place
                is_first = False
        except (OSError, RuntimeError):
            stop.wait(_REST_MS / 1000)  # a folder went away at the wrong moment
        return not stop.is_set()

    def _folders(self, paths: frozenset[str]) -> list[Path]:
        """The nearest folder that exists above each path, and those above it in the workspace."""
        found: set[Path] = {self._root}
        for path in paths:
            found.update(folder for above in ancestors(path) if _is_plain_folder(folder := self._root / above))
            if len(found) >= MOST_FOLDERS:
                break
        return sorted(found)

    def _relative(self, name: str) -> str:
        return name.removeprefix(f"{self._root}/")


def _is_plain_folder(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink()
