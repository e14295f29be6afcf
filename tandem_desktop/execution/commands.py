"""Run one approved command in its place: a fresh shell, a fixed environment, a time limit."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tandem_desktop.domain.errors import OperationError, TandemError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import PathChange, StagedOperation
from tandem_desktop.execution.control import RunControl
from tandem_desktop.processes.child import run_child, scrubbed_environment
from tandem_desktop.storage.workspace import Workspace

OnOutput = Callable[[OperationId, bytes], None]


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """How a command ended. `effects` are its captured file changes; None when it ran in place."""

    exit_code: int
    output: str
    error: str | None
    aborted: bool = False
    effects: tuple[PathChange, ...] | None = None


class CommandRunner(Protocol):
    """Whoever runs commands for an executor."""

    @property
    def captures(self) -> bool:
        """Whether file effects are held back and committed through the journal."""
        ...

    @property
    def together(self) -> "CommandsTogether | None":
        """Who runs several at once; nobody where commands run in place, so there each keeps its turn."""
        ...

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome: ...


class CommandsTogether(Protocol):
    """Whoever runs several commands at once: only where their effects are held back."""

    def run_together(
        self, operations: tuple[StagedOperation, ...], control: RunControl, on_output: OnOutput, *, all_or_none: bool
    ) -> tuple["CommandOutcome | TandemError", ...]:
        """Each sees the workspace as it stands and none of them the others.

        With `all_or_none` the failure of one ends the others. What one cannot do is its own answer, not an error here.
        """
        ...


class InPlaceCommands:
    """Run a command directly in the workspace. Its effects cannot be undone, and the review says so."""

    captures = False
    together = None

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome:
        call = operation.call
        assert call is not None
        try:
            cwd = self._workspace.directory("" if call.cwd == "." else call.cwd)
            outcome = run_child(
                shell_argv(call.command),
                cwd=cwd,
                environment=scrubbed_environment(dict(call.env)),
                timeout_s=call.timeout_s,
                should_abort=lambda: control.is_aborted,
                on_output=lambda chunk: on_output(operation.id, chunk),
            )
        except OSError as error:
            raise OperationError(
                f"The command of {operation.id} could not be started in {call.cwd}: {error.strerror}.",
                path=call.cwd,
                step=operation.id,
                next="Check that the folder exists, then apply again.",
            ) from error
        return CommandOutcome(
            exit_code=outcome.exit_code,
            output=outcome.output.decode("utf-8", "replace"),
            error=explain(operation, outcome.exit_code, timed_out=outcome.timed_out, aborted=outcome.aborted),
            aborted=outcome.aborted,
        )


def shell_argv(command: str) -> list[str]:
    """The whole text goes to one fresh shell; nothing is parsed or rewritten."""
    bash = shutil.which("bash")
    return [bash, "--noprofile", "--norc", "-c", command] if bash else ["/bin/sh", "-c", command]


def explain(operation: StagedOperation, exit_code: int, *, timed_out: bool, aborted: bool) -> str | None:
    """The failure as a sentence, or nothing when the command succeeded."""
    assert operation.call is not None
    if aborted:
        return "stopped by the person"
    if timed_out:
        return f"took longer than {operation.call.timeout_s} s and was ended; raise timeout_s if it needs more"
    if exit_code < 0:
        return f"was ended by signal {-exit_code}"
    if exit_code:
        return f"ended with exit code {exit_code}"
    return None
