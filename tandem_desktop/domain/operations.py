"""States of a path, and the operations that change them."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.ids import STEP_ID, OperationId, RequestId, TaskId
from tandem_desktop.domain.paths import ROOT, check_path, shown, unfit_target
from tandem_desktop.domain.patterns import lazy_pattern

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Mode = Annotated[int, Field(ge=0, le=0o7777)]

NEW_FILE_MODE = 0o644
NEW_DIRECTORY_MODE = 0o755
DEFAULT_COMMAND_TIMEOUT_S = 600
PLAN_TOOLS = ("read", "write", "edit", "bash", "patch", "delete", "move", "chmod", "symlink", "mkdir", "external")
"""What a step of a proposed plan may use; `staging/steps.py` has the arguments of each."""


class Absent(Frozen):
    """No node."""

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
ABSENT = Absent.model_construct()


class OperationKind(StrEnum):
    """What an operation does."""

    CREATE = "create"
    MODIFY = "modify"
    DELETE = "delete"
    MOVE = "move"
    CHMOD = "chmod"
    SYMLINK = "symlink"
    MKDIR = "mkdir"
    COMMAND = "command"
    EXTERNAL = "external"

    @property
    def spec(self) -> "KindSpec":
        """The properties of the kind."""
        return _SPECS[self]


@dataclass(frozen=True, slots=True)
class KindSpec:
    """The properties of a kind of operation that other code uses."""

    label: str
    """Its label in the window."""
    participle: str
    """Its participle, after a number: `2 created`."""
    action: str
    """The sentence of what will be done, with the fields of `StagedOperation.action`."""
    title: str
    """The description of an operation that the agent did not describe, with the same fields."""
    tool: str
    """The tool of plan JSON that makes it."""
    fits: Callable[[NodeState, NodeState], bool]
    """True if it leads from the first state to the second."""
    has_target: bool = False
    """Whether it names a second path, `to`."""
    is_file: bool = True
    """Whether it counts as a changed file."""
    is_run: bool = False
    """Whether it is run: it has a call in place of paths and states, no diff, and a segment of its own in a run."""
    is_external: bool = False
    """Whether its agent carries it out, with a tool whose effects are outside the workspace."""
    is_undoable: bool = True
    """Whether stored bytes are enough to undo it; otherwise only where its effects are captured."""


def _is_creation(base: NodeState, after: NodeState) -> bool:
    return isinstance(base, Absent) and isinstance(after, FileState)


def _is_modification(base: NodeState, after: NodeState) -> bool:
    return isinstance(base, FileState) and isinstance(after, FileState) and base != after


def _is_deletion(base: NodeState, after: NodeState) -> bool:
    return not isinstance(base, Absent) and isinstance(after, Absent)


def _is_move(base: NodeState, after: NodeState) -> bool:
    return base == after and not isinstance(base, Absent)


def _is_mode_change(base: NodeState, after: NodeState) -> bool:
    match base, after:
        case FileState(), FileState():
            return base.sha256 == after.sha256 and base.mode != after.mode
        case DirectoryState(), DirectoryState():
            return base.mode != after.mode
        case _:
            return False


def _is_new_link(base: NodeState, after: NodeState) -> bool:
    return isinstance(base, Absent) and isinstance(after, SymlinkState)


def _is_new_folder(base: NodeState, after: NodeState) -> bool:
    return isinstance(base, Absent) and isinstance(after, DirectoryState)


def _is_nowhere(base: NodeState, after: NodeState) -> bool:
    return isinstance(base, Absent) and isinstance(after, Absent)


_SPECS = {
    OperationKind.CREATE: KindSpec(
        label="create",
        participle="created",
        action="create {path}{new_mode}",
        title="Create {path}",
        tool="write",
        fits=_is_creation,
    ),
    OperationKind.MODIFY: KindSpec(
        label="edit",
        participle="edited",
        action="modify {path}{new_mode}",
        title="Modify {path}",
        tool="edit",
        fits=_is_modification,
    ),
    OperationKind.DELETE: KindSpec(
        label="delete",
        participle="deleted",
        action="delete {path}{what}",
        title="Delete {path}",
        tool="delete",
        fits=_is_deletion,
    ),
    OperationKind.MOVE: KindSpec(
        label="move",
        participle="moved",
        action="move {path} → {to}",
        title="Move {path} to {to}",
        tool="move",
        fits=_is_move,
        has_target=True,
    ),
    OperationKind.CHMOD: KindSpec(
        label="mode",
        participle="changed in mode",
        action="set the mode of {path}: {modes}",
        title="Change the mode of {path}",
        tool="chmod",
        fits=_is_mode_change,
    ),
    OperationKind.SYMLINK: KindSpec(
        label="link",
        participle="linked",
        action="link {path} → {target}",
        title="Link {path}",
        tool="symlink",
        fits=_is_new_link,
    ),
    OperationKind.MKDIR: KindSpec(
        label="folder",
        participle="created as a folder",
        action="make the folder {path}",
        title="Make the folder {path}",
        tool="mkdir",
        fits=_is_new_folder,
        is_file=False,
    ),
    OperationKind.COMMAND: KindSpec(
        label="run",
        participle="run",
        action="run a command",
        title="Run a command",
        tool="bash",
        fits=_is_nowhere,
        is_file=False,
        is_run=True,
        is_undoable=False,
    ),
    OperationKind.EXTERNAL: KindSpec(
        label="call",
        participle="called",
        action="let the agent call {tool}",
        title="Call {tool}",
        tool="external",
        fits=_is_nowhere,
        is_file=False,
        is_run=True,
        is_external=True,
        is_undoable=False,
    ),
}


def kind_of_change(before: NodeState, after: NodeState) -> OperationKind:
    """The kind that leads from one state of a path to another; a move is a deletion and a creation."""
    match before, after:
        case _, Absent():
            return OperationKind.DELETE
        case FileState(sha256=old), FileState(sha256=new):
            return OperationKind.CHMOD if old == new else OperationKind.MODIFY
        case DirectoryState(), DirectoryState():
            return OperationKind.CHMOD
        case _, SymlinkState():
            return OperationKind.SYMLINK
        case _, DirectoryState():
            return OperationKind.MKDIR
        case Absent(), _:
            return OperationKind.CREATE
        case _:
            return OperationKind.MODIFY


class CommandCall(Frozen):
    """The exact shell command, its folder and environment."""

    command: Annotated[str, Field(min_length=1)]
    cwd: str = "."
    env: tuple[tuple[str, str], ...] = ()
    timeout_s: Annotated[int, Field(ge=1, le=86_400)] = DEFAULT_COMMAND_TIMEOUT_S

    @property
    def text(self) -> str:
        return self.command


class ExternalCall(Frozen):
    """The use of a tool whose effects are outside the workspace; the agent that asked for it makes it."""

    tool: Annotated[str, Field(min_length=1)]
    arguments: str = "{}"
    """A JSON object with sorted keys: the agent must use exactly these."""
    target: str = ""
    """What the call acts on, as far as the agent named it."""

    @classmethod
    def of(cls, tool: str, arguments: Mapping[str, Any], target: str = "") -> "ExternalCall":
        """The call of `tool` with these arguments."""
        text = json.dumps(arguments, sort_keys=True, ensure_ascii=False, allow_nan=False, default=str)
        return cls(tool=tool, arguments=text, target=target)

    @property
    def text(self) -> str:
        """The tool and its arguments in one line."""
        return f"{self.tool} {self.arguments}"


OperationCall = CommandCall | ExternalCall


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
    call: OperationCall | None
    blocked_by: tuple[OperationId, ...]
    task: TaskId | None = None
    """For commands only: commands of independent tasks run in parallel."""


_EFFECT = ("Effect of ", ", which ran in the shadow")


def effect_title(command: str) -> str:
    """The description of a change that a command of the agent made."""
    return f"{_EFFECT[0]}{command}{_EFFECT[1]}"


def run_title(command: str) -> str:
    """The description of a command that the agent did not describe."""
    return f"Run {command}"


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
    call: OperationCall | None = None
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
    def is_run(self) -> bool:
        """Whether something is run for it; otherwise it changes a path."""
        return self.kind.spec.is_run

    @property
    def command_call(self) -> CommandCall | None:
        """What a shell is given, of a command."""
        return self.call if isinstance(self.call, CommandCall) else None

    @property
    def external_call(self) -> ExternalCall | None:
        """What its agent is to call, of an external call."""
        return self.call if isinstance(self.call, ExternalCall) else None

    @property
    def command(self) -> str | None:
        """The text a shell is given, of a command."""
        return None if (call := self.command_call) is None else call.command

    @property
    def call_text(self) -> str | None:
        """The command, or the tool and its arguments; None of an operation that changes a path."""
        return None if self.call is None else self.call.text

    @property
    def subject(self) -> str:
        """What it is about: the command, the external call, or the paths."""
        return self.call_text or " → ".join(self.paths)

    @property
    def action(self) -> str:
        """What will be done, derived from the effect."""
        return self.action_with(str)

    def action_with(self, shown: Callable[[str], str]) -> str:
        """What will be done, with each name as `shown` writes it."""
        return self._filled(self.kind.spec.action, shown)

    @property
    def title(self) -> str:
        """A description for an operation that has none."""
        return self._filled(self.kind.spec.title)

    @property
    def agent_description(self) -> str:
        """What the agent says of it; empty where the description was made by Tandem or is the command itself."""
        call = self.command_call
        made = (self.title, *((call.text, run_title(call.text)) if call is not None else ()))
        return "" if self.recorded_from or self.is_effect or self.description in made else self.description

    @property
    def is_effect(self) -> bool:
        """Whether its description says that a command of the agent made it."""
        return self.description.startswith(_EFFECT[0]) and self.description.endswith(_EFFECT[1])

    def _filled(self, template: str, shown: Callable[[str], str] = str) -> str:
        base, after = self.base, self.after
        old = base.mode if isinstance(base, FileState | DirectoryState) else NEW_FILE_MODE
        new = after.mode if isinstance(after, FileState | DirectoryState) else old
        what = f" (a link to {shown(base.target)})" if isinstance(base, SymlinkState) else ""
        return template.format(
            path=shown(self.path or ""),
            to=shown(self.to or ""),
            target=shown(after.target) if isinstance(after, SymlinkState) else "",
            tool=shown(self.call.tool) if isinstance(self.call, ExternalCall) else "",
            what=" (an empty folder)" if isinstance(base, DirectoryState) else what,
            modes=f"{old:04o} → {new:04o}",
            new_mode="" if new == old else f" (mode {new:04o})",
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path the operation names."""
        if self.to is None:
            return () if self.path is None else (self.path,)
        return (self.to,) if self.path is None else (self.path, self.to)


