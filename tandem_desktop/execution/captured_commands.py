"""Runs commands in an overlay and commits their file effects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop.domain.errors import OperationError, TandemError
from tandem_desktop.domain.operations import PathChange, StagedOperation
from tandem_desktop.execution.commands import (
    CommandOutcome,
    CommandRunner,
    CommandsTogether,
    InPlaceCommands,
    OnOutput,
    RunControl,
    explain,
    shell_argv,
)
from tandem_desktop.storage.atomic import remove_tree
from tandem_desktop.storage.clock import next_tick
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

if TYPE_CHECKING:
    from tandem_desktop.processes.child import ProcessOutcome
    from tandem_desktop.shadow.overlay import Overlay

BUDGET_BYTES = 1024 * 1024 * 1024
_BESIDE = "-beside-"


class CapturedCommands:
    """Commands whose effects on the workspace can be rolled back and undone. What they do elsewhere cannot."""

    captures = True

    @property
    def together(self) -> CommandsTogether:
        return self

    def __init__(
        self, workspace: Workspace, objects: ObjectStore, folder: Path, budget_bytes: int = BUDGET_BYTES
    ) -> None:
        self._workspace = workspace
        self._objects = objects
        self._folder = folder
        self._budget_bytes = budget_bytes

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome:
        """Run it to the end and read what it changed; nothing has reached the workspace yet.

        Raises:
            OperationError: it could not be started, or its effects cannot be kept.
        """
        (ended,) = self.run_together((operation,), control, on_output, all_or_none=False)
        if isinstance(ended, TandemError):
            raise ended
        return ended

    def run_together(
        self, operations: tuple[StagedOperation, ...], control: RunControl, on_output: OnOutput, *, all_or_none: bool
    ) -> tuple[CommandOutcome | TandemError, ...]:
        """Run each command in its own overlay over the same tree; read the changes after all have ended."""
        from tandem_desktop.shadow.overlay import Overlay  # a plan without commands needs none of it

        self._sweep()
        captures = [
            _Capture(operation, Overlay(self._workspace.path, self._place(number)))
            for number, operation in enumerate(operations)
        ]
        try:
            for capture in captures:
                capture.open()
            _run_all(captures, _Together(control, all_or_none=all_or_none), on_output)
            return tuple(self._ended(capture) for capture in captures)
        finally:
            for capture in captures:
                capture.overlay.discard()

    def _place(self, number: int) -> Path:
        return self._folder.with_name(f"{self._folder.name}{_BESIDE}{number}") if number else self._folder

    def _sweep(self) -> None:
        """Remove overlay layers of parallel commands that an interrupted run left behind."""
        for leftover in self._folder.parent.glob(f"{self._folder.name}{_BESIDE}*"):
            remove_tree(leftover)

    def _ended(self, capture: _Capture) -> CommandOutcome | TandemError:
        operation, ended = capture.operation, capture.ended
        assert ended is not None
        if isinstance(ended, OSError):
            return _not_run(operation, ended)
        if not capture.overlay.was_mounted and not ended.aborted:
            return OperationError(
                f"The command of {operation.id} could not be run: no overlay of the workspace could be mounted.",
                path=str(self._workspace.path),
                step=operation.id,
                next="See what is missing with: tandem doctor",
            )
        error = explain(operation, ended.exit_code, timed_out=ended.timed_out, aborted=ended.aborted)
        try:
            effects = () if error else self._effects(capture)
        except TandemError as refused:
            return refused
        except OSError as refused:
            return _not_run(operation, refused)
        return CommandOutcome(
            exit_code=ended.exit_code,
            output=ended.output.decode("utf-8", "replace"),
            error=error,
            aborted=ended.aborted,
            effects=effects,
        )

    def _effects(self, capture: _Capture) -> tuple[PathChange, ...]:
        from tandem_desktop.shadow.overlay_changes import OverlayChanges

        operation, upper = capture.operation, capture.overlay.upper
        size = sum(_sizes(upper))
        if size > self._budget_bytes:
            raise OperationError(
                f"The command of {operation.id} changed {size:,} bytes; {self._budget_bytes:,} can be taken back.",
                step=operation.id,
                next="Take it out of the plan and run it in place yourself.",
            )
        effects: list[PathChange] = []

        def contents() -> Iterator[bytes]:
            for change, sides in OverlayChanges(upper, self._workspace, capture.since_ns).read():
                effects.append(change)
                yield from sides

        self._objects.put_all(contents())
        return tuple(effects)


class _Together(RunControl):
    """Stops a whole batch: when the run is stopped, or when one command fails and all or none are kept."""

    def __init__(self, outer: RunControl, *, all_or_none: bool) -> None:
        super().__init__()
        self._outer = outer
        self._all_or_none = all_or_none

    @property
    def is_aborted(self) -> bool:
        return super().is_aborted or self._outer.is_aborted

    def one_ended(self, ended: ProcessOutcome | OSError) -> None:
        if self._all_or_none and (isinstance(ended, OSError) or ended.exit_code or ended.timed_out):
            self.abort()


class _Capture:
    """One command in its overlay."""

    def __init__(self, operation: StagedOperation, overlay: Overlay) -> None:
        self.operation = operation
        self.overlay = overlay
        self.since_ns = 0
        self.ended: ProcessOutcome | OSError | None = None

    def open(self) -> None:
        try:
            self.overlay.open()
            self.since_ns = next_tick()
        except OSError as error:
            self.ended = error

    def run(self, together: _Together, on_output: OnOutput) -> None:
        """To its end, on whichever thread; what it changed is read later, by the one thread of the run."""
        from tandem_desktop.processes.child import run_child, scrubbed_environment

        call = self.operation.command_call
        assert call is not None
        if self.ended is not None:
            together.one_ended(self.ended)
            return
        try:
            self.ended = run_child(
                self.overlay.argv(shell_argv(call.command), call.cwd),
                cwd=Path("/"),
                environment=scrubbed_environment(dict(call.env)),
                timeout_s=call.timeout_s,
                should_abort=lambda: together.is_aborted,
                on_output=lambda chunk: on_output(self.operation.id, chunk),
            )
        except OSError as error:
            self.ended = error
        together.one_ended(self.ended)


def _run_all(captures: list[_Capture], together: _Together, on_output: OnOutput) -> None:
    if len(captures) == 1:
        captures[0].run(together, on_output)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(captures), thread_name_prefix="command") as edit_executor:
        for done in [edit_executor.submit(capture.run, together, on_output) for capture in captures]:
            done.result()


def _not_run(operation: StagedOperation, error: OSError) -> OperationError:
    return OperationError(
        f"The command of {operation.id} could not be run: {error.strerror}.",
        step=operation.id,
        next="Check free space and permissions of the state folder, then apply again.",
    )


def _sizes(folder: Path) -> Iterator[int]:
    for place, _, names in os.walk(folder):
        for name in names:
            yield (Path(place) / name).lstat().st_size


class BestCommands:
    """Captures effects where the system can mount an overlay, else runs in place; checked on first use."""

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

    @property
    def together(self) -> CommandsTogether | None:
        return self._chosen.together

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome:
        return self._chosen.run(operation, control, on_output)

    @cached_property
    def _chosen(self) -> CommandRunner:
        from tandem_desktop.shadow.overlay import can_overlay

        if can_overlay(self._workspace.path, self._shadows):
            folder = self._shadows / f"command-{self._workspace.identity.key}"
            return CapturedCommands(self._workspace, self._objects, folder, self._budget_bytes)
        return InPlaceCommands(self._workspace)
