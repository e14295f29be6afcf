"""Finds new names that can be taken for names beside them."""

from collections.abc import Callable, Iterable

from tandem_desktop.diff.look_alikes import forgiven, skeleton
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import Absent, StagedOperation

_SHORTEST = 3
"""Shorter ASCII names, such as `l.svg` and `1.svg`, are no imitation of each other."""

Children = Callable[[str], Iterable[str]]
"""The names in a directory of the workspace, empty where there is none."""


def twins(operations: Iterable[StagedOperation], children: Children) -> dict[OperationId, str]:
    """For each operation that makes a name which can be taken for one on disk or in the plan, that other path."""
    folders: dict[str, _Folder] = {}
    found: dict[OperationId, str] = {}
    for operation in operations:
        path = _made(operation)
        if path is None:
            continue
        folder = ""
        for name in path.split("/"):
            known = folders.get(folder)
            if known is None:
                known = folders[folder] = _Folder(children(folder))
            other = known.add(name)
            there = f"{folder}/{other}" if folder else other
            if other is not None and there != operation.path:
                found.setdefault(operation.id, str(there))
            folder = f"{folder}/{name}" if folder else name
    return found


def _made(operation: StagedOperation) -> str | None:
    if operation.to is not None:
        return operation.to
    is_new = isinstance(operation.base, Absent) and not isinstance(operation.after, Absent)
    return operation.path if is_new else None


class _Folder:
    """Names of one directory by what they look like."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: set[str] = set()
        self._by_shape: dict[str, str] = {}
        self._by_fold: dict[str, str] = {}
        for name in names:
            self._keep(name)

    def add(self, name: str) -> str | None:
        """Record a name; returns an earlier one that it can be taken for."""
        if name in self._names:
            return None
        same, alike = self._by_fold.get(forgiven(name)), self._by_shape.get(skeleton(name))
        self._keep(name)
        if same is None and alike is not None:
            is_short = len(name.partition(".")[0]) < _SHORTEST
            return None if is_short and name.isascii() and alike.isascii() else alike
        return same

    def _keep(self, name: str) -> None:
        self._names.add(name)
        self._by_shape.setdefault(skeleton(name), name)
        self._by_fold.setdefault(forgiven(name), name)
