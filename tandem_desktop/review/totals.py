"""What a set of operations comes to, in numbers."""

from collections.abc import Iterable
from dataclasses import dataclass

from tandem_desktop.domain.operations import OperationKind
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.staging.hazards import Hazard


@dataclass(frozen=True, slots=True)
class Totals:
    """What a set of operations comes to."""

    operations: int
    files: int
    added: int
    removed: int
    commands: int
    kinds: tuple[tuple[OperationKind, int], ...]

    @classmethod
    def of(cls, views: Iterable[OperationView]) -> "Totals":
        kinds: dict[OperationKind, int] = {}
        paths: set[str] = set()
        operations = added = removed = commands = 0
        for view in views:
            operation = view.operation
            operations += 1
            commands += operation.is_run
            kinds[operation.kind] = kinds.get(operation.kind, 0) + 1
            path = operation.to or operation.path
            if path is not None and operation.kind.spec.is_file:
                paths.add(path)
            if view.has_lines:
                plus, minus = line_counts(view)
                added, removed = added + plus, removed + minus
        ordered = tuple((kind, kinds[kind]) for kind in OperationKind if kind in kinds)
        return cls(operations, len(paths), added, removed, commands, ordered)


def folder_of(path: str) -> str:
    """`app/` for `app/main.py`; `./` for what lies in the workspace itself."""
    return f"{path.rpartition('/')[0] or '.'}/"


def by_folder(views: Iterable[OperationView]) -> tuple[tuple[str, Totals], ...]:
    """What happens in each folder that holds a changed file, by name; the workspace's own files are in `./`."""
    found: dict[str, list[OperationView]] = {}
    for view in views:
        path = view.operation.to or view.operation.path
        if path is not None and view.operation.kind.spec.is_file:
            found.setdefault(folder_of(path), []).append(view)
    return tuple((folder, Totals.of(found[folder])) for folder in sorted(found))


def line_counts(view: OperationView) -> tuple[int, int]:
    """Lines added and removed; what is not text has none, wherever its bytes happen to hold a newline."""
    if view.counted is not None:
        return view.counted
    return (0, 0) if Hazard.BINARY in view.flags else (view.added, view.removed)
