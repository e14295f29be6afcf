"""Typed plan steps, their order, and the PLAN.md step."""

import base64
import binascii
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    ValidationError,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from tandem_desktop.diff.patch import FilePatch, parse_patch
from tandem_desktop.domain.errors import OutsideWorkspaceError, StepRefusedError, TandemError
from tandem_desktop.domain.ids import STEP_ID, OperationId, TaskId
from tandem_desktop.domain.models import Model
from tandem_desktop.domain.operations import (
    ABSENT,
    DEFAULT_COMMAND_TIMEOUT_S,
    NEW_FILE_MODE,
    Absent,
    CommandCall,
    FileState,
    NodeState,
    OperationKind,
    StagedOperation,
)
from tandem_desktop.domain.paths import ROOT, check_path, folded
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.domain.tasks import PlanTask, TaskPriority

MAX_COMMAND_BYTES = 128 * 1024 - 1
"""The maximum length of one program argument on Linux."""

_ENVIRONMENT_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_MODE = lazy_pattern(r"[0-7]{3,4}")


def _a_mode(text: str) -> str:
    if not _MODE.fullmatch(text):
        raise ValueError('must be an octal string such as "0755"')
    return text


def _an_id(text: str) -> str:
    if not STEP_ID.fullmatch(text):
        raise ValueError(
            "must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit"
        )
    return text


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain the character NUL")
    return text


def _a_diff(value: Any) -> str | FilePatch:
    if not isinstance(value, str | FilePatch):
        raise ValueError("must be text, a unified diff")
    return value


Mode = Annotated[str, AfterValidator(_a_mode)]
Id = Annotated[str, AfterValidator(_an_id)]


class WriteArgs(Model):
    """A whole file, as text or as base64."""

    path: str
    content: str | None = None
    content_base64: str | None = None
    mode: Mode | None = None

    @field_validator("content_base64")
    @classmethod
    def _strict_base64(cls, text: str | None) -> str | None:
        if text is not None:
            try:
                honest = base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
            except (binascii.Error, ValueError):
                honest = False
            if not honest:
                raise ValueError("is not valid base64 (standard alphabet, padded, no white space)")
        return text

    @model_validator(mode="after")
    def _one_content(self) -> Self:
        if (self.content is None) == (self.content_base64 is None):
            raise ValueError("needs exactly one of `content` and `content_base64`")
        return self

    @property
    def data(self) -> bytes:
        if self.content_base64 is not None:
            return base64.b64decode(self.content_base64)
        return (self.content or "").encode()


class EditArgs(Model):
    """Text to replace and its replacement."""

    path: str
    old_string: str
    new_string: str
    replace_all: StrictBool = False


class PatchArgs(Model):
    """A unified diff; already read when it came from a patch file, whose bytes need not be text."""

    diff: Annotated[str | FilePatch, PlainValidator(_a_diff), WithJsonSchema({"type": "string"})]

    @property
    def patches(self) -> tuple[FilePatch, ...]:
        """One for each file of the diff.

        Raises:
            StepRefusedError: it is no diff, or not one of text.
        """
        return (self.diff,) if isinstance(self.diff, FilePatch) else parse_patch(self.diff.encode())


class PathArgs(Model):
    """Only a path."""

    path: str


class MoveArgs(Model):
    """Source and destination."""

    path: str
    to: str


class ChmodArgs(Model):
    """A path and its mode."""

    path: str
    mode: Mode


class SymlinkArgs(Model):
    """A link and its literal target."""

    path: str
    target: str


class BashArgs(Model):
    """The exact text for the shell."""

    command: Annotated[str, AfterValidator(_without_nul)]
    cwd: str = "."
    timeout_s: Annotated[StrictInt, Field(ge=1, le=86_400)] = DEFAULT_COMMAND_TIMEOUT_S
    env: dict[str, Annotated[str, AfterValidator(_without_nul)]] = Field(default_factory=dict)

    @field_validator("command")
    @classmethod
    def _runnable(cls, command: str) -> str:
        if not command.strip():
            raise ValueError("is empty")
        if len(command.encode()) > MAX_COMMAND_BYTES:
            raise ValueError(
                f"is longer than {MAX_COMMAND_BYTES:,} bytes, which no shell takes; put it in a script file"
            )
        return command

    @field_validator("env")
    @classmethod
    def _named(cls, env: dict[str, str]) -> dict[str, str]:
        for name in env:
            if not _ENVIRONMENT_NAME.fullmatch(name):
                raise ValueError(f"has the name {name!r}; names have letters, digits and underscores, no leading digit")
        return env


