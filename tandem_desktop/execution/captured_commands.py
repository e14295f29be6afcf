"""Run a command in an overlay of the workspace: its file effects are held back, then committed like any change."""

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from tandem_desktop.domain.errors import OperationError
from tandem_desktop.domain.operations import PathChange, StagedOperation
from tandem_desktop.execution.commands import (
    CommandOutcome,
    CommandRunner,
    InPlaceCommands,
    OnOutput,
    explain,
    shell_argv,
)
from tandem_desktop.execution.control import RunControl
from tandem_desktop.processes.child import run_child, scrubbed_environment
from tandem_desktop.shadow.overlay import Overlay, can_overlay
from tandem_desktop.shadow.overlay_changes import OverlayChanges
from tandem_desktop.storage.file_clock import next_tick
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

BUDGET_BYTES = 1024 * 1024 * 1024


class CapturedCommands:
    """Commands whose effects on the workspace can be rolled back and undone. What they do elsewhere cannot."""

    captures = True

    def __init__(
        self, workspace: Workspace, objects: ObjectStore, folder: Path, budget_bytes: int = BUDGET_BYTES
    ) -> None:
        self._workspace = workspace
        self._objects = objects
        self._overlay = Overlay(workspace.path, folder)
        self._budget_bytes = budget_bytes

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome:
        """Run it to the end and read what it changed; nothing has reached the workspace yet.

        Raises:
            OperationError: it could not be started, or its effects cannot be kept.
        """
        try:
            self._overlay.open()
            return self._run(operation, control, on_output)
        except OSError as error:
            raise OperationError(
                f"The command of {operation.id} could not be run: {error.strerror}.",
                step=operation.id,
                next="Check free space and permissions of the state folder, then apply again.",
            ) from error
        finally:
            self._overlay.discard()

    def _run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome:
        call = operation.call
        assert call is not None
        since_ns = next_tick()
        outcome = run_child(
            self._overlay.argv(shell_argv(call.command), call.cwd),
            cwd=Path("/"),
            environment=scrubbed_environment(dict(call.env)),
            timeout_s=call.timeout_s,
            should_abort=lambda: control.is_aborted,
            on_output=lambda chunk: on_output(operation.id, chunk),
        )
        if not self._overlay.was_mounted and not outcome.aborted:
            raise OperationError(
                f"The command of {operation.id} could not be run: no overlay of the workspace could be mounted.",
                path=str(self._workspace.path),
                step=operation.id,
                next="See what is missing with: tandem doctor",
            )
        error = explain(operation, outcome.exit_code, timed_out=outcome.timed_out, aborted=outcome.aborted)
        return CommandOutcome(
            exit_code=outcome.exit_code,
            output=outcome.output.decode("utf-8", "replace"),
            error=error,
            aborted=outcome.aborted,
            effects=() if error else self._effects(operation, since_ns),
        )

    def _effects(self, operation: StagedOperation, since_ns: int) -> tuple[PathChange, ...]:
        size = sum(_sizes(self._overlay.upper))
        if size > self._budget_bytes:
            raise OperationError(
                f"The command of {operation.id} changed {size:,} bytes; {self._budget_bytes:,} can be taken back.",
                step=operation.id,
                next="Take it out of the plan and run it in place yourself.",
            )
        effects: list[PathChange] = []

        def contents() -> Iterator[bytes]:
            for change, sides in OverlayChanges(self._overlay.upper, self._workspace, since_ns).read():
                effects.append(change)
                yield from sides

        self._objects.put_all(contents())
        return tuple(effects)


def _sizes(folder: Path) -> Iterator[int]:
    for place, _, names in os.walk(folder):
        for name in names:
            yield (Path(place) / name).lstat().st_size


class BestCommands:
    """Captured where this system can do it, in place where not; found out when first asked."""

    def __init__(
        self, workspace: Workspace, objects: ObjectStore, shadows: Path, budget_bytes: int = BUDGET_BYTES
    ) -> None:
        self._workspace = workspace
        self._objects = objects
        self._shadows = shadows
        self._budget_bytes = budget_bytes

    @property
    def captures(self) -> bool:
        return self._chosen.captures

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome:
        return self._chosen.run(operation, control, on_output)

    @cached_property
    def _chosen(self) -> CommandRunner:
        if can_overlay(self._workspace.path, self._shadows):
            folder = self._shadows / f"command-{self._workspace.identity.key}"
            return CapturedCommands(self._workspace, self._objects, folder, self._budget_bytes)
        return InPlaceCommands(self._workspace)
