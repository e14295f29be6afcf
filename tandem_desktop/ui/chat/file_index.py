"""An index of files that can be mentioned."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.storage.workspace import Workspace

SHOWN = 12
_START_OF_WORD = "/_-. "


class FileIndex:
    """Lists the files of a workspace on its own thread and caches the names until `forget`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._paths: tuple[str, ...] | None = None
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="file-index")

    def find(self, text: str, limit: int = SHOWN) -> "Future[tuple[str, ...]]":
        """The best matches for `text`, best first. Does not block."""
        return self._worker.submit(lambda: best_matches(text, with_folders(self.paths()), limit))

    def paths(self) -> tuple[str, ...]:
        """All files, cached until `forget`."""
        with self._lock:
            if self._paths is None:
                self._paths = _look(self._root)
            return self._paths

    def forget(self) -> None:
        """Drop the cache; the next search reads the disk again."""
        with self._lock:
            self._paths = None

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)


def with_folders(paths: Sequence[str]) -> tuple[str, ...]:
    """The files and their folders; folders end with a slash."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/" not in folders:
            folders.add(f"{folder}/")
            folder = folder.rpartition("/")[0]
    return (*paths, *sorted(folders))


def best_matches(text: str, paths: Sequence[str], limit: int = SHOWN) -> tuple[str, ...]:
    """Paths that contain the letters of `text` in order, best match first."""
    wanted = text.strip().lower()
    if not wanted:
        return tuple(sorted(paths, key=lambda path: (path.removesuffix("/").count("/"), path))[:limit])
    ranked = [(score, len(path), path) for path in paths if (score := fuzzy_score(wanted, path)) is not None]
    ranked.sort(key=lambda found: (-found[0], found[1], found[2]))
    return tuple(path for _, _, path in ranked[:limit])


def fuzzy_score(wanted: str, candidate: str) -> int | None:
    """How well `candidate` matches the lower-case letters `wanted`; None if one is missing."""
    lowered = candidate.lower()
    name = lowered.removesuffix("/").rpartition("/")[2]
    if name.startswith(wanted):
        return 1000 + (200 if name == wanted or name.rpartition(".")[0] == wanted else 0)
    if wanted in name:
        return 800 - name.index(wanted)
    if wanted in lowered:
        return 600 + (100 if lowered.startswith(wanted) else 0) - min(lowered.index(wanted), 90)
    return _scattered(wanted, lowered)


def _scattered(wanted: str, lowered: str) -> int | None:
    score, at, before = 0, -1, -2
    for letter in wanted:
        at = lowered.find(letter, at + 1)
        if at < 0:
            return None
        score += 8 if at == before + 1 else 5 if at == 0 or lowered[at - 1] in _START_OF_WORD else 1
        before = at
    return score


def _look(root: Path) -> tuple[str, ...]:
    from tandem_desktop.recipes.sources import source_paths  # imported on this thread: the window does not wait

    try:
        workspace = Workspace(root)
    except TandemError:
        return ()
    try:
        return tuple(_until_it_fails(source_paths(workspace)))
    finally:
        workspace.close()


def _until_it_fails(paths: Iterator[str]) -> Iterator[str]:
    """The paths up to the first error: a partial list is better than none."""
    try:
        yield from paths
    except TandemError:
        return