_VARIABLE = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


def first_misfit(operations: Iterable[StagedOperation]) -> tuple[OperationId, str] | None:
    """The first operation that no plan may contain, and why; None if all may be there together.

    Every source goes through here: when a revision is saved, when a record or a bundle is read, and at approval.
    """
    sizes: dict[str, int] = {}
    names: set[str] = set()
    for operation in operations:
        if operation.id in names:
            return operation.id, "another operation has the same id"
        names.add(operation.id)
        if wrong := misfit(operation):
            return operation.id, wrong
        for state in (operation.base, operation.after):
            if isinstance(state, FileState) and sizes.setdefault(state.sha256, state.size) != state.size:
                return operation.id, f"the bytes {state.sha256[:12]} are given two sizes"
    return None


def misfit(operation: StagedOperation) -> str | None:
    """Why an operation from outside is invalid; None if it is valid."""
    for path in operation.paths:
        try:
            if check_path(path) != path:
                return f"its path {path!r} is not spelled plainly"
        except OutsideWorkspaceError as refusal:
            return refusal.message
    if not STEP_ID.fullmatch(operation.id):
        return "its name is not a plain one"
    spec = operation.kind.spec
    fits = spec.fits(operation.base, operation.after)
    if spec.is_run:
        call = operation.external_call if spec.is_external else operation.command_call
        if call is None or operation.paths or not fits:
            return f"it is called a {operation.kind} and is none"
        return unfit_call(call)
    if operation.call is not None or operation.path is None:
        return f"it is called {operation.kind} and names no path, or a command"
    if (operation.to is not None) != spec.has_target:
        return f"it is called {operation.kind}, and whether it moves says otherwise"
    if not fits:
        return f"it is called {operation.kind}, and its states say otherwise"
    return unfit_state(operation.base, operation.after)


