"""Follow the shadow from one look to the next: what each path was, what it is, and what changed in between."""

from collections.abc import Iterable, Sequence

from tandem_desktop.domain.operations import (
    NEW_DIRECTORY_MODE,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    PathChange,
)

_FILE_BITS = 0o775
_OWNER_READS = 0o400
_OWNER_LOOKS = 0o500


class ShadowStates:
    """Takes whole looks at the shadow, each compared with the base, and gives the changes since the look before.

    What an agent's umask or carelessness does to permissions is brought to what a plan may contain; `warnings` says
    where that mattered.
    """

    def __init__(self) -> None:
        self._bases: dict[str, NodeState] = {}
        self._now: dict[str, NodeState] = {}
        self._filled: set[str] = set()
        self.warnings: list[str] = []

    def has_content(self, path: str) -> bool:
        """Whether something the agent put there lies in the folder `path` now."""
        return path in self._filled

    def look(self, changes: Sequence[PathChange]) -> tuple[PathChange, ...]:
        """The changes since the last look, sorted by path. A path that is not named is as its base again."""
        earlier = self._now
        self._now = {}
        for change in changes:
            self._bases.setdefault(change.path, change.before)
            self._now[change.path] = self._permitted(change)
        self._filled = {
            above for path, state in self._now.items() if not isinstance(state, Absent) for above in _above(path)
        }
        befores = {change.path: change.before for change in changes}
        found = []
        for path in sorted(earlier.keys() | self._now.keys()):
            before = earlier[path] if path in earlier else befores[path]
            after = self._now[path] if path in self._now else self._bases[path]
            if before != after:
                found.append(PathChange(path=path, before=before, after=after))
        return tuple(found)

    def _permitted(self, change: PathChange) -> NodeState:
        before, after = change.before, change.after
        if isinstance(after, DirectoryState):
            if isinstance(before, DirectoryState) and before.mode == after.mode:
                return after
            mode = (after.mode & _FILE_BITS) | _OWNER_LOOKS
            if not isinstance(before, DirectoryState) and mode & NEW_DIRECTORY_MODE == NEW_DIRECTORY_MODE:
                return DirectoryState(mode=NEW_DIRECTORY_MODE)  # as every folder that is made for its content
            return self._with_mode(change.path, after, mode)
        if isinstance(after, FileState):
            if isinstance(before, FileState) and before.mode == after.mode:
                return after
            return self._with_mode(change.path, after, (after.mode & _FILE_BITS) | _OWNER_READS)
        return after

    def _with_mode(self, path: str, state: FileState | DirectoryState, mode: int) -> NodeState:
        if mode == state.mode:
            return state
        warning = f"{path} was given the mode {state.mode:04o} and is staged with {mode:04o}."
        if warning not in self.warnings:
            self.warnings.append(warning)
        return state.model_copy(update={"mode": mode})


def _above(path: str) -> Iterable[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