def checked_command(command: str, cwd: str = ROOT) -> CommandCall:
    """A command that a plan can carry.

    Raises:
        StepRefusedError: the shell could not run it, or it would run outside the workspace.
    """
    try:
        inside = cwd if cwd == ROOT else check_path(cwd)
        return CommandCall(command=BashArgs(command=command, cwd=inside).command, cwd=inside)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        reason = problem.get("ctx", {}).get("error", problem["msg"])
        raise StepRefusedError(f"The command {reason}.", next="Name a command the shell can run.") from None
    except OutsideWorkspaceError as error:
        raise StepRefusedError(
            f"The command would run outside the workspace. {error.message}", path=error.path, next=error.next
        ) from None


class _Step(Model):
    id: Id = ""
    """Given by position when the plan gives none."""
    description: str
    rationale: str = ""
    risk: str = ""
    task: str | None = None
    blocked_by: tuple[str, ...] = ()


class WriteStep(_Step):
    """Create a file or replace its content."""

    tool: Literal["write"]
    args: WriteArgs


class EditStep(_Step):
    """Replace text inside a file."""

    tool: Literal["edit"]
    args: EditArgs


class PatchStep(_Step):
    """Apply a unified diff."""

    tool: Literal["patch"]
    args: PatchArgs


class DeleteStep(_Step):
    """Remove a file, a link or a directory with what is in it."""

    tool: Literal["delete"]
    args: PathArgs


class MoveStep(_Step):
    """Give a file, a link or a directory another path."""

    tool: Literal["move"]
    args: MoveArgs


class ChmodStep(_Step):
    """Change permissions."""

    tool: Literal["chmod"]
    args: ChmodArgs


class SymlinkStep(_Step):
    """Make a symbolic link."""

    tool: Literal["symlink"]
    args: SymlinkArgs


class MkdirStep(_Step):
    """Make a directory."""

    tool: Literal["mkdir"]
    args: PathArgs


class BashStep(_Step):
    """Run a command."""

    tool: Literal["bash"]
    args: BashArgs


class ExternalArgs(Model):
    """A tool of the agent's own, and exactly what it is called with."""

    tool: Annotated[str, Field(min_length=1), AfterValidator(_without_nul)]
    arguments: dict[str, Any] = Field(default_factory=dict)
    target: Annotated[str, AfterValidator(_without_nul)] = ""


class ExternalStep(_Step):
    """Let the agent call a tool whose effects are outside the workspace."""

    tool: Literal["external"]
    args: ExternalArgs


class ReadStep(_Step):
    """Changes nothing; kept as a note."""

    tool: Literal["read"]
    args: PathArgs


AnyStep = (
    WriteStep
    | EditStep
    | PatchStep
    | DeleteStep
    | MoveStep
    | ChmodStep
    | SymlinkStep
    | MkdirStep
    | BashStep
    | ExternalStep
    | ReadStep
)
Step = Annotated[AnyStep, Field(discriminator="tool")]

STEP_TYPES: dict[str, type[AnyStep]] = {
    "write": WriteStep,
    "edit": EditStep,
    "patch": PatchStep,
    "delete": DeleteStep,
    "move": MoveStep,
    "chmod": ChmodStep,
    "symlink": SymlinkStep,
    "mkdir": MkdirStep,
    "bash": BashStep,
    "external": ExternalStep,
    "read": ReadStep,
}


class TaskInput(Model):
    """One part of the work, as handed in."""

    id: Id
    subject: str
    description: str = ""
    agent: str = ""
    priority: TaskPriority = TaskPriority.NORMAL
    blocked_by: tuple[str, ...] = ()


class PlanInput(Model):
    """A proposed plan from any source: valid by itself, not yet checked against the workspace. Every step has an id."""

    title: Annotated[str, Field(min_length=1)]
    summary: str = ""
    context: dict[str, Any] = Field(default_factory=dict)
    tasks: tuple[TaskInput, ...] = ()
    steps: tuple[Step, ...]

    def document(self) -> dict[str, Any]:
        """The plan as JSON; None for a plan that was read from a patch file."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def plan_tasks(self) -> tuple[PlanTask, ...]:
        """The tasks as the plan's record keeps them."""
        return tuple(
            PlanTask(
                id=TaskId(task.id),
                subject=task.subject,
                description=task.description,
                agent=task.agent,
                priority=task.priority,
                blocked_by=tuple(TaskId(blocker) for blocker in task.blocked_by),
            )
            for task in self.tasks
        )