def unfit_state(base: NodeState, after: NodeState) -> str | None:
    """Why a path may not be left in this state. A mode that was there before stays allowed."""
    if isinstance(after, SymlinkState):
        unfit = None if after == base else unfit_target(after.target)
        return None if unfit is None else f"its target {shown(after.target)!r} {unfit}"
    if not isinstance(after, FileState | DirectoryState):
        return None
    if isinstance(base, FileState | DirectoryState) and (base.type, base.mode) == (after.type, after.mode):
        return None
    unfit = unfit_mode(after.mode, directory=isinstance(after, DirectoryState))
    return None if unfit is None else f"the mode {after.mode:04o} would {unfit}"


def unfit_mode(mode: int, *, directory: bool) -> str | None:
    """Why a plan may not set a mode, after `it would`: it exposes the path to others, or prevents an undo."""
    needed = 0o500 if directory else 0o400
    reasons = (
        (mode & 0o4000, "set the user id on execution"),
        (mode & 0o2000, "set the group id on execution"),
        (mode & 0o1000, "set the sticky bit"),
        (mode & 0o0002, "let everybody write"),
        (mode & needed != needed, "keep even its owner from reading it, so that it could not be checked or undone"),
    )
    return next((reason for is_so, reason in reasons if is_so), None)


def unfit_call(call: OperationCall) -> str | None:
    """Why a command or an external call cannot be made as it stands, in words; nothing where it can."""
    if isinstance(call, ExternalCall):
        return _unfit_external(call)
    try:
        if call.cwd != ROOT and check_path(call.cwd) != call.cwd:
            return f"its folder {call.cwd!r} is not spelled plainly"
    except OutsideWorkspaceError as refusal:
        return refusal.message
    if "\0" in call.command or any("\0" in part for pair in call.env for part in pair):
        return "there is a NUL character in it"
    wrong = next((name for name, _ in call.env if not _VARIABLE.fullmatch(name)), None)
    return None if wrong is None else f"{wrong!r} is no name of a variable"


def _unfit_external(call: ExternalCall) -> str | None:
    if "\0" in call.tool or "\0" in call.target:
        return "there is a NUL character in it"
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return "its arguments are no JSON"
    return None if isinstance(arguments, dict) else "its arguments are no JSON object"
