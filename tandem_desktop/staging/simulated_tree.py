"""An in-memory tree over an unchanged source tree."""

import hashlib

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_DIRECTORY_MODE,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    SymlinkState,
)
from tandem_desktop.domain.paths import ROOT, Collision, Spellings, ancestors, folded, parent_of, shown
from tandem_desktop.domain.ports import SourceTree

MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_PLAN_BYTES = 256 * 1024 * 1024


class SimulatedTree:
    """A tree with all changes so far applied. Refuses changes that no disk could take."""

    def __init__(
        self, source: SourceTree, *, max_file_bytes: int = MAX_FILE_BYTES, max_plan_bytes: int = MAX_PLAN_BYTES
    ) -> None:
        self._source = source
        self._max_file_bytes = max_file_bytes
        self._max_plan_bytes = max_plan_bytes
        self._kept_bytes = 0
        self._states: dict[str, NodeState] = {}
        self._existed: set[str] = set()
        self._made: set[str] = set()
        """Directories that differ from the source; nothing below them is read from the source."""
        self._names: dict[str, _Names] = {}
        self._spellings = Spellings()
        self.contents: dict[str, bytes] = {}
        """Every content kept so far, by digest."""

    def state(self, path: str) -> NodeState:
        """The simulated state of `path`; absent also if a parent is no directory."""
        known = self._states.get(path)
        if known is not None:
            return known
        for directory in ancestors(path):
            if not isinstance(self._states.get(directory) or self._look(directory), DirectoryState):
                return ABSENT
        return self._look(path)

    def is_directory(self, path: str) -> bool:
        return path == ROOT or isinstance(self.state(path), DirectoryState)

    def children(self, directory: str) -> list[str]:
        """The sorted names in `directory`; empty text means the workspace itself."""
        return self._names_in(directory).all()

    def content(self, path: str) -> bytes:
        """The bytes of the file at `path`; they stay in `contents`.

        Raises:
            StepRefusedError: the file changed while it was read, or the plan would hold too much.
        """
        state = self.state(path)
        if not isinstance(state, FileState):
            raise StepRefusedError(f"{shown(path)} is not a file.", path=path, next="Look at what is there.")
        data = self.contents.get(state.sha256)
        if data is None:
            data = self._source.read(path)
            if self.keep(path, data) != state.sha256:
                raise StepRefusedError(
                    f"{shown(path)} changed while it was read.", path=path, next="Propose the plan again."
                )
        return data

    def keep(self, path: str, data: bytes) -> str:
        """Store `data` for `path` and return its digest.

        Raises:
            StepRefusedError: it is larger than a file or a plan may be.
        """
        self.check_size(path, len(data))
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self.contents:
            self._kept_bytes += len(data)
            if self._kept_bytes > self._max_plan_bytes:
                raise StepRefusedError(
                    f"With {shown(path)} the plan would hold more than {self._max_plan_bytes:,} bytes of content.",
                    path=path,
                    next="Split it into several plans, or use a command for the large files.",
                )
            self.contents[digest] = data
        return digest

    def check_size(self, path: str, size: int) -> None:
        if size > self._max_file_bytes:
            raise StepRefusedError(
                f"{shown(path)} would have {size:,} bytes; the limit for one file is {self._max_file_bytes:,}.",
                path=path,
                next="Make the file with a command instead.",
            )

    def become(self, path: str, after: NodeState) -> None:
        """Set `path` to `after`, creating missing parent directories.

        Raises:
            StepRefusedError: a parent is no directory, a directory is not empty, or two spellings would be one file.
        """
        before = self.state(path)
        self._check_spelling(path)
        if isinstance(before, DirectoryState) and not isinstance(after, DirectoryState):
            self._check_empty(path)
            self._made.discard(path)
            self._names.pop(path, None)
        if not isinstance(after, Absent):
            self._make_parents(path)
            if isinstance(before, Absent):
                self._add_name(path)
            if isinstance(after, DirectoryState) and not isinstance(before, DirectoryState):
                self._made.add(path)
        elif not isinstance(before, Absent):
            self._names_in(parent_of(path)).remove(_last(path))
        self._states[path] = after

    def check_parents(self, path: str) -> None:
        """Refuse a path below something that is no directory.

        Raises:
            StepRefusedError: naming what is in the way.
        """
        for directory in ancestors(path):
            state = self.state(directory)
            if isinstance(state, Absent):
                return
            if not isinstance(state, DirectoryState):
                what = "a symbolic link" if isinstance(state, SymlinkState) else "a file"
                raise StepRefusedError(
                    f"{shown(path)} cannot be: {shown(directory)} is {what}, not a directory.",
                    path=path,
                    next="Name a path whose parents are directories.",
                )

    def _look(self, path: str) -> NodeState:
        """What the source has at `path`, all of whose parents are known to be directories."""
        state: NodeState = ABSENT if parent_of(path) in self._made else self._source.state(path)
        if not isinstance(state, Absent):
            self._existed.add(path)
        self._states[path] = state
        return state

    def _names_in(self, directory: str) -> "_Names":
        names = self._names.get(directory)
        if names is None:
            names = _Names(() if directory in self._made else self._source.children(directory or ROOT))
            self._names[directory] = names
        return names

    def _make_parents(self, path: str) -> None:
        if (parent := parent_of(path)) and not isinstance(self._states.get(parent), DirectoryState):
            self.check_parents(path)
            for directory in ancestors(path):
                if isinstance(self.state(directory), Absent):
                    self._add_name(directory)
                    self._made.add(directory)
                    self._states[directory] = DirectoryState(mode=NEW_DIRECTORY_MODE)

    def _add_name(self, path: str) -> None:
        other = self._names_in(parent_of(path)).add(_last(path))
        if other is not None:
            above = parent_of(path)
            raise _two_spellings(path, Collision(f"{above}/{other}" if above else other, path))

    def _check_spelling(self, path: str) -> None:
        collision = self._spellings.add(path)
        # Both spellings exist on the disk, so it distinguishes them.
        if collision and not {collision.first, collision.second} <= self._existed:
            raise _two_spellings(path, collision)

    def _check_empty(self, path: str) -> None:
        names = self.children(path)
        if names:
            raise StepRefusedError(
                f"The directory {shown(path)} is not empty: {shown(names[0])} is in it.",
                path=path,
                next="Delete or move what is in it first.",
            )


class _Names:
    """The names in one directory, by their case-folded form."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._by_fold: dict[str, list[str]] = {}
        for name in names:
            self._by_fold.setdefault(folded(name), []).append(name)

    def add(self, name: str) -> str | None:
        """Add `name`; returns the name it collides with, if any."""
        same = self._by_fold.setdefault(folded(name), [])
        if same and name not in same:
            return same[0]
        if not same:
            same.append(name)
        return None

    def remove(self, name: str) -> None:
        same = self._by_fold.get(folded(name), [])
        if name in same:
            same.remove(name)

    def all(self) -> list[str]:
        return sorted(name for names in self._by_fold.values() for name in names)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _two_spellings(path: str, collision: Collision) -> StepRefusedError:
    return StepRefusedError(
        f"{collision.reason}.",
        path=path,
        next="Use one spelling, or take the second change into a later plan.",
    )
