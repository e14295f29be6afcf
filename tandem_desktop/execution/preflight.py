"""Everything that can be checked before the first write, so that a refusal leaves no trace."""

import os
import shutil
from collections.abc import Iterable

from tandem_desktop.domain.errors import DriftError, PreflightError, StorageError
from tandem_desktop.domain.operation_shape import unfit_call
from tandem_desktop.domain.operations import ABSENT, DirectoryState, FileState, NodeState, StagedOperation
from tandem_desktop.domain.paths import check_path
from tandem_desktop.review.drift import drift
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.sights import Sights
from tandem_desktop.storage.workspace import Workspace

_SPARE_BYTES = 1024 * 1024
_NAMED = 5


def preflight(operations: tuple[StagedOperation, ...], workspace: Workspace, objects: ObjectStore) -> Sights:
    """Check the folder, the paths, every base, every stored byte and the room on the disk; answer what was seen.

    Raises:
        PreflightError: and nothing has been written.
    """
    workspace.check_identity()
    _check_paths(operations)
    check_tools(operations)
    sights = _check_drift(operations, workspace, objects)
    needed = _check_objects(operations, objects)
    _check_room(workspace, needed)
    return sights


def _check_paths(operations: Iterable[StagedOperation]) -> None:
    for operation in operations:
        for path in operation.paths:
            check_path(path)
        if operation.call is not None and (unfit := unfit_call(operation.call)) is not None:
            raise PreflightError(
                f"The command of {operation.id} cannot be run: {unfit}. Nothing was written.",
                step=operation.id,
                next="Take the command out of the plan, or propose it again.",
            )


def check_tools(operations: Iterable[StagedOperation]) -> None:
    """Commands need a shell.

    Raises:
        PreflightError: there is none.
    """
    command = next((each for each in operations if each.is_run), None)
    if command is not None and shutil.which("bash") is None and shutil.which("sh") is None:
        raise PreflightError(
            f"{command.id} runs a command, and there is no shell on this machine's PATH.",
            step=command.id,
            next="Install bash, or take the command out of the plan.",
        )


def _check_drift(operations: tuple[StagedOperation, ...], workspace: Workspace, objects: ObjectStore) -> Sights:
    workspace.forget_directories()
    sights = Sights()
    if _is_plainly_unchanged(operations, workspace, objects, sights):
        return sights
    drifted = drift(operations, workspace)
    if not drifted:
        return Sights()
    named = ", ".join(f"{entry.path} ({entry.change})" for entry in drifted[:_NAMED])
    more = f" and {len(drifted) - _NAMED} more" if len(drifted) > _NAMED else ""
    raise DriftError(
        f"Changed on disk since the plan was made: {named}{more}. Nothing was written.",
        path=drifted[0].path,
        next="See each with tandem drift, then carry the plan over with tandem rebase.",
    )


def _is_plainly_unchanged(
    operations: Iterable[StagedOperation], workspace: Workspace, objects: ObjectStore, sights: Sights
) -> bool:
    """Whether every path is just as the plan saw it first; plans that touch folders need the thorough look."""
    first: dict[str, NodeState] = {}
    for operation in operations:
        if isinstance(operation.base, DirectoryState):
            return False
        if operation.path is not None:
            first.setdefault(operation.path, operation.base)
        if operation.to is not None:
            first.setdefault(operation.to, ABSENT)
    return all(workspace.has(path, state, sights, objects.at_hand) for path, state in first.items())


def _check_objects(operations: Iterable[StagedOperation], objects: ObjectStore) -> int:
    needed = 0
    for operation in operations:
        if operation.is_run or not isinstance(operation.after, FileState) or operation.to is not None:
            continue
        try:
            needed += objects.check(operation.after.sha256)
        except StorageError as error:
            raise PreflightError(error.message, path=operation.path, step=operation.id, next=error.next) from error
    return needed


def _check_room(workspace: Workspace, needed: int) -> None:
    room = os.fstatvfs(workspace.root_fd)
    free = room.f_bavail * room.f_frsize
    if free < needed + _SPARE_BYTES:
        raise PreflightError(
            f"The disk of {workspace.path} has {free:,} bytes free; the plan needs {needed + _SPARE_BYTES:,}.",
            path=str(workspace.path),
            next="Make room, then apply again.",
        )
    if room.f_flag & os.ST_RDONLY or not os.access(workspace.path, os.W_OK):
        raise PreflightError(
            f"The workspace {workspace.path} is read-only.",
            path=str(workspace.path),
            next="Make it writable, then apply again.",
        )
