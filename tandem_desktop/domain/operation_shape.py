"""Whether an operation is what its kind says: a reviewer reads the kind, and the states are what is done."""

from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.operations import (
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    OperationKind,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.domain.paths import check_path


def misfit(operation: StagedOperation) -> str | None:
    """What is wrong with an operation that came from elsewhere, in words; nothing where it is sound."""
    for path in operation.paths:
        try:
            if check_path(path) != path:
                return f"its path {path!r} is not spelled plainly"
        except OutsideWorkspaceError as refusal:
            return refusal.message
    if operation.kind is OperationKind.COMMAND:
        is_command = operation.call is not None and not operation.paths
        states = isinstance(operation.base, Absent) and isinstance(operation.after, Absent)
        return None if is_command and states else "it is called a command and is none"
    if operation.call is not None or operation.path is None:
        return f"it is called {operation.kind} and names no path, or a command"
    if (operation.to is not None) != (operation.kind is OperationKind.MOVE):
        return f"it is called {operation.kind}, and whether it moves says otherwise"
    if not _fits(operation.kind, operation.base, operation.after):
        return f"it is called {operation.kind}, and its states say otherwise"
    return None


def _fits(kind: OperationKind, base: NodeState, after: NodeState) -> bool:
    match kind, base, after:
        case OperationKind.CREATE, Absent(), FileState():
            return True
        case OperationKind.MKDIR, Absent(), DirectoryState():
            return True
        case OperationKind.SYMLINK, _, SymlinkState():
            return base != after
        case OperationKind.DELETE, _, Absent():
            return not isinstance(base, Absent)
        case OperationKind.MODIFY, FileState(), FileState():
            return base != after
        case OperationKind.MOVE, _, _:
            return base == after and not isinstance(base, Absent)
        case OperationKind.CHMOD, FileState(), FileState():
            return base.sha256 == after.sha256 and base.mode != after.mode
        case OperationKind.CHMOD, DirectoryState(), DirectoryState():
            return base.mode != after.mode
        case _:
            return False
