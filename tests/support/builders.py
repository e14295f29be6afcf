"""Plain values for tests, so that a test names only what it is about."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId
from tandem_desktop.domain.operations import (
    ABSENT,
    DEFAULT_COMMAND_TIMEOUT_S,
    NEW_DIRECTORY_MODE,
    NEW_FILE_MODE,
    CommandCall,
    DirectoryState,
    ExternalCall,
    FileState,
    NodeState,
    OperationKind,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.tasks import PlanTask

PLAN_ID = PlanId("PLAN-0badcafe")
SESSION_ID = SessionId("SES-0badcafe")
A_MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def a_file(content: bytes = b"hello\n", *, mode: int = NEW_FILE_MODE) -> FileState:
    """The state of a file that holds `content`."""
    return FileState(sha256=hashlib.sha256(content).hexdigest(), size=len(content), mode=mode)


def a_write(
    path: str = "src/app.py",
    content: bytes = b"print('new')\n",
    *,
    before: bytes | None = None,
    mode: int = NEW_FILE_MODE,
    before_mode: int | None = None,
    id: str = "s1",  # noqa: A002 - the name of the field it fills
    **fields: Any,
) -> StagedOperation:
    """A create, or, with `before`, a modify that keeps the mode unless `before_mode` says otherwise."""
    base: NodeState = ABSENT
    if before is not None:
        base = a_file(before, mode=mode if before_mode is None else before_mode)
    return StagedOperation(
        id=OperationId(id),
        kind=OperationKind.CREATE if before is None else OperationKind.MODIFY,
        path=path,
        base=base,
        after=a_file(content, mode=mode),
        **{"tool": "write", "description": f"Write {path}", **fields},
    )


def a_delete(
    path: str = "src/old.py",
    content: bytes = b"print('old')\n",
    *,
    mode: int = NEW_FILE_MODE,
    base: NodeState | None = None,
    id: str = "s1",  # noqa: A002 - the name of the field it fills
    **fields: Any,
) -> StagedOperation:
    """A delete of a file, or of whatever `base` says is there."""
    return StagedOperation(
        id=OperationId(id),
        kind=OperationKind.DELETE,
        path=path,
        base=a_file(content, mode=mode) if base is None else base,
        after=ABSENT,
        **{"tool": "delete", "description": f"Delete {path}", **fields},
    )


def a_move(
    path: str = "src/old.py",
    to: str = "src/new.py",
    content: bytes = b"print('old')\n",
    *,
    mode: int = NEW_FILE_MODE,
    id: str = "s1",  # noqa: A002 - the name of the field it fills
    **fields: Any,
) -> StagedOperation:
    """A move of a file, its bytes unchanged."""
    state = a_file(content, mode=mode)
    return StagedOperation(
        id=OperationId(id),
        kind=OperationKind.MOVE,
        path=path,
        to=to,
        base=state,
        after=state,
        **{"tool": "move", "description": f"Move {path} to {to}", **fields},
    )


def a_chmod(
    path: str = "run.sh",
    mode: int = 0o755,
    *,
    before_mode: int = NEW_FILE_MODE,
    content: bytes = b"#!/bin/sh\n",
    id: str = "s1",  # noqa: A002 - the name of the field it fills
    **fields: Any,
) -> StagedOperation:
    """A change of mode alone."""
    return StagedOperation(
        id=OperationId(id),
        kind=OperationKind.CHMOD,
        path=path,
        base=a_file(content, mode=before_mode),
        after=a_file(content, mode=mode),
        **{"tool": "chmod", "description": f"Change the mode of {path}", **fields},
    )


def a_symlink(
    path: str = "current",
    target: str = "src",
    *,
    id: str = "s1",  # noqa: A002 - the name of the field it fills
    **fields: Any,
) -> StagedOperation:
    """A new symbolic link."""
    return StagedOperation(
        id=OperationId(id),
        kind=OperationKind.SYMLINK,
        path=path,
        after=SymlinkState(target=target),
        **{"tool": "symlink", "description": f"Link {path} to {target}", **fields},
    )


def a_mkdir(
    path: str = "docs",
    *,
    mode: int = NEW_DIRECTORY_MODE,
    id: str = "s1",  # noqa: A002 - the name of the field it fills
    **fields: Any,
) -> StagedOperation:
    """A new directory."""
    return StagedOperation(
        id=OperationId(id),
        kind=OperationKind.MKDIR,
        path=path,
        after=DirectoryState(mode=mode),
        **{"tool": "mkdir", "description": f"Make {path}", **fields},
    )


def an_external_call(tool: str, **arguments: Any) -> StagedOperation:
    """A call that only the agent can make."""
    call = ExternalCall.of(tool, arguments)
    return StagedOperation(id=OperationId("s1"), kind=OperationKind.EXTERNAL, call=call, tool=tool)


def a_command(
    command: str = "make test",
    *,
    cwd: str = ".",
    env: tuple[tuple[str, str], ...] = (),
    timeout_s: int = DEFAULT_COMMAND_TIMEOUT_S,
    id: str = "s1",  # noqa: A002 - the name of the field it fills
    **fields: Any,
) -> StagedOperation:
    """A command in its place."""
    return StagedOperation(
        id=OperationId(id),
        kind=OperationKind.COMMAND,
        call=CommandCall(command=command, cwd=cwd, env=env, timeout_s=timeout_s),
        **{"tool": "bash", "description": f"Run {command}", **fields},
    )


def a_version(
    *operations: StagedOperation,
    plan_id: str = PLAN_ID,
    session_id: str = SESSION_ID,
    parent: int | None = None,
    revision: int | None = None,
    title: str = "A small change",
    content: str = "# A small change\n",
    tasks: tuple[PlanTask, ...] = (),
    **fields: Any,
) -> PlanVersion:
    """A revision. Operations that were all left with their default id are numbered s1, s2, … in order."""
    number = revision if revision is not None else (parent or 0) + 1
    if len(operations) > 1 and {operation.id for operation in operations} == {"s1"}:
        operations = tuple(
            operation.model_copy(update={"id": OperationId(f"s{position}")})
            for position, operation in enumerate(operations, start=1)
        )
    version = PlanVersion(
        **{
            "id": f"{plan_id}-r{number:03d}",
            "plan_id": PlanId(plan_id),
            "session_id": SessionId(session_id),
            "revision": number,
            "parent_revision": parent,
            "title": title,
            "content": content,
            "operations": operations,
            "tasks": tasks,
            "created_at": A_MOMENT,
            **fields,
        }
    )
    return version.model_copy(update={"approval_hash": ApprovalHash.of(version).combined_hash})


def a_meta(
    version: PlanVersion | None = None,
    *,
    status: PlanStatus = PlanStatus.PROPOSED,
    **fields: Any,
) -> PlanMeta:
    """The record of where a plan stands, for `version` or for an empty one."""
    version = version or a_version()
    return PlanMeta(
        **{
            "plan_id": version.plan_id,
            "session_id": version.session_id,
            "title": version.title,
            "status": status,
            "revision": version.revision,
            "digest": ApprovalHash.of(version).combined_hash,
            "created_at": A_MOMENT,
            "updated_at": A_MOMENT,
            **fields,
        }
    )
