"""Runs approved commands, in order or in parallel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from tandem_desktop.domain.errors import OperationError, PreflightError, TandemError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import NodeState, PathChange, StagedOperation
from tandem_desktop.storage.workspace import Workspace


class RunControl:
    """Stop and pause requests for a run, from the window or Ctrl-C."""

    def __init__(self) -> None:
        self._aborted = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self._is_free = True
        """Neither stopped nor paused. A plain attribute, because it is read before every step."""
        self._on_wait: Callable[[bool], None] = lambda waits: None

    def watch(self, on_wait: Callable[[bool], None]) -> None:
        """Call `on_wait`, on the thread of the run, when it starts and stops waiting."""
        self._on_wait = on_wait

    def abort(self) -> None:
        self._aborted.set()
        self._is_free = False
        self._going.set()

    def pause(self) -> None:
        self._going.clear()
        self._is_free = False

    def resume(self) -> None:
        self._is_free = True
        if self._aborted.is_set():  # checked last, so that a concurrent stop is not lost
            self._is_free = False
        self._going.set()

    @property
    def is_aborted(self) -> bool:
        return self._aborted.is_set()

    @property
    def is_paused(self) -> bool:
        return not self._going.is_set()

    def may_go_on(self) -> bool:
        """Wait while paused; then return whether to go on."""
        if self._is_free:
            return True
        if self.is_paused:
            self._on_wait(True)
            self._going.wait()
            self._on_wait(False)
        return not self._aborted.is_set()


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
    """Runs the commands of a run."""

    @property
    def captures(self) -> bool:
        """Whether file effects are held back and committed through the journal."""
        ...

    @property
    def together(self) -> CommandsTogether | None:
        """Runs several commands at once; None where commands run in place, one after the other."""
        ...

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome: ...


class CommandsTogether(Protocol):
    """Runs several commands at once, with their effects held back."""

    def run_together(
        self, operations: tuple[StagedOperation, ...], control: RunControl, on_output: OnOutput, *, all_or_none: bool
    ) -> tuple[CommandOutcome | TandemError, ...]:
        """Run each command on the current workspace, isolated from the others.

        With `all_or_none` the failure of one ends the others. The error of one command is its result, not raised here.
        """
        ...


class InPlaceCommands:
    """Run a command directly in the workspace. Its effects cannot be undone, and the review says so."""

    captures = False
    together = None

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, operation: StagedOperation, control: RunControl, on_output: OnOutput) -> CommandOutcome:
        from tandem_desktop.processes.child import run_child, scrubbed_environment

        call = operation.command_call
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


MakeCall = Callable[[PlanId, StagedOperation, RunControl], CommandOutcome]
"""Has the agent of a plan make one approved external call, once; blocks until it has ended."""


class ExternalCalls:
    """Makes the external calls of a run, by whatever has the sessions of the agents in this process."""

    def __init__(self) -> None:
        self._make: MakeCall | None = None

    def attach(self, make: MakeCall) -> None:
        self._make = make

    def check(self, operations: Iterable[StagedOperation]) -> None:
        """Refuse a plan whose external calls cannot be made here.

        Raises:
            PreflightError: there is one, and no agent can be asked to make it.
        """
        call = next((each for each in operations if each.kind.spec.is_external), None)
        if call is not None and self._make is None:
            raise PreflightError(
                f"{call.id} calls {call.subject}, which only the agent that asked can do. Nothing was written.",
                step=call.id,
                next="Apply the plan with `tandem apply`, in the window or over the API, or take the call out of it.",
            )

    def make(self, plan_id: PlanId, operation: StagedOperation, control: RunControl) -> CommandOutcome:
        """Make one call.

        Raises:
            TandemError: the agent could not be asked.
        """
        assert self._make is not None  # `check` comes first
        return self._make(plan_id, operation, control)


def shell_argv(command: str) -> list[str]:
    """Arguments that run the whole text in one new shell; nothing is parsed or rewritten."""
    from tandem_desktop.processes.child import find_program

    bash = find_program("bash")
    return [bash, "--noprofile", "--norc", "-c", command] if bash else ["/bin/sh", "-c", command]


def explain(operation: StagedOperation, exit_code: int, *, timed_out: bool, aborted: bool) -> str | None:
    """The failure as a sentence, or nothing when the command succeeded."""
    if aborted:
        return "stopped by the person"
    if timed_out:
        limit = "its time limit" if (call := operation.command_call) is None else f"{call.timeout_s} s"
        return f"took longer than {limit} and was ended; raise timeout_s if it needs more"
    if exit_code < 0:
        return f"was ended by signal {-exit_code}"
    if exit_code:
        return f"ended with exit code {exit_code}"
    return None


Segment = tuple[StagedOperation, ...]


def segments(operations: Iterable[StagedOperation]) -> tuple[Segment, ...]:
    """Neighbouring file operations together, every command alone, in plan order."""
    groups: list[Segment] = []
    for is_run, group in groupby(operations, key=lambda operation: operation.is_run):
        members = tuple(group)
        groups.extend([(one,) for one in members] if is_run else [members])
    return tuple(groups)


def dependents(operations: Iterable[StagedOperation], failed: OperationId) -> frozenset[OperationId]:
    """Operations that depend on `failed`: blocked by it, or building on a path it should have made."""
    lost = {failed}
    paths: set[str] = set()
    for operation in operations:
        if operation.id == failed:
            paths.update(operation.paths)
        elif not lost.isdisjoint(operation.blocked_by) or any(_overlaps(path, paths) for path in operation.paths):
            lost.add(operation.id)
            paths.update(operation.paths)
    return frozenset(lost - {failed})


def _overlaps(path: str, paths: set[str]) -> bool:
    if path in paths or any(other.startswith(f"{path}/") for other in paths):
        return True
    above = path.rpartition("/")[0]
    while above:
        if above in paths:
            return True
        above = above.rpartition("/")[0]
    return False


AT_ONCE = 4


def batches(all_segments: Sequence[Segment]) -> Iterator[tuple[Segment, ...]]:
    """Segments in order; adjacent commands of independent tasks together, everything else by itself.

    Uses only approved data: commands are hashed with their tasks and with what they wait for.
    """
    waits = _everything_waited_for(operation for segment in all_segments for operation in segment)
    batch: list[Segment] = []
    for segment in all_segments:
        if batch and not (len(batch) < AT_ONCE and all(_independent(each[0], segment[0], waits) for each in batch)):
            yield tuple(batch)
            batch = []
        batch.append(segment)
    if batch:
        yield tuple(batch)


def in_turn(all_segments: Sequence[Segment], commands: CommandRunner) -> Iterator[tuple[Segment, ...]]:
    """Batches as this system can run them: one command at a time where effects are not held back.

    `commands.together` may have to try a mount, so it is read only for batches of several.
    """
    for batch in batches(all_segments):
        if len(batch) == 1 or commands.together is not None:
            yield batch
        else:
            yield from ((segment,) for segment in batch)


Beside = dict[OperationId, tuple[OperationId, ...]]


def beside(operations: Sequence[StagedOperation], commands: CommandRunner) -> Beside:
    """For each command that runs in parallel with others, which ones; shown for approval."""
    together = [[segment[0].id for segment in batch] for batch in in_turn(segments(operations), commands) if batch[1:]]
    return {each: tuple(other for other in group if other != each) for group in together for each in group}


def _independent(earlier: StagedOperation, later: StagedOperation, waits: dict[OperationId, set[OperationId]]) -> bool:
    """Two commands of different tasks of which neither waits for the other. A command of no task keeps its turn."""
    if not (earlier.is_run and later.is_run) or earlier.kind.spec.is_external or later.kind.spec.is_external:
        return False
    if earlier.task is None or later.task is None or earlier.task == later.task:
        return False
    return earlier.id not in waits[later.id] and later.id not in waits[earlier.id]


def _everything_waited_for(operations: Iterable[StagedOperation]) -> dict[OperationId, set[OperationId]]:
    """For each operation, what it waits for, directly or indirectly; blockers come first in a plan."""
    found: dict[OperationId, set[OperationId]] = {}
    for operation in operations:
        found[operation.id] = set(operation.blocked_by).union(*(found.get(each, ()) for each in operation.blocked_by))
    return found


class Touched:
    """The states that the commands of one batch have left so far, in plan order."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[NodeState, OperationId]] = {}

    def take(self, operation: OperationId, effects: tuple[PathChange, ...]) -> tuple[PathChange, ...]:
        """The effects that are still to be written; those another command left in the same state are dropped.

        Raises:
            OperationError: another command of the batch left something else at one of its paths.
        """
        wanted = []
        for change in effects:
            known = self._left.get(change.path)
            if known is None:
                wanted.append(change)
            elif known[0] != change.after:
                raise OperationError(
                    f"{known[1]}, which ran beside it, changed {change.path} as well.",
                    path=change.path,
                    step=operation,
                    next=f"Let the task of {operation} wait for that of {known[1]}, then they run one after the other.",
                )
        self._left |= {change.path: (change.after, operation) for change in wanted}
        return tuple(wanted)
