"""Commands that end as a test says, with effects that are held back, so that a run of them needs no overlay."""

from collections.abc import Mapping
from typing import Any

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import TaskId
from tandem_desktop.domain.operations import ABSENT, PathChange, StagedOperation
from tandem_desktop.execution.commands import CommandOutcome, CommandsTogether, OnOutput, RunControl
from tandem_desktop.execution.run_manager import RunManager
from tests.support.builders import a_command, a_file

Ending = CommandOutcome | TandemError


def changed(*effects: PathChange) -> CommandOutcome:
    """A command that succeeded and left these effects."""
    return CommandOutcome(exit_code=0, output="ok\n", error=None, effects=effects)


def failed(exit_code: int = 3) -> CommandOutcome:
    return CommandOutcome(exit_code=exit_code, output="no\n", error=f"ended with exit code {exit_code}")


def stopped() -> CommandOutcome:
    """A command that was ended before it was done."""
    return CommandOutcome(exit_code=-9, output="so far\n", error="stopped by the person", aborted=True)


class ScriptedCommands:
    """Runs nothing; each command ends as the script says by its id."""

    captures = True

    def __init__(self, **endings: Ending) -> None:
        self._endings: Mapping[str, Ending] = endings
        self.batches: list[tuple[tuple[str, ...], bool]] = []
        """What ran together, and whether the failure of one had to end the others."""

    @property
    def together(self) -> CommandsTogether:
        return self

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome:
        assert isinstance(control, RunControl)
        on_output(operation.id, b"ok\n")
        ending = self._endings[operation.id]
        if isinstance(ending, TandemError):
            raise ending
        return ending

    def run_together(
        self, operations: tuple[StagedOperation, ...], control: RunControl, on_output: OnOutput, *, all_or_none: bool
    ) -> tuple[Ending, ...]:
        assert isinstance(control, RunControl)
        self.batches.append((tuple(operation.id for operation in operations), all_or_none))
        for operation in operations:
            on_output(operation.id, b"ok\n")
        return tuple(self._endings[operation.id] for operation in operations)


def command(name: str, task: str | None = None, **more: Any) -> StagedOperation:
    return a_command("true", id=name, task=None if task is None else TaskId(task), **more)


def scripted(manager: RunManager, **endings: Ending) -> ScriptedCommands:
    commands = ScriptedCommands(**endings)
    manager._commands = commands
    return commands


def change(path: str, after: bytes | None, before: bytes | None = None) -> PathChange:
    first, last = (ABSENT if data is None else a_file(data) for data in (before, after))
    return PathChange(path=path, before=first, after=last)
