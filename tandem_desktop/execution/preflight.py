"""Checks whether a plan can be carried out, before anything is written."""

import math
import os
from collections.abc import Iterable
from typing import Protocol

from tandem_desktop.domain.errors import DriftError, PreflightError, StorageError
from tandem_desktop.domain.operations import (
    ABSENT,
    DirectoryState,
    FileState,
    NodeState,
    StagedOperation,
    first_misfit,
)
from tandem_desktop.policy.tools import EXECUTE_TOOLS, name_of
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import StatSignatures, Workspace

_SPARE_BYTES = 1024 * 1024
_NAMED = 5


def preflight(operations: tuple[StagedOperation, ...], workspace: Workspace, objects: ObjectStore) -> StatSignatures:
    """Check the folder, paths, base states, stored bytes and disk space; returns the stat signatures that were read.

    Raises:
        PreflightError: and nothing has been written.
    """
    workspace.check_identity()
    _check_shape(operations)
    check_tools(operations)
    signatures = _check_drift(operations, workspace, objects)
    needed = _check_objects(operations, objects)
    _check_room(workspace, needed)
    return signatures


def _check_shape(operations: Iterable[StagedOperation]) -> None:
    if (found := first_misfit(operations)) is not None:
        raise PreflightError(
            f"{found[0]} cannot be done: {found[1].rstrip('.')}. Nothing was written.",
            step=found[0],
            next="Take it out of the plan, or propose it again.",
        )


def check_tools(operations: Iterable[StagedOperation]) -> None:
    """Commands need a shell.

    Raises:
        PreflightError: there is none.
    """
    command = next((each for each in operations if each.command_call is not None), None)
    if command is None:
        return
    import shutil

    if shutil.which("bash") is None and shutil.which("sh") is None:
        raise PreflightError(
            f"{command.id} runs a command, and there is no shell on this machine's PATH.",
            step=command.id,
            next="Install bash, or take the command out of the plan.",
        )


def _check_drift(operations: tuple[StagedOperation, ...], workspace: Workspace, objects: ObjectStore) -> StatSignatures:
    workspace.forget_directories()
    signatures = StatSignatures()
    if _is_plainly_unchanged(operations, workspace, objects, signatures):
        return signatures
    from tandem_desktop.review.drift import drift

    drifted = drift(operations, workspace)
    if not drifted:
        return StatSignatures()
    named = ", ".join(f"{entry.path} ({entry.change})" for entry in drifted[:_NAMED])
    more = f" and {len(drifted) - _NAMED} more" if len(drifted) > _NAMED else ""
    raise DriftError(
        f"Changed on disk since the plan was made: {named}{more}. Nothing was written.",
        path=drifted[0].path,
        next="See each with tandem drift, then carry the plan over with tandem rebase.",
    )


def _is_plainly_unchanged(
    operations: Iterable[StagedOperation], workspace: Workspace, objects: ObjectStore, signatures: StatSignatures
) -> bool:
    """True if every path is in its first planned base state; plans that touch folders need the full drift check."""
    first: dict[str, NodeState] = {}
    for operation in operations:
        if isinstance(operation.base, DirectoryState):
            return False
        if operation.path is not None:
            first.setdefault(operation.path, operation.base)
        if operation.to is not None:
            first.setdefault(operation.to, ABSENT)
    return all(workspace.has(path, state, signatures, objects.at_hand) for path, state in first.items())


def _check_objects(operations: Iterable[StagedOperation], objects: ObjectStore) -> int:
    needed = 0
    for operation in operations:
        if operation.is_run or not isinstance(operation.after, FileState) or operation.to is not None:
            continue
        try:
            size = objects.check(operation.after.sha256)
        except StorageError as error:
            raise PreflightError(error.message, path=operation.path, step=operation.id, next=error.next) from error
        if size != operation.after.size:
            raise PreflightError(
                f"{operation.id} cannot be done: {_other_size(operation.after, size)}. Nothing was written.",
                path=operation.path,
                step=operation.id,
                next="Take it out of the plan, or propose it again.",
            )
        needed += size
    return needed


def _check_room(workspace: Workspace, needed: int) -> None:
    room = os.fstatvfs(workspace.root_fd)
    free = room.f_bavail * room.f_frsize
    if free < needed + _SPARE_BYTES:
        raise PreflightError(
            f"The disk of {workspace.path} has {math.floor(free / 1e5) / 10:,} MB free; "
            f"the plan needs {math.ceil((needed + _SPARE_BYTES) / 1e5) / 10:,} MB.",
            path=str(workspace.path),
            next="Make room, then apply again.",
        )
    if room.f_flag & os.ST_RDONLY or not os.access(workspace.path, os.W_OK):
        raise PreflightError(
            f"The workspace {workspace.path} is read-only.",
            path=str(workspace.path),
            next="Make it writable, then apply again.",
        )


class KnowsBytes(Protocol):
    """Says how many bytes are stored under a digest; None if there are none."""

    def size(self, sha256: str) -> int | None: ...


def refuse_impossible(operations: tuple[StagedOperation, ...], stored: KnowsBytes) -> None:
    """Check every operation by itself; drift is checked when the plan runs.

    Raises:
        PreflightError: one could never be done; it is named with the reason.
    """
    known = {operation.id for operation in operations}
    misfit = first_misfit(operations)
    for operation in operations:
        wrong = misfit[1] if misfit is not None and misfit[0] == operation.id else None
        unknown = next((each for each in operation.blocked_by if each not in known), None)
        if wrong is None and unknown is not None:
            wrong = f"it waits for {unknown}, which is not in the plan"
        if wrong is None and isinstance(operation.after, FileState):
            size = stored.size(operation.after.sha256)
            if size is None:
                wrong = "the bytes it would write are not stored here any more"
            elif size != operation.after.size:
                wrong = _other_size(operation.after, size)
        if wrong is not None:
            raise PreflightError(
                f"{operation.id} cannot be done: {wrong.rstrip('.')}.",
                step=operation.id,
                path=operation.path,
                next="Take it out of the plan, or send the plan back.",
            )
    check_tools(operations)


def _other_size(state: FileState, size: int) -> str:
    return f"its file is said to have {state.size:,} bytes, and the bytes that are stored for it are {size:,}"


def refuse_out_of_scope(operations: Iterable[StagedOperation], scope: tuple[str, ...]) -> None:
    """Refuse operations whose tool is not in the plan's scope; a command needs the shell in scope.

    Raises:
        PreflightError: an operation uses another tool.
    """
    names = {name_of(tool) for tool in scope}
    in_scope = {""}
    for operation in operations:
        tool = operation.tool or (EXECUTE_TOOLS[0] if operation.is_run else "")
        if tool in in_scope:
            continue
        if name_of(tool) in names:
            in_scope.add(tool)
        else:
            raise PreflightError(
                f"Tool not available in plan scope. Only [{', '.join(scope)}] are available.",
                step=operation.id,
                next="Make a new revision: it names the tools it uses.",
            )
