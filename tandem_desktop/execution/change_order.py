"""Net changes of many paths, put in an order in which every one of them can happen."""

from collections.abc import Collection, Iterable, Mapping

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, FileState, NodeState, PathChange
from tandem_desktop.execution.steps import Action, Step, change_step

_OWNER_WRITES = 0o200
_Change = tuple[str, NodeState, NodeState]


def ordered_steps(
    changes: Iterable[PathChange],
    operation: OperationId,
    first: int = 0,
    moves: Mapping[str, str] | None = None,
) -> tuple[Step, ...]:
    """Steps for `changes`: what goes, then folders, then what comes, then empty folders.

    `moves` names pairs (from, to) to be carried out as renames, so that a file keeps its identity and what is
    attached to it; it gets its content afterwards, if that is another.
    """
    by_path = {change.path: change for change in changes}
    pairs = _pairs(by_path, moves or {})
    moved = {path for pair in pairs for path in pair}
    removed: list[_Change] = []
    opened: list[_Change] = []
    folders: list[_Change] = []
    placed: list[_Change] = []
    closed: list[_Change] = []
    emptied: list[_Change] = []
    replaced = {path for path, change in by_path.items() if _loses_its_folder(change)}
    for path in sorted(by_path):
        if path in moved:
            continue
        change = by_path[path]
        goes, comes = _parts(change)
        if goes is not None:
            # A folder that only goes waits for what is moved out of it; one that makes room for a file cannot.
            late = isinstance(goes, DirectoryState) and not _is_at_or_below(path, replaced)
            (emptied if late else removed).append((path, goes, ABSENT))
        if comes is not None:
            (folders if isinstance(comes, DirectoryState) else placed).append((path, ABSENT, comes))
        if goes is None and comes is None:
            (_place_of_mode_change(change, opened, closed, placed)).append((path, change.before, change.after))
    n = first
    steps: list[Step] = []
    for path, before, after in (*opened, *reversed(removed), *folders):
        steps.append(_single(n + len(steps), operation, path, before, after))
    for source, target in pairs:
        state = by_path[source].before
        steps.append(Step(n + len(steps), operation, Action.RENAME, source, state, state, target))
        if state != by_path[target].after:
            steps.append(_single(n + len(steps), operation, target, state, by_path[target].after))
    for path, before, after in (*placed, *reversed(emptied), *closed):
        steps.append(_single(n + len(steps), operation, path, before, after))
    return tuple(steps)


def _parts(change: PathChange) -> tuple[NodeState | None, NodeState | None]:
    """What has to go and what has to come; neither when the node can be changed in place."""
    if isinstance(change.before, Absent):
        return None, change.after
    if isinstance(change.after, Absent):
        return change.before, None
    if change.before.type == change.after.type:
        return None, None
    return change.before, change.after


def _loses_its_folder(change: PathChange) -> bool:
    """Whether a folder gives way to a file or link."""
    return isinstance(change.before, DirectoryState) and not isinstance(change.after, DirectoryState | Absent)


def _is_at_or_below(path: str, folders: Collection[str]) -> bool:
    return bool(folders) and any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _place_of_mode_change(
    change: PathChange,
    opened: list[_Change],
    closed: list[_Change],
    placed: list[_Change],
) -> list[_Change]:
    """A folder is opened before its contents change and closed after."""
    if not isinstance(change.after, DirectoryState):
        return placed
    return opened if change.after.mode & _OWNER_WRITES else closed


def _pairs(by_path: Mapping[str, PathChange], moves: Mapping[str, str]) -> list[tuple[str, str]]:
    if any(map(_loses_its_folder, by_path.values())):
        return []
    found = []
    taken: set[str] = set()
    for source, target in moves.items():
        leaves, arrives = by_path.get(source), by_path.get(target)
        if leaves is None or arrives is None or {source, target} & taken:
            continue
        vanishes = isinstance(leaves.after, Absent) and isinstance(arrives.before, Absent)
        are_files = isinstance(leaves.before, FileState) and isinstance(arrives.after, FileState)
        are_equal = leaves.before == arrives.after and not isinstance(leaves.before, DirectoryState)
        if vanishes and (are_files or are_equal):
            found.append((source, target))
            taken.update((source, target))
    return found


def _single(n: int, operation: OperationId, path: str, before: NodeState, after: NodeState) -> Step:
    step = change_step(n, operation, path, before, after)
    if step is None:
        raise ValueError(f"{path} does not change")
    return step
