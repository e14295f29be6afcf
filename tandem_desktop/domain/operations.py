"""What may happen to a workspace: typed states of a path, and operations that turn one into another."""

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import OperationId, RequestId, TaskId

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Mode = Annotated[int, Field(ge=0, le=0o7777)]

NEW_FILE_MODE = 0o644
NEW_DIRECTORY_MODE = 0o755
DEFAULT_COMMAND_TIMEOUT_S = 600


class Absent(Frozen):
    """Nothing is there, which is a state like any other."""

    type: Literal["absent"] = "absent"


class FileState(Frozen):
    """A regular file; its bytes lie in the object store under their digest."""

    type: Literal["file"] = "file"
    sha256: Sha256
    size: Annotated[int, Field(ge=0)]
    mode: Mode

    @classmethod
    def of(cls, content: bytes, mode: int) -> "FileState":
        """The state of a file that holds these bytes."""
        return cls(sha256=hashlib.sha256(content).hexdigest(), size=len(content), mode=mode)


class SymlinkState(Frozen):
    """A symbolic link, never followed."""

    type: Literal["symlink"] = "symlink"
    target: str


class DirectoryState(Frozen):
    """A directory, apart from what is in it."""

    type: Literal["dir"] = "dir"
    mode: Mode


NodeState = Annotated[Absent | FileState | SymlinkState | DirectoryState, Field(discriminator="type")]
ABSENT = Absent()


class OperationKind(StrEnum):
    """The eight things an operation can be."""

    CREATE = "create"
    MODIFY = "modify"
    DELETE = "delete"
    MOVE = "move"
    CHMOD = "chmod"
    SYMLINK = "symlink"
    MKDIR = "mkdir"
    COMMAND = "command"


class CommandCall(Frozen):
    """The exact text a shell will be given, and where and how."""

    command: Annotated[str, Field(min_length=1)]
    cwd: str = "."
    env: tuple[tuple[str, str], ...] = ()
    timeout_s: Annotated[int, Field(ge=1, le=86_400)] = DEFAULT_COMMAND_TIMEOUT_S


class PathChange(Frozen):
    """One path goes from one state to another."""

    path: str
    before: NodeState
    after: NodeState


class Effect(Frozen):
    """Only what changes the world; this is what is hashed."""

    id: OperationId
    kind: OperationKind
    path: str | None
    to: str | None
    base: NodeState
    after: NodeState
    call: CommandCall | None
    blocked_by: tuple[OperationId, ...]
    task: TaskId | None = None
    """Of a command only: commands of independent tasks run side by side."""


class StagedOperation(Frozen):
    """One proposed change, held back until its plan is approved.

    `base` is what the agent saw at `path`; `after` is what will be there, or, for a move, at `to`.
    """

    id: OperationId
    kind: OperationKind
    path: str | None = None
    to: str | None = None
    base: NodeState = ABSENT
    after: NodeState = ABSENT
    call: CommandCall | None = None
    blocked_by: tuple[OperationId, ...] = ()

    tool: str = ""
    task: TaskId | None = None
    description: str = ""
    rationale: str = ""
    risk: str = ""
    request_ids: tuple[RequestId, ...] = ()
    tool_call_id: str | None = None
    message_id: str | None = None
    staged_at: datetime | None = None
    recorded_from: str = ""
    """The command whose rehearsed effect this is; the operation takes its place, and it will not run."""

    def effect(self) -> Effect:
        """Only what changes the world; this is what is hashed."""
        return Effect(
            id=self.id,
            kind=self.kind,
            path=self.path,
            to=self.to,
            base=self.base,
            after=self.after,
            call=self.call,
            blocked_by=self.blocked_by,
            task=self.task if self.call is not None else None,
        )

    def changes(self) -> tuple[PathChange, ...]:
        """The operation as path changes, in the order they become true; empty for a command."""
        if self.path is None:
            return ()
        if self.to is None:
            return (PathChange(path=self.path, before=self.base, after=self.after),)
        return (
            PathChange(path=self.path, before=self.base, after=ABSENT),
            PathChange(path=self.to, before=ABSENT, after=self.after),
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path the operation names."""
        if self.to is None:
            return () if self.path is None else (self.path,)
        return (self.to,) if self.path is None else (self.path, self.to)