class StepOrder:
    """Computes the dependencies of every step, and refuses a plan whose order contradicts them.

    A step that only reads has no operation, and a task may have no steps: dependencies on these are replaced by their
    own.
    """

    def __init__(self, plan: PlanInput) -> None:
        """Compare the order of the steps with their dependencies.

        Raises:
            StepRefusedError: a step waits for a later one.
        """
        self._position = {step.id: position for position, step in enumerate(plan.steps)}
        self._done_by: dict[str, tuple[str, ...]] = {}
        self._task_waits_for = _tasks_waits(plan)
        seen: set[str] = set()
        for step in plan.steps:
            for blocker in step.blocked_by:
                if self._position[blocker] > self._position[step.id]:
                    raise _out_of_order(step.id, blocker, f"it waits for step {blocker}")
            if step.task is not None and step.task not in seen:
                seen.add(step.task)
                self._check_task(step)
            self._done_by[step.id] = self.waits_for(step) if step.tool == "read" else (step.id,)

    def waits_for(self, step: AnyStep) -> tuple[str, ...]:
        """The steps with operations that must be done before `step`, in the order of the plan."""
        from_task = self._task_waits_for.get(step.task, ()) if step.task is not None else ()
        if not step.blocked_by:
            return from_task
        own = {name for blocker in step.blocked_by for name in self._done_by[blocker]}
        return tuple(sorted(own.union(from_task), key=self._position.__getitem__))

    def _check_task(self, first: AnyStep) -> None:
        last = max(self._task_waits_for.get(first.task or "", ()), key=self._position.__getitem__, default=first.id)
        if self._position[last] > self._position[first.id]:
            raise _out_of_order(first.id, last, f"its task {first.task} waits for the task of step {last}")


def _tasks_waits(plan: PlanInput) -> dict[str, tuple[str, ...]]:
    """The steps of all tasks that each task depends on."""
    steps: dict[str, list[str]] = {task.id: [] for task in plan.tasks}
    for step in plan.steps:
        if step.task is not None and step.tool != "read":
            steps[step.task].append(step.id)
    blocked_by = {task.id: task.blocked_by for task in plan.tasks}
    done_by: dict[str, tuple[str, ...]] = {}
    waits: dict[str, tuple[str, ...]] = {}
    for task in TopologicalSorter(blocked_by).static_order():
        waits[task] = tuple(dict.fromkeys(name for blocker in blocked_by[task] for name in done_by[blocker]))
        done_by[task] = tuple(steps[task]) or waits[task]
    return waits


def _out_of_order(step: str, later: str, why: str) -> StepRefusedError:
    return StepRefusedError(
        f"Step {step} comes before step {later}, but {why}.",
        step=step,
        next=f"Put step {later} before step {step}, or take it out of blocked_by.",
    )


PLAN_MD = "PLAN.md"
_ID = OperationId("plan-md")
_TOOL = "write"


@dataclass(frozen=True, slots=True)
class WithPlanMd:
    """A revision whose first operation writes the plan text to a file, and the bytes to store for it."""

    version: PlanVersion
    contents: tuple[bytes, ...] = ()


def with_plan_md(version: PlanVersion, tree: SourceTree) -> WithPlanMd:
    """Add the operation, unless the plan changes the file itself, or it has this content already."""
    taken = any(folded(path) == folded(PLAN_MD) for operation in version.operations for path in operation.paths)
    if taken or any(operation.id == _ID for operation in version.operations):
        return WithPlanMd(version)
    base, before = _found(tree)
    if not isinstance(base, Absent | FileState):
        warning = f"{PLAN_MD} is not a file here, so the text of the plan is not written down."
        return WithPlanMd(version.model_copy(update={"warnings": (*version.warnings, warning)}))
    text = version.content.encode("utf-8", "surrogatepass")
    if before == text:
        return WithPlanMd(version)
    operation = StagedOperation(
        id=_ID,
        kind=OperationKind.CREATE if isinstance(base, Absent) else OperationKind.MODIFY,
        path=PLAN_MD,
        base=base,
        after=FileState.of(text, NEW_FILE_MODE if isinstance(base, Absent) else base.mode),
        tool=_TOOL,
        description="The text of this plan",
        staged_at=version.created_at,
    )
    added = version.model_copy(update={"operations": (operation, *version.operations)})
    return WithPlanMd(added, (text,) if before is None else (before, text))


def _found(tree: SourceTree) -> tuple[NodeState | None, bytes | None]:
    """The state of the path; None if it is unreadable or blocked."""
    try:
        state = tree.state(PLAN_MD)
        return (state, tree.read(PLAN_MD)) if isinstance(state, FileState) else (state or ABSENT, None)
    except TandemError:
        return None, None
