"""The plan as an agent or a script hands it in: typed steps, one shape for each tool."""

import base64
import binascii
import re
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import STEP_ID, TaskId
from tandem_desktop.domain.operations import DEFAULT_COMMAND_TIMEOUT_S
from tandem_desktop.domain.tasks import PlanTask, TaskPriority
from tandem_desktop.staging.patch import FilePatch, parse_patch

MAX_COMMAND_BYTES = 128 * 1024 - 1
"""One argument of a program cannot be longer on Linux."""

_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MODE = re.compile(r"[0-7]{3,4}")


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


class WriteArgs(Frozen):
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


class EditArgs(Frozen):
    """One piece of text in place of another."""

    path: str
    old_string: str
    new_string: str
    replace_all: StrictBool = False


class PatchArgs(Frozen):
    """A unified diff; already read when it came from a patch file, whose bytes need not be text."""

    diff: Annotated[str | FilePatch, PlainValidator(_a_diff), WithJsonSchema({"type": "string"})]

    @property
    def patches(self) -> tuple[FilePatch, ...]:
        """One for each file of the diff.

        Raises:
            StepRefusedError: it is no diff, or not one of text.
        """
        return (self.diff,) if isinstance(self.diff, FilePatch) else parse_patch(self.diff.encode())


class PathArgs(Frozen):
    """A path and nothing else."""

    path: str


class MoveArgs(Frozen):
    """From here to there."""

    path: str
    to: str


class ChmodArgs(Frozen):
    """Permissions alone."""

    path: str
    mode: Mode


class SymlinkArgs(Frozen):
    """A link, its target taken as it is."""

    path: str
    target: str


class BashArgs(Frozen):
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


class _Step(Frozen):
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


class ReadStep(_Step):
    """Changes nothing; kept as a note."""

    tool: Literal["read"]
    args: PathArgs


AnyStep = (
    WriteStep | EditStep | PatchStep | DeleteStep | MoveStep | ChmodStep | SymlinkStep | MkdirStep | BashStep | ReadStep
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
    "read": ReadStep,
}


class TaskInput(Frozen):
    """One part of the work, as handed in."""

    id: Id
    subject: str
    description: str = ""
    agent: str = ""
    priority: TaskPriority = TaskPriority.NORMAL
    blocked_by: tuple[str, ...] = ()


class PlanInput(Frozen):
    """A proposed plan, whoever makes it: checked by itself, not yet against the workspace. Every step has an id."""

    title: Annotated[str, Field(min_length=1)]
    summary: str = ""
    context: dict[str, Any] = Field(default_factory=dict)
    tasks: tuple[TaskInput, ...] = ()
    steps: tuple[Step, ...]

    def document(self) -> dict[str, Any]:
        """The same as plan JSON; of a plan that was read from a patch file there is none."""
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
